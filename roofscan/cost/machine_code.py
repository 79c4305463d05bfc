"""The machine code that Numba and LLVM make of loops: what each body asks of a core, in vector or scalar code. The
rules are those of Numba 0.68 on x86-64 with AVX2 or AVX-512: each is one row of ``_RULES``, and a loop is vector code
where none applies (``tests/cost/test_compiled_loops.py`` compiles an example of each). Numba keeps a test for negative
values with each subscript whose sign it cannot infer (numba issues 1226, 2390 and 10670), and one for a zero divisor
under Python's error model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from roofscan.cost.beyond_arithmetic import (
    branch_share,
    conversions,
    functions_called,
    integer_divisions,
    lines_stored,
    walks_apart,
)
from roofscan.cost.counts import ExecutionCounts, StatementDomain, operations
from roofscan.cost.folded_subscripts import folding_operations
from roofscan.cost.result import BodyWork, Chain, LoopStarts
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Access, Branch, Kernel, Leaf, Loop, Node, Operation, Rest
from roofscan.ir.kinds import INTEGER_POWER, ScalarReason
from roofscan.ir.visitor import LEAVES, leaves, loops, loops_of, walk, walk_with_blocks
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

UNROLLED_TRIPS = 24
UNROLLED_ITERATIONS = 64
"""Loops of at most so many constant trips, and together so many, are unrolled into the loop around them."""

LOADED_STRIDES = (2, 3, 4)  # strides, in elements, that loads of vector code shuffle

SIGN, WRAP, PLACE = 2, 1, 5
"""Scalar operations of a test for a negative subscript: for its value, for each array, and for an axis other than the
last, whose address is multiplied out again. Measured as cycles, of Zen 5 and Redwood Cove."""

ARITHMETIC = ("add", "sub", "mul", "div", "sqrt")  # what LLVM takes out of a loop that does not change it

CHOICE = 8  # scalar operations of an element of np.where

UNSWITCHED = (2, 4, 2)
BROADCAST = (3, 8, 11)
"""Numba's expressions test in each iteration which axes of their operands are broadcast. Up to so many operands, by the
axes of the result, LLVM makes loops without these tests; beyond, each costs so many scalar operations, by its own axes.
Measured under Numba 0.68 on Zen 5."""

_SIDES = (0, 1, -1)
_IRREGULAR = 1 << 30


@dataclass(frozen=True)
class CompiledLoop:
    """An innermost loop, with the short loops that are unrolled into it."""

    kernel: Kernel
    loop: Loop
    nested: bool  # whether another loop is around it
    is_innermost: bool
    serial_chains: frozenset[str]  # the loops through which a chain runs that may not be reordered

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(node for node in walk(self.loop.body) if isinstance(node, LEAVES))

    @cached_property
    def accesses(self) -> tuple[Access, ...]:
        return tuple(node for node in self.leaves if isinstance(node, Access))

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(node for node in self.leaves if isinstance(node, Operation))

    @cached_property
    def _unguarded(self) -> set[tuple[str, tuple[Expr | None, ...]]]:
        """The places that an iteration moves to and accesses whatever branches do."""
        return _moving_places(self, walk(self.loop.body, lambda block: not isinstance(block, Branch)))

    def guards(self, access: Access) -> bool:
        """Whether branches alone access a place that the loop moves."""
        return _is_moved(access, self.loop.var) and (access.array, access.index) not in self._unguarded

    @cached_property
    def unrolled(self) -> frozenset[str]:
        """The variables of the short loops."""
        return frozenset(loop.var for loop in loops(self.loop.body))

    @cached_property
    def _changing(self) -> set[int]:
        return _moving(self.kernel, self.loop, {node.id: node for node in self.leaves}, powers=False)

    def kept(self, visit: StatementDomain) -> StatementDomain:
        """Without the arithmetic that LLVM takes out of the loop, as ``dt / dx**2``."""
        if not self.kernel.decorator.compiled:
            return visit
        return replace(visit, body=tuple(node for node in visit.body if not self._is_taken_out(node)))

    def _is_taken_out(self, node: Node) -> bool:
        return isinstance(node, Operation) and node.kind in ARITHMETIC and node.id not in self._changing

    def stride(self, access: Access) -> int:
        """Elements that an iteration moves on: the compiler knows extents of no array, only which axis has stride 1."""
        moved = 0
        for subscript, stride in zip(access.index, self.kernel.array(access.array).strides):
            if subscript is None or self.loop.var not in subscript.symbols:
                continue
            step = (subscript.coefficient(self.loop.var) * self.loop.step).constant
            if stride != ONE or step is None or not subscript.is_linear_in([self.loop.var]):
                return _IRREGULAR
            moved += int(step)
        return moved

    def is_row(self, access: Access) -> bool:
        """Whether data choose where it walks, but not how: by numbers from before the loop, or elements that no store
        of the loop may change."""
        rests = [rest for subscript, rest in zip(access.index, access.rests) if subscript is None]
        return bool(rests) and all(rest is not None and self._is_known(rest) for rest in rests)

    def _is_known(self, rest: Rest) -> bool:
        element = None if any(access.write for access in self.accesses) else rest.element
        moved = [rest.expr] if rest.fixed else [rest.expr, *element[1]] if element else None
        return moved is not None and all(self.loop.var not in expr.symbols for expr in moved)

    def keeps_test(self, subscript: Expr | None) -> bool:
        """Whether Numba tests for a negative value a subscript that the loop moves."""
        if self.loop.array_expression or self.loop.parallel or not self.kernel.decorator.compiled:
            return False
        if subscript is None or self.loop.var not in subscript.symbols:
            return False
        offset = subscript.coefficient(self.loop.var, 0).subs(dict.fromkeys(self.unrolled, ZERO))
        natural = offset.constant is not None or self._is_natural(offset)
        if not natural or subscript.coefficient(self.loop.var).constant not in (1, -1, *LOADED_STRIDES):
            return True
        step = self.loop.step.constant
        if step is not None and step < 0:
            return self.nested
        start = self.loop.start.constant
        return start not in (0, 1)

    def _is_natural(self, expr: Expr) -> bool:
        """Whether it is a sum of sizes, of shares of such sums, and of variables of loops that count up from such a sum
        by one."""
        sizes = {s.name for s in self.kernel.symbols if s.kind in ("size", "tile")}
        shares = (atom.name == "floor" and self._is_natural(atom.args[0]) for atom in expr.atoms)
        if not all(shares) or any(c < 0 for c in expr.terms.values()):
            return False
        rest = expr.symbols - sizes
        around = [loop for loop in loops(self.kernel.body) if loop.var in rest]
        return len(around) == len(rest) and all(o.step == ONE and self._is_natural(o.start) for o in around)

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
        fast = self.kernel.decorator.fastmath and fixed and self.scalar_reasons == ("stride",)
        return apart if fast or self.scalar_reasons == ("gather",) else ()

    @cached_property
    def operands(self) -> tuple[int, ...]:
        """The axes of each array of a NumPy expression that makes an array: each slice is an operand of its own."""
        if not (self.kernel.decorator.compiled and self.loop.array_expression and self.operations):
            return ()
        made = [a for a in self.accesses if a.write and self.kernel.array(a.array).is_made]
        axes = {s for write in made for e in write.index if e is not None for s in e.symbols}
        found: dict[object, int] = {}
        for read in (a for a in self.accesses if not a.write and a.regular):
            moved = [e for e in read.index if e is not None and not axes.isdisjoint(e.symbols)]
            whole = len(moved) == len(read.index) and self.kernel.array(read.array).shape[-1] == self.loop.stop
            if moved:
                found[read.array if whole else read.id] = len(moved)
        return tuple(found.values())

    @cached_property
    def scalar_reasons(self) -> tuple[ScalarReason, ...]:
        if not self.is_innermost:
            return ("outer",)
        return tuple(reason for reason, applies in _RULES if applies(self))


# -- the rules --------------------------------------------------------------------------------------
def _strided(code: CompiledLoop) -> bool:
    return any(
        stride not in _SIDES and (access.write or stride not in LOADED_STRIDES)
        for access in code.accesses
        if (access.regular or code.is_row(access)) and (stride := code.stride(access))
    )


def _gathers(code: CompiledLoop) -> bool:
    return any(not (access.regular or code.is_row(access)) for access in code.accesses)


def _chained(code: CompiledLoop) -> bool:
    if code.loop.var in code.serial_chains or any(code.unrolled and _stays(code, a) for a in code.accesses):
        return True
    return any(_may_meet(code, w, r) for w in code.accesses if w.write for r in code.accesses if r.array == w.array)


def _may_meet(code: CompiledLoop, write: Access, read: Access) -> bool:
    """Whether an iteration reads what another one writes, a number of iterations away that no one knows before the
    loop runs: ``x[i] += x[i - lag]``. Views would overlap as well."""
    if read.write or not (write.regular and read.regular) or not _is_moved(write, code.loop.var):
        return False
    apart = [a - b for a, b in zip(write.index, read.index, strict=False) if a is not None and b is not None]
    unknown = [gap for gap in apart if gap.constant is None]
    return len(unknown) == 1 and all(gap == ZERO for gap in apart if gap is not unknown[0]) and _is_lag(code, *unknown)


def _is_lag(code: CompiledLoop, gap: Expr) -> bool:
    """Whether it is of scalar parameters alone: no loop moves it, and no half of an array is as long."""
    return not gap.atoms and gap.symbols <= set(code.kernel.parameters)


def _stays(code: CompiledLoop, access: Access) -> bool:
    """Whether each iteration stores what the next one loads, in an element that the unrolled loops alone move."""
    return access.write and access.regular and not _is_moved(access, code.loop.var)


def _tests_subscripts(code: CompiledLoop) -> bool:
    return any(code.keeps_test(e) for access in code.accesses for e in access.written or access.index)


def _tests_divisors(code: CompiledLoop) -> bool:
    return bool(tested_divisions(code.kernel, code.loop))


def tested_divisions(kernel: Kernel, loop: Loop, powers: bool = True) -> list[Operation]:
    """Those that test a divisor which changes in each iteration. Where the source compares it, LLVM drops the test.
    ``powers``: also those of the kernel itself that test a power which stays the same."""
    nodes = {node.id: node for node in leaves(loop.body)}
    operations = [node for node in nodes.values() if isinstance(node, Operation)]
    if not any(op.tested_by and op.divisor in nodes for op in operations):
        return []
    compared = {_value(nodes, i) for op in operations if op.kind == "compare" for i in op.inputs}
    moving = _moving(kernel, loop, nodes, powers=False)
    own = _moving(kernel, loop, nodes, powers=True) if powers else moving

    def is_tested(op: Operation) -> bool:
        changing = own if op.tested_by == kernel.name else moving
        return bool(op.tested_by) and op.divisor in changing and _value(nodes, op.divisor) not in compared

    return [op for op in operations if is_tested(op)]


def _moving(kernel: Kernel, loop: Loop, nodes: Mapping[int, Leaf], powers: bool) -> set[int]:
    """The values that may change from one iteration to the next, as LLVM sees it: it takes what no store of the loop
    may reach out of the loop (arrays of the module, which are constants), and what is computed from such values.
    ``powers``: they move as well, as calls that it opens only after it took tests out of loops."""
    found = {carried.entry for carried in loop.carried}
    fixed = {a.id for a in reads_of_written_rows(tuple(n for n in nodes.values() if isinstance(n, Access)), loop.var)}
    for node in nodes.values():
        if isinstance(node, Access):
            constant = kernel.array(node.array).role == "global" and node.regular and not _is_moved(node, loop.var)
            moves = not constant and node.id not in fixed
        else:
            is_power = powers and isinstance(node, Operation) and node.function == INTEGER_POWER
            moves = is_power or (isinstance(node, Operation) and (node.counts_on or not found.isdisjoint(node.inputs)))
        if moves:
            found.add(node.id)
    return found


def _value(nodes: Mapping[int, Leaf], number: int) -> object:
    """What tells a value and its sign from others: its element, or its number."""
    node = nodes.get(number)
    while isinstance(node, Operation) and node.kind in ("abs", "neg") and node.inputs:
        number = node.inputs[0]
        node = nodes.get(number)
    return (node.array, node.index) if isinstance(node, Access) else number


def _calls_functions(code: CompiledLoop) -> bool:
    if not code.kernel.decorator.compiled:
        return False
    complex_ = {op.id for op in code.operations if op.dtype.kind == "complex"}
    roots = (op for op in code.operations if op.kind == "sqrt")  # of a complex number, or of its square: its size
    return any(map(_is_call, code.operations)) or any(not complex_.isdisjoint((op.id, *op.inputs)) for op in roots)


def _is_call(op: Operation) -> bool:
    """Whether it has no vector form: a function, or the rest of a division of floats."""
    return op.kind in ("special", "complex_div") or (op.kind == "div" and op.function != "")


def _guards_accesses(code: CompiledLoop) -> bool:
    """Whether a branch holds accesses with gaps, to elements that are not accessed anyway: vector code masks others."""
    return any(code.guards(n) and code.stride(n) not in _SIDES for n in code.accesses)


def _moving_places(code: CompiledLoop, nodes: Iterable[Node]) -> set[tuple[str, tuple[Expr | None, ...]]]:
    return {(n.array, n.index) for n in nodes if isinstance(n, Access) and _is_moved(n, code.loop.var)}


def _mixes_rows(code: CompiledLoop) -> bool:
    """Whether it reads another row of an array that it writes, which a loop around it moves: LLVM tests for overlap
    once for all rows of that loop, and the test fails. Each view has a test of its own."""
    rows = [a for a in code.accesses if a.regular and not a.written and _moved_last(a, code.loop.var)]
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


def _overlaps(code: CompiledLoop) -> bool:
    """LLVM's test for overlap at run time fails there."""
    return any(reads_of_written_rows(code.accesses, code.loop.var))


