"""LibCST expressions -> ``syntax`` expressions: one small method for each kind of node, found by its name."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable
from math import isinf

import libcst as cst

from roofscan.parse.reader.cst_positions import Positions
from roofscan.parse.syntax import (
    Attribute,
    Binary,
    Boolean,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Expression,
    Formatted,
    Keyword,
    Lambda,
    Literal,
    Name,
    Named,
    Other,
    Parameter,
    Sequence,
    Slice,
    Starred,
    Subscript,
    Unary,
)

OPERATORS = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%",
    "Power": "**", "MatrixMultiply": "@", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LeftShift": "<<",
    "RightShift": ">>", "Minus": "-", "Plus": "+", "BitInvert": "~", "Not": "not", "And": "and", "Or": "or",
    "LessThan": "<", "GreaterThan": ">", "LessThanEqual": "<=", "GreaterThanEqual": ">=", "Equal": "==",
    "NotEqual": "!=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not",
}  # fmt: skip
"""LibCST's operator classes; those of augmented assignments have ``Assign`` at the end of their name."""

CONSTANTS = {"True": True, "False": False, "None": None}

UNKNOWN_KINDS = {
    "SetComp": "a set comprehension",
    "DictComp": "a dict comprehension", "Await": "an await expression", "Yield": "a yield expression",
    "TemplatedString": "a template string",
}  # fmt: skip


class ExpressionConverter:
    """Converts the expressions of one parsed piece."""

    def __init__(self, places: Positions) -> None:
        self.place = places

    def expression(self, node: cst.CSTNode) -> Expression:
        kind = type(node).__name__
        method: Callable[[ExpressionConverter, cst.CSTNode], Expression] | None = _METHODS.get(kind)
        if method is None:
            return Other(self.place(node), UNKNOWN_KINDS.get(kind, f"a construct of kind {kind}"))
        return method(self, node)

    def optional(self, node: cst.CSTNode | None) -> Expression | None:
        return None if node is None else self.expression(node)

    def annotation(self, node: cst.Annotation | None) -> Expression | None:
        return None if node is None else self.expression(node.annotation)

    # -- names and literals -------------------------------------------------------------------
    def name(self, node: cst.Name) -> Expression:
        if node.value in CONSTANTS:
            return Literal(self.place(node), CONSTANTS[node.value])
        return Name(self.place(node), node.value)

    def ellipsis(self, node: cst.Ellipsis) -> Expression:
        return Literal(self.place(node), ...)

    def number(self, node: cst.Integer | cst.Float | cst.Imaginary) -> Expression:
        value = number(node.value)
        if value is None:
            return Other(self.place(node), "a number out of range")
        return Literal(self.place(node), value)

    def text(self, node: cst.SimpleString) -> Expression:
        return Literal(self.place(node), text_value(node.value))

    def formatted(self, node: cst.FormattedString) -> Expression:
        parts = (part.expression for part in node.parts if isinstance(part, cst.FormattedStringExpression))
        return Formatted(self.place(node), self.all(parts))

    def assigned(self, node: cst.NamedExpr) -> Expression:
        target = self.expression(node.target)
        assert isinstance(target, Name)
        return Named(self.place(node), target, self.expression(node.value))

    def concatenated(self, node: cst.ConcatenatedString) -> Expression:
        parts = [self.expression(part) for part in (node.left, node.right)]
        if any(isinstance(part, Formatted) for part in parts):
            inner = (p for part in parts if isinstance(part, Formatted) for p in part.parts)
            return Formatted(self.place(node), tuple(inner))
        values = [part.value if isinstance(part, Literal) else None for part in parts]
        left, right = values
        if isinstance(left, str) and isinstance(right, str):
            return Literal(self.place(node), left + right)
        if isinstance(left, bytes) and isinstance(right, bytes):
            return Literal(self.place(node), left + right)
        return Literal(self.place(node), None)

    # -- access -------------------------------------------------------------------------------
    def attribute(self, node: cst.Attribute) -> Expression:
        return Attribute(self.place(node), self.expression(node.value), node.attr.value)

    def subscript(self, node: cst.Subscript) -> Expression:
        items = tuple(self.subscript_item(element.slice) for element in node.slice)
        if len(items) == 1 and isinstance(items[0], Sequence) and items[0].kind == "tuple":
            items = items[0].items
        return Subscript(self.place(node), self.expression(node.value), items)

    def subscript_item(self, node: cst.BaseSlice) -> Expression:
        if isinstance(node, cst.Slice):
            parts = (self.optional(part) for part in (node.lower, node.upper, node.step))
            return Slice(self.place(node), *parts)
        assert isinstance(node, cst.Index)
        value = self.expression(node.value)
        return Starred(self.place(node), value) if node.star else value

    def call(self, node: cst.Call) -> Expression:
        args: list[Expression] = []
        keywords: list[Keyword] = []
        starred = False
        for arg in node.args:
            value = self.expression(arg.value)
            if arg.star == "*":
                starred = True
                args.append(Starred(self.place(arg), value))
            elif arg.star == "**":
                keywords.append(Keyword(None, value))
            elif arg.keyword is not None:
                keywords.append(Keyword(arg.keyword.value, value))
            else:
                args.append(value)
        return Call(self.place(node), self.expression(node.func), tuple(args), tuple(keywords), starred)

    # -- operators ----------------------------------------------------------------------------
    def binary(self, node: cst.BinaryOperation) -> Expression:
        left, right = self.expression(node.left), self.expression(node.right)
        return Binary(self.place(node), OPERATORS[type(node.operator).__name__], left, right)

    def boolean(self, node: cst.BooleanOperation) -> Expression:
        left, right = self.expression(node.left), self.expression(node.right)
        return Boolean(self.place(node), OPERATORS[type(node.operator).__name__], left, right)

    def unary(self, node: cst.UnaryOperation) -> Expression:
        operator = OPERATORS[type(node.operator).__name__]
        return Unary(self.place(node), operator, self.expression(node.expression))

    def comparison(self, node: cst.Comparison) -> Expression:
        operands = (node.left, *(target.comparator for target in node.comparisons))
        operators = tuple(OPERATORS[type(target.operator).__name__] for target in node.comparisons)
        return Compare(self.place(node), self.all(operands), operators)

    def conditional(self, node: cst.IfExp) -> Expression:
        parts = (self.expression(part) for part in (node.test, node.body, node.orelse))
        return Conditional(self.place(node), *parts)

    # -- displays -----------------------------------------------------------------------------
    def all(self, nodes: Iterable[cst.CSTNode]) -> tuple[Expression, ...]:
        return tuple(self.expression(node) for node in nodes)

    def display(self, node: cst.Tuple | cst.List | cst.Set) -> Expression:
        items = tuple(self.element(element) for element in node.elements)
        return Sequence(self.place(node), type(node).__name__.lower(), items)

    def element(self, node: cst.BaseElement) -> Expression:
        value = self.expression(node.value)
        return Starred(self.place(node), value) if isinstance(node, cst.StarredElement) else value

    def starred(self, node: cst.StarredElement) -> Expression:
        return Starred(self.place(node), self.expression(node.value))

    def dictionary(self, node: cst.Dict) -> Expression:
        parts: list[Expression] = []
        for element in node.elements:
            if not isinstance(element, cst.DictElement):
                return Other(self.place(node), "a dict display")
            parts += [self.expression(element.key), self.expression(element.value)]
        return Other(self.place(node), "a dict display", tuple(parts))

    def comprehension(self, node: cst.ListComp | cst.GeneratorExp) -> Expression:
        loop = node.for_in
        if loop.inner_for_in is not None or loop.asynchronous is not None:
            return Other(self.place(node), "a comprehension of several loops")
        kind = "list" if isinstance(node, cst.ListComp) else "generator"
        conditions = self.all(test.test for test in loop.ifs)
        element, target, iterable = self.all((node.elt, loop.target, loop.iter))
        return Comprehension(self.place(node), kind, element, target, iterable, conditions)

    # -- functions ----------------------------------------------------------------------------
    def function_literal(self, node: cst.Lambda) -> Expression:
        return Lambda(self.place(node), self.parameters(node.params), self.expression(node.body))

    def parameters(self, node: cst.Parameters) -> tuple[Parameter, ...]:
        """In the order of the source; the bare ``*`` and ``/`` marks are no parameters."""
        named = [("", p) for p in (*node.posonly_params, *node.params)]
        if isinstance(node.star_arg, cst.Param):
            named.append(("*", node.star_arg))
        named += [("", p) for p in node.kwonly_params]
        if node.star_kwarg is not None:
            named.append(("**", node.star_kwarg))
        return tuple(
            Parameter(p.name.value, self.annotation(p.annotation), self.optional(p.default), star) for star, p in named
        )


