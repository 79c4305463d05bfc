"""The function and the operands of a call: ``np.sum(x, axis=0)`` and ``x.sum(axis=0)`` have the same."""

from __future__ import annotations

from roofscan.parse.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Sequence,
    Subscript,
    Unary,
)
from roofscan.parse.syntax_walk import dotted_path

MODULES = frozenset({
    "np", "numpy", "math", "cp", "cupy", "jnp", "jax", "xp", "backend", "scipy", "special", "linalg", "nb", "numba",
    "cuda",
})  # fmt: skip
"""Usual names of the modules ``math``, NumPy, Numba, and of those that have NumPy's functions."""
ARRAY_ATTRIBUTES = frozenset({"shape", "size", "T", "ndim", "dtype", "strides", "nbytes", "flat"})
ARRAY_METHODS = {
    "sum", "mean", "std", "var", "min", "max", "copy", "reshape", "ravel", "flatten", "astype", "dot", "fill",
    "transpose", "argmax", "argmin", "any", "all", "sort", "argsort", "cumsum", "prod", "view", "nonzero",
}  # fmt: skip
_OPTIONS = frozenset({"axis", "keepdims", "dtype", "out", "ddof"})  # keywords that pass no operand


def transposed(expression: Expression) -> Expression | None:
    """``x`` of ``x.T``; None for anything else. ``self.T`` is a field: a method's object is no array."""
    if not isinstance(expression, Attribute) or expression.name != "T":
        return None
    base = expression.base
    return None if isinstance(base, Name) and base.id == "self" else base


def called(call: Call) -> str:
    """The last name of the function that is called (``sum``); "" where it has none."""
    return call.function.name if isinstance(call.function, Attribute) else getattr(call.function, "id", "")


def module_of(expression: Expression) -> str:
    """The module that ``np.pi`` or ``scipy.special.erf`` is found through, by its first name; "" for anything else:
    ``cuda.atomic.max`` is no function of arrays."""
    first, _, rest = ((dotted_path(expression) or "") if isinstance(expression, Attribute) else "").partition(".")
    return first if first in MODULES and not (first == "cuda" and "." in rest) else ""


def is_method(call: Call) -> bool:
    """``x.sum()`` rather than ``np.sum(x)``."""
    if not isinstance(call.function, Attribute):
        return False
    return not module_of(call.function) or (isinstance(call.function.base, Name) and _lacks_operand(call))


def _lacks_operand(call: Call) -> bool:
    """``cp.sum(axis=0)`` has no operand, so that ``cp`` is an array and no module."""
    return not call.args and all(k.name in _OPTIONS for k in call.keywords)


def operands_of(call: Call) -> tuple[Expression, ...]:
    """The positional operands; of a method, its array first."""
    if is_method(call) and isinstance(call.function, Attribute):
        return (call.function.base, *call.args)
    return call.args


def operand(call: Call, position: int) -> Expression | None:
    operands = operands_of(call)
    return operands[position] if position < len(operands) else None


def keyword(call: Call, name: str) -> Expression | None:
    return next((k.value for k in call.keywords if k.name == name), None)


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


def array_among(expression: Expression) -> str | None:
    """The one name that makes an array of what a function takes for one: ``v`` in ``np.any(v == x[i, j])`` and
    ``np.sum(v ** 2)``. A product with one subscript may be a scaled row."""
    if isinstance(expression, Unary):
        return array_among(expression.operand)
    parts: tuple[Expression, ...] = ()
    if isinstance(expression, Compare):
        parts = expression.operands
    elif isinstance(expression, Binary):
        parts = (expression.left, expression.right)
    names = [path for part in parts if isinstance(part, Name) and (path := dotted_path(part))]
    rest = [part for part in parts if not isinstance(part, Name)]
    return names[0] if len(names) == 1 and all(map(_is_number, rest)) else dotted_path(expression)


def _is_number(expression: Expression) -> bool:
    """A number in the source, or an element by two places or more."""
    if isinstance(expression, Subscript):
        return len(expression.items) > 1 and all(isinstance(item, Name) for item in expression.items)
    return isinstance(expression, Literal)
