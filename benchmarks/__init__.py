"""Claims about speed, one file each: ours and a named peer alternating in one run, medians and their ratio."""
