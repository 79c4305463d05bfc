"""How many instructions the addresses, loops and tests of a launch take: all but its arithmetic.

Numba's indices are 64-bit numbers, and a negative one counts from the end, so that an address takes several. Fitted to
the instructions that 157 kernels issued on an H200 (``benchmarks/README.md``): within a tenth on seven of ten, within a
quarter on nine of ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import zip_longest
from math import prod

from roofscan.cost.memory.gpu.programs.program import Program, Reference, Scope, SerialLoop
from roofscan.cost.memory.gpu.warps.tiles import WIDEST, together
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.symbolic.expr import ZERO, Expr, Func

THREAD, DIRECTION = 18, 11  # of a thread, and more for a second and a third direction of the launch
ACCESS, SUBSCRIPT = 8, 8  # of straight code: of an address of one subscript, and more for another one
NEARBY = 2  # of an access a constant number of elements from another
WRAPPED = 15  # more, of each value of a subscript whose sign no guard tells
ITERATION, COUNT = 7, 2  # of a loop: of an iteration, and of one whose number is no part of an address
WALK, WALKED = 10, 4  # of a loop: the same as ACCESS and SUBSCRIPT
STILL = 1  # of an access in a loop that does not move it
WALK_NEARBY, WALK_ROW, WALK_WRAPPED = 3, 5.5, 10  # of a loop: beside another, in another row, in one the loop moves to
SHARED, SHARED_ROW = 1, 11  # of shared memory, in straight code: of an access of one subscript, and of more
SHARED_WALK, SHARED_WALK_ROW = 1, 4.5  # the same, in a loop
BARRIER = 4
NEAR_TEST, COMPARISON = 2, 2.5  # of a condition on threads of a block, and of each comparison of 64-bit numbers
TILE_ACCESS = 4  # of a thread, for what it takes of a tile at once
DIVISION, BY_CONSTANT = 30, 8  # of integers
LITERAL = 1024  # up to which a divisor is taken for a number of the source, not an extent

Unrolled = tuple[SerialLoop, ...]  # the loops around an access that compiled code does not have


def of_addresses(program: Program, by_warps: Mapping[int, float]) -> tuple[float, float]:
    """Of all but floating arithmetic: in straight code, and in loops."""
    straight = _of_threads(program) + _of_divisions(program) + _of_straight(program.root, by_warps)
    return straight, sum(_of_loop(inner, program, by_warps) for inner in _loops(program.root))


def _of_threads(program: Program) -> float:
    launch = program.launch
    directions = sum(blocks * threads > 1 for blocks, threads in zip(launch.grid, launch.block))
    return launch.blocks * launch.threads * (THREAD + DIRECTION * max(0, directions - 1))


# -- loops ----------------------------------------------------------------------------------------
def _of_straight(scope: Scope, by_warps: Mapping[int, float]) -> float:
    """Of a body, without the loops in it."""
    body = _Body(scope, by_warps)
    accesses = sum(body.of_access(reference, gone) for reference, gone in _straight(scope, ()))
    return accesses + BARRIER * scope.barriers * value_of(scope.executions) + _of_tests(scope)


def _of_tests(scope: Scope) -> float:
    """Those of a body, and of loops that are unrolled away in it. The first test of a kernel, which keeps threads
    without work out, is part of what each thread does."""
    own = (value_of(times) * (COMPARISON * wide or NEAR_TEST) for wide, times in scope.tests[scope.loop is None :])
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


def _straight(scope: Scope, gone: Unrolled) -> Iterator[tuple[Reference, Unrolled]]:
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


# -- accesses -------------------------------------------------------------------------------------
class _Body:
    """The accesses of a body in order: compiled code computes an address once, and others from it."""

    def __init__(self, scope: Scope, by_warps: Mapping[int, float]) -> None:
        self._loop = scope.loop
        self._by_warps = by_warps
        self._known: set[object] = set()  # addresses, up to constants
        self._wrapped: set[object] = set()  # values of subscripts whose sign was tested

    def of_access(self, reference: Reference, gone: Unrolled) -> float:
        times = max(value_of(reference.executions), self._by_warps.get(id(reference), 0.0))
        if reference.tile:
            return times * TILE_ACCESS / together(reference)
        if reference.array.space != "global":
            return times * _of_shared(reference, gone, self._loop is not None)
        if self._loop is not None and not gone and not reference.scattered and not reference.moves_with(self._loop):
            return times * STILL
        address = _address(reference, gone)
        once = times / _trips(gone)
        first = 0.0 if address in self._known else once
        self._known.add(address)
        one, more = (ACCESS, SUBSCRIPT) if self._loop is None else (WALK, WALKED)
        changing = sum(part != (None, ZERO) for part in address[2:])
        others = self._of_others(reference, gone, times - first, once) if times > first else 0.0
        return first * (one + more * max(0, changing - 1)) + others

    def _of_others(self, reference: Reference, gone: Unrolled, times: float, once: float) -> float:
        """Of accesses a constant number of elements from a known one, ``once`` for each value of ``gone``'s loops."""
        if self._loop is None:
            return times * NEARBY + (0.0 if _is_from_below(reference) else once * self._of_wrapped(reference, gone))
        rows = [e for e in reference.access.index[:-1] if e is not None and e.constant_term]
        if gone or not rows:
            return times * (1 if gone else WALK_NEARBY)
        return times * (WALK_WRAPPED if any(self._loop.var in e.symbols for e in rows) else WALK_ROW)

    def _of_wrapped(self, reference: Reference, gone: Unrolled) -> float:
        """Of the subscripts that have a value of their own there."""
        found = 0.0
        for axis, expr in enumerate(reference.access.index):
            key = reference.array.name, axis, expr
            if expr is None or key in self._wrapped or not expr.symbols - {loop.var for loop in gone}:
                continue
            moving = [loop for loop in gone if loop.var in expr.symbols]
            if moving or expr.constant_term:
                self._wrapped.add(key)
                found += WRAPPED * _trips(moving)
        return found


def _trips(loops: Iterable[SerialLoop]) -> float:
    return prod(value_of(loop.trips) for loop in loops)


def _is_from_below(reference: Reference) -> bool:
    """Whether a guard tells that places are not negative."""
    return any(cut.thread > 0 for cuts in reference.guards.cuts for cut in cuts)


def _of_shared(reference: Reference, gone: Unrolled, in_loop: bool) -> float:
    """Neighbours that a loop unrolled away reads are read together."""
    if not gone:
        rows = sum(e is None or bool(e.symbols) for e in reference.access.index) > 1
        return ((SHARED, SHARED_ROW), (SHARED_WALK, SHARED_WALK_ROW))[in_loop][rows]
    steps = [value_of(stride) for loop, stride in reference.loops if loop.var == gone[-1].var]
    return reference.size / WIDEST if steps == [reference.size] and not reference.write else 1.0


def _address(reference: Reference, gone: Unrolled) -> tuple[object, ...]:
    """The array, and the subscripts up to constants."""
    constants = dict.fromkeys((loop.var for loop in gone), 0)
    parts: list[object] = []
    for subscript, rest in zip_longest(reference.access.index, reference.access.rests):
        expr = subscript if subscript is not None else rest.expr if rest is not None else None
        if expr is None:
            parts.append(id(reference))
            continue
        moving = expr.subs(constants) if constants else expr
        element = None if subscript is not None or rest is None else rest.element
        parts.append((element, moving - moving.constant_term))
    return reference.name, reference.array.name, *parts


# -- integers -------------------------------------------------------------------------------------
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
