"""Memory models of kernels that once had none: what a case leaves out, and rows of memory that data index too."""

from __future__ import annotations

from roofscan.api import analyze_source
from roofscan.roofline.time.page_walks import page_walks

HEAD = "import numpy as np\nfrom numba import njit, prange\n\n\n"

LEAST = """@njit(parallel=True)
def least(dem, steps):
    out = np.full(dem.shape, np.inf)
    for i in prange(steps):
        shifted = dem.copy()
        shifted[: dem.shape[0] - i, :] = dem[i:, :]
        angle = np.arctan2(shifted - dem, float(i))
        idxs = np.flatnonzero(angle < out)
        out.ravel()[idxs] = angle.ravel()[idxs]
    return out
"""

OF_POWERS = """@njit
def total(x):
    s = 0.0
    n, m = x.shape
    for j in range(2**n):
        for i in range(n):
            s += x[i, m - 1] * j
    return s
"""


def test_flat_memory_that_data_index_gets_rows() -> None:
    [kernel] = analyze_source(HEAD + LEAST).kernels
    assert kernel.reports[0].cost.reuse is not None
    assert not [f for f in kernel.findings if f.code == "RFL999"]


def test_more_trips_than_a_float_holds_are_no_walk() -> None:
    [kernel] = analyze_source(HEAD + OF_POWERS).kernels
    values = {"n": 5000, "m": 1000}
    assert not list(page_walks(kernel.reports[0].cost.kernel, values, 4096.0, 1000.0))
