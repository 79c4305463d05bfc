"""What a body asks of a core beyond its arithmetic: functions by name, divisions of integers in its subscripts, and the
branches that the core guesses wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, prod

from roofscan.cost.compiled.unrolled_loops import constant_trips
from roofscan.cost.counts import ExecutionCounts, StatementDomain
from roofscan.cost.loop_body import is_choice
from roofscan.cost.result import Apart
from roofscan.cost.strides import stride, stride_of
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import POWER_CALL, PrecisionName
from roofscan.ir.tree import Access, Branch, Loop, Node, Operation
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable

LINE_BYTES = 64
SKIPPING_BYTES = 2 * LINE_BYTES  # nothing fetches lines from the second cache ahead of walks that skip some
APART_BYTES = 2048  # half a page: prefetchers stay inside one
CROWDING_BYTES = 1024  # from so far on, and by powers of two, a walk falls into few sets of the nearest cache
LONG_INTEGER_BYTES = 8  # bytes of an integer that vectors of AVX2 do not convert
SHORT_INTEGER_BYTES = 4  # bytes of an integer that is converted as it is loaded; shorter ones are widened first
STREAMS = 12  # walks side by side that prefetchers follow: 9 of them as fast as one (Zen 5), 16 half as fast
SPECULATED = 4  # operations that LLVM makes in any case, to select from, where a branch would hold them
_REAL_PARTS: Mapping[str, tuple[str, ...]] = {"log": ("log", "atan"), "power": ("log", "atan", "exp", "sin")}
"""The real functions that a function of complex numbers calls, if not the exponential and the sine."""
_NOT_SPECULATED = ("div", "sqrt", "special", "complex_div")


def functions_called(executions: ExecutionCounts, visit: StatementDomain) -> Mapping[tuple[str, PrecisionName], Expr]:
    """Calls over all executions, by function ("" for one that is not known) and precision. Sine and cosine of one value
    are one call, which takes about as long as either."""
    found: dict[tuple[str, PrecisionName], Expr] = {}
    values: Mapping[int, int] | None = None
    turned: set[object] = set()
    for node in visit.body:
        if isinstance(node, Operation) and calls(executions.kernel, node) and node.dtype.precision is not None:
            is_complex = node.dtype.kind == "complex"
            if node.function in ("sin", "cos") and not is_complex:
                values = _values(visit) if values is None else values
                angle = tuple(values.get(i, i) for i in node.inputs)
                if angle in turned:
                    continue
                turned.add(angle)
            for function in _REAL_PARTS.get(node.function, ("exp", "sin")) if is_complex else (node.function,):
                key = (function, node.dtype.precision)
                count = node.count if node.kind == "special" else ONE
                found[key] = found.get(key, ZERO) + executions.of(visit, count)
    return found


def calls(kernel: Kernel, operation: Operation) -> bool:
    """Whether a function does it: also the multiplications of some powers, unless all of fastmath is on."""
    is_power = operation.kind == "mul" and operation.function == POWER_CALL
    return operation.kind == "special" or (is_power and not kernel.decorator.approximates)


def _values(visit: StatementDomain) -> Mapping[int, int]:
    """The first node that computes the same value, by the node's id. Constants and scalars are not kept in the tree, so
    that ``2 * x`` and ``3 * x`` count as the same."""
    first: dict[object, int] = {}
    values: dict[int, int] = {}
    for node in visit.body:
        if isinstance(node, Operation):
            key: object = (node.kind, node.function, tuple(values.get(i, i) for i in node.inputs))
        elif isinstance(node, Access) and node.regular:
            key = (node.array, node.index)
        else:
            continue
        values[node.id] = first.setdefault(key, node.id)
    return values


def conversions(kernel: Kernel, visit: StatementDomain) -> tuple[int, int, int]:
    """In one execution: of elements of integer arrays for arithmetic of floating point, of single precision for
    arithmetic in double, and of results in double that are stored in single precision; and how many of these are of
    integers of 64 bits, and of less than 32."""
    nodes = [node for node in visit.body if isinstance(node, (Access, Operation))]
    made = {node.id: _precision(kernel, node) for node in nodes}
    integers = {n.id for n in nodes if isinstance(n, Access) and kernel.array(n.array).dtype.kind == "int"}
    if not integers and "fp32" not in made.values():
        return 0, 0, 0
    operands = {i for n in nodes if isinstance(n, Operation) and made[n.id] is not None for i in n.inputs}
    between = {(i, made[n.id]) for n in nodes for i in n.inputs if {made[n.id], made.get(i)} == {"fp32", "fp64"}}
    converted = [n for n in nodes if isinstance(n, Access) and n.id in integers & operands]
    sizes = [kernel.array(n.array).dtype.size for n in converted]
    return (
        len(converted) + len(between),
        sizes.count(LONG_INTEGER_BYTES),
        sum(size < SHORT_INTEGER_BYTES for size in sizes),
    )


def _precision(kernel: Kernel, node: Access | Operation) -> PrecisionName | None:
    return (node if isinstance(node, Operation) else kernel.array(node.array)).dtype.precision


def integer_divisions(kernel: Kernel, visit: StatementDomain, loop: Loop | None) -> float:
    """Distinct quotients and remainders in the subscripts of one execution; those by a power of two are shifts, and
    those that stand for a choice by a condition are none. What does not move in ``loop``, which has machine code of its
    own, is worked out before it starts, and iterations of loops that are unrolled in it share what they do not move."""
    own = visit.loops.index(loop) if loop in visit.loops else 0
    unrolled = {each.var: constant_trips(kernel, each) or 1 for each in visit.loops[own + 1 :]} if loop else {}
    variables = {each.var for each in visit.loops[own:] if each.var not in unrolled}
    indices = (e for node in visit.body if isinstance(node, Access) for e in node.written or node.index if e)
    atoms = {atom for e in indices for atom in e.atoms if atom.name == "floor"}
    divided = (atom for atom in atoms if Expr.atom(atom) not in kernel.selected)
    moving = (atom.args for atom in divided if atom.args[0].symbols & variables)
    real = (n for n, divisor in moving if not _is_shift(divisor) and not is_choice(n, divisor, visit.loops))
    return sum(1 / prod(trips for var, trips in unrolled.items() if var not in number.symbols) for number in real)


def walks_apart(kernel: Kernel, loop: Loop | None, executions: ExecutionCounts, visit: StatementDomain) -> Apart:
    """What a next iteration of the loop moves so far that no prefetcher follows, or to a place that depends on data."""
    found: dict[str, list[tuple[bool, bool]]] = {}
    walks: dict[tuple[str, tuple[Expr | None, ...]], tuple[Expr, bool, bool]] = {}
    for access in (n for n in visit.body if isinstance(n, Access) and loop):
        assert loop is not None
        array = kernel.array(access.array)
        size = array.dtype.size
        moved = abs(stride_of(kernel, executions, loop, access)) * size if access.regular else inf
        apart = APART_BYTES <= moved and not _in_streams(kernel, executions, visit, loop, access)
        found.setdefault(array.owner, []).append((apart, SKIPPING_BYTES <= moved < inf))
        if CROWDING_BYTES <= moved < inf:
            place = (access.array, _line_of(loop, access, size))
            _, reads, writes = walks.get(place, (ZERO, False, False))
            moves = stride(kernel, loop, access) * size
            walks[place] = (moves, reads or not access.write, writes or access.write)
    shares, skipping = (
        {name: share for name, each in found.items() if (share := sum(flags[which] for flags in each) / len(each))}
        for which in (0, 1)
    )
    return Apart(shares, skipping, tuple(walks.values()))


def _line_of(loop: Loop, access: Access, size: int) -> tuple[Expr | None, ...]:
    """Where an access walks, but for what shares its lines: elements beside it, and those that come to its place a few
    iterations earlier or later."""
    few = LINE_BYTES // size or 1
    return tuple(
        index
        if index is None or (axis and loop.var not in index.symbols)
        else index - index.constant_term + int(index.constant_term / few)
        for axis, index in enumerate(access.index[::-1])
    )


def _in_streams(
    kernel: Kernel, executions: ExecutionCounts, visit: StatementDomain, loop: Loop, access: Access
) -> bool:
    """Whether the loop has so few iterations that prefetchers follow each from one run of the loop to the next."""
    outside = visit.loops[: visit.loops.index(loop)] if loop in visit.loops else ()
    if not outside or not access.regular:
        return False
    moved = abs(stride_of(kernel, executions, outside[-1], access)) * kernel.array(access.array).dtype.size
    try:
        trips = executions.chamber.value(loop.stop - loop.start) / executions.chamber.value(loop.step)
    except NotEvaluable:
        return False
    return moved < LINE_BYTES and trips <= STREAMS


def lines_stored(kernel: Kernel, loop: Loop | None, executions: ExecutionCounts, visit: StatementDomain) -> float:
    """The lines that the stores of an iteration go to: those to fields side by side are one, and neighbouring
    iterations share them."""
    places: dict[object, float] = {}
    for store in (n for n in visit.body if isinstance(n, Access) and n.write and loop):
        assert loop is not None
        if not store.regular:
            places[store.id] = 1.0
            continue
        moved = abs(stride_of(kernel, executions, loop, store)) * kernel.array(store.array).dtype.size
        last = store.index[-1] if store.index else None
        place = (store.array, store.index[:-1], last - last.constant_term if last else None)
        places[place] = min(1.0, moved / LINE_BYTES)
    return sum(places.values())


def _is_shift(divisor: Expr) -> bool:
    number = divisor.constant
    return number is not None and number > 0 and number == int(number) and int(number) & (int(number) - 1) == 0


def branch_share(
    visit: StatementDomain,
    is_scalar: bool,
    guarded: Callable[[Access], bool],
    shared: Callable[[Access], bool] = lambda _: False,
) -> Expr | None:
    """Of a body under a branch on data, the share of decisions that take it; None where nothing is guessed: a few
    operations whose operands are loaded in any case make a selection. ``shared``: whether the other arm stores there,
    too; the compiler then selects a value and stores it once."""
    branch = visit.domain.path[-1] if visit.domain and visit.domain.path else None
    if not isinstance(branch, Branch) or not is_scalar:
        return None
    stores = any(isinstance(n, Access) and n.write and not shared(n) for n in visit.body)
    return branch.share if stores or not is_speculated(visit.body, guarded) else None


def is_speculated(body: Sequence[Node], guarded: Callable[[Access], bool]) -> bool:
    """Whether LLVM makes it before it knows whether it is needed, but for its stores."""
    dear = any(isinstance(n, Operation) and n.kind in _NOT_SPECULATED for n in body)
    loads = any(isinstance(n, Access) and not n.write and guarded(n) for n in body)
    return not dear and not loads and len(body) <= SPECULATED
