"""RFL001: a kernel outside the model."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.roofline.model import Finding
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext, Stage

CODE = Code(
    id="RFL001",
    title="a kernel is outside the model",
    location="kernel",
    default=False,
    meaning="""
        roofscan found a kernel whose cost it cannot derive: the function catches its own exceptions, passes
        other names to a nested function, or exceeds the budget. The message gives the reason and its line.""",
    why="""
        Such a kernel has no counts and no verdict. The code is off by default because there is often nothing to
        do about it; select it to see which kernels are not checked.""",
    action="""
        Move that part out of the kernel, or into a helper of the same module that roofscan can read. If the
        kernel is fine as it is, leave the code off.""",
    bad="""
        from numba import njit

        @njit
        def scale(x, a):
            try:
                for i in range(len(x)):
                    if x[i] == 0.0:
                        raise ValueError
                    x[i] = a / x[i]
            except ValueError:
                x[:] = 0.0
        """,
    good="""
        from numba import njit

        @njit
        def scale(x, a):
            for i in range(len(x)):
                x[i] = a / x[i] if x[i] != 0.0 else 0.0
        """,
)


NEEDS = Stage.COUNTS


def may_apply(context: RuleContext) -> bool:
    """A GPU's kernel is not looked at on another machine."""
    return context.hardware.kind == "gpu" or not context.kernel.on_gpu


def find(context: RuleContext) -> Iterator[Finding]:
    if context.counts is None or context.counts.status != "unsupported":
        return
    reason = context.kernel.unsupported
    why = f"{reason.message} (line {reason.line})" if reason else "no reason is known"
    message = f"{context.name} is outside the model: {why}; move that part out of the kernel"
    yield context.at_def(CODE.id, message, lines=(reason.line,) if reason else ())
