"""Machine files for tests: the smallest CPU and the smallest GPU, and how to change one line of them."""

from __future__ import annotations

CPU = """\
kind = "cpu"
cores = 4
source = "made up"
clock = 2e9

[[level]]
name = "L1"
capacity = 32768
bandwidth_core = 100e9

[[level]]
name = "DRAM"
bandwidth_core = 10e9
bandwidth_all = { nameplate = 40e9, achieved = 30e9, source = "stream" }

[core.fp64]
fma = 32e9

[core.fp32]
fma = 64e9
"""

GPU = """\
kind = "gpu"
cores = 100
source = "made up"
clock = 1e9

[[level]]
name = "L2"
capacity = 1048576
bandwidth_all = 4e12

[[level]]
name = "HBM"
bandwidth_all = 1e12

[all.fp64]
fma = 5e12

[all.fp32]
fma = 10e12

[tensor]
bf16 = 200e12
"""


def changed(text: str, old: str, new: str) -> str:
    """``text`` with its first ``old`` replaced, which must be there."""
    assert old in text
    return text.replace(old, new, 1)
