"""How many dimensions the axes that a call names give to its operands: ``np.transpose(x, (2, 0, 1))`` has three."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse.inference.operands import called, is_method, keyword, operands_of
from roofscan.parse.lowering.numpy.table import TABLE
from roofscan.parse.syntax import Call, Expression, Literal, Sequence, Unary

_MOVED = frozenset({"swapaxes", "moveaxis"})
_PLACES = {"take": 2, "split": 2, "diff": 2, "roll": 2, "repeat": 2, "flip": 1, "expand_dims": 1, "join": 1, "stack": 1}
"""By rule: which operand is the axis where no keyword is."""
_AXIS_IS_NEXT = frozenset({"reduce", "cumulate", "sort"})
"""Rules of functions whose operand is followed by the axis."""
_ANOTHER_IS_NEXT = frozenset({"partition", "argpartition", "isin", "in1d"})
"""Functions of these rules whose operand is followed by something else."""


def axis_constraints(call: Call) -> Iterator[tuple[Expression, int]]:
    """The operands that must be arrays by the axes of a call, with their dimensions at the least."""
    row, operands = TABLE.get(called(call)), operands_of(call)
    if row is None or not operands:
        return
    first, others = operands[0], operands[1:]
    if row.rule == "transpose":
        axes = keyword(call, "axes") or (others[0] if len(others) == 1 else None)
        order = axes.items if isinstance(axes, Sequence) else others
        if len(order) > 1:
            yield first, len(order)
    elif row.rule in _MOVED:
        yield first, max([2, *filter(None, map(rank_reached, others))])
    elif row.rule == "tensordot" and others:
        axes = keyword(call, "axes") or _at(others, 1)
        sides = axes.items if isinstance(axes, Sequence) else ()
        yield from ((o, r) for o, axis in zip(operands, sides) if (r := rank_reached(axis)))
    elif row.rule in ("join", "stack") and not is_method(call):
        deepest = rank_reached(keyword(call, "axis") or _at(operands, _PLACES[row.rule]))
        arrays = first.items if isinstance(first, Sequence) else operands[:2] if called(call) == "append" else ()
        yield from ((item, max(1, (deepest or 1) - (row.rule == "stack"))) for item in arrays)
    elif row.rule in _PLACES and not is_method(call):
        deepest = rank_reached(keyword(call, "axis") or _at(operands, _PLACES[row.rule]))
        if deepest and deepest > 1:
            yield first, deepest - (row.rule == "expand_dims")


def named_axis(call: Call) -> Expression | None:
    """What a reduction, or another function of one array, goes along; None where that is the whole array."""
    row, operands = TABLE.get(called(call)), operands_of(call)
    axis = keyword(call, "axis")
    if axis is None and row is not None and row.rule in _AXIS_IS_NEXT and called(call) not in _ANOTHER_IS_NEXT:
        axis = _at(operands, 1)
    return None if isinstance(axis, Literal) and axis.value is None else axis


def _at(operands: tuple[Expression, ...], place: int) -> Expression | None:
    return operands[place] if place < len(operands) else None


def rank_reached(axis: Expression | None) -> int | None:
    """The dimensions that an axis, or the furthest of several, asks for; None for one that is not known."""
    if isinstance(axis, Sequence):
        return max(filter(None, map(rank_reached, axis.items)), default=None)
    if isinstance(axis, Literal) and isinstance(axis.value, int) and not isinstance(axis.value, bool):
        return axis.value + 1
    if isinstance(axis, Unary) and axis.op == "-" and isinstance(axis.operand, Literal):
        value = axis.operand.value
        return value if isinstance(value, int) else None
    return None
