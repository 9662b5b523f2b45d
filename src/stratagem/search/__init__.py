"""Searches: templates over kernels, specialised to a game by `stratagem.compile`. None of them knows a game."""
