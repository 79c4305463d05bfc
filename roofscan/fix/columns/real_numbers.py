"""Whether scalars that are taken for floating-point numbers are real: an array of float64 cannot hold complex ones, and
a sum that starts from 0.0 is complex where an argument is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from roofscan.fix.numbers import NUMPY, is_constant, numpy_name
from roofscan.fix.premises.type_sources import OF_SHAPE, typed_by, values_of
from roofscan.fix.source import SourceTree, children_of, code, loaded_names, nodes, only_assignment
from roofscan.ir.kernel import Kernel

_OF_REAL = ("min", "max", "abs", "float", "int", "round", "len", "bool", "range", "prange", "enumerate", "zip")
_ARITHMETIC = (cst.Add, cst.Subtract, cst.Multiply, cst.Divide)


class MayBeComplex(Exception):
    """Nothing says of a number that it is real."""


class RealNumbers:
    """What the scalars of one function rest on."""

    def __init__(self, kernel: Kernel, source: SourceTree, function: cst.FunctionDef) -> None:
        self._kernel, self._source, self._function = kernel, source, function

    def needed(self, scalars: Iterable[str], stores: Iterable[cst.BaseStatement]) -> set[str]:
        """The names from outside that must be real, so that scalars are; none of which the source as it is needs that,
        because it stores what comes of them in an array of real numbers. MayBeComplex where nothing tells."""
        found, seen, names = set[str](), set[str](), [*scalars]
        while names:
            name = names.pop()
            if name in seen:
                continue
            seen.add(name)
            values, array = values_of(self._function.body, name), self._kernel.array_named.get(name)
            if array is not None and array.dtype.kind == "complex":
                raise MayBeComplex
            if name in self._kernel.parameters or not (values or self._is_real_constant(name)):
                found.add(name)
            names += [name for value in values for name in self._names(value)]
        return found - {name for store in stores for name in self._stored_as_real(store)}

    def _is_real_constant(self, name: str) -> bool:
        lines = (s for s in self._source.module.body if isinstance(s, cst.SimpleStatementLine))
        values = [value for line in lines for value in values_of(line, name)]
        return len(values) == 1 and all(is_constant(v) or not (loaded_names(v) or _is_imaginary(v)) for v in values)

    def _names(self, node: cst.CSTNode) -> Iterator[str]:
        """The names that may make a value complex."""
        if isinstance(node, cst.Name):
            yield node.value
        elif isinstance(node, cst.Attribute):
            if node.attr.value not in OF_SHAPE and code(node.value) not in (*NUMPY, "math"):
                yield from self._names(node.value)
        elif isinstance(node, cst.Subscript):
            yield from self._names(node.value)
        elif isinstance(node, cst.Call):
            yield from self._names_in_call(node)
        elif isinstance(node, cst.Imaginary):
            raise MayBeComplex
        else:
            for child in children_of(node):
                yield from self._names(child)

    def _names_in_call(self, node: cst.Call) -> Iterator[str]:
        function = code(node.func)
        known = function in _OF_REAL or numpy_name(node) or function.startswith("math.")
        if "complex" in function or not (known or isinstance(node.func, cst.Attribute)):
            raise MayBeComplex
        for part in (*(arg.value for arg in node.args), *([] if known else [node.func])):
            yield from self._names(part)

    def _stored_as_real(self, statement: cst.BaseStatement) -> Iterator[str]:
        made = only_assignment(statement)
        target = made.targets[0].target if made else None
        array = self._kernel.array_named.get(code(target.value)) if isinstance(target, cst.Subscript) else None
        if made is None or array is None or array.record or array.dtype.kind == "complex":
            return
        if array.is_made and not typed_by(self._kernel, self._function, array.name):
            yield from self._in_arithmetic(made.value, set())

    def _in_arithmetic(self, node: cst.BaseExpression, seen: set[str]) -> Iterator[str]:
        """The parameters that make a value complex for certain."""
        if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, _ARITHMETIC):
            yield from self._in_arithmetic(node.left, seen)
            yield from self._in_arithmetic(node.right, seen)
        elif isinstance(node, cst.Subscript):
            yield code(node.value)
        elif isinstance(node, cst.Name) and node.value not in seen:
            seen.add(node.value)
            yield node.value
            for value in values_of(self._function.body, node.value):
                yield from self._in_arithmetic(value, seen)


def _is_imaginary(value: cst.CSTNode) -> bool:
    return any(isinstance(node, cst.Imaginary) for node in nodes(value))
