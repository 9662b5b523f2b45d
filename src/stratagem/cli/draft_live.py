"""The live draft at the keyboard: picks are typed as they are made, and advice is given when it is asked for or due."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path

from stratagem.cli.draft_files import KeptDraft
from stratagem.compile import answer_now
from stratagem.errors import StratagemError, UnknownName
from stratagem.fantasy.advice import Advice, Believed, Opponents, Survival, recommend, survival
from stratagem.fantasy.league import Room, parse_pick
from stratagem.fantasy.learning import Learner
from stratagem.fantasy.mock import draft_on
from stratagem.fantasy.pictures import room_svg, room_text, survival_svg, survival_text
from stratagem.fantasy.quick import advise
from stratagem.fantasy.session import Session
from stratagem.fantasy.table import find_item
from stratagem.numbers import whole

HELP = """type the name of the item picked (any clear part of it), or:
  advice            what to take, with what waiting costs
  what-if NAME      your pick of NAME, and how the draft may go on to your next one
  survival NAME..   how long items last, names with commas between
  auto [N]          let the models make the picks up to your next turn, or the next N
  learnt            how the others seem to draft
  undo              take the last pick back
  fix PICK NAME     correct an earlier pick, such as fix 3.05 Some Name
  best [POSITION]   the best available, with their tiers
  roster [TEAM]     who has whom; your own, if no number is given
  board | save FILE | svg FILE | curves FILE NAME.. | help | quit"""


WITH_NAMES = ("curves", "fix", "survival", "what-if")
COMMANDS = (*WITH_NAMES, "advice", "auto", "best", "board", "help", "learnt", "quit", "roster", "save", "svg", "undo")
NAMING = {"what-if", "survival"}  # those that a name follows


class Live(KeptDraft):
    """One session. Every change is saved, so that nothing is lost when the terminal closes."""

    def __init__(self, session: Session, file: Path, seconds: float, as_json: bool) -> None:
        self.session, self.file, self.seconds, self.as_json = session, file, seconds, as_json
        self.last: Advice | None = None  # for what has changed since
        self.learner = Learner(session.room.league, session.team, session.opponents)

    @property
    def opponents(self) -> Believed:
        """What the picks so far say of the others; it starts from what was stated of them."""
        return self.learner.believe(self.room)

    @property
    def likely(self) -> Opponents:
        """One room that may be this one."""
        return self.learner.believe(self.room).scenarios(1, self.session.seed)[0]

    @property
    def room(self) -> Room:
        return self.session.room

    def become(self, room: Room) -> None:
        session = self.session
        self.session = Session(session.table, room, session.team, session.opponents, session.seed)
        self.keep()

    def write(self, file: Path) -> None:
        self.session.save(file)

    @property
    def over(self) -> bool:
        return self.room.over

    def ended(self) -> str:
        if not self.over:
            return self.whereabouts
        look_back = f"look back with: stratagem draft report {self.file}"
        return f"the draft is over; {look_back if self.kept else self.whereabouts}"

    def ask(self) -> str | None:
        """The next line; at a terminal with a prompt, names and commands completed by Tab. None at the end."""
        if not sys.stdin.isatty():
            return sys.stdin.readline() or None
        with contextlib.suppress(ImportError):  # some systems have none: then without completion
            import readline

            readline.set_completer(self.complete)
            readline.set_completer_delims("")
            readline.parse_and_bind("tab: complete")
        try:
            return input(f"{self.where()}> ")
        except EOFError:
            return None

    def complete(self, text: str, number: int) -> str | None:
        """The completion of a line so far, by number: commands, and names of players that are free."""
        word, space, rest = text.partition(" ")
        begin = f"{word} " if space and word in NAMING else ""
        part = (rest if begin else text).casefold()
        free = [item.name for x, item in enumerate(self.room.league.items) if x not in self.room.taken]
        found = [name for name in free if name.casefold().startswith(part)]
        found += [name for name in free if part and name not in found and f" {part}" in f" {name.casefold()}"]
        if not space:
            found = [command for command in COMMANDS if command.startswith(text)] + found
        return begin + found[number] if number < len(found) else None

    def where(self) -> str:
        room = self.room
        you = " (you)" if room.team == self.session.team else ""
        return f"{room.league.pick_name(room.turn)} team {room.team + 1}{you}"

    def due(self) -> None:
        """Say whose turn it is, with advice where it is ours."""
        if self.room.over:
            return
        if self.room.team == self.session.team:
            self.advise()

    def obey(self, line: str) -> bool:
        """Do what a line says; True to leave."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        room = self.room
        if not line:
            return False
        if word in ("quit", "exit"):
            return True
        if word == "help":
            self.say(HELP)
        elif word == "advice":
            self.advise()
        elif word == "learnt":
            belief = self.learner.believe(room)
            self.say("\n".join(belief.words()), learnt=belief.words(), sure=round(belief.sure, 3))
        elif word == "board":
            self.say(room_text(room))
        elif word == "roster":
            self.roster(rest)
        elif word == "best":
            self.best(rest.upper())
        elif word == "undo":
            last = room.picks[-1] if room.picks else None
            self.become(room.undo())
            assert last is not None
            self.say(f"took back {room.league.items[last].name}", undone=room.league.items[last].name)
            self.due()
        elif word == "fix":
            pick, _, name = rest.partition(" ")
            turn = parse_pick(pick, room.league.teams)
            self.become(room.replace(turn, name))
            self.say(f"{room.league.pick_name(turn)} is now {room.league.items[self.room.picks[turn]].name}")
        elif word == "auto":
            self.auto(rest)
        elif word == "what-if":
            self.what_if(rest)
        elif word == "survival":
            self.survival(rest)
        elif word in ("svg", "curves"):
            self.draw(word, rest)
        elif word == "save":
            self.session.save(Path(rest or self.file))
            self.say(f"saved in {rest or self.file}")
        else:
            self.pick(line)
        return False

    def pick(self, text: str) -> None:
        room = self.room
        x = find_item(room.league.items, text)
        item = room.league.items[x]
        where, team = room.league.pick_name(room.turn), room.team
        self.become(room.apply(x))
        self.say(f"{where} team {team + 1} takes {item.name} ({item.position})", pick=where, team=team, item=item.name)
        self.due()

    def auto(self, text: str) -> None:
        room = self.room
        if text and not text.isdecimal():
            raise StratagemError(f"auto takes a number of picks, not {text!r}")
        turn = room.next_turn(self.session.team, room.turn - 1)
        end = room.turn + whole(text) if text else (room.league.turns if turn is None else turn)
        end = min(end, room.league.turns)
        after = answer_now(lambda: draft_on(room, end, self.likely, self.session.seed))
        self.become(after)
        for t in range(room.turn, after.turn):
            item = room.league.items[after.picks[t]]
            where, team = room.league.pick_name(t), room.league.order[t]
            self.say(
                f"{where} team {team + 1} takes {item.name} ({item.position})", pick=where, team=team, item=item.name
            )
        self.due()

    def advise(self) -> None:
        advice = advise(
            self.room, self.session.team, opponents=self.opponents, seconds=self.seconds, seed=self.session.seed
        )
        if self.as_json:
            print(json.dumps(advice.json()), flush=True)
            return
        print(advice_text(self.room, advice))
        changes = changed(self.room, self.last, advice)
        if changes:
            print("since your last look: " + "; ".join(changes))
        self.last = advice

    def what_if(self, text: str) -> None:
        room = self.room
        x = find_item(room.league.items, text)
        if room.team != self.session.team:
            raise StratagemError("what-if is for your own turn; advice says what you may take later")
        then = room.apply(x)
        turn = then.next_turn(self.session.team, then.turn - 1)
        then = draft_on(then, room.league.turns if turn is None else turn, self.likely, self.session.seed)
        names = [room.league.items[y].name for y in then.picks[room.turn + 1 :]]
        self.say(f"then, in one likely room: {', '.join(names)}", what_if=room.league.items[x].name, picks=names)
        if not then.over:
            advice = recommend(then, opponents=self.opponents, seconds=self.seconds, seed=self.session.seed, most=3)
            best = ", ".join(f"{r.name} ({r.position})" for r in advice.recommendations)
            self.say(f"and at {room.league.pick_name(then.turn)} you might take {best}", then=advice.json())

    def survival(self, text: str) -> None:
        items = [find_item(self.room.league.items, name) for name in text.split(",") if name.strip()]
        lasting = self._lasting()
        data = {
            self.room.league.items[x].name: [
                round(lasting.at(x, lasting.begin + u), 4) for u in range(lasting.gone.shape[1] + 1)
            ]
            for x in items
        }
        self.say(survival_text(self.room.league, lasting, items), begin=lasting.begin, survival=data)

    def _lasting(self) -> Survival:
        turns = min(self.room.turn + 3 * self.room.league.teams, self.room.league.turns)
        return survival(
            self.room,
            self.session.team,
            until=turns,
            opponents=self.opponents,
            seed=self.session.seed,
            simulations=2000,
        )

    def draw(self, word: str, rest: str) -> None:
        file, _, names = rest.partition(" ")
        if not file:
            raise StratagemError(f"{word} needs a file to draw into")
        if word == "svg":
            Path(file).write_text(room_svg(self.room), encoding="utf-8")
        else:
            items = [find_item(self.room.league.items, name) for name in names.split(",") if name.strip()]
            if not items:
                raise StratagemError("curves needs names of items, with commas between")
            Path(file).write_text(survival_svg(self.room.league, self._lasting(), items), encoding="utf-8")
        self.say(f"drawn into {file}")

    def best(self, position: str) -> None:
        """The best that are left, of one position or three of each."""
        league = self.room.league
        if position and position not in league.positions:
            raise UnknownName("position", position, league.positions)
        reported: dict[str, list[str]] = {}
        for p in [position] if position else league.positions:
            free = [i for x, i in enumerate(league.items) if p in i.positions and x not in self.room.taken]
            shown = sorted(free, key=lambda i: -i.points)[: 12 if position else 3]
            reported[p] = [f"{i.name} {i.points:.0f}" + (f" (tier {i.tier})" if i.tier else "") for i in shown]
        self.say("\n".join(f"{p:5} {', '.join(names) or 'none left'}" for p, names in reported.items()), best=reported)

    def roster(self, text: str) -> None:
        room, team = self.room, self.session.team
        if text:
            if not text.isdecimal() or not 1 <= whole(text) <= room.league.teams:
                raise StratagemError(f"there is no team {text!r}; teams go from 1 to {room.league.teams}")
            team = int(text) - 1
        points, slots = room.lineup(team)
        items = room.league.items
        lines = [
            f"{'/'.join(slot):12} {items[slots[s]].name if s in slots else '-'}"
            for s, slot in enumerate(room.league.starters)
        ]
        bench = [items[x].name for x in room.roster(team) if x not in slots.values()]
        lines.append(f"{'bench':12} {', '.join(bench) or '-'}")
        self.say(
            "\n".join([*lines, f"line-up: {points:.1f} points"]), roster=[items[x].name for x in room.roster(team)]
        )


