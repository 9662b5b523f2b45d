"""`stratagem signature`: numbers of fixed searches, which change only on purpose.

Alpha-beta and the solvers count what they look at. A search that samples is given a seed and a budget, and its number says
where the budget went: the visits of each root move times that move's place, and the size of what it built; one simulation
spent otherwise is seen. A search whose moves have no list gives a number made of the texts and visits of its lines.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from stratagem.contract.game import ArrayGame, Game, Position
from stratagem.contract.player import Choice, Clock
from stratagem.games.bidding.game import Bidding
from stratagem.games.bidding.solver import BiddingSolver
from stratagem.kernel import CHANCE, Ground, State
from stratagem.plans.draft import Draft, snake
from stratagem.registry import game, player
from stratagem.rng import generator
from stratagem.search.alphabeta.deepening import AlphaBeta
from stratagem.search.alphabeta.solver import Solver
from stratagem.search.drafts.methods import solve_draft
from stratagem.search.drafts.uct import DraftUctSettings as DraftSettings
from stratagem.search.drafts.uct import uct_drafter
from stratagem.search.minimax import Expectimax
from stratagem.search.sampling.montecarlo import MonteCarlo
from stratagem.search.tree.infosets import InformationSets
from stratagem.search.tree.mcts import MCTS
from stratagem.search.whole_turns import BASELINES, WholeTurnSearch, atoms_of

SEED = 1


class Row(NamedTuple):
    """One fixed search."""

    search: str
    game: str
    position: str
    terms: str  # depth, budget or rule
    number: int


# game, position, depth: each searched from an empty table
DEPTHS = (
    ("tictactoe", "", 9),
    ("connect4", "", 14),
    ("connect4", "4444", 14),
    ("connect4", "44455554221", 12),
    ("nim", "", 12),
    ("othello", "", 6),
    ("breakthrough", "", 5),
)
SOLVED = "444444222223"  # a position of connect four, for the solver


def array_game(name: str, **options: Any) -> ArrayGame:
    found = game(name, **options)
    assert isinstance(found, ArrayGame)
    return found


def alphabeta() -> Iterator[Row]:
    for name, text, depth in DEPTHS:
        of = array_game(name)
        found = AlphaBeta(of, table_bits=16).search(of.parse(text), depth)
        assert found is not None
        yield Row("alphabeta", name, text, f"depth {depth}", found.nodes)


def solver() -> Iterator[Row]:
    of = array_game("connect4")
    solved = Solver(of, table_bits=16).solve(of.parse(SOLVED))
    yield Row("solver", "connect4", SOLVED, f"{solved.plies} plies", solved.nodes)


def expectimax() -> Iterator[Row]:
    of = array_game("pig")
    _, _, nodes = Expectimax(of).values(of.start(), 7)
    yield Row("expectimax", "pig", "", "depth 7", nodes)


# ------------------------------------------------------------------------------------------------------------ sampling


def spent(position: Position, choice: Choice, seat: int | None = None) -> int:
    """Where the budget went: the visits of every line times the place of its move, and the size of what was built."""
    place = {text: k + 1 for k, text in enumerate(position.moves(seat))}
    built = sum(int(choice.details.get(name, 0)) for name in ("tree", "decisions"))
    return built + sum(place[line.moves[0]] * (line.visits or 0) for line in choice.lines)


def likes_late_moves(g: Ground, s: State, p: int, m: int) -> float:
    """A prior for PUCT."""
    return 1.0 + m


# game, position, simulations, options
TREES: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
    ("connect4", "", 5000, {}),
    ("connect4", "44455554221", 5000, {}),  # is proven
    ("connect4", "4444", 2000, {"solve": False}),
    ("tictactoe", "", 2000, {"prior": likes_late_moves}),
    ("pig", "", 2000, {}),  # has chance
)


def mcts() -> Iterator[Row]:
    for name, text, simulations, options in TREES:
        of = array_game(name)
        position = of.parse(text)
        search = MCTS(of, seed=SEED, pool=1 << 16, **options)
        choice = search.analyse(position, Clock(None), simulations=simulations, lines=of.max_moves)
        terms = f"{simulations} simulations{''.join(f', {option}' for option in options)}"
        yield Row("mcts", name, text, terms, spent(position, choice))


def montecarlo() -> Iterator[Row]:
    of = array_game("connect4")
    position = of.parse("4444")
    for share in ("ucb", "halving", "uniform"):
        search = MonteCarlo(of, seed=SEED, share=share)
        choice = search.analyse(position, Clock(None), simulations=3000, lines=of.max_moves)
        # an even share leaves no trace in visits, but in what the playouts brought
        won = sum(round((line.value or 0.0) * (line.visits or 0)) for line in choice.lines)
        yield Row("montecarlo", of.name, "4444", f"3000 playouts, {share}", spent(position, choice) + won)


def information_sets() -> Iterator[Row]:
    of = array_game("goofspiel", cards=5)
    position = of.start()
    for rule in ("rm", "duct", "exp3"):
        search = InformationSets(of, seed=SEED, rule=rule, pool=1 << 14)
        choice = search.analyse(position, Clock(None), simulations=3000, lines=of.max_moves)
        yield Row("infosets", of.name, "", f"3000 simulations, {rule}", spent(position, choice, 0))


# --------------------------------------------------------------------------------------------------- drafts and bidding


def some_draft(players: int, items: int) -> Draft:
    rng = random.Random(SEED)
    worths = tuple(tuple(rng.randint(0, 99) for _ in range(items)) for _ in range(players))
    return Draft(tuple(f"item {k}" for k in range(items)), worths, snake(players, items))


def drafts() -> Iterator[Row]:
    for players, items in ((2, 14), (3, 12)):
        draft = some_draft(players, items)
        about = f"{players} players, {items} items"
        for method in ("kth", "ascending", "exact"):
            found = solve_draft(draft, method)
            picked = sum((k + 1) * x for k, x in enumerate(found.picks))
            yield Row("drafts", "draft", about, method, found.states + picked)
        drafter = uct_drafter(draft, seed=SEED, settings=DraftSettings(simulations=3000))
        visits = sum((one.item + 1) * one.visits for one in drafter.consider())
        yield Row("drafts", "draft", about, "uct, 3000 simulations", visits)


def bidding() -> Iterator[Row]:
    for payment in ("richman", "allpay"):
        of = game("bidding", over="tictactoe", chips="4,4", payment=payment)
        assert isinstance(of, Bidding)
        found, _ = BiddingSolver(of).solution(of.start())
        yield Row("bidding", of.base.name, "", f"{payment}, states", found.states)
        yield Row("bidding", of.base.name, "", f"{payment}, mixed auctions", found.mixed)


# --------------------------------------------------------------------------------------------------------- whole turns

SHORT = 9973  # numbers made of texts stay below it


def number_of(choice: Choice) -> int:
    """A number for a choice whose moves cannot be listed: the texts and visits of its lines, and the work it counts."""
    reported = [(line.moves[0], line.visits) for line in choice.lines]
    return zlib.crc32(repr((choice.move, reported, choice.nodes)).encode()) % SHORT


def dealt(of: Game) -> Position:
    """The first position of a game in which somebody decides, with fixed chance."""
    position, rng = of.start(SEED), generator(SEED)
    while position.turn == CHANCE:
        position = position.play(position.sample(rng))
    return position


def whole_turns() -> Iterator[Row]:
    """Interpreted: thirteen searches that would each be compiled for a few turns."""
    of = array_game("asmacag")
    position = dealt(of)
    for name, baseline in BASELINES.items():
        turns = 20 if name == "fh-emcts" else 200
        search = WholeTurnSearch(of, name, atoms=atoms_of(of, dice=baseline.dice), seed=SEED, target="python")
        found = search.consider(search.atoms.state(position), position.turn, turns=turns)
        number = found.turns + found.looks + sum((k + 1) * m for k, m in enumerate(found.turn))
        yield Row("turns", of.name, "", f"{turns} turns, {name}", number)


# game, options, player, terms
STAGED: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("asmacag", {}, "staged:simulations=200,stages=decisions", "200 simulations, decisions"),
    ("asmacag", {}, "staged:simulations=200,stages=turns", "200 simulations, turns"),
    ("skirmish", {}, "staged:simulations=100", "100 simulations"),
    ("minions", {"maps": "BlackenedShores,MidnightLake"}, "engine:visits=100,solver=false", "100 simulations"),
)


def stages() -> Iterator[Row]:
    for name, options, text, terms in STAGED:
        position = dealt(game(name, **options))
        if name == "minions":  # into the middle of the game
            for k in range(6):
                position = position.play(position.sample(generator(SEED, k)))
        choice = player(position.game, text, seed=SEED).choose(position.view(position.turn), Clock(None), lines=100)
        yield Row("stages", name, "", terms, number_of(choice))


SEARCHES = (
    alphabeta,
    solver,
    expectimax,
    mcts,
    montecarlo,
    information_sets,
    drafts,
    bidding,
    whole_turns,
    stages,
)


def rows() -> Iterator[Row]:
    """All fixed searches, in the order they are printed."""
    for search in SEARCHES:
        yield from search()


def signature() -> None:
    """Print the numbers of fixed searches; a change that is meant to alter nothing keeps them."""
    total = 0
    for row in rows():
        total += row.number
        print(f"{row.search:11} {row.game:12} {row.position or 'start':22} {row.terms:28} {row.number:10}", flush=True)
    print(total)
