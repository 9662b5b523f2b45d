"""How a course and a race lie in arrays, and small questions about them; all kernels of RoboRally read by these names."""

from __future__ import annotations

from stratagem.kernel import Ground, State

# ------------------------------------------------------------------------------------------------------ the ground
# header, then PLANES cells for each space, then lasers (space, direction, beams), docks (space, facing), and for each flag
# the walking steps from every space; for one robot alone, where every card leads from every place, and for each flag the
# registers from there; for each measure of distance the way from each flag to the last; and for each flag the expected
# turns from everywhere to the last flag, in hundredths, -1 where they have not been computed; for registers and for expected
# turns, after each of the first four registers, for each flag and from everywhere the least that any cards could leave to go
SPACES, WIDTH, FLAGS, LASERS, LASERS_AT, DOCKS_AT, WALK_AT, LONE_AT, REACH_AT, LEGS_AT = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
TURNS_AT, BOUNDS_AT = 10, 11
HEADER = 12
LEGS = 3  # measures of distance with legs: straight, walking, in registers
NEAR, KIND, WALLS, BELT, SPEED, GEAR, PUSHER, PUSHES, CRUSHES, REPAIR, FLAG = 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
COLUMN, BEAMS = 14, 15  # beams: bit k % BEAM_BITS for every laser k whose ray crosses the space
SEES = 16  # for each direction, how far a ray goes from the space before a wall or the outside, in numbers of spaces
PLANES = 21  # one to spare: an odd number spreads a plane over the banks of a memory
BEAM_BITS = 60
OUTSIDE, FLOOR, HOLE = 0, 1, 2
FAR = 1000

# ------------------------------------------------------------------------------------------------------- the state
# header, then ROBOT cells for each robot
PHASE, TURN, FALLS, WHO, UNDER_WAY = 0, 1, 2, 3, 4  # falls: destructions so far; who: the robot that decides alone
ROBOTS = 5
# a robot: space, facing, damage, lives, archive, next flag, powered down, announced, status, dock, when it fell,
# five registers, nine cards in hand; and its share of the win when over
AT, FACING, DAMAGE, LIVES, ARCHIVE, NEXT, DOWN, ANNOUNCED, STATUS, DOCK, FELL, SHARE = range(12)
REGISTER, HAND = 12, 17
ROBOT = 26
RACING, WAITING, GONE = 0, 1, 2  # status
DOCKING, STAYING, DEALING, PROGRAMMING, FILLING, ENTERING, ENDED = 0, 1, 2, 3, 4, 5, 6  # phases

# scratch behind SIZE: lists of robots and intents while a turn runs; what numbers of programmes need; and a deck while locked
# registers are filled, or what looks at programmes outside the rules, over the same cells
LIST, WANT, HITS, MULT, CLASS_OF, COUNTS, PLAN = 0, 8, 16, 32, 44, 56, 72
DECK = 0
SCRATCH = 88

CARDS = 84
HALF = 42  # the first half of the deck: rotations
HAND_SIZE = 9
REGISTERS = 5
DESTROYED = 10  # damage
RE_ENTRY_DAMAGE = 2
NO_CARD = 0
ANNOUNCE = 1 << 40  # in a programme's number, beside five cards of seven bits

# bound for each game
SEATS, STARTING_LIVES, MAX_TURNS, UNDAMAGED_MAY_REST = 4, 3, 200, False
REDUCTION = 1  # which cards are alike: none (-1), and the levels 0 and 1 of `equivalence`


# --------------------------------------------------------------------------------------------------- small questions


def near(g: Ground, space: int, d: int) -> int:
    """The next space in a direction, or -1 for the outside."""
    return g[HEADER + PLANES * space + NEAR + d]


def plane(g: Ground, space: int, which: int) -> int:
    return g[HEADER + PLANES * space + which]


def walled(g: Ground, space: int, d: int) -> bool:
    return (g[HEADER + PLANES * space + WALLS] >> d) & 1 != 0


def robot_at(s: State, space: int) -> int:
    """The robot on a space, or -1. Only robots on the course have a space of at least 0."""
    for i in range(SEATS):
        if s[ROBOTS + ROBOT * i + AT] == space:
            return i
    return -1


def by_dock(s: State, dock: int) -> int:
    """The robot of a dock."""
    for i in range(SEATS):
        if s[ROBOTS + ROBOT * i + DOCK] == dock:
            return i
    return -1


def open_registers(damage: int) -> int:
    return min(REGISTERS, HAND_SIZE - damage)


def quarter_turns(card: int) -> int:
    """Clockwise quarter turns of a rotation, 0 for a translation."""
    if card <= 6:
        return 2
    if card <= 42:
        return 3 if card % 2 == 1 else 1
    return 0


def steps_of(card: int) -> int:
    """Spaces of a translation; -1 backs up."""
    if card <= 42:
        return 0
    if card <= 48:
        return -1
    if card <= 66:
        return 1
    return 2 if card <= 78 else 3


def is_awake(s: State, i: int) -> bool:
    at = ROBOTS + ROBOT * i
    return s[at + STATUS] == RACING and s[at + DOWN] == 0
