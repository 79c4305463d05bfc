"""The times of NumPy's functions that run loops of their own, and of Numba's versions of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Operation


@dataclass(frozen=True)
class FunctionTime:
    """Cycles of each operation that is counted, and what takes them."""

    operation: float
    limit: Literal["scalar", "chain"] = "scalar"


OF_NUMPY: Mapping[str, FunctionTime] = {
    **dict.fromkeys(("cumsum", "cumprod"), FunctionTime(12.0, "chain")),  # each result is stored, and read again
    "accumulate": FunctionTime(12.0, "chain"),
    "gradient": FunctionTime(1.25),
    **dict.fromkeys(("trapezoid", "trapz"), FunctionTime(0.8)),
    **dict.fromkeys(("convolve", "correlate"), FunctionTime(0.55)),
    "interp": FunctionTime(2.2),  # 2 at sorted points, 6 at others
    "polyval": FunctionTime(0.75),
    "cross": FunctionTime(2.5),
    "linspace": FunctionTime(1.4),
}
"""Measured under NumPy 2.4 on 60 to 6,000 elements, at 3.7 GHz."""

OF_NUMBA: Mapping[str, FunctionTime] = {
    **dict.fromkeys(("cumsum", "cumprod"), FunctionTime(3.2, "chain")),
    **dict.fromkeys(("trapezoid", "trapz"), FunctionTime(1.1)),
    **dict.fromkeys(("convolve", "correlate"), FunctionTime(0.95)),
    "interp": FunctionTime(4.5),  # 3 at sorted points, 6 at others
    "cross": FunctionTime(2.5),
    "linspace": FunctionTime(0.15),
}
"""Likewise under Numba 0.68."""

CALLS: Mapping[str, int] = {
    **dict.fromkeys(("cumsum", "cumprod"), 5500),
    "accumulate": 1700,
    "gradient": 24000,
    **dict.fromkeys(("trapezoid", "trapz"), 15500),
    **dict.fromkeys(("convolve", "correlate"), 3200),
    "interp": 2300,
    "polyval": 19000,
    "cross": 58000,
    "linspace": 16500,
    **dict.fromkeys(("mean", "average", "ptp"), 11700),
    **dict.fromkeys(("max", "min", "amax", "amin", "prod"), 7900),
    **dict.fromkeys(("any", "all"), 9500),
    **dict.fromkeys(("nansum", "nanmax", "nanmin"), 16000),
    "nanmean": 39000,
    **dict.fromkeys(("argmax", "argmin"), 3950),
    "count_nonzero": 1900,
    "norm": 4300,
    "diff": 8000,
    "roll": 22000,
    "concatenate": 3100,
    "repeat": 3900,
    "tile": 10300,
    "outer": 9500,
    "clip": 8200,
    **dict.fromkeys(("round", "around"), 5500),
}
"""Cycles of a call of NumPy on a few elements, likewise; those of the others follow from what their loops do
(``numpy_calls.py``)."""

NO_FUNCTIONS: Mapping[str, FunctionTime] = {}

FASTEST = 0.4  # of these times: other data, and versions with more vector code


def library_times(kernel: Kernel) -> Mapping[str, FunctionTime]:
    """By the name of the function, whatever module has it."""
    return OF_NUMBA if kernel.decorator.compiled else OF_NUMPY


def time_of(kernel: Kernel, operation: Operation) -> FunctionTime | None:
    """Of the function whose loops do it, where that is known."""
    return library_times(kernel).get(operation.part_of.name) if operation.part_of else None