def reads_of_written_rows(accesses: Sequence[Access], var: str) -> Iterator[Access]:
    """The reads of one element, the same throughout a loop, from a row that the loop writes."""
    rows = {(a.array, a.index[:-1]) for a in accesses if a.write and _moved_last(a, var)}
    fixed = (a for a in accesses if not a.write and a.regular and a.index and not _is_moved(a, var))
    return (a for a in fixed if (a.array, a.index[:-1]) in rows)


def _copies(code: CompiledLoop) -> bool:
    """Whether it is the loop of Numba's assignment to a slice, or of ``np.where``; a copy as a whole is faster."""
    if not (code.kernel.decorator.compiled and code.loop.array_expression) or code.operations:
        return False
    reads, writes = ([a for a in code.accesses if a.write is write] for write in (False, True))
    fresh = (w for w in writes if code.kernel.array(w.array).role == "temporary" and len(reads) == 1)
    return bool(reads) and len(writes) == 1 and not any(fresh)


def _chooses(code: CompiledLoop) -> bool:
    """Whether it is the loop of ``np.where``, which works out the places of its operands one by one."""
    return _copies(code) and sum(not access.write for access in code.accesses) > 1


def _tests_operands(code: CompiledLoop) -> bool:
    found = code.operands
    return len(found) > UNSWITCHED[min(max(found, default=1), len(UNSWITCHED)) - 1]


