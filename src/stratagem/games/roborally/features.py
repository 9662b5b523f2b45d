"""What a network sees of a race of two robots: for each, its own first, how far it has to go by the expected turns, its lives,
damage, brinks, beams and rest; by how much one is ahead; and where the other stands, if it is near. Cards are not seen: a
position is judged before they are dealt, or whatever they are.

Games to learn from are played by the playout strategy, the best programme for a robot alone.
"""

from __future__ import annotations

from stratagem.games.roborally.heuristics import FOUND, asked, playout, terms
from stratagem.games.roborally.layout import AT, DOCKING, PHASE, ROBOT, ROBOTS, WIDTH
from stratagem.kernel import SIZE, Ground, Moves, State
from stratagem.rng import Rng

# of each robot, the first feature of each kind
WAYS = 64  # roots of the way
WAY_STEP = 70  # hundredths of the root in one of them
LIVES, DAMAGES, BRINKS = 4, 10, 5
LIFE = WAYS
DAMAGE = LIFE + LIVES
BRINK = DAMAGE + DAMAGES
BEAM = BRINK + BRINKS
REST = BEAM + 2
ROBOT_FEATURES = REST + 2
KINDS = 6  # of a robot that are on
# of both together
LEADS = 33  # on either side of none
LEAD_STEP = 40
NEAR = 4  # spaces to either side within which the other robot's place is seen
LEAD = 2 * ROBOT_FEATURES
PLACE = LEAD + 2 * LEADS + 1
COUNT = PLACE + (2 * NEAR + 1) ** 2
AT_ONCE = 2 * KINDS + 2


def robot_features(g: Ground, s: State, i: int, first: int, out: Moves, n: int) -> int:
    """Those of robot i from `first` on, behind the n that are there; returns the root of its way."""
    terms(g, s, i)
    found = SIZE + FOUND
    root = s[found]
    out[n] = first + min(root // WAY_STEP, WAYS - 1)
    out[n + 1] = first + LIFE + s[found + 1]
    out[n + 2] = first + DAMAGE + min(s[found + 2], DAMAGES - 1)
    out[n + 3] = first + BRINK + s[found + 4]
    out[n + 4] = first + BEAM + s[found + 5]
    out[n + 5] = first + REST + s[found + 6]
    return root


def features(g: Ground, s: State, side: int, out: Moves) -> int:
    if s[PHASE] == DOCKING:
        return 0
    own = robot_features(g, s, side, 0, out, 0)
    other = robot_features(g, s, 1 - side, ROBOT_FEATURES, out, KINDS)
    out[2 * KINDS] = LEAD + LEADS + min(max((other - own) // LEAD_STEP, -LEADS), LEADS)
    here = s[ROBOTS + ROBOT * side + AT]
    there = s[ROBOTS + ROBOT * (1 - side) + AT]
    if here < 0 or there < 0:
        return 2 * KINDS + 1
    across = there % g[WIDTH] - here % g[WIDTH]
    down = there // g[WIDTH] - here // g[WIDTH]
    if abs(across) > NEAR or abs(down) > NEAR:
        return 2 * KINDS + 1
    out[2 * KINDS + 1] = PLACE + (2 * NEAR + 1) * (down + NEAR) + across + NEAR
    return 2 * KINDS + 2


def rollout(g: Ground, s: State, p: int, r: Rng) -> int:
    return playout(g, s, p, r)


def count(g: Ground, s: State, p: int) -> int:
    return asked(g, s, p)
