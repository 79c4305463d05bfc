"""What all converters do: take the tokens of a node from the cursor in the order of the source, and make the node
between two places."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

import libcst as cst

from roofscan.parse import syntax
from roofscan.parse.reader.converters.cursor import SourceCursor

UNKNOWN_KINDS = {"TemplatedString": "a template string"}
"""Expressions that are not converted, in words for people; they may be newer than the LibCST that is installed."""

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")
_Parts = ParamSpec("_Parts")


class NodeConverter:
    METHODS: ClassVar[dict[type[cst.CSTNode], Callable[..., syntax.Expression]]]
    """The method of each kind of expression."""

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
        method: Callable[..., syntax.Expression] | None = self.METHODS.get(type(node))
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
