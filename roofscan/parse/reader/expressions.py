"""LibCST expressions -> ``syntax`` expressions: a method for each kind of node, which takes the node's tokens from the
cursor in the order of the source."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from math import isinf
from typing import Any, Concatenate, ParamSpec, TypeVar
from unicodedata import normalize

import libcst as cst

from roofscan.parse import syntax
from roofscan.parse.reader.cursor import SourceCursor

OPERATORS = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%",
    "Power": "**", "MatrixMultiply": "@", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LeftShift": "<<",
    "RightShift": ">>", "Minus": "-", "Plus": "+", "BitInvert": "~", "Not": "not", "And": "and", "Or": "or",
    "LessThan": "<", "GreaterThan": ">", "LessThanEqual": "<=", "GreaterThanEqual": ">=", "Equal": "==",
    "NotEqual": "!=", "In": "in", "NotIn": "not in", "Is": "is", "IsNot": "is not",
}  # fmt: skip
"""LibCST's operator classes; those of augmented assignments have ``Assign`` at the end of their name."""

CONSTANTS = {"True": True, "False": False, "None": None}

UNKNOWN_KINDS = {"TemplatedString": "a template string"}
"""Expressions that are not converted, in words for people; they may be newer than the LibCST that is installed."""

COMPREHENSIONS: dict[type[cst.CSTNode], tuple[str, str, str]] = {
    cst.ListComp: ("[", "]", ""), cst.GeneratorExp: ("", "", ""),
    cst.SetComp: ("{", "}", "a set comprehension"), cst.DictComp: ("{", "}", "a dict comprehension"),
}  # fmt: skip
"""The brackets of each and, for those that are not modelled, ``Other.kind``."""

