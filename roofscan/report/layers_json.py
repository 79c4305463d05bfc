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
    """``layer_conditions``, largest distance first; ``told`` are those that the text reports.

    A cache of at least ``needs`` bytes moves ``then`` bytes, one below ``least`` moves ``else`` bytes (all farther
    reuse misses, all nearer hits). ``iterations`` is how often the innermost body runs that runs most.
    """
    formatter = formatter_on(report)
    reported = significant(report.steps)
    return {
        "iterations": amount(formatter.iterations, values),
        "layer_conditions": [_step(step, formatter, values, step in reported) for step in report.steps],
    }


def _step(step: LayerCondition, formatter: LayerFormatter, values: Values, is_told: bool) -> Json:
    return {
        "text": formatter.sentence(step),
        "holds": formatter.subject(step),
        "loop": formatter.loop_name(step),
        "line": step.line,
        "arrays": list(step.arrays),
        "needs": amount(step.needs, values),
        "least": amount(step.least, values),
        "between": {array: amount(size, values) for array, size in step.between},
        "then": amount(step.then, values),
        "else": amount(step.otherwise, values),
        "share": round(step.share, 6),
        "told": is_told,
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


def amount(expr: Expr | None, values: Values) -> Json:
    if expr is None:
        return {"expr": None, "value": None}
    return {"expr": str(expr), "value": value_of(expr, values)}
