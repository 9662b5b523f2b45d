"""The encoder of Minions' prophet in plain NumPy, hex by hex: slow, and obviously what the module's docstring says."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagem.games.minions.maps import neighbours
from stratagem.games.minions.networks.encoder import HEX_IN, HEXES, ROUND, Shape


def relu(x: Any) -> Any:
    return np.maximum(x, 0.0)


def encoded(shape: Shape, w: dict[str, Any], seen: dict[str, Any]) -> tuple[Any, Any]:
    """What is said of hexes and boards; `seen`: token, board, stands, tiles, reached."""
    w = {name: np.asarray(x, np.float64) for name, x in w.items()}
    n = len(seen["board"])
    token = relu(seen["token"] @ w["token"] + w["token_bias"])
    x = np.zeros((n, HEXES, shape.width))
    for k in range(n):
        shared = seen["board"][k] @ w["board"] + token @ w["board_token"] + w["board_bias"]
        for h in range(HEXES):
            own = w["stands"][seen["stands"][k, h]] + w["tiles"][seen["tiles"][k, h]] + w["hexes"][h]
            x[k, h] = relu(own + shared + seen["reached"][k, h].reshape(HEX_IN) @ w["reached"])
    for number in range(shape.layers):
        bias = np.tile(w["layer_bias"][number], (n, 1))
        if number == shape.layers // 2:
            means = x.mean(axis=1)
            token = relu(np.concatenate([token, means.mean(axis=0)]) @ w["middle_token"] + w["middle_token_bias"])
            bias += np.array([np.concatenate([token, mean]) @ w["middle_board"] for mean in means])
        new = np.zeros_like(x)
        for k in range(n):
            for h in range(HEXES):
                total = bias[k] + x[k, h] @ w["layers"][number, 0]
                for other in neighbours(h):
                    step = (other % 10 - h % 10, other // 10 - h // 10)
                    total = total + x[k, other] @ w["layers"][number, ROUND.index(step)]
                new[k, h] = x[k, h] + relu(total)
        x = new
    means = x.mean(axis=1)
    token = relu(np.concatenate([token, means.mean(axis=0)]) @ w["end_token"] + w["end_token_bias"])
    about = [relu(np.concatenate([token, mean]) @ w["end_board"] + w["end_board_bias"]) for mean in means]
    hexes = np.array([x[k] @ w["hex_out"] + about[k] @ w["hex_board"] + w["hex_bias"] for k in range(n)])
    boards = np.array([one @ w["board_out"] + w["board_out_bias"] for one in about])
    return hexes, boards
