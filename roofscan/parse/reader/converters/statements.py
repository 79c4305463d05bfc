"""LibCST statements -> ``syntax`` statements: one small method for each kind of node, as in ``expressions``. The
methods of blocks and definitions stand here, with the table of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import libcst as cst

from roofscan.parse import syntax
from roofscan.parse.reader.converters.cursor import SourceCursor
from roofscan.parse.reader.converters.simple_statements import SIMPLE, SimpleStatementConverter
from roofscan.parse.reader.converters.tokens import identifier
from roofscan.parse.reader.source import UnparsableText


def convert_text(text: str, first_line: int) -> tuple[syntax.Statement, ...]:
    """The statements of a text that begins in line ``first_line`` of a file. Raises UnparsableText."""
    try:
        module = cst.parse_module(text)
    except (cst.ParserSyntaxError, cst.CSTValidationError, UnicodeError) as error:
        raise UnparsableText(type(error).__name__) from None
    return StatementConverter(module, SourceCursor(text, first_line)).block(module.body)


class StatementConverter(SimpleStatementConverter):
    def block(self, nodes: Iterable[cst.CSTNode]) -> tuple[syntax.Statement, ...]:
        """The statements in order, those that share a line one by one."""
        statements: list[syntax.Statement] = []
        for node in nodes:
            if isinstance(node, cst.SimpleStatementLine):
                statements += self.line(node.body)
            else:
                statements.append(self.statement(node))
        return tuple(statements)

    def line(self, nodes: Iterable[cst.BaseSmallStatement]) -> Iterator[syntax.Statement]:
        for node in nodes:
            yield self.statement(node)
            if isinstance(node.semicolon, cst.Semicolon):
                self.take(";")

    def suite(self, node: cst.BaseSuite) -> tuple[syntax.Statement, ...]:
        self.take(":")
        return tuple(self.line(node.body)) if isinstance(node, cst.SimpleStatementSuite) else self.block(node.body)

    def statement(self, node: cst.CSTNode) -> syntax.Statement:
        kind, start = type(node), self.cursor.start()
        method: Callable[..., syntax.Statement] | None = _METHODS.get(kind)
        if method is not None:
            return method(self, node, start)
        self.small(node)
        what = "a type alias" if kind.__name__ == "TypeAlias" else f"a statement of kind {kind.__name__}"
        return self.other(node, start, what)

    def other(self, node: cst.CSTNode, start: int, kind: str) -> syntax.Statement:
        return self.at(start, syntax.Other, kind, binds=tuple(dict.fromkeys(_stored(node))))

    # -- blocks -------------------------------------------------------------------------------
    def orelse(self, node: cst.If | cst.Else | None) -> tuple[syntax.Statement, ...]:
        if isinstance(node, cst.If):
            return (self.branch(node, self.cursor.start(), "elif"),)
        return self.clause("else", node)

    def clause(self, keyword: str, node: cst.Else | cst.Finally | None) -> tuple[syntax.Statement, ...]:
        if node is None:
            return ()
        self.take(keyword)
        return self.suite(node.body)

    def branch(self, node: cst.If, start: int, keyword: str = "if") -> syntax.Statement:
        test = self.after(keyword, node.test)
        return self.at(start, syntax.If, test, self.suite(node.body), self.orelse(node.orelse))

    def loop(self, node: cst.For, start: int) -> syntax.Statement:
        self.asynchronous(node)
        target, iterable = self.after("for", node.target), self.after("in", node.iter)
        body, orelse = self.suite(node.body), self.orelse(node.orelse)
        if node.asynchronous is not None:
            return self.other(node, start, "an async for loop")
        return self.at(start, syntax.For, target, iterable, body, orelse)

    def asynchronous(self, node: cst.For | cst.With | cst.FunctionDef) -> None:
        if node.asynchronous is not None:
            self.take("async")

    def while_loop(self, node: cst.While, start: int) -> syntax.Statement:
        test = self.after("while", node.test)
        return self.at(start, syntax.While, test, self.suite(node.body), self.orelse(node.orelse))

    def context(self, node: cst.With, start: int) -> syntax.Statement:
        self.asynchronous(node)
        self.take("with")
        if isinstance(node.lpar, cst.LeftParen):
            self.take("(")
        items = self.listed(node.items, self.context_item)
        if isinstance(node.rpar, cst.RightParen):
            self.take(")")
        body = self.suite(node.body)
        if node.asynchronous is not None:
            return self.other(node, start, "an async with block")
        binds = tuple(name for item in node.items if item.asname for name in _stored(item.asname))
        return self.at(start, syntax.With, tuple(items), body, binds)

    def context_item(self, node: cst.WithItem) -> syntax.Expression:
        item = self.expression(node.item)
        self.bound_as(node.asname)
        return item

    def bound_as(self, node: cst.AsName | None) -> None:
        if node is not None:
            self.after("as", node.name)

    def attempt(self, node: cst.Try | cst.TryStar, start: int) -> syntax.Statement:
        self.take("try")
        body = self.suite(node.body)
        handlers = tuple([self.handler(handler) for handler in node.handlers])
        orelse, final = self.clause("else", node.orelse), self.clause("finally", node.finalbody)
        if isinstance(node, cst.TryStar):
            return self.other(node, start, "a try with except*")
        return self.at(start, syntax.Try, body, handlers, orelse, final)

    def handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> tuple[syntax.Statement, ...]:
        self.take("except")
        if isinstance(node, cst.ExceptStarHandler):
            self.take("*")
        self.optional(node.type)
        self.bound_as(node.name)
        return self.suite(node.body)

    def match(self, node: cst.Match, start: int) -> syntax.Statement:
        self.after("match", node.subject)
        self.take(":")
        for case in node.cases:
            self.take("case")
            self.skip(case.pattern)
            if case.guard is not None:
                self.after("if", case.guard)
            self.suite(case.body)
        return self.other(node, start, "a match statement")

    # -- definitions --------------------------------------------------------------------------
    def function(self, node: cst.FunctionDef, first: int) -> syntax.Statement:
        decorators, start = self.decorators(node.decorators), self.cursor.start()
        self.asynchronous(node)
        self.take("def")
        name = self.identifier(node.name)
        self.type_parameters(node)
        self.take("(")
        parameters = self.parameters(node.params)
        self.take(")")
        returns = self.annotation(node.returns, "->")
        body = self.suite(node.body)
        if node.asynchronous is not None:
            return self.at(start, syntax.Other, "an async function")
        line = self.cursor.line(first)
        return self.at(start, syntax.Function, name, parameters, decorators, body, returns, first_line=line)

    def class_(self, node: cst.ClassDef, first: int) -> syntax.Statement:
        decorators, start = self.decorators(node.decorators), self.cursor.start()
        self.take("class")
        name = self.identifier(node.name)
        self.type_parameters(node)
        bases: tuple[syntax.Expression, ...] = ()
        if isinstance(node.lpar, cst.LeftParen):
            self.take("(")
            bases, _ = self.arguments((*node.bases, *node.keywords))
            self.take(")")
        return self.at(start, syntax.Class, name, decorators, bases, self.suite(node.body))

    def decorators(self, nodes: Iterable[cst.Decorator]) -> tuple[syntax.Expression, ...]:
        return tuple([self.after("@", node.decorator) for node in nodes])

    def type_parameters(self, node: cst.FunctionDef | cst.ClassDef) -> None:
        if node.type_parameters is not None:
            self.skip(node.type_parameters)


def _stored(node: cst.CSTNode) -> Iterator[str]:
    """The names that a node may bind, those inside it included."""
    for field in _TARGETS.get(type(node), ()):
        target = getattr(node, field)
        yield from _names(target) if target is not None else ()
    for child in node.children:
        yield from _stored(child)


def _names(target: cst.CSTNode) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield identifier(target.value)
    elif not isinstance(target, (cst.Attribute, cst.Subscript)):
        for child in target.children:
            yield from _names(child)


_TARGETS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    **dict.fromkeys((cst.AssignTarget, cst.AnnAssign, cst.AugAssign, cst.For, cst.NamedExpr), ("target",)),
    **dict.fromkeys((cst.AsName, cst.MatchAs, cst.MatchStar, cst.FunctionDef, cst.ClassDef), ("name",)),
    cst.MatchMapping: ("rest",),
}
"""The fields of syntax that bind names."""


_Converter = StatementConverter
_METHODS: dict[type[cst.CSTNode], Callable[..., syntax.Statement]] = {
    cst.Assign: _Converter.assign, cst.AnnAssign: _Converter.annotated, cst.AugAssign: _Converter.augmented,
    cst.Expr: _Converter.bare, cst.Return: _Converter.returned, cst.Assert: _Converter.asserted,
    cst.Import: _Converter.imported, cst.ImportFrom: _Converter.imported_from,
    **dict.fromkeys(SIMPLE, _Converter.plain),
    cst.If: _Converter.branch, cst.For: _Converter.loop, cst.While: _Converter.while_loop, cst.With: _Converter.context,
    cst.Try: _Converter.attempt, cst.TryStar: _Converter.attempt, cst.Match: _Converter.match,
    cst.FunctionDef: _Converter.function, cst.ClassDef: _Converter.class_,
}  # fmt: skip
