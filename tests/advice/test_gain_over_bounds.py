"""No gain is promised over traffic that is only bounded: the bound is not what the kernel moves."""

from __future__ import annotations

import re

from roofscan.api import check_source

GATHER = """\
from numba import njit


# roofscan: x=f4[n] y=f4[n]
@njit
def gathered(x, at, y):
    for i in range(len(y)):
        y[i] = 0.5 * x[at[i]]
"""


def test_float32_promises_no_more_than_half_the_bytes() -> None:
    (message,) = (f.message for f in check_source(GATHER) if f.code == "RFL401")
    assert all(float(times) <= 2 for times in re.findall(r"([\d.]+) ?(?:x|times) faster", message))
    assert "np.float32" in message
