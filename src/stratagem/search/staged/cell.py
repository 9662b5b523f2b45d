"""What the columns and cells of the arrays of a search by stages hold (`records`), by name."""

import math

# `rows`, before the sum of each seat's payoffs
VISITS, PENDING, SQUARES, PRIOR, ESTIMATE, SPREAD, CLOSED, LEAVES, COLUMNS = range(9)
# `quick`, what a choice compares: the centre and half-width of a child's interval (its error, or at least a rest in units of
# the node's deviation), and its bonus before the node's factor
CENTRE, ERROR, REST, BONUS, QUICK = range(5)
NOISE = ESTIMATE  # of a proposal: the noise it was perturbed with
# the first rows of a bandit's block: the node itself, the phantom, the children
ALL, PHANTOM, CHILDREN = 0, 1, 2
# `marks` of a turn; then the candidates that it is made of, one a stage
HANDLE, LINKS, CHOICES = 0, 1, 2
# `marks` of a proposal, whose HANDLE is its part
KIND, OF, FAMILY, REFINABLE, PROPOSAL_MARKS = 1, 2, 3, 4, 5
FIRST, FINE, COARSE, WAYS = range(4)  # how a part was asked for
# what all nodes have: where their block is, the power of two of its rows, rows in use
BLOCK, POWER, USED = 0, 1, 2
# `positions`
SEAT, PLAN, EXHAUSTED, IDLE, STAGES_UNDER, ALIVE, SERIAL, POSITION = 3, 4, 5, 6, 7, 8, 9, 10  # SERIAL: never used again
# `nodes`, one a stage in a context
STAGE, UNDER, OPEN, AGAIN, SOURCE, NEXT, NODE = 3, 4, 5, 6, 7, 8, 9
# `sources`
FRESH, CAN_REFINE, CAN_PERTURB, DRY, BUSY, LEARNS, USERS, SOURCE_CELLS = 3, 4, 5, 6, 7, 8, 9, 10
# `scans` of a position; then how far each stage is
SCANNING, SCAN_MADE, SCAN_AT = 0, 1, 2
# `counts`
ROOT, MADE, WALKS, LIMIT, ROWS_END, POSITIONS_END, NODES_END, SOURCES_END, LINKS_END, PLANS_END, LOCK, SERIALS = range(
    12
)
ENTRIES, FREE = 12, 13  # ENTRIES: of the tables `by_choice` and `by_context`, those of forgotten positions too
POWERS = 40  # free blocks by size; then free positions, nodes, sources, links: the first of each list, and how many
FREE_POSITIONS, FREE_NODES, FREE_SOURCES, FREE_LINKS = (FREE + POWERS + k for k in range(4))
HOW_MANY = 4  # behind the first of a list
ROWS_FREE = FREE + POWERS + 8
SPARED = ROWS_FREE + 1  # new candidates that a turn was not completed with, for what was thought of it half made
COUNTS = SPARED + 1
NONE = -1
ROW_BITS = 24  # a candidate or a turn: the number of its node, and its row
ROW_MASK = (1 << ROW_BITS) - 1

# `at` of a walker: what it does next, and with what
TODO, PLACE, DEPTH, STAGE_AT, ATTEMPT, TRIES, TURN, KNOWN, SUB, BASE, BACK, NEW, WAY, WAYS_LEFT = range(14)
LOOKS_LEFT, BEGUN, LEVEL_AT, IN_SCAN, FIRST_STREAM, TRIALS, PASSED, PAID, LESSONS, PENDED, SEED, AT = range(14, 26)
# `mail`: what Python is asked, and what it says
# a source, a base and a way; or a position, and of its turn the handle, the first stream and the trials
ASKED_ABOUT, ASKED_BASE, ASKED_WAY, ANSWER, ALONE, MAIL = range(6)  # ALONE: nothing else can lead to a position
EMPTIED = 4  # with a proposal: whether it was the last that there can be
ASKED_TURN, ASKED_FIRST, ASKED_TRIALS = 1, 2, 3
# `said`: numbers of both
SAID_NOISE, SAID_PRIOR, SAID_VALUE, SAID_SPREAD, SAID = range(5)

FIRST_POWER = 2  # of a node's block; most have few children, and a tree has many nodes
PLAN_CELLS = 1 << 14
UNKNOWN = math.inf  # a spread of which nothing is known; what the best reply leaves, where none was seen
