"""Changes to the machine code of loops that leave their traffic as it is: vector code where a test or a possible
overlap makes it scalar, a sum in a register where it is loaded again in each iteration, and sums in any order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from roofscan.cost.compiled.machine_code import possible_reasons
from roofscan.cost.recurrences import stays_the_same
from roofscan.cost.result import Chain, KernelCost, NestCost
from roofscan.frozen import dataclass
from roofscan.ir.assumption import FLOAT_BY_DEFAULT, Assumption
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import OperationKind, ScalarReason
from roofscan.ir.tree import Access, Branch, Loop, Operation, When
from roofscan.ir.visitor import accesses, leaves, loops, walk
from roofscan.machine.model import Machine
from roofscan.roofline.interfaces import TrafficCurves
from roofscan.roofline.target import target_on
from roofscan.roofline.time.core_time import nest_time
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.atoms import has_power_of
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ONE, ZERO, Expr, NotEvaluable, Number
from roofscan.symbolic.polynomial_signs import bisect

MIN_TRIPS = 8  # that vector code is worth its start
WORTHWHILE = 1.4  # how many times faster a call must become: by less a time may be wrong
_REORDERABLE: frozenset[OperationKind] = frozenset(("add", "sub", "mul"))
_PLAIN_REDUCTIONS: tuple[set[OperationKind], ...] = ({"add"}, {"mul"}, {"add", "sub", "mul"})
REMOVABLE: tuple[ScalarReason, ...] = ("overlap", "division", "index test", "rows")
WHOLE_NUMBERS = frozenset("shape shapes index indices ind inds idx idxs ids lens lengths strides".split())
"""Words in names of arrays of places or sizes."""


@dataclass(frozen=True)
class CodeChange:
    """Other machine code for some loops, those with most iterations first."""

    loops: tuple[Loop, ...]
    faults: frozenset[ScalarReason]
    nests: tuple[NestCost, ...]  # all of the kernel, after the change


# -- vector code ------------------------------------------------------------------------------------
def vector_code(cost: KernelCost, fault: ScalarReason) -> CodeChange | None:
    """Vector code for the loops whose first fault this is, and that have no others than can be removed."""
    found = {
        body.loop: body.scalar_reasons
        for nest in cost.nests
        for body in nest.bodies
        if body.scalar_because == fault and set(body.scalar_reasons) <= set(REMOVABLE)
    }
    variables = [loop.var for loop in loops(cost.kernel.body)]
    viewed = {var for var, reasons in found.items() if "index test" in reasons}
    short = _short_loops(cost, found)
    written = _written(
        cost,
        lambda loop: (
            loop.var in found
            and loop.var not in short
            and not (fault == "index test" and _starts_at_a_number(loop, cost.kernel))
            and (loop.var not in viewed or _may_walk_views(loop, variables))
        ),
    )
    faults = frozenset(reason for loop in written for reason in found[loop.var])
    return _change(cost, written, _vectorized, faults)


def _starts_at_a_number(loop: Loop, kernel: Kernel) -> bool:
    """Whether it starts at a parameter for which a caller of the file hands a number: compiled with the caller, it has
    no test (measured 0.85 to 1.25 with views, which cost 10 ns each, for a regression over windows from 0 on)."""
    return bool(loop.start.symbols) and loop.start.symbols <= kernel.given_numbers


def _short_loops(cost: KernelCost, among: Collection[str]) -> set[str]:
    """The loops whose iterations fill no vectors where the kernel is counted, as those around a place: setting up views
    and vector code takes as long (measured 1.08 with 3 iterations, 0.64 with 4, 1.17 with 9)."""
    executions = executions_of(cost)
    entries = {s.loop: _known(s.entries, cost) for nest in cost.nests for s in nest.starts if s.loop in among}
    return {loop for loop, count in entries.items() if 0 < executions.get(loop, 0) < MIN_TRIPS * count}


def may_be_vector_code(kernel: Kernel, fault: ScalarReason) -> bool:
    return any(reasons[:1] == (fault,) and set(reasons) <= set(REMOVABLE) for reasons in possible_reasons(kernel))


def _change(
    cost: KernelCost,
    written: tuple[Loop, ...],
    remade: Callable[[NestCost, set[str]], NestCost],
    faults: frozenset[ScalarReason] = frozenset(),
) -> CodeChange | None:
    """``remade`` gives a nest other machine code for some loops, by their variables."""
    changed = {loop.var for loop in written}
    return CodeChange(written, faults, tuple(remade(nest, changed) for nest in cost.nests)) if written else None


def _written(cost: KernelCost, chosen: Callable[[Loop], bool], of_statements: bool = False) -> tuple[Loop, ...]:
    """The chosen loops of the function itself, by their iterations; ``of_statements``: those of whole-array
    statements too."""
    executions = executions_of(cost)
    found = (loop for loop in loops(cost.kernel.body) if loop.var in executions and chosen(loop))
    own = (loop for loop in found if (loop.source_name or of_statements) and not loop.is_elsewhere)
    return tuple(sorted(own, key=lambda loop: -executions[loop.var]))


def executions_of(cost: KernelCost) -> dict[str, Number]:
    """Of the bodies of loops that have machine code of their own, at the sample point: of all that a test of parameters
    made of one."""
    found: dict[str, Number] = {}
    for body in (body for nest in cost.nests for body in nest.bodies):
        found[body.loop] = found.get(body.loop, 0) + _known(body.executions, cost)
    return found


def _known(executions: Expr, cost: KernelCost) -> Number:
    """Their number at the sample point; 0 where it takes long to tell."""
    try:
        return number(executions, cost.sample_point)
    except NotEvaluable:
        return 0


def _may_walk_views(loop: Loop, variables: Sequence[str]) -> bool:
    """Whether views from the first element on show the same elements in the same order. The subscript of a counter is
    not affine in triangular loops."""
    return all(
        _runs_up(subscript.coefficient(loop.var).constant) and subscript.is_linear_in(variables)
        for access in accesses(loop.body)
        for subscript in access.written or access.index
        if subscript is not None and loop.var in subscript.symbols
    )


def _runs_up(step: object) -> bool:
    return isinstance(step, (int, Fraction)) and step > 0


def _vectorized(nest: NestCost, changed: set[str]) -> NestCost:
    bodies = (
        replace(b, scalar_reasons=(), test_operations=0, gathered=0) if b.loop in changed else b for b in nest.bodies
    )
    starts = (replace(s, vector=True) if s.loop in changed else s for s in nest.starts)
    return replace(nest, bodies=tuple(bodies), starts=tuple(starts))


# -- sums in registers ------------------------------------------------------------------------------
def register_sums(cost: KernelCost) -> CodeChange | None:
    """Scalars for the accumulators in array elements that are loaded again in each iteration."""
    found = {chain.loop for nest in cost.nests for chain in nest.chains if chain.reloaded}
    written = _written(cost, lambda loop: loop.var in found)
    return _change(cost, written, partial(_in_registers, fastmath=cost.kernel.decorator.fastmath))


def may_add_up(kernel: Kernel) -> bool:
    """Whether a loop may carry a sum, by the source alone. Where callers inline it, their options hold."""
    if kernel.decorator.may_reorder or kernel.decorator.inlined:
        return False
    return any(
        loop.carried
        or _is_of_statement(loop)
        or any(a.write and stores_in_place(loop, a.array) for a in accesses(loop.body))
        for loop in loops(kernel.body)
    )


def reordered_sums(cost: KernelCost) -> CodeChange | None:
    """Sums and products that may be added up in any order, for the loops that wait for such chains alone. Where LLVM
    reorders a loop with a test of subscripts, it gathers the elements one by one: that is slower than a dot product in
    order, and than a sum from memory, and one such loop spoils what others gain (two substitutions: 0.9 to 1.4 times).
    Of ``(i + 1) % n`` it takes the last iteration by itself (1.0 to 12 times). A loop of a few iterations has no vector
    code to itself (filters of 2 to 7 places over several channels: 0.6 to 1.6 times)."""
    if cost.kernel.decorator.inlined or cost.kernel.decorator.has_unread:
        return None
    by_loop: dict[str, list[Chain]] = {}
    for chain in (chain for nest in cost.nests for chain in nest.chains):
        by_loop.setdefault(chain.loop, []).append(chain)
    reasons = {body.loop: body.scalar_reasons for nest in cost.nests for body in nest.bodies}

    def is_gathered(loop: Loop) -> bool:
        return "index test" in reasons.get(loop.var, ()) and not _wraps_around(loop)

    short = _short_loops(cost, by_loop)
    tested = (loop for loop in loops(cost.kernel.body) if loop.var in by_loop and is_gathered(loop))
    if any(_may_be_reordered(loop, by_loop[loop.var], cost.kernel) for loop in tested):
        return None
    written = _written(
        cost,
        lambda loop: (
            not is_gathered(loop)
            and loop.var not in short
            and (bool(loop.source_name) or (_is_of_statement(loop) and set(reasons[loop.var]) == {"chain"}))
            and _may_be_reordered(loop, by_loop.get(loop.var, ()), cost.kernel)
        ),
        of_statements=True,
    )
    divided = {loop for loop, why in reasons.items() if "division" in why}
    if any(loop.var in divided for loop in written):
        return _change(cost, written, _in_any_order_untested, frozenset(("division",)))
    return _change(cost, written, _in_any_order)


def _is_of_statement(loop: Loop) -> bool:
    """Whether it is the loop of a whole-array sum, product or variance, which Numba compiles as it is; norms are
    BLAS's, and those that leave out NaN keep their test."""
    kinds = {node.kind for node in leaves(loop.body) if isinstance(node, Operation)}
    return not loop.source_name and bool(loop.state) and kinds in _PLAIN_REDUCTIONS


