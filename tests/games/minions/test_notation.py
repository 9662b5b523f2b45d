"""Positions, turns and records as text: they round-trip, and bad text is named and never crashes."""

from __future__ import annotations

import random
import re
import string
from pathlib import Path

import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import GameOver, IllegalMove, OptionError, ParseError, StratagemError, Unlistable
from stratagem.games.minions import GameConfig, GameState, GameTurn, Minions, Techline
from stratagem.games.minions.config import DEFAULT_CONFIG
from stratagem.games.minions.notation import (
    MinionsRecord,
    RecordedTurn,
    deal_text,
    extended_fen,
    fen,
    parse_deal,
    parse_fen,
)
from stratagem.protocols.umi import Engine
from stratagem.rng import generator
from stratagem.testing import conform

CONFIG = GameConfig.parse(DEFAULT_CONFIG)
START = (
    "0|12 0|0 LLLLLLLLLLLLLLLLLLLLLLLLL|LLLLLLLLLLLLLLLLLLLLLLLLL f|I|i|||0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0 "
    "f|I|i|||0/2ZZ6/1ZNZ6/1ZZ7/0/0/7zz1/6znz1/6zz2/0 0 1"
)
LINE = "S,P,W,G,T,H,K,X,A,U,J,V,M,L,O,C,R,Q,B,E,Y,D,1,2,3"


def test_minions_keeps_the_contract():
    conform(stratagem.game("minions", maps="BlackenedShores", plies=40), games=3)
    conform(stratagem.game("minions", plies=12, techline="random:3"), games=1)


def test_moves_are_unlistable_and_parts_build_a_turn():
    position = Minions().start()
    with pytest.raises(Unlistable, match=r"sample.*parts"):
        position.moves()
    parts = position.parts()
    assert parts.complete
    assert {"tech 1", "board 0 move c1c0", "board 1 resign"} <= set(parts.next)
    for part in parts.next:
        position.play(part)
    later = position.parts(["board 0 move c1c0", "tech 1"])
    assert "board 0 move c2c1" in later.next
    assert "tech 1" not in later.next
    with pytest.raises(IllegalMove, match="c1d9"):
        position.parts(["board 0 move c1d9"])


