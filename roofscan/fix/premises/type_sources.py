"""What the element type of an array that a function makes comes from: ``np.zeros_like(A)`` has that of A."""

from __future__ import annotations

import libcst as cst

from roofscan.fix.source import code, loaded_names, nodes, stored_names
from roofscan.ir.kernel import Kernel

_BY_SHAPE = ("zeros", "ones", "empty")
OF_SHAPE = ("shape", "size", "ndim")


def typed_by(kernel: Kernel, function: cst.FunctionDef, name: str) -> set[str]:
    """The parameters whose types decide that of an array: itself, if it is one."""
    found, new = set[str](), {name}
    while new:
        found |= new
        values = (v for one in new for v in values_of(function.body, one))
        new = {n for value in values for n in _typing_names(value)} - found
    return found & {*kernel.parameters}


def values_of(where: cst.CSTNode, name: str) -> list[cst.BaseExpression]:
    """What some statements give a name: of ``a, b = t`` all of t, of a loop what it runs over."""
    return [value for node in nodes(where) if (value := _given(node, name)) is not None]


def _given(node: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    if isinstance(node, (cst.For, cst.CompFor)):
        return node.iter if name in loaded_names(node.target) else None
    if isinstance(node, (cst.Assign, cst.AugAssign, cst.AnnAssign, cst.NamedExpr)):
        return node.value if name in stored_names(node) else None
    return None


def _typing_names(value: cst.BaseExpression) -> set[str]:
    """The names in what may decide the type of a value: not those in shapes and subscripts."""
    if isinstance(value, cst.Attribute) and value.attr.value in OF_SHAPE:
        return set()
    if isinstance(value, cst.Subscript):
        return _typing_names(value.value)
    parts = value.children
    if isinstance(value, cst.Call) and code(value.func).rpartition(".")[2] in _BY_SHAPE:
        parts = [arg for number, arg in enumerate(value.args) if (number or arg.keyword) and not _is_shape(arg)]
    own = {value.value} if isinstance(value, cst.Name) else set()
    return own.union(*(_typing_names(part) for part in parts))  # type: ignore[arg-type]


def _is_shape(arg: cst.Arg) -> bool:
    return arg.keyword is not None and arg.keyword.value == "shape"