DISPLAYS: dict[type[cst.CSTNode], tuple[str, str, syntax.SequenceKind]] = {
    cst.Tuple: ("", "", "tuple"), cst.List: ("[", "]", "list"), cst.Set: ("{", "}", "set"),
}  # fmt: skip
"""The brackets of each, and its ``Sequence.kind``."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")
_Parts = ParamSpec("_Parts")


class ExpressionConverter:
    def __init__(self, module: cst.Module, cursor: SourceCursor) -> None:
        self.module = module
        self.cursor = cursor
        self.take = cursor.take

    def at(
        self, start: int, kind: Callable[Concatenate[syntax.Place, _Parts], _Made],
        *parts: _Parts.args, **named: _Parts.kwargs,
    ) -> _Made:  # fmt: skip
        """The node from ``start`` to here. Its parts are converted before the call, in the order of the source."""
        return kind(self.cursor.place(start), *parts, **named)

    def expression(self, node: cst.BaseExpression) -> syntax.Expression:
        method: Callable[..., syntax.Expression] | None = _METHODS.get(type(node))
        if method is None:
            kind = type(node).__name__
            return self.at(self.skip(node), syntax.Other, UNKNOWN_KINDS.get(kind, f"a construct of kind {kind}"))
        for _ in node.lpar:
            self.take("(")
        made = method(self, node, self.cursor.start())
        for _ in node.rpar:
            self.take(")")
        return made

    def optional(self, node: cst.BaseExpression | None) -> syntax.Expression | None:
        return None if node is None else self.expression(node)

    def after(self, token: str, node: cst.BaseExpression) -> syntax.Expression:
        self.take(token)
        return self.expression(node)

    def skip(self, node: cst.CSTNode) -> int:
        start = self.cursor.start()
        self.cursor.pass_over(self.module.code_for_node(node))
        return start

    def listed(self, nodes: Iterable[Any], convert: Callable[[Any], _Item]) -> list[_Item]:
        """Nodes in a row, each with its comma."""
        items = []
        for node in nodes:
            items.append(convert(node))
            if isinstance(node.comma, cst.Comma):
                self.take(",")
        return items

    # -- names and literals -------------------------------------------------------------------
    def name(self, node: cst.Name, start: int) -> syntax.Expression:
        identifier = self.identifier(node)
        if identifier in CONSTANTS:
            return self.at(start, syntax.Literal, CONSTANTS[identifier])
        return self.at(start, syntax.Name, identifier)

    def identifier(self, node: cst.Name) -> str:
        self.take(node.value)
        return identifier(node.value)

    def ellipsis(self, node: cst.Ellipsis, start: int) -> syntax.Expression:
        self.take("...")
        return self.at(start, syntax.Literal, ...)

    def number(self, node: cst.Integer | cst.Float | cst.Imaginary, start: int) -> syntax.Expression:
        self.take(node.value)
        value = number(node.value)
        if value is None:
            return self.at(start, syntax.Other, "a number out of range")
        return self.at(start, syntax.Literal, value)

    def text(self, node: cst.SimpleString, start: int) -> syntax.Expression:
        self.take(node.value)
        return self.at(start, syntax.Literal, text_value(node.value))

    def formatted(self, node: cst.FormattedString, start: int) -> syntax.Expression:
        self.take(node.start)
        parts = tuple(self.replacements(node.parts))
        self.cursor.take_here(node.end)
        return self.at(start, syntax.Formatted, parts)

    def replacements(self, parts: Iterable[cst.BaseFormattedStringContent]) -> Iterator[syntax.Expression]:
        """The expressions between the braces of an f-string, without those in their format specifications."""
        for part in parts:
            if isinstance(part, cst.FormattedStringText):
                self.cursor.take_here(part.value)
            elif isinstance(part, cst.FormattedStringExpression):
                self.cursor.take_here("{")
                yield self.expression(part.expression)
                if part.equal is not None:
                    self.take("=")
                if part.conversion is not None:
                    self.take(f"!{part.conversion}")
                if part.format_spec is not None:
                    self.take(":")
                    for _ in self.replacements(part.format_spec):
                        pass
                self.take("}")

    def concatenated(self, node: cst.ConcatenatedString, start: int) -> syntax.Expression:
        parts = [self.expression(node.left)]
        right: cst.BaseExpression = node.right
        while isinstance(right, cst.ConcatenatedString):  # one in the other: there may be thousands
            parts.append(self.expression(right.left))
            right = right.right
        parts.append(self.expression(right))
        formatted = [part.parts for part in parts if isinstance(part, syntax.Formatted)]
        if formatted:
            return self.at(start, syntax.Formatted, tuple(chain.from_iterable(formatted)))
        joined = _joined([part.value for part in parts if isinstance(part, syntax.Literal)])
        return self.at(start, syntax.Literal, joined)

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

    # -- displays -----------------------------------------------------------------------------
    def display(self, node: cst.Tuple | cst.List | cst.Set, start: int) -> syntax.Expression:
        opening, closing, kind = DISPLAYS[type(node)]
        self.take(opening)
        items = self.listed(node.elements, self.element)
        self.take(closing)
        return self.at(start, syntax.Sequence, kind, tuple(items))

    def element(self, node: cst.BaseElement) -> syntax.Expression:
        return self.expression(node if isinstance(node, cst.StarredElement) else node.value)

    def dictionary(self, node: cst.Dict, start: int) -> syntax.Expression:
        self.take("{")
        pairs = self.listed(node.elements, self.pair)
        self.take("}")
        parts = tuple([part for pair in pairs for part in pair]) if all(pairs) else ()
        return self.at(start, syntax.Other, "a dict display", parts)

    def pair(self, node: cst.BaseDictElement) -> tuple[syntax.Expression, ...]:
        """The key and the value; nothing for ``**mapping``."""
        if not isinstance(node, cst.DictElement):
            self.after("**", node.value)
            return ()
        return self.expression(node.key), self.after(":", node.value)

    def comprehension(
        self, node: cst.ListComp | cst.GeneratorExp | cst.SetComp | cst.DictComp, start: int
    ) -> syntax.Expression:
        opening, closing, other = COMPREHENSIONS[type(node)]
        self.take(opening)
        element = self.expression(node.key if isinstance(node, cst.DictComp) else node.elt)
        if isinstance(node, cst.DictComp):
            self.after(":", node.value)
        loop = node.for_in
        target, iterable, conditions = self.comprehension_loop(loop)
        several = loop.asynchronous is not None
        while loop.inner_for_in is not None:
            several, loop = True, loop.inner_for_in
            self.comprehension_loop(loop)
        self.take(closing)
        if other or several:
            return self.at(start, syntax.Other, other or "a comprehension of several loops")
        kind: syntax.ComprehensionKind = "list" if isinstance(node, cst.ListComp) else "generator"
        return self.at(start, syntax.Comprehension, kind, element, target, iterable, conditions)

    def comprehension_loop(
        self, loop: cst.CompFor
    ) -> tuple[syntax.Expression, syntax.Expression, tuple[syntax.Expression, ...]]:
        if loop.asynchronous is not None:
            self.take("async")
        target, iterable = self.after("for", loop.target), self.after("in", loop.iter)
        return target, iterable, tuple([self.after("if", condition.test) for condition in loop.ifs])

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
_METHODS: dict[type[cst.CSTNode], Callable[..., syntax.Expression]] = {
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


def identifier(text: str) -> str:
    """A name as Python compares it."""
    return text if text.isascii() else normalize("NFKC", text)


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


_ESCAPE = re.compile(r"\\(?:([\n\\'\"abfnrtv0-3xNuU])|(.))", re.DOTALL)


def text_value(token: str) -> str | bytes | None:
    """The value of a text or bytes token; None where its escapes are malformed."""
    if "\\" in token and "r" not in token[:2].lower():
        token = _ESCAPE.sub(_without_unknown, token)
    try:
        value = ast.literal_eval(token)
    except (ValueError, SyntaxError, MemoryError):
        return None
    return value if isinstance(value, (str, bytes)) else None


def _without_unknown(match: re.Match[str]) -> str:
    r"""``\d`` as ``\\d``, which is what it means: Python would warn of it."""
    return match.group() if match.group(1) else f"\\\\{match.group(2)}"


def _joined(values: list[object]) -> str | bytes | None:
    """The text or the bytes that literals in a row make together."""
    texts = [value for value in values if isinstance(value, str)]
    parts = [value for value in values if isinstance(value, bytes)]
    if len(texts) == len(values):
        return "".join(texts)
    return b"".join(parts) if len(parts) == len(values) else None
