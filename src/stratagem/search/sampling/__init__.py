"""Playouts, and flat Monte-Carlo made of them: on one core, on many, on a GPU."""
