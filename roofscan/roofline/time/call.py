"""The time of a call apart from its loops: to enter it, to start threads, to make and return arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roofscan.cost.result import NestCost
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.roofline.time.fresh_memory import fresh_pages
from roofscan.symbolic.expr import Expr

Evaluate = Callable[[Expr], float]


def call_seconds(kernel: Kernel, nests: Iterable[NestCost], machine: Machine, amount: Evaluate) -> float:
    timing, regions = machine.timing, sum(nest.split for nest in nests)
    fresh = _fresh(kernel) if kernel.decorator.compiled else []  # else NumPy's calls take the time
    made = sum(_made(array, machine) for array in fresh)
    touched = fresh_pages(kernel, machine, amount) * timing.fault.value
    return entry_seconds(kernel, machine) + regions * timing.fork.value + made + touched


def allocation_seconds(kernel: Kernel, machine: Machine) -> float:
    """Seconds to make the arrays of a compiled function that compiled code calls."""
    return len(_fresh(kernel)) * machine.timing.allocate.value


def _fresh(kernel: Kernel) -> list[Array]:
    return [array for array in kernel.arrays if array.is_made and not (array.fresh_in or array.buffer)]


def entry_seconds(kernel: Kernel, machine: Machine) -> float:
    """Seconds from Python into the function and back: compiled code unpacks its arrays."""
    arrays = sum(array.role == "parameter" for array in kernel.arrays) if kernel.decorator.compiled else 0
    return machine.timing.call.value + arrays * machine.timing.call_array.value


def _made(array: Array, machine: Machine) -> float:
    """Seconds to make an array of the call's own, and to return it."""
    timing = machine.timing
    return timing.allocate.value + (timing.call_result.value if array.live_out else 0.0)
