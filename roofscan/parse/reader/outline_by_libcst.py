"""The outline of a module whose grammar is newer than the running Python (``def f[T]`` under 3.10): LibCST parses the
whole file, which is slow."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse import syntax
from roofscan.parse.definitions import MAX_DEPTH, Definition, DefinitionKind, dotted_import, join_lines
from roofscan.parse.reader.converters.statements import convert_text
from roofscan.parse.reader.source import SourceError, UnparsableText, nesting
from roofscan.parse.syntax_walk import blocks, dotted_path


def outline_by_libcst(text: str, path: str, error: SourceError) -> tuple[Definition, ...]:
    """The definitions of ``text``; raises ``error`` (what Python's own parser said) where LibCST fails too."""
    if nesting(text) > MAX_DEPTH:
        raise error
    try:
        statements = convert_text(text, 1)
    except (UnparsableText, RecursionError):
        raise error from None
    return join_lines(_definitions_in(statements, conditional=False))


def _definitions_in(body: tuple[syntax.Statement, ...], conditional: bool) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, (syntax.Function, syntax.Class)):
            yield _definition(node, conditional)
        elif suites := blocks(node):
            if isinstance(node, syntax.For):
                yield _statement_definition(node, "other", tuple((name, "") for name in _names(node.target)), True)
            for suite in suites:
                yield from _definitions_in(suite, conditional=True)
        else:
            yield _statement(node, conditional)


def _definition(node: syntax.Function | syntax.Class, conditional: bool) -> Definition:
    is_class = isinstance(node, syntax.Class)
    body = node.body[0]
    body_line = body.first_line if isinstance(body, syntax.Function) else body.place.line
    children = _definitions_in(node.body, False) if is_class else _inner(node.body)
    return Definition(
        kind="class" if is_class else "function",
        name=node.name,
        first_line=min([node.place.line, *(d.place.line for d in node.decorators)]),
        line=node.place.line,
        end_line=node.place.end_line,
        bound=((node.name, ""),),
        applied=tuple(name for name in map(_applied_name, node.decorators) if name),
        children=tuple(children),
        conditional=conditional,
        header_end=max(node.place.line, body_line - 1),
    )


def _inner(body: tuple[syntax.Statement, ...]) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, (syntax.Function, syntax.Class)):
            yield _definition(node, False)
        elif isinstance(node, syntax.Import):
            yield _statement(node, True)
        else:
            for suite in blocks(node):
                yield from _inner(suite)


def _statement(node: syntax.Statement, conditional: bool) -> Definition:
    if isinstance(node, syntax.Import):
        return _statement_definition(node, "import", tuple(_imported(node)), conditional)
    if isinstance(node, syntax.Assign) and node.value is not None:
        names = dict.fromkeys(name for target in node.targets for name in _names(target))
        bound = tuple((name, "") for name in names)
        values = (node.value.then, node.value.orelse) if isinstance(node.value, syntax.Conditional) else (node.value,)
        applied = tuple(_applied_name(call) for call in values if isinstance(call, syntax.Call))
        if bound:
            return _statement_definition(node, "assign", bound, conditional, applied)
    if isinstance(node, syntax.AugAssign):
        return _statement_definition(node, "other", tuple((name, "") for name in _names(node.target)), True)
    if isinstance(node, syntax.ExpressionStatement) and isinstance(node.value, syntax.Call):
        changed = node.value.function if isinstance(node.value.function, syntax.Attribute) else None
        return _statement_definition(
            node, "other", tuple((name, "") for name in _names(changed)) if changed else (), True
        )
    return _statement_definition(node, "other", (), True)


def _imported(node: syntax.Import) -> Iterator[tuple[str, str]]:
    for what, bound in node.names:
        if node.module or node.level:
            yield bound, dotted_import(node.module, node.level, what)
        else:  # `import a.b` binds a, `import a.b as c` binds a.b as c
            yield bound, bound if what.partition(".")[0] == bound else what


def _statement_definition(
    node: syntax.Statement,
    kind: DefinitionKind,
    bound: tuple[tuple[str, str], ...],
    conditional: bool,
    applied: tuple[str, ...] = (),
) -> Definition:
    name = bound[0][0] if kind == "assign" else ""
    last = node.place.line if isinstance(node, syntax.For) else node.place.end_line
    return Definition(kind, name, node.place.line, node.place.line, last, bound, applied, (), conditional)


def _names(target: syntax.Expression) -> Iterator[str]:
    """The names that an assignment to ``target`` binds or changes a part of."""
    while isinstance(target, (syntax.Subscript, syntax.Attribute)):
        target = target.base
    if isinstance(target, syntax.Name):
        yield target.id
    elif isinstance(target, syntax.Starred):
        yield from _names(target.value)
    elif isinstance(target, syntax.Sequence):
        for item in target.items:
            yield from _names(item)


def _applied_name(node: syntax.Expression) -> str:
    """``nb.njit`` for ``nb.njit``, ``nb.njit(…)`` and ``nb.njit(…)(…)``; "" for anything else."""
    while isinstance(node, syntax.Call):
        node = node.function
    return dotted_path(node) or ""
