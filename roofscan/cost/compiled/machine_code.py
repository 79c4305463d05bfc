"""The machine code that Numba and LLVM make of loops: what each body asks of a core, in vector or scalar code
(:mod:`roofscan.cost.compiled.compiled_loop`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import prod

from roofscan.cost.compiled.beyond_arithmetic import (
    branch_share,
    conversions,
    functions_called,
    integer_divisions,
    lines_stored,
    walks_apart,
)
from roofscan.cost.compiled.compiled_loop import CompiledLoop, chooses, tests_operands
from roofscan.cost.compiled.masked_stores import MaskedStores
from roofscan.cost.compiled.numpy_loops import cycles_by_element
from roofscan.cost.compiled.unrolled_loops import FEW_ITERATIONS, compiled_depth, constant_trips, is_unrolled
from roofscan.cost.counts import ExecutionCounts, StatementDomain, operations
from roofscan.cost.result import BodyWork, Chain, LoopIntegers, LoopStarts
from roofscan.ir.integers import NO_INTEGERS
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import ScalarReason
from roofscan.ir.tree import Access, Branch, Loop
from roofscan.ir.visitor import loops, loops_of, walk_with_blocks
from roofscan.memo import kept_by
from roofscan.symbolic.expr import ONE, Expr
from roofscan.symbolic.terms import Func

SIGN, WRAP, PLACE, REVERSED = 2, 1, 5, 3
"""Scalar operations of a test for a negative subscript: for its value, for each array, and for an axis other than the
last, whose address is multiplied out again. Measured as cycles, of Zen 5 and Redwood Cove. Last, of a value that falls
as the counter rises: read from the machine code of a convolution."""

CHOICE = 8  # scalar operations of an element of np.where

BROADCAST = (3, 8, 11)
"""Scalar operations of the test which axes of an operand are broadcast, by its own axes, where LLVM leaves that test in
the loop. Measured under Numba 0.68 on Zen 5."""


def possible_reasons(kernel: Kernel) -> set[tuple[ScalarReason, ...]]:
    """Of the loops that may have machine code of their own, but for the chains through them."""
    found = ((loop, around) for loop, around in walk_with_blocks(kernel.body) if isinstance(loop, Loop))
    units = ((loop, around) for loop, around in found if all(is_unrolled(kernel, inner) for inner in loops(loop.body)))
    return {
        CompiledLoop(kernel, loop, bool(loops_of(around)), True, frozenset()).scalar_reasons for loop, around in units
    }


class MachineCode:
    """The machine code of one nest of a kernel."""

    def __init__(self, kernel: Kernel, executions: ExecutionCounts, chains: Iterable[Chain]) -> None:
        self._kernel = kernel
        self._executions = executions
        self._serial = frozenset(chain.loop for chain in chains if not chain.reorderable)

    def bodies(self, visits: Iterable[StatementDomain]) -> tuple[BodyWork, ...]:
        return tuple(self._work(visit) for visit in visits if visit.body)

    def starts(self, visits: Iterable[StatementDomain]) -> Iterator[LoopStarts]:
        """One per loop that has machine code of its own."""
        seen: set[str] = set()
        for visit in visits:
            depth = compiled_depth(self._kernel, visit.loops)
            if depth is None or visit.loops[depth].var in seen:
                continue
            seen.add(visit.loops[depth].var)
            entries = self._executions.entries(visit, depth)
            if entries is not None:
                code = self._code(visit.loops, depth)
                yield LoopStarts(code.loop.line, code.loop.var, not code.scalar_reasons, entries)

    def integers(self, visits: Iterable[StatementDomain]) -> Iterator[LoopIntegers]:
        """One per loop that has integer work of its own."""
        seen: set[str] = set()
        for visit in visits:
            for depth, loop in enumerate(visit.loops):
                if loop.var in seen or loop.integers is NO_INTEGERS:
                    continue
                seen.add(loop.var)
                compiled = compiled_depth(self._kernel, visit.loops[: depth + 1])
                if self._is_written_out(visit.loops, depth, compiled):
                    continue
                runs, iterations = self._executions.entries(visit, depth), self._executions.iterations(visit, depth)
                if runs is not None and iterations is not None:
                    code = "" if compiled is None else visit.loops[compiled].var
                    yield LoopIntegers(loop.var, code, loop.integers, iterations, runs)

    def _is_written_out(self, around: tuple[Loop, ...], depth: int, compiled: int | None) -> bool:
        """Whether the integers of a loop around count those of its iterations as their own."""
        inside = around[(-1 if compiled is None else compiled) + 1 : depth + 1]
        return bool(inside) and prod(constant_trips(self._kernel, loop) or 1 for loop in inside) <= FEW_ITERATIONS

    def _work(self, visit: StatementDomain) -> BodyWork:
        depth = compiled_depth(self._kernel, visit.loops)
        code = None if depth is None else self._code(visit.loops, depth)
        reasons = code.scalar_reasons if code else ("outer",)
        touched = _touched(visit, code)
        gathered = {(a.array, a.index) for a in code.gathered} if code else ()
        loads = [size for (_, write), size in touched.items() if not write]
        stores = [size for (_, write), size in touched.items() if write]
        around = code.loop if code else visit.innermost
        kept = code.kept(visit) if code else visit
        converted, long, short = conversions(self._kernel, visit)
        return BodyWork(
            line=visit.line,
            loop=code.loop.var if code else "",
            scalar_reasons=reasons,
            executions=self._executions.of(visit),
            operations=operations(self._executions, (kept,)),
            loads=len(loads),
            stores=len(stores),
            load_bytes=sum(loads),
            store_bytes=sum(stores),
            lines_stored=lines_stored(self._kernel, around, self._executions, visit),
            test_operations=_test_operations(visit, code) if code else 0,
            gathered=sum((array, index) in gathered for (array, index, _), _ in touched),
            functions=functions_called(self._executions, kept),
            conversions=converted,
            long_conversions=long,
            short_conversions=short,
            integer_divisions=integer_divisions(self._kernel, visit, code.loop if code else None),
            apart=walks_apart(self._kernel, around, self._executions, visit),
            branch_share=self._guessed(visit, code) if reasons else None,
            reached=_reached(self._kernel, visit, code.loop) if code and not reasons else ONE,
            held_in_branch=_held_in_branch(visit, code) if code and not reasons else 0,
            masks=self._masked_stores(code).of(visit) if code and not reasons else None,
            numpy_cycles=cycles_by_element(visit) if around and not self._kernel.compiles(around) else None,
        )

    def _guessed(self, visit: StatementDomain, code: CompiledLoop | None) -> Expr | None:
        if code is None:
            return branch_share(visit, True, bool)
        return branch_share(visit, True, code.guards, self._masked_stores(code).is_shared)

    @kept_by(lambda code: code.loop.var)
    def _masked_stores(self, code: CompiledLoop) -> MaskedStores:
        return MaskedStores(code)

    @kept_by(lambda around, depth: around[depth].var)
    def _code(self, around: tuple[Loop, ...], depth: int) -> CompiledLoop:
        innermost = all(is_unrolled(self._kernel, inner) for inner in loops(around[depth].body))
        return CompiledLoop(self._kernel, around[depth], depth > 0, innermost, self._serial)


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


def _reached(kernel: Kernel, visit: StatementDomain, loop: Loop) -> Expr:
    """Of the iterations of the loop, those that data lead to the body. LLVM makes two loops of a test of a flag."""
    flags = {symbol.name for symbol in kernel.symbols if symbol.kind == "flag"}
    share = ONE
    for node in visit.domain.path if visit.domain else ():
        if isinstance(node, Loop) and node.var == loop.var:
            share = ONE
        elif isinstance(node, Branch) and flags.isdisjoint(node.share.symbols):
            share = share * node.share
    return share


def _held_in_branch(visit: StatementDomain, code: CompiledLoop) -> int:
    if not visit.domain or not visit.domain.path or not isinstance(visit.domain.path[-1], Branch):
        return 0
    reads = {(n.array, n.index): n for n in visit.body if isinstance(n, Access) and n.regular and not n.write}
    return sum(code.holds_in_branch(read) for read in reads.values())


def _falls(subscript: Expr, var: str) -> bool:
    return (subscript.coefficient(var).constant or 0) < 0


def _test_operations(visit: StatementDomain, code: CompiledLoop) -> int:
    accesses = {(n.array, n.written or n.index) for n in visit.body if isinstance(n, Access)}
    tested: set[tuple[str, object, bool]] = {
        (array, e, axis + 1 < len(index))
        for array, index in accesses
        for axis, e in enumerate(index)
        if code.keeps_test(e)
    }
    tested.update(
        (node.array, (axis, rest.expr, rest.element, rest.counter), axis + 1 < len(node.index))
        for node in visit.body
        if isinstance(node, Access)
        for axis, rest in enumerate(node.rests)
        if rest is not None and code.tests_value(node, rest)
    )
    signs = {e for _, e, _ in tested}
    broadcast = sum(BROADCAST[min(axes, len(BROADCAST)) - 1] for axes in code.operands) * tests_operands(code)
    falling = sum(isinstance(e, Expr) and _falls(e, code.loop.var) for e in signs)
    subscripts = SIGN * len(signs) + REVERSED * falling + sum(WRAP + PLACE * multiplied for *_, multiplied in tested)
    folded = 0 if code.unrolled else folding_operations(visit, code.loop.var)  # iterations of these share them
    return subscripts + broadcast + CHOICE * chooses(code) + folded


# -- what it takes to keep a subscript inside its array ---------------------------------------------
SELECT = 2
"""Operations of an extremum: a comparison and a selection. Each argument that changes is one more. Read from the
machine code of Numba 0.68 for x86-64, and timed on Zen 5."""


def folding_operations(visit: StatementDomain, inner: str) -> int:
    """The scalar operations of an execution: the extrema in subscripts that the loop over ``inner`` changes."""
    accesses = (node for node in visit.body if isinstance(node, Access))
    found = {part for access in accesses for e in access.index if e for part in _folded(e, inner)}
    return sum(SELECT if isinstance(part, Func) else 1 for part in found)


def _folded(subscript: Expr, inner: str) -> Iterator[Func | Expr]:
    """The extrema that change, and those of their arguments that do."""
    for atom in subscript.atoms:
        if atom.name in ("min", "max") and inner in Expr.atom(atom).symbols:
            yield atom
            for part in atom.args:
                if part.atoms:
                    yield from _folded(part, inner)
                elif inner in part.symbols:
                    yield part
