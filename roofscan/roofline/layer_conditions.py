"""Layer conditions: what a cache must hold for a reuse to hit, up to which sizes it does, and what follows. The reuse
classes, sorted by distance, are the steps of the traffic over the capacity (the miss-ratio curve): a cache that holds
the distance of a step moves ``then`` bytes, a smaller one ``otherwise``. Solved for the sizes at the capacity of a
level, a step is a layer condition (Stengel et al., "Quantifying performance bottlenecks of stencil computations using
the ECM model", 2015)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, groupby, pairwise

from roofscan.cost.counts import ExecutionCounts
from roofscan.cost.memory.base import ALONE, ReuseClass, Sharing
from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.tree import Access
from roofscan.roofline.model import EVERYWHERE, CacheFit, KernelReport, LayerCondition
from roofscan.roofline.piecewise_bytes import negative_positions
from roofscan.roofline.size_paths import POSITION, SizePath, path_through
from roofscan.roofline.traffic_model import UNLIMITED, TrafficModel, TrafficPolicy
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable, Number
from roofscan.symbolic.intervals import Ranges, complement

SIGNIFICANT_SHARE = 0.05  # a step that saves a smaller share of the traffic is not reported
MAX_CONDITIONS = 6  # so many steps are reported at most: those that save most
PROBES = (64, 4096)  # sizes at which a distance must be possible, to be trusted away from the sample point
SAME_STEP = 1.1  # distances of the same growth that differ by less are one step
WHOLE_FROM = 100  # proportions beyond it are whole
LARGEST_DENOMINATOR = 100  # of the coefficients that reports show of other sizes
MAX_SEPARATE = 3  # reuse that one loop carries over more distances than that is one step, spread over all of them


def steps_of(report: KernelReport) -> tuple[LayerCondition, ...]:
    """The steps of a kernel's traffic at the caches of its report, largest distance first."""
    cost = report.cost.fused or report.cost
    if cost.reuse is None or any(level.traffic.status == "unknown" for level in report.levels):
        return ()
    fill = report.machine is not None and report.machine.write_allocate
    named = pairwise(report.levels) if report.machine else ((None, level) for level in report.levels)
    alone = TrafficModel(cost, TrafficPolicy(fill=fill))
    caches: dict[Sharing, list[tuple[str, int]]] = {}
    for inner, level in named:
        if level.capacity:
            sharing = ALONE if alone.among(level.sharing).cost.reuse is cost.reuse else level.sharing
            caches.setdefault(sharing, []).append((inner.name if inner else "", level.capacity))
    found = (steps_at(alone.among(sharing), alike, sharing) for sharing, alike in caches.items())
    return tuple(chain.from_iterable(found))


def steps_at(
    model: TrafficModel, caches: Sequence[tuple[str, int]], sharing: Sharing = ALONE
) -> tuple[LayerCondition, ...]:
    """The steps of the traffic of a model, and the sizes at which caches of these names and capacities hold them."""
    steps = _MissRatioSteps(model).steps()
    return tuple(replace(step, fits=tuple(fits_of(step, model.cost, caches)), sharing=sharing) for step in steps)


def significant(steps: Iterable[LayerCondition]) -> tuple[LayerCondition, ...]:
    """Those that change the traffic at some cache: not too small, and not so near that every cache holds them."""
    known = (s for s in steps if s.share >= SIGNIFICANT_SHARE and s.fits)
    reported = [s for s in known if s.needs.symbols or not all(fit.always for fit in s.fits)]
    least = sorted((s.share for s in reported), reverse=True)[:MAX_CONDITIONS][-1:]
    return tuple(s for s in reported if s.share >= least[0])[:MAX_CONDITIONS]