_METHODS: dict[str, Callable[..., Expression]] = {
    "Name": ExpressionConverter.name,
    "Ellipsis": ExpressionConverter.ellipsis,
    "Integer": ExpressionConverter.number,
    "Float": ExpressionConverter.number,
    "Imaginary": ExpressionConverter.number,
    "SimpleString": ExpressionConverter.text,
    "FormattedString": ExpressionConverter.formatted,
    "NamedExpr": ExpressionConverter.assigned,
    "ConcatenatedString": ExpressionConverter.concatenated,
    "Attribute": ExpressionConverter.attribute,
    "Subscript": ExpressionConverter.subscript,
    "Call": ExpressionConverter.call,
    "BinaryOperation": ExpressionConverter.binary,
    "BooleanOperation": ExpressionConverter.boolean,
    "UnaryOperation": ExpressionConverter.unary,
    "Comparison": ExpressionConverter.comparison,
    "IfExp": ExpressionConverter.conditional,
    "Tuple": ExpressionConverter.display,
    "List": ExpressionConverter.display,
    "Set": ExpressionConverter.display,
    "StarredElement": ExpressionConverter.starred,
    "Dict": ExpressionConverter.dictionary,
    "ListComp": ExpressionConverter.comprehension,
    "GeneratorExp": ExpressionConverter.comprehension,
    "Lambda": ExpressionConverter.function_literal,
}


def number(text: str) -> int | float | complex | None:
    """The value of a number token; None where it is too large to be a number of a kernel."""
    text = text.replace("_", "")
    try:
        if text[-1] in "jJ":
            return complex(0.0, float(text[:-1]))
        if text[:2].lower() in ("0x", "0o", "0b") or not set(text) & set(".eE"):
            return int(text, 0) if set(text) != {"0"} else 0
        value = float(text)
    except ValueError:  # more digits than Python converts
        return None
    return None if isinf(value) else value


def text_value(token: str) -> str | bytes | None:
    """The value of a text or bytes token; None where its escapes are malformed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes are not our business
            value = ast.literal_eval(token)
    except (ValueError, SyntaxError, MemoryError):
        return None
    return value if isinstance(value, (str, bytes)) else None
