"""The time of a call apart from its loops: to enter it, to start threads, to make and hand out arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roofscan.cost.result import NestCost
from roofscan.ir.kernel import Array, Kernel
from roofscan.machine.model import Machine
from roofscan.symbolic.expr import Expr

KEPT_BYTES = 32 << 20  # the largest array whose memory glibc keeps for the next

Evaluate = Callable[[Expr], float]


def call_seconds(kernel: Kernel, nests: Iterable[NestCost], machine: Machine, amount: Evaluate) -> float:
    regions = sum(nest.split for nest in nests)
    fresh = (a for a in kernel.arrays if a.role in ("temporary", "local") and not (a.fresh_in or a.buffer))
    made = sum(_fresh(array, machine, amount) for array in fresh)
    return entry_seconds(kernel, machine) + regions * machine.timing.fork.value + made


def entry_seconds(kernel: Kernel, machine: Machine) -> float:
    """Seconds from Python into the compiled code and back."""
    arrays = sum(array.role == "parameter" for array in kernel.arrays)
    return machine.timing.call.value + arrays * machine.timing.call_array.value


def _fresh(array: Array, machine: Machine, amount: Evaluate) -> float:
    """Seconds that an array of the call's own takes: to make it, to hand it out, and to touch its pages first if it is
    too large for an allocator to keep."""
    timing, size = machine.timing, float(array.dtype.size)
    for extent in array.shape:
        size *= amount(extent)
    pages = size / timing.page.value if size > KEPT_BYTES else 0.0
    handed_out = timing.call_array.value if array.live_out else 0.0
    return timing.allocate.value + handed_out + pages * timing.fault.value
