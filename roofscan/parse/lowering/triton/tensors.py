"""The element types of the tensors that a host function makes: ``torch.empty(n, dtype=torch.float16)``, ``x.half()``,
``torch.empty_like(x)``, ``x.to(y.dtype)``."""

from __future__ import annotations

from typing import Protocol

from roofscan.ir.dtypes import BY_CODE, DType, lookup
from roofscan.parse.syntax import Attribute, Call, Conditional, Expression, Literal, Sequence, Subscript
from roofscan.parse.syntax_walk import dotted_path

OF_TORCH = {"float": "f4", "int": "i4", "short": "i2", "long": "i8", "char": "i1", "byte": "u1", "bfloat16": "bf2"}
"""PyTorch's names of types, and of the methods that convert to them, where NumPy's mean others."""
CONVERTS = frozenset((*OF_TORCH, "half", "double", "bool"))
MADE = frozenset(("empty", "zeros", "ones", "rand", "randn", "full", "linspace", "eye", "empty_strided"))
SHAPED = frozenset(("empty", "zeros", "ones", "rand", "randn", "full"))
COUNTED = frozenset(("randint", "randperm", "arange"))
LIKE = frozenset(("empty_like", "zeros_like", "ones_like", "full_like", "rand_like", "randn_like"))
KEPT = frozenset((
    "contiguous", "view", "reshape", "cuda", "cpu", "clone", "detach", "transpose", "t", "permute", "squeeze",
    "unsqueeze", "flatten", "expand", "requires_grad_", "normal_", "uniform_", "zero_", "fill_", "new_empty",
    "new_zeros", "new_ones", "new_full", "view_as", "reshape_as", "T", "mT", "data", "narrow", "index_select",
))  # fmt: skip
MAX_STEPS = 12


class HostNames(Protocol):
    """The function that a name stands in."""

    def value(self, node: Expression) -> tuple[Expression, HostNames]:
        """What a name was bound to, and where that stands: a parameter in a call of the function."""


def element_type(node: Expression, scope: HostNames, steps: int = MAX_STEPS) -> DType | None:
    """Of a tensor; None where the source does not tell."""
    if not steps:
        return None
    node, scope = scope.value(node)
    if isinstance(node, Conditional):
        then, other = (element_type(arm, scope, steps - 1) for arm in (node.then, node.orelse))
        return then if then == other else None
    if isinstance(node, Subscript):
        return element_type(node.base, scope, steps - 1)
    if isinstance(node, Attribute):
        return element_type(node.base, scope, steps - 1) if node.name in KEPT else None
    return _of_call(node, scope, steps - 1) if isinstance(node, Call) and isinstance(node.function, Attribute) else None


def extents(node: Expression, scope: HostNames) -> tuple[Expression, ...]:
    """Of a tensor that is made by ``torch.empty((m, n))`` or ``torch.empty(m, n)``; () of others."""
    made, _ = scope.value(node)
    if not isinstance(made, Call) or not isinstance(made.function, Attribute) or made.function.name not in SHAPED:
        return ()
    first = made.args[0] if made.args else None
    return first.items if isinstance(first, Sequence) else made.args if made.function.name != "full" else ()


def _of_call(call: Call, scope: HostNames, steps: int) -> DType | None:
    assert isinstance(call.function, Attribute)
    name, base = call.function.name, call.function.base
    told = next((k.value for k in call.keywords if k.name == "dtype"), None)
    if told is not None:
        return _named(told, scope, steps)
    if name in ("to", "type"):
        asked = next((found for arg in call.args if (found := _named(arg, scope, steps)) is not None), None)
        return asked or element_type(base, scope, steps)
    if name in MADE or name in COUNTED:
        numbers = [arg.value for arg in call.args if isinstance(arg, Literal)]
        is_float = name in MADE or any(isinstance(value, float) for value in numbers)
        return BY_CODE["f4" if is_float else "i8"]
    if name in LIKE and call.args:
        return element_type(call.args[0], scope, steps)
    if name in CONVERTS:
        return _of_name(name)
    return element_type(base, scope, steps) if name in KEPT else None


def _named(node: Expression, scope: HostNames, steps: int) -> DType | None:
    """``torch.float16``, ``x.dtype``."""
    node, scope = scope.value(node)
    if isinstance(node, Attribute) and node.name == "dtype":
        return element_type(node.base, scope, steps)
    dotted = dotted_path(node) or ""
    return _of_name(dotted.removeprefix("torch.")) if dotted.startswith("torch.") else None


def _of_name(name: str) -> DType | None:
    return lookup(OF_TORCH.get(name, name))