def _is_moved(access: Access, var: str) -> bool:
    return any(e is not None and var in e.symbols for e in access.index)


def _moved_last(access: Access, var: str) -> bool:
    return bool(access.index) and access.index[-1] is not None and var in access.index[-1].symbols


_RULES: tuple[tuple[ScalarReason, Callable[[CompiledLoop], bool]], ...] = (
    ("early exit", lambda code: code.loop.early_exit),
    ("chain", _chained),
    ("gather", _gathers),
    ("branch", _guards_accesses),
    ("stride", _strided),
    ("function", _calls_functions),
    ("overlap", _overlaps),
    ("division", _tests_divisors),
    ("index test", _tests_subscripts),
    ("rows", _mixes_rows),
    ("copy", _copies),
    ("operands", _tests_operands),
)


def possible_reasons(kernel: Kernel) -> set[tuple[ScalarReason, ...]]:
    """Of the loops that may have machine code of their own, but for the chains through them."""
    found = ((loop, around) for loop, around in walk_with_blocks(kernel.body) if isinstance(loop, Loop))
    units = ((loop, around) for loop, around in found if all(_is_short(kernel, inner) for inner in loops(loop.body)))
    return {
        CompiledLoop(kernel, loop, bool(loops_of(around)), True, frozenset()).scalar_reasons for loop, around in units
    }


