"""RFL203: an array of structures, of which only some fields are used."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofscan.advice.gain import changed, speedup_to
from roofscan.cost.transform.layout import with_fields_apart
from roofscan.finding import Finding, Subject
from roofscan.ir.arrays import Array
from roofscan.remedy import do
from roofscan.roofline.strides import LineUse, StridedAccess, fields_of
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.conditions import may_waste_lines
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence
from roofscan.rules.strided_access import FASTER, losses, waits
from roofscan.symbolic.expr import NotEvaluable

MAX_SHARE = Fraction(3, 4)  # the largest share of the fields used that is worth a finding

CODE = Code(
    id="RFL203",
    title="only some fields of each record are used",
    remedy="split records",
    location="access",
    meaning="""
        The elements of the array are records: elements of a structured dtype, or rows along a short last axis of fixed
        length. The loop goes from record to record and uses only some fields of each, but memory moves entire lines
        with all fields.""",
    why="""
        A loop that uses 2 of 6 fields wastes two thirds of its traffic, and its stride prevents vector loads.""",
    action="""
        Store each field in an array of its own (a structure of arrays), or transpose the array: with one row
        for each field, the loop over the records has unit stride.""",
    bad="""
        from numba import njit

        @njit
        def kinetic(particles, e):  # x y z vx vy vz
            for i in range(len(e)):
                e[i] = 0.5 * particles[i, 3] * particles[i, 5]
        """,
    good="""
        from numba import njit

        @njit
        def kinetic(vx, vz, e):
            for i in range(len(e)):
                e[i] = 0.5 * vx[i] * vz[i]
        """,
)


def may_apply(context: RuleContext) -> bool:
    return may_waste_lines(context, MAX_SHARE)


def find(context: RuleContext) -> Iterator[Finding]:
    for loss in losses(context, _leaves_fields):
        array, place = loss.walk.array, loss.walk.accesses[0]
        speedup = _speedup(context, array)
        if not (speedup.gain >= FASTER if speedup else waits(context.point, loss)):
            continue
        share = f"{float(loss.use.share) * 100:.3g} % of each line"
        used = f"{loss.use.elements} of {fields_of(loss.walk)} fields are used"
        remedy = do("store", f"each field of {array.name} in an array of its own")
        message = sentence(context.name, speedup, remedy, f"{used}, {share}{loss.where}", used)
        about = Subject("array", (array.name,))
        figures = (("share", float(loss.use.share)), *(speedup.figures if speedup else ()))
        yield context.at(CODE.id, place.line, place.column, message, about, figures, lines=loss.lines(context))


def _speedup(context: RuleContext, records: Array) -> Speedup | None:
    """With the fields in arrays of their own; None where that is not known."""
    point = context.point
    try:
        after = changed(point, with_fields_apart(point.cost.kernel, records.name))
    except NotEvaluable:
        return None
    return speedup_to(point, after) if after.is_known else None


def _leaves_fields(walk: StridedAccess, use: LineUse) -> bool:
    fields = fields_of(walk)
    return fields is not None and Fraction(use.elements, fields) <= MAX_SHARE and use.share <= MAX_SHARE
