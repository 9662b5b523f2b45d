"""For all tests: children take over an ignored interrupt, as a job in the background has, and could not be stopped."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
