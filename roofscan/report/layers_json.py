"""Layer conditions and the steps of the traffic over the capacity, for programs."""

from __future__ import annotations

from typing import Any

from roofscan.report.figures import Values, value_of
from roofscan.report.layer_sentences import LayerFormatter, formatter_on
from roofscan.roofline.layer_conditions import significant
from roofscan.roofline.model import CacheFit, KernelReport, LayerCondition
from roofscan.symbolic.expr import Expr

Json = dict[str, Any]


def layers_json(report: KernelReport, values: Values) -> Json:
    """``layer_conditions``, largest distance first; ``told`` are those that the text tells.

    A cache of at least ``needs`` bytes moves ``then`` bytes, one below ``least`` moves ``else`` bytes (all farther
    reuse misses, all nearer hits). ``iterations`` is how often the innermost body runs that runs most.
    """
    speaker = formatter_on(report)
    told = significant(report.steps)
    return {
        "iterations": _amount(speaker.iterations, values),
        "layer_conditions": [_step(step, speaker, values, step in told) for step in report.steps],
    }


def _step(step: LayerCondition, speaker: LayerFormatter, values: Values, told: bool) -> Json:
    return {
        "text": speaker.sentence(step),
        "holds": speaker.subject(step),
        "loop": speaker.loop_name(step),
        "line": step.line,
        "arrays": list(step.arrays),
        "needs": _amount(step.needs, values),
        "least": _amount(step.least, values),
        "between": {array: _amount(size, values) for array, size in step.between},
        "then": _amount(step.then, values),
        "else": _amount(step.otherwise, values),
        "share": round(step.share, 6),
        "told": told,
        "fits": [_fit(fit) for fit in step.fits],
    }


def _fit(fit: CacheFit) -> Json:
    return {
        "cache": fit.cache or str(fit.capacity),
        "capacity": fit.capacity,
        "symbol": fit.symbol or None,
        "ranges": [list(span) for span in fit.ranges],
        "in_part": [list(span) for span in fit.partly],
        "with": {name: str(value) for name, value in fit.also},
    }


def _amount(expr: Expr | None, values: Values) -> Json:
    if expr is None:
        return {"expr": None, "value": None}
    return {"expr": str(expr), "value": value_of(expr, values)}
