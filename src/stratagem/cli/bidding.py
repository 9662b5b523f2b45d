"""`stratagem bidding`: the theory of bidding games with real-valued money."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from stratagem.cli.options import answer_lines, print_answer
from stratagem.contract.game import ArrayPosition, Position
from stratagem.errors import OptionError

app = typer.Typer(add_completion=False, no_args_is_help=True, help="Bidding games with real-valued money.")


@app.callback()
def _root() -> None:
    """Bidding games with real-valued money; chips are solved by `stratagem solve bidding`."""


@app.command()
def threshold(
    position: Annotated[str | None, typer.Argument(help="a board, or - for one a line on standard input")] = None,
    over: Annotated[str, typer.Option(help="the base game, its options behind a colon: hex:size=5")] = "tictactoe",
    payment: Annotated[str, typer.Option(help="richman, poorman or taxman:T")] = "richman",
    chips: Annotated[int | None, typer.Option(help="chips in all, to print the least purses too (richman)")] = None,
    playouts: Annotated[
        int, typer.Option(help="playouts of an estimate, where there are too many boards to list")
    ] = 20_000,
    seed: Annotated[int, typer.Option(help="seed of the estimates")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object a line")] = False,
) -> None:
    """Compute the share of all money with which the first player can force a win, or at least a draw, and the critical bid."""
    from stratagem.games.bidding.boards import boards_of
    from stratagem.games.bidding.game import base_game
    from stratagem.games.bidding.thresholds import thresholds
    from stratagem.plans.bid import parse_payment

    base, rule = base_game(over), parse_payment(payment)
    if playouts < 1:
        raise OptionError(f"{playouts} playouts estimate nothing; give 1 or more")
    if chips is not None and (chips < 0 or chips > 100_000 or payment != "richman"):
        raise OptionError(f"--chips {chips}: it takes 0 to 100000 chips in all, with richman payment")

    class Boards:
        """Boards are parsed with any numbers of marks."""

        def parse(self, text: str) -> Position:
            if text.strip() in ("", "start"):
                return base.start()
            return base.position(boards_of(base).parse(text))

    def answer(board: Position) -> dict[str, Any]:
        assert isinstance(board, ArrayPosition)
        found = thresholds(base, board.state.copy(), rule, seed=seed, playouts=playouts).json()
        if chips is not None:
            found["purses"] = _purses(board, chips)
        return found

    boards: Any = Boards()
    if position == "-":
        answer_lines(boards, answer)
        return
    board = boards.parse(position or "")
    found = answer(board)
    if as_json:
        print_answer(position, found)
        return
    print(board.text_art())
    first = base.seats[0]
    for name, words in (("win", "to force a win"), ("not_lose", "not to lose"), ("critical_bid", "critical bid")):
        exact = found[f"{name}_exact"]
        print(f"{first} {words}: {found[name]:.6f}" + (f" = {exact}" if exact else "") + " of all money")
    for p, moves in enumerate(found["moves"]):
        print(f"{base.seats[p]} then plays {' '.join(moves) or '-'}")
    if chips is not None:
        print(f"least purses of {chips} chips: {found['purses']}")
    if found["error"]:
        print(f"estimated by random play: ± {found['error']:.4f}")


def _purses(board: ArrayPosition, chips: int) -> dict[str, int]:
    from stratagem.games.bidding.graph import explore
    from stratagem.games.bidding.thresholds import GOALS, discrete_richman, least_purse

    graph = explore(board.game, board.state.copy())
    found = {}
    for goal in GOALS:
        value = int(discrete_richman(graph, chips, goal)[0])
        found[f"{goal}_with_token"] = least_purse(value, True)
        found[f"{goal}_without"] = least_purse(value, False)
    return found
