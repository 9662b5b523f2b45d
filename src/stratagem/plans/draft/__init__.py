"""Drafts: the order in which to take items that others want too."""
