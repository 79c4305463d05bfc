"""The expected time of a call in words."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan import units
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import TYPICAL, NoTime, TimePrediction

UNCALIBRATED = "uncalibrated: `roofscan machine measure` measures this computer"

LEAST_SHARE = 0.1  # of the time, that a resource takes to be named beside the first

RESOURCES: Mapping[str, str] = {
    "tlb": "translations of addresses",
    "vector": "vector code",
    "scalar": "scalar arithmetic",
    "issue": "scalar code",
    "divider": "divisions and square roots",
    "function": "special functions",
    "chain": "a chain of dependent operations",
    "start": "starts of loops",
    "call": "the call",
}
"""What takes the time, in words; the name of a level stands for itself."""


def time_text(report: KernelReport) -> str:
    """One sentence, or "" where there is nothing to say: sizes are free, or the kernel has no place on the machine."""
    time = report.time
    if time is None or report.cost.free or report.verdict.reason:
        return ""
    return f"no expected time: {time.why}" if isinstance(time, NoTime) else _expected(time)


def _expected(time: TimePrediction) -> str:
    low, high = (units.duration(time.expected * factor) for factor in TYPICAL)
    parts = [
        f"expected {units.duration(time.expected)} a call (typically {low} to {high})",
        f"at least {units.duration(time.at_least)}; it goes to {shares_text(time.parts)}",
    ]
    return ", ".join(parts) + ("" if time.calibrated else f" ({UNCALIBRATED})")


def shares_text(parts: Mapping[str, float]) -> str:
    """What takes the time, the most first, with its share."""
    ordered = sorted(parts.items(), key=lambda part: -part[1])
    named = [part for n, part in enumerate(ordered) if n == 0 or part[1] >= LEAST_SHARE]
    return ", ".join(f"{RESOURCES.get(name, name)} {share:.0%}" for name, share in named)
