"""The engine of Minions: a turn by stages, compiled proposals and judgement, and its reasons in words."""
