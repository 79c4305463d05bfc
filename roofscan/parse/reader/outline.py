"""The outline of a module: its definitions by line ranges, from the tree of Python's own parser, which flake8 hands
over. It says enough of each definition (names, imports, decorators) to decide which ones LibCST reads."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator
from threading import Lock
from typing import Union

from roofscan.parse.definitions import MAX_DEPTH, Definition, dotted_import, join_lines
from roofscan.parse.reader.source import SourceError, one_line

DefinitionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef]
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def outline(text: str, path: str, tree: ast.Module | None = None) -> tuple[Definition, ...]:
    """The top-level definitions of a module in order; ``tree`` is its ast where the caller has it. Source that the
    running Python does not parse is tried with LibCST, which knows newer grammars. Raises SourceError where neither
    parses it."""
    if tree is None:
        try:
            tree = _parse(text)
        except SyntaxError as error:
            from roofscan.parse.reader.outline_by_libcst import outline_by_libcst  # LibCST: only where Python fails

            return outline_by_libcst(text, path, SourceError(path, error.lineno or 0, one_line(error)))
        except (RecursionError, MemoryError, ValueError) as error:
            raise SourceError(path, 0, f"cannot be parsed: {one_line(error)}") from None
    try:
        return join_lines(_Cutter(text.split("\n"), is_deep(tree)).definitions_in(tree.body, conditional=False))
    except RecursionError:  # thousands of elifs
        raise SourceError(path, 0, "code nested too deeply") from None


_PARSING = Lock()


def _parse(text: str) -> ast.Module:
    """The tree of a text, without the warnings of invalid escapes; to silence them concerns all threads."""
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


class _Cutter:
    """Cuts statements into definitions; ``may_be_deep``: some may be nested too deeply. In nearly all files none is."""

    def __init__(self, lines: list[str], may_be_deep: bool) -> None:
        self.lines = lines
        self.may_be_deep = may_be_deep

    def definitions_in(self, body: Iterable[ast.stmt], conditional: bool) -> Iterator[Definition]:
        for node in body:
            if isinstance(node, DEFINITIONS):
                yield self.definition(node, conditional)
            elif _suites(node):
                yield self.header(node)
                for suite in _suites(node):
                    yield from self.definitions_in(suite, conditional=True)
            else:
                yield self.statement(node, conditional)

    def definition(self, node: DefinitionNode, conditional: bool) -> Definition:
        is_class = isinstance(node, ast.ClassDef)
        children = self.definitions_in(node.body, False) if is_class else self.inner(node.body)
        return Definition(
            kind="class" if is_class else "function",
            name=node.name,
            first_line=self.first_line(node),
            line=node.lineno,
            end_line=node.end_lineno or node.lineno,
            bound=((node.name, ""),),
            applied=tuple(name for name in map(_applied_name, node.decorator_list) if name),
            children=tuple(children),
            conditional=conditional,
            too_deep=self.may_be_deep and is_deep(node),
            header_end=max(node.lineno, self.first_line(node.body[0]) - 1),
        )

    def first_line(self, node: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        if not decorators:
            return node.lineno
        line = decorators[0].lineno
        while line > 1 and not self.lines[line - 1].lstrip().startswith("@"):
            line -= 1  # `@(` or `@\` on a line before the expression
        return line

    def inner(self, body: Iterable[ast.stmt]) -> Iterator[Definition]:
        """The definitions and imports inside a function's body, those in its blocks included."""
        for node in body:
            if isinstance(node, DEFINITIONS):
                yield self.definition(node, conditional=False)
            elif isinstance(node, (ast.Import, ast.ImportFrom, ast.Global)):
                yield self.statement(node, conditional=True)
            else:
                for suite in _suites(node):
                    yield from self.inner(suite)

    def statement(self, node: ast.stmt, conditional: bool) -> Definition:
        first, last = node.lineno, node.end_lineno or node.lineno
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            return Definition("import", "", first, first, last, tuple(_imported(node)), conditional=conditional)
        if isinstance(node, ast.Global):
            return Definition("other", "", first, first, last, tuple((n, "") for n in node.names), conditional=True)
        bound = tuple((name, "") for name in _stored(node))
        deep = self.may_be_deep and is_deep(node)
        value = getattr(node, "value", None)
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and value is not None and bound:
            applied = tuple(_applied_name(call) for call in _alternatives(value) if isinstance(call, ast.Call))
            return Definition("assign", bound[0][0], first, first, last, bound, applied, (), conditional, deep)
        return Definition("other", "", first, first, last, bound, conditional=True, too_deep=deep)

    def header(self, node: ast.stmt) -> Definition:
        """What an ``if``, ``for`` or ``with`` line binds by itself."""
        fields = [getattr(node, name, None) for name in ("test", "target", "iter", "subject")]
        fields += getattr(node, "items", [])
        names = {name for field in fields if isinstance(field, ast.AST) for name in _stored(field)}
        bound = tuple((name, "") for name in sorted(names))
        return Definition("other", "", node.lineno, node.lineno, node.lineno, bound, conditional=True)


