"""RFL304: an array is filled, and a loop then stores each of its elements again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roofscan.advice.denser import speedup_by
from roofscan.advice.fusion import is_called_for_vectors
from roofscan.advice.gain import counted
from roofscan.advice.loop_code import CodeChange
from roofscan.advice.modest_sizes import pays_at_modest_sizes
from roofscan.cost.transform.drop_fill import DropFill, dropped_fills
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.remedy import Remedy, all_of, do
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times

LEAST_GAIN = 1.25  # of a pass that caches hold, little is left (promised 1.2 measured 1.16 on large images)
LEAST_GAIN_OF_FRAMES = 1.4
"""Four more statements fill the border of an image: sums over the neighbours of each pixel promised 1.3, and gained
1.06 for 300 by 300 pixels, 1.33 for 2,000 by 2,000."""
MAX_NAMED = 2  # arrays that a message names

CODE = Code(
    id="RFL304",
    title="a new array is filled, and a loop stores each of its elements again",
    remedy="np.empty",
    location="statement",
    meaning="""
        A compiled function makes an array with np.zeros, np.ones or np.full, and the next loop that touches the array
        stores each element before it reads any, or each but a border, or each where a test holds. Numba fills the array
        in a pass of its own.""",
    why="""
        The pass moves the array to memory once more. Measured under Numba 0.68: y[i] = 2.0 * x[i] + 1.0 into
        np.empty takes 0.7 of the time for 10,000 elements and 0.6 from 200,000 on; nothing is gained below 1,000.""",
    action="""
        Make the array with np.empty or np.empty_like, of the same shape and type. Where the loop leaves a border, fill
        the border alone (reported for images from 1.4 times on); where it stores by a test, store the number in an
        else. `roofscan fix` does this. What others call for vector after vector finds the array in a cache, and is not
        reported.""",
    bad="""
        import numpy as np
        from numba import njit

        @njit
        def scaled(x):
            y = np.zeros(len(x))
            for i in range(len(x)):
                y[i] = 2.0 * x[i] + 1.0
            return y
        """,
    good="""
        import numpy as np
        from numba import njit

        @njit
        def scaled(x):
            y = np.empty(len(x))
            for i in range(len(x)):
                y[i] = 2.0 * x[i] + 1.0
            return y
        """,
)


YIELDS_TO = ("RFL302",)  # which may take the array away


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    if not kernel.decorator.compiled or kernel.on_gpu or not has_roofline(context):
        return False
    return next(dropped_fills(kernel), None) is not None


def find(context: RuleContext) -> Iterator[Finding]:
    """One finding of all such arrays. None of what others call for vector after vector, which a cache holds."""
    kernel = context.point.cost.kernel
    dropped = list(dropped_fills(kernel))
    without = kernel
    for each in dropped:
        without = each.apply(without)
    least = LEAST_GAIN_OF_FRAMES if any(map(_leaves_a_frame, dropped)) else LEAST_GAIN
    speedup = speedup_by(context.point, without, least) if dropped else None
    if speedup and speedup.gain >= least and not _is_in_a_cache(context, without):
        names = tuple(dict.fromkeys(each.array.name for each in dropped))
        lines = tuple(sorted({each.fill.line for each in dropped}))
        message = sentence(context.name, speedup, _remedy(names, dropped), *with_times(_why(dropped[0]), speedup))
        yield context.at(CODE.id, lines[0], 0, message, Subject("array", names), speedup.figures, lines)


def _is_in_a_cache(context: RuleContext, without: Kernel) -> bool:
    """Whether others call it for vectors that a cache holds, and too little is gained there."""
    if not is_called_for_vectors(context.point.cost.kernel):
        return False
    change = CodeChange((), frozenset(), counted(context.point, without).cost.nests)
    return not pays_at_modest_sizes(context.point, change, LEAST_GAIN)


def _leaves_a_frame(dropped: DropFill) -> bool:
    return dropped.left == "border" and len(dropped.array.shape) > 1


def _remedy(names: Sequence[str], dropped: Sequence[DropFill]) -> Remedy:
    made = do("make", f"{' and '.join(names) if len(names) <= MAX_NAMED else 'its arrays'} with np.empty")
    left = {each.left for each in dropped} - {"nothing"}
    if not left:
        return made
    return all_of((made, do("fill", "the border alone" if left == {"border"} else "the rest in an else")))


def _why(dropped: DropFill) -> str:
    again = "each element again" if dropped.left == "nothing" else "the others again"
    return f"line {dropped.stores.line} stores {again}"