def iterations_of(cost: KernelCost) -> Expr | None:
    """How often the innermost body with accesses runs that runs most, data branches left out; None where that is not
    known."""
    shares = {s.name for s in cost.kernel.symbols if s.kind in ("share", "flag")}
    executions = ExecutionCounts(cost.kernel, Chamber(cost.sample_point, cost.kernel.least_values))
    inner = [v for v in executions.domains if v.loops and any(isinstance(n, Access) for n in v.body)]
    try:
        counts = [executions.of(v) for v in inner]
    except NotEvaluable:
        return None
    sure = [count for count in counts if shares.isdisjoint(count.symbols)]
    known = [(value, str(count), count) for count in sure if (value := _value(count, cost.sample_point))]
    return max(known)[2] if known and not executions.problems else None


def leading(expr: Expr, values: Mapping[str, Number], share: float = 0.05) -> Expr:
    """The terms that make up an expression at large sizes: those of at least ``share`` of the largest one."""
    terms = [(Expr({m: c}), abs(_value(Expr({m: c}), values) or 0.0)) for m, c in expr.terms.items()]
    most = max((size for _, size in terms), default=0.0)
    return sum((term for term, size in terms if size >= share * most), start=ZERO)


# -- the steps ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Class:
    """A reuse class with its smallest and largest distance, and the values of both at the sample point."""

    reuse: ReuseClass
    bytes: Expr
    least: Expr
    most: Expr
    low: float
    high: float

    @property
    def growth(self) -> object:
        """The powers of the term that leads its distance."""
        return max(self.most.terms, key=lambda m: sum(p for _, p in m), default=())


class _MissRatioSteps:
    def __init__(self, traffic_model: TrafficModel) -> None:
        self._cost = traffic_model.cost
        self._policy = traffic_model.policy
        self._traffic_model = traffic_model

    def steps(self) -> Iterator[LayerCondition]:
        """Largest distance first, each with the traffic on its two sides."""
        made = sorted(map(self._step, self._groups()), key=lambda s: (-self._at(s.needs), s.line, s.loop))
        moved = self._traffic_model.bytes(UNLIMITED)
        for step in made:
            more = moved + step.saved
            whole = self._at(more)
            yield replace(step, then=moved, otherwise=more, share=self._at(step.saved) / whole if whole else 0.0)
            moved = more

    def _at(self, expr: Expr) -> float:
        return _value(expr, self._cost.sample_point) or 0.0

    def _groups(self) -> list[list[_Class]]:
        """Classes of about the same distance; all of a loop that carries reuse over many distances."""
        by_loop: dict[tuple[str, int], list[_Class]] = {}
        for c in self._classes():
            by_loop.setdefault((c.reuse.place, c.reuse.line if c.reuse.place == "sequence" else 0), []).append(c)
        spread: list[list[_Class]] = []
        single: list[_Class] = []
        for classes in by_loop.values():
            far = [c for c in classes if c.most.symbols or self._cost.free == frozenset()]
            if len(_clusters(far)) > MAX_SEPARATE or any(c.low < c.high for c in far):
                spread.append(far)
                single += [c for c in classes if c not in far]
            else:
                single += classes
        return _joined(spread) + _clusters(single)

    def _classes(self) -> Iterator[_Class]:
        reuse = self._cost.reuse
        assert reuse is not None
        for c in reuse.classes:
            weight = self._policy.weight(c, reuse.line)
            ends = [(self._at(d), str(d), d) for d in _distances(c)]
            if weight and ends:
                (low, _, least), (high, _, most) = min(ends), max(ends)
                yield _Class(c, c.count * weight * c.parts, least, most, low, high)

    def _step(self, group: Sequence[_Class]) -> LayerCondition:
        last = max(group, key=lambda c: (c.high, str(c.most)))
        first = min(group, key=lambda c: (c.low, str(c.least)))
        main = max(group, key=lambda c: (self._at(c.bytes), c.high, str(c.most), c.reuse.array)).reuse
        spread = first.low * SAME_STEP < last.high or first.growth != last.growth
        return LayerCondition(
            loop="" if main.place == "sequence" else main.place,
            line=main.line,
            needs=last.most,
            least=first.least if spread else last.most,
            between=() if spread else _by_array(main.between),
            arrays=tuple(sorted({c.reuse.array for c in group})),
            saved=sum((c.bytes for c in group), start=ZERO),
        )


