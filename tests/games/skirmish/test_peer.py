"""The words between us and the public test bed, without it; `benchmarks/bench_skirmish.py` compares the rules themselves."""

from pathlib import Path

import pytest

import stratagem
from stratagem.errors import StratagemError
from stratagem.kernel import CHANCE
from stratagem.rng import generator


@pytest.fixture
def peer(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[3]))
    from benchmarks.peers import hero_aicademy

    return hero_aicademy


def test_actions_and_positions_survive_translation(peer):
    game, rng = stratagem.game("skirmish", map="yard", deck="small"), generator(3)
    words, position = peer.Translation(game), game.start(seed=1)
    for _ in range(80):
        if position.turn != CHANCE:
            for m in position.move_numbers():
                assert words.number(words.action_words(m)) == m
        if position.over:
            break
        seat, turn, left, *rest = words.state_words(position).split()
        over = "1" if position.over else "0"
        assert words.told(" ".join((seat, turn, left, over, "0", *rest))) == words.ours(position)
        position = position.play(position.sample(rng))


def test_the_public_program_is_asked_for_by_name_and_place(peer, monkeypatch, tmp_path):
    game = stratagem.game("skirmish")
    with pytest.raises(StratagemError, match="has no player 'genius'"):
        peer.Theirs(game, "genius")
    monkeypatch.delenv(peer.VARIABLE, raising=False)
    with pytest.raises(StratagemError, match=f"variable {peer.VARIABLE}"):
        peer.Program(game)
    monkeypatch.setenv(peer.VARIABLE, str(tmp_path))
    with pytest.raises(StratagemError, match="GameState"):
        peer.Program(game)
