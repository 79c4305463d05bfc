"""Which names of a function are numbers, not arrays or views of them; functions from numbers to numbers."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.fix.linear import is_length
from roofscan.fix.source import code, loaded_names, loop_name, nodes, stored_names
from roofscan.ir.assumption import Assumption
from roofscan.ir.kernel import Kernel

NUMPY = ("np", "numpy")
SIMPLE = frozenset((
    "add", "subtract", "multiply", "negative", "square", "sqrt", "minimum", "maximum", "abs", "absolute", "fabs",
))  # fmt: skip
SPECIAL = frozenset((
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
    "arctan2", "sinh", "cosh", "tanh", "hypot",
))  # fmt: skip
"""Of NumPy, element by element, from floating-point numbers to such; Numba has each for one number too."""

_OF_TWO = ("add", "subtract", "multiply", "minimum", "maximum", "arctan2", "hypot")
_BUILT_IN = ("float", "int", "abs", "min", "max")
_REDUCTIONS = ("sum", "max", "min", "mean", "std", "var")
_SHAPE = ("shape", "size", "ndim")
_NUMBERS = (cst.Name, cst.Integer, cst.Float, cst.BinaryOperation)


class Numbers:
    """Which names of one function are numbers: those that it binds, and its parameters."""

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
            return len(args) == len(node.args) and self._is_call(node, args)
        return isinstance(node, cst.Attribute) and node.attr.value in _SHAPE

    def _is_element(self, node: cst.Subscript) -> bool:
        array = self._kernel.array_named.get(node.value.value) if isinstance(node.value, cst.Name) else None
        indices = [part.slice.value for part in node.slice if isinstance(part.slice, cst.Index)]
        return array is not None and len(indices) == len(array.shape) and all(map(self.is_number, indices))

    def _is_call(self, node: cst.Call, args: list[cst.BaseExpression]) -> bool:
        if isinstance(node.func, cst.Name) and node.func.value == "range":
            return True
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in _REDUCTIONS:
            if isinstance(node.func.value, cst.Name) and node.func.value.value in self._kernel.array_named:
                return not args
            return len(args) == 1 and code(node.func.value) in NUMPY
        known = function_name(node) or code(node.func) in _BUILT_IN or code(node.func).startswith("math.")
        return bool(known) and all(map(self.is_number, args))

    def are_given_by(self, statement: cst.SimpleStatementLine) -> bool:
        """Whether a statement gives names numbers that are theirs for good."""
        names, small = stored_names(statement), statement.body[0]
        once = not names & {*self._kernel.parameters} and names <= self.names
        return isinstance(small, cst.Assign) and len(statement.body) == 1 and bool(names) and once

    def given(self, *parts: cst.CSTNode) -> list[str]:
        """The parameters that are taken for numbers, on which some expressions rest; not those of loops alone."""
        found, new = set[str](), {name for part in parts for name in _names(part)}
        while new := (new & self.names) - found:
            found |= new
            new = {name for one in new for value in self._bound.get(one, ()) for name in _names(value)}
        return [name for name in self._kernel.parameters if name in found]


def doubtful(kernel: Kernel) -> set[str]:
    """The parameters that are taken for numbers, or for arrays, where nothing tells. A plain function may be given
    either for one that its expressions alone take for a number."""
    untold = set[str]() if kernel.decorator.compiled else {*kernel.default_scalars}
    return untold | {text.subject for text in kernel.readings if isinstance(text, Assumption)}


def _names(node: cst.CSTNode) -> set[str]:
    is_range = isinstance(node, cst.Call) and code(node.func) in ("range", "prange")
    return set() if is_range else loaded_names(node)


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
            targets = (t.target for t in node.targets if not isinstance(t.target, cst.Subscript))
            yield from (pair for target in targets for pair in _one_by_one(target, node.value))
        elif isinstance(node, cst.AugAssign) and isinstance(node.target, cst.Name):
            yield node.target, node.value
        elif isinstance(node, cst.For):
            yield node.target, node.iter if loop_name(node) else cst.Ellipsis()
        elif isinstance(node, (cst.NamedExpr, cst.CompFor, cst.AnnAssign)):
            yield node.target, cst.Ellipsis()


def _one_by_one(target: cst.CSTNode, value: cst.BaseExpression) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression]]:
    """The parts of ``least, most = x.min(), x.max()``."""
    if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple) and len(target.elements) == len(value.elements):
        yield from ((t.value, v.value) for t, v in zip(target.elements, value.elements, strict=True))
    else:
        yield target, value


def is_alike(node: cst.CSTNode) -> bool:
    """Whether Numba computes a number as Python does; its integers have 64 bits, and its `math` never raises."""
    if isinstance(node, cst.Integer):
        return node.evaluated_value < 2**31
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, (cst.Add, cst.Subtract, cst.Multiply, cst.Divide))
    return not isinstance(node, cst.Call) or not code(node.func).startswith(("int", "math."))


def is_arithmetic(node: cst.BaseExpression, operators: tuple[type[cst.BaseBinaryOp], ...]) -> bool:
    """Whether it is made of names and literals by these operators alone."""
    parts = [part for part in nodes(node) if isinstance(part, cst.BaseExpression)]
    made = (part.operator for part in parts if isinstance(part, cst.BinaryOperation))
    return all(isinstance(part, _NUMBERS) for part in parts) and all(isinstance(each, operators) for each in made)


def is_constant(node: cst.BaseExpression) -> bool:
    """``np.pi``"""
    return isinstance(node, cst.Attribute) and node.attr.value in ("pi", "e") and code(node.value) in (*NUMPY, "math")


def numpy_name(node: cst.Call) -> str:
    """``where`` of ``np.where``; "" of a function that is not NumPy's own."""
    return node.func.attr.value if isinstance(node.func, cst.Attribute) and code(node.func.value) in NUMPY else ""


def function_name(node: cst.Call) -> str:
    """``exp`` of ``np.exp(…)`` of one number or array; "" of any other call."""
    name = numpy_name(node)
    plain = not any(arg.keyword or arg.star for arg in node.args)
    return name if name in SIMPLE | SPECIAL and plain and len(node.args) == 1 + (name in _OF_TWO) else ""
