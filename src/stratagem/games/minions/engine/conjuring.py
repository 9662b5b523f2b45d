"""A turn by stages under all rules: spells and tiles that act, split moves, necromancers to choose from.

Beside the stages of `stages` there are two. *Spells* decides which of the cards drawn each board takes; the attack and the rest
of a board's turn then know its hand, and their plans cast from it (`sorcery`). *Setup* names the necromancer and the unit kept
where a reset leaves a choice. What the opponent holds is guessed anew whenever a turn is tried, so that no plan rests on it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping
from typing import Any
from zlib import crc32

import numpy as np

from stratagem.games.minions import kernels as rules
from stratagem.games.minions import layout, magic
from stratagem.games.minions.attack.solver import outside_the_model
from stratagem.games.minions.config import GameConfig
from stratagem.games.minions.engine import thinking
from stratagem.games.minions.engine.advisers import Script
from stratagem.games.minions.engine.scratch import Reals
from stratagem.games.minions.engine.sorcery import KEPT
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.engine.techs import bought, tech_words
from stratagem.games.minions.spells import spells
from stratagem.games.minions.state import GameState
from stratagem.games.minions.units import units
from stratagem.kernel import State
from stratagem.rng import Rng, below, generator
from stratagem.search.staged import Context, Generator, Listed, Proposal, Stage

WORLDS = 6  # guesses of what is hidden that a search makes do with
MOST_GIFTS = 32  # ways to hand out spells that are listed
MOST_LOOKED_AT = 5000  # of them, before they are ranked
MOST_KEPT = 4  # units that a setup might keep

Gifts = tuple[tuple[int, ...], ...]  # the cards that each board takes, by number of the spell


def outside(state: GameState) -> str:
    """What of a position's actions the attack solver does not know, in words; empty if it knows all. The cards that boards
    take it is reported, and the compiled plans use teleporters and the steps that are left of a unit's speed."""
    found = {name: None for k in range(state.config.boards) for name in outside_the_model(state, k)}
    found.pop("spells not yet taken", None)
    return f"outside the attack solver, and left to the engine's own plans: {', '.join(found)}" if found else ""


