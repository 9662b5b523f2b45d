"""Protocols by which other programs play, and by which we play with them."""
