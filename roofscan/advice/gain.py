"""What a change brings: the least time before and after it, by the same ceilings that give the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from roofscan.cost.analyze import count_kernel, with_reuse
from roofscan.cost.result import KernelCost
from roofscan.ir.facts import Facts, ScalarFact
from roofscan.ir.kernel import Kernel
from roofscan.roofline.bounded_evaluation import number
from roofscan.roofline.interfaces import Interface, interfaces
from roofscan.roofline.target import ExecutionTarget, target_on
from roofscan.roofline.traffic_model import TrafficModel
from roofscan.roofline.verdict import RooflinePoint
from roofscan.symbolic.expr import NotEvaluable

ENOUGH = 1.25
"""How many times faster the model must see a kernel after a change that is worth advising."""


@dataclass(frozen=True)
class Bound:
    """The least time of one version of a kernel where it is judged, and the ceiling that it comes from."""

    seconds: float
    ceiling: str  # for people: "traffic at L3", "scalar code: an innermost loop has a stride", …
    interface: Interface | None = None  # whose traffic it is


@dataclass(frozen=True)
class Version:
    """A kernel after some changes, with its books and bounds where the original is judged."""

    kernel: Kernel
    cost: KernelCost
    books: TrafficModel
    computing: Bound  # the time of its operations alone
    bound: Bound

    @property
    def waits_at(self) -> Interface | None:
        """The interface that binds, or None where its operations do."""
        return self.bound.interface


def as_written(judged: RooflinePoint) -> Version:
    """The original, by the figures of its verdict."""
    moving = [
        _traffic(float(c.moved), c.interface)
        for c in judged.crossings
        if c.counts and c.moved is not None and c.interface.bandwidth
    ]
    return _version(judged.books, _computing(judged.setting), moving)


def changed(judged: RooflinePoint, kernel: Kernel) -> Version:
    """Another version, counted afresh at the sizes where the original is judged."""
    line = judged.cost.reuse.line if judged.cost.reuse else 64
    cost = with_reuse(count_kernel(kernel, _facts(judged)), line)
    computing = _computing(target_on(cost, judged.machine, judged.stand.values))
    return _on(judged, TrafficModel(cost, judged.books.counted), computing)


def measured(judged: RooflinePoint, books: TrafficModel, before: Version) -> Version | None:
    """A version that does the operations of the one before it, and moves what ``books`` say; None if unknown."""
    found = _on(judged, books, before.computing)
    return found if is_known(judged, books) else None


def is_known(judged: RooflinePoint, books: TrafficModel) -> bool:
    """Whether the traffic at every level is a figure: a gain over a bound would be none."""
    return all(bytes_at(judged, books, row) is not None for row in _rows(judged))


def _on(judged: RooflinePoint, books: TrafficModel, computing: Bound) -> Version:
    moving = []
    for row in _rows(judged):
        moved = bytes_at(judged, books, row)
        if moved is not None:
            moving.append(_traffic(moved, row))
    return _version(books, computing, moving)


def _rows(judged: RooflinePoint) -> list[Interface]:
    rows = interfaces(judged.machine, judged.setting.scope, judged.setting.split)
    return [row for row in rows if row.bandwidth]


def _traffic(moved: float, row: Interface) -> Bound:
    assert row.bandwidth is not None
    return Bound(moved / row.bandwidth, f"traffic at {row.name}", row)


def _version(books: TrafficModel, computing: Bound, moving: list[Bound]) -> Version:
    slowest = max((computing, *moving), key=lambda bound: bound.seconds)
    return Version(books.cost.kernel, books.cost, books, computing, slowest)


def bytes_at(judged: RooflinePoint, books: TrafficModel, row: Interface) -> float | None:
    """Bytes across an interface where the original is judged; None where they are not known."""
    if books.traffic(row.capacity).status not in ("exact", "estimate"):
        return None
    try:
        return float(number(books.bytes(row.capacity), judged.stand.values))
    except NotEvaluable:
        return None


def _facts(judged: RooflinePoint) -> Facts:
    """Every symbol's value where the kernel is judged."""
    values = judged.stand.values
    whole = {s.name for s in judged.cost.kernel.symbols if s.kind != "float"}
    return Facts(scalars={n: ScalarFact(_plain(v), n not in whole) for n, v in values.items()})


def _plain(value: int | Fraction) -> int | Fraction:
    return int(value) if value == int(value) else value


def _computing(setting: ExecutionTarget) -> Bound:
    """The time of the operations, and the compute roof's own words, shorter."""
    limits = setting.limits
    if "scalar code" in limits:
        limits = "scalar code"
    return Bound(setting.seconds, limits.split(" (")[0] or "its operations")
