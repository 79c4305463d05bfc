"""The time of a call apart from its loops: to enter it, to start threads, to make and return arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod

from roofscan.cost.result import NestCost
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.symbolic.expr import Expr

KEPT_BYTES = 32 << 20  # the largest array whose memory glibc keeps for the next
KEPT_IN_ANY_CASE = 128 << 10
KEPT_OF_LARGEST = 2
"""glibc returns the free end of its heap to the system, but for that many bytes, where it is larger, and at least twice
the largest array that it has returned before (mallopt(3): M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD)."""

Evaluate = Callable[[Expr], float]


def call_seconds(kernel: Kernel, nests: Iterable[NestCost], machine: Machine, amount: Evaluate) -> float:
    timing, regions = machine.timing, sum(nest.split for nest in nests)
    fresh = [a for a in kernel.arrays if a.is_made and not (a.fresh_in or a.buffer)]
    made = sum(_made(array, machine) for array in fresh)
    pages = _new_bytes([_size(array, amount) for array in fresh], kernel) / timing.page.value
    return entry_seconds(kernel, machine) + regions * timing.fork.value + made + pages * timing.fault.value


def entry_seconds(kernel: Kernel, machine: Machine) -> float:
    """Seconds from Python into the compiled code and back."""
    arrays = sum(array.role == "parameter" for array in kernel.arrays)
    return machine.timing.call.value + arrays * machine.timing.call_array.value


def _made(array: Array, machine: Machine) -> float:
    """Seconds to make an array of the call's own, and to return it."""
    timing = machine.timing
    return timing.allocate.value + (timing.call_result.value if array.live_out else 0.0)


def _size(array: Array, amount: Evaluate) -> float:
    return prod((amount(extent) for extent in array.shape), start=float(array.dtype.size))


def _new_bytes(sizes: Sequence[float], kernel: Kernel) -> float:
    """Of the arrays that a call makes, those whose pages are fresh from the system: too large for the allocator to
    keep one, or all of them together."""
    large = sum(size for size in sizes if size > KEPT_BYTES)
    rest = [size for size in sizes if size <= KEPT_BYTES]
    together = sum(rest)
    kept = max(KEPT_IN_ANY_CASE, KEPT_OF_LARGEST * max(rest, default=0.0))
    is_returned = kernel.decorator.compiled and together >= kept
    return large + (together - KEPT_IN_ANY_CASE if is_returned else 0.0)
