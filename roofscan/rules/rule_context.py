"""What a finding is made from, and the few words that findings share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roofscan.cost.result import KernelCost, Traffic
from roofscan.finding import Subject
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.model import Advice, Finding, Ratio
from roofscan.roofline.roof import FULL_RATE
from roofscan.roofline.size_paths import SizePath, free_sizes
from roofscan.roofline.size_range import ALWAYS, NEVER, SOMETIMES
from roofscan.roofline.target import loops
from roofscan.roofline.traffic_model import UNLIMITED
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.intervals import describe

NAME_WIDTH = 40
"""Characters of a dotted name that leave room for what is said of it."""

NAMED_BY_LINE = ("trips", "length")
"""Kinds of symbols whose names may hold the line that they come from."""

Figures = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class RuleContext:
    """A judged kernel, and the changes to it that are known to be legal and to pay, best first."""

    point: RooflinePoint
    advice: tuple[Advice, ...] = ()

    @property
    def name(self) -> str:
        """The kernel's, of a long one the last part: the finding stands on its def."""
        name = self.point.cost.kernel.name
        return name if len(name) <= NAME_WIDTH else name.rpartition(".")[2]

    @property
    def machine(self) -> str:
        return self.point.machine.name

    def at_def(
        self, code: str, message: str, figures: Figures = (), lines: tuple[int, ...] = (), defers_to: str = ""
    ) -> Finding:
        """A finding on the kernel as a whole."""
        kernel = self.point.cost.kernel
        return Finding(
            code, kernel.path, kernel.line, kernel.column, message, kernel.name,
            figures=figures, lines=lines, defers_to=defers_to,
        )  # fmt: skip

    def at(
        self, code: str, line: int, column: int, message: str, subject: Subject,
        figures: Figures = (), lines: tuple[int, ...] = (),
    ) -> Finding:  # fmt: skip
        """A finding on a place in the kernel."""
        kernel = self.point.cost.kernel
        return Finding(
            code, kernel.path, line, column, message, kernel.name, subject=subject, figures=figures, lines=lines
        )

    def advised(self, code: str) -> Iterator[Finding]:
        """The advice that this code reports, as findings."""
        for advice in self.advice:
            if advice.code == code:
                yield self.at(
                    code, advice.line, 0, advice.message, advice.subject, _figures_of(advice), lines=advice.lines
                )

    def lines_of(self, names: Iterable[str]) -> tuple[int, ...]:
        """The lines that are part of the names of symbols (``trips_12``)."""
        named = {symbol.name: symbol for symbol in self.point.cost.kernel.symbols if symbol.kind in NAMED_BY_LINE}
        return tuple(named[name].line for name in names if name in named)


def _figures_of(advice: Advice) -> Figures:
    return () if advice.speedup_bound is None else (("speedup_bound", advice.speedup_bound),)


def left_of_ridge(subject: RuleContext) -> InterfaceTraffic | None:
    """The interface left of whose ridge the kernel certainly is, for some sizes at least, or None.

    Silent about work too small to care for: helpers without a loop, and loops of constant size on data that
    fit the first cache. Silent too about copies, fills and searches with a little arithmetic beside: that they
    move data is no news. And about callers whose loops all stand in another file: they are told there.
    """
    point = subject.point
    if not point.cost.flops or point.target.roof is None or not counts_all_work(point.cost):
        return None
    if not walks_data(point.cost) or _only_calls(point.cost) or not _may_be_sure(point):
        return None
    interface = point.reported
    if interface is None or point.size_range.how == NEVER:
        return None
    if moves_data(point, interface):
        return None
    return interface if _certain(point, interface) and not _trivial(point, interface) else None


NEAR, NEAR_UNSURE = 0.8, 0.7
"""The share of the ridge from which on a kernel is about balanced: faster memory or fewer bytes hardly help. The
second where divisions, functions or a chain hold the roof down, of which a machine file tells less well."""


def is_near(share: float, point: RooflinePoint) -> bool:
    """Whether so much of the ridge is about all of it."""
    return share >= (NEAR if point.target.limits in FULL_RATE else NEAR_UNSURE)


MOVES_DATA = 64
"""Bytes for each operation from which on a kernel only moves data: a cache line."""


SEARCHES = 1024
"""The same for what does move: a kernel that reads so much between two operations looks for something."""


def moves_data(point: RooflinePoint, interface: InterfaceTraffic | None = None) -> bool:
    """Whether less than one operation falls on each line that must move at least, or on many that do."""
    least = point.traffic_model.policy.of(point.traffic_model.traffic(UNLIMITED).total)
    flops, moved = (point.evaluation.value_or_none(e) for e in (point.cost.flops, least))
    if flops is None or moved is None:
        return False
    searches = interface is not None and interface.moved is not None and flops * SEARCHES < interface.moved
    return flops * MOVES_DATA < moved or searches


def _certain(point: RooflinePoint, interface: InterfaceTraffic) -> bool:
    """Whether the true intensity can only be lower than the one shown, whatever the branches do."""
    return _is_sure(interface) and all(_left_with_shares(point, interface, share) for share in (0, 1))