def _may_be_reordered(loop: Loop, chains: Sequence[Chain], kernel: Kernel) -> bool:
    """Whether LLVM would reorder all chains of a loop; of those in array elements, one whose array is not read."""
    in_memory = [chain.name for chain in chains if chain.name in kernel.array_named]
    places = {access.index for access in accesses(loop.body) if access.array in in_memory}
    if len(in_memory) > 1 or len(places) > 1 or all(chain.reorderable for chain in chains):
        return False
    if loop.over_items or loop.early_exit or loop.breaks:
        return False
    if _is_conditional(loop, in_memory, kernel) or _may_be_integers(loop, kernel):
        return False
    return all(c.reorderable or (c.reduction and not c.reloaded and set(c.kinds) <= _REORDERABLE) for c in chains)


def _may_be_integers(loop: Loop, kernel: Kernel) -> bool:
    """Whether a loop computes from numbers alone whose types are not known, or for an array of integers: integers wait
    for no chain."""
    operations = [node for node in leaves(loop.body) if isinstance(node, Operation)]
    results = {carried.exit for carried in loop.carried} or {op.id for op in operations if op.kind in _REORDERABLE}
    stores = (access for access in accesses(kernel.body) if access.write and not results.isdisjoint(access.inputs))
    if any(kernel.array(store.array).dtype.kind == "int" for store in stores):
        return True
    if _counts_by_name(loop, kernel) or _adds_to_integers(loop, kernel):
        return True
    known = any(accesses(loop.body)) or any(op.kind == "special" for op in operations)
    return not known and (bool(kernel.default_scalars) or _has_floats_by_default(kernel))


