"""What a game may declare beside its rules: drawing, wording, editing, panels, puzzles, steps, SGF."""
