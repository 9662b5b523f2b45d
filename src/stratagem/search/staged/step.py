"""The steps of a walk, and what `core.simulate` returns."""

# what a walker does next
START, CHOOSE, MAKE, ATTEMPTED, PART, WIDEN, ASK, TOLD, TAKE, WIDENED, HALVED, JOIN, JOINED = range(13)
SCAN, LEVEL, LEVEL_WIDENED, FOUND, CHOSEN, PLAYED, NOTHING, REACHED, TALLY, BACK_UP, LEARN = range(13, 24)

# what `simulate` returns: requests, and how it ended
GO, ENDED, NOTHING_LEFT, WANT_STAGE, WANT_PROPOSAL, WANT_HALF, WANT_TURN, WANT_PLAY, WANT_TRIALS, WANT_LEARN = range(10)
WAIT, NO_CANDIDATE, NO_PAYOFF, BAD_PRIOR, WANT_ROOM = range(10, 15)
