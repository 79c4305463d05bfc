"""Which names of a function are numbers, not arrays or views of them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.linear import is_length
from roofscan.fix.source import loop_name, nodes
from roofscan.ir.kernel import Kernel

FUNCTIONS = frozenset(("float", "int", "abs", "min", "max"))
REDUCTIONS = frozenset(("sum", "max", "min", "mean"))
MODULES = ("np", "numpy", "math")


class Numbers:
    """Of the names that a function binds, and of its parameters."""

    def __init__(self, kernel: Kernel, function: cst.FunctionDef) -> None:
        self._kernel = kernel
        self._bound = {name: list(values) for name, values in _bindings(function).items()}
        self.names = {*kernel.parameters, *self._bound} - {*kernel.array_named}
        while unsure := {name for name in self.names if not all(map(self.is_number, self._bound.get(name, ())))}:
            self.names -= unsure

    def is_number(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Name):
            return node.value in self.names
        if isinstance(node, (cst.Integer, cst.Float)) or is_constant(node) or is_length(node):
            return True
        if isinstance(node, cst.UnaryOperation):
            return self.is_number(node.expression)
        if isinstance(node, cst.BinaryOperation):
            return self.is_number(node.left) and self.is_number(node.right)
        if isinstance(node, cst.Subscript):
            return self._is_element(node)
        if isinstance(node, cst.Call):
            args = [arg.value for arg in node.args if not arg.keyword and not arg.star]
            return len(args) == len(node.args) and self._is_call(node.func, args)
        return isinstance(node, cst.Attribute) and node.attr.value == "shape"

    def _is_element(self, node: cst.Subscript) -> bool:
        array = self._kernel.array_named.get(node.value.value) if isinstance(node.value, cst.Name) else None
        indices = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
        return array is not None and len(indices) == len(array.shape) and all(map(self.is_number, indices))

    def _is_call(self, function: cst.BaseExpression, args: list[cst.BaseExpression]) -> bool:
        if isinstance(function, cst.Name):
            return function.value == "range" or (function.value in FUNCTIONS and all(map(self.is_number, args)))
        if not isinstance(function, cst.Attribute) or not isinstance(function.value, cst.Name):
            return False
        known = function.value.value in MODULES
        return known and (all(map(self.is_number, args)) or (function.attr.value in REDUCTIONS and len(args) == 1))


def _bindings(function: cst.FunctionDef) -> dict[str, list[cst.BaseExpression]]:
    """The values that a function gives its names; of a loop, what it runs over."""
    found: dict[str, list[cst.BaseExpression]] = {}
    for target, value in _pairs(function):
        for name in (n for n in nodes(target) if isinstance(n, cst.Name)):
            found.setdefault(name.value, []).append(value)
    return found


def _pairs(function: cst.FunctionDef) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
    for node in nodes(function.body):
        if isinstance(node, cst.Assign):
            yield from ((t.target, node.value) for t in node.targets if not isinstance(t.target, cst.Subscript))
        elif isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
            yield node.target, node.value
        elif isinstance(node, cst.For):
            yield node.target, node.iter if loop_name(node) else cst.Ellipsis()
        elif isinstance(node, (cst.NamedExpr, cst.CompFor, cst.AnnAssign)):
            yield node.target, cst.Ellipsis()


def is_constant(node: cst.BaseExpression) -> bool:
    """``np.pi``"""
    if not isinstance(node, cst.Attribute) or not isinstance(node.value, cst.Name):
        return False
    return node.value.value in MODULES and node.attr.value in ("pi", "e")