def _suites(node: ast.stmt) -> list[list[ast.stmt]]:
    """The bodies of a compound statement in order; none for a simple one."""
    blocks = [getattr(node, name, None) for name in ("body", "handlers", "cases", "orelse", "finalbody")]
    suites: list[list[ast.stmt]] = []
    for block in blocks:
        for part in block or ():
            if isinstance(part, (ast.ExceptHandler, *_CASE)):
                suites.append(part.body)
        if block and isinstance(block[0], ast.stmt):
            suites.append(block)
    return suites


_CASE = (ast.match_case,)


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    for alias in node.names:
        if isinstance(node, ast.ImportFrom):
            yield alias.asname or alias.name, dotted_import(node.module or "", node.level, alias.name)
        elif alias.asname:
            yield alias.asname, alias.name
        else:
            yield alias.name.partition(".")[0], alias.name.partition(".")[0]


def _stored(node: ast.AST) -> list[str]:
    """The names that a statement bound, deletes or may change (``table[0] = 1``, ``table.append(1)``). The variables of
    comprehensions are their own."""
    nodes = list(ast.walk(node))
    hidden = {id(n) for c in nodes if isinstance(c, ast.comprehension) for n in ast.walk(c.target)}
    places = (n for n in nodes if isinstance(n, (ast.Name, ast.Subscript, ast.Attribute)) and id(n) not in hidden)
    names = [_root(place) for place in places if not isinstance(place.ctx, ast.Load)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        names.append(_root(node.value.func) if isinstance(node.value.func, ast.Attribute) else "")
    return list(dict.fromkeys(name for name in names if name))


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _alternatives(node: ast.expr) -> tuple[ast.expr, ...]:
    return (node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,)


def _applied_name(node: ast.expr) -> str:
    """``nb.njit`` for ``nb.njit``, ``nb.njit(…)`` and ``nb.njit(…)(…)``; "" for anything else."""
    while isinstance(node, ast.Call):
        node = node.func
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def is_deep(root: ast.AST) -> bool:
    """Whether the tree is deeper than :data:`MAX_DEPTH` nodes, without recursion."""
    depth, level = 0, [root]
    while level and depth <= MAX_DEPTH:
        below: list[ast.AST] = []
        for node in level:
            if isinstance(node, ast.BoolOp) and len(node.values) > MAX_DEPTH:
                return True  # one node here, but one inside the other when converted
            for name in node._fields:  # not what others note on the tree: pyflakes hangs parents on it
                field = getattr(node, name, None)
                if isinstance(field, ast.AST):
                    below.append(field)
                elif isinstance(field, list):
                    below += [item for item in field if isinstance(item, ast.AST)]
        depth, level = depth + 1, below
    return depth > MAX_DEPTH
