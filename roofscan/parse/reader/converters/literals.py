"""LibCST's names, literals, displays and comprehensions -> ``syntax`` expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import libcst as cst

from roofscan.parse import syntax
from roofscan.parse.reader.converters.node import NodeConverter
from roofscan.parse.reader.converters.tokens import identifier, joined, number, text_value

CONSTANTS = {"True": True, "False": False, "None": None}


class LiteralConverter(NodeConverter):
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
        return self.at(
            start, syntax.Literal, joined([part.value for part in parts if isinstance(part, syntax.Literal)])
        )


COMPREHENSIONS: dict[type[cst.CSTNode], tuple[str, str, str]] = {
    cst.ListComp: ("[", "]", ""), cst.GeneratorExp: ("", "", ""),
    cst.SetComp: ("{", "}", "a set comprehension"), cst.DictComp: ("{", "}", "a dict comprehension"),
}  # fmt: skip
"""The brackets of each and, for those that are not modelled, ``Other.kind``."""

DISPLAYS: dict[type[cst.CSTNode], tuple[str, str, syntax.SequenceKind]] = {
    cst.Tuple: ("", "", "tuple"), cst.List: ("[", "]", "list"), cst.Set: ("{", "}", "set"),
}  # fmt: skip
"""The brackets of each, and its ``Sequence.kind``."""


class DisplayConverter(NodeConverter):
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
