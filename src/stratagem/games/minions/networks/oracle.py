"""The Oracle: a network that corrects what fitted weights say of a position.

It brings weights of its own for what the hand-written judgement looks at, fitted to the games that it has learned from. The
network is the evaluator of `stratagem.networks` on Minions' features (`features`): a first layer that is a sum of columns in 16
bits, over all boards and what lies beside them, and two small layers of 8 bits. Its first output is added to the log odds of the
weights, so that a network that has learned little changes little; the second is how far off the value is expected to be.

It is asked wherever the engine judges a whole position: after the short answer to a turn, and at the beginning of one.
A judgement takes 30 to 70 microseconds and the network, its sum made anew, 1.3 to 3 of them: keeping the sum gains nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from stratagem.compile import Bound
from stratagem.errors import OptionError, StratagemError
from stratagem.games.minions.engine.scratch import SEEN, Judged, Reals
from stratagem.games.minions.layout import Stream
from stratagem.games.minions.networks.features import AT_ONCE, FEATURES, FINENESS, LOOKS, VERSION, listed
from stratagem.kernel import Ground, Moves, State
from stratagem.networks.evaluator import ONE, head, prepare
from stratagem.networks.networked import LANES, packed
from stratagem.networks.weights import KINDS, Network, Shape, load

MATERIAL, NETWORK = "material", "network"
GAME, KIND = "minions", "oracle"
SHAPE = Shape(FEATURES, 32, 16, 1)  # which the engine is compiled for anyway
MOST_COLUMN = 32  # of a column's numbers, so that AT_ONCE of them stay within 16 bits
SHIPPED = Path(str(files("stratagem.games.minions"))) / "data" / "oracle.safetensors"

# ------------------------------------------------------------------------------------------------------------ kernels


def ask(g: Ground, s: State, odds: float, judged: Judged) -> float:
    """The log odds as the Oracle corrects them; leaves the spread in `judged.answer[1]`. It takes the place of
    `worth.corrected`."""
    network, seen = judged.network, judged.seen
    seen[0] = listed(g, s, judged.x, odds, judged.turned, seen[1 + ROOM :])
    prepare(network, seen, 0)
    judged.answer[1] = min(max(head(network, seen, 0, 1), 0) / ONE, 1.0)
    return odds + head(network, seen, 0, 0) / ONE


ROOM = SEEN - 1 - AT_ONCE  # cells for sums


def listed_before(g: Ground, s: State, side: int, out: Moves) -> int:
    """The features of the evaluator: `ask` has listed them, and said how many."""
    return s[0]


def oracle_names(shape: Shape) -> dict[str, Any]:
    """What the engine's kernels are bound to for a network of a shape."""
    own: dict[str, Any] = {
        **laid_out(blank(shape))[1],
        "WIDTH": shape.width,
        "HIDDEN": shape.hidden,
        "VIEWS": 1,
        "KEPT": False,
        "SUMS": LANES,
        "LISTED": 1 + ROOM,
        "MOST": AT_ONCE,
        "features": listed_before,
    }
    evaluator = {"prepare": Bound(prepare, own), "head": Bound(head, own)}
    return {"NETWORKED": True, "corrected": Bound(ask, evaluator)}


HERE = np.ones(1, np.int64)  # at the beginning of a network's numbers: there is one


def blank(shape: Shape = SHAPE) -> Network:
    """A network that corrects nothing: for the places of its parts, and to see what it would see."""
    return Network(**{name: np.zeros(shape.sizes()[name], kind) for name, kind in KINDS.items()}, card={})


def laid_out(oracle: Network) -> tuple[Stream, dict[str, int]]:
    """A network as it lies in scratch arrays, and where its parts stand."""
    return packed(HERE, oracle, np.arange(oracle.shape.features))


# -------------------------------------------------------------------------------------------------------------- files


def sight_version() -> str:
    """Tells apart what networks see."""
    return hashlib.sha256(f"{VERSION} {FEATURES} {AT_ONCE} {FINENESS}".encode()).hexdigest()[:16]


def weights_of(oracle: Network) -> Reals:
    """The weights that a network corrects, and last their spread."""
    return np.array(oracle.card["weights"], np.float64)


def numbers_of(oracle: Network) -> Stream:
    """A network as it lies in scratch arrays."""
    return laid_out(oracle)[0].copy()


def check_fits(network: Network) -> Network:
    """The network, if it is one for Minions as the engine judges it now."""
    card, shape = network.card, network.shape
    if card.get("game") != GAME or card.get("network") != KIND:
        what = f"{card.get('network', 'network')} of {card.get('game') or 'no game that it names'}"
        raise StratagemError(f"the network is the {what}; the engine of Minions takes the {KIND} of {GAME}")
    if shape.features != FEATURES or shape.views != 1 or card.get("features") != sight_version():
        raise StratagemError(
            f"the network sees other features than this version of the engine ({shape.features} columns; here {FEATURES}): "
            "train it again: stratagem train minions"
        )
    if np.shape(card.get("weights", 0)) != (LOOKS + 2,) or not np.isfinite(weights_of(network)).all():
        raise StratagemError(f"the network's card lacks the {LOOKS + 2} weights that it corrects; train it again")
    if shape.width > LANES * ROOM or not network.keeps_within(AT_ONCE):
        raise StratagemError(f"the network's columns are too wide or too large: {AT_ONCE} of them may leave 16 bits")
    return network


def file_named(option: str, said: str, plain: str, shipped: Path) -> Path | None:
    """The file of the network that an option means: none for `plain`, the one that comes with the game for `network`, or another.

    Raises:
        OptionError: there is no such file.
    """
    said = str(said)  # the command line makes numbers of what looks like them
    if said == plain:
        return None
    file = shipped if said == NETWORK else Path(said).expanduser().absolute()
    if not file.is_file():
        raise OptionError(f"option {option} is {said!r}; it is {plain}, {NETWORK} or the file of a trained network")
    return file


@lru_cache(maxsize=8)
def _loaded(load: Callable[[Path], Any], file: Path, changed: int, size: int) -> Any:
    return load(file)


def loaded_once(load: Callable[[Path], Any], file: Path) -> Any:
    """What a file holds, read again only where it has changed."""
    at = file.stat()
    return _loaded(load, file, at.st_mtime_ns, at.st_size)


def load_oracle(file: Path) -> Network:
    """Read an Oracle; whatever is wrong with the file is reported."""
    return check_fits(load(file))


def oracle_of(said: str) -> Network | None:
    """What the option `oracle` means: `material`, the fitted weights alone (None); `network`, which comes with the game; or a
    file."""
    file = file_named("oracle", said, MATERIAL, SHIPPED)
    return None if file is None else loaded_once(load_oracle, file)
