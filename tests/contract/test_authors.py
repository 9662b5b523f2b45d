"""Mistakes that an author of a game makes: each is reported with the file, the kernel and what would be right."""

from pathlib import Path

import pytest

import stratagem
from stratagem.errors import CompileError, OptionError, StratagemError
from stratagem.testing import ConformanceError, conform

NOTAKTO = (Path(__file__).parents[2] / "examples" / "notakto.py").read_text()
MADE = "    s[MADE] += 1\n"


@pytest.fixture
def changed(tmp_path):
    """The tutorial's game with something in it replaced, as a file."""

    def write(before, after):
        assert NOTAKTO.count(before) == 1
        file = tmp_path / "mine.py"
        file.write_text(NOTAKTO.replace(before, after))
        return str(file)

    return write


def test_a_kernel_that_is_missing_is_named_with_its_arguments(changed):
    file = changed("def payoff(", "def payof(")
    with pytest.raises(OptionError, match=r"mine\.py lacks the kernel payoff\(g, s, out\)"):
        stratagem.game(file).start().moves()


def test_a_class_without_a_name_is_reported_so(changed):
    file = changed('    name, title, summary = "notakto", "Notakto", "crosses only; three in a row lose"\n', "")
    with pytest.raises(OptionError, match="the class Notakto lacks `name`"):
        stratagem.game(file)


def test_more_moves_than_said_are_counted(changed):
    file = changed("size, max_moves, max_length = 4, 9, 9", "size, max_moves, max_length = 4, 3, 9")
    with pytest.raises(StratagemError, match="the kernel count of notakto gave 9, and its max_moves is 3"):
        stratagem.game(file).start().moves()


COUNT, TURN = "    return 9 - s[MADE]\n", "    return s[TURN]\n"


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (COUNT, "    9 - s[MADE]\n", "the kernel count of notakto gave nothing: it lacks a return"),
        (
            COUNT,
            "    return (18 - 2 * s[MADE]) / 2\n",
            r"the kernel count of notakto gave 9\.0, no whole number",
        ),
        (TURN, "    s[TURN]\n", "the kernel turn of notakto gave nothing"),
        (TURN, "    return s[TURN] / 1\n", "the kernel turn of notakto gave .* no whole number: write // or int"),
        (
            "                return cell\n",
            "                return cell + 0.4\n",
            r"the kernel move of notakto gave 0\.4",
        ),
    ],
)
def test_a_kernel_that_gives_no_whole_number_is_named(changed, before, after, says):
    file = changed(before, after)
    with pytest.raises(StratagemError, match=says):
        conform(stratagem.game(file), compiled=False)
    if "cell" not in before:
        with pytest.raises(StratagemError, match=says):
            stratagem.game(file).start().moves()


def test_a_float_that_a_state_would_cut_off_does_not_conform(changed):
    file = changed(MADE, "    s[MADE] += 1.5\n")
    with pytest.raises(ConformanceError, match=r"the move '\w\d' writes 1\.5 into cell 2 of the state"):
        conform(stratagem.game(file), compiled=False)


def test_a_class_without_a_size_is_reported_so(changed):
    file = changed("size, max_moves, max_length = 4, 9, 9", "max_moves, max_length = 9, 9")
    with pytest.raises(OptionError, match="the class Notakto lacks `size`"):
        stratagem.game(file).start()


def test_a_file_without_a_game_says_how_to_begin_one(tmp_path):
    (tmp_path / "mine.py").write_text("x = 1\n")
    with pytest.raises(StratagemError, match=r"mine\.py holds no game: .* `stratagem new NAME`"):
        stratagem.game(str(tmp_path / "mine.py"))


def test_a_turn_that_is_no_seat_is_refused(changed):
    file = changed("    s[TURN] = 1 - p\n", "    s[TURN] = 5\n")
    with pytest.raises(StratagemError, match="the kernel turn of notakto gave 5; it gives a seat, 0 to 1"):
        conform(stratagem.game(file), compiled=False)


def test_a_game_longer_than_it_says_does_not_conform(changed):
    file = changed("    s[TURN] = 1 - p\n", "    s[TURN] = p\n    s[CROSSES] = s[MADE] = 0\n")
    with pytest.raises(ConformanceError, match="goes on after the 9 plies that max_length says"):
        conform(stratagem.game(file), compiled=False)


def test_a_payoff_beyond_the_range_names_what_declares_it(changed):
    file = changed("    out[1 - s[LOSER]] = 1.0\n", "    out[1 - s[LOSER]] = 3.0\n")
    with pytest.raises(ConformanceError, match=r"beyond payoff_range, which is \(-1, 1\)"):
        conform(stratagem.game(file), compiled=False)


def test_a_kernel_that_makes_a_list_is_shown_by_its_line(changed):
    file = changed(MADE, MADE + "    seen = []\n    seen.append(m)\n")
    with pytest.raises(
        CompileError, match=r"play of .*mine\.py, at `seen = \[\]`, cannot be compiled: it creates an object"
    ):
        conform(stratagem.game(file))


def test_a_name_that_is_not_defined_is_reported_with_the_file(changed):
    file = changed(MADE, "    s[MAED] += 1\n")
    with pytest.raises(CompileError, match=r"play of .*mine\.py mentions 'MAED'"):
        conform(stratagem.game(file))


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (MADE, MADE + "    s[40] = 1\n", "line 34, in play: IndexError: index 40 is out of bounds"),
        ("        cells = []\n", "        cells = [1 // 0]\n", "in draw: ZeroDivisionError"),
    ],
)
def test_an_error_in_ones_own_code_is_one_line_with_its_place(changed, capsys, before, after, says):
    from stratagem.cli import main

    file = changed(before, after)
    with pytest.raises(SystemExit) as ended:
        main(["draw", file, ""] if "cells" in before else ["play", file, "--seats", "random,random"])
    said = capsys.readouterr().err
    assert ended.value.code == 2 and says in said and "mine.py" in said and len(said.splitlines()) == 1
