"""RFL203: records stand in one array, and only some fields of each are used."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofscan.report.code import Code
from roofscan.report.findings.strided_walk import Use, fields_of, lost_lines, walks
from roofscan.report.findings.subject import Subject
from roofscan.report.intervals import describe
from roofscan.report.model import Finding

MOST = Fraction(3, 4)
"""The largest share of the fields used that is worth a finding."""

CODE = Code(
    id="RFL203",
    title="only some fields of each record are used",
    stands_at="access",
    default=True,
    meaning="""
        The array's last axis is short and of fixed length: each row is a record. The innermost loop goes from
        record to record and uses only the fields in the message, but memory moves whole lines, the other
        fields included.""",
    why="""
        With 2 of 6 fields used, two thirds of the traffic is in vain, and the stride keeps the loop from
        vector loads.""",
    action="""
        Keep the fields in arrays of their own (a structure of arrays), or turn the array round: one row for
        each field, so that the loop over the records runs along a row.""",
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


def find(subject: Subject) -> Iterator[Finding]:
    judged = subject.judged
    reuse = judged.cost.reuse
    first = next((level for level in judged.machine.levels if level.capacity), None)
    if first is None or reuse is None or not judged.setting.judged or not judged.cost.flops:
        return
    told: set[str] = set()
    for walk in walks(judged.cost.kernel):
        fields = fields_of(walk)
        use = Use.of(walk, judged.stand.values, reuse.line) if fields else None
        if fields is None or use is None or walk.array.memory in told:
            continue
        if Fraction(use.elements, fields) > MOST or use.share > MOST:
            continue
        lost = lost_lines(subject, walk, use, first)
        if lost is not None:
            told.add(walk.array.memory)
            place = walk.accesses[0]
            where = "" if lost.always else f" for {describe(lost.path.symbol, lost.ranges)}"
            message = (
                f"{walk.array.name} uses {use.elements} of {fields} fields of each record, "
                f"{float(use.share) * 100:.3g} % of each {reuse.line}-byte line{where}; "
                "keep the fields in arrays of their own"
            )
            yield subject.at(CODE.id, place.line, place.column, message)
