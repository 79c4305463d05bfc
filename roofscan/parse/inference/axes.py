"""Ranks from axes: ``np.transpose(x, (2, 0, 1))`` and ``np.flip(x, axis=2)`` need three dimensions."""

from __future__ import annotations

from roofscan.parse.syntax import Expression, Literal, Sequence, Unary


def rank_for_axis(axis: Expression | None) -> int | None:
    """The rank that an axis, or the furthest of several, needs; None where the axis is not a literal."""
    if isinstance(axis, Sequence):
        return max(filter(None, map(rank_for_axis, axis.items)), default=None)
    if isinstance(axis, Literal) and isinstance(axis.value, int) and not isinstance(axis.value, bool):
        return axis.value + 1
    if isinstance(axis, Unary) and axis.op == "-" and isinstance(axis.operand, Literal):
        value = axis.operand.value
        return value if isinstance(value, int) else None
    return None
