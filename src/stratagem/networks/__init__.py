"""Networks that judge positions in the middle of a search: sums of columns kept up to date by every move, and small layers.

- `features`: a game says which features of a position are on, and which a move switches.
- `evaluator`: the arithmetic as kernels, one source for the interpreter, the CPU and the GPU.
- `networked`: a game with a network in it, so that every search plays with it.
- `weights`: reads and writes files.
- `training`: makes networks, and is the only part that needs PyTorch.
"""

from stratagem.networks.networked import lift, networked
from stratagem.networks.weights import Network, Shape, load, save

__all__ = ["Network", "Shape", "lift", "load", "networked", "save"]
