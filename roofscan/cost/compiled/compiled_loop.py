"""Whether Numba and LLVM make vector code of a loop. The rules are those of Numba 0.68 on x86-64 with AVX2 or AVX-512:
each is one row of ``_RULES``, and a loop is vector code where none applies (``tests/cost/test_compiled_loops.py``
compiles an example of each). Numba keeps a test for negative values with each subscript whose sign it cannot infer
(numba issues 1226, 2390 and 10670), and one for a zero divisor under Python's error model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from math import prod

from roofscan.cost.compiled.beyond_arithmetic import calls
from roofscan.cost.loop_body import (
    LOADED_STRIDES,
    LoopBody,
    changing_nodes,
    is_moved,
    moved_last,
    reads_of_written_rows,
)
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import ScalarReason
from roofscan.ir.tree import Access, Leaf, Loop, Operation
from roofscan.ir.visitor import leaves, loops
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

UNSWITCHED = (2, 4, 2)
"""Numba's expressions test in each iteration which axes of their operands are broadcast. Up to so many operands, by the
axes of the result, LLVM makes loops without these tests. Measured under Numba 0.68 on Zen 5."""

_SIDES = (0, 1, -1)

FOLDED = 1024
"""Numba compiles an array of the enclosing scope in as a constant, and LLVM works out what a test of any of its
elements gives, up to so many (``MaxArraySizeForCombine`` of InstCombine; measured with 1,024 and 1,026)."""


def _strided(code: LoopBody) -> bool:
    return any(
        stride not in _SIDES and (access.write or stride not in LOADED_STRIDES)
        for access in code.accesses
        if (access.regular or code.is_row(access)) and (stride := code.stride(access))
    )


def _gathers(code: LoopBody) -> bool:
    return any(not (access.regular or code.is_row(access)) for access in code.accesses)


def _chained(code: LoopBody) -> bool:
    if code.loop.integers.chains:
        return True
    if code.loop.var in code.serial_chains or any(code.unrolled and _stays(code, a) for a in code.accesses):
        return True
    return any(_may_meet(code, w, r) for w in code.accesses if w.write for r in code.accesses if r.array == w.array)


def _may_meet(code: LoopBody, write: Access, read: Access) -> bool:
    """Whether an iteration reads what another one writes, a number of iterations away that no one knows before the
    loop runs: ``x[i] += x[i - lag]``. Views would overlap as well."""
    if read.write or not (write.regular and read.regular) or not is_moved(write, code.loop.var):
        return False
    apart = [a - b for a, b in zip(write.index, read.index, strict=False) if a is not None and b is not None]
    unknown = [gap for gap in apart if gap.constant is None]
    return len(unknown) == 1 and all(gap == ZERO for gap in apart if gap is not unknown[0]) and _is_lag(code, *unknown)


def _is_lag(code: LoopBody, gap: Expr) -> bool:
    """Whether it is of scalar parameters alone: no loop moves it, and no half of an array is as long."""
    return not gap.atoms and gap.symbols <= set(code.kernel.parameters)


def _stays(code: LoopBody, access: Access) -> bool:
    """Whether each iteration stores what the next one loads, in an element that the unrolled loops alone move."""
    return access.write and access.regular and not is_moved(access, code.loop.var)


def _tests_subscripts(code: LoopBody) -> bool:
    return any(code.keeps_test(e) for access in code.accesses for e in access.written or access.index)


def _tests_divisors(code: LoopBody) -> bool:
    return bool(tested_divisions(code.kernel, code.loop))


def tested_divisions(kernel: Kernel, loop: Loop, powers: bool = True) -> list[Operation]:
    """Those that test a divisor which changes in each iteration. Where the source compares it with another number, LLVM
    drops the test, unless an element may be stored anew in between, and so it does for the elements of a small constant
    array.
    ``powers``: also those of the kernel itself that test a power which stays the same."""
    nodes = {node.id: node for node in leaves(loop.body)}
    operations = [node for node in nodes.values() if isinstance(node, Operation)]
    if not any(op.tested_by and op.divisor in nodes for op in operations):
        return []
    pairs = ([_value(nodes, i) for i in op.inputs] for op in operations if op.kind == "compare")
    stored = {(node.array, node.index) for node in nodes.values() if isinstance(node, Access) and node.write}
    compared = {value for pair in pairs if len(pair) == 1 or len(set(pair)) > 1 for value in pair} - stored
    moving = changing_nodes(kernel, loop, nodes, powers=False)
    own = changing_nodes(kernel, loop, nodes, powers=True) if powers else moving

    def is_tested(op: Operation) -> bool:
        changing = own if op.tested_by == kernel.name else moving
        if not op.tested_by or op.divisor not in changing or _is_constant(kernel, nodes.get(op.divisor)):
            return False
        return _value(nodes, op.divisor) not in compared

    return [op for op in operations if is_tested(op)]


def _is_constant(kernel: Kernel, node: Leaf | None) -> bool:
    """Whether it is an element of an array that the compiled code holds: of few elements, if nothing tells how many."""
    if not isinstance(node, Access) or kernel.array(node.array).role != "global":
        return False
    elements = prod(kernel.array(node.array).shape, start=ONE).constant
    return elements is None or elements <= FOLDED


def _value(nodes: Mapping[int, Leaf], number: int) -> object:
    """What tells whether a value is zero from others: its element, or its number. A root is where its square is."""
    node = nodes.get(number)
    while isinstance(node, Operation) and node.kind in ("abs", "neg", "sqrt") and node.inputs:
        number = node.inputs[0]
        node = nodes.get(number)
    return (node.array, node.index) if isinstance(node, Access) else number


def _calls_functions(code: LoopBody) -> bool:
    if not code.kernel.compiles(code.loop):
        return False
    complex_ = {op.id for op in code.operations if op.dtype.kind == "complex"}
    roots = (op for op in code.operations if op.kind == "sqrt")  # of a complex number, or of its square: its size
    called = any(_is_call(code.kernel, op) and not code.is_taken_out(op) for op in code.operations)
    return called or any(not complex_.isdisjoint((op.id, *op.inputs)) for op in roots)


def _is_call(kernel: Kernel, op: Operation) -> bool:
    """Whether it has no vector form: a function, or the rest of a division of floats."""
    return calls(kernel, op) or op.kind == "complex_div" or (op.kind == "div" and op.function != "")


def _calls_large(code: LoopBody) -> bool:
    return any(op.not_inlined for op in code.operations)


def _guards_accesses(code: LoopBody) -> bool:
    """Whether a branch holds accesses with gaps, to elements that are not accessed anyway: vector code masks others."""
    return any(code.guards(n) and code.stride(n) not in _SIDES for n in code.accesses)


def _mixes_rows(code: LoopBody) -> bool:
    """Whether it reads another row of an array that it writes, which a loop around it moves: LLVM tests for overlap
    once for all rows of that loop, and the test fails. Each view has a test of its own."""
    rows = [a for a in code.accesses if a.regular and not a.written and moved_last(a, code.loop.var)]
    pairs = ((w, r) for w in rows if w.write for r in rows if not r.write and r.array == w.array)
    return code.nested and any(_far_rows(code.kernel, w, r) for w, r in pairs)


def _far_rows(kernel: Kernel, one: Access, other: Access) -> bool:
    pairs = [(a, b) for a, b in zip(one.index[:-1], other.index[:-1], strict=True) if a is not None and b is not None]
    far = any((a - b).constant is None for a, b in pairs)
    return far and not any(_is_beyond(kernel, a, b) or _is_beyond(kernel, b, a) for a, b in pairs)


def _is_beyond(kernel: Kernel, moving: Expr, row: Expr) -> bool:
    """Whether a loop moves one row through rows that all lie behind the other, or before it: the test for overlap
    succeeds."""
    found = (loop for loop in loops(kernel.body) if symbol(loop.var) == moving and (loop.step.constant or 0) > 0)
    gaps = (gap.constant for loop in found for gap in (loop.start - row - 1, row - loop.stop))
    return any(gap is not None and gap >= 0 for gap in gaps)


def _overlaps(code: LoopBody) -> bool:
    """LLVM's test for overlap at run time fails there."""
    return any(reads_of_written_rows(code.accesses, code.loop.var))


