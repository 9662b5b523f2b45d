"""Linear programmes by HiGHS (through SciPy), to tighter tolerances than its defaults of 1e-7, which leave gaps that large."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def minimise(cost: NDArray[np.float64], **constraints: Any) -> Any:
    """SciPy's result; `x` is None where there is no solution. Constraints are named as in `scipy.optimize.linprog`."""
    from scipy.optimize import linprog  # slow to import, and small games never need it

    solve: Any = linprog
    return solve(cost, method="highs", options=TIGHT, **constraints)
