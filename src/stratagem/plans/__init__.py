"""What each kind of plan is, free of any game: its parts, text, count, rank, a random one. How one is chosen is `search`."""
