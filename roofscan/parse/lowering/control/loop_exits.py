"""Code that runs only where a loop ends in a certain way: its ``else``, and statements after a loop that may return."""

from __future__ import annotations

from roofscan.ir.kernel import Branch
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.join import join_names
from roofscan.parse.syntax_walk import breaks, has_exit, walk


def lower_if_reached(cx: Context, body: tuple[syntax.Statement, ...], loop: int, way: str) -> bool:
    """Lower code that runs in a share of the executions: where the loop in line ``loop`` ends as ``way`` says."""
    builder = cx.builder
    cx.frame.branch_depth += 1
    with builder.inside() as work:
        left = cx.block(body)
    cx.frame.branch_depth -= 1
    if work:
        text = f"the loop in line {loop} ends {way}"
        meaning = f"share of executions where {text}, from 0 to 1"
        share = builder.share(("share", cx.frame.dotted, loop, way), meaning, loop)
        builder.reason(loop, f"whether {text} depends on data", "parametric")
        builder.add(Branch(share, tuple(work), loop))
    return left


def lower_loop_else(cx: Context, node: syntax.For | syntax.While) -> bool:
    if not node.orelse:
        return False
    if not breaks(node.body):
        return cx.block(node.orelse)
    before = dict(cx.frame.names)
    lower_if_reached(cx, node.orelse, node.place.line, "without a break")
    cx.frame.names = join_names(cx, cx.frame.names, before, before, node.place.line)
    return False


def way_past(loop: syntax.For | syntax.While) -> str:
    """How a loop must end for the statements after it to run; "" if they always run."""
    if any(isinstance(node, syntax.Return) for node in walk(loop.body)):
        return "without a return"
    return "by a break" if breaks(loop.body) and has_exit(loop.orelse) else ""