def _may_be_sure(point: RooflinePoint) -> bool:
    """Whether the verdict may speak of an interface whose traffic is no upper bound, told without those that it is."""
    sure = [c for c in point.interfaces if c.counts and _is_sure(c)]
    if any(c is point.binding and point.size_range_at(c).how != NEVER for c in sure):
        return True
    return any(point.size_range_at(c).how == SOMETIMES for c in sure)


def _is_sure(interface: InterfaceTraffic) -> bool:
    return is_known_below(interface.traffic)


def is_known_below(traffic: Traffic) -> bool:
    """Whether no less may move."""
    return traffic.status in ("exact", "estimate", "lower_bound")


def may_be_of_numbers(kernel: Kernel) -> bool:
    """Whether a compiled function may be one of numbers: most of those whose source leaves it open are."""
    return kernel.decorator.compiled and any(reason.effect == "open" for reason in kernel.reasons)


def counts_all_work(cost: KernelCost) -> bool:
    """Whether there are no more FLOPs than those counted."""
    open_flops = cost.free & cost.flops.symbols & {s.name for s in cost.kernel.symbols if s.kind == "cost"}
    return not open_flops and all(reason.effect != "lower" for reason in cost.kernel.reasons)


def _left_with_shares(point: RooflinePoint, interface: InterfaceTraffic, share: int) -> bool:
    """Whether the kernel stays left of the ridge if all data-dependent branches go one way."""
    cost = point.cost
    shares = {s.name: share for s in cost.kernel.symbols if s.kind in ("share", "flag") and s.name in cost.free}
    if not shares or point.size_range.how != ALWAYS:
        return True
    assert interface.bytes is not None and interface.ridge is not None
    spare = point.evaluation.value_or_none((cost.flops - interface.bytes * interface.ridge).subs(shares))
    return spare is not None and spare < 0


def _trivial(point: RooflinePoint, interface: InterfaceTraffic) -> bool:
    if accesses_few(point.cost, point.machine):
        return True
    smallest = _first_capacity(point.machine)
    return not point.cost.kernel.symbols and interface.moved is not None and interface.moved <= smallest


def accesses_few(cost: KernelCost, machine: Machine) -> bool:
    """Whether it touches a few elements, however long the arrays are."""
    accessed = cost.registers.total
    few = (accessed.load + accessed.writeback).constant
    return few is not None and few <= _first_capacity(machine)


def _first_capacity(machine: Machine) -> int:
    return min((level.capacity for level in machine.levels if level.capacity), default=0)


def walks_data(cost: KernelCost) -> bool:
    """Whether a kernel has a loop, or calls a library that has."""
    return any(loops(cost.kernel.body)) or any(nest.library for nest in cost.nests)


def _only_calls(cost: KernelCost) -> bool:
    """Whether all of a kernel's loops are those of helpers from other files."""
    every = tuple(loops(cost.kernel.body))
    return bool(every) and all(loop.file for loop in every)


def place_and_sizes(subject: RuleContext) -> str:
    """``memory-bound on generic-x86-64 for n >= 361``; the level is named where it is not memory itself."""
    point = subject.point
    assert point.reported is not None
    nearer = "" if point.reported.outermost else f" at {point.reported.name}"
    return f"memory-bound{nearer} on {subject.machine}{sizes(point)}"


def sizes(point: RooflinePoint) -> str:
    """`` at every size``, `` for n <= 97 and n >= 362``, or nothing where all sizes are bound."""
    bound_sizes = point.size_range.bound_sizes
    if bound_sizes is None:
        return "" if point.evaluation.generalises else " at large sizes"
    if point.size_range.how == ALWAYS:
        return " at every size"
    where = describe(bound_sizes.path.symbol, bound_sizes.ranges)
    return f" for {where}{_others(point.cost, bound_sizes.path)}"


def lines_of_sizes(subject: RuleContext) -> tuple[int, ...]:
    """The lines in the names of the sizes that :func:`sizes` speaks of."""
    solved = subject.point.size_range.bound_sizes
    return () if solved is None else subject.lines_of([solved.path.symbol, *solved.path.windows])


def _others(cost: KernelCost, path: SizePath) -> str:
    """What the other sizes are along a path: `` (all sizes alike)``, `` (w half of it)``."""
    windows = path.windows
    if path.others != "grow" or len(free_sizes(cost)) < 2:
        return ""
    halves = f"{', '.join(windows)} half of it" if windows else ""
    rest = "all sizes alike" if len(free_sizes(cost)) - len(windows) > 1 else ""
    return f" ({', '.join(filter(None, (rest, halves)))})"


def value(ratio: Ratio, subject: RuleContext) -> float:
    """FLOP/B where the kernel is judged: at the bound sizes, or at large ones; 0 where it has no value."""
    flops, moved = (subject.point.evaluation.value_or_none(e) for e in (ratio.flops, ratio.bytes))
    return float(flops / moved) if flops is not None and moved else 0.0


def pair(one: float, other: float) -> tuple[str, str]:
    """Two figures with three digits, or with as many as keep them apart."""
    texts = [(figure(one, digits), figure(other, digits)) for digits in (3, 4, 5, 6)]
    return next(((a, b) for a, b in texts if a != b), texts[0])


def figure(number: float, digits: int = 3) -> str:
    """A number without an exponent, as far as that is short: 0.0833, 5.2, 156, 2731."""
    return f"{number:.0f}" if 10**digits <= number < 1e7 else f"{number:.{digits}g}"
