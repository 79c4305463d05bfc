"""One kernel on one machine in a few figures: plain data for an overview."""

from __future__ import annotations

from typing import Literal

from roofscan.frozen import dataclass
from roofscan.ir.kinds import Bound, KernelStatus
from roofscan.report.figures import moved
from roofscan.roofline.model import Advice, Finding, KernelReport, LevelReport, Verdict
from roofscan.roofline.target import interpreted_loop
from roofscan.roofline.time.prediction import TimePrediction

INTERPRETER = "interpreter"  # the limit of loops that Python runs
AS_WRITTEN = 1.01  # a gain below it is none

Sureness = Literal["", "~", "≤", "≥"]

_INVERSE: dict[str, Sureness] = {"exact": "", "estimate": "~", "lower_bound": "≤", "upper_bound": "≥"}
"""The sign of an intensity by the status of the traffic under it."""


@dataclass(frozen=True)
class KernelSummary:
    """``intensity`` and ``ridge`` are of the level that binds; None where there is none. Times are seconds of a call at
    the sizes of the verdict."""

    name: str
    path: str
    line: int
    status: KernelStatus
    machine: str
    on_gpu: bool
    bound: Bound | None
    limit: str  # the level or the resource that takes most of the time, or ""
    level: str
    intensity: float | None
    sureness: Sureness
    ridge: float | None
    seconds: float | None
    attainable: float | None  # FLOP/s
    gain: float | None
    code: str  # of the finding with that gain, or of the first one
    change: str  # the kind of the change that it proposes, or ""
    reason: str  # why there is no verdict, or ""
    callers: tuple[str, ...] = ()  # kernels of its file
    moves: bool = True  # whether it touches an array
    helpers: tuple[str, ...] = ()  # what it calls and is not shown by itself
    profiled: float | None = None  # seconds that an application spent in it

    @property
    def saved(self) -> float | None:
        """Seconds of the application that the gain would save."""
        if self.profiled is None or self.gain is None:
            return None
        return self.profiled * (1 - 1 / self.gain)

    @property
    def is_scalar_helper(self) -> bool:
        return not self.moves and self.status != "unsupported"


def summary_of(report: KernelReport, callers: tuple[str, ...] = ()) -> KernelSummary:
    kernel, verdict, time = report.cost.kernel, report.verdict, report.time
    level = _binding(report)
    best = _best(report)
    known = isinstance(time, TimePrediction)
    interpreted = interpreted_loop(kernel) is not None
    return KernelSummary(
        name=kernel.name,
        path=kernel.path,
        line=kernel.line,
        status=report.cost.status,
        machine=report.machine.name if report.machine else "",
        on_gpu=report.on_gpu,
        bound=verdict.bound,
        limit=_limit(verdict, interpreted),
        level=level.name if level else "",
        intensity=level.judged.low if level and level.judged else None,
        sureness=_sureness(level),
        ridge=level.ridge if level else None,
        seconds=time.expected if known and isinstance(time, TimePrediction) else verdict.seconds,
        attainable=verdict.attainable,
        gain=best.gain if best and best.gain and best.gain >= AS_WRITTEN else None,
        code=best.code if best else "",
        change=_change(best) or ("compile" if interpreted else ""),
        reason=verdict.reason,
        callers=callers,
        moves=any(moved(each.traffic.total, report.machine) for each in report.levels[:1]),
    )


def _limit(verdict: Verdict, interpreted: bool) -> str:
    if verdict.limit or interpreted:
        return verdict.limit or INTERPRETER
    return "" if verdict.bound == "compute" else verdict.level or ""


def _binding(report: KernelReport) -> LevelReport | None:
    """The interface that the verdict refers to; else the outermost."""
    named = {level.name: level for level in report.levels}
    wanted = (report.verdict.limit or "", report.verdict.level or "", *reversed(named))
    return next((named[name] for name in wanted if name in named), None)


def _sureness(level: LevelReport | None) -> Sureness:
    if level is None or level.judged is None:
        return ""
    return _INVERSE.get(level.fused_status or level.traffic.status, "~") if level.judged.is_known else "≥"


def _best(report: KernelReport) -> Finding | Advice | None:
    """What promises most; a finding before advice of the same gain."""
    offers: list[Finding | Advice] = [f for f in report.findings if f.code < "RFL9" and f.code != "RFL001"]
    offers += report.advice
    return max(offers, key=lambda offer: offer.gain or 0.0, default=None)


def _change(offer: Finding | Advice | None) -> str:
    if offer is None:
        return ""
    if offer.transformation is not None:
        return offer.transformation.kind
    return offer.kind if isinstance(offer, Advice) else ""
