"""Records of Minions' self-play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions import GameState, GameTurn
from stratagem.games.minions.engine.stages import EngineOptions, MinionsStaging
from stratagem.games.minions.networks.features import FEATURES
from stratagem.games.minions.networks.learning import MinionsPlan
from stratagem.games.minions.networks.records import (
    MOST_TURNS,
    Record,
    SelfPlay,
    narrow,
    play_game,
    read_records,
    record_bytes,
)
from stratagem.games.minions.networks.sights import Looker
from stratagem.networks.selfplay import keep_part, part_file
from stratagem.rng import generator

pytest.importorskip("pyarrow")
QUICK = SelfPlay(games=4, part=2, visits=4, opening=40, astray=0.5)


@pytest.fixture(scope="module")
def rows() -> list[Record]:
    return play_game(QUICK, 4)


def same(a: Record, b: Record) -> bool:
    plain = ("config", "mover", "turns", "played", "game", "ply", "result")
    arrays = ("position", "visits", "values")
    return all(getattr(a, x) == getattr(b, x) for x in plain) and all(
        np.array_equal(getattr(a, x), getattr(b, x)) for x in arrays
    )


def test_a_game_follows_from_its_number(rows: list[Record]) -> None:
    again = play_game(QUICK, 4)
    assert len(again) == len(rows) > 0 and all(map(same, rows, again))
    assert not all(map(same, rows, play_game(QUICK, 5)))


def test_records_are_read_as_they_were_written(rows: list[Record], tmp_path: Path) -> None:
    keep_part(tmp_path, 0, record_bytes(rows))
    back = list(read_records(tmp_path))
    assert len(back) == len(rows) and all(map(same, rows, back))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["part-00000.parquet"]


def test_every_turn_looked_at_is_legal_and_leads_to_the_next_row(rows: list[Record]) -> None:
    staging = MinionsStaging(rows[0].config, EngineOptions(solver=False))
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        assert len(row.turns) == len(row.visits) == len(row.values) <= MOST_TURNS and row.mover == row.position[0]
        assert all(staging.played(row.position, turn, whole=True) == 0 for turn in row.turns)
        assert row.value == row.values[0] and -1 <= row.value <= 1
        if following is not None:
            assert np.array_equal(staging.play(row.position, row.turn, generator(0)), following.position)
            assert following.result == -row.result or row.mover == following.mover


def test_with_spells_a_row_shows_what_the_mover_sees_and_the_oracle_learns_from_it() -> None:
    found = play_game(replace(QUICK, profile="server", opening=12), 1)
    assert found[0].config.profile == "server" and found[0].config.switches.spells
    looker = Looker()
    for row in found[:6]:
        state = GameState(row.config, row.position)
        assert np.array_equal(state.hidden_from(row.mover).array, row.position)
        assert all(
            state.allows(GameTurn.from_words(np.frombuffer(turn, np.int64), state.config.boards)) for turn in row.turns
        )
        sight = looker.look(row, row.turn)
        assert sight is None or (
            min(sight[0]) >= 0 and max(sight[0]) < FEATURES and sight == looker.look(row, row.turn)
        )
    with pytest.raises(OptionError, match="games without spells"):
        MinionsPlan("minions", recipe=replace(QUICK, profile="server"), networks=("prophet",))


def test_a_damaged_part_is_reported(rows: list[Record], tmp_path: Path) -> None:
    with pytest.raises(StratagemError, match="no parts of self-play"):
        list(read_records(tmp_path))
    keep_part(tmp_path, 0, record_bytes(rows))
    whole = part_file(tmp_path, 0).read_bytes()
    part_file(tmp_path, 0).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StratagemError, match="is no whole part of Minions' self-play"):
        list(read_records(tmp_path))


def test_what_cannot_be_played_or_written_is_reported() -> None:
    with pytest.raises(OptionError, match="1 simulations a turn"):
        SelfPlay(visits=1)
    with pytest.raises(StratagemError, match="word 40000"):
        narrow(np.array([40000], np.int64).tobytes())
