"""RFL101: left of the ridge as written, and a named change moves the kernel right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.finding import Finding
from roofscan.remedy import in_turn
from roofscan.roofline.left_of_ridge import held_by_memory
from roofscan.roofline.model import Advice, Ratio
from roofscan.rules.conditions import may_be_left_of_ridge
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext, lines_of_sizes, memory_bound, other_sizes, value
from roofscan.rules.sentence import sentence
from roofscan.units import distinct

WORTHWHILE_RATIO = 1.25  # how many times the intensity must grow for a change to be worth a finding
MAX_CHANGES = 2  # how many changes one line names
ON_LOOPS = ("interchange", "reorder", "tile")  # the kinds of advice that this code names

CODE = Code(
    id="RFL101",
    title="memory-bound as written, and a named change would help",
    remedy="reorder",
    location="kernel",
    meaning="""
        As written, the kernel does fewer FLOPs per byte than the machine needs to compute at full speed: it is left of
        the ridge point. A legal change of its loops moves fewer bytes for the same work. The message names the change,
        with the arithmetic intensity (AI) before and after.""",
    why="""
        The kernel spends its time waiting for memory. The same result needs less traffic, so it can run faster on the
        same machine.""",
    action="""
        Make the change that the message names; if it names several, start with the first. "roofscan report --advice"
        prints the code to write. Tile only the named loop, and leave the innermost loop over entire rows: square tiles
        that start at a variable cost Numba's vector code more than they save. Measure the result: the AI after the
        change limits the gain and does not guarantee it.""",
    bad="""
        from numba import njit

        @njit
        def matmul(A, B, C):
            n, m = A.shape
            p = B.shape[1]
            for j in range(p):
                for k in range(m):
                    for i in range(n):
                        C[i, j] += A[i, k] * B[k, j]
        """,
    good="""
        from numba import njit

        @njit
        def matmul(A, B, C):
            C += A @ B
        """,
)

may_apply = may_be_left_of_ridge


def find(context: RuleContext) -> Iterator[Finding]:
    interface = held_by_memory(context.point)
    if interface is None or interface.ridge is None:
        return
    now = context.point.intensity(interface)
    changes = list(_worthwhile(context, now))[:MAX_CHANGES]
    if not changes:
        return
    ai, ridge = distinct(now, float(interface.ridge))
    after, _ = distinct(value(changes[-1][1], context), now)
    speedup = next((change.speedup for change, _ in reversed(changes) if change.speedup), None)
    steps = in_turn(change.change for change, _ in changes)
    ratios = f"AI {ai}, then {after}"
    where = memory_bound(context, f"{ratios}; ", ridge)[:-1]
    message = sentence(
        context.name, speedup, steps, *where, f"memory-bound at {interface.name} ({ratios})", ratios, naming=(0,)
    )
    given = (("intensity", now), ("ridge", float(interface.ridge)), *(speedup.figures if speedup else ()))
    steps_at_length = "; ".join(change.message for change, _ in changes)
    more = ". ".join(filter(None, (steps_at_length[:1].upper() + steps_at_length[1:], other_sizes(context.point))))
    found = context.at_def(CODE.id, message, given, lines_of_sizes(context), more=more)
    yield replace(found, transformation=changes[0][0].transformation)


def _worthwhile(context: RuleContext, now: float) -> Iterator[tuple[Advice, Ratio]]:
    """Changes on top of each other, each of which raises the intensity enough."""
    for advice in context.advice:
        if (
            advice.kind in ON_LOOPS
            and advice.intensity is not None
            and value(advice.intensity, context) >= WORTHWHILE_RATIO * now
        ):
            yield advice, advice.intensity
            now = value(advice.intensity, context)
