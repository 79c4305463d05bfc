"""What a finding is made from, and the few words that findings share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from roofscan.cost.result import KernelCost
from roofscan.finding import Subject
from roofscan.roofline.model import Advice, Finding, Ratio
from roofscan.roofline.size_paths import SizePath, free_sizes
from roofscan.roofline.size_range import ALWAYS
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
