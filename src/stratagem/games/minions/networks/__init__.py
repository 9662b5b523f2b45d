"""Networks for Minions: records of self-play that they learn from, and what each of them is."""
