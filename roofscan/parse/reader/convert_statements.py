"""Statements of Python's own parser -> ``syntax`` statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from roofscan.parse.reader.convert_expressions import OPERATORS, ExpressionConverter
from roofscan.parse.syntax import (
    Assign,
    AugAssign,
    Class,
    ExpressionStatement,
    For,
    Function,
    If,
    Import,
    Other,
    Return,
    Simple,
    Statement,
    Try,
    Unary,
    While,
    With,
)

SIMPLE: dict[type[ast.AST], str] = {
    ast.Pass: "pass", ast.Break: "break", ast.Continue: "continue", ast.Raise: "raise", ast.Delete: "del",
    ast.Global: "global", ast.Nonlocal: "nonlocal",
}  # fmt: skip

UNKNOWN_KINDS = {
    "Match": "a match statement", "TryStar": "a try with except*", "TypeAlias": "a type alias",
    "AsyncFor": "an async for loop", "AsyncWith": "an async with block",
}  # fmt: skip


class StatementConverter(ExpressionConverter):
    """Converts the statements of one parsed piece."""

    def block(self, nodes: Iterable[ast.stmt]) -> tuple[Statement, ...]:
        return tuple([self.statement(node) for node in nodes])

    def statement(self, node: ast.stmt) -> Statement:
        kind = type(node)
        if kind in SIMPLE:
            return Simple(self.place(node), SIMPLE[kind], _mentioned(node))
        method: Callable[[StatementConverter, ast.stmt], Statement] | None = _METHODS.get(kind)
        if method is None:
            what = UNKNOWN_KINDS.get(kind.__name__, f"a statement of kind {kind.__name__}")
            return Other(self.place(node), what, binds=tuple(dict.fromkeys(_stored(node))))
        return method(self, node)

    # -- simple statements --------------------------------------------------------------------
    def asserted(self, node: ast.Assert) -> Statement:
        """``assert test`` is ``if not test: raise``."""
        place = self.place(node)
        return If(place, Unary(place, "not", self.expression(node.test)), (Simple(place, "raise"),), ())

    def assign(self, node: ast.Assign) -> Statement:
        return Assign(self.place(node), self.all(node.targets), self.expression(node.value))

    def annotated(self, node: ast.AnnAssign) -> Statement:
        target, annotation = self.all((node.target, node.annotation))
        return Assign(self.place(node), (target,), self.optional(node.value), annotation)

    def augmented(self, node: ast.AugAssign) -> Statement:
        target, value = self.all((node.target, node.value))
        return AugAssign(self.place(node), target, OPERATORS[type(node.op)], value)

    def bare(self, node: ast.Expr) -> Statement:
        return ExpressionStatement(self.place(node), self.expression(node.value))

    def returned(self, node: ast.Return) -> Statement:
        return Return(self.place(node), self.optional(node.value))

    def imported(self, node: ast.Import) -> Statement:
        names = tuple((alias.name, alias.asname or alias.name.partition(".")[0]) for alias in node.names)
        return Import(self.place(node), "", 0, names)

    def imported_from(self, node: ast.ImportFrom) -> Statement:
        names = tuple((alias.name, alias.asname or alias.name) for alias in node.names)
        return Import(self.place(node), node.module or "", node.level, names)

    # -- blocks -------------------------------------------------------------------------------
    def branch(self, node: ast.If) -> Statement:
        return If(self.place(node), self.expression(node.test), self.block(node.body), self.block(node.orelse))

    def loop(self, node: ast.For) -> Statement:
        target, iterable = self.all((node.target, node.iter))
        return For(self.place(node), target, iterable, self.block(node.body), self.block(node.orelse))

    def while_loop(self, node: ast.While) -> Statement:
        return While(self.place(node), self.expression(node.test), self.block(node.body), self.block(node.orelse))

    def context(self, node: ast.With) -> Statement:
        binds = tuple(name for item in node.items if item.optional_vars for name in _names(item.optional_vars))
        items = self.all(item.context_expr for item in node.items)
        return With(self.place(node), items, self.block(node.body), binds)

    def attempt(self, node: ast.Try) -> Statement:
        handlers = tuple(self.block(handler.body) for handler in node.handlers)
        body, orelse, final = (self.block(part) for part in (node.body, node.orelse, node.finalbody))
        return Try(self.place(node), body, handlers, orelse, final)

    # -- definitions --------------------------------------------------------------------------
    def function(self, node: ast.FunctionDef) -> Statement:
        place = self.place(node)
        decorators = self.all(node.decorator_list)
        return Function(
            place=place,
            name=node.name,
            parameters=self.parameters(node.args),
            decorators=decorators,
            body=self.block(node.body),
            returns=self.optional(node.returns),
            first_line=min([place.line, *(each.place.line for each in decorators)]),
        )

    def async_function(self, node: ast.AsyncFunctionDef) -> Statement:
        return Other(self.place(node), "an async function")

    def class_(self, node: ast.ClassDef) -> Statement:
        decorators, bases = self.all(node.decorator_list), self.all(node.bases)
        return Class(self.place(node), node.name, decorators, bases, self.block(node.body))


def _mentioned(node: ast.stmt) -> tuple[str, ...]:
    """The names that a ``global`` or ``nonlocal`` declares, and those of what a ``del`` takes something from."""
    if isinstance(node, (ast.Global, ast.Nonlocal)):
        return tuple(node.names)
    return tuple(name for t in node.targets for name in _roots(t)) if isinstance(node, ast.Delete) else ()


def _roots(target: ast.AST) -> Iterator[str]:
    while isinstance(target, ast.Subscript):
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id
    elif not isinstance(target, ast.Attribute):
        for child in ast.iter_child_nodes(target):
            yield from _roots(child)


def _stored(node: ast.AST) -> Iterator[str]:
    """The names that a node may bind, those inside it included."""
    for field in _TARGETS.get(type(node).__name__, ()):
        target = getattr(node, field)
        if isinstance(target, str):
            yield target
        for part in target if isinstance(target, list) else (target,):
            yield from _names(part) if isinstance(part, ast.AST) else ()
    for child in ast.iter_child_nodes(node):
        yield from _stored(child)


def _names(target: ast.AST) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif not isinstance(target, (ast.Attribute, ast.Subscript)):
        for child in ast.iter_child_nodes(target):
            yield from _names(child)


_TARGETS: dict[str, tuple[str, ...]] = {
    "Assign": ("targets",), "AnnAssign": ("target",), "AugAssign": ("target",), "For": ("target",),
    "AsyncFor": ("target",), "NamedExpr": ("target",), "alias": ("asname",), "withitem": ("optional_vars",),
    "ExceptHandler": ("name",), "MatchAs": ("name",), "MatchStar": ("name",), "MatchMapping": ("rest",),
    "FunctionDef": ("name",), "AsyncFunctionDef": ("name",), "ClassDef": ("name",),
}  # fmt: skip
"""The fields of syntax that bind names."""


_METHODS: dict[type[ast.AST], Callable[..., Statement]] = {
    ast.Assign: StatementConverter.assign,
    ast.AnnAssign: StatementConverter.annotated,
    ast.AugAssign: StatementConverter.augmented,
    ast.Expr: StatementConverter.bare,
    ast.Return: StatementConverter.returned,
    ast.Import: StatementConverter.imported,
    ast.ImportFrom: StatementConverter.imported_from,
    ast.If: StatementConverter.branch,
    ast.For: StatementConverter.loop,
    ast.While: StatementConverter.while_loop,
    ast.With: StatementConverter.context,
    ast.Assert: StatementConverter.asserted,
    ast.Try: StatementConverter.attempt,
    ast.FunctionDef: StatementConverter.function,
    ast.AsyncFunctionDef: StatementConverter.async_function,
    ast.ClassDef: StatementConverter.class_,
}
