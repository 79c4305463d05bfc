"""LibCST's names and literals -> ``syntax`` expressions."""

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