def _copies(code: LoopBody) -> bool:
    """Whether it is the loop of Numba's assignment to a slice, or of ``np.where``; a copy as a whole is faster."""
    if not (code.kernel.compiles(code.loop) and code.loop.array_expression) or code.operations:
        return False
    reads, writes = ([a for a in code.accesses if a.write is write] for write in (False, True))
    fresh = (w for w in writes if code.kernel.array(w.array).role == "temporary" and len(reads) == 1)
    return bool(reads) and len(writes) == 1 and not any(fresh)


def chooses(code: LoopBody) -> bool:
    """Whether it is the loop of ``np.where``, which works out the places of its operands one by one."""
    return _copies(code) and sum(not access.write for access in code.accesses) > 1


def tests_operands(code: LoopBody) -> bool:
    found = code.operands
    return len(found) > UNSWITCHED[min(max(found, default=1), len(UNSWITCHED)) - 1]


def _leaves_early(code: LoopBody) -> bool:
    """Whether data end the loop, or a break ends it and a value that it carries is used afterwards."""
    return code.loop.early_exit or (code.loop.breaks and bool(code.loop.carried))


_RULES: tuple[tuple[ScalarReason, Callable[[LoopBody], bool]], ...] = (
    ("early exit", _leaves_early),
    ("chain", _chained),
    ("gather", _gathers),
    ("branch", _guards_accesses),
    ("stride", _strided),
    ("function", _calls_functions),
    ("call", _calls_large),
    ("overlap", _overlaps),
    ("division", _tests_divisors),
    ("integers", lambda code: code.loop.integers.is_scalar),
    ("index test", _tests_subscripts),
    ("rows", _mixes_rows),
    ("copy", _copies),
    ("operands", tests_operands),
)


class CompiledLoop(LoopBody):
    """A loop with the reasons for which its code is scalar."""

    @cached_property
    def scalar_reasons(self) -> tuple[ScalarReason, ...]:
        if not self.is_innermost:
            return ("outer",)
        return tuple(reason for reason, applies in _RULES if applies(self))

    @cached_property
    def gathered(self) -> tuple[Access, ...]:
        """The accesses that LLVM gathers and scatters, an element at a time: those with tested subscripts, and loads
        by subscripts from data; in sums that it may reorder also walks with a stride, at a fixed place of the axis
        whose elements lie side by side."""
        written, read = ({a.array for a in self.accesses if a.write is write} for write in (True, False))
        if self.scalar_reasons == ("index test",) and written.isdisjoint(read):
            return self.accesses
        walked = {a.id for a in self.accesses if a.regular or self.is_row(a)}
        apart = tuple(
            a for a in self.accesses if a.id not in walked or self.stride(a) not in (*_SIDES, *LOADED_STRIDES)
        )
        if any(a.write for a in apart) or not written.isdisjoint(a.array for a in apart):
            return ()
        fixed = all(a.index[-1] is not None and a.index[-1].constant for a in apart if a.regular)
        fast = self.kernel.reorders(self.loop) and fixed and self.scalar_reasons == ("stride",)
        return apart if fast or self.scalar_reasons == ("gather",) else ()
