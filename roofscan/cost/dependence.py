"""Which iterations of a loop nest must stay in order: distance vectors, as signs. Two accesses to one element, at least
one a write, tie the iterations that make them. Where their subscripts move alike with the loops (uniform references),
the distance solves one linear equation a dimension; anything else counts as a dependence at every distance. A loop
order is legal exactly if every dependence still points forward in it (Wolf and Lam, "A loop transformation theory and
an algorithm to maximize parallelism", IEEE TPDS 2(4), 1991, section 2). Different names are taken to be different
memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import gcd, inf

from roofscan.cost.transform.nest import Nest
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Loop
from roofscan.ir.visitor import accesses
from roofscan.symbolic.expr import Expr, Number

Signs = tuple[int, ...]
"""One sign per loop, outermost first: the later access comes in a later iteration (1), in the same (0) or in an earlier
one (-1)."""

MAX_COMMON_LOOPS = 5  # the deepest nest whose dependences are looked for


@dataclass(frozen=True)
class SubscriptEquation:
    """Sum of coefficient x distance over the loops = ``offset``, distances in values of the loop variables."""

    coefficients: Mapping[str, Number]
    offset: Number


def dependences(kernel: Kernel, nest: Nest, free: Iterable[Access] = ()) -> frozenset[Signs]:
    """The directions of all dependences that the loops carry, each pointing forward in the nest's own order. ``free``
    lists accesses whose order among themselves does not matter (a reduction that may be reordered)."""
    released = {access.id for access in free}
    found: set[Signs] = set()
    for one, other in _conflicts(kernel, nest.body):
        if not {one.id, other.id} <= released:
            for signs in directions(nest, one, other):
                found.add(signs if is_forward(signs) else tuple(-s for s in signs))
    return frozenset(signs for signs in found if any(signs))


def keeps(order: Sequence[int], found: Iterable[Signs]) -> bool:
    """Whether every dependence points forward if loop ``order[0]`` is outermost, then ``order[1]`` …"""
    return all(is_forward(tuple(signs[i] for i in order)) for signs in found)


def forbids(kernel: Kernel, nest: Nest, order: Sequence[int]) -> bool:
    """Whether a dependence of known distance points backward in another order: whatever else stands between the loops,
    they may not go in that one."""
    for one, other in _conflicts(kernel, nest.body):
        known = _solved(_equations(nest, one, other), nest.loops)
        if known is not None and known.keys() >= set(nest.variables):
            signs = tuple(_sign(known[loop.var]) * _heading(loop) for loop in nest.loops)
            forward = signs if is_forward(signs) else tuple(-sign for sign in signs)
            if not is_forward(tuple(forward[position] for position in order)):
                return True
    return False


def may_split(kernel: Kernel, nest: Nest, first: Body, rest: Body) -> bool:
    """Whether all iterations may run ``first`` before any runs ``rest``, which follows it in the body. They may unless
    something in ``rest`` must come before something in ``first`` of a later iteration."""
    return not any(
        any(signs) and is_forward(signs)
        for late in accesses(rest)
        for early in accesses(first)
        if _meet(kernel, late, early)
        for signs in directions(nest, late, early)
    )


def is_forward(signs: Signs) -> bool:
    return next((s for s in signs if s), 1) > 0


def directions(nest: Nest, one: Access, other: Access) -> Iterator[Signs]:
    """The signs of (iteration of ``other``) - (iteration of ``one``) at which both may touch one element."""
    equations = list(_equations(nest, one, other))
    known = _solved(equations, nest.loops)
    if known is None:
        return
    choices = [(_sign(known[var]),) if var in known else (-1, 0, 1) for var in nest.variables]
    for signs in product(*choices):
        moves = dict(zip(nest.variables, signs, strict=True))
        if all(_possible(equation, moves, known) for equation in equations):
            yield tuple(sign * _heading(loop) for loop, sign in zip(nest.loops, signs, strict=True))


def _conflicts(kernel: Kernel, body: Body) -> Iterator[tuple[Access, Access]]:
    """The pairs of accesses to one memory of which one is a write; each place once."""
    places: dict[tuple[object, ...], Access] = {}
    for access in accesses(body):
        places.setdefault((access.array, access.index, access.write), access)
    unique = list(places.values())
    for position, one in enumerate(unique):
        for other in unique[position:]:
            if _meet(kernel, one, other):
                yield one, other


def _meet(kernel: Kernel, one: Access, other: Access) -> bool:
    return (one.write or other.write) and kernel.array(one.array).memory == kernel.array(other.array).memory


def _equations(nest: Nest, one: Access, other: Access) -> Iterator[SubscriptEquation]:
    """One for each dimension in which both accesses move alike with the loops, and with nothing within them."""
    if one.array != other.array:
        return
    for first, second in zip(one.index, other.index, strict=True):
        equation = None if first is None or second is None else _equation(nest, first, second)
        if equation is not None:
            yield equation


def _equation(nest: Nest, first: Expr, second: Expr) -> SubscriptEquation | None:
    variables = nest.variables
    if (first.symbols | second.symbols) & nest.inner:
        return None
    if not first.is_linear_in(variables) or not second.is_linear_in(variables):
        return None
    coefficients = {v: first.coefficient(v) for v in variables if first.coefficient(v)}
    if coefficients != {v: second.coefficient(v) for v in variables if second.coefficient(v)}:
        return None
    offset = (first - second).constant
    if offset is None:
        return None
    if len(coefficients) == 1 and not offset:  # whatever the factor is: if it moves, it is another element
        return SubscriptEquation(dict.fromkeys(coefficients, 1), 0)
    numbers = {v: c.constant for v, c in coefficients.items()}
    known = {v: c for v, c in numbers.items() if c is not None}
    return SubscriptEquation(known, offset) if len(known) == len(numbers) else None


def _solved(equations: Iterable[SubscriptEquation], loops: Sequence[Loop]) -> dict[str, Number] | None:
    """Distances that equations of one loop fix; None where there can be no dependence."""
    known: dict[str, Number] = {}
    loop_of = {loop.var: loop for loop in loops}
    for equation in equations:
        if not equation.coefficients and equation.offset:
            return None
        if len(equation.coefficients) == 1:
            [(var, factor)] = equation.coefficients.items()
            distance = Fraction(equation.offset) / factor
            if known.setdefault(var, distance) != distance or not _reachable(loop_of[var], distance):
                return None
    return known


def _reachable(loop: Loop, distance: Fraction) -> bool:
    step, length = loop.step.constant, (loop.stop - loop.start).constant
    if step is not None and (distance / step).denominator != 1:
        return False
    return length is None or not distance or abs(float(distance)) < abs(float(length))


def _possible(equation: SubscriptEquation, moves: Mapping[str, int], known: Mapping[str, Number]) -> bool:
    """Whether distances of these signs, and the known ones, can solve the equation."""
    low, high = 0.0, 0.0
    rest, divisor = Fraction(equation.offset), 0
    for var, factor in equation.coefficients.items():
        towards = factor * moves[var]
        if var in known:
            rest -= Fraction(factor) * known[var]
        elif towards > 0:
            low, high = low + float(towards), inf
        elif towards < 0:
            low, high = -inf, high + float(towards)
        if var not in known:
            divisor = gcd(divisor, int(factor)) if Fraction(factor).denominator == 1 else 1
    return low <= float(rest) <= high and (not divisor or not rest % divisor)


def _sign(number: Number) -> int:
    return (number > 0) - (number < 0)


def _heading(loop: Loop) -> int:
    """1 for a loop that counts upwards (a symbolic step is positive), -1 for one that counts down."""
    step = loop.step.constant
    return -1 if step is not None and step < 0 else 1
