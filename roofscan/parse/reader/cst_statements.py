"""LibCST statements -> ``syntax`` statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import libcst as cst

from roofscan.parse.reader.cst_expressions import OPERATORS, ExpressionConverter
from roofscan.parse.syntax import (
    Assign,
    AugAssign,
    Class,
    Expression,
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

SIMPLE = {"Pass", "Break", "Continue", "Raise", "Del", "Global", "Nonlocal"}

UNKNOWN_KINDS = {"Match": "a match statement", "TryStar": "a try with except*", "TypeAlias": "a type alias"}


class StatementConverter(ExpressionConverter):
    """Converts the statements of one parsed piece."""

    def block(self, nodes: Iterable[cst.CSTNode]) -> tuple[Statement, ...]:
        """Statements in order; the small ones of one line each for itself."""
        statements: list[Statement] = []
        for node in nodes:
            if isinstance(node, cst.SimpleStatementLine):
                statements += [self.statement(small) for small in node.body]
            else:
                statements.append(self.statement(node))
        return tuple(statements)

    def suite(self, node: cst.BaseSuite) -> tuple[Statement, ...]:
        if isinstance(node, cst.SimpleStatementSuite):
            return tuple(self.statement(small) for small in node.body)
        return self.block(node.body)

    def statement(self, node: cst.CSTNode) -> Statement:
        kind = type(node).__name__
        if kind in SIMPLE:
            return Simple(self.place(node), kind.lower(), _mentioned(node))
        method: Callable[[StatementConverter, cst.CSTNode], Statement] | None = _METHODS.get(kind)
        if method is None:
            return self.other(node, UNKNOWN_KINDS.get(kind, f"a statement of kind {kind}"))
        return method(self, node)

    def other(self, node: cst.CSTNode, kind: str) -> Statement:
        return Other(self.place(node), kind, binds=tuple(dict.fromkeys(_stored(node))))

    # -- simple statements --------------------------------------------------------------------
    def asserted(self, node: cst.Assert) -> Statement:
        """``assert test`` is ``if not test: raise``."""
        place = self.place(node)
        return If(place, Unary(place, "not", self.expression(node.test)), (Simple(place, "raise"),), ())

    def assign(self, node: cst.Assign) -> Statement:
        targets = self.all(target.target for target in node.targets)
        return Assign(self.place(node), targets, self.expression(node.value))

    def annotated(self, node: cst.AnnAssign) -> Statement:
        targets = (self.expression(node.target),)
        value, annotation = self.optional(node.value), self.annotation(node.annotation)
        return Assign(self.place(node), targets, value, annotation)

    def augmented(self, node: cst.AugAssign) -> Statement:
        operator = OPERATORS[type(node.operator).__name__.removesuffix("Assign")]
        target, value = self.expression(node.target), self.expression(node.value)
        return AugAssign(self.place(node), target, operator, value)

    def bare(self, node: cst.Expr) -> Statement:
        return ExpressionStatement(self.place(node), self.expression(node.value))

    def returned(self, node: cst.Return) -> Statement:
        return Return(self.place(node), self.optional(node.value))

    def imported(self, node: cst.Import) -> Statement:
        return Import(self.place(node), "", 0, tuple(_bound(alias) for alias in node.names))

    def imported_from(self, node: cst.ImportFrom) -> Statement:
        module = _dotted(node.module) if node.module is not None else ""
        aliases = node.names if not isinstance(node.names, cst.ImportStar) else ()
        names = tuple((_dotted(a.name), _bound(a)[1] if a.asname else _dotted(a.name)) for a in aliases)
        return Import(self.place(node), module, len(node.relative), names or (("*", "*"),))

    # -- blocks -------------------------------------------------------------------------------
    def orelse(self, node: cst.If | cst.Else | None) -> tuple[Statement, ...]:
        if node is None:
            return ()
        return (self.statement(node),) if isinstance(node, cst.If) else self.suite(node.body)

    def branch(self, node: cst.If) -> Statement:
        test, body = self.expression(node.test), self.suite(node.body)
        return If(self.place(node), test, body, self.orelse(node.orelse))

    def loop(self, node: cst.For) -> Statement:
        if node.asynchronous is not None:
            return self.other(node, "an async for loop")
        target, iterable = self.expression(node.target), self.expression(node.iter)
        return For(self.place(node), target, iterable, self.suite(node.body), self.orelse(node.orelse))

    def while_loop(self, node: cst.While) -> Statement:
        test, body = self.expression(node.test), self.suite(node.body)
        return While(self.place(node), test, body, self.orelse(node.orelse))

    def context(self, node: cst.With) -> Statement:
        if node.asynchronous is not None:
            return self.other(node, "an async with block")
        binds = tuple(name for item in node.items if item.asname for name in _stored(item.asname))
        return With(self.place(node), self.all(item.item for item in node.items), self.suite(node.body), binds)

    def attempt(self, node: cst.Try) -> Statement:
        handlers = tuple(self.suite(handler.body) for handler in node.handlers)
        final = self.suite(node.finalbody.body) if node.finalbody else ()
        return Try(self.place(node), self.suite(node.body), handlers, self.orelse(node.orelse), final)

    # -- definitions --------------------------------------------------------------------------
    def function(self, node: cst.FunctionDef) -> Statement:
        if node.asynchronous is not None:
            return Other(self.place(node), "an async function")
        place = self.place(node)
        return Function(
            place=place,
            name=node.name.value,
            parameters=self.parameters(node.params),
            decorators=self.decorators(node),
            body=self.suite(node.body),
            returns=self.annotation(node.returns),
            first_line=min([place.line, *(self.place(d).line for d in node.decorators)]),
        )

    def class_(self, node: cst.ClassDef) -> Statement:
        bases: tuple[Expression, ...] = self.all(arg.value for arg in node.bases)
        return Class(self.place(node), node.name.value, self.decorators(node), bases, self.suite(node.body))

    def decorators(self, node: cst.FunctionDef | cst.ClassDef) -> tuple[Expression, ...]:
        return self.all(decorator.decorator for decorator in node.decorators)


def _mentioned(node: cst.CSTNode) -> tuple[str, ...]:
    """The names that a ``global`` or ``nonlocal`` declares, and those of what a ``del`` takes something from."""
    if isinstance(node, (cst.Global, cst.Nonlocal)):
        return tuple(item.name.value for item in node.names)
    return tuple(_roots(node.target)) if isinstance(node, cst.Del) else ()


def _roots(target: cst.CSTNode) -> Iterator[str]:
    while isinstance(target, cst.Subscript):
        target = target.value
    if isinstance(target, cst.Name):
        yield target.value
    elif not isinstance(target, cst.Attribute):
        for child in target.children:
            yield from _roots(child)


def _stored(node: cst.CSTNode) -> Iterator[str]:
    """The names that a node may bind, those inside it included."""
    for field in _TARGETS.get(type(node), ()):
        target = getattr(node, field)
        yield from _names(target) if target is not None else ()
    for child in node.children:
        yield from _stored(child)


def _names(target: cst.CSTNode) -> Iterator[str]:
    if isinstance(target, cst.Name):
        yield target.value
    elif not isinstance(target, (cst.Attribute, cst.Subscript)):
        for child in target.children:
            yield from _names(child)


_TARGETS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.AssignTarget: ("target",),
    cst.AnnAssign: ("target",),
    cst.AugAssign: ("target",),
    cst.For: ("target",),
    cst.NamedExpr: ("target",),
    cst.AsName: ("name",),
    cst.MatchAs: ("name",),
    cst.MatchStar: ("name",),
    cst.MatchMapping: ("rest",),
    cst.FunctionDef: ("name",),
    cst.ClassDef: ("name",),
}
"""The fields of syntax that bind names."""


def _bound(alias: cst.ImportAlias) -> tuple[str, str]:
    """(what, bound as) of ``import what as …``; ``import a.b`` binds a."""
    what = _dotted(alias.name)
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return what, alias.asname.name.value
    return what, what.partition(".")[0]


def _dotted(node: cst.BaseExpression) -> str:
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(names)]) if isinstance(node, cst.Name) else ""


_METHODS: dict[str, Callable[..., Statement]] = {
    "Assign": StatementConverter.assign,
    "AnnAssign": StatementConverter.annotated,
    "AugAssign": StatementConverter.augmented,
    "Expr": StatementConverter.bare,
    "Return": StatementConverter.returned,
    "Import": StatementConverter.imported,
    "ImportFrom": StatementConverter.imported_from,
    "If": StatementConverter.branch,
    "For": StatementConverter.loop,
    "While": StatementConverter.while_loop,
    "With": StatementConverter.context,
    "Assert": StatementConverter.asserted,
    "Try": StatementConverter.attempt,
    "FunctionDef": StatementConverter.function,
    "ClassDef": StatementConverter.class_,
}
