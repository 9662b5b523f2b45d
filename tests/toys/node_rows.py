"""The arrays of a search tree as tables with a row a node, for tests that compare many nodes at once."""

from types import SimpleNamespace


def rows(tree):
    """The arrays, not copied: stats [nodes, 2], quick and firsts [nodes, 4], nodes [nodes, 2]; exact and priors as they are."""
    tables = {name: getattr(tree, name).reshape(tree.size, -1) for name in ("stats", "quick", "firsts", "nodes")}
    return SimpleNamespace(**tables, exact=tree.exact, priors=tree.priors)
