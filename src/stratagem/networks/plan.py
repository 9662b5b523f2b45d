"""What is to be learned, and from how much: all that decides a network, so that a plan and its seed give it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from stratagem.errors import OptionError
from stratagem.networks.features import check_suits, columns_of, policy_count
from stratagem.networks.weights import Shape
from stratagem.search.players import tree_fits

ALPHABETA, MCTS, PLAYOUTS = WAYS = ("alphabeta", "mcts", "playouts")


@dataclass(frozen=True)
class Recipe:
    """How games to learn from are played."""

    games: int = 12_000
    depth: int = 4  # of both sides' searches
    opening: int = 10  # random plies at the start; every game has this many or one more
    solved: int = 10  # plies before the end from which the rest is solved; 0: played out
    astray: float = 0.02  # the share of moves that are random all the same
    part: int = 250  # games of a part
    seed: int = 1
    by: str = ALPHABETA  # who plays them: a search by depth, tree search, or everybody a playout strategy
    simulations: int = 400  # a move of tree search, whose visits a policy learns

    def __post_init__(self) -> None:
        if self.by not in WAYS:
            raise OptionError(f"games cannot be played by {self.by!r}; it is one of {', '.join(WAYS)}")
        if self.games < 1 or self.part < 1 or self.depth < 1 or self.simulations < 2:
            raise OptionError(
                f"{self.games} games by {self.part} with a depth of {self.depth} or {self.simulations} simulations a move "
                "cannot be played"
            )
        if self.opening < 0 or self.solved < 0 or not 0 <= self.astray <= 1:
            raise OptionError(
                f"an opening of {self.opening} plies, {self.solved} plies solved and a share of {self.astray} astray "
                "cannot be played; the first two go from 0, a share from 0 to 1"
            )

    @property
    def parts(self) -> int:
        return -(-self.games // self.part)


@dataclass(frozen=True)
class TrainingCourse:
    """How a network is trained."""

    passes: int = 4  # over all positions
    batch: int = 1024
    rate: float = 2e-3  # of learning, at the start; it falls evenly to nothing
    dropped: float = (
        0.3  # the share of features that are left out at random: what is learned must not hang on one of them
    )
    decay: float = 2.0  # of columns, by which what was seen once is forgotten
    searched: float = 0.0  # the share of the search's value in what is learned; the rest is the result
    held: int = 20  # every so-many-th game is held back, to measure on
    seed: int = 1

    def __post_init__(self) -> None:
        if self.passes < 1 or self.batch < 1 or self.held < 2:
            raise OptionError(f"{self.passes} passes in batches of {self.batch} teach nothing; give 1 or more")
        if not (self.rate > 0 and self.decay >= 0 and 0 <= self.searched <= 1 and 0 <= self.dropped < 1):
            raise OptionError(
                f"a rate of {self.rate}, a decay of {self.decay} and shares of {self.searched} and {self.dropped} cannot be: "
                "the first two are positive, shares go from 0 to 1"
            )


@dataclass(frozen=True)
class Trial:
    """How a network must prove itself before anybody plays with it: a sequential test by pairs of games."""

    seconds: float = 0.05  # a move
    pairs: int = 200  # at most; a test that is open then has not been passed
    elo0: float = 0.0
    elo1: float = 30.0

    def __post_init__(self) -> None:
        if self.seconds <= 0 or self.pairs < 1:
            raise OptionError(f"{self.pairs} pairs at {self.seconds} s a move prove nothing; give more")


@dataclass(frozen=True)
class TrainingPlan:
    """Rounds of self-play, training and trial."""

    game: str  # its name, or its file
    options: Mapping[str, Any] = field(default_factory=dict)
    rounds: int = 2
    width: int = 32
    hidden: int = 16
    views: int = 1
    recipe: Recipe = field(default_factory=Recipe)
    course: TrainingCourse = field(default_factory=TrainingCourse)
    trial: Trial = field(default_factory=Trial)

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.width < 4 or self.width % 4 or self.hidden < 1 or self.views not in (1, 2):
            raise OptionError(
                f"{self.rounds} rounds for a network of {self.width} by {self.hidden} with {self.views} views cannot be: "
                "a width is a multiple of 4, and there are one or two views"
            )

    def rules(self, make: Callable[..., Any]) -> Any:
        """The game, which `make` finds by its name: the registry's `game`, which stands above networks."""
        game = check_suits(make(self.game, **self.options))
        if self.recipe.by != PLAYOUTS and not tree_fits(game):
            raise OptionError(
                f"games of {game.name} cannot be played by {self.recipe.by}: chance, or who decides at once or in secret, is "
                "beyond it; give --by playouts"
            )
        return game

    def shape(self, game: Any) -> Shape:
        outputs = policy_count(game) if self.recipe.by == MCTS else 0  # a policy learns from visits
        return Shape(int(columns_of(game).max()) + 1, self.width, self.hidden, self.views, outputs)

    def json(self) -> dict[str, Any]:
        return asdict(self)
