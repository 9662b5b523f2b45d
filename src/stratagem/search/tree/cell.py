"""Where things lie in the arrays of a search tree (`records`): numbers that templates read as `cell.VISITS`."""

PAIR = 2  # cells a node in `stats` and in `nodes`
# `stats`: visits, and the sum of payoffs above LOW to the player who moved into the node
# (so that a walk under way, its visit counted and its payoff still to come, counts as lost: the virtual loss)
VISITS, TOTAL = 0, 1
# `quick`, what UCT compares: the mean above LOW, 1 / sqrt(visits), and for its own children sqrt(log visits); derived from
# `stats` whenever those change, so that a walk waits for no logarithm or root. A proven node has its exact value for a mean and
# no spread. The last cell is an int32, the node's first child or 0; `firsts` is the same memory.
MEAN, SPREAD, LOGS, FIRST = 0, 1, 2, 3
QUICK = 4  # cells a node
UNTRIED = 1e30  # the spread of a child without visits: it comes before every other
MOST_NODES = 2**31 - 1  # that FIRST can tell apart
# `nodes`: the move into the node, and its kind, the number of children above the flags
MOVE, KIND = 0, 1
FLAG_BITS = 4
PROVEN = 1  # a flag: this node's value is exact
# `pool`: the next free node and the end of a thread's range, and where it began
NEXT, END, BEGIN = 0, 1, 2
# `batches`, five numbers a slot: the walks that a thread takes through a node that all threads know well (see `traffic`)
NODE, CHILD, LEFT, GAIN, MOVER = 0, 1, 2, 3, 4
BATCH = 5
SLOTS = 1024
# `arms`, three numbers a root child, and three more for the root itself: this search's own count, sum, squares
SAMPLES, SUM, SQUARES = 0, 1, 2
ARM = 3

ROOT, NO_NODE = 0, -1
PATH = 1024  # the deepest a path goes into the tree; deeper nodes stay leaves
