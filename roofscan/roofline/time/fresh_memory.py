"""The pages of arrays that the system hands out anew in each call, as they take time to touch: of what is too large for
the heap, and of what is free at its end (glibc; mallopt(3): M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from roofscan.cost.transform.array_operation import array_operations
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.symbolic.expr import Expr

KEPT_BYTES = 32 << 20  # from which on glibc keeps no array for the next: its header comes on top
KEPT_IN_ANY_CASE = 128 << 10
KEPT_OF_LARGEST = 2
"""glibc returns the free end of its heap to the system, but for that many bytes, where it is larger, and at least twice
the largest array that it has returned before."""

HUGE_SHARE, HUGE_EDGE = 0.24, 300
"""Of the time of its pages, what the first touch of NumPy's huge pages takes, and the single pages that an array has
besides. Measured on Zen 4 with transparent huge pages on request, arrays of 8 to 70 MB."""

OPERATORS = frozenset(("add", "sub", "mul", "div", "neg"))
"""The operations of operators, which may write over a temporary (NumPy: "temporary elision", from 256 KiB on)."""

Evaluate = Callable[[Expr], float]


def fresh_pages(kernel: Kernel, machine: Machine, amount: Evaluate) -> float:
    """How many single pages take as long to touch. Of arrays of plain Python that fit the heap none are: where others
    lie behind them, its end is not free. (Where nothing does, two that live at a time are handed out anew, which can
    take several times what the operations do.)"""
    page = machine.timing.page.value
    reused = set() if kernel.decorator.compiled else set(_in_dying_memory(kernel, amount))
    made = (a for a in kernel.arrays if a.is_made and not (a.fresh_in or a.buffer) and a.name not in reused)
    sizes = [_size(array, amount) for array in made]
    if kernel.decorator.compiled:
        return _returned(sizes) / page
    large = [size for size in (*sizes, *_of_variances(kernel, amount)) if size >= KEPT_BYTES]
    return sum(HUGE_SHARE * size / page + HUGE_EDGE for size in large)


def _in_dying_memory(kernel: Kernel, amount: Evaluate) -> Iterator[str]:
    """The results that NumPy puts where a temporary of their size was, which an operator has read for the last time:
    in ``(a - b) ** 2`` and ``a + b + c``, there is one array."""
    for step in array_operations(kernel.body):
        kinds = {operation.kind for operation in step.operations}
        dying = [a for r in step.reads if (a := kernel.array(r.array)).role == "temporary"]
        for result in (kernel.array(write.array) for write in step.writes):
            if kinds <= OPERATORS and any(_size(a, amount) == _size(result, amount) for a in dying):
                yield result.name


def _size(array: Array, amount: Evaluate) -> float:
    return prod((amount(extent) for extent in array.shape), start=float(array.dtype.size))


def _returned(sizes: Sequence[float]) -> float:
    """Of the arrays of a compiled function, which frees them at its end: those too large for the heap, or all of them
    together."""
    large = sum(size for size in sizes if size >= KEPT_BYTES)
    rest = [size for size in sizes if size < KEPT_BYTES]
    together = sum(rest)
    kept = max(KEPT_IN_ANY_CASE, KEPT_OF_LARGEST * max(rest, default=0.0))
    return large + (together - KEPT_IN_ANY_CASE if together >= kept else 0.0)


def _of_variances(kernel: Kernel, amount: Evaluate) -> Iterator[float]:
    """NumPy makes an array of what the elements differ by from their mean."""
    for step in array_operations(kernel.body):
        if step.is_variance:
            yield prod((amount(loop.stop - loop.start) for loop in step.loops), start=8.0)
