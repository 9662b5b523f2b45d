"""The encoder in PyTorch (extra `train`), and what is learned; `encoder` has the same arithmetic as kernels.

Prophecies are a mixture: how likely a way to fight is, is the sum over the prophecies of how likely each of them is and makes it.
So they come to differ, since one that says what another says adds nothing. A batch sees boards as they are or mirrored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from stratagem.games.minions import layout
from stratagem.games.minions.networks.encoder import HEXES, ROUND, TENSORS, Narrow, Shape
from stratagem.games.minions.networks.targets import MOST_BOARDS

MIRROR = np.arange(HEXES).reshape(10, 10).T.ravel().copy()  # a board's hexes mirrored: both start hexes stay
ZERO_KEPT = ("hex_out", "board_out")  # last layers, that begin with saying little


class Batch:
    """Some rows of lessons, on the device."""

    def __init__(self, all_rows: dict[str, torch.Tensor], rows: torch.Tensor, mirrored: bool) -> None:
        order = all_rows["mirror"]
        for name in ("token", "board", "stands", "tiles", "reached", "patterns", "weights"):
            x = all_rows[name][rows]
            if mirrored and name in ("stands", "tiles", "patterns"):
                x = x[..., order]
            elif mirrored and name == "reached":
                x = x[..., order, :]
            setattr(self, name, x)
        self.there = torch.arange(MOST_BOARDS, device=rows.device)[None] < all_rows["boards"][rows][:, None]

    token: torch.Tensor
    board: torch.Tensor
    stands: torch.Tensor
    tiles: torch.Tensor
    reached: torch.Tensor
    patterns: torch.Tensor
    weights: torch.Tensor


class Model(nn.Module):
    """The network of `encoder`, tensors by the same names."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        for name, size in shape.sizes().items():
            x = torch.zeros(size)
            if not name.endswith("bias"):
                inputs = {"stands": 4, "tiles": 4, "hexes": 16, "reached": 8}.get(
                    name, size[-2] * (7 if name == "layers" else 1)
                )
                scale = 0.3 if name in ZERO_KEPT or name == "layers" else 1.0
                nn.init.normal_(x, std=scale * inputs**-0.5)
            self.register_parameter(name, nn.Parameter(x))
        places = [3 * (dy + 1) + dx + 1 for dx, dy in ROUND]  # of the taps in a 3 x 3 kernel
        self.register_buffer("taps", torch.tensor(places), persistent=False)
        with torch.no_grad():
            self.hex_bias[:] = -2.0  # most enemies stay, most units fight not

    def kernel(self, number: int) -> torch.Tensor:
        """A layer's taps as a 3 x 3 kernel [out, in, y, x]; the corners that are no neighbours are zero."""
        wide = self.shape.width
        square = self.layers.new_zeros((9, wide, wide)).index_copy(0, self.taps, self.layers[number])
        return square.permute(2, 1, 0).reshape(wide, wide, 3, 3)

    def forward(
        self, token: torch.Tensor, board: torch.Tensor, stands: torch.Tensor, tiles: torch.Tensor,
        reached: torch.Tensor, there: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
        """What is said of hexes [rows, boards, HEXES, ..] and of boards [rows, boards, ..]."""
        w: Any = dict(self.named_parameters())
        n, m, wide = len(token), board.shape[1], self.shape.width
        whole = torch.relu(token @ w["token"] + w["token_bias"])
        shared = board @ w["board"] + (whole @ w["board_token"])[:, None] + w["board_bias"]
        x = w["stands"][stands.long()] + w["tiles"][tiles.long()] + w["hexes"] + reached @ w["reached"]
        x = torch.relu(x + shared[:, :, None]).view(n * m, 10, 10, wide).permute(0, 3, 1, 2)
        share = there / there.sum(dim=1, keepdim=True)
        for number in range(self.shape.layers):
            bias = w["layer_bias"][number].expand(n * m, wide)
            if number == self.shape.layers // 2:
                mean = x.mean(dim=(2, 3)).view(n, m, wide)
                whole = self._token(whole, mean, share, "middle_token")
                given = torch.cat([whole[:, None].expand(n, m, -1), mean], dim=2) @ w["middle_board"]
                bias = bias + given.reshape(n * m, wide)
            x = x + torch.relu(functional.conv2d(x, self.kernel(number), padding=1) + bias[:, :, None, None])
        mean = x.mean(dim=(2, 3)).view(n, m, wide)
        whole = self._token(whole, mean, share, "end_token")
        about = torch.cat([whole[:, None].expand(n, m, -1), mean], dim=2) @ w["end_board"] + w["end_board_bias"]
        about = torch.relu(about)
        hexes = x.permute(0, 2, 3, 1).reshape(n, m, HEXES, wide) @ w["hex_out"]
        hexes = hexes + (about @ w["hex_board"] + w["hex_bias"])[:, :, None]
        return hexes, about @ w["board_out"] + w["board_out_bias"]

    def _token(self, whole: torch.Tensor, mean: torch.Tensor, share: torch.Tensor, name: str) -> torch.Tensor:
        w: Any = dict(self.named_parameters())
        held = (mean * share[:, :, None]).sum(dim=1)
        return torch.relu(torch.cat([whole, held], dim=1) @ w[name] + w[f"{name}_bias"])

    def on(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        reached = batch.reached.float() / 8
        return self(batch.token, batch.board.float(), batch.stands, batch.tiles, reached, batch.there.float())

    @torch.no_grad()
    def numbers(self) -> dict[str, Narrow]:
        return {name: getattr(self, name).detach().cpu().numpy().astype(np.float32) for name in TENSORS}


# ------------------------------------------------------------------------------------------------------------- losses


def likelihoods(shape: Shape, hexes: torch.Tensor, boards: torch.Tensor, batch: Batch) -> torch.Tensor:
    """[rows, boards, PATTERNS]: logarithms of how likely each way to fight is, by all prophecies together."""
    k = shape.prophecies
    enemy = batch.stands > layout.TYPES
    said = torch.where(enemy[..., None], hexes[..., :k], hexes[..., k:])  # [rows, boards, HEXES, k]
    somebody = (batch.stands > 0).float()[..., None]
    # of Bernoullis: the pattern times the logit, less what does not depend on the pattern
    held = -(functional.softplus(said) * somebody).sum(dim=2)  # [rows, boards, k]
    made = torch.einsum("rbph,rbhk->rbpk", batch.patterns.float(), said * somebody)
    chance = functional.log_softmax(boards, dim=-1)
    return torch.logsumexp(made + (held + chance)[:, :, None], dim=-1)


def losses(model: Model, batch: Batch) -> torch.Tensor:
    """What is learned: how unlikely the ways to fight are that the search found good, a mean a row."""
    hexes, boards = model.on(batch)
    return -(batch.weights * likelihoods(model.shape, hexes, boards, batch)).sum(dim=(1, 2)).mean()
