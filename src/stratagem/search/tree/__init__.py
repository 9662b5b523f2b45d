"""Trees grown by sampling: UCT and PUCT, information sets for joint moves and secrets, sampled worlds."""