def _clusters(classes: Iterable[_Class]) -> list[list[_Class]]:
    """Classes of neighbouring distances that grow alike."""
    clusters: list[list[_Class]] = []
    for c in sorted(classes, key=lambda c: (-c.high, str(c.most), c.reuse.array)):
        before = clusters[-1][0] if clusters else None
        if before and before.growth == c.growth and before.high <= c.high * SAME_STEP:
            clusters[-1].append(c)
        else:
            clusters.append([c])
    return clusters


def _joined(groups: Iterable[list[_Class]]) -> list[list[_Class]]:
    """Groups that end at about one distance as one."""
    joined: list[list[_Class]] = []
    for group in sorted(groups, key=lambda g: -max(c.high for c in g)):
        farthest = max(c.high for c in group)
        if joined and max(c.high for c in joined[-1]) <= farthest * SAME_STEP:
            joined[-1] += group
        else:
            joined.append(group)
    return joined


def _distances(c: ReuseClass) -> list[Expr]:
    """The distances of its first and last part, and in the middle between them."""
    last = c.parts - 1
    return [c.distance_at(part) for part in (0, Fraction(last, 2), last)] if last else [c.distance]


def _by_array(parts: Iterable[tuple[str, Expr]]) -> tuple[tuple[str, Expr], ...]:
    grouped = groupby(sorted(parts, key=lambda part: part[0]), key=lambda part: part[0])
    return tuple((array, sum((e for _, e in of), start=ZERO)) for array, of in grouped)


# -- where they fit -------------------------------------------------------------------------------
def fits_of(step: LayerCondition, cost: KernelCost, caches: Iterable[tuple[str, int]]) -> Iterator[CacheFit]:
    """An answer for each cache; none where a distance cannot be followed through the sizes."""
    path = path_through(cost, step.needs.symbols)
    for name, capacity in caches:
        try:
            if path is not None and any(path.at(step.needs, place) < 0 for place in PROBES):
                return
            whole, part = (_held(e, path, cost, capacity) for e in (step.needs, step.least))
        except NotEvaluable:
            continue
        yield CacheFit(name, capacity, path.symbol if path else "", _also(path, cost, step.needs), whole, part)


def _held(needs: Expr, path: SizePath | None, cost: KernelCost, capacity: int) -> Ranges:
    if path is None:
        return EVERYWHERE if number(needs, cost.sample_point) <= capacity else ()
    return complement(negative_positions(capacity - path.restrict(needs)), (1, None))


def _also(path: SizePath | None, cost: KernelCost, needs: Expr) -> tuple[tuple[str, Number | str], ...]:
    """What a path takes the other free symbols of an expression to be."""
    if path is None:
        return ()
    others = sorted((needs.symbols & cost.free) - {path.symbol})
    values = ((name, path.values[name]) for name in others)
    return tuple((name, v.constant or str(_simple(v).subs({POSITION: Expr.of(path.symbol)}))) for name, v in values)


def _simple(expr: Expr) -> Expr:
    """Coefficients as a reader needs them: 1000, not 429496655875/429496656, and 2718, not 165821/61."""

    def shown(c: Fraction) -> Fraction:
        return Fraction(round(c)) if abs(c) >= WHOLE_FROM else c.limit_denominator(LARGEST_DENOMINATOR)

    return Expr({m: shown(Fraction(c)) for m, c in expr.terms.items()})


def _value(expr: Expr, values: Mapping[str, Number]) -> float | None:
    try:
        return float(number(expr, values))
    except (NotEvaluable, ZeroDivisionError, OverflowError):
        return None