def test_every_part_offered_is_legal():
    rng, tried = generator(4), 0
    position = Minions(maps="MidnightLake", plies=0).start()
    for ply in range(60):
        if position.over:
            position = position.game.start()
        if ply % 6 == 5:
            chosen: list[str] = []
            parts = position.parts(chosen)
            for _ in range(4):
                if not parts.next:
                    break
                chosen.append(parts.next[ply * 7919 % len(parts.next)])
                parts = position.parts(chosen)
                for part in parts.next[:: max(len(parts.next) // 5, 1)]:
                    grown = position.parts([*chosen, part])
                    if grown.complete:
                        assert position.play(";".join([*chosen, part])).history
                        tried += 1
        position = position.play(position.sample(rng))
    assert tried > 100


def test_a_pasted_turn_is_read():
    pasted = "turn\naction tech 1\naction board 0 move c1c0\nendturn"
    after = Minions().start().play(pasted)
    assert after.history == ("tech 1;board 0 move c1c0",)


def test_one_board_needs_no_index():
    after = Minions(maps="AllLand").start().play("move c1c0; move c2c1")
    assert after.history == ("tech 0;board 0 move c1c0;board 0 move c2c1",)


def test_a_finished_game_has_no_turns():
    over = Minions(maps="AllLand").start().play("board 0 resign")
    assert over.over
    assert over.payoff == (-1.0, 1.0)
    with pytest.raises(GameOver):
        over.play("tech 0")


def test_a_game_is_drawn_after_the_limit_of_plies():
    position = Minions(maps="AllLand", plies=2).start().play("tech 0").play("tech 0")
    assert position.over
    assert position.payoff == (0.0, 0.0)


def test_options_choose_the_configuration():
    game = Minions(maps="AllLand,MidnightLake,AllLand", points=2, techline="random:5", money="3|4")
    assert game.config.points == 2
    assert game.config.techline == Techline.randomised(5)
    assert game.start().state.money == (3, 4)
    for options in ({"maps": "Nowhere"}, {"maps": ""}, {"techline": "S,P"}, {"money": "x"}, {"spells": "on"},
                    {"switches": "magic=1"}, {"switches": "hand_limit=x"},
                    {"techline": "random:x"}, {"start_unit": "N"}, {"points": -1}):  # fmt: skip
        with pytest.raises(StratagemError):
            Minions(**options)


# -- the state string


def test_the_start_position_is_written_as_the_protocol_page_says():
    assert fen(GameState.start(CONFIG)) == START
    assert fen(parse_fen(START, CONFIG)) == START


def test_an_empty_board_is_read():
    config = GameConfig.make(("AllLand",))
    text = f"0|0 0|0 {'L' * 25}|{'L' * 25} f|||||0/0/0/0/0/0/0/0/0/0 0 1"
    assert fen(parse_fen(text, config)) == text


def test_split_digits_case_in_zones_and_text_behind_the_ply_are_read():
    config = GameConfig.make(("AllLand",))
    text = f"0|0 0|0 {'L' * 25}|{'L' * 25} n|zs|IZ|||11N16/0/0/0/0/0/0/0/0/0 0 1"
    good = parse_fen(text + " whatever else", config)
    assert fen(good) == f"0|0 0|0 {'L' * 25}|{'L' * 25} n|SZ|iz|||2N7/0/0/0/0/0/0/0/0/0 0 1"


def test_positions_of_play_round_trip():
    rng = generator(11)
    state = GameState.start(CONFIG)
    for _ in range(150):
        state = state.play(state.random_turn(rng))
        assert parse_fen(fen(state), CONFIG) == state
        assert extended_fen(state) == fen(state)
        if state.winner is not None:
            state = GameState.start(CONFIG)


def test_states_in_mid_turn_round_trip_in_the_extended_form():
    rng = generator(12)
    dice = random.Random(12)
    state = GameState.start(CONFIG)
    seen = 0
    for _ in range(80):
        turn = state.random_turn(rng)
        parts = turn.parts()
        some = GameTurn.parse(parts[: dice.randint(1, len(parts))], CONFIG.boards)
        middle = state.during(some)
        text = extended_fen(middle)
        again = parse_fen(text, CONFIG)
        assert again == middle
        assert extended_fen(again) == text
        seen += "pieces=" in text
        assert middle.mid_turn
        state = state.play(turn)
        if state.winner is not None:
            state = GameState.start(CONFIG)
    assert seen > 40


def test_a_turn_goes_on_from_its_middle():
    rng = generator(13)
    game = Minions(plies=0)
    position = game.start()
    for _ in range(40):
        if position.over:
            position = game.start()
        parts = position.sample(rng).split(";")
        middle = game.parse(extended_fen(position.state.during(GameTurn.parse(parts[: len(parts) // 2 + 1], 2))))
        for name in ("random", "greedy"):
            after = middle.play(stratagem.player(game, name).choose(middle, Clock()).move)
            assert after.state.ply == position.state.ply + 1 or after.over
        position = position.play(";".join(parts))


def test_advanced_necromancers_survive_in_the_extended_form_only():
    text = START + " + necromancers=0c2:RangedNecromancer,1h7:ArcaneNecromancer"
    state = parse_fen(text, CONFIG)
    assert state.boards[0]["c2"].unit.name == "RangedNecromancer"
    assert extended_fen(state) == text
    assert fen(state) == START


@pytest.mark.parametrize(("old", "new", "names"), [
    ("0|12", "0|-1", "money"), ("0|12", "0|x", "money"), ("0|12", "7", "money"), ("0|12", "0|99999999999999999999", "money"),
    ("12 0|0", "12 0|0|0", "points"), (" LLL", " LXL", "cards of Yellow"), ("LLL|", "LL|", "cards of Yellow"),
    (" f|I", " q|I", "board 0 state"), (" f|I", " f|N", "reinforcements of Yellow"), ("|i||", "|?||", "reinforcements of Blue"),
    ("|||0/", "|fireball||0/", "spells of Yellow"), ("0/2ZZ6", "2ZZ6", "board 0 position"), ("2ZZ6", "2ZZ7", "board 0 row 1"),
    ("2ZZ6", "2ZZ5", "board 0 row 1"), ("2ZZ6", "2ZF6", "board 0 row 1"), ("2ZZ6", "20ZZ6", "board 0 row 1"),
    ("2ZZ6", "1NZZ6", "necromancers"), (" 0 1", " 2 1", "side"), (" 0 1", " 0 one", "ply"), (" f|I|i|||", " f|I|i||", "board 0"),
    (" 0 1", "", "before field side"), (" 0 1", " 0 1 + what=3", "extension"), (" 0 1", " 0 1 + pieces=0a0:m", "pieces"),
    (" 0 1", " 0 1 + pieces=0c2:a9", "pieces"), (" 0 1", " 0 1 + tech=x", "tech"), (" 0 1", " 0 1 + phases=7a", "phases"),
    (" 0 1", " 0 1 + necromancers=0c1:ArcaneNecromancer", "necromancers"),
])  # fmt: skip
def test_a_bad_state_string_names_the_field(old, new, names):
    with pytest.raises(ParseError, match=names):
        parse_fen(START.replace(old, new, 1), CONFIG)


@pytest.mark.parametrize(("text", "names"), [
    ("", "three"), ("2", "three"), (f"x AllLand {LINE}", "points"), (f"0 AllLand {LINE}", "points"),
    (f"2 Atlantis {LINE}", "map"), (f"2 {LINE} AllLand", "techline"), (f"2 AllLand {LINE[:-2]}", "techline"),
    (f"2 AllLand {LINE.replace('P', 'S')}", "techline"), (f"2 AllLand {LINE.replace('P', 'F')}", "card 1"),
    (f"2 {'AllLand,' * 300}AllLand {LINE}", "boards"), (f"99999999999 AllLand {LINE}", "points"),
])  # fmt: skip
def test_a_bad_configuration_names_the_field(text, names):
    with pytest.raises(StratagemError, match=names):
        GameConfig.parse(text)


@pytest.mark.parametrize(("part", "names"), [
    ("tech", "tech"), ("tech x", "tech"), ("tech 1 x", "tech"), ("board", "board"), ("board 9 move c1c0", "board index 9"),
    ("board x move c1c0", "board index"), ("board 0 jump c1c0", "board action 'jump'"), ("board 0 move c1", "move"),
    ("board 0 move k1c0", "move: hex 'k1'"), ("board 0 move C1c0", "move: hex 'C1'"), ("board 0 spawn Z", "spawn"),
    ("board 0 spawn F c2", "spawn: unit 'F'"), ("board 0 buy", "buy"), ("board 0 setup Z", "setup"),
    ("board 0 resign now please", "resign"), ("board 0 cast fester", "cast fester and a hex"),
    ("board 0 cast sleep e4", "no spell"),
    ("board 0 cast stumble e4", "no pair"), ("board 0 cast terraform lava e4", "no movable terrain"),
    ("board 0 cast doubleCantrip e4", "alone"), ("board 0 discard", "discard"), ("board 0 ability e4 e5", "ability"),
    ("board 0 teleport e4", "teleport"), ("board 0 rise", "rise"), ("give_spell 0", "give_spell"),
    ("give_spell 7 shield", "board index"), ("sell_spell now", "sell_spell alone"), ("buy_spell", "tech"),
    ("move c1c0", "board 0"),
    ("board 0 move_cyclic", "move_cyclic"), ("dance", "no part of a turn"),
])  # fmt: skip
def test_a_bad_part_names_what_is_wrong(part, names):
    with pytest.raises(ParseError, match=names):
        GameTurn.parse(part, 2)


def mangled(text: str, dice: random.Random) -> str:
    """Truncated, doubled, spliced or sprinkled with rubbish."""
    how = dice.randrange(6)
    at = dice.randrange(len(text) + 1)
    rubbish = "".join(dice.choice(string.printable + "½\x00\u0660é|/+;=0") for _ in range(dice.randrange(1, 8)))
    if how == 0:
        return text[:at]
    if how == 1:
        return text[:at] + rubbish + text[at:]
    if how == 2:
        return text[:at] + rubbish + text[at + len(rubbish) :]
    if how == 3:
        return text[:at] * dice.randrange(1, 30)
    if how == 4:
        other = dice.randrange(len(text) + 1)
        return text[min(at, other) : max(at, other)]
    return text[:at] + dice.choice("0|/ +9Zz") * dice.randrange(1, 5000) + text[at:]


def fuzz(profile: str, number: int, seed: int) -> int:
    """Mangled state strings, turns, configurations, deals and protocol lines: each is read or refused; how many are not read."""
    dice, rng = random.Random(seed), generator(seed)
    names = ("ChaosDiamond", "Apocalypse") if profile == "server" else ("BlackenedShores", "MidnightLake")
    config = GameConfig.make(names, profile=profile)
    state = GameState.start(config)
    for _ in range(12):
        state = state.dealt(rng)
        state = state.play(state.random_turn(rng))
    state = state.dealt(rng)
    turn = state.random_turn(rng)
    middle, board = extended_fen(state.during(turn)), state.boards[0]
    engine = Engine()
    if profile != "spooky":
        for line in (f"config {config} {profile}", "setoption name strictmode value false"):
            list(engine.answer(line))
    lines = lambda text: [list(engine.answer(line)) for line in text.split("\n")]  # noqa: E731
    played = f"turn\naction {dice.choice(turn.parts())}\nendturn"
    texts = [
        (middle, lambda t: parse_fen(t, config)), (str(turn), lambda t: state.play(GameTurn.parse(t, 2))),
        (str(config), lambda t: GameConfig.parse(t, profile)), (deal_text(range(1, 28)), lambda t: state.deal(parse_deal(t))),
        (f"position fen {middle}", lambda t: list(engine.answer(t))), (played, lines),
    ]  # fmt: skip
    refused: list[str] = []
    for k in range(number):
        text, read = texts[k % len(texts)]
        try:
            read(mangled(text, dice))
        except StratagemError as error:
            refused.append(str(error))
    assert board.pieces
    assert max(map(len, refused)) < 900
    return len(refused)


@pytest.mark.parametrize("profile", ["spooky", "server", "book"])
def test_fuzzed_positions_turns_and_protocol_lines_are_read_or_refused_in_words(profile):
    assert fuzz(profile, 1500, seed=99) > 500


# -- ends of phases


@pytest.mark.parametrize("profile", ["spooky", "server"])
def test_turns_written_with_ends_of_phases_are_the_same_turns(profile):
    config, rng = GameConfig.make(("BlackenedShores", "MidnightLake"), profile=profile), generator(4)
    state = GameState.start(config)
    for k in range(40):
        state = state.dealt(generator(5, k))
        turn = state.random_turn(rng)
        reported = turn.parts(endphase=True)
        assert GameTurn.parse(reported, 2) == turn
        ends = [part for part in reported if part.endswith("endphase")]
        assert ends == [f"board {b} endphase" for b in range(2) if str(turn).count(f"board {b} resign") == 0]
        state = state.play(turn)
        if state.winner is not None:
            state = GameState.start(config)


def test_an_end_of_a_phase_says_where_a_discard_belongs_and_nothing_of_the_phase_may_follow():
    late = GameTurn.parse("board 0 endphase; board 0 discard fester; board 0 buy Z", 1)
    assert [str(action) for action in late.boards[0]] == ["discard fester", "buy Z"]
    assert GameTurn.parse("endphase; endphase", 1) == GameTurn(boards=((),))
    for text, says in (
        ("endphase; move c1c0", "'move c1c0' comes after endphase"),
        ("buy Z; endphase; endphase; spawn Z c1", "comes after endphase"),
        ("endphase; endphase; endphase", "third time"),
        ("endphase now", "write endphase alone"),
    ):
        with pytest.raises(ParseError, match=says):
            GameTurn.parse(text, 1)


# -- records


def game_record() -> MinionsRecord:
    rng = generator(21)
    state = start = GameState.start(CONFIG)
    record = MinionsRecord(CONFIG, start, ("one", "two"))
    for k in range(6):
        turn = state.random_turn(rng)
        state = state.play(turn)
        record.turns.append(RecordedTurn(turn, 0.25 * k if k else None, "a comment\nof two lines" if k == 2 else ""))
    return record


def test_a_record_replays_and_verifies():
    record = game_record()
    again = MinionsRecord.parse(str(record))
    assert str(again) == str(record)
    assert again.final() == record.final()
    assert again.turns[2].comment == "a comment\nof two lines"
    assert again.turns[3].seconds == 0.75


def test_a_record_keeps_switches_and_leniency():
    config = GameConfig.make(("AllLand",), kill_beats_graveyards=True, start_unit="Z")
    record = MinionsRecord(config, GameState.start(config), lenient=True)
    assert MinionsRecord.parse(str(record)).config.switches == config.switches
    assert MinionsRecord.parse(str(record)).lenient


def test_a_tampered_record_is_refused():
    text = str(game_record())
    for old, new, names in [
        ("minions record 1", "minions record 9", "first line"), ("\nconfig ", "\nconfick ", "unknown"),
        ("\nfinal ", "\nfinal 9", "final position"), ("\nresult *", "\nresult Green", "result"),
        ("\nturn 0.250", "\nturn soon", "time"), ("\nturn 0.500 tech", "\nturn 0.500 tech 9 9 9;tech 9", "turn 3"),
        ("\nplayer 0", "\nplayer 5", "player"),
    ]:  # fmt: skip
        assert old in text
        with pytest.raises(ParseError, match=names):
            MinionsRecord.parse(text.replace(old, new, 1))


def test_fuzzed_records_are_read_or_refused_in_words():
    dice, refused = random.Random(5), []
    text = str(game_record())
    for _ in range(60):
        bad = mangled(text, dice)
        try:
            read = MinionsRecord.parse(bad)
        except StratagemError as error:
            refused.append(str(error))
            continue
        assert str(MinionsRecord.parse(str(read))) == str(read), "what is read can be written and read again"
    assert len(refused) > 30
    assert all(0 < len(words) < 600 for words in refused)


# -- players, the documentation and the drawing


def test_the_example_of_the_games_page_runs(capsys):
    page = (Path(__file__).parents[3] / "docs" / "games" / "minions.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    exec(compile(code, "minions.md", "exec"), {})
    assert capsys.readouterr().out.startswith("(7, 12) ['b1', 'b2', ")


@pytest.mark.parametrize("name", ["easy", "medium:visits=3", "strong:visits=2", "random", "greedy", "answered:turns=2"])
def test_players_play_legal_turns_and_repeat_them_by_seed(name):
    game = Minions(maps="MidnightLake")
    moves = []
    for _ in range(2):
        player = stratagem.player(game, name, seed=3)
        position = game.start()
        for _ in range(6):
            position = position.play(player.choose(position, Clock()).move)
        moves.append(position.history)
    assert moves[0] == moves[1]


def test_greedy_beats_random():
    game = Minions(maps="MidnightLake", plies=120)
    for seed in range(2):
        seats = [stratagem.player(game, name, seed=seed) for name in ("greedy", "random")]
        position = game.start()
        while not position.over:
            side = position.turn
            position = position.play(seats[side ^ (seed % 2)].choose(position, Clock()).move)
        assert position.payoff[seed % 2] == 1.0


def test_the_answered_player_names_the_answers_it_considered():
    choice = stratagem.player(Minions(), "answered:turns=3", seed=1).choose(Minions().start(), Clock())
    assert choice.lines[0].moves[0] == choice.move
    assert len(choice.lines[0].moves) == 2
    with pytest.raises(OptionError):
        stratagem.player(Minions(), "answered:turns=0")


def test_the_drawing_shows_units_graveyards_cards_and_money():
    svg = Minions().parse(START.replace("0|12", "31|17").replace("LLLL", "AULL", 1)).svg()
    for text in ("31 money", "17 money", "Blackened Shores", "Midnight Lake", "Basic Necromancer", "graveyard", "water",
                 'data-part="tech 0 1"', 'data-place="1 h7"', "reinforcements"):  # fmt: skip
        assert text in svg
    assert len(re.findall(r'data-place="[01] [a-j][0-9]"', svg)) == 200
    assert svg.count('data-place="0 I"') == 1  # of the side to move alone