# -- the work of bodies -------------------------------------------------------------------------------
class MachineCode:
    """The machine code of one nest of a kernel."""

    def __init__(self, kernel: Kernel, executions: ExecutionCounts, chains: Iterable[Chain]) -> None:
        self._kernel = kernel
        self._executions = executions
        self._serial = frozenset(chain.loop for chain in chains if not chain.reorderable)
        self._compiled: dict[str, CompiledLoop] = {}

    def bodies(self, visits: Iterable[StatementDomain]) -> tuple[BodyWork, ...]:
        return tuple(self._work(visit) for visit in visits if visit.body)

    def starts(self, visits: Iterable[StatementDomain]) -> Iterator[LoopStarts]:
        """One a loop that has machine code of its own."""
        seen: set[str] = set()
        for visit in visits:
            depth = _unit(self._kernel, visit.loops)
            if depth is None or visit.loops[depth].var in seen:
                continue
            seen.add(visit.loops[depth].var)
            entries = self._executions.entries(visit, depth)
            if entries is not None:
                code = self._code(visit.loops, depth)
                yield LoopStarts(code.loop.line, code.loop.var, not code.scalar_reasons, entries)

    def _work(self, visit: StatementDomain) -> BodyWork:
        depth = _unit(self._kernel, visit.loops)
        code = None if depth is None else self._code(visit.loops, depth)
        reasons = code.scalar_reasons if code else ("outer",)
        touched = _touched(visit, code)
        gathered = {(a.array, a.index) for a in code.gathered} if code else ()
        loads = [size for (_, write), size in touched.items() if not write]
        stores = [size for (_, write), size in touched.items() if write]
        around = code.loop if code else visit.innermost
        return BodyWork(
            line=visit.line,
            loop=code.loop.var if code else "",
            scalar_reasons=reasons,
            executions=self._executions.of(visit),
            operations=operations(self._executions, (code.kept(visit) if code else visit,)),
            loads=len(loads),
            stores=len(stores),
            load_bytes=sum(loads),
            store_bytes=sum(stores),
            lines_stored=lines_stored(self._kernel, around, self._executions, visit),
            test_operations=_test_operations(visit, code) if code else 0,
            gathered=sum((array, index) in gathered for (array, index, _), _ in touched),
            functions=functions_called(self._executions, visit),
            conversions=conversions(self._kernel, visit),
            integer_divisions=integer_divisions(self._kernel, visit, code.loop if code else None),
            apart=walks_apart(self._kernel, around, self._executions, visit),
            branch_share=branch_share(visit, bool(reasons), code.guards if code else bool),
        )

    def _code(self, around: tuple[Loop, ...], depth: int) -> CompiledLoop:
        loop = around[depth]
        if loop.var not in self._compiled:
            innermost = all(_is_short(self._kernel, inner) for inner in loops(loop.body))
            self._compiled[loop.var] = CompiledLoop(self._kernel, loop, depth > 0, innermost, self._serial)
        return self._compiled[loop.var]


