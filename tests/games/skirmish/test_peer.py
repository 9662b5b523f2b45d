"""The public test bed as an opponent, without it: a stand-in speaks its driver's words. `benchmarks/bench_skirmish.py` compares
the rules themselves."""

import sys

import pytest

import stratagem
from stratagem.contract.player import Clock
from stratagem.errors import OptionError
from stratagem.kernel import CHANCE
from stratagem.protocols import hero_aicademy as public
from stratagem.rng import generator

ANSWERS = """
for line in sys.stdin:
    word = line.split()[0]
    print("ok" if word == "map" else TURN if word == "think" else "0 1 3 0 0 0 0 0 0", flush=True)
"""


@pytest.fixture
def stand_in(monkeypatch, tmp_path):
    """Make `java` a script, with classes that seem to be where the variable says."""

    def make(code: str, turn: str = "e"):
        for name in public.NEEDED:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).touch()
        java = tmp_path / "java"
        java.write_text(f"#!{sys.executable}\nimport sys, time\nTURN = {turn!r}\n{code}\n")
        java.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv(public.VARIABLE, str(tmp_path))

    return make


def test_actions_and_positions_survive_translation():
    game, rng = stratagem.game("skirmish", map="yard", deck="small"), generator(3)
    words, position = public.Translation(game), game.start(seed=1)
    for _ in range(80):
        if position.turn != CHANCE:
            for m in position.move_numbers():
                assert words.number(words.action_words(m)) == m
        if position.over:
            break
        seat, turn, left, *rest = words.state_words(position).split()
        over = "1" if position.over else "0"
        assert words.parsed(" ".join((seat, turn, left, over, "0", *rest))) == words.ours(position)
        position = position.play(position.sample(rng))


def test_the_public_program_is_asked_for_by_name_and_place(monkeypatch, tmp_path):
    game = stratagem.game("skirmish")
    with pytest.raises(OptionError, match="player is 'genius'; the public program has oe, mcts"):
        stratagem.player(game, "hero-aicademy:player=genius")
    monkeypatch.delenv(public.VARIABLE, raising=False)
    with pytest.raises(public.PublicFault, match=f"variable {public.VARIABLE}.*javac"):
        public.Program(game)
    monkeypatch.setenv(public.VARIABLE, str(tmp_path))
    with pytest.raises(public.PublicFault, match=r"no game/GameState\.class; javac"):
        public.Program(game)


def test_a_missing_java_is_said(stand_in, tmp_path):
    stand_in("")
    (tmp_path / "java").unlink()
    with pytest.raises(public.PublicFault, match="no program java is found"):
        public.Program(stratagem.game("skirmish"))


def test_a_turn_of_the_public_program_is_played_action_by_action(stand_in):
    game = stratagem.game("skirmish")
    position = game.start(seed=1)
    first, second, *_ = (m for m in position.move_numbers() if position.line((m,))[0].startswith("back"))
    words = public.Translation(game)
    stand_in(ANSWERS, f"{words.action_words(first)};{words.action_words(second)};e")
    player = stratagem.player(game, "hero-aicademy:player=mcts")
    for wanted in (*position.line((first, second)), "end"):
        choice = player.choose(position.view(0), Clock(0.01))
        assert (choice.move, choice.engine) == (wanted, "hero-aicademy:mcts")
        position = position.play(choice.move)
    player.close()


def test_an_action_that_is_not_possible_is_no_move(stand_in):
    stand_in(ANSWERS, "u 4 2 5 2")
    game = stratagem.game("skirmish")
    with pytest.raises(public.PublicFault, match="wants 'e3-f3', which is not possible"):
        stratagem.player(game, "hero-aicademy").choose(game.start(seed=1).view(0), Clock(0.01))


def test_a_program_that_dies_says_of_what(stand_in):
    stand_in("sys.exit('Error: LinkageError: made by a more recent version')")
    with pytest.raises(public.PublicFault, match=r"died.*more recent version"):
        public.Program(stratagem.game("skirmish"))


def test_a_program_that_hangs_is_ended(stand_in, monkeypatch):
    stand_in("time.sleep(60)")
    monkeypatch.setattr(public, "GRACE", 0.3)
    with pytest.raises(public.PublicFault, match="no answer in time to 'map"):
        public.Program(stratagem.game("skirmish"))
