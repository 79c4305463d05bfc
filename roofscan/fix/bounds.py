"""The least value that sums of loop variables and sizes may have, by the source."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from roofscan.fix.linear import Linear, linear
from roofscan.fix.source import block, loop_name, nodes, stored_names
from roofscan.ir.kernel import Kernel


def range_parts(loop: cst.For) -> tuple[Linear, cst.BaseExpression, Linear | None] | None:
    """Start, stop and step of ``range(…)``; a step of None is not a sum. None for other iterables."""
    call = loop.iter
    if (
        not isinstance(call, cst.Call)
        or not isinstance(call.func, cst.Name)
        or call.func.value not in ("range", "prange")
    ):
        return None
    arguments = [arg.value for arg in call.args if not arg.keyword and not arg.star]
    if len(arguments) != len(call.args) or not 1 <= len(arguments) <= 3:
        return None
    start = linear(arguments[0]) if len(arguments) > 1 else Linear()
    step = linear(arguments[2]) if len(arguments) > 2 else Linear(1)
    return None if start is None else (start, arguments[1] if len(arguments) > 1 else arguments[0], step)


def range_ends(loop: cst.For) -> tuple[Linear, cst.BaseExpression] | None:
    """Start and stop of ``range(start, stop)``."""
    parts = range_parts(loop)
    return parts[:2] if parts is not None and parts[2] == Linear(1) else None


class Bounds:
    """Least values at one place of a function; ``around``: the loops that it is in, innermost first."""

    def __init__(self, kernel: Kernel, function: cst.FunctionDef, around: Sequence[cst.For]) -> None:
        self._around = around
        stores = [name for node in nodes(function.body) for name in _stored(node)]
        self._sizes = {
            symbol.name
            for symbol in kernel.symbols
            if symbol.kind == "size" and symbol.name not in kernel.parameters and stores.count(symbol.name) == 1
        }

    def least(self, found: Linear, around: Sequence[cst.For] | None = None, steps: bool = True) -> int | None:
        """None where it is not known. ``steps``: whether loops may step by more than one."""
        around = self._around if around is None else around
        value = found.constant
        for name, count in found.names.items():
            least = self._least_of(name, around, steps)
            if least is None or count < 0:
                return None
            value += count * least
        return value

    def _least_of(self, name: str, around: Sequence[cst.For], steps: bool) -> int | None:
        loop = next((loop for loop in around if loop_name(loop) == name), None)
        if loop is None:
            return 0 if steps and name in self._sizes else None
        parts = range_parts(loop)
        if parts is None or name in stored_names(*block(loop)):
            return None
        start, stop, step = parts
        outer = around[around.index(loop) + 1 :]
        first = self.least(start, outer, steps)
        if step is not None and (step.number or 0) > 0:
            return first if steps or step.number == 1 else None
        end = linear(stop)
        last = None if end is None else self.least(end, outer, steps)  # a step downwards ends above the stop
        return None if not steps or first is None or last is None else min(first, last + 1)


def _stored(node: cst.CSTNode) -> set[str]:
    return stored_names(node) if isinstance(node, (cst.BaseSmallStatement, cst.For)) else set()
