"""Expressions of Python's own parser -> ``syntax`` expressions: one small method for each kind of node."""

from __future__ import annotations

import ast
from cmath import isinf
from collections.abc import Callable, Iterable
from itertools import chain

from roofscan.parse.reader.positions import Positions
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
    Place,
    Sequence,
    Slice,
    Starred,
    Subscript,
    Unary,
)

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not", ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.Gt: ">", ast.LtE: "<=", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip

UNKNOWN_KINDS = {
    "SetComp": "a set comprehension", "DictComp": "a dict comprehension", "Await": "an await expression",
    "Yield": "a yield expression", "YieldFrom": "a yield expression", "TemplateStr": "a template string",
}  # fmt: skip


class ExpressionConverter:
    """Converts the expressions of one parsed piece."""

    def __init__(self, places: Positions) -> None:
        self.place = places

    def expression(self, node: ast.expr) -> Expression:
        method: Callable[[ExpressionConverter, ast.expr], Expression] | None = _METHODS.get(type(node))
        if method is None:
            kind = type(node).__name__
            return Other(self.place(node), UNKNOWN_KINDS.get(kind, f"a construct of kind {kind}"))
        return method(self, node)

    def optional(self, node: ast.expr | None) -> Expression | None:
        return None if node is None else self.expression(node)

    def all(self, nodes: Iterable[ast.expr]) -> tuple[Expression, ...]:
        return tuple([self.expression(node) for node in nodes])

    # -- names and literals -------------------------------------------------------------------
    def name(self, node: ast.Name) -> Expression:
        return Name(self.place(node), node.id)

    def constant(self, node: ast.Constant) -> Expression:
        if isinstance(node.value, float) and isinf(node.value):
            return Other(self.place(node), "a number out of range")
        return Literal(self.place(node), node.value)

    def formatted(self, node: ast.JoinedStr) -> Expression:
        parts = (part.value for part in node.values if isinstance(part, ast.FormattedValue))
        return Formatted(self.place(node), self.all(parts))

    def assigned(self, node: ast.NamedExpr) -> Expression:
        target = Name(self.place(node.target), node.target.id)
        return Named(self.place(node), target, self.expression(node.value))

    # -- access -------------------------------------------------------------------------------
    def attribute(self, node: ast.Attribute) -> Expression:
        return Attribute(self.place(node), self.expression(node.value), node.attr)

    def subscript(self, node: ast.Subscript) -> Expression:
        inside = node.slice
        items = self.all(inside.elts) if isinstance(inside, ast.Tuple) else (self.expression(inside),)
        return Subscript(self.place(node), self.expression(node.value), items)

    def slice(self, node: ast.Slice) -> Expression:
        lower, upper, step = (self.optional(part) for part in (node.lower, node.upper, node.step))
        return Slice(self.place(node), lower, upper, step)

    def starred(self, node: ast.Starred) -> Expression:
        return Starred(self.place(node), self.expression(node.value))

    def call(self, node: ast.Call) -> Expression:
        keywords = tuple([Keyword(each.arg, self.expression(each.value)) for each in node.keywords])
        starred = any(isinstance(arg, ast.Starred) for arg in node.args)
        return Call(self.place(node), self.expression(node.func), self.all(node.args), keywords, starred)

    # -- operators ----------------------------------------------------------------------------
    def binary(self, node: ast.BinOp) -> Expression:
        left, right = self.expression(node.left), self.expression(node.right)
        return Binary(self.place(node), OPERATORS[type(node.op)], left, right)

    def boolean(self, node: ast.BoolOp) -> Expression:
        """Of more than two operands, the first two are the left one of the next."""
        whole, operator = self.place(node), OPERATORS[type(node.op)]
        left, *others = self.all(node.values)
        for right in others:
            end = right.place if right is not others[-1] else whole
            place = Place(whole.line, whole.column, end.end_line, end.end_column)
            left = Boolean(place, operator, left, right)
        return left

    def unary(self, node: ast.UnaryOp) -> Expression:
        return Unary(self.place(node), OPERATORS[type(node.op)], self.expression(node.operand))

    def comparison(self, node: ast.Compare) -> Expression:
        operators = tuple([OPERATORS[type(op)] for op in node.ops])
        return Compare(self.place(node), self.all((node.left, *node.comparators)), operators)

    def conditional(self, node: ast.IfExp) -> Expression:
        test, body, orelse = self.all((node.test, node.body, node.orelse))
        return Conditional(self.place(node), test, body, orelse)

    # -- displays -----------------------------------------------------------------------------
    def display(self, node: ast.Tuple | ast.List | ast.Set) -> Expression:
        return Sequence(self.place(node), type(node).__name__.lower(), self.all(node.elts))

    def dictionary(self, node: ast.Dict) -> Expression:
        keys = [key for key in node.keys if key is not None]
        if len(keys) < len(node.keys):
            return Other(self.place(node), "a dict display")
        parts = self.all(chain.from_iterable(zip(keys, node.values)))
        return Other(self.place(node), "a dict display", parts)

    def comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> Expression:
        loop, *others = node.generators
        if others or loop.is_async:
            return Other(self.place(node), "a comprehension of several loops")
        kind = "list" if isinstance(node, ast.ListComp) else "generator"
        element, target, iterable = self.all((node.elt, loop.target, loop.iter))
        return Comprehension(self.place(node), kind, element, target, iterable, self.all(loop.ifs))

    # -- functions ----------------------------------------------------------------------------
    def function_literal(self, node: ast.Lambda) -> Expression:
        return Lambda(self.place(node), self.parameters(node.args), self.expression(node.body))

    def parameters(self, node: ast.arguments) -> tuple[Parameter, ...]:
        """In the order of the source; the bare ``*`` and ``/`` marks are no parameters."""
        plain = [*node.posonlyargs, *node.args]
        defaults = [*[None] * (len(plain) - len(node.defaults)), *node.defaults]
        found = [self.parameter(arg, default) for arg, default in zip(plain, defaults)]
        if node.vararg is not None:
            found.append(self.parameter(node.vararg, None, "*"))
        found += [self.parameter(arg, default) for arg, default in zip(node.kwonlyargs, node.kw_defaults)]
        if node.kwarg is not None:
            found.append(self.parameter(node.kwarg, None, "**"))
        return tuple(found)

    def parameter(self, node: ast.arg, default: ast.expr | None, star: str = "") -> Parameter:
        return Parameter(node.arg, self.optional(node.annotation), self.optional(default), star)


_METHODS: dict[type[ast.AST], Callable[..., Expression]] = {
    ast.Name: ExpressionConverter.name,
    ast.Constant: ExpressionConverter.constant,
    ast.JoinedStr: ExpressionConverter.formatted,
    ast.NamedExpr: ExpressionConverter.assigned,
    ast.Attribute: ExpressionConverter.attribute,
    ast.Subscript: ExpressionConverter.subscript,
    ast.Slice: ExpressionConverter.slice,
    ast.Starred: ExpressionConverter.starred,
    ast.Call: ExpressionConverter.call,
    ast.BinOp: ExpressionConverter.binary,
    ast.BoolOp: ExpressionConverter.boolean,
    ast.UnaryOp: ExpressionConverter.unary,
    ast.Compare: ExpressionConverter.comparison,
    ast.IfExp: ExpressionConverter.conditional,
    ast.Tuple: ExpressionConverter.display,
    ast.List: ExpressionConverter.display,
    ast.Set: ExpressionConverter.display,
    ast.Dict: ExpressionConverter.dictionary,
    ast.ListComp: ExpressionConverter.comprehension,
    ast.GeneratorExp: ExpressionConverter.comprehension,
    ast.Lambda: ExpressionConverter.function_literal,
}
