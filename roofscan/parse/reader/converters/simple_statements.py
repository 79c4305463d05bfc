"""LibCST's simple statements -> ``syntax`` statements: those that hold no other statement."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from roofscan.parse import syntax
from roofscan.parse.reader.converters.expressions import OPERATORS, ExpressionConverter
from roofscan.parse.reader.converters.tokens import identifier

SIMPLE: dict[type[cst.CSTNode], syntax.SimpleKind] = {
    cst.Pass: "pass", cst.Break: "break", cst.Continue: "continue", cst.Raise: "raise", cst.Del: "del",
    cst.Global: "global", cst.Nonlocal: "nonlocal",
}  # fmt: skip


class SimpleStatementConverter(ExpressionConverter):
    def small(self, node: cst.CSTNode) -> None:
        """Moves past a small statement of which no part is converted."""
        code = self.module.code_for_node(node)
        separated = isinstance(getattr(node, "semicolon", None), cst.Semicolon)
        self.cursor.pass_over(code.rstrip().removesuffix(";") if separated else code)

    def plain(self, node: cst.BaseSmallStatement, start: int) -> syntax.Statement:
        """A statement of a keyword, of which nothing but names is read."""
        self.small(node)
        return self.at(start, syntax.Simple, SIMPLE[type(node)], _mentioned(node))

    def asserted(self, node: cst.Assert, start: int) -> syntax.Statement:
        """``assert test`` is ``if not test: raise``."""
        test = self.after("assert", node.test)
        if node.msg is not None:
            self.after(",", node.msg)
        place = self.cursor.place(start)
        return syntax.If(place, syntax.Unary(place, "not", test), (syntax.Simple(place, "raise"),), ())

    def assign(self, node: cst.Assign, start: int) -> syntax.Statement:
        targets = tuple([self.assigned(target.target) for target in node.targets])
        return self.at(start, syntax.Assign, targets, self.expression(node.value))

    def assigned(self, node: cst.BaseExpression) -> syntax.Expression:
        target = self.expression(node)
        self.take("=")
        return target

    def annotated(self, node: cst.AnnAssign, start: int) -> syntax.Statement:
        target = self.expression(node.target)
        annotation = self.annotation(node.annotation, ":")
        if node.value is not None:
            self.take("=")
        return self.at(start, syntax.Assign, (target,), self.optional(node.value), annotation)

    def augmented(self, node: cst.AugAssign, start: int) -> syntax.Statement:
        operator = OPERATORS[type(node.operator).__name__.removesuffix("Assign")]
        target = self.expression(node.target)
        return self.at(start, syntax.AugAssign, target, operator, self.after(f"{operator}=", node.value))

    def bare(self, node: cst.Expr, start: int) -> syntax.Statement:
        return self.at(start, syntax.ExpressionStatement, self.expression(node.value))

    def returned(self, node: cst.Return, start: int) -> syntax.Statement:
        self.take("return")
        return self.at(start, syntax.Return, self.optional(node.value))

    def imported(self, node: cst.Import, start: int) -> syntax.Statement:
        self.small(node)
        return self.at(start, syntax.Import, "", 0, tuple(map(_bound, node.names)))

    def imported_from(self, node: cst.ImportFrom, start: int) -> syntax.Statement:
        self.small(node)
        module = _dotted(node.module) if node.module is not None else ""
        aliases = node.names if not isinstance(node.names, cst.ImportStar) else ()
        names = tuple((_dotted(a.name), _bound(a)[1] if a.asname else _dotted(a.name)) for a in aliases)
        return self.at(start, syntax.Import, module, len(node.relative), names or (("*", "*"),))


def _mentioned(node: cst.CSTNode) -> tuple[str, ...]:
    """The names that a ``global`` or ``nonlocal`` declares, and those of what a ``del`` takes something from."""
    if isinstance(node, (cst.Global, cst.Nonlocal)):
        return tuple(identifier(item.name.value) for item in node.names)
    return tuple(_roots(node.target)) if isinstance(node, cst.Del) else ()


def _roots(target: cst.CSTNode) -> Iterator[str]:
    while isinstance(target, cst.Subscript):
        target = target.value
    if isinstance(target, cst.Name):
        yield identifier(target.value)
    elif not isinstance(target, cst.Attribute):
        for child in target.children:
            yield from _roots(child)


def _bound(alias: cst.ImportAlias) -> tuple[str, str]:
    """(what, bound as) of ``import what as …``; ``import a.b`` binds a."""
    what = _dotted(alias.name)
    if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
        return what, identifier(alias.asname.name.value)
    return what, what.partition(".")[0]


def _dotted(node: cst.BaseExpression) -> str:
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(identifier(node.attr.value))
        node = node.value
    return ".".join([identifier(node.value), *reversed(names)]) if isinstance(node, cst.Name) else ""
