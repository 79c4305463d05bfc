"""Advice on fewer passes over the same arrays, in words."""

from __future__ import annotations

from typing import NamedTuple

from roofscan.advice.change import Change
from roofscan.cost.transform.fuse_expressions import FuseExpression, temporaries
from roofscan.cost.transform.fuse_loops import FuseLoops
from roofscan.cost.transform.fuse_passes import FusePasses
from roofscan.finding import Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.visitor import accesses, loops
from roofscan.remedy import Remedy, do
from roofscan.roofline.model import Advice, Ratio
from roofscan.transformation import TransformationRecord

MAX_NAMED = 3  # the most temporaries that a message names
NAMED_WIDTH = 40  # characters of each


class AdviceText(NamedTuple):
    """A piece of advice at length, and in few words: what to do, and why."""

    message: str
    remedy: Remedy
    why: str


def advice_on(
    code: str,
    change: Change,
    record: TransformationRecord,
    line: int,
    words: AdviceText,
    subject: Subject,
    lines: tuple[int, ...] = (),
) -> Advice:
    ratio, bound = Ratio(change.flops, change.after.moved), round(change.gain, 2)
    return Advice(
        "fuse", line, words.message, ratio, bound, change.speedup, code=code, subject=subject, lines=lines,
        change=words.remedy, why=f"{words.why}{change.intensity_change()}", brief=words.why,
        transformation=record,
    )  # fmt: skip


def on_temporaries(change: Change, expression: FuseExpression, kernel: Kernel) -> AdviceText:
    made = expression.temporaries
    named = ", ".join(t.shown(NAMED_WIDTH) for t in made[:MAX_NAMED]) + (", …" if len(made) > MAX_NAMED else "")
    what, move = ("1 temporary", "moves") if len(made) == 1 else (f"{len(made)} temporaries", "move")
    loop = "the loop over views of its slices" if _is_of_slices(expression.fused) else "the loop"
    remedy = do("write", loop if kernel.decorator.compiled else "one loop (Numba, numexpr or out=)")
    saved = change.bytes_saved()
    message = f"{what} ({named}) {move} {saved} {change.place}{change.instead(str(remedy), ': ')}"
    return AdviceText(message, remedy, f"{what} {move} {saved}")


def _is_of_slices(kernel: Kernel) -> bool:
    """Whether elements are taken from a place on that has a name, ``x[n:] - x[:-n]``: a loop over ``x[i] - x[i - n]``
    tests each subscript for being negative, and is slower than the statement (measured 0.3 to 1.0 times)."""
    every = list(loops(kernel.body))
    variables = {loop.var for loop in every}
    inner = (access for loop in every if loop.array_expression for access in accesses(loop.body))
    return any(e is not None and variables & e.symbols and e.symbols - variables for a in inner for e in a.index)


def on_neighbours(change: Change, run: FuseLoops) -> AdviceText:
    *lines, last = sorted(run.lines)
    made = temporaries(change.point.cost.kernel)
    names = [made[name].shown(NAMED_WIDTH) if name in made else name for name in run.shared[:MAX_NAMED]]
    shared = ", ".join(names) + (", …" if len(run.shared) > MAX_NAMED else "")
    first, saved = ", ".join(map(str, lines)), change.bytes_saved()
    return AdviceText(
        f"lines {first} and {last} stream the same arrays ({shared}): "
        f"{saved} {change.place} are avoidable{change.instead('fuse them into one loop')}",
        do("fuse", f"lines {first} and {last} into one loop"),
        f"both stream {run.shared[0] if run.shared else 'the same arrays'}: {saved}",
    )


def on_passes(change: Change, passes: FusePasses) -> AdviceText:
    lines = f"line{'s' if len(passes.lines) > 1 else ''} {', '.join(map(str, passes.lines))}"
    read, saved = f"read in {passes.count} passes", change.bytes_saved()
    remedy = do("keep", "all accumulators in one loop")
    return AdviceText(
        f"{passes.array} is {read} to reduce it ({lines}): {saved} {change.place} are avoidable"
        f"{change.instead(str(remedy))}",
        remedy,
        f"{passes.array} is {read}: {saved}",
    )
