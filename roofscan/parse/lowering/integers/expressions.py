"""Expressions of integers, read in order: the operations that they count are those of ``arithmetic``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from roofscan.ir.dtypes import B1, F8, I8, lookup
from roofscan.ir.tree import Loop
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.parameter_tests import outcome, parameters_tested
from roofscan.parse.lowering.integers.arithmetic import IntegerArithmetic
from roofscan.parse.lowering.integers.part import (
    FLOATING,
    IntegerPart,
    PathLatency,
    bounds_of,
    common_operation,
    fits,
    longest,
    may_wrap,
    of_number,
    onwards,
)
from roofscan.parse.lowering.values import DTypeValue, FunctionRef, Scalar, Value, View
from roofscan.parse.syntax_walk import dotted_path, walk_all
from roofscan.parse.unparse import unparse
from roofscan.symbolic.expr import Expr

TEST = 2  # cycles of Numba's test of a subscript for a negative value
MOST_CALLS = 3  # functions that call one another


class IntegerExpressions(IntegerArithmetic):
    """Reads expressions of an iteration of a loop in order: names, elements and calls."""

    def __init__(self, cx: Context, loop: Loop) -> None:
        super().__init__()
        self.cx, self.loop = cx, loop
        self.views: list[Mapping[str, Value]] = []  # arrays that functions were called with
        self.result = FLOATING  # of such a function
        self.unknown = ""  # a function that was not read
        self.reads: Counter[str] = Counter()
        self.chain_shares: dict[str, Expr] = {}  # of elements that one place holds, where a branch is around
        self.names: dict[str, IntegerPart] = {}
        self.stored: Mapping[str, tuple[syntax.Expression, ...]] = {}  # subscripts, by array

    def block(self, statements: Iterable[syntax.Statement]) -> None:
        raise NotImplementedError

    def value(self, node: syntax.Expression) -> IntegerPart:
        if isinstance(node, syntax.Name):
            return self._name(node)
        if isinstance(node, syntax.Literal):
            return of_number(node.value)
        if isinstance(node, syntax.Subscript):
            return self._element(node)
        if isinstance(node, syntax.Binary):
            return self._binary(node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, syntax.Unary):
            return self._unary(node)
        if isinstance(node, syntax.Compare):
            return self._compare(node)
        if isinstance(node, syntax.Boolean):
            return self._of_two("plain", self.value(node.left), self.value(node.right), B1)
        if isinstance(node, syntax.Conditional):
            test = self._met(self.value(node.test))
            one, other = self.value(node.then), self.value(node.orelse)
            return self._selected(test, one, other, True) if test.open else replace(one, open=True)
        if isinstance(node, syntax.Call):
            return self._call(node)
        return FLOATING

    def _name(self, node: syntax.Name) -> IntegerPart:
        name = node.id
        if name in self.names:
            return self._read(self.names[name])
        value = self._known(node)
        if not isinstance(value, Scalar) or not value.is_integer:
            return FLOATING
        number = value.number if value.number is not None else value.expr and value.expr.constant
        if isinstance(number, (int, Fraction)) and number == int(number):
            return of_number(int(number))
        return IntegerPart(value.dtype)

    def _known(self, node: syntax.Expression) -> Value | None:
        """What lowering knows of a name: in a function that is called, of its parameters and of its module."""
        name = dotted_path(node) or ""
        if self.views and name in self.views[-1]:
            return self.views[-1][name]
        if name in self.cx.frame.names:
            return self.cx.frame.names[name]
        return self.cx.eval(node) if isinstance(node, syntax.Name) else None

    def _read(self, part: IntegerPart) -> IntegerPart:
        self.reads.update(part.paths.keys())
        return replace(part, used=part.used + 1) if part.paths else part

    def _array(self, node: syntax.Subscript) -> View | None:
        """The array of an element."""
        value = self._known(node.base)
        return value if isinstance(value, View) and value.ndim == len(node.items) else None

    def _element(self, node: syntax.Subscript) -> IntegerPart:
        array, path = self._array(node), dotted_path(node.base)
        indices = [self._subscript(item) for item in node.items]
        if array is None or array.dtype.kind not in ("int", "bool"):
            return IntegerPart(array.dtype if array else F8, paths=self._loaded(indices), reducing=None)
        texts = tuple(map(unparse, node.items))
        if f"{path}={texts}" in self.names:
            return self._read(self.names[f"{path}={texts}"])
        bounds = bounds_of(array.dtype)
        paths = self._loaded(indices)
        reducing = None if paths else ""
        distance = self._iteration_distance(path or "", node.items)
        if distance is not None:
            name = f"{path}@{distance}"
            self.reads[name] += 1
            self.names.setdefault(name, IntegerPart(array.dtype, open=True))
            paths = longest(paths, {name: {"memory": 1} if distance == 0 else {}})
            if distance == 0:
                self.chain_shares[name] = self.shares[-1]
        fresh, used = distance is None, int(distance is not None)
        return IntegerPart(array.dtype, True, bounds, paths, (), (), fresh, None, array.dtype.size, 0, used, reducing)

    def _loaded(self, indices: Iterable[IntegerPart]) -> Mapping[str, PathLatency]:
        return longest(*(onwards(onwards(p.paths, "load"), "plain", TEST * may_wrap(p)) for p in indices))

    def _iteration_distance(self, array: str, items: tuple[syntax.Expression, ...]) -> int | None:
        """How many iterations before this one stored the element; 0: each stores this one."""
        target, variable = self.stored.get(array), self.loop.name
        if target is None or len(target) != len(items):
            return None
        apart = [(a, b) for a, b in zip(target, items, strict=True) if unparse(a) != unparse(b)]
        if not apart:
            return 0 if _names_in(items).isdisjoint((variable, *self.names)) else None
        if len(apart) != 1 or (self.loop.step.constant or 0) < 0:
            return None
        places = [_offset(item, variable) for item in apart[0]]
        if places[0] is None or places[1] is None or places[0] <= places[1]:
            return None
        return places[0] - places[1]

    def _subscript(self, node: syntax.Expression) -> IntegerPart:
        """Arithmetic on counters there is the address'."""
        part = self.value(node)
        return self._met(part) if part.open else part

    def _unary(self, node: syntax.Unary) -> IntegerPart:
        part = self.value(node.operand)
        if not part.is_integer or not part.open:
            return replace(part, number=None if part.number is None else -part.number, bounds=None)
        dtype = B1 if node.op == "not" else part.dtype
        bounds = (-part.bounds[1], -part.bounds[0]) if node.op == "-" and part.bounds else None
        self._count("plain", IntegerPart(dtype, bounds=bounds).size)
        return IntegerPart(dtype, True, bounds, onwards(part.paths), held=part.held, used=part.used, reducing=None)

    def _compare(self, node: syntax.Compare) -> IntegerPart:
        if compares_text(node):
            if self._is_passed(node):
                self._count("text", 8)
            return IntegerPart(B1)
        parts = [self.value(operand) for operand in node.operands]
        if not any(part.open or not part.is_integer for part in parts):
            return IntegerPart(B1)
        paths: Mapping[str, PathLatency] = {}
        for left, right in pairwise(parts):
            if left.is_integer and right.is_integer and (left.open or right.open):
                self._met(left), self._met(right)
                self._count("compare", self._compared(left, right))
            paths = longest(paths, onwards(left.paths), onwards(right.paths))
        tested = max(part.size if part.is_integer else part.dtype.size for part in parts)
        used = sum(part.used for part in parts)
        return IntegerPart(B1, True, (0, 1), paths, tested=tested, used=used, reducing=common_operation(*parts))

    def _is_passed(self, node: syntax.Compare) -> bool:
        """Whether a call gives the text that is compared; defaults that it leaves out are constants for Numba."""
        if not _names_in(node.operands).isdisjoint(self.cx.facts.names):
            return True
        return bool(parameters_tested(self.cx, node)) and outcome(self.cx, node) is None

    def _call(self, node: syntax.Call) -> IntegerPart:
        name = (dotted_path(node.function) or "").rpartition(".")[2]
        called = self._known(node.function) if isinstance(node.function, syntax.Name) else None
        if isinstance(called, FunctionRef) and isinstance(called.function, syntax.Function):
            return self._called(called.function, node)
        parts = [self.value(argument) for argument in node.args]
        if name in ("min", "max", "minimum", "maximum") and len(parts) > 1:
            return self._extremum("min" if name.startswith("min") else "max", parts)
        if name in ("abs", "absolute") and len(parts) == 1:
            [part] = parts
            if not part.is_integer or not part.open:
                return part
            narrow = (*part.narrow, self._count("abs", part.size))
            self.needed_in_full.update(narrow)
            bounds = part.bounds and (0, max(map(abs, part.bounds)))
            paths = onwards(part.paths, "plain", 2)
            return IntegerPart(part.dtype, True, bounds, paths, narrow, held=part.held, used=part.used, reducing=None)
        dtype = I8 if name in ("int", "len") else B1 if name == "bool" else lookup(name)
        given = self.cx.frame.names.get(name)
        dtype = given.dtype if isinstance(given, DTypeValue) else dtype
        if dtype is None or len(parts) != 1 or dtype.kind not in ("int", "bool"):
            return FLOATING
        [part] = parts
        if not part.is_integer:
            return IntegerPart(dtype, open=True)
        is_kept = part.bounds is not None and fits(*part.bounds, dtype.size)
        return replace(part, dtype=dtype, bounds=part.bounds if is_kept else None)

    def _called(self, function: syntax.Function, node: syntax.Call) -> IntegerPart:
        """The result of a function of the source, which the compiler inlines."""
        if len(self.views) >= MOST_CALLS or node.keywords or node.starred:
            self.unknown = function.name
            return FLOATING
        names = [parameter.name for parameter in function.parameters]
        values = {n: self._known(a) for n, a in zip(names, node.args, strict=False) if isinstance(a, syntax.Name)}
        views = {n: value for n, value in values.items() if isinstance(value, View)}
        parts = {n: self.value(a) for n, a in zip(names, node.args, strict=False) if n not in views}
        outside, self.names = self.names, parts
        self.views.append(views)
        self.result = FLOATING
        self.block(function.body)
        self.views.pop()
        self.names = outside
        return self.result


def compares_text(node: object) -> bool:
    """``how == "sum"``"""
    operands = node.operands if isinstance(node, syntax.Compare) else ()
    return any(isinstance(o, syntax.Literal) and isinstance(o.value, str) for o in operands)


def _names_in(items: tuple[syntax.Expression, ...]) -> set[str]:
    return {node.id for node in walk_all(items) if isinstance(node, syntax.Name)}


def _offset(node: syntax.Expression, variable: str) -> int | None:
    """``k`` of ``variable + k``; None for any other form."""
    if isinstance(node, syntax.Name):
        return 0 if node.id == variable else None
    if not isinstance(node, syntax.Binary) or not isinstance(node.left, syntax.Name) or node.left.id != variable:
        return None
    number = node.right.value if isinstance(node.right, syntax.Literal) else None
    if not isinstance(number, int) or node.op not in ("+", "-"):
        return None
    return number if node.op == "+" else -number
