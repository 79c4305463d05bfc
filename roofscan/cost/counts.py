"""Execution counts: operations, and bytes at the registers. One walk over the tree makes a :class:`StatementDomain` of
every body that holds accesses or operations; its executions are counted once, as lattice points, for all its nodes."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from itertools import count

from roofscan.budget import Budget
from roofscan.cost.memory.base import Movement, Traffic
from roofscan.cost.result import OperationCounts
from roofscan.cost.statement_domain import Domain
from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import BoundSide, OperationKind, PrecisionName
from roofscan.ir.tree import FLOP_WEIGHT, Access, Block, Body, Loop, Operation, When
from roofscan.ir.visitor import BLOCKS, LEAVES
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.counting.lattice_points import COUNTING_STEPS, MAX_TERMS, LatticePointCounter, Uncountable
from roofscan.symbolic.expr import ONE, ZERO, Expr, Func, NotEvaluable, Number, symbol

Operations = dict[tuple[OperationKind, PrecisionName], Expr]
Form = tuple[tuple[Expr, Expr, Expr], ...]
Around = tuple[tuple[Loop, "Domain | None"], ...]
"""The loops around a body, outermost first, each with the domain around it."""

MAX_EVALUATED_TERMS = 50_000
"""The most terms that evaluating a count at the sample point may take (sums without a closed form)."""


@dataclass(frozen=True)
class StatementDomain:
    """A body that holds accesses or operations, with the domain of its executions."""

    number: int
    body: Body
    domain: Domain | None  # None: outside what can be counted
    loops: tuple[Loop, ...]  # around it, outermost first
    line: int
    why_not: str = ""
    before: tuple[Domain | None, ...] = ()  # the domains in which the loops stand

    @property
    def innermost(self) -> Loop | None:
        return self.loops[-1] if self.loops else None


@dataclass
class ExecutionCounts:
    """Counts executions of bodies, with bounds where there is no exact count. ``bound`` is the side of those bounds:
    ``upper`` (the box around the loops) or ``lower`` (0)."""

    kernel: Kernel
    chamber: Chamber
    bound: BoundSide = "upper"
    budget: Budget = field(default_factory=lambda: Budget(COUNTING_STEPS))
    problems: dict[tuple[int, str], BoundSide] = field(default_factory=dict)  # (line, why) -> effect

    def __post_init__(self) -> None:
        self.counter = LatticePointCounter(self.chamber, self.budget)
        aside = Chamber(self.chamber.sample_point, self.kernel.least_values)
        self.aside = LatticePointCounter(
            aside
        )  # for counts that no figure shows: no conditions, no steps of the others
        self._known: dict[tuple[int, Expr], Expr] = {}  # by the number of the statement domain, and the weight
        self._by_form: dict[Form | None, Expr] = {}
        self._numbers = count()
        self._means = frozenset(s.name for s in self.kernel.symbols if s.mean)
        trips = [s.name for s in self.kernel.symbols if s.kind == "trips"]
        self._of_threads = frozenset(trips if self.kernel.on_gpu else ())  # which differ from thread to thread
        self.domains = tuple(self._walk(self.kernel.body, Domain(), (), self.kernel.line))

    def of(self, statement: StatementDomain, weight: Expr = ONE) -> Expr:
        """Σ of ``weight`` over the executions of a body: exact, or a bound with its reason in ``problems``."""
        if weight != ONE and weight.symbols.isdisjoint(loop.var for loop in statement.loops):
            return self.of(statement) * weight
        key = (statement.number, weight)
        if key not in self._known:
            self._known[key] = self._exact_or_bound(statement, weight)
        return self._known[key]

    def entries(self, statement: StatementDomain, depth: int) -> Expr | None:
        """How often the loop at a depth around a body is entered; None where that cannot be counted."""
        domain = statement.before[depth]
        try:
            return domain.count(self.aside, ONE) if domain is not None else None
        except (Uncountable, NotEvaluable):
            return None

    def iterations(self, statement: StatementDomain, depth: int) -> Expr | None:
        """How often the body of that loop runs; None where that cannot be counted."""
        around = tuple(zip(statement.loops[:depth], statement.before[:depth], strict=True))
        domain, _ = self._entered(statement.before[depth], statement.loops[depth], around, "")
        try:
            return None if domain is None else domain.count(self.aside, ONE)
        except (Uncountable, NotEvaluable):
            return None

    def _exact_or_bound(self, statement: StatementDomain, weight: Expr) -> Expr:
        try:
            return self._exact(statement, weight)
        except (Uncountable, NotEvaluable) as problem:
            why = str(problem)
        made_bound = self._upper_bound(statement, weight) if self.bound == "upper" else None
        effect: BoundSide = "lower" if made_bound is None else "upper"
        self.problems[statement.line, why] = effect
        return ZERO if made_bound is None else made_bound

    def _upper_bound(self, statement: StatementDomain, weight: Expr) -> Expr | None:
        """The count of the box around the loops. Where only the mean trips of a loop are known, the count without the
        tests on its iterations; None where that is not known."""
        if statement.domain is None or all(loop.stop.symbols.isdisjoint(self._means) for loop in statement.loops):
            return box(statement.loops, weight, self.chamber, self._means)
        wider = Domain()
        try:
            for node in statement.domain.path:
                averaged = self._averaged(wider.path).keys() | self._means
                if isinstance(node, When):
                    left = tuple(c for c in node.conditions if averaged.isdisjoint(c.expr.symbols))
                    node = replace(node, conditions=left)
                wider = wider.enter(node, self.counter)
            return self._exact(replace(statement, domain=wider), weight)
        except (Uncountable, NotEvaluable):
            return None

    def _averaged(self, path: Iterable[Block]) -> dict[str, Loop]:
        """Of the loops along a path, those of which only the mean trips are known, by variable."""
        return {node.var: node for node in path if isinstance(node, Loop) and node.stop.symbols & self._means}

    def _is_of_a_mean(self, domain: Domain) -> bool:
        """Whether a test is on a mean, or on the iterations of such a loop: how many pass it does not follow from
        means."""
        for place, node in enumerate(domain.path):
            averaged = self._averaged(domain.path[:place]) if isinstance(node, When) else {}
            for condition in node.conditions if isinstance(node, When) else ():
                if condition.expr.symbols & self._means:
                    return True
                of_mean = condition.expr.symbols & averaged.keys()
                if of_mean and not any(self._is_first(condition, averaged[name]) for name in of_mean):
                    return True
        return False

    def _is_first(self, condition: Condition, loop: Loop) -> bool:
        """Whether a test tells the first iteration of a loop that has one: its body ends it, or starts the next."""
        if condition.relation == "ge" or condition.modulus or not loop.early_exit or loop.most is None:
            return False
        distance = symbol(loop.var) - loop.start
        return condition.expr in (distance, -distance) and self.chamber.holds(loop.most - 1)

    def _exact(self, statement: StatementDomain, weight: Expr) -> Expr:
        if statement.domain is None:
            raise Uncountable(statement.why_not)
        if self._means and self._is_of_a_mean(statement.domain):
            raise Uncountable("a test on the iterations of a loop of which only the mean number is known")
        form = _form(statement) if weight == ONE else None
        if form in self._by_form:
            return self._by_form[form]
        made = statement.domain.count(self.counter, weight)
        why = self._flaw(statement, made)
        if why:
            raise Uncountable(why)
        if form is not None:
            self._by_form[form] = made
        return made

    def _flaw(self, statement: StatementDomain, made: Expr) -> str:
        """Why a count cannot be used, or ""; NotEvaluable where it has no value at the sample point."""
        if evaluation_cost(made, self.chamber.sample_point) > MAX_EVALUATED_TERMS:
            return "no closed form for its trip count"
        squared = any(made.degree(name) > 1 for name in self._of_threads)
        if squared or any(not made.is_linear_in([name]) for name in made.symbols & self._means):
            return "work that does not follow from the mean of a trip count"
        made.evaluate(self.chamber.sample_point)
        return ""

    def _walk(
        self, body: Body, domain: Domain | None, around: Around, line: int, why: str = ""
    ) -> Iterator[StatementDomain]:
        if any(isinstance(node, LEAVES) for node in body):
            loops, before = tuple(loop for loop, _ in around), tuple(entry for _, entry in around)
            yield StatementDomain(next(self._numbers), body, domain, loops, line, why, before)
        for node in body:
            if isinstance(node, BLOCKS):
                inner, why_inner = self._entered(domain, node, around, why)
                further = (*around, (node, domain)) if isinstance(node, Loop) else around
                yield from self._walk(node.body, inner, further, node.line, why_inner)

    def _entered(self, domain: Domain | None, node: Block, around: Around, why: str) -> tuple[Domain | None, str]:
        if domain is None:
            return None, why
        try:
            if isinstance(node, Loop) and node.total is not None:
                return _summed(domain, node, node.total, around, self.counter), ""
            return domain.enter(node, self.counter), ""
        except (Uncountable, NotEvaluable) as problem:
            return None, str(problem)


def _form(statement: StatementDomain) -> Form | None:
    """The bounds of the loops around a body, where they alone (no condition, no other bound) say how often it runs."""
    variables = {loop.var for loop in statement.loops}
    for node in statement.domain.path if statement.domain else ():
        if not isinstance(node, Loop) or node.total is not None:
            return None
        if any(variables & bound.symbols for bound in (node.start, node.stop, node.step)):
            return None
    return tuple([(loop.start, loop.stop, loop.step) for loop in statement.loops])


def _summed(domain: Domain, loop: Loop, total: Expr, around: Around, counter: LatticePointCounter) -> Domain:
    """The executions of a loop whose trips add up to ``total`` over all iterations of the loop ``total_over`` that get
    there. What stands between the two and does not depend on them runs as often in every iteration: it multiplies."""
    found = next(((out, before) for out, before in around if out.var == loop.total_over), None)
    if found is None:
        return domain.summed(total, frozenset((loop.var,)))
    over, before = found
    if before is None:
        raise Uncountable("the loop around it cannot be counted")
    made = before.summed(total, frozenset((over.var, loop.var)))
    between = domain.path[len(before.path) + 1 :]
    others = {node.var for node in between if isinstance(node, Loop)}
    for node in between:
        made = made.enter(_without_rows(node, over.var, others) if isinstance(node, When) else node, counter)
    return made


def _without_rows(node: When, rows: str, others: set[str]) -> When:
    """The conditions but for those on the row alone: the total is of the rows that they let through."""
    left = (c for c in node.conditions if rows not in c.expr.symbols or not others.isdisjoint(c.expr.symbols))
    return replace(node, conditions=tuple(left))


# -- bounds ---------------------------------------------------------------------------------------
def box(loops: tuple[Loop, ...], weight: Expr, chamber: Chamber, means: frozenset[str] = frozenset()) -> Expr | None:
    """An upper bound of Σ weight: the product of the most trips of each loop, or None. A variable lies between its
    first and last possible value; shares are at most 1. Loops that depend on data have no box: only their mean or their
    total is known."""
    if any(loop.total is not None or loop.stop.symbols & means for loop in loops):
        return None
    ranges: dict[str, tuple[Expr, Expr]] = {}
    result = ONE
    for loop in loops:
        step = loop.step.constant
        downwards = step is not None and step < 0
        first, last = (loop.stop + 1, loop.start) if downwards else (loop.start, loop.stop - 1)
        low, high = _extreme(first, ranges, chamber, -1), _extreme(last, ranges, chamber, 1)
        if low is None or high is None:
            return None
        ranges[loop.var] = (low, high)
        trips = high - low + 1
        if not chamber.holds(trips):
            return ZERO
        if len(result.terms) * len(trips.terms) > MAX_TERMS:
            return None
        result = result * trips
    most = _extreme(weight, ranges, chamber, 1)
    return None if most is None else result * most


def _extreme(g: Expr, ranges: Mapping[str, tuple[Expr, Expr]], chamber: Chamber, direction: int) -> Expr | None:
    """A bound of an affine ``g`` over a box: above it for direction 1, below it for -1."""
    if not g.is_linear_in(ranges):
        return None
    for name, (low, high) in ranges.items():
        c = g.coefficient(name)
        if c and c.symbols & ranges.keys():
            return None
        if c:
            g = g.subs({name: high if chamber.sign(c) == direction else low})
    return g


def evaluation_cost(g: Expr, values: Mapping[str, Number]) -> int:
    """About how many terms are evaluated for the value of ``g``: the lengths of its sums, nested ones multiplied."""
    return sum(_cost_of_atom(atom, values) for atom in g.atoms)


def _cost_of_atom(atom: Func, values: Mapping[str, Number]) -> int:
    if atom.name != "sum":
        return sum(evaluation_cost(arg, values) for arg in atom.args)
    body, variable, lo, hi = atom.args
    [name] = variable.symbols
    first, last = lo.evaluate(values), hi.evaluate(values)
    length = max(0, int(last - first) + 1)
    middle = {**values, name: int(first + last) // 2}
    return length * max(1, len(body.terms), evaluation_cost(body, middle))


# -- figures --------------------------------------------------------------------------------------
def operations(executions: ExecutionCounts, domains: Iterable[StatementDomain]) -> Operations:
    found: Operations = {}
    for statement in domains:
        each: dict[tuple[OperationKind, PrecisionName], list[Expr]] = {}
        for node in statement.body:
            if isinstance(node, Operation) and node.dtype.precision is not None:
                each.setdefault((node.kind, node.dtype.precision), []).append(node.count)
        for key, weights in each.items():
            for weight, times in Tally(weights).items():
                found[key] = found.get(key, ZERO) + executions.of(statement, weight) * times
    return found


def flops(counted: OperationCounts) -> Expr:
    return sum((times * FLOP_WEIGHT.get(kind, 0) for (kind, _), times in counted.items()), start=ZERO)


def register_traffic(executions: ExecutionCounts, domains: Iterable[StatementDomain]) -> dict[tuple[str, bool], Expr]:
    """Bytes at capacity 0 by (array, whether they are stored): each read loads its element, each write stores it."""
    moved: dict[tuple[str, bool], Expr] = {}
    arrays = executions.kernel.array_named
    for statement in domains:
        touched = Tally((node.array, node.write) for node in statement.body if isinstance(node, Access))
        for (name, write), times in touched.items():
            array = arrays[name]
            key = array.owner, write
            moved[key] = moved.get(key, ZERO) + executions.of(statement) * (times * array.dtype.size)
    return moved


def as_traffic(moved: Mapping[tuple[str, bool], Expr]) -> Traffic:
    """The traffic at the registers, from the bytes of :func:`register_traffic`."""
    names = dict.fromkeys(name for name, _ in moved)
    arrays = {n: Movement(moved.get((n, False), ZERO), ZERO, moved.get((n, True), ZERO)) for n in names}
    return Traffic(0, Movement.total(arrays.values()), arrays, "exact")
