"""What a call is called and applied to: ``np.sum(x, axis=0)`` and ``x.sum(axis=0)`` are one and the same."""

from __future__ import annotations

from roofscan.parse.syntax import Attribute, Call, Expression, Name
from roofscan.parse.syntax_walk import dotted_path

MODULES = frozenset({
    "np", "numpy", "math", "cp", "cupy", "jnp", "jax", "xp", "scipy", "special", "linalg", "nb", "numba",
})  # fmt: skip
"""The names that sources give to the standard library's mathematics, to NumPy and what has its functions, to Numba."""
_OPTIONS = frozenset({"axis", "keepdims", "dtype", "out", "ddof"})
"""Keywords that no operand is handed by."""


def called(call: Call) -> str:
    """The last name of what is called: ``sum``; "" where it has none."""
    return call.function.name if isinstance(call.function, Attribute) else getattr(call.function, "id", "")


def module_of(expression: Expression) -> str:
    """The module that ``np.pi`` or ``scipy.special.erf`` is found through, by its first name; "" for anything else."""
    first = (dotted_path(expression) or "").partition(".")[0] if isinstance(expression, Attribute) else ""
    return first if first in MODULES else ""


def is_method(call: Call) -> bool:
    """``x.sum()`` rather than ``np.sum(x)``."""
    if not isinstance(call.function, Attribute):
        return False
    return not module_of(call.function) or (isinstance(call.function.base, Name) and _lacks_operand(call))


def _lacks_operand(call: Call) -> bool:
    """``cp.sum(axis=0)``: no module's function is called so, and cp is an array."""
    return not call.args and all(k.name in _OPTIONS for k in call.keywords)


def operands_of(call: Call) -> tuple[Expression, ...]:
    """What a function is applied to, a method's array first."""
    if is_method(call) and isinstance(call.function, Attribute):
        return (call.function.base, *call.args)
    return call.args


def operand(call: Call, position: int) -> Expression | None:
    """The operand at a position, if there is one."""
    operands = operands_of(call)
    return operands[position] if position < len(operands) else None


def keyword(call: Call, name: str) -> Expression | None:
    """The keyword argument of that name, if there is one."""
    return next((k.value for k in call.keywords if k.name == name), None)
