"""`stratagem cache`: where compiled code is kept."""

from __future__ import annotations

import typer

from stratagem.compile import cache_folder, clear_cache, limit_bytes

app = typer.Typer(no_args_is_help=True, help="Where compiled code is kept.")


@app.command()
def show() -> None:
    """Print the cache folder, its size and the limit of its size."""
    folder = cache_folder()
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{folder}: {len(files)} files, {size:.1f} MB of at most {limit_bytes() / 1e6:.0f} (STRATAGEM_CACHE_MB)")


@app.command()
def clear() -> None:
    """Empty the cache folder; what is needed again is compiled again."""
    print(f"{clear_cache()} files removed")
