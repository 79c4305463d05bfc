"""Whether the scalars of a compiled function are floating-point numbers of double precision, or 64-bit integers."""

from __future__ import annotations

from functools import reduce
from typing import Literal

import libcst as cst

from roofscan.fix.linear import is_length
from roofscan.fix.numbers import function_name, is_constant
from roofscan.fix.source import code, loaded_names, nodes, stored_names
from roofscan.ir.kernel import Kernel

Type = Literal["float", "int"]
Found = Literal["float", "int", "small", "unknown", "open"]  # open: what a name is being asked for

# A sum of int64 and a small integer is int64, but a difference of two numbers of uint8 is uint64.
_KINDS: dict[str, Found] = {
    "f8": "float", "i8": "int", "i4": "int", "i2": "small", "i1": "small", "u4": "small", "u2": "small", "u1": "small",
}  # fmt: skip
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply)
_ADDING = (cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign)


class NumberTypes:
    """The types of names by what the function gives them. A value whose type rests on that of an array adds the array
    to ``rests_on``."""

    def __init__(self, kernel: Kernel, function: cst.FunctionDef) -> None:
        self._arrays = kernel.array_named
        self._values: dict[str, list[cst.BaseExpression]] = {}
        self._loops: set[str] = set()
        self._opaque = {*kernel.parameters}
        self._floats = _with_float_defaults(function) - {*self._arrays}
        for node in nodes(function.body):
            self._bind(node)
        self._taken: dict[str, Found] = {}  # of the names that are being asked for
        self.rests_on: set[str] = set()
        self.taken_for_floats: set[str] = set()  # parameters, by their defaults

    def _bind(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.For):
            is_range = isinstance(node.iter, cst.Call) and code(node.iter.func) in ("range", "prange")
            (self._loops if is_range else self._opaque).update(loaded_names(node.target))
        elif isinstance(node, (cst.AnnAssign, cst.NamedExpr, cst.AsName)):
            self._opaque |= stored_names(node)
        elif isinstance(node, cst.Assign):
            for target in node.targets:
                if isinstance(target.target, cst.Name):
                    self._values.setdefault(target.target.value, []).append(node.value)
                elif extents := _extents(target.target, node.value):
                    for bound, extent in extents.items():
                        self._values.setdefault(bound, []).append(extent)
                else:
                    self._opaque |= {n.value for n in _bound(target.target)}
        elif isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
            name = node.target
            if isinstance(node.operator, _ADDING):
                self._values.setdefault(name.value, []).append(cst.BinaryOperation(name, cst.Add(), node.value))
            elif isinstance(node.operator, cst.DivideAssign):
                self._values.setdefault(name.value, []).append(cst.BinaryOperation(name, cst.Divide(), node.value))
            else:
                self._opaque.add(name.value)

    def of_name(self, name: str) -> Type | None:
        """None where it is not known. What starts from an integer literal and goes on as a float is a float."""
        found = self._of_name(name)
        return found if found in ("float", "int") else None

    def _of_name(self, name: str) -> Found:
        if name in self._taken:
            return self._taken[name]
        values = self._values.get(name, [])
        if name in self._loops:
            return "unknown" if values or name in self._opaque else "int"
        if name in self._floats and not values:
            self.taken_for_floats.add(name)
            return "float"
        if name in self._opaque or not values:
            return "unknown"
        self._taken[name] = "open"
        known = {*self.rests_on}
        found = {self._of(value) for value in values} - {"open"}
        kind: Found = "float" if "float" in found else found.pop() if len(found) == 1 else "unknown"
        if kind == "float" and any(isinstance(value, cst.Float) for value in values):
            self.rests_on = known
        self._taken[name] = kind
        holds = all(self._of(value) == kind or (kind == "float" and _is_integer(value)) for value in values)
        del self._taken[name]
        return kind if holds else "unknown"

    def _of(self, node: cst.BaseExpression) -> Found:
        if isinstance(node, cst.Float) or is_constant(node) or _is_no_number(node):
            return "float"
        if isinstance(node, cst.Integer) or is_length(node):
            return "int"
        if isinstance(node, cst.Name):
            return self._of_name(node.value)
        if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
            return self._of(node.expression)
        if isinstance(node, cst.BinaryOperation):
            return self._of_operation(node)
        if isinstance(node, cst.IfExp):
            return _joined(self._of(node.body), self._of(node.orelse))
        if isinstance(node, cst.Call):
            return self._of_call(node)
        return self._of_element(node)

    def _of_operation(self, node: cst.BinaryOperation) -> Found:
        left = self._of(node.left)
        right = self._of(node.right) if left != "float" else left
        is_quotient = isinstance(node.operator, cst.Divide)
        if isinstance(node.operator, _ARITHMETIC) or is_quotient or isinstance(node.operator, cst.Power):
            if "float" in (left, right):
                return "float"  # whatever number the other is: a complex one Numba refuses to store
        if is_quotient and (left, right) == ("int", "int"):
            return "float"
        if {left, right} in ({"int", "small"}, {"open", "small"}):
            return "int" if "int" in (left, right) else "open"
        is_known = isinstance(node.operator, _ARITHMETIC) and (left, right) != ("small", "small")
        return _joined(left, right) if is_known else "unknown"

    def _of_call(self, node: cst.Call) -> Found:
        parts = [self._of(arg.value) for arg in node.args]
        name = code(node.func)
        if any(arg.keyword or arg.star for arg in node.args) or not parts:
            return "unknown"
        if function_name(node) or name.startswith("math."):
            return "float" if "float" in parts else "unknown"
        return reduce(_joined, parts) if name in ("min", "max", "abs") else "unknown"

    def _of_element(self, node: cst.BaseExpression) -> Found:
        array = self._arrays.get(node.value.value) if _is_subscript(node) else None  # type: ignore[attr-defined]
        if array is None or array.record or not isinstance(node, cst.Subscript) or len(node.slice) < len(array.shape):
            return "unknown"
        if any(not isinstance(part.slice, cst.Index) for part in node.slice):
            return "unknown"
        self.rests_on.add(array.name)
        return _KINDS.get(array.dtype.code, "unknown")


def _with_float_defaults(function: cst.FunctionDef) -> set[str]:
    """``start=1.0``"""
    every = (*function.params.params, *function.params.kwonly_params)
    return {param.name.value for param in every if isinstance(param.default, cst.Float)}


def _joined(one: Found, other: Found) -> Found:
    if "open" in (one, other):
        return other if one == "open" else one
    return one if one == other else "unknown"


def _is_integer(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Integer)


def _bound(target: cst.BaseExpression) -> list[cst.Name]:
    return [] if isinstance(target, cst.Subscript) else [n for n in nodes(target) if isinstance(n, cst.Name)]


def _extents(target: cst.BaseExpression, value: cst.BaseExpression) -> dict[str, cst.BaseExpression]:
    """The names in ``n, m = x.shape``."""
    elements = [e.value for e in target.elements] if isinstance(target, cst.Tuple) else []
    is_shape = isinstance(value, cst.Attribute) and value.attr.value == "shape"
    names = [e.value for e in elements if isinstance(e, cst.Name)]
    if not is_shape or len(names) < len(elements):
        return {}
    return {name: cst.parse_expression(f"{code(value)}[{axis}]") for axis, name in enumerate(names)}


def _is_subscript(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Subscript) and isinstance(node.value, cst.Name)


def _is_no_number(node: cst.BaseExpression) -> bool:
    """``np.inf``"""
    return isinstance(node, cst.Attribute) and node.attr.value in ("inf", "nan") and isinstance(node.value, cst.Name)
