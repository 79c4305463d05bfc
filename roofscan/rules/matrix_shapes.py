"""RFL707: a matrix product has dimensions that tensor cores do not take."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding
from roofscan.roofline.notes import odd_dimensions
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext

CODE = Code(
    id="RFL707",
    title="a matrix dimension does not fit the tensor cores",
    remedy="pad to a multiple of 8",
    location="kernel",
    default=True,
    meaning="""
        A matrix product in half precision has a dimension that is not a multiple of 16 bytes. The message gives the
        dimension and the multiple.""",
    why="""
        Tensor cores load rows in units of 16 bytes. Where rows are not aligned to that, libraries use slower kernels,
        or the ordinary units at an eighth of the rate.""",
    action="""
        Pad that dimension of the arrays with zeros to the next multiple.""",
    bad="""
        # roofscan: A=f2[4096,4100] B=f2[4100,4096]
        def product(A, B):
            return A @ B
        """,
    good="""
        # roofscan: A=f2[4096,4104] B=f2[4104,4096]
        def product(A, B):
            return A @ B
        """,
)


def may_apply(context: RuleContext) -> bool:
    return context.hardware.kind == "gpu" and context.kernel.unsupported is None


def find(context: RuleContext) -> Iterator[Finding]:
    found = odd_dimensions(context.point) if context.point.target.has_roofline else None
    if found is not None:
        multiple, odd = found
        yield context.at_def(
            CODE.id, f"{context.name}: pad to multiples of {multiple} for tensor cores: {', '.join(odd)}"
        )
