"""A piece of a kernel before and after a change: its least time, its bytes at memory, both intensities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import combinations

from roofscan import units
from roofscan.advice.gain import Version, counted, moving
from roofscan.advice.loop_code import near_sizes
from roofscan.advice.piece_forms import Form, form_of
from roofscan.cost.memory.lru.common_answers import CommonAnswers
from roofscan.cost.transform.nest import only
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Body, Branch, Loop, When
from roofscan.ir.visitor import leaves
from roofscan.roofline.interfaces import interfaces
from roofscan.roofline.left_of_ridge import in_source_symbols, may_be_a_figure
from roofscan.roofline.streaming import ArrayPass, array_passes, last_cache, size_of_arrays
from roofscan.roofline.target import target_on
from roofscan.roofline.time.call import call_seconds
from roofscan.roofline.time.predict import predicted_time
from roofscan.roofline.time.prediction import NoTime, TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ZERO, Expr, NotEvaluable

WIDTH = 10  # characters of an expression in a message
ROUNDING = 1e-9  # by which a gain that is just large enough may seem too small
NEGLIGIBLE = 0.01  # of all bytes, what an array may have that stays in a cache from one operation to the next


@dataclass(frozen=True)
class Figures:
    """What a piece of a kernel takes where the kernel is judged."""

    seconds: float  # its least time
    moved: Expr  # bytes across memory's interface
    flops: Expr
    versions: tuple[Version, ...]  # of its parts, which run one after the other
    kernel: Kernel


class PieceCosts:
    """The costs of pieces of a kernel, each worked out once: changes to neighbouring statements have pieces in common,
    and pieces have nests in common."""

    def __init__(self, point: RooflinePoint) -> None:
        self.point = point
        self._counted: dict[Form, list[tuple[Kernel, Version]]] = {}
        self._moving: dict[int, tuple[Version, Version]] = {}  # by the identity of the first, which it keeps
        self._common = CommonAnswers(of_changes=True)

    def counted(self, kernel: Kernel) -> Figures:
        """Counted afresh, without traffic beyond the registers: operation by operation, where none can find in a cache
        what another left there. NotEvaluable where its traffic will not be known."""
        if not may_be_a_figure(kernel):
            raise NotEvaluable("the traffic is a bound")
        pieces = _apart(self.point, kernel) or (kernel,)
        return figures(self.point, kernel, [self._counts_of(piece) for piece in pieces])

    def moving(self, counts: Figures) -> Figures:
        """The same with its traffic."""
        versions = [self._with_traffic(version) for version in counts.versions]
        if not all(version.is_known for version in versions):
            raise NotEvaluable("the traffic is not known")
        return figures(self.point, counts.kernel, versions)

    def _counts_of(self, piece: Kernel) -> Version:
        alike, rest = self._counted.setdefault(form_of(piece), []), replace(piece, body=(), arrays=())
        found = next((version for other, version in alike if other == rest), None)
        if found is None:
            found = counted(self.point, piece)
            alike.append((rest, found))
        return found

    def _with_traffic(self, counts: Version) -> Version:
        if id(counts) not in self._moving:
            self._moving[id(counts)] = counts, moving(self.point, counts, self._common)
        return self._moving[id(counts)][1]


def figures(point: RooflinePoint, kernel: Kernel, versions: Sequence[Version]) -> Figures:
    """Of pieces that run one after the other."""
    times = [sum(v.computing.seconds for v in versions)]
    for row in interfaces(point.machine, point.target.scope, point.target.split):
        moved = [v.moved.get(row.name) for v in versions]
        if row.bandwidth and None not in moved:
            times.append(sum(m for m in moved if m is not None) / row.bandwidth)
    memory = point.interfaces[-1].interface
    moved_at_memory = sum((v.traffic_model.among(memory.sharing).bytes(memory.capacity) for v in versions), start=ZERO)
    flops = sum((v.cost.flops for v in versions), start=ZERO)
    return Figures(max(times), moved_at_memory, flops, tuple(versions), kernel)


def _expected(point: RooflinePoint, side: Figures) -> float | None:
    """The expected seconds of its parts, in one call; None where one is not known."""
    times = [version.expected_time(point) for version in side.versions]
    known = [time for time in times if isinstance(time, TimePrediction)]
    loops = sum(float(time.expected) * (1 - time.parts.get("call", 0.0)) for time in known)
    return call_time(point, side) + loops if len(known) == len(times) else None


def _between(point: RooflinePoint, side: Figures) -> tuple[float, float] | None:
    """The least and the most that :func:`_expected` can be, found at once; None where that is not known."""
    found = [version.time_between(point) for version in side.versions]
    if None in found:
        return None
    call = call_time(point, side)
    least, most = (sum(each[n] for each in found if each) for n in (0, 1))
    return call + least, call + most


def call_time(point: RooflinePoint, side: Figures) -> float:
    """What the call itself takes, were a function to hold the piece alone."""
    nests = (nest for version in side.versions for nest in version.cost.nests)
    return call_seconds(side.kernel, nests, point.machine, lambda e: float(number(e, point.evaluation.values)))


def _apart(point: RooflinePoint, kernel: Kernel) -> tuple[Kernel, ...]:
    """The whole-array operations of a kernel by themselves, if that moves the same; () where it may not."""
    try:
        found = list(array_passes(kernel, point.evaluation.values))
        every = size_of_arrays(kernel, point.evaluation.values)
    except NotEvaluable:
        return ()
    if len(found) < 2 or not _only_arrays(kernel.body):
        return ()
    cache, small = last_cache(point), NEGLIGIBLE * every
    if all(_share_nothing_near(one, other, cache, small) for one, other in combinations(found, 2)):
        return tuple(only(kernel, [walk.nest.var]) for walk in found if any(leaves(walk.nest.body)))
    return ()


def _share_nothing_near(one: ArrayPass, other: ArrayPass, cache: float, small: float) -> bool:
    """Whether what both touch is larger than the last cache, or hardly anything."""
    for memory in (one.read.keys() | one.written.keys()) & (other.read.keys() | other.written.keys()):
        size = min(max(walk.read.get(memory, 0.0), walk.written.get(memory, 0.0)) for walk in (one, other))
        if size <= cache and (size > small or one.in_loop or other.in_loop):
            return False
    return True


def _only_arrays(body: Body) -> bool:
    return all(
        node.array_expression or _only_arrays(node.body) if isinstance(node, Loop)
        else isinstance(node, (When, Branch)) and _only_arrays(node.body)
        for node in body
    )  # fmt: skip


def _speedup(
    whole: TimePrediction | NoTime | None, before: float | None, find_after: Callable[[], float | None]
) -> Speedup | None:
    """Of a call with a piece before and after a change; None where a time is not known."""
    after = None if before is None else find_after()
    if not isinstance(whole, TimePrediction) or before is None or after is None:
        return None
    rest = max(0.0, float(whole.expected) - before)  # pieces one by one can take more than in one call
    return Speedup(float(whole.expected), rest + after)


@dataclass(frozen=True)
class Change:
    """A piece of a kernel before and after, costed where the kernel is judged."""

    point: RooflinePoint
    before: Figures
    after: Figures

    @property
    def gain(self) -> float:
        return self.before.seconds / self.after.seconds if self.after.seconds else 1.0

    @cached_property
    def speedup(self) -> Speedup | None:
        """Of a call of the kernel, whatever else it does."""
        return _speedup(self.point.time, _expected(self.point, self.before), lambda: self._after)

    @cached_property
    def speedup_near(self) -> Speedup | None:
        """The same where sizes are free and the second cache holds all data; None where no time is known there."""
        point = self.point
        for curves in near_sizes(point.interfaces[0].curves, point.machine):
            here, values = replace(point, evaluation=curves.evaluation), curves.evaluation.values
            whole = predicted_time(curves, point.machine, target_on(point.cost, point.machine, values))
            return _speedup(whole, _expected(here, self.before), partial(_expected, here, self.after))
        return None

    @cached_property
    def _after(self) -> float | None:
        return _expected(self.point, self.after)

    def may_gain(self, least: float) -> bool:
        """Whether a call may become so many times faster: by what its pieces take at least and at most, and then by
        what those after the change are expected to take."""
        whole, before, after = self.point.time, _between(self.point, self.before), _between(self.point, self.after)
        if not isinstance(whole, TimePrediction) or before is None or after is None:
            return True
        rest = max(0.0, float(whole.expected) - before[1])
        longest = float(whole.expected) / (least - ROUNDING)
        return rest + after[0] <= longest and (self._after is None or rest + self._after <= longest)

    @property
    def saved(self) -> float:
        return self.before.seconds - self.after.seconds

    @property
    def spared(self) -> float:
        """The share of the outermost interface's bytes that need not move."""
        before, after = (self._at(side.moved) for side in (self.before, self.after))
        return (before - after) / before if before else 0.0

    @property
    def flops(self) -> Expr:
        return self.before.flops

    @property
    def place(self) -> str:
        return f"at {self.point.interfaces[-1].name}"

    def bytes_saved(self) -> str:
        """``104*n of 144*n B``, or the share where that is long."""
        before, after = self.before.moved, self.after.moved
        free = self.point.cost.free
        if not before.symbols & free:
            return f"{units.si(self._at(before - after), 'B')} of {units.si(self._at(before), 'B')}"
        saved, every = str(before - after), str(before)
        if before.atoms or len(every) > WIDTH or not in_source_symbols(self.point.cost.kernel, before):
            return f"{100 - 100 * self._at(after) / self._at(before):.0f} % of the bytes"
        return f"{saved} of {every} B"

    def instead(self, remedy: str, after: str = ", ") -> str:
        """``, AI 0.0347; fuse them: AI 0.125, 3.6x faster (10 s to 2.8 s)``; without floating-point work no AI."""
        faster = self.speedup.phrase() if self.speedup else ""
        if not self._at(self.flops):
            return f"; {remedy}{faster and ': '}{faster}"
        one, other = self._intensities
        return f"{after}AI {one}; {remedy}: AI {other}{faster and ', '}{faster}"

    def intensity_change(self) -> str:
        """`` (AI 0.0347, then 0.125)``"""
        return f" (AI {', then '.join(self._intensities)})" if self._at(self.flops) else ""

    @property
    def _intensities(self) -> tuple[str, str]:
        flops = self._at(self.flops)
        return units.digits(flops / self._at(self.before.moved)), units.digits(flops / self._at(self.after.moved))

    def _at(self, expr: Expr) -> float:
        return float(number(expr, self.point.evaluation.values))