def changed(room: Room, before: Advice | None, now: Advice) -> list[str]:
    """What is different from the advice before: who is gone, who is new, whose chance to survive has moved."""
    if before is None or before.turn == now.turn:
        return []
    old = {r.item: r for r in before.recommendations}
    gone = [r.name for r in before.recommendations if r.item in room.taken and r.item not in room.roster(now.team)]
    said = [f"gone: {', '.join(gone)}"] if gone else []
    for r in now.recommendations:
        if r.item not in old:
            said.append(f"{r.name} is new")
        elif abs(old[r.item].survival - r.survival) >= 0.1:
            said.append(f"{r.name} survives {old[r.item].survival:.0%} -> {r.survival:.0%}")
    return said[:6]


def advice_text(room: Room, advice: Advice) -> str:
    """Advice as a table of plain text."""
    now = room.team == advice.team  # else what counts is who is there when the team picks
    after = "the end" if advice.next_turn is None else room.league.pick_name(advice.next_turn)
    lines = [
        f"team {advice.team + 1} at {room.league.pick_name(advice.turn)}; next pick: {after} "
        f"({advice.simulations} simulated drafts a candidate, {advice.seconds:.2f} s)",
        f"{'':3}{'item':24}{'pos':6}{'behind':>8}{'value':>8}{'later':>8}{'waiting':>9}{'survives' if now else 'there':>9}  tier",
    ]
    best = advice.recommendations[0].worth if advice.recommendations else 0.0
    for k, r in enumerate(advice.recommendations):
        tier = f"{r.tier} ({r.tier_left} left)" if r.tier else ""
        lines.append(
            f"{k + 1:2} {r.name[:23]:24}{r.position:6}{best - r.worth:8.1f}{r.value:8.1f}{r.later:8.1f}"
            f"{r.cost_of_waiting:9.1f}{r.survival if now else r.there:9.0%}  {tier}"
        )
    if advice.recommendations:
        top = advice.recommendations[0]
        lines.append(f"{top.name}: {top.reason}")
    return "\n".join([*lines, *(f"! {alert}" for alert in advice.alerts)])
