"""Choices and solutions as HTML tables, which notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stratagem.contract.player import Choice, Solution

MOST_ROWS = 12  # of a mixed strategy


def choice_html(choice: Choice) -> str:
    """Return a choice as HTML: its value and whose it is, the moves compared, and the mixed strategy."""
    work = [choice.engine, *([f"depth {choice.depth}"] if choice.depth is not None else [])]
    work += [f"{choice.nodes:,} nodes"] if choice.nodes is not None else []
    work += [f"{choice.seconds:.2f} s"] if choice.seconds else []
    head = [f"<b>{escape(choice.move)}</b>", _worth(choice.value, choice.seat), escape(", ".join(filter(None, work)))]
    headings = ("move", "value", "error", "visits", "plies to the end", "probability", "then")
    rows = [
        (x.moves[0], x.value, x.error, x.visits, x.moves_to_end, x.probability, " ".join(x.moves[1:]) or None)
        for x in choice.lines
    ]
    mixed = choice.strategy if choice.strategy and all(line.probability is None for line in choice.lines) else {}
    return _page(head, [_table(headings, rows), _mixture("plays", mixed)])


def solution_html(solution: Solution) -> str:
    """Return a solution as HTML: its value and whose it is, the best moves, and a mixed strategy a seat."""
    best = f"best: <b>{escape(', '.join(solution.best))}</b>" if solution.best else ""
    ends = f"{solution.moves_to_end} plies to the end" if solution.moves_to_end is not None else ""
    head = [_worth(solution.value, solution.seat), best, ends]
    mixtures = [_mixture(f"seat {seat} plays", mixture) for seat, mixture in enumerate(solution.strategies)]
    return _page(head, mixtures)


def _worth(value: float | None, seat: int | None) -> str:
    if value is None:
        return ""
    return f"value {value:+.6g}" + ("" if seat is None else f" for seat {seat}")


def _page(head: Iterable[str], tables: Iterable[str]) -> str:
    return f"<div><p>{' · '.join(filter(None, head))}</p>{''.join(tables)}</div>"


def _mixture(title: str, mixture: Mapping[str, float]) -> str:
    items = sorted(mixture.items(), key=lambda item: -item[1])
    shown = _table((title, "probability"), items[:MOST_ROWS])
    return shown if len(items) <= MOST_ROWS else f"{shown}<p>and {len(items) - MOST_ROWS} more</p>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str | float | None]]) -> str:
    """Return a table without the columns that no row fills."""
    if not rows:
        return ""
    filled = [k for k in range(len(headings)) if any(row[k] is not None for row in rows)]
    top = "".join(f"<th>{escape(headings[k])}</th>" for k in filled)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row[k])}</td>" for k in filled) + "</tr>" for row in rows)
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _cell(x: str | float | None) -> str:
    if x is None:
        return ""
    return f"{x:,}" if isinstance(x, int) else f"{x:.6g}" if isinstance(x, float) else escape(x)
