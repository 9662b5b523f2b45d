"""Public programs beside ours: each is found through a variable, and nothing of theirs is part of this project."""
