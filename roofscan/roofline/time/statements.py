"""What compiled code takes for statements on whole arrays inside loops, besides their own loops: to make an array and
return it, to set up the views and shapes of a statement, to call a library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import prod

from roofscan.cost.transform.array_operation import ArrayOperation, array_operation
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Branch, Loop, Operation
from roofscan.ir.visitor import loops_of, walk_with_blocks
from roofscan.roofline.time.numpy_calls import numpy_setups
from roofscan.roofline.time.row_setup import Around, RowSetup
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable

ALLOCATION, LARGE_ALLOCATION, SMALL_BYTES = 65, 195, 928
"""Cycles of an array that is made in a loop, and the largest that glibc keeps for its thread (tcache: chunks of up to
1032 bytes, with Numba's header)."""

OPERAND, ON_VIEWS, COPY, STORE = 38, 55, 15, 10
EXTREMUM, VARIANCE, SELECTION, LIBRARY = 50, 45, 400, 220
"""Cycles of a view in an expression that makes an array, which counts its owner's references; of another statement on
views; of a copy of one view to another; of storing an array or an element into a view; of a minimum or maximum, of a
variance, of ``np.where``, of a call of BLAS. Measured under Numba 0.68 on Zen 5 (a copy on Zen 4), on rows of 2 to 64
elements."""

Evaluate = Callable[[Expr], float]


def statement_cycles(kernel: Kernel, amount: Evaluate) -> float:
    """Of a call. A compiled function sets up only the statements in its loops."""
    found = setups(kernel) if kernel.decorator.compiled else numpy_setups(kernel)
    return sum(cycles_of(setup, amount) for setup in found)


def cycles_by_line(kernel: Kernel) -> Mapping[int, int]:
    """Of one run of the statements of a line: chains of the next run are not under way meanwhile."""
    found: dict[int, int] = {}
    for setup in setups(kernel):
        found[setup.line] = found.get(setup.line, 0) + setup.cycles
    return found


def cycles_of(setup: RowSetup, amount: Evaluate) -> float:
    runs = _runs(setup.around, amount)
    return runs * (LARGE_ALLOCATION if runs and _is_large(setup.size, amount) else setup.cycles)


def _is_large(size: Expr, amount: Evaluate) -> bool:
    try:
        return amount(size) > SMALL_BYTES
    except NotEvaluable:
        return False


def setups(kernel: Kernel) -> Iterator[RowSetup]:
    """With ``parallel=True`` Numba takes allocations out of loops, and makes loops of statements."""
    if not kernel.decorator.compiled or kernel.decorator.parallel or kernel.on_gpu:
        return
    places: dict[str, Around] = {}
    for node, around in walk_with_blocks(kernel.body):
        if isinstance(node, Loop):
            places[node.var] = (*around, node)
        if loops_of(around) and isinstance(node, (Loop, Operation)) and (cycles := _setup(kernel, node, around)):
            products = node.count.subs(_middles(around)) if isinstance(node, Operation) else ZERO
            yield RowSetup(cycles, around, node.line, products=products)
    for array in kernel.arrays:
        made_in = array.fresh_in or array.made_in
        if array.owner == array.name and made_in and made_in[-1] in places:
            size, inside = prod(array.shape, start=Expr.of(array.dtype.size)), places[made_in[-1]]
            yield RowSetup(ALLOCATION, inside, array.line, array.name, size.subs(_middles(inside)))


def _setup(kernel: Kernel, node: Loop | Operation, around: Around) -> int:
    """What a statement takes once. Sums and means of a row take no more than a loop, nor does filling one."""
    if isinstance(node, Operation):
        return LIBRARY if node.library and node.kind == "mul" else 0
    if any(loop.array_expression for loop in loops_of(around)):
        return 0
    found = array_operation(node)
    if found is None or not found.reads:
        return 0
    if not found.writes:
        return VARIANCE if found.is_variance else EXTREMUM * any(op.kind == "minmax" for op in found.operations)
    if not found.operations and len(found.reads) > 1:
        return SELECTION
    return _on_views(kernel, found, {loop.var for loop in loops_of(around)})


def _on_views(kernel: Kernel, found: ArrayOperation, outside: set[str]) -> int:
    """Of a statement that reads and stores rows chosen by the loops outside of it."""
    views = sum(any(e is not None and not outside.isdisjoint(e.symbols) for e in read.index) for read in found.reads)
    if views == 1 and _adds_to_vector(found, outside):
        return 0
    if all(kernel.array(write.array).is_made for write in found.writes):
        return OPERAND * views
    on_temporary = any(kernel.array(read.array).role == "temporary" for read in found.reads)
    if views and not found.operations and not on_temporary:
        return COPY
    return views * OPERAND * on_temporary + (ON_VIEWS if views else STORE)


def _adds_to_vector(found: ArrayOperation, outside: set[str]) -> bool:
    """``c += X[i]``, which LLVM makes the loop over elements itself (measured 0.9 ns for rows of 3, the same as it)."""
    reads, stored = found.reads, {write.array for write in found.writes}
    if len(reads) != 2 or len(found.operations) != 1 or {reads[0].array} != stored:
        return False
    return all(e is not None and outside.isdisjoint(e.symbols) for w in found.writes for e in w.index)


def _runs(around: Around, amount: Evaluate) -> float:
    """How often something inside these blocks runs, with the middle of each loop for its counter; 0 where that is not
    known."""
    runs, middles = 1.0, _middles(around)
    try:
        for block in around:
            if isinstance(block, Loop):
                runs *= max(0.0, amount(((block.stop - block.start) / block.step).subs(middles)))
            elif isinstance(block, Branch):
                runs *= amount(block.share)
    except NotEvaluable:
        return 0.0
    return runs


def _middles(around: Around) -> dict[str, Expr]:
    """The middle of each loop, of its outer loops' middles."""
    middles = dict[str, Expr]()
    for loop in loops_of(around):
        middles[loop.var] = ((loop.start + loop.stop) / 2).subs(middles)
    return middles