class FullStaging(MinionsStaging):
    """Minions by stages under all rules."""

    def __init__(self, config: GameConfig, options: EngineOptions | None = None, *, target: str = "cpu") -> None:
        super().__init__(config, options, target=target)
        self.dealt = config.switches.spells
        self.certain = not self.dealt
        self.hurried = False  # whether the clock is short

    def _advised(self, target: str) -> Script:
        """As without spells; the interpreter, which is for a few simulations, takes seconds for a look of the prophet."""
        return Script(self) if target == "python" else super()._advised(target)

    # -- the kernels

    def _carried_out(self, turn: State, whole: bool) -> int:
        if not self.config.magical:
            return super()._carried_out(turn, whole)
        return self._ask(thinking.PLAY if whole else thinking.PLAY_SOME, turn=turn)

    def asks_solver(self) -> bool:
        """Where there are spells the solver builds its model in the interpreter: not for a turn of a moment."""
        return super().asks_solver() and not (self.hurried and self.config.magical)

    # -- what is hidden, and chance

    def guess(self, position: State, seat: int, rng: Rng) -> State:
        """One of a few worlds: of all that a seat cannot see, so many guesses. Few, so that answers are met again."""
        return position if not self.dealt else self.world(position, seat, int(below(rng, WORLDS)))

    def world(self, position: State, seat: int, number: int) -> State:
        """What a seat cannot see guessed in one way, the same at each call."""
        scratch = self.scratch()
        scratch.s[:] = position
        self._ask(thinking.GUESS, side=seat, rng=generator(number, int(position[layout.PLY])))
        return scratch.s.copy()

    def imagined(self, position: State) -> State:
        return self.world(position, int(position[layout.SIDE]), 0) if self.dealt else position

    def play(self, position: State, turn: bytes, rng: Rng) -> State:
        """In one world a side is dealt the same cards whatever was played before: turns are compared, not luck."""
        after = super().play(position, turn, rng)
        if self.dealt and after[layout.WINNER] < 0:
            self.scratch().s[:] = after
            self._ask(thinking.DEAL, rng=generator(crc32(position.tobytes())))
            return self.scratch().s.copy()
        return after

    def sample(self, position: State, turn: bytes, seat: int | None, streams: range, seed: int) -> Reals:
        """The value of a turn, with the other side's cards guessed anew each time."""
        if not self.dealt:
            return super().sample(position, turn, seat, streams, seed)
        mover = int(position[layout.SIDE])
        out = np.empty((len(streams), 2))
        for k, stream in enumerate(streams):
            start = position if seat is None else self.guess(position, seat, generator(seed, stream))
            value = self.advisers.turn(start, turn).value
            out[k, mover], out[k, 1 - mover] = value, -value
        return out

    # -- stages

    def stages(self, position: State) -> list[Stage]:
        first, given, setups = [Stage("general", self._general)], tuple[str, ...](), tuple[str, ...]()
        if self.dealt:
            first.append(Stage("spells", self._spells, ("general",), scope=lambda parts: bought(parts["general"])))
            given = ("spells",)
        before = dict.fromkeys(range(self.config.boards), given)
        for k in before:
            if self.setup(position, k):
                first.append(Stage(f"setup {k}", self._setup_maker(k), setups))
                setups = (*setups, f"setup {k}")
                before[k] = (*given, f"setup {k}")
        return self._stages_after(first, before)

    def _shop_key(self, k: int) -> None:
        """Deployments depend on hands and mana too: no two positions share them."""

    def _scope(self, k: int, *, whole: bool = False) -> Callable[[Mapping[str, Any]], Hashable]:
        """What of the parts chosen before matters to board k: its setup and its gift, then also its attack and its dollars."""

        def scope(parts: Mapping[str, Any]) -> Hashable:
            reported = parts.get(f"setup {k}"), parts["spells"][k] if self.dealt else ()
            return (*reported, parts[f"attack {k}"], parts["blotto"][k]) if whole else reported

        return scope

    def _board_key(self, k: int) -> Any:
        at = layout.board_of(k)

        def key(position: State) -> bytes:
            words: bytes = position[at : at + layout.BOARD_SIZE].tobytes()
            if self.dealt:
                hand = int(layout.hand_of(self.g, k, int(position[layout.SIDE])))
                words += position[hand : hand + 1 + position[hand]].tobytes()
            return words

        return key

    def seen(self, context: Context, k: int) -> State:
        """The position with the cards in board k's hand that it takes; without spells, with an empty hand."""
        position: State = context.position
        if not self.dealt:
            return position
        seen, seat = position.copy(), context.seat
        if not self.options.spells:
            seen[int(layout.hand_of(self.g, k, seat))] = 0
        for card in context.parts["spells"][k]:
            magic.add_to_hand(self.g, seen, k, seat, card)
        return seen

    def join(self, position: State, parts: Mapping[str, Any]) -> bytes:
        if not self.dealt:
            return super().join(position, parts)
        n = range(self.config.boards)
        boards = b"".join(parts[f"attack {k}"] + parts[f"spawn {k}"] for k in n)
        return parts["general"] + gift_words(parts["spells"]) + boards

    def most_spells(self, position: State) -> int:
        """As without spells, but no more are bought than the cards known ahead allow."""
        most = super().most_spells(position)
        if not self.dealt:
            return most
        known = int(position[int(layout.deck_of(self.g, int(position[layout.SIDE]))) + layout.KNOWN])
        return min(most, 1 + known - int(position[layout.DRAWN]))

    # -- setups

    def setup(self, position: State, k: int) -> bytes:
        """The setup that looks best: the hardest necromancer that may be chosen, the dearest unit kept."""
        found = self.setups(position, k)
        return found[0] if found else b""

    def setups(self, position: State, k: int) -> list[bytes]:
        """The setups that a board may begin with, the best looking first; none where it needs none."""
        at, side = layout.board_of(k), int(position[layout.SIDE])
        b = position[at : at + layout.BOARD_SIZE]
        if b[layout.MODE] not in (layout.RESET_1, layout.RESET_2) or b[layout.PHASE] != layout.UNTOUCHED:
            return []
        kinds = [u for u in self.config.units if u.necromancer]
        lords = [u for u in kinds if rules.necromancer_for(self.g, position, u.index) == layout.LEGAL]
        lords.sort(key=lambda unit: (-unit.defense, -unit.soul, -unit.range, unit.index))
        zone = b[layout.ZONE + side * layout.TYPES : layout.ZONE + (side + 1) * layout.TYPES]
        kept = sorted(np.flatnonzero(zone).tolist(), key=lambda t: (-units()[t].cost, -t))[:MOST_KEPT] or [-1]
        pairs = itertools.product((u.index for u in lords), kept)
        return [np.array([layout.SETUP, k, 2, lord, keep], np.int64).tobytes() for lord, keep in pairs]

    def _setup_maker(self, k: int) -> Callable[[Context], Generator]:
        def make(context: Context) -> Generator:
            self.played(
                context.position, b"".join(context.parts.values())
            )  # a necromancer is chosen by one board alone
            found = self.setups(self.scratch().s.copy(), k)
            return Listed(found, [1.0 / (1 + i) for i in range(len(found))])

        return make

    def setup_in(self, context: Context, k: int) -> bytes:
        found: bytes = context.parts.get(f"setup {k}", b"")
        return found

    # -- the general, and spells for boards

    def _general(self, context: Context) -> Generator:
        """As without spells; where Thaumaturgy was acquired, the free spell may be sold too."""
        found = super()._general(context)
        sells = self.config.switches.special_cards and rules.may_sell(self.g, context.position) == layout.LEGAL
        return Selling(found) if sells else found

    def _spells(self, context: Context) -> Generator:
        """Who takes which card: the most wanted first, one that a board holds already less."""
        n, position, seat = self.config.boards, context.position, context.seat
        if not self.options.spells:
            return Listed([((),) * n])
        at = int(layout.deck_of(self.g, seat)) + layout.QUEUE
        drawn = position[at : at + position[layout.DRAWN] + bought(context.parts["general"])].tolist()
        hands = [self._hand(position, k, seat) for k in range(n)]
        wanted = [{card: KEPT[card] / (1 + hand.count(card)) for card in {*drawn}} for hand in hands]
        drawn.sort(key=lambda card: -KEPT[card])
        worth: dict[Gifts, float] = {}
        for cards in itertools.islice(itertools.permutations(drawn, n), MOST_LOOKED_AT):
            gifts = tuple((card,) if self._room(hands[k]) else () for k, card in enumerate(cards))
            worth[gifts] = sum(wanted[k][card] for k, card in enumerate(cards))
        if n > 1 and magic.metamagic(self.g, position):
            for k in range(n):
                alone = tuple(tuple(drawn[:n]) if i == k and self._room(hands[k], n) else () for i in range(n))
                worth[alone] = 0.8 * sum(wanted[k][card] for card in drawn[:n])
        best = sorted(worth, key=lambda gifts: -worth[gifts])[:MOST_GIFTS]
        return Listed(best, [math.exp(worth[gifts] - worth[best[0]]) for gifts in best])

    def _room(self, hand: list[int], cards: int = 1) -> bool:
        return len(hand) + cards <= int(self.g[layout.HAND_ROOM])

    def _hand(self, position: State, k: int, seat: int) -> list[int]:
        at = int(layout.hand_of(self.g, k, seat))
        cards: list[int] = position[at + 1 : at + 1 + position[at]].tolist()
        return cards

    # -- for people

    def words(self, position: State, stage: str, part: Any) -> str:
        if stage != "spells":
            return super().words(position, stage, part)
        reported = [
            f"board {k} {', '.join(str(spells()[c - 1]) for c in cards)}" for k, cards in enumerate(part) if cards
        ]
        return "; ".join(reported) or "as they come"


class Selling(Generator):
    """The general's turns, and to sell the free spell in place of placing it."""

    def __init__(self, others: Generator) -> None:
        self.others, self.sold = others, False

    def first(self) -> Proposal | None:
        """The turns as they come, the sale first."""
        if not self.sold:
            self.sold = True
            return Proposal(np.array([layout.SELL, 0, 0, layout.TECH, 0, 0], np.int64).tobytes(), 0.2)
        found = self.others.first()
        return self.first() if found is not None and found.part == tech_words((0, ())) else found

    @property
    def exhausted(self) -> bool:
        return self.sold and self.others.exhausted


def gift_words(gifts: Gifts) -> bytes:
    """The words with which boards take their cards."""
    words = [x for k, cards in enumerate(gifts) for card in cards for x in (layout.GIVE, k, 1, card)]
    return np.array(words, np.int64).tobytes()
