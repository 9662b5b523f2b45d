"""`stratagem mcp`: games, analyses and equilibria as tools for other programs."""

from __future__ import annotations

from typing import Annotated

import typer


def mcp(
    files: Annotated[list[str] | None, typer.Argument(help="games of your own to offer beside the others")] = None,
) -> None:
    """Serve the tools of the Model Context Protocol on standard input and output (extra mcp)."""
    from stratagem.web.mcp import serve

    serve(files or [])
