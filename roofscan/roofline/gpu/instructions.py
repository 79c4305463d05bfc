"""How many instructions the warps of a launch issue, without its compiler: Numba's code has 64-bit indices that wrap
around, so that an address takes several (measured for sm_90: within 25 %)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from math import prod

from roofscan.cost.memory.gpu.programs.program import Program, Reference, Scope, SerialLoop
from roofscan.cost.memory.gpu.traffic.movements import Movements
from roofscan.cost.memory.gpu.warps.tiles import WIDEST, together
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import INTEGER_POWER, MATRIX, OperationKind, PrecisionName
from roofscan.ir.tree import Operation
from roofscan.machine.functions import plain_name
from roofscan.symbolic.expr import ZERO, Expr, Func

THREAD, DIRECTION = 19, 4  # of a thread, and more for a second and a third direction of the launch
ACCESS, SUBSCRIPT = 7, 11  # of straight code: of an address of one subscript, and more for another one
ITERATION, COUNT = 10, 5  # of a loop: of an iteration, and of one whose number is no part of an address
WALK, WALKED = 10, 2  # of a loop: the same as ACCESS and SUBSCRIPT
STILL = 1  # of an access in a loop that does not move it
NEARBY_INSTRUCTIONS, WRAPPED_INSTRUCTIONS = (
    2,
    6,
)  # of an access a constant number of elements from another; of each subscript that may wrap around
SHARED_ADDRESS, SHARED_ACCESS = 3, 2  # of shared memory, in straight code and in a loop
BARRIER = 2
TEST, COMPARISON = 2, 2  # of what a condition leaves out, and of each comparison in it of 64-bit numbers
TILE_ACCESS = 4  # of a thread, for what it takes of a tile at once
DIVISION, BY_CONSTANT = 30, 8  # of integers
LITERAL = 1024  # up to which a divisor is taken for a number of the source, not an extent

ROOTS = frozenset(("div", "sqrt"))

Address = tuple[object, ...]


INTEGER_STRAIGHT, INTEGER_LOOP = 0.5, 0.7  # on the integer units, of the instructions without floating arithmetic


@dataclass(frozen=True)
class Instructions:
    """Of all threads together."""

    issued: float
    integer: float  # of these, on the unit of integers, which takes half as many a cycle
    floating: Mapping[str, float]  # by precision
    special: float  # on the unit of special functions
    roots_of_64: float  # divisions and roots of fp64
    matrix: Mapping[PrecisionName, float]  # FLOPs on the matrix units, by precision
    unsure: float = 0.0  # the share of ``floating`` in loops that data may end early


def instructions_of(moved: Movements, fused_pairs: float) -> Instructions:
    """``fused_pairs``: the multiplications and additions that one instruction does together."""
    program, by_warps = moved.program, moved.issued
    straight, looped = of_addresses(program, by_warps)
    issued, integer = straight + looped, INTEGER_STRAIGHT * straight + INTEGER_LOOP * looped
    floating: dict[str, float] = {}
    matrix: dict[PrecisionName, float] = {}
    special = roots_of_64 = 0.0
    for scope in program.root.scopes:
        for operation, times in scope.operations:
            name: PrecisionName = operation.dtype.precision or "fp32"
            if operation.function == MATRIX:
                as_fp16 = operation.dtype.precision is None  # integers of eight bits take half as long
                name = "fp16" if as_fp16 else name
                matrix[name] = matrix.get(name, 0.0) + value_of(times) / (2 if as_fp16 else 1)
                continue
            slots = slots_of(operation)
            issued += value_of(times) * slots.issued
            floating[name] = floating.get(name, 0.0) + value_of(times) * slots.piped
            special += value_of(times) * (operation.kind in ("special", "sqrt", "div"))
            roots_of_64 += value_of(times) * (operation.kind in ROOTS and name == "fp64")
    total = sum(floating.values())
    fused_pairs = max(0.0, fused_pairs - sum(matrix.values()) / 2)
    share = 1 - fused_pairs / total if total else 1.0
    floating = {name: slots * share for name, slots in floating.items()}
    unsure = _ended_by_data(program.root) / total if total else 0.0
    return Instructions(issued - fused_pairs, integer, floating, special, roots_of_64, matrix, unsure)


def _ended_by_data(scope: Scope) -> float:
    """The slots of the floating-point units in loops that data may end early."""
    if scope.loop is None or not scope.loop.ended_by_data:
        return sum(_ended_by_data(item) for item in scope.items if isinstance(item, Scope))
    every = (operation for inner in scope.scopes for operation in inner.operations)
    return sum(value_of(times) * slots_of(operation).piped for operation, times in every)


def of_addresses(program: Program, by_warps: Mapping[int, float]) -> tuple[float, float]:
    """Of all but floating arithmetic: in straight code, and in loops."""
    straight = _of_threads(program) + _of_divisions(program) + _of_straight(program.root, by_warps)
    return straight, sum(_of_loop(inner, program, by_warps) for inner in _loops(program.root))


def _of_threads(program: Program) -> float:
    launch = program.launch
    directions = sum(blocks * threads > 1 for blocks, threads in zip(launch.grid, launch.block))
    return launch.blocks * launch.threads * (THREAD + DIRECTION * max(0, directions - 1))


# -- loops and accesses -------------------------------------------------------------------------------
def _of_straight(scope: Scope, by_warps: Mapping[int, float]) -> float:
    """Of a body, without the loops in it."""
    known: set[Address] = set()
    accesses = sum(_of_access(r, scope, gone, known, by_warps) for r, gone in _straight(scope, ()))
    return accesses + BARRIER * scope.barriers * value_of(scope.executions) + _of_tests(scope)


def _of_tests(scope: Scope) -> float:
    """Those of a body, and of loops that are unrolled away in it. The first test of a kernel, which keeps threads
    without work out, is part of what each thread does."""
    own = (value_of(times) * (TEST + COMPARISON * wide) for wide, times in scope.tests[scope.loop is None :] if wide)
    return sum(own) + sum(_of_tests(item) for item in scope.items if isinstance(item, Scope) and is_gone(item))


def _of_loop(scope: Scope, program: Program, by_warps: Mapping[int, float]) -> float:
    assert scope.loop is not None
    walks = any(r.scattered or r.moves_with(scope.loop) for r in scope.references)
    iterations = value_of(scope.executions) * program.launch.sharers
    inner = sum(_of_loop(each, program, by_warps) for each in _loops(scope))
    return iterations * (ITERATION if walks else COUNT) + _of_straight(scope, by_warps) + inner


def is_gone(scope: Scope) -> bool:
    """Whether compiled code has no such loop."""
    return scope.loop is not None and scope.loop.is_gone


def _straight(scope: Scope, gone: tuple[SerialLoop, ...]) -> Iterator[tuple[Reference, tuple[SerialLoop, ...]]]:
    """The accesses of a body, those of loops that are unrolled away with these."""
    for item in scope.items:
        if isinstance(item, Reference):
            yield item, gone
        elif is_gone(item) and item.loop is not None:
            yield from _straight(item, (*gone, item.loop))


def _loops(scope: Scope) -> Iterator[Scope]:
    """Those that a body holds, in what is unrolled away too."""
    for item in scope.items:
        if isinstance(item, Scope):
            yield from _loops(item) if is_gone(item) else (item,)


def _of_access(
    reference: Reference, scope: Scope, gone: tuple[SerialLoop, ...], known: set[Address], by_warps: Mapping[int, float]
) -> float:
    times = max(value_of(reference.executions), by_warps.get(id(reference), 0.0))
    if reference.tile:
        return times * TILE_ACCESS / together(reference)
    if reference.array.space != "global":
        return times * _of_shared(reference, scope, gone)
    if scope.loop is not None and not gone and not reference.scattered and not reference.moves_with(scope.loop):
        return times * STILL
    address, subscripts, wraps = _address(reference, gone)
    first = 0.0 if address in known else times / prod(value_of(loop.trips) for loop in gone)
    known.add(address)
    one, more = (ACCESS, SUBSCRIPT) if scope.loop is None else (WALK, WALKED)
    another = WRAPPED_INSTRUCTIONS * subscripts if wraps and scope.loop is None else NEARBY_INSTRUCTIONS
    return first * (one + more * max(0, subscripts - 1)) + (times - first) * another


def _of_shared(reference: Reference, scope: Scope, gone: tuple[SerialLoop, ...]) -> float:
    """Neighbours that a loop unrolled away reads are read together."""
    if not gone:
        return SHARED_ADDRESS if scope.loop is None else SHARED_ACCESS
    steps = [value_of(stride) for loop, stride in reference.loops if loop.var == gone[-1].var]
    return reference.size / WIDEST if steps == [reference.size] and not reference.write else 1.0


def _address(reference: Reference, gone: tuple[SerialLoop, ...]) -> tuple[Address, int, bool]:
    """An access up to constants, the subscripts that are none, and whether one is a sum whose sign no guard tells."""
    constants = dict.fromkeys((loop.var for loop in gone), 0)
    parts: list[object] = []
    sums = False
    for subscript, rest in zip_longest(reference.access.index, reference.access.rests):
        expr = subscript if subscript is not None else rest.expr if rest is not None else None
        if expr is None:
            parts.append(id(reference))
            continue
        moving = expr.subs(constants) if constants else expr
        moving = moving - moving.constant_term
        parts.append((None if subscript is not None else rest.element if rest is not None else None, moving))
        sums |= bool(moving) and moving != expr
    changing = sum(part != (None, ZERO) for part in parts)
    from_below = any(cut.thread > 0 for cuts in reference.guards.cuts for cut in cuts)
    return (reference.name, reference.array.name, *parts), changing, sums and not from_below


# -- integers ------------------------------------------------------------------------------------
def _of_divisions(program: Program) -> float:
    """Those in subscripts, each done once for all of its uses."""
    found: dict[Func, float] = {}
    for reference in program.references:
        for atom in (a for e in reference.access.index if e is not None and e.atoms for a in _floors(e)):
            still = (value_of(loop.trips) for loop, _ in reference.loops if loop.var not in Expr.atom(atom).symbols)
            times = value_of(reference.executions) / max(1.0, prod(still))
            found[atom] = max(times, found.get(atom, 0.0))
    return sum(times * _of_division(atom.args[1].constant) for atom, times in found.items())


def _floors(expr: Expr) -> Iterator[Func]:
    for atom in expr.atoms:
        if atom.name == "floor":
            yield atom
        for arg in atom.args:
            yield from _floors(arg)


def _of_division(divisor: object) -> float:
    if not isinstance(divisor, int) or divisor > LITERAL:
        return DIVISION
    return BY_CONSTANT if divisor & (divisor - 1) else 0


@dataclass(frozen=True)
class Slots:
    """``issued``: all of its instructions; ``piped``: those of the floating-point units of its precision. The others
    take numbers apart, choose between cases and fetch constants."""

    issued: float
    piped: float


Pair = tuple[Slots, Slots]  # in fp32, in fp64


def _pair(issued: float, piped: float, issued_of_64: float, piped_of_64: float) -> Pair:
    return Slots(issued, piped), Slots(issued_of_64, piped_of_64)


NOTHING, ONCE = _pair(0, 0, 0, 0), _pair(1, 1, 1, 1)
KINDS: Mapping[OperationKind, Pair] = {
    "div": _pair(13, 6, 16, 8), "sqrt": _pair(13, 6, 18, 8), "special": _pair(28, 18, 80, 32),
    "complex_div": _pair(60, 40, 80, 50), "neg": NOTHING, "abs": NOTHING, "convert": _pair(1, 1, 2, 2),
}  # fmt: skip
"""Of all others: one."""
FUNCTIONS: Mapping[str, Pair] = {
    **dict.fromkeys(("exp", "exp2", "exp10", "sigmoid"), _pair(10, 6, 45, 18)), "expm1": _pair(29, 26, 60, 22),
    **dict.fromkeys(("log", "log2", "log10"), _pair(26, 20, 70, 31)), "log1p": _pair(31, 18, 90, 45),
    **dict.fromkeys(("sin", "cos", "sinpi", "cospi"), _pair(40, 18, 50, 16)), "tan": _pair(42, 18, 85, 31),
    "sinh": _pair(30, 22, 90, 36), "cosh": _pair(22, 15, 58, 21), "tanh": _pair(17, 12, 70, 28),
    "asin": _pair(25, 19, 95, 38), "acos": _pair(26, 21, 95, 38), "atan": _pair(19, 14, 72, 28),
    "atan2": _pair(45, 24, 95, 35), "erf": _pair(28, 19, 120, 42), "erfc": _pair(47, 38, 150, 63),
    "pow": _pair(80, 60, 190, 80), "hypot": _pair(22, 13, 34, 13), "rsqrt": _pair(6, 3, 16, 8),
    INTEGER_POWER: _pair(4, 3, 4, 3),
}  # fmt: skip
"""On the path that ordinary numbers take."""


def slots_of(operation: Operation) -> Slots:
    """Nothing of what matrix units do."""
    kind = KINDS.get(operation.kind, ONCE) if operation.function != MATRIX else NOTHING
    found = FUNCTIONS.get(plain_name(operation.function), kind) if operation.kind == "special" else kind
    return found[operation.dtype.precision == "fp64"]
