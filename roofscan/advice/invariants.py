"""What a loop computes again although it is the same: functions of a row, in each iteration of a loop around it, and
quotients by one number. LLVM takes calls and divisions of what stays the same out of the innermost loop by itself
(measured 0.95 to 1.03), but it neither keeps a row of results nor multiplies by a reciprocal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import prod

from roofscan.advice.loop_code import CodeChange, executions_of
from roofscan.cost.result import BodyWork, KernelCost
from roofscan.cost.transform.perfect_nests import BLOCKING
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import INTEGER_POWER, INVERSE_ROOT_POWER, ROOT_POWER
from roofscan.ir.tree import Loop, Operation
from roofscan.ir.visitor import accesses, leaves, loops, loops_of, walk_with_blocks
from roofscan.memo import kept
from roofscan.symbolic.expr import ONE, ZERO, Expr

_CUTS = ("convert", "compare")  # kinds of operations to which the last digit matters


@dataclass(frozen=True)
class Repeated:
    """What the loop ``inner`` computes, and the outermost loop that repeats it."""

    outer: Loop
    inner: Loop
    operations: tuple[Operation, ...]
    executions: Expr = ZERO  # of each, were it not repeated


# -- rows -------------------------------------------------------------------------------------------
def may_repeat(kernel: Kernel) -> bool:
    return next(repeated_rows(kernel), None) is not None or next(_quotients(kernel), None) is not None


def rows_once(cost: KernelCost) -> CodeChange | None:
    """Functions of a row, called for one iteration of the loops that repeat it."""
    return _change(cost, repeated_rows(cost.kernel), _called_once)


def repeated_rows(kernel: Kernel) -> Iterator[Repeated]:
    for nest in _nests(kernel):
        calls = _functions_in(nest[-1])
        if len(nest) < 2 or not calls or not all(map(_is_plain, nest)):
            continue
        changing = _Changing(kernel, nest)
        outer = [_repeating(nest, changing.loops_of(call.id)) for call in calls]
        for loop in (loop for loop in nest[:-1] if loop in outer):
            once = prod((each.stop - each.start for each in (*nest[: nest.index(loop)], nest[-1])), start=ONE)
            if once.symbols.isdisjoint(each.var for each in nest):
                found = tuple(call for call, by in zip(calls, outer, strict=True) if by is loop)
                yield Repeated(loop, nest[-1], found, once)


def _repeating(nest: Sequence[Loop], changing: frozenset[str]) -> Loop | None:
    """The outermost loop that leaves alone a value of the innermost one, as those between do."""
    found = None
    for loop in reversed(nest[:-1] if nest[-1].var in changing else ()):
        if loop.var in changing:
            break
        found = loop
    return found


def _is_plain(loop: Loop) -> bool:
    plain = loop.step == ONE and not loop.early_exit and not loop.is_while and loop.total is None
    return plain and bool(loop.source_name) and not loop.is_elsewhere


def _called_once(body: BodyWork, row: Repeated) -> BodyWork:
    """With a load in the place of the calls."""
    functions, every = dict(body.functions), _functions_in(row.inner)
    for name, precision in {(call.function, call.dtype.precision) for call in row.operations}:
        if precision is not None and (name, precision) in functions:
            mine = _calls_of(row.operations, name, precision)
            repeated = functions[name, precision] * mine / _calls_of(every, name, precision)
            functions[name, precision] += row.executions * mine - repeated
    called = [n for n in leaves(row.inner.body) if isinstance(n, Operation) and _is_call(n) and n not in row.operations]
    reasons = body.scalar_reasons if called else tuple(r for r in body.scalar_reasons if r != "function")
    loads = body.loads + len(row.operations)
    return replace(
        body, functions=functions, scalar_reasons=reasons, loads=loads,
        load_bytes=body.load_bytes + sum(call.dtype.size for call in row.operations),
    )  # fmt: skip


def _functions_in(loop: Loop) -> list[Operation]:
    """Not the powers that need no function."""
    operations = (n for n in loop.body if isinstance(n, Operation) and n.kind == "special")
    return [op for op in operations if op.function not in (ROOT_POWER, INVERSE_ROOT_POWER)]


def _calls_of(operations: Iterable[Operation], name: str, precision: str) -> int:
    return sum((op.function, op.dtype.precision) == (name, precision) for op in operations)


def _is_call(op: Operation) -> bool:
    return op.kind in ("special", "complex_div") or op.function not in ("", INTEGER_POWER)


# -- quotients --------------------------------------------------------------------------------------
def reciprocals(cost: KernelCost) -> CodeChange | None:
    """Products with the reciprocal of what stays the same in an innermost loop."""
    return _change(cost, _quotients(cost.kernel), _multiplied)


def _quotients(kernel: Kernel) -> Iterator[Repeated]:
    """``fastmath`` may allow it already. Of a quotient that is rounded or compared the last digit counts."""
    for nest in () if kernel.decorator.may_reorder else _nests(kernel):
        loop = nest[-1]
        operations = [n for n in loop.body if isinstance(n, Operation)]
        cut = {i for op in operations if op.kind in _CUTS for i in op.inputs}
        divisions = [op for op in operations if op.kind == "div" and not op.function and op.id not in cut]
        changing = _Changing(kernel, nest[-1:]) if divisions else None
        same = [
            n for n in divisions
            if changing and n.divisor is not None and not changing.loops_of(n.divisor) and changing.loops_of(n.id)
        ]  # fmt: skip
        if same and loop.source_name and not loop.is_elsewhere:
            yield Repeated(loop, loop, tuple(same))


def _multiplied(body: BodyWork, found: Repeated) -> BodyWork:
    operations = dict(body.operations)
    for division in found.operations:
        precision = division.dtype.precision
        if precision is not None and ("div", precision) in operations:
            operations["div", precision] -= body.executions
            operations["mul", precision] = operations.get(("mul", precision), ZERO) + body.executions
    return replace(body, operations=operations)


# -- what both share --------------------------------------------------------------------------------
class _Changing:
    """The loops of a nest that change a value: all of them, where that is not known."""

    def __init__(self, kernel: Kernel, nest: Sequence[Loop]) -> None:
        self._kernel, self._every = kernel, frozenset(loop.var for loop in nest)
        self._others = {loop.var for loop in loops(kernel.body)} - self._every
        self._nodes = {node.id: node for node in leaves(nest[0].body)}
        self._carried = {carried.entry for loop in loops((nest[0],)) for carried in loop.carried}
        self._written = {
            loop.var: {kernel.array(a.array).owner for a in accesses(loop.body) if a.write} for loop in nest
        }

    @kept
    def loops_of(self, number: int) -> frozenset[str]:
        node = self._nodes.get(number)
        if node is None:
            return self._every if number in self._carried else frozenset()
        if isinstance(node, Operation):
            return self._every if node.counts_on else frozenset[str]().union(*map(self.loops_of, node.inputs))
        if not node.regular:
            return self._every
        owner = self._kernel.array(node.array).owner
        moving = {name for e in node.index if e is not None for name in e.symbols}
        if not moving.isdisjoint(self._others):  # what another loop read last
            return self._every
        moving.update(var for var, owners in self._written.items() if owner in owners)
        return self._every & moving


def _nests(kernel: Kernel) -> Iterator[tuple[Loop, ...]]:
    """The innermost loops, each behind the loops around it, where all that the kernel does is known."""
    if any(reason.effect in BLOCKING for reason in kernel.reasons):
        return
    for node, around in walk_with_blocks(kernel.body):
        if isinstance(node, Loop) and not node.parallel and next(loops(node.body), None) is None:
            yield (*loops_of(around), node)


def _change(
    cost: KernelCost, found: Iterable[Repeated], remade: Callable[[BodyWork, Repeated], BodyWork]
) -> CodeChange | None:
    executions = executions_of(cost)
    known = {each.inner.var: each for each in found if each.inner.var in executions}
    if not known:
        return None
    done: set[str] = set()

    def changed(body: BodyWork) -> BodyWork:
        each = known.get(body.loop)
        if each is None or body.loop in done or not _holds(body, each):
            return body
        done.add(body.loop)
        return remade(body, each)

    nests = tuple(replace(nest, bodies=tuple(map(changed, nest.bodies))) for nest in cost.nests)
    scalar = {b.loop for nest in nests for b in nest.bodies if b.scalar_reasons}
    nests = tuple(
        replace(n, starts=tuple(replace(s, vector=s.vector or (s.loop in done - scalar)) for s in n.starts))
        for n in nests
    )
    by_work = sorted(known.values(), key=lambda each: -executions[each.inner.var])
    return CodeChange(tuple(dict.fromkeys(each.outer for each in by_work)), frozenset(), nests)


def _holds(body: BodyWork, found: Repeated) -> bool:
    """Whether it is of what the loop itself holds, not a branch in it."""
    lines = {op.line for op in found.operations}
    return body.branch_share is None and body.line <= min(lines)
