"""The encoder and its heads in PyTorch (extra `train`), and what is learned; `encoder` has the same arithmetic as kernels.

Prophecies are a mixture: how likely a way to fight is, is the sum over the prophecies of how likely each of them is and makes it.
So they come to differ, since one that says what another says adds nothing. Places are learned as chances by type and hex, money
as chances of classes of amounts, the general's choices as shares of one spell. A batch sees boards as they are or mirrored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from stratagem.games.minions import layout
from stratagem.games.minions.networks.encoder import HEXES, PURSES, ROUND, TENSORS, Narrow, Shape
from stratagem.games.minions.networks.targets import CELLS, MOST_BOARDS

MIRROR = np.arange(HEXES).reshape(10, 10).T.ravel().copy()  # a board's hexes mirrored: both start hexes stay
UNIT_SHARE = 0.5  # of chances by type and hex
ZERO_KEPT = ("general", "hex_out", "board_out")  # last layers, that begin with saying little


class Batch:
    """Some rows of lessons, on the device."""

    def __init__(self, all_rows: dict[str, torch.Tensor], rows: torch.Tensor, mirrored: bool) -> None:
        self.rows, self.mirrored = rows, mirrored
        order = all_rows["mirror"]
        for name in ("token", "board", "stands", "tiles", "reached", "patterns", "weights", "types"):
            x = all_rows[name][rows]
            if mirrored and name in ("stands", "tiles", "patterns"):
                x = x[..., order]
            elif mirrored and name == "reached":
                x = x[..., order, :]
            setattr(self, name, x)
        for name in ("purses", "payable", "choices", "open", "boards"):
            setattr(self, name, all_rows[name][rows])
        self.there = torch.arange(MOST_BOARDS, device=rows.device)[None] < self.boards[:, None]
        self.units = self._units(all_rows)

    token: torch.Tensor
    board: torch.Tensor
    stands: torch.Tensor
    tiles: torch.Tensor
    reached: torch.Tensor
    patterns: torch.Tensor
    weights: torch.Tensor
    types: torch.Tensor
    purses: torch.Tensor
    payable: torch.Tensor
    choices: torch.Tensor
    open: torch.Tensor
    boards: torch.Tensor

    def _units(self, all_rows: dict[str, torch.Tensor]) -> torch.Tensor:
        """[rows, boards, 2, TYPES, HEXES]: shares of turns in which a unit is placed there or ends there."""
        begins, n = all_rows["begins"], len(self.rows)
        counts = begins[self.rows + 1] - begins[self.rows]
        of = torch.repeat_interleave(torch.arange(n, device=self.rows.device), counts)
        first = torch.cumsum(counts, 0) - counts
        at = begins[self.rows][of] + torch.arange(len(of), device=of.device) - first[of]
        found = torch.zeros((n, MOST_BOARDS * CELLS), device=of.device)
        found[of, all_rows["cell"][at].long()] = all_rows["share"][at]
        units = found.view(n, MOST_BOARDS, 2, layout.TYPES, HEXES)
        return units[..., all_rows["mirror"]] if self.mirrored else units


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
            self.hex_bias[: shape.prophecies] = -2.0  # most enemies stay, most units fight not
            self.hex_bias[shape.prophecies : 2 * shape.prophecies] = -2.0
            self.hex_bias[2 * shape.prophecies :] = -4.0

    def kernel(self, number: int) -> torch.Tensor:
        """A layer's taps as a 3 x 3 kernel [out, in, y, x]; the corners that are no neighbours are zero."""
        wide = self.shape.width
        square = self.layers.new_zeros((9, wide, wide)).index_copy(0, self.taps, self.layers[number])
        return square.permute(2, 1, 0).reshape(wide, wide, 3, 3)

    def forward(
        self, token: torch.Tensor, board: torch.Tensor, stands: torch.Tensor, tiles: torch.Tensor,
        reached: torch.Tensor, there: torch.Tensor,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
        """What is said of hexes [rows, boards, HEXES, ..], of boards [rows, boards, ..] and of the techline [rows, choices]."""
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
        return hexes, about @ w["board_out"] + w["board_out_bias"], whole @ w["general"] + w["general_bias"]

    def _token(self, whole: torch.Tensor, mean: torch.Tensor, share: torch.Tensor, name: str) -> torch.Tensor:
        w: Any = dict(self.named_parameters())
        held = (mean * share[:, :, None]).sum(dim=1)
        return torch.relu(torch.cat([whole, held], dim=1) @ w[name] + w[f"{name}_bias"])

    def on(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
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
    said = torch.where(enemy[..., None], hexes[..., :k], hexes[..., k : 2 * k])  # [rows, boards, HEXES, k]
    somebody = (batch.stands > 0).float()[..., None]
    # of Bernoullis: the pattern times the logit, less what does not depend on the pattern
    held = -(functional.softplus(said) * somebody).sum(dim=2)  # [rows, boards, k]
    made = torch.einsum("rbph,rbhk->rbpk", batch.patterns.float(), said * somebody)
    chance = functional.log_softmax(boards[..., :k], dim=-1)
    return torch.logsumexp(made + (held + chance)[:, :, None], dim=-1)


def unit_losses(shape: Shape, hexes: torch.Tensor, batch: Batch) -> torch.Tensor:
    """[rows, boards, 2]: logarithmic losses of what is placed and of where units end, over types that can be and land."""
    k = shape.prophecies
    said = hexes[..., 2 * k :].unflatten(-1, (2, layout.TYPES)).permute(0, 1, 3, 4, 2)
    loss = functional.binary_cross_entropy_with_logits(said, batch.units, reduction="none")
    return (loss.sum(dim=-1) * batch.types).sum(dim=-1)


def purse_losses(shape: Shape, boards: torch.Tensor, batch: Batch) -> torch.Tensor:
    """[rows, boards]: cross entropies of the dollars that boards are given."""
    return -(batch.purses * purse_chances(shape, boards, batch)).sum(dim=2)


def purse_chances(shape: Shape, boards: torch.Tensor, batch: Batch) -> torch.Tensor:
    """[rows, boards, PURSES]: logarithms of the chances, of amounts that can be paid."""
    dear = torch.arange(len(PURSES), device=boards.device) >= batch.payable[:, None]
    return functional.log_softmax(boards[..., shape.prophecies :].masked_fill(dear[:, None], -1e9), dim=-1)


def choice_losses(general: torch.Tensor, batch: Batch) -> torch.Tensor:
    """[rows]: cross entropies of the general's choices; nothing where none was made."""
    chance = functional.log_softmax(general.masked_fill(~batch.open, -1e9), dim=1)
    return -(batch.choices * chance).sum(dim=1)


def losses(model: Model, batch: Batch) -> torch.Tensor:
    """What is learned, of all heads together: a mean a row."""
    hexes, boards, general = model.on(batch)
    fights = -(batch.weights * likelihoods(model.shape, hexes, boards, batch)).sum(dim=(1, 2))
    units = (unit_losses(model.shape, hexes, batch) * batch.there[..., None]).sum(dim=(1, 2))
    purses = (purse_losses(model.shape, boards, batch) * batch.there).sum(dim=1)
    return (fights + UNIT_SHARE * units + purses + choice_losses(general, batch)).mean()
