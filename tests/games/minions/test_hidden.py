"""Hands and decks are each side's own: views, guesses, records with chance, and what people and programs see of them."""

from __future__ import annotations

import io
import pickle
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from references.minions_positions import LOCKED, rows

import stratagem
from stratagem import CHANCE
from stratagem.contract.player import Clock
from stratagem.errors import IllegalMove, ParseError
from stratagem.games.minions import GameConfig, GameState, GameTurn, Minions, layout
from stratagem.games.minions import kernels as rules
from stratagem.games.minions.attack import attacks
from stratagem.games.minions.maps import hex_index
from stratagem.games.minions.notation import MinionsRecord, extended_fen, parse_fen
from stratagem.games.minions.perft import perft
from stratagem.games.minions.sampling import random_turn
from stratagem.games.minions.spells import spells
from stratagem.games.minions.turns import specialised
from stratagem.protocols.umi import Engine, match, serve
from stratagem.rng import generator
from stratagem.testing import conform

RECORDS = Path(__file__).parent / "records"
KEYS = [spell.key for spell in spells()]


def played(game: Minions, plies: int, seed: int):
    """A position some way into a random game, somebody to move."""
    position, rng = game.start(), generator(seed)
    while (len(position.history) < plies or position.turn == CHANCE) and not position.over:
        position = position.play(position.sample(rng))
    return position


@pytest.fixture(scope="module")
def game():
    return Minions(profile="server", maps="ChaosDiamond,SorcerersLair", plies=0)


# -- the contract


def test_the_server_keeps_the_contract():
    conform(stratagem.game("minions", profile="server", maps="TreacherousPathways", plies=14), games=1)
    conform(stratagem.game("minions", profile="server", maps="Apocalypse,TreacherousPathwaysMist", plies=6), games=1)
    conform(stratagem.game("minions", profile="server", maps="ChaosDiamond", spells="off", plies=10), games=1)


def test_the_book_keeps_the_contract():
    conform(
        stratagem.game("minions", profile="book", maps="RiverStyx,MidnightLake", plies=20, techline="random:4"), games=1
    )


def test_chance_deals_before_every_turn(game):
    position = game.start()
    assert position.turn == CHANCE
    assert position.asked == ()
    dealt = position.play(position.sample(generator(3)))
    assert dealt.turn == 0
    assert dealt.history[0].startswith("deal ")
    assert game.start(seed=5) == game.start(seed=5) != game.start(seed=6)
    for wrong in ("deal", "deal fester", "deal sleep", "tech 0", dealt.history[0] + " fester"):
        with pytest.raises((IllegalMove, ParseError)):
            position.play(wrong)
    with pytest.raises(IllegalMove, match="spells are dealt"):
        position.parts((), 0)


# -- views


def test_a_view_shows_ones_own_cards_and_the_backs_of_the_others(game):
    position = played(game, 30, seed=1)
    for seat in range(2):
        view = position.view(seat)
        for mine, board in zip(position.state.boards, view.state.boards, strict=True):
            assert board.hand(seat) == mine.hand(seat)
            assert set(board.hand(1 - seat)) <= {"unknown"}
            assert len(board.hand(1 - seat)) == len(mine.hand(1 - seat))
        assert view.state.known(seat) == position.state.known(seat)
        assert set(view.state.known(1 - seat)) <= {"unknown"}
        assert game.parse(str(view)).state == view.state
        assert pickle.loads(pickle.dumps(view)) == view
        assert view.turn == position.turn
    nobody = position.view(None)
    assert not any(set(board.hand(side)) - {"unknown"} for board in nobody.state.boards for side in range(2))


def test_the_record_of_a_view_tells_what_was_seen_alone(game):
    position = played(game, 40, seed=2)
    true, reported = position.history, position.view(0).history
    assert len(true) == len(reported)
    side = 0
    for text, shown in zip(true, reported, strict=True):
        if side == 0:
            assert shown == text
        elif text.startswith("deal"):
            assert set(shown.split()[1:]) == {"unknown"}
        else:
            gifts = [part.split()[2] for part in shown.split(";") if part.startswith("give_spell")]
            assert set(gifts) <= {"unknown"}
            assert [p for p in text.split(";") if "give" not in p] == [p for p in shown.split(";") if "give" not in p]
        side = side if text.startswith("deal") else 1 - side


def test_a_view_goes_on_with_the_game_as_the_true_position_does(game):
    position = played(game, 24, seed=3)
    text = position.sample(generator(8))
    assert position.view(position.turn).play(text).state == position.play(text).state.hidden_from(position.turn)


