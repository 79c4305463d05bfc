"""What NumPy takes for the whole-array operations of plain Python besides their loops: to call each, to make its views,
and to start each run of elements that no larger one holds."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.transform.array_operation import ArrayOperation, array_operation
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Block, LibraryCall, Loop, Operation
from roofscan.ir.visitor import loops_of, walk_with_blocks
from roofscan.roofline.time.library_functions import CALLS
from roofscan.roofline.time.row_setup import RowSetup
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

UFUNC, ITERATED, COPY, SELECTION = 950, 3200, 550, 3000
REDUCTION, VARIANCE, LIBRARY = 5500, 28000, 1900
NUMBER, VIEW, RUN, RUN_OF_SUM, RUN_OF_EXTREMUM = 750, 290, 10, 55, 95
"""Cycles of a call on arrays of four elements: of an operation on entire arrays, and on others; of a copy and of
``np.where``; of a sum (between its function's 7,400 and its method's 3,500), of a variance, of a product; of an operand
that is a number; of a view; of each operand of a run, and of a run that is added up or searched. Measured under NumPy
2.4 and CPython 3.11 on Zen 4."""

COMPILED = 900  # of a call of a compiled function with three arrays, likewise

_OF_TWO = ("add", "sub", "mul", "div")


def numpy_setups(kernel: Kernel) -> Iterator[RowSetup]:
    """Of a function that Python runs."""
    called = set[LibraryCall]()
    for node, around in walk_with_blocks(kernel.body):
        outside = loops_of(around)
        if any(loop.array_expression or loop.compiled for loop in outside):
            continue
        call = node.part_of if isinstance(node, (Loop, Operation)) else None
        cycles = CALLS.get(call.name) if call else None
        if call and cycles is not None and call not in called:
            yield RowSetup(cycles, around, node.line)
            called.add(call)
        if isinstance(node, Loop) and node.compiled and outside:
            yield RowSetup(COMPILED, around, node.line)
        elif isinstance(node, Operation) and node.library and node.kind == "mul" and call not in called:
            yield RowSetup(LIBRARY, around, node.line)
        elif isinstance(node, Loop) and not node.compiled and (found := array_operation(node)):
            yield from _of_operation(kernel, found, around, call in called)


def _of_operation(
    kernel: Kernel, found: ArrayOperation, around: tuple[Block, ...], is_priced: bool
) -> Iterator[RowSetup]:
    """``is_priced``: the call that it is part of has a price."""
    touched = [node for node in (*found.reads, *found.writes) if not kernel.array(node.array).buffer]
    apart = _merged(kernel, found)
    views = sum(not _is_whole(kernel, found, access) for access in touched)
    if not is_priced and (found.writes or any(loop.state for loop in found.loops)):
        yield RowSetup(_call(found, apart) + VIEW * views, around, found.line)
    if apart:
        runs: tuple[Block, ...] = found.loops[:apart]
        yield RowSetup(RUN * len(touched) if found.writes else _run_of(found), (*around, *runs), found.line)


def _run_of(found: ArrayOperation) -> int:
    return RUN_OF_EXTREMUM if any(operation.kind == "minmax" for operation in found.operations) else RUN_OF_SUM


def _call(found: ArrayOperation, apart: int) -> int:
    if not found.writes:
        return VARIANCE if found.is_variance else REDUCTION
    if not found.operations:
        return SELECTION if len(found.reads) > 1 else COPY
    has_number = len(found.reads) == 1 and any(operation.kind in _OF_TWO for operation in found.operations)
    return (ITERATED if apart else UFUNC) + NUMBER * has_number


def _merged(kernel: Kernel, found: ArrayOperation) -> int:
    """How many of its outer loops are left where NumPy takes rows that lie behind one another for one."""
    left, touched = len(found.loops) - 1, (*found.reads, *found.writes)
    while left and all(_go_on(kernel, access, found.loops[left - 1 : left + 1]) for access in touched):
        left -= 1
    return left


def _go_on(kernel: Kernel, access: Access, pair: tuple[Loop, ...]) -> bool:
    """Whether the elements of an iteration of the outer loop begin behind those of the one before."""
    outer, inner = pair
    if outer.state != inner.state:  # results are kept along one of them alone
        return False
    axes = {e: axis for axis, e in enumerate(access.index) if e is not None}
    shape = kernel.array(access.array).shape
    axis = axes.get(symbol(inner.var), len(shape))
    return axis < len(shape) and inner.stop == shape[axis] and _starts(axes, outer, axis - 1)


def _starts(axes: dict[Expr, int], outer: Loop, axis: int) -> bool:
    """Whether the outer loop walks an axis, from wherever."""
    return any(place == axis and outer.var in subscript.symbols for subscript, place in axes.items())


def _is_whole(kernel: Kernel, found: ArrayOperation, access: Access) -> bool:
    """Whether it takes all elements of an array, which needs no view."""
    ends = {symbol(loop.var): loop.stop for loop in found.loops if loop.start == ZERO and loop.step == ONE}
    shape = kernel.array(access.array).shape
    pairs = zip(access.index, shape, strict=False)
    return len(access.index) == len(shape) and all(e is not None and ends.get(e) == extent for e, extent in pairs)
