"""What the page on whole turns says of a file of results: who is ahead, in words that claim no more than was seen."""

import json

import pytest

import stratagem
from benchmarks.strength import whole_turns as w

AT = (0.1, None)


def lines(ground, baseline, scores, ours=w.STAGED, seconds=0.1):
    """Pairs of games as a run writes them; a score is that of a pair, from 0 to 2."""
    return [
        {
            "ground": ground,
            "baseline": baseline,
            "seconds": seconds,
            "nodes": None,
            "ours": ours,
            "pair": k,
            "scores": [min(x, 1.0), x - min(x, 1.0)],
            "leads": [None, None],
        }
        for k, x in enumerate(scores)
    ]


def read_back(path, *found):
    path.write_text("".join(json.dumps(line) + "\n" for part in found for line in part))
    return w.read(path)[0]


WON, LOST, LEVEL = [2.0, 2.0, 1.0] * 8, [0.0, 0.0, 1.0] * 8, [1.0, 2.0, 0.0] * 8


def test_it_is_said_against_whom_search_by_stages_is_ahead_undecided_and_behind(tmp_path):
    tests = read_back(
        tmp_path / "r",
        lines("asmacag-9", "oep", LEVEL),
        lines("asmacag-9", "naive", WON),
        lines("asmacag-9", "tbets", LOST),
        lines("asmacag-9", "oe", WON[:3]),
    )
    reported = w.standing(tests, w.GROUNDS["asmacag-9"], AT)
    assert reported.startswith("**ASMACAG, 9 actions, 0.1 s a turn**: search by stages met 3 of 13 baselines. ")
    assert "It is ahead of 1: `naive`. It is undecided against 1: `oep`. It is behind 1: `tbets`." in reported
    assert "Better here: `tbets`." in reported and "best" not in reported
    assert "Not met often enough: `greedy-action`" in reported and "`oe`" in reported.partition("often enough")[2]


def test_best_is_said_only_where_every_baseline_is_beaten_beyond_its_interval(tmp_path):
    ground = w.GROUNDS["risk-2"]
    known = [baseline for baseline in w.BASELINES if baseline in stratagem.registry.players(ground.rules(0))]
    assert "greedy-turn" not in known
    won = [lines("risk-2", baseline, WON) for baseline in known]
    reported = w.standing(read_back(tmp_path / "a", *won), ground, AT)
    assert (
        f"search by stages met all {len(known)} baselines." in reported and "It is the best of them here." in reported
    )
    assert not [words for words in ("undecided", "behind", "Not met") if words in reported]
    for other, words in ((LEVEL, "So it is not called the best here."), (LOST, f"Better here: `{known[0]}`.")):
        reported = w.standing(read_back(tmp_path / "b", lines("risk-2", known[0], other), *won[1:]), ground, AT)
        assert words in reported and "is the best" not in reported
    reported = w.standing(read_back(tmp_path / "c", *won[1:]), ground, AT)
    assert "So it is not called the best here." in reported and f"Not met often enough: `{known[0]}`." in reported


@pytest.mark.parametrize("number", [1, 2, 5])
def test_few_pairs_say_nothing_however_they_ended(tmp_path, number):
    tests = read_back(tmp_path / "r", lines("asmacag-9", "oep", [2.0] * number))
    assert "too few pairs were played" in w.standing(tests, w.GROUNDS["asmacag-9"], AT)
    assert w.cell(tests[w.Key("asmacag-9", "oep", *AT)]) == f"100 % of {number} pairs, too few"
    assert w.places(tests) == []


def test_a_cell_shows_its_interval_and_who_is_ahead(tmp_path):
    tests = read_back(
        tmp_path / "r",
        *(lines("asmacag-9", baseline, x) for baseline, x in (("oe", WON), ("oep", LOST), ("emcts", LEVEL))),
    )
    won, lost, level = (w.cell(tests[w.Key("asmacag-9", baseline, *AT)]) for baseline in ("oe", "oep", "emcts"))
    assert won.startswith("**83 % ± ") and won.endswith("24 pairs")
    assert lost.startswith("_17 % ± ") and level.startswith("50 % ± ")
    mean, half = tests[w.Key("asmacag-9", "oe", *AT)].score()
    assert mean == pytest.approx(5 / 6) and half == pytest.approx(1.96 * 0.236 / 24**0.5, rel=0.06)


def test_every_baseline_has_its_place_in_a_table(tmp_path):
    tests = read_back(
        tmp_path / "r",
        lines("asmacag-9", "oep", LOST),
        lines("minions-1", "oep", WON),
        lines("asmacag-9", "oe", LEVEL),
        lines("asmacag-9", "oe", WON, ours="oep"),
    )
    reported = "\n".join(w.places(tests))
    assert (
        "| `oep` | ASMACAG, 9 actions (0.1 s) |  | Minions, 1 board (0.1 s) | number 1 of 3 in ASMACAG, 9" in reported
    )
    assert "| `oe` |  | ASMACAG, 9 actions (0.1 s) |  | number" in reported and "`naive`" not in reported


def test_the_page_holds_the_lines_before_the_tables(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n<!-- baselines -->\n<!-- end of baselines -->\nmeasured\n<!-- results -->\nstale\n<!-- end of results -->\nend\n"
    )
    monkeypatch.setattr(w, "PAGE", page)
    monkeypatch.setattr(w, "ROOT", tmp_path)
    results = tmp_path / "r"
    read_back(results, lines("asmacag-9", "oep", WON), lines("minions-1", "oep", LEVEL))
    w.write(results)
    text = page.read_text()
    text = text[text.index("measured") :]
    order = [
        "### Who is ahead",
        "- **Minions, 1 board",
        "- **ASMACAG, 9 actions",
        "| against |",
        "| `oep` |",
        "<!-- end",
    ]
    assert sorted(order, key=text.index) == order and "stale" not in text and "### The place of each baseline" in text
    assert capsys.readouterr().out.startswith("wrote page.md")
