"""What a finding is made from, and the few words that findings share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Protocol

from roofscan.cost.result import KernelCost
from roofscan.finding import KERNEL, Subject
from roofscan.ir.kernel import Kernel
from roofscan.machine.model import Machine
from roofscan.roofline.model import Advice, Finding, Ratio
from roofscan.roofline.size_paths import free_sizes
from roofscan.roofline.size_range import ALWAYS
from roofscan.roofline.verdict import RooflinePoint
from roofscan.rules.sentence import Message, sentence
from roofscan.symbolic.intervals import describe

NAME_WIDTH = 24  # characters of a dotted name that leave room for the rest of the message
NAMED_BY_LINE = ("trips", "length")  # kinds of symbols whose names may hold the line that they come from

Figures = tuple[tuple[str, float], ...]


class Stage(IntEnum):
    KERNEL = 0  # lowered
    COUNTS = 1  # its operations and accesses
    TRAFFIC = 2  # its reuse classes, its place on the roofline, the changes that pay


class KernelAnalysis(Protocol):
    """One kernel on one machine, analyzed as far as is asked."""

    @property
    def kernel(self) -> Kernel: ...

    @property
    def machine(self) -> Machine: ...

    @property
    def line(self) -> int:
        """Bytes of the cache lines that traffic is counted in."""
        ...

    @property
    def counts(self) -> KernelCost:
        """The cost of the loops that run, those that Numba fuses, without its traffic."""
        ...

    @property
    def point(self) -> RooflinePoint: ...

    @property
    def advice(self) -> tuple[Advice, ...]:
        """The changes that are known to be legal and to pay, best first."""
        ...


class RuleContext:
    """A kernel as far as ``stage``: the results of later stages are None. ``point`` and ``advice`` need
    Stage.TRAFFIC."""

    def __init__(self, analysis: KernelAnalysis, stage: Stage = Stage.TRAFFIC) -> None:
        self.stage = stage
        self.answers: dict[object, bool] = {}  # of conditions, for roofscan.rules.conditions
        self.found: dict[object, Sequence[Finding]] = {}  # by rules that others ask
        self._analysis = analysis

    @property
    def kernel(self) -> Kernel:
        return self._analysis.kernel if self.counts is None else self.counts.kernel

    @property
    def hardware(self) -> Machine:
        return self._analysis.machine

    @property
    def line(self) -> int:
        return self._analysis.line

    @property
    def counts(self) -> KernelCost | None:
        return self._analysis.counts if self.stage >= Stage.COUNTS else None

    @property
    def point(self) -> RooflinePoint:
        return self._analysis.point

    @property
    def advice(self) -> tuple[Advice, ...]:
        return self._analysis.advice

    @property
    def name(self) -> str:
        """The kernel's, of a long one the last part: the finding is located at its def."""
        name = self.kernel.name
        return name if len(name) <= NAME_WIDTH else name.rpartition(".")[2]

    @property
    def machine(self) -> str:
        return self.hardware.name

    def at_def(
        self, code: str, message: str | Message, figures: Figures = (), lines: tuple[int, ...] = (),
        defers_to: str = "", more: str = "",
    ) -> Finding:  # fmt: skip
        """``more``: a sentence that is left out where space is short."""
        kernel = self.kernel
        found = self.at(code, kernel.line, kernel.column, message, KERNEL, figures, lines, more)
        return replace(found, defers_to=defers_to) if defers_to else found

    def at(
        self, code: str, line: int, column: int, message: str | Message, subject: Subject,
        figures: Figures = (), lines: tuple[int, ...] = (), more: str = "",
    ) -> Finding:  # fmt: skip
        kernel = self.kernel
        said = message if isinstance(message, Message) else Message(message, message)
        detail = f"{said.full}. {more}" if more else said.full if said.full != said.short else ""
        return Finding(
            code, kernel.path, line, column, said.short, kernel.name, subject=subject, figures=figures, lines=lines,
            detail=detail, names_machine=said.names_machine,
        )  # fmt: skip

    def lines_of(self, names: Iterable[str]) -> tuple[int, ...]:
        named = {symbol.name: symbol for symbol in self.kernel.symbols if symbol.kind in NAMED_BY_LINE}
        return tuple(named[name].line for name in names if name in named)


def advised(code: str, least: float = 0.0) -> Callable[[RuleContext], Iterator[Finding]]:
    """The ``find`` of a rule that reports the advice of its code, but for what is known to gain less than ``least``."""

    def find(context: RuleContext) -> Iterator[Finding]:
        for advice in context.advice:
            speedup = advice.speedup
            if advice.code == code and (speedup is None or speedup.gain >= least):
                message = sentence(
                    context.name,
                    speedup if speedup and speedup.gain > 1 else None,
                    advice.change,
                    advice.why,
                    advice.brief or advice.why,
                )
                figures = speedup.figures if speedup else ()
                found = context.at(code, advice.line, 0, message, advice.subject, figures, advice.lines)
                yield replace(found, transformation=advice.transformation, detail=advice.message)

    return find


def memory_bound(context: RuleContext, intensity: str, ridge: str) -> tuple[str, ...]:
    """``memory-bound at DRAM for n >= 361 (AI 0.25, then 4.5; ridge 8.2, generic-x86-64)``, then without the machine,
    without the ridge, and without ratios: the first one names the machine."""
    point = context.point
    assert point.reported is not None
    where = f"memory-bound at {point.reported.name}{sizes(point)}"
    ratios = f"{where} ({intensity}ridge {ridge}"
    shorter = [f"{where} ({intensity.rstrip(',; ')})"] if intensity else []
    return f"{ratios}, {context.machine})", f"{ratios})", *shorter, where


def sizes(point: RooflinePoint) -> str:
    """`` for n <= 97 and n >= 362``; nothing where that is so at every size."""
    bound_sizes = point.size_range.bound_sizes
    if bound_sizes is None:
        return "" if point.evaluation.generalises else " at large sizes"
    if point.size_range.how == ALWAYS:
        return ""
    return f" for {describe(bound_sizes.path.symbol, bound_sizes.ranges)}"


def lines_of_sizes(context: RuleContext) -> tuple[int, ...]:
    """The lines in the names of the sizes that :func:`sizes` refers to."""
    solved = context.point.size_range.bound_sizes
    return () if solved is None else context.lines_of([solved.path.symbol])


def other_sizes(point: RooflinePoint) -> str:
    """What the other sizes are where :func:`sizes` gives a range."""
    solved = point.size_range.bound_sizes
    if solved is None or point.size_range.how == ALWAYS or solved.path.others != "grow":
        return ""
    return "The range is for all sizes equal." if len(free_sizes(point.cost)) > 1 else ""


def value(ratio: Ratio, context: RuleContext) -> float:
    """FLOP/B where the kernel is judged: at the bound sizes, or at large ones; 0 where it has no value."""
    flops, moved = (context.point.evaluation.value_or_none(e) for e in (ratio.flops, ratio.bytes))
    return float(flops / moved) if flops is not None and moved else 0.0
