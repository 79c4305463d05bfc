"""What a change brings: the least time before and after it, by the same ceilings that give the verdict."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.result import KernelCost
from roofscan.ir.facts import Facts, ScalarFact
from roofscan.ir.kernel import Kernel
from roofscan.report.affordable import number
from roofscan.report.books import Books
from roofscan.report.levels import Interface, interfaces
from roofscan.report.scope import setting_on
from roofscan.report.verdict import Judged

ENOUGH = 1.25
"""How many times faster the model must see a kernel after a change that is worth advising."""


@dataclass(frozen=True)
class Bound:
    """The least time of one version of a kernel where it is judged, and the ceiling that it comes from."""

    seconds: float
    ceiling: str  # for people: "traffic at L3", "scalar code: an innermost loop has a stride", …


@dataclass(frozen=True)
class Version:
    """A kernel after some changes, costed where the original is judged."""

    kernel: Kernel
    cost: KernelCost
    bound: Bound


def as_written(judged: Judged) -> Version:
    """The original, by the figures of its verdict."""
    times = [
        (float(c.moved / Fraction(c.interface.bandwidth)), f"traffic at {c.interface.name}")
        for c in judged.crossings
        if c.counts and c.moved is not None and c.interface.bandwidth
    ]
    times.append((judged.setting.seconds, _computing(judged.setting.limits)))
    return Version(judged.cost.kernel, judged.cost, Bound(*max(times)))


def changed(judged: Judged, kernel: Kernel) -> Version:
    """Another version, counted afresh at the sizes where the original is judged."""
    cost = cost_kernel(kernel, _facts(judged), line=judged.cost.reuse.line if judged.cost.reuse else 64)
    books = Books(cost, judged.books.counted)
    setting = setting_on(cost, judged.machine, judged.stand.values)
    times = [(setting.seconds, _computing(setting.limits))]
    for row in interfaces(judged.machine, judged.setting.scope):
        moved = bytes_at(judged, books, row)
        if moved is not None and row.bandwidth:
            times.append((moved / row.bandwidth, f"traffic at {row.name}"))
    return Version(kernel, cost, Bound(*max(times)))


def bytes_at(judged: Judged, books: Books, row: Interface) -> float | None:
    """Bytes across an interface where the original is judged; None where they are not known."""
    if books.traffic(row.capacity).status not in ("exact", "estimate"):
        return None
    return float(number(books.bytes(row.capacity), judged.stand.values))


def _facts(judged: Judged) -> Facts:
    """Every symbol's value where the kernel is judged."""
    values = judged.stand.values
    whole = {s.name for s in judged.cost.kernel.symbols if s.kind != "float"}
    return Facts(scalars={n: ScalarFact(_plain(v), n not in whole) for n, v in values.items()})


def _plain(value: int | Fraction) -> int | Fraction:
    return int(value) if value == int(value) else value


def _computing(limits: str) -> str:
    """The compute roof's own words, shorter."""
    if "scalar code" in limits:
        return "no vector code"
    return limits.split(" (")[0] if limits.startswith("the latency") else limits or "its operations"


def with_bound(version: Version, bound: Bound) -> Version:
    return replace(version, bound=bound)
