"""A robot alone on a course, as tables: where each card leads, and how many registers away each flag is.

`next_nodes` has, for every register, place and facing, and card effect, where the robot is after that register: its card,
then belts, pushers and gears. A node is 4 * space + facing; -1 is destroyed. `register_distance` is a search backwards
from a flag over these: the least number of registers for a robot that may play any card each time, which knows belts,
gears and turning; it begins with register 1, as a turn does. `bounds` cut short a search among the programmes of a hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.games.roborally import layout as k

Words = NDArray[np.int64]
LOST = 25  # registers that a lost life is worth, to a robot alone
EFFECTS = ((2, 0), (3, 0), (1, 0), (0, -1), (0, 1), (0, 2), (0, 3))  # quarter turns and steps: U, L, R, back, 1, 2, 3


def next_nodes(planes: Words) -> Words:
    """planes: a row a space, as the kernels have them. The answer has shape (registers, nodes, effects)."""
    n = len(planes)
    step = np.full((4, n + 1), n)  # n is destroyed
    for d in range(4):
        near = planes[:, k.NEAR + d]
        deadly = (near < 0) | (planes[np.maximum(near, 0), k.KIND] == k.HOLE)
        walled = planes[:, k.WALLS] >> d & 1 == 1
        step[d, :n] = np.where(walled, np.arange(n), np.where(deadly, n, near))
    padded = np.vstack([planes, np.zeros((1, planes.shape[1]), np.int64)])  # nothing acts on the destroyed
    found = np.empty((k.REGISTERS, 4 * n, len(EFFECTS)), np.int64)
    spaces, facings = np.arange(4 * n) // 4, np.arange(4 * n) % 4
    for e, (turns, steps) in enumerate(EFFECTS):
        facing = (facings + turns) % 4
        space = spaces.copy()
        for _ in range(abs(steps)):
            space = step[(facing + (2 if steps < 0 else 0)) % 4, space]
        for slowest in (2, 1):
            space, facing = _carried(padded, step, space, facing, slowest)
        for register in range(k.REGISTERS):
            active = padded[space, k.PUSHES] >> register & 1 == 1
            pushed = np.where(active, step[np.maximum(padded[space, k.PUSHER] - 1, 0), space], space)
            turned = (facing + padded[pushed, k.GEAR]) % 4
            found[register, :, e] = np.where(pushed == n, -1, 4 * pushed + turned)
    return found


def _carried(padded: Words, step: Words, space: Words, facing: Words, slowest: int) -> tuple[Words, Words]:
    d = np.maximum(padded[space, k.BELT] - 1, 0)
    after = np.where(padded[space, k.SPEED] >= slowest, step[d, space], space)
    curve = np.where((after != space) & (padded[after, k.SPEED] > 0), (padded[after, k.BELT] - 1 - d) % 4, 0)
    return after, np.where(curve % 2 == 1, (facing + curve) % 4, facing)


def register_distance(nodes: Words, flag: int) -> Words:
    """Registers from every node, at the beginning of a turn, to a space; FAR where there is no way."""
    registers, count, _ = nodes.shape
    distance = np.full((registers, count + 1), k.FAR)  # the last is destroyed
    arrives = nodes // 4 == flag
    while True:
        before = distance.copy()
        for r in reversed(range(registers)):
            following = np.where(arrives[r], 0, distance[(r + 1) % registers][nodes[r]])
            distance[r, :count] = np.minimum(distance[r, :count], 1 + following.min(axis=1))
        if np.array_equal(before, distance):
            return np.minimum(distance[0, :count], k.FAR)


def bounds(nodes: Words, flags: list[int], to_go: Words, register: int, lost: int) -> Words:
    """After each register but the last, for each flag and node: the least that the other registers of the turn, with any
    cards, could leave to go.

    `to_go` has what is to go at the end of a turn, for each flag and node; a register is worth `register` of these units
    if the last flag is touched before the end, and at least `lost` is to go for a robot that was destroyed."""
    last = len(flags) - 1
    least = np.concatenate([to_go, np.full((len(flags), 1), lost)], axis=1)  # the last column is destroyed
    found = np.empty((k.REGISTERS - 1, *to_go.shape), np.int64)
    for r in range(k.REGISTERS - 1, 0, -1):
        before = least.copy()
        for f, flag in enumerate(flags):
            on = (r + 1 - k.REGISTERS) * register if f == last else least[f + 1][nodes[r]]
            before[f, :-1] = np.where(nodes[r] // 4 == flag, on, least[f][nodes[r]]).min(axis=1)
        least = before
        found[r - 1] = least[:, :-1]
    return found