def _unit(kernel: Kernel, around: tuple[Loop, ...]) -> int | None:
    """The innermost loop that is not unrolled, by its depth; None where none is left."""
    iterations = 1
    for depth in reversed(range(len(around))):
        trips = _constant_trips(kernel, around[depth])
        if trips is None or trips > UNROLLED_TRIPS or iterations * trips > UNROLLED_ITERATIONS:
            return depth
        iterations *= max(1, trips)
    return None


def _is_short(kernel: Kernel, loop: Loop) -> bool:
    trips = _constant_trips(kernel, loop)
    return trips is not None and trips <= UNROLLED_TRIPS


def _constant_trips(kernel: Kernel, loop: Loop) -> int | None:
    span, step = (loop.stop - loop.start).constant, loop.step.constant
    return None if span is None or not step or loop.var in kernel.bound_loops else max(0, -int(-span // step))


Place = tuple[str, tuple[Expr | None, ...], int]


def _touched(visit: StatementDomain, code: CompiledLoop | None) -> Mapping[tuple[Place, bool], int]:
    """The bytes of the distinct elements that an execution moves between cache and registers, by read or write."""
    found: dict[tuple[Place, bool], int] = {}
    inner = {code.loop.var} if code else {loop.var for loop in visit.loops[-1:]}
    for node in visit.body:
        if isinstance(node, Access) and (not node.regular or any(inner & e.symbols for e in node.index if e)):
            place = (node.array, node.index, 0 if node.regular else node.id)
            found[place, node.write] = code.kernel.array(node.array).dtype.size if code else 8
    return found


def _test_operations(visit: StatementDomain, code: CompiledLoop) -> int:
    accesses = {(n.array, n.written or n.index) for n in visit.body if isinstance(n, Access)}
    tested = {
        (array, e, axis + 1 < len(index))
        for array, index in accesses
        for axis, e in enumerate(index)
        if code.keeps_test(e)
    }
    signs = {e for _, e, _ in tested}
    broadcast = sum(BROADCAST[min(axes, len(BROADCAST)) - 1] for axes in code.operands) * _tests_operands(code)
    subscripts = SIGN * len(signs) + sum(WRAP + PLACE * multiplied for *_, multiplied in tested)
    folded = 0 if code.unrolled else folding_operations(visit, code.loop.var)  # iterations of these share them
    return subscripts + broadcast + CHOICE * _chooses(code) + folded