def _has_floats_by_default(kernel: Kernel) -> bool:
    """Whether a parameter is a number of which nothing tells the type."""
    return any(name in kernel.parameters and name not in kernel.array_named for name in default_floats(kernel))


def _counts_by_name(loop: Loop, kernel: Kernel) -> bool:
    """Whether it computes with indices or sizes, by the name of an array of which nothing else tells the type:
    ``inds[k] * shape[k]``."""
    read = {access.array for access in accesses(loop.body)} & default_floats(kernel)
    return any(WHOLE_NUMBERS & set(name.lower().split("_")) for name in read)


def _adds_to_integers(loop: Loop, kernel: Kernel) -> bool:
    """Whether all sums start at the integer 0, and of the arrays that they add up nothing tells the type: ``uv = 0`` is
    what one writes for integers."""
    read = {access.array for access in accesses(loop.body) if not access.write}
    begun = bool(loop.carried) and all(carried.from_integer for carried in loop.carried)
    return begun and bool(read) and read <= default_floats(kernel)


def default_floats(kernel: Kernel) -> set[str]:
    """The parameters of which nothing tells the type of their elements, or their own."""
    return {a.subject for a in kernel.assumptions if isinstance(a, Assumption) and a.says == FLOAT_BY_DEFAULT}


def _wraps_around(loop: Loop) -> bool:
    """Whether a loop from 0 moves subscripts as ``i + 1`` and ``(i + 1) % n`` alone."""
    every = (e for access in accesses(loop.body) for e in access.written or access.index)
    moved = [e for e in every if e is None or loop.var in e.symbols]
    return loop.start == ZERO and loop.step == ONE and all(e is not None and _is_ahead(e, loop.var) for e in moved)


def _is_ahead(subscript: Expr, var: str) -> bool:
    for atom in subscript.atoms:
        if atom.name == "floor" and len(subscript.atoms) == 1:
            base, period = (Expr.of(argument) for argument in atom.args)
            subscript = base if subscript == base - period * Expr.atom(atom) else subscript
    ahead = (subscript - Expr.of(var)).constant
    return ahead is not None and ahead >= 0


def _is_conditional(loop: Loop, in_memory: Sequence[str], kernel: Kernel) -> bool:
    """Whether only some iterations accumulate, by a branch on data: LLVM reorders that with all of ``fastmath``. A sum
    in an element that a test may leave alone stays there (1.0 to 1.1). A test of what each iteration shifts or doubles
    is a recurrence, which keeps the loop scalar (1.0)."""
    tests = [t for t in walk(loop.body) if isinstance(t, (Branch, When)) and not stays_the_same(t, loop, kernel)]
    inside = {leaf.id for t in tests if isinstance(t, Branch) or _is_shifted(t, loop) for leaf in leaves(t.body)}
    tested = (leaf for test in tests for leaf in leaves(test.body) if isinstance(leaf, Access) and leaf.write)
    return any(leaf.array in in_memory for leaf in tested) or any(carried.exit in inside for carried in loop.carried)


