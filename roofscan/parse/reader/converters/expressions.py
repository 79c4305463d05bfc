"""LibCST expressions -> ``syntax`` expressions: a method for each kind of node, which takes the node's tokens from the
cursor in the order of the source."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from roofscan.parse import syntax
from roofscan.parse.reader.converters.literals import COMPREHENSIONS, DISPLAYS, DisplayConverter, LiteralConverter

OPERATORS = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%",
    "Power": "**", "MatrixMultiply": "@", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LeftShift": "<<",
    "RightShift": ">>", "Minus": "-", "Plus": "+", "BitInvert": "~", "Not": "not", "And": "and", "Or": "or",
    "LessThan": "<", "GreaterThan": ">", "LessThanEqual": "<=", "GreaterThanEqual": ">=", "Equal": "==",
    "NotEqual": "!=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not",
}  # fmt: skip
"""LibCST's operator classes; those of augmented assignments have ``Assign`` at the end of their name."""


class ExpressionConverter(LiteralConverter, DisplayConverter):
    def named(self, node: cst.NamedExpr, start: int) -> syntax.Expression:
        target = self.expression(node.target)
        assert isinstance(target, syntax.Name)
        return self.at(start, syntax.Named, target, self.after(":=", node.value))

    # -- access -------------------------------------------------------------------------------
    def attribute(self, node: cst.Attribute, start: int) -> syntax.Expression:
        base = self.expression(node.value)
        self.take(".")
        return self.at(start, syntax.Attribute, base, self.identifier(node.attr))

    def subscript(self, node: cst.Subscript, start: int) -> syntax.Expression:
        base = self.expression(node.value)
        self.take("[")
        items = tuple(self.listed(node.slice, self.subscript_item))
        self.take("]")
        if len(items) == 1 and isinstance(items[0], syntax.Sequence) and items[0].kind == "tuple":
            items = items[0].items
        return self.at(start, syntax.Subscript, base, items)

    def subscript_item(self, element: cst.SubscriptElement) -> syntax.Expression:
        node, start = element.slice, self.cursor.start()
        if isinstance(node, cst.Slice):
            lower = self.optional(node.lower)
            self.take(":")
            upper = self.optional(node.upper)
            if isinstance(node.second_colon, cst.Colon):
                self.take(":")
            return self.at(start, syntax.Slice, lower, upper, self.optional(node.step))
        assert isinstance(node, cst.Index)
        return self.starred(node, start) if node.star else self.expression(node.value)

    def starred(self, node: cst.StarredElement | cst.Index | cst.Arg, start: int) -> syntax.Expression:
        return self.at(start, syntax.Starred, self.after("*", node.value))

    def call(self, node: cst.Call, start: int) -> syntax.Expression:
        function = self.expression(node.func)
        self.take("(")
        args, keywords = self.arguments(node.args)
        self.take(")")
        starred = any(isinstance(arg, syntax.Starred) for arg in args)
        return self.at(start, syntax.Call, function, args, keywords, starred)

    def arguments(self, nodes: Iterable[cst.Arg]) -> tuple[tuple[syntax.Expression, ...], tuple[syntax.Keyword, ...]]:
        items = self.listed(nodes, self.argument)
        args = tuple([item for item in items if not isinstance(item, syntax.Keyword)])
        return args, tuple([item for item in items if isinstance(item, syntax.Keyword)])

    def argument(self, node: cst.Arg) -> syntax.Expression | syntax.Keyword:
        if node.star == "*":
            return self.starred(node, self.cursor.start())
        if node.star == "**":
            return syntax.Keyword(None, self.after("**", node.value))
        if node.keyword is not None:
            return syntax.Keyword(self.identifier(node.keyword), self.after("=", node.value))
        return self.expression(node.value)

    # -- operators ----------------------------------------------------------------------------
    def binary(self, node: cst.BinaryOperation, start: int) -> syntax.Expression:
        left = self.expression(node.left)
        operator = self.operator(node.operator)
        return self.at(start, syntax.Binary, operator, left, self.expression(node.right))

    def boolean(self, node: cst.BooleanOperation, start: int) -> syntax.Expression:
        left = self.expression(node.left)
        operator: syntax.BooleanOperator = "and" if self.operator(node.operator) == "and" else "or"
        return self.at(start, syntax.Boolean, operator, left, self.expression(node.right))

    def unary(self, node: cst.UnaryOperation, start: int) -> syntax.Expression:
        return self.at(start, syntax.Unary, self.operator(node.operator), self.expression(node.expression))

    def operator(self, node: cst.CSTNode) -> str:
        operator = OPERATORS[type(node).__name__]
        for word in operator.split():
            self.take(word)
        return operator

    def comparison(self, node: cst.Comparison, start: int) -> syntax.Expression:
        operands, operators = [self.expression(node.left)], []
        for target in node.comparisons:
            operators.append(self.operator(target.operator))
            operands.append(self.expression(target.comparator))
        return self.at(start, syntax.Compare, tuple(operands), tuple(operators))

    def conditional(self, node: cst.IfExp, start: int) -> syntax.Expression:
        then, test = self.expression(node.body), self.after("if", node.test)
        return self.at(start, syntax.Conditional, test, then, self.after("else", node.orelse))

    def awaited(self, node: cst.Await, start: int) -> syntax.Expression:
        self.after("await", node.expression)
        return self.at(start, syntax.Other, "an await expression")

    def yielded(self, node: cst.Yield, start: int) -> syntax.Expression:
        self.take("yield")
        if isinstance(node.value, cst.From):
            self.after("from", node.value.item)
        else:
            self.optional(node.value)
        return self.at(start, syntax.Other, "a yield expression")

    # -- functions ----------------------------------------------------------------------------
    def function_literal(self, node: cst.Lambda, start: int) -> syntax.Expression:
        self.take("lambda")
        return self.at(start, syntax.Lambda, self.parameters(node.params), self.after(":", node.body))

    def parameters(self, node: cst.Parameters) -> tuple[syntax.Parameter, ...]:
        """In the order of the source; the bare ``*`` and ``/`` marks are no parameters."""
        nodes = (
            *node.posonly_params, node.posonly_ind, *node.params, node.star_arg, *node.kwonly_params, node.star_kwarg,
        )  # fmt: skip
        written = [each for each in nodes if isinstance(each, (cst.Param, cst.ParamSlash, cst.ParamStar))]
        return tuple([p for p in self.listed(written, self.parameter) if p is not None])

    def parameter(self, node: cst.Param | cst.ParamSlash | cst.ParamStar) -> syntax.Parameter | None:
        if not isinstance(node, cst.Param):
            self.take("/" if isinstance(node, cst.ParamSlash) else "*")
            return None
        star: syntax.Star = "*" if node.star == "*" else "**" if node.star == "**" else ""
        self.take(star)
        name = self.identifier(node.name)
        annotation = self.annotation(node.annotation, ":")
        if node.default is not None:
            self.take("=")
        return syntax.Parameter(name, annotation, self.optional(node.default), star)

    def annotation(self, node: cst.Annotation | None, mark: str) -> syntax.Expression | None:
        return None if node is None else self.after(mark, node.annotation)


_Converter = ExpressionConverter
_Converter.METHODS = {
    cst.Name: _Converter.name, cst.Ellipsis: _Converter.ellipsis, cst.SimpleString: _Converter.text,
    **dict.fromkeys((cst.Integer, cst.Float, cst.Imaginary), _Converter.number),
    cst.FormattedString: _Converter.formatted, cst.ConcatenatedString: _Converter.concatenated,
    cst.NamedExpr: _Converter.named, cst.Attribute: _Converter.attribute, cst.Subscript: _Converter.subscript,
    cst.Call: _Converter.call, cst.BinaryOperation: _Converter.binary, cst.BooleanOperation: _Converter.boolean,
    cst.UnaryOperation: _Converter.unary, cst.Comparison: _Converter.comparison, cst.IfExp: _Converter.conditional,
    cst.Await: _Converter.awaited, cst.Yield: _Converter.yielded, cst.StarredElement: _Converter.starred,
    cst.Dict: _Converter.dictionary, cst.Lambda: _Converter.function_literal,
    **dict.fromkeys(DISPLAYS, _Converter.display), **dict.fromkeys(COMPREHENSIONS, _Converter.comprehension),
}  # fmt: skip