def test_the_drawing_and_the_words_of_a_view_hold_no_card_of_the_other_side():
    game = Minions(profile="server", maps="AllLand", plies=0)
    text = (
        "5|5 0|0 LLLLLLLLLLLLLLLLLLLLLLLLL|LLLLLLLLLLLLLLLLLLLLLLLLL n|||sunder,dismember|fester,weaken|"
        "0/0/2N7/4Z5/0/0/0/7n2/0/0 0 9 + pieces=0e3:f ahead=0:shield.normalize.terraform,1:cleave.shackle drawn=2"
    )
    position = game.parse(text)
    for seat, secret, shown in (
        (0, "Weaken Cleave Shackle", "Sunder Shield"),
        (1, "Sunder Normalize", "Weaken Cleave"),
    ):
        seen = position.view(seat).svg() + position.view(seat).text_art()
        assert not [word for word in secret.split() if word in seen or f"{word.lower()}" in seen.split()], seat
        assert all(word in seen for word in shown.split())
    assert "frozen" in position.svg()


def test_a_turn_is_reported_in_words_and_secrets_are_not():
    game = Minions(profile="server", maps="AllLand", plies=0)
    text = (
        "5|5 0|0 LLLLLLLLLLLLLLLLLLLLLLLLL|LLLLLLLLLLLLLLLLLLLLLLLLL n|||sunder,fester||"
        "0/0/2N7/4Wz4/4z5/0/0/7n2/0/0 0 9 + ahead=0:shield.normalize drawn=2"
    )
    turn = "tech 1;give_spell 0 shield;board 0 attack e3f3;board 0 cast sunder e4;board 0 cast shield e3"
    reported = game.describe(game.parse(text), turn, 0)
    assert reported == (
        "unlocks Skeleton; board 0 takes Shield; board 0: Warg e3 attacks Zombie f3, who dies, "
        "casts Sunder on Zombie e4, who dies, casts Shield on Warg e3"
    )
    assert "takes a spell" in game.describe(game.parse(text), turn, 0, viewer=1)
    start = game.start()
    deal = start.sample(generator(1))
    assert game.describe(start, deal, CHANCE, viewer=1) == "Yellow is shown 12 cards"
    assert game.describe(start, deal, CHANCE, viewer=0).count(",") == 11


