"""`stratagem cache`: where compiled code is kept."""

from __future__ import annotations

import typer

from stratagem.compile import cache_folder, clear_cache, limit_bytes
from stratagem.compile.shipped import shipped

app = typer.Typer(no_args_is_help=True, help="Show or empty the folder of compiled code.")


@app.command()
def show() -> None:
    """Print the cache folder, its size and its limit, and whether the code of `stratagem-kernels` is used."""
    folder = cache_folder()
    files = [path for path in folder.rglob("*") if path.is_file()] if folder.is_dir() else []
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"{folder}: {len(files)} files, {size:.1f} MB of at most {limit_bytes() / 1e6:.0f} (STRATAGEM_CACHE_MB)")
    found = shipped()
    if found.why_not:
        print(f"stratagem-kernels is not used: {found.why_not}")
    elif found.data is not None:
        print(
            f"stratagem-kernels: {len(found.functions or ())} functions for {found.data.stem}, in {found.data.parent}"
        )


@app.command()
def clear() -> None:
    """Empty the cache folder; what is needed again is compiled again."""
    print(f"{clear_cache()} files removed")
