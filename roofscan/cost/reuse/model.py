"""The cache model: a kernel's reuse classes at one line size, and its traffic at any capacity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from roofscan.cost.reuse.build import Builder, Notes
from roofscan.cost.reuse.distance import Ramp
from roofscan.cost.reuse.footprint import Footprints, Item
from roofscan.cost.reuse.quantity import TINY, Expressions, Num, total, value_of
from roofscan.cost.reuse.samples import Sampler
from roofscan.cost.reuse.scan import BudgetSpent, Found, Scanner
from roofscan.cost.reuse.tree import Loop, Space
from roofscan.cost.result import Movement, ReuseClass, Traffic
from roofscan.ir.expr import ZERO, Expr, Number
from roofscan.ir.kernel import Kernel

BUDGET = 400_000
"""Boxes that may be looked at."""


@dataclass(frozen=True)
class Cold:
    """Lines of a space that are touched at all: in all, the share that a write touches first, and those written."""

    space: Space
    lines: Num
    fill: Num
    written: Num


class ReuseModel:
    """What :func:`analyze_reuse` yields (see ``cost.result.Reuse``)."""

    def __init__(self, line: int, cold: list[Cold], found: list[Found], status: str, why: str) -> None:
        self.line = line
        self.status = status
        self.why = why
        self._cold = cold
        self._found = found
        self._expressions = Expressions()
        self._classes: tuple[ReuseClass, ...] | None = None

    @property
    def footprint(self) -> Expr:
        """Bytes of distinct lines."""
        return self._bytes([c.lines for c in self._cold])

    @property
    def classes(self) -> tuple[ReuseClass, ...]:
        if self._classes is None:
            self._classes = tuple(self._public(f) for f in self._found)
        return self._classes

    def traffic(self, capacity: int) -> Traffic:
        """Movement between a cache of ``capacity`` bytes and the next level out."""
        arrays: dict[str, Movement] = {}
        fits = capacity / self.line
        for cold in self._cold:
            mine = [f for f in self._found if f.space is cold.space]
            missing = [(f, lines) for f in mine if (lines := _missing(f.ramp, fits)) is not None]
            touches = [(f, n) for f, n in missing if f.kind == "touch"]
            load = [cold.lines * (1 - cold.fill), *(n * (1 - f.fill) for f, n in touches)]
            fill = [cold.lines * cold.fill, *(n * f.fill for f, n in touches)]
            back = [cold.written, *(n for f, n in missing if f.kind == "write")]
            arrays[cold.space.owner] = Movement(self._bytes(load), self._bytes(fill), self._bytes(back))
        whole = Movement(
            _sum([m.load for m in arrays.values()]),
            _sum([m.fill for m in arrays.values()]),
            _sum([m.writeback for m in arrays.values()]),
        )
        return Traffic(capacity, whole, arrays, self.status, (), self.why)

    def _bytes(self, lines: list[Num]) -> Expr:
        return _sum([self._expressions.of(n) for n in lines]) * self.line

    def _public(self, found: Found) -> ReuseClass:
        middle = (found.ramp.low + found.ramp.high) / 2
        return ReuseClass(
            found.space.owner, found.place, found.line, found.lag, found.kind,
            self._expressions.of(found.ramp.lines), self._expressions.of(middle) * self.line,
            self._expressions.of(found.fill),
        )  # fmt: skip


def _missing(ramp: Ramp, fits: float) -> Num | None:
    """The lines of a ramp whose distance exceeds the capacity, or None where all hit."""
    low, high = value_of(ramp.low), value_of(ramp.high)
    if high <= fits + TINY:
        return None
    if low > fits + TINY or high - low < TINY:
        return ramp.lines
    return ramp.lines * Fraction((high - fits) / (high - low)).limit_denominator(10**6)


def _sum(parts: list[Expr]) -> Expr:
    result = ZERO
    for part in parts:
        result = result + part
    return result


def analyze_reuse(kernel: Kernel, witness: Mapping[str, Number], line: int) -> ReuseModel:
    """The reuse classes of a kernel; ``witness`` gives every symbol a number, ``line`` is in bytes."""
    builder = Builder(kernel, witness, line)
    root = builder.build()
    spaces = _spaces(root)
    footprints = Footprints(spaces)
    scanner = Scanner(footprints, spaces, Sampler(footprints), BUDGET)
    status, why = "estimate", ""
    try:
        scanner.scan(root, {}, 1)
    except BudgetSpent:
        status, why = "unknown", "the analysis would take too long"
    item = Item(root, {})
    cold = [
        Cold(
            space, footprints.lines(space, [item]), scanner.first_touch.share(space, item),
            footprints.lines(space, [item], writes=True),
        )
        for space in spaces
    ]  # fmt: skip
    return ReuseModel(line, cold, scanner.found, status, why)


def _spaces(root: Loop) -> list[Space]:
    unique = {id(r.space): r.space for r in root.refs}
    return sorted(unique.values(), key=lambda s: s.name)


__all__ = ["Notes", "ReuseModel", "analyze_reuse", "total"]
