"""How many dimensions the axes that a call names give to its operands: ``np.transpose(x, (2, 0, 1))`` has three."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse.lower.functions import TABLE
from roofscan.parse.lower.ranks import called, is_method, operands_of
from roofscan.parse.syntax import Call, Expression, Literal, Sequence, Unary

_MOVED = frozenset({"swapaxes", "moveaxis"})
_PLACES = {"take": 2, "split": 2, "diff": 2, "roll": 2, "repeat": 2, "flip": 1, "expand_dims": 1, "join": 1, "stack": 1}
"""By rule: which operand is the axis where no keyword is."""


def told(call: Call) -> Iterator[tuple[Expression, int]]:
    """The operands that must be arrays by the axes of a call, with their dimensions at the least."""
    row, operands = TABLE.get(called(call)), operands_of(call)
    if row is None or not operands:
        return
    first, others = operands[0], operands[1:]
    if row.rule == "transpose":
        axes = _keyword(call, "axes", others[0] if len(others) == 1 else None)
        order = axes.items if isinstance(axes, Sequence) else others
        if len(order) > 1:
            yield first, len(order)
    elif row.rule in _MOVED:
        yield first, max([2, *filter(None, map(_reached, others))])
    elif row.rule == "tensordot" and others:
        axes = _keyword(call, "axes", others[1] if len(others) > 1 else None)
        sides = axes.items if isinstance(axes, Sequence) else ()
        yield from ((o, r) for o, axis in zip(operands, sides) if (r := _reached(axis)))
    elif row.rule in ("join", "stack") and not is_method(call):
        deepest = _reached(_keyword(call, "axis", _at(operands, _PLACES[row.rule]))) or 1
        arrays = first.items if isinstance(first, Sequence) else operands[:2] if called(call) == "append" else ()
        yield from ((item, max(1, deepest - (row.rule == "stack"))) for item in arrays)
    elif row.rule in _PLACES and not is_method(call):
        reached = _reached(_keyword(call, "axis", _at(operands, _PLACES[row.rule])))
        if reached and reached > 1:
            yield first, reached - (row.rule == "expand_dims")


def _keyword(call: Call, name: str, otherwise: Expression | None) -> Expression | None:
    return next((k.value for k in call.keywords if k.name == name), otherwise)


def _at(operands: tuple[Expression, ...], place: int) -> Expression | None:
    return operands[place] if place < len(operands) else None


def _reached(axis: Expression | None) -> int | None:
    """The dimensions that an axis, or the furthest of several, asks for; None for one that is not known."""
    if isinstance(axis, Sequence):
        return max(filter(None, map(_reached, axis.items)), default=None)
    if isinstance(axis, Literal) and isinstance(axis.value, int) and not isinstance(axis.value, bool):
        return axis.value + 1
    if isinstance(axis, Unary) and axis.op == "-" and isinstance(axis.operand, Literal):
        value = axis.operand.value
        return value if isinstance(value, int) else None
    return None