def _is_shifted(test: When, loop: Loop) -> bool:
    return any(has_power_of(condition.expr, loop.var) for condition in test.conditions)


def _in_any_order(nest: NestCost, changed: set[str]) -> NestCost:
    chains = tuple(replace(c, reorderable=True) if c.loop in changed else c for c in nest.chains)
    return _without_chain(replace(nest, chains=chains), changed)


def _in_any_order_untested(nest: NestCost, changed: set[str]) -> NestCost:
    """Likewise where divisors are tested for 0 no more: with the tests, the loops stay scalar in any order."""
    bodies = tuple(
        replace(b, scalar_reasons=tuple(r for r in b.scalar_reasons if r != "division"), test_operations=0)
        if b.loop in changed and "division" in b.scalar_reasons else b
        for b in nest.bodies
    )  # fmt: skip
    return _in_any_order(replace(nest, bodies=bodies), changed)


def _without_chain(nest: NestCost, freed: set[str]) -> NestCost:
    """The nest with bodies in these loops that a chain no longer keeps scalar; vector code starts as such."""
    bodies = tuple(
        replace(b, scalar_reasons=tuple(r for r in b.scalar_reasons if r != "chain")) if b.loop in freed else b
        for b in nest.bodies
    )
    vector = freed - {b.loop for b in bodies if b.scalar_reasons}
    starts = tuple(replace(s, vector=True) if s.loop in vector else s for s in nest.starts)
    return replace(nest, bodies=bodies, starts=starts)


def _in_registers(nest: NestCost, changed: set[str], fastmath: bool) -> NestCost:
    chains = tuple(
        replace(c, reloaded=False, reorderable=c.reduction and fastmath and "minmax" not in c.kinds)
        if c.loop in changed and c.reloaded else c
        for c in nest.chains
    )  # fmt: skip
    free = changed - {c.loop for c in chains if not c.reorderable}
    return _without_chain(replace(nest, chains=chains), free)


# -- times ------------------------------------------------------------------------------------------
def core_gain(cost: KernelCost, machine: Machine, change: CodeChange) -> float:
    """How many times faster a core is at the sample point where all data are in registers."""
    fastmath = cost.kernel.decorator.fastmath
    try:
        before, after = (
            sum(nest_time(n, machine, lambda e: float(number(e, cost.sample_point)), fastmath).seconds for n in nests)
            for nests in (cost.nests, change.nests)
        )
    except (NotEvaluable, OverflowError):
        return 1.0
    return before / after if after else 1.0


def speedup(point: RooflinePoint, change: CodeChange, least: float = WORTHWHILE) -> Speedup | None:
    """At the evaluation point or, where sizes are free and it gains more there, with all data in the second cache.
    None where it gains less than ``least``, or there is no time."""
    if not point.interfaces:
        return None
    curves = point.interfaces[0].curves
    found = [s for each in (*near_sizes(curves, point.machine), curves) if (s := _speedup(point, each, change))]
    return max((s for s in found if s.gain >= least), key=lambda s: s.gain, default=None)


def near_sizes(curves: TrafficCurves, machine: Machine) -> Iterator[TrafficCurves]:
    """The largest sizes at which the second cache holds all data."""
    evaluation, cache = curves.evaluation, machine.levels[:2][-1].capacity
    if not evaluation.path.symbol or not evaluation.generalises or not cache:
        return
    first = bisect(lambda x: (evaluation.data_at(x) or 0) > cache, 1, evaluation.position)
    if first is not None and first > 2:
        yield curves.moved_to(replace(evaluation, position=first - 1))


def _speedup(point: RooflinePoint, curves: TrafficCurves, change: CodeChange) -> Speedup | None:
    evaluation = curves.evaluation
    target = target_on(curves.cost, point.machine, evaluation.values)
    before = predicted_time(curves, point.machine, target)
    after = predicted_time(curves, point.machine, target, change.nests)
    if not isinstance(before, TimePrediction) or not isinstance(after, TimePrediction) or not after.expected:
        return None
    at = f"{evaluation.path.symbol} = {evaluation.position}" if evaluation.path.symbol else ""
    return Speedup(float(before.expected), float(after.expected), at)


def stores_in_place(loop: Loop, array: str) -> Access | None:
    """The store of an accumulator that the loop does not move."""
    stores = (a for a in accesses(loop.body) if a.write and a.array == array)
    return next((a for a in stores if not any(e is not None and loop.var in e.symbols for e in a.index)), None)