def test_parts_of_a_view_are_legal_in_the_true_position(game):
    position = played(game, 28, seed=4)
    side = position.turn
    parts = position.view(side).parts((), side)
    assert any(part.startswith("give_spell") for part in parts.next)
    for part in parts.next[:: max(len(parts.next) // 25, 1)]:
        position.parts([part], side)
    spelled = [part for part in parts.next if " cast " in part or " discard " in part]
    for part in spelled[:20]:
        position.parts([part], side)


def test_positions_with_modifiers_round_trip_between_turns_and_within_them():
    config = GameConfig.make(
        ("TreacherousPathways", "ChaosDiamond"), profile="server", rare_spells=2, ability_once=True
    )
    state, rng, dice, charmed = GameState.start(config), generator(6), random.Random(6), 0
    for _ in range(60):
        assert parse_fen(extended_fen(state), config) == state
        state = state.dealt(rng)
        turn = state.random_turn(rng)
        parts = turn.parts()
        middle = state.during(GameTurn.parse(parts[: dice.randint(1, len(parts))], config.boards))
        for each in (state, middle, middle.hidden_from(0)):
            again = parse_fen(extended_fen(each), config)
            assert again == each
            assert again.key() == each.key()
        charmed += any(piece.spells.names for board in middle.boards for _, piece in board)
        state = state.play(turn)
        if state.winner is not None:
            state = GameState.start(config)
    assert charmed > 20


# -- guesses


def test_a_guess_keeps_what_is_seen_and_draws_the_rest_from_what_can_be(game):
    position = played(game, 60, seed=5)
    view, rng = position.view(1), generator(1)
    hands = set()
    for _ in range(20):
        guess = view.guess(1, rng)
        assert guess.state.hidden_from(1) == view.state
        assert "unknown" not in str(guess)
        hands.add(guess.state.boards[0].hand(0))
        for spell in spells():
            at = int(layout.unknown_at(game.config.ground, 0)) + spell.number
            assert 0 <= guess.state.array[at] <= spell.copies
        given = int(guess.state.array[layout.given_at(game.config.ground, 0)])
        counts = guess.state.array[int(layout.unknown_at(game.config.ground, 0)) :][1:28]
        assert counts.sum() == -given % 86
    assert len(hands) > 1


def test_a_first_deck_is_guessed_without_a_card_too_many(game):
    position = played(game, 14, seed=6)
    seen = position.state.array[int(layout.seen_at(game.config.ground, 0)) :][:28]
    for seed in range(10):
        guess = position.view(1).guess(1, generator(seed)).state
        held = Counter(word for board in guess.boards for word in board.hand(0)) + Counter(guess.known(0))
        for spell in spells():
            left = guess.array[int(layout.unknown_at(game.config.ground, 0)) + spell.number]
            assert held[spell.key] + left + seen[spell.number] <= spell.copies


def test_guesses_follow_the_numbers_of_the_cards(game):
    position = played(game, 4, seed=7)
    rng, counts = generator(2), Counter()
    for _ in range(150):
        counts.update(position.view(1).guess(1, rng).state.known(0))
    common = sum(counts[key] for key in ("fester", "unsummon", "reposition", "shield", "stumble"))
    assert 0.5 < common / counts.total() < 0.66  # 50 of 86


@pytest.mark.slow
@pytest.mark.timeout(1200)  # a minute of compilation alone, and more on a busy machine
def test_interpreted_and_compiled_rules_agree_on_turns_with_spells():
    config = GameConfig.make(("ChaosDiamond",), profile="server", points=2, rare_spells=2)
    state, rng, twin = GameState.start(config), generator(1), generator(1)
    fast, finish = specialised(random_turn, "cpu", True), specialised(rules.play_turn, "cpu", True)
    out, copy = np.zeros(20000, np.int64), np.zeros(20000, np.int64)
    for ply in range(60):
        state = state.dealt(generator(ply))
        n = int(specialised(random_turn, "python", True)(config.ground, state.array.copy(), rng, out))
        m = int(fast(config.ground, state.array.copy(), twin, copy))
        assert n == m
        assert np.array_equal(out[:n], copy[:m])
        after = state.array.copy()
        assert finish(config.ground, after, out[:n].copy(), n) == 0
        state = state.play(GameTurn.from_words(out[:n], config.boards))
        assert np.array_equal(state.array, after)
        if state.winner is not None:
            state = GameState.start(config)


# -- players, records, the protocol


@pytest.mark.parametrize(
    ("profile", "maps"), [("server", "Apocalypse"), ("server", "ChaosDiamond,AllLand"), ("book", "Puddles")]
)
@pytest.mark.parametrize("name", ["random", "greedy", "answered:turns=2", "greedy:spells=false"])
def test_players_play_every_profile(profile, maps, name):
    game = Minions(profile=profile, maps=maps, plies=12)
    seats = [stratagem.player(game, name, seed=seed) for seed in range(2)]
    record = match(game, seats, Clock(), plies=12, seed=3)
    assert not record.reason.startswith(("Yellow forfeits", "Blue forfeits")), record.reason
    assert len(record.turns) == 12 or record.result != "draw"
    again = MinionsRecord.parse(str(record))
    assert again.final() == record.final()
    if profile == "server":
        assert all(item.dealt for item in again.turns)


def test_scripts_without_spells_cast_none():
    game = Minions(profile="server", maps="MidnightLake", plies=40)
    seats = [stratagem.player(game, name, seed=1) for name in ("greedy", "greedy:spells=false")]
    record = match(game, seats, Clock(), seed=1)
    casts = [sum(a.kind == "cast" for board in item.turn.boards for a in board) for item in record.turns]
    assert sum(casts[::2]) > 3
    assert sum(casts[1::2]) == 0


@pytest.mark.parametrize("name", ["before_spells.txt", "before_spells_random.txt"])
def test_records_from_before_spells_replay(name):
    text = (RECORDS / name).read_text()
    record = MinionsRecord.parse(text)
    assert len(record.turns) >= 20
    assert str(record) == text


def test_a_record_with_a_wrong_deal_is_refused():
    game = Minions(profile="server", maps="MidnightLake", plies=6)
    text = str(match(game, [stratagem.player(game, "random")] * 2, Clock(), seed=1))
    for old, new, names in [
        ("chance deal", "chance shuffle", "chance deals"),
        ("chance deal", "chance deal fester", "turn 1"),
    ]:
        with pytest.raises(ParseError, match=names):
            MinionsRecord.parse(text.replace(old, new, 1))


def test_a_record_keeps_switches_that_differ_from_the_profile():
    config = GameConfig.make(("AllLand",), profile="server", start_unit="I", spells=False, ability_once=True)
    again = MinionsRecord.parse(str(MinionsRecord(config, GameState.start(config))))
    assert again.config == config


def test_the_protocol_plays_with_spells():
    engine = Engine(seed=4)
    say = lambda line: list(engine.answer(line))  # noqa: E731
    say(f"config 1 Apocalypse {','.join(engine.config.techline.letters)} server")
    assert "option name spells type bool default true" in say("umi")
    say("position startpos")
    say("turn spells fester shield")
    for action in ("tech 1", "give_spell 0 shield", "board 0 move c1c0", "board 0 cast shield c0", "board 0 rise j0"):
        say(f"action {action}")
    say("endturn")
    (text,) = say("getfen")
    assert "0c0:b1h" in text
    assert "seen=0:shield1" in text
    info = say("play nodes 2 spells stumble,weaken")
    assert info[-1].startswith("endturn")
    assert any(line.startswith("action give_spell 0") for line in info)
    say("setoption name spells value false")
    assert not engine.config.switches.spells
    for wrong in ("turn spells fester", "turn spells fester sleep", "go spells a,b"):
        engine.configure(f"1 Apocalypse {','.join(engine.config.techline.letters)} server")
        with pytest.raises(ParseError):
            say(wrong)


def test_the_protocol_refuses_spells_in_a_profile_without():
    sink, errors = io.StringIO(), io.StringIO()
    source = io.StringIO("setoption name spells value true\n")
    assert serve(source, sink, errors) == 2
    assert "no spells" in errors.getvalue()


def test_an_engine_in_a_process_plays_with_spells_it_alone_may_see():
    game = Minions(profile="server", maps="MidnightLake", plies=4)
    engine = stratagem.player(game, "umi", seed=1)
    record = match(game, [engine, stratagem.player(game, "greedy", seed=2)], Clock(0.05), seed=5)
    engine.close()
    assert len(record.turns) == 4, record.reason


# -- perft


def undealt(pieces: str, marks: str = "", terrain: str = "", **switches: object) -> GameState:
    """A position of one board before spells are dealt."""
    men = {hex_index(word[1:]): word[0] for word in pieces.split()}
    extra = (f" pieces={marks}" if marks else "") + (f" terrain={terrain}" if terrain else "")
    fen = f"0|0 0|0 {LOCKED}|{LOCKED} n|||||{rows(men)} 0 9"
    config = GameConfig.make(("AllLand",), profile="server", **switches)
    return parse_fen(f"{fen} +{extra}" if extra else fen, config)


def count(pieces: str, marks: str = "", terrain: str = "") -> int:
    return perft(undealt(pieces, marks, terrain).boards[0])


def test_perft_counts_spells_on_units():
    free = count("We4 zg4")
    assert free > 2
    assert count("We4 zg4", "0e4:f") == 1  # frozen: only the empty turn
    assert count("We4 zg4", "0e4:w1") == 1  # weakened to nothing
    assert count("We4 zg4", "0e4:l") == 1  # lumbering, and not in range
    assert count("We4 zf4", "0e4:l") == 2  # it attacks from where it stands
    assert count("We4 zg4", "0e4:c") == count("Ve4 zg4") < free  # one step of speed
    assert count("We4 zg4", "0g4:b1") == 1  # two defense against one damage
    assert count("We4 zg4", "0g4:h") == free  # soulbound: it goes home, a turn all the same


def test_perft_counts_movable_terrain():
    assert count("Ze3 zg3") == 1
    assert count("We4 zg4", terrain="0:floodf4") < count("We4 zg4")
    assert count("Xe4 zg4", terrain="0:floodf4") == count("Xe4 zg4")  # it flies


# -- the attack stage


def test_attacks_know_the_spells_that_lie_on_units():
    assert attacks(undealt("We4 zg4 Nc2 nh7")).possible
    free = attacks(undealt("We4 zf4 Nc2 nh7"), remove=["f4"])
    assert free.plans[0].killed == (45,)
    bound = attacks(undealt("We4 zf4 Nc2 nh7", "0f4:h"), remove=["f4"])
    assert bound.plans[0].unsummoned == (45,)


def test_where_the_model_does_not_know_an_action_impossible_is_not_said():
    for marks in ("0e4:f", "0e4:w1", "0g4:b1"):
        found = attacks(undealt("We4 zg4 Nc2 nh7", marks), remove=["g4"])
        assert found.possible is None
        assert not found.exhausted
        assert "spells" in found.undecided
    plain = {"spells": False, "split_moves": False}
    assert attacks(undealt("We4 zh7 Nc2 ng9", **plain), remove=["h7"]).possible is False
