"""`stratagem version`."""

from __future__ import annotations

import platform


def version() -> None:
    """Print the versions that matter to results and speed."""
    import numba
    import numpy

    from stratagem import __version__

    print(
        f"stratagem {__version__}, Python {platform.python_version()}, Numba {numba.__version__}, NumPy {numpy.__version__}"
    )
