"""RFL502: a loop of plain Python calls a kernel that takes less time than the call."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.advice.gain import WORTHWHILE_GAIN
from roofscan.finding import Finding, Subject
from roofscan.remedy import do
from roofscan.roofline.time.call import entry_seconds
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence
from roofscan.units import duration

CODE = Code(
    id="RFL502",
    title="a loop of plain Python calls a small kernel",
    remedy="compile the loop",
    location="loop",
    meaning="""
        A function that is not compiled calls the kernel once per iteration, and the work of a call takes less time than
        the call itself: Python looks up the compiled code by the types of the arguments and unpacks each of them. The
        loop runs over a range and uses only numbers and elements of arrays, so Numba could compile it.""",
    why="""
        Measured under Numba 0.68, a call takes 25 ns without arguments, 95 ns with one number and 125 ns with one
        array, 35 ns more for each further array. A loop that calls a product and a sum takes 243 ns per iteration, and
        0.16 ns compiled; the distance of two points 283 and 2.0 ns; a formula with five functions 419 and 31 ns.""",
    action="""
        Compile the function that holds the loop (`roofscan fix --unsafe` does where Numba takes all of it as it is), or
        move the loop into a compiled function of its own, which takes the arrays. The gain in the message does not
        include the interpreter's own time, which is saved too. Elements of arrays are assumed to be numbers; if they
        are rows, each call does more work, and the gain is smaller.""",
    bad="""
        from numba import njit

        @njit
        def blend(a, b):
            return 0.3 * a + 0.7 * b

        def blend_all(x, y, z):
            for i in range(len(z)):
                z[i] = blend(x[i], y[i])
        """,
    good="""
        from numba import njit

        @njit
        def blend(a, b):
            return 0.3 * a + 0.7 * b

        @njit
        def blend_all(x, y, z):
            for i in range(len(z)):
                z[i] = blend(x[i], y[i])
        """,
)


def may_apply(context: RuleContext) -> bool:
    return context.kernel.python_loop is not None and context.kernel.decorator.kind in ("njit", "jit")


def find(context: RuleContext) -> Iterator[Finding]:
    loop, point, machine = context.kernel.python_loop, context.point, context.hardware
    if loop is None or not isinstance(point.time, TimePrediction):
        return
    call = entry_seconds(context.kernel, machine)
    start = machine.timing.start_scalar.value / machine.clock.value  # of the compiled loop
    work = start + max(float(point.time.expected) - call, point.target.seconds)
    speedup = Speedup(call + work, work)
    if speedup.gain < WORTHWHILE_GAIN:
        return
    remedy = do("compile", f"the loop over {loop.variable} in {loop.caller}")
    message = sentence(context.name, speedup, remedy, f"a call takes {duration(call)}, its work {duration(work)}")
    about = Subject("loop", (loop.variable,))
    yield context.at(CODE.id, loop.line, loop.column, message, about, speedup.figures, (loop.line,))
