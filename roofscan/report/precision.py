"""Advice of the kind ``precision``: float32 data that are computed in float64 without anybody having said so."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.cost.widening import Widening, narrowed, widenings
from roofscan.ir.expr import NotEvaluable
from roofscan.ir.kernel import Kernel
from roofscan.report.advice.gain import as_written, changed
from roofscan.report.fusing import Change
from roofscan.report.model import Advice, Ratio
from roofscan.report.verdict import Judged

FASTER = 1.05
"""The least gain that is worth its words: a memory-bound kernel may gain nothing until its arrays are smaller."""


def precision_advice(judged: Judged) -> Iterator[Advice]:
    """One piece of advice, at the first place where float32 becomes float64."""
    kernel = judged.cost.kernel
    found = widenings(kernel) if judged.setting.judged and judged.cost.reuse is not None else ()
    if not found:
        return
    try:
        change = Change(judged, as_written(judged), changed(judged, narrowed(kernel)))
        gain = f"; in float32 {change.intensities()}" if change.gain >= FASTER else ""
    except (NotEvaluable, ZeroDivisionError):
        yield Advice("precision", found[0].line, _message(kernel, found[0]), code="RFL401")
        return
    yield Advice(
        "precision", found[0].line, _message(kernel, found[0]) + gain, Ratio(change.flops, change.moved[1]),
        round(max(change.gain, 1.0), 2), code="RFL401",
    )  # fmt: skip


def _message(kernel: Kernel, widening: Widening) -> str:
    """What is widened, by what, and what to write."""
    start = f"the inputs of {kernel.name} are float32, but this line computes in float64"
    if widening.array and kernel.array(widening.array).role == "local":
        return f"{start}: {widening.array} is a float64 array (line {widening.array_line}); give it dtype=np.float32"
    if kernel.decorator.compiled:
        return f"{start}: a Python float, or another operand that is not float32, widens it; write np.float32(...)"
    return f"{start}: another operand is not float32; convert it with np.float32(...)"
