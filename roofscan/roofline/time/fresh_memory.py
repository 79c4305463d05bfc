"""The pages of arrays that the system hands out anew in each call, as they take time to touch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

from roofscan.cost.transform.array_operation import ArrayOperation, array_operations
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.visitor import outermost_loops
from roofscan.machine.model import Machine
from roofscan.roofline.time.conflicts import HUGE
from roofscan.roofline.time.heap import KEPT_BYTES, KEPT_IN_ANY_CASE, KEPT_OF_LARGEST, Heap
from roofscan.symbolic.expr import Expr

ELIDED_BYTES = 256 << 10  # from which on NumPy stores a result in an operand that nothing else reads
HUGE_SHARE, HUGE_EDGE = 0.24, 300
"""Of the time of its pages, what the first touch of huge pages takes, and the single pages that an array has besides.
Measured on Zen 4 with transparent huge pages on request, arrays of 8 to 70 MB."""

_ELIDING = ("add", "sub", "mul", "div")

Evaluate = Callable[[Expr], float]


def fresh_pages(kernel: Kernel, machine: Machine, amount: Evaluate) -> float:
    """How many single pages take as long to touch."""
    made = {a.name: _size(a, amount) for a in kernel.arrays if a.is_made and not (a.fresh_in or a.buffer)}
    if kernel.decorator.compiled:
        return _returned(list(made.values())) / machine.timing.page.value
    return _pages_of_python(kernel, made, amount, machine.timing.page.value)


def _size(array: Array, amount: Evaluate) -> float:
    return prod((amount(extent) for extent in array.shape), start=float(array.dtype.size))


def _returned(sizes: Sequence[float]) -> float:
    """Of the arrays of a compiled function, which frees them at its end: those too large for the heap, or all of them
    together."""
    large = sum(size for size in sizes if size > KEPT_BYTES)
    rest = [size for size in sizes if size <= KEPT_BYTES]
    together = sum(rest)
    kept = max(KEPT_IN_ANY_CASE, KEPT_OF_LARGEST * max(rest, default=0.0))
    return large + (together - KEPT_IN_ANY_CASE if together >= kept else 0.0)


def _pages_of_python(kernel: Kernel, made: dict[str, float], amount: Evaluate, page: float) -> float:
    """Python frees a temporary once it was read, and names at the end."""
    on_heap = {name: size for name, size in made.items() if size <= KEPT_BYTES}
    heap, steps = Heap(max(on_heap.values(), default=0.0)), list(_steps(kernel))
    large = sum(_pages(size, size, page) for size in made.values() if size > KEPT_BYTES)
    for _ in range(2):  # the second call finds what the first one left
        heap.fresh = 0.0
        _call(heap, kernel, steps, on_heap, amount)
    return large + _pages(heap.fresh, max(on_heap.values(), default=0.0), page)


def _pages(fresh: float, size: float, page: float) -> float:
    """Of so many bytes in arrays of a size: NumPy asks for huge pages for large ones."""
    if size < HUGE or not fresh:
        return fresh / page
    return min(fresh / page, HUGE_SHARE * fresh / page + HUGE_EDGE * fresh / size)


def _steps(kernel: Kernel) -> Iterator[ArrayOperation]:
    """The operations outside loops."""
    return (step for step in array_operations(kernel.body) if step.loops[0] in (*outermost_loops(kernel.body),))


def _call(
    heap: Heap, kernel: Kernel, steps: Sequence[ArrayOperation], sizes: dict[str, float], amount: Evaluate
) -> None:
    last = {read.array: number for number, step in enumerate(steps) for read in step.reads}
    live: dict[str, None] = {}
    for number, step in enumerate(steps):
        dying = [n for n in live if kernel.array(n).role == "temporary" and last.get(n) == number]
        for name in {write.array for write in step.writes} & sizes.keys() - live.keys():
            taken = next((n for n in dying if _elides(kernel, step, name, n, sizes)), None)
            if taken is None:
                heap.allocate(name, sizes[name])
            else:
                heap.rename(taken, name)
                dying.remove(taken)
                del live[taken]
            live[name] = None
        if step.is_variance:
            _of_variance(heap, kernel, step, amount)
        for name in dying:
            heap.free(name)
            del live[name]
    for name in reversed(live):
        heap.free(name)


def _elides(kernel: Kernel, step: ArrayOperation, made: str, operand: str, sizes: dict[str, float]) -> bool:
    """Whether NumPy stores the result of an operator in the operand (``temp_elision.c``)."""
    alike = kernel.array(made).shape == kernel.array(operand).shape and sizes[made] == sizes[operand]
    whole = all(len(read.index) == len(kernel.array(made).shape) for read in step.reads)
    return (
        alike
        and whole
        and sizes[made] >= ELIDED_BYTES
        and [op.kind for op in step.operations][1:] == []
        and any(op.kind in _ELIDING for op in step.operations)
    )


def _of_variance(heap: Heap, kernel: Kernel, step: ArrayOperation, amount: Evaluate) -> None:
    """NumPy makes an array of what the elements differ by from their mean."""
    size = prod((amount(loop.stop - loop.start) for loop in step.loops), start=8.0)
    if size <= KEPT_BYTES:
        heap.allocate(step.line, size)
        heap.free(step.line)
