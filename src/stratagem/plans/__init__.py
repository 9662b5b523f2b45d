"""The five kinds of plan, free of any game."""
