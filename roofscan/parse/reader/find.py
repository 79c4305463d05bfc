"""Which functions of a module are kernels: decorated or compiled by a call, marked by a pragma, or plain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Decorator
from roofscan.ir.kinds import DecoratorKind
from roofscan.parse.reader.array_code import is_array_code, may_be_array_code
from roofscan.parse.reader.decorators import (
    CompileOptions,
    Compiler,
    compiler_named,
    compiler_of,
    decorator_of,
    expanded,
    may_compile,
    options_of,
)
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.outline import Definition
from roofscan.parse.reader.pragma import Problem, find_pragmas
from roofscan.parse.reader.source import may_hold_kernels
from roofscan.parse.syntax import Call, Function, Statement
from roofscan.parse.syntax_walk import dotted_path, walk_all

Path = tuple[Definition, ...]
"""A function's piece with those around it, outermost first."""


@dataclass(frozen=True)
class Candidate:
    """A function to look at as a kernel.

    ``how`` is "decorated" (Numba compiles it), "pragma" (a comment marks it) or "plain" (its code looks like
    array code). ``pragma`` is what its pragma says, None where it has none.
    """

    function: Function
    name: str  # dotted: Class.method, outer.inner
    decorator: Decorator
    options: CompileOptions
    enclosing: tuple[Function, ...]  # outermost first
    class_name: str | None  # of the class whose method it is
    pragma: Facts | None
    how: str


@dataclass(frozen=True)
class FoundKernels:
    """Candidates in source order, and the pragmas that cannot be read."""

    candidates: tuple[Candidate, ...]
    problems: tuple[Problem, ...]


def find_candidates(module: Module, plain: bool) -> FoundKernels:
    """The kernels of a module; with ``plain``, undecorated array code too."""
    pragmas = find_pragmas(module)
    by_call = dict(_compiled_by_call(module))
    candidates: list[Candidate] = []
    for path in chain.from_iterable(module.function_pieces.values()):
        facts = pragmas.of(path[-1])
        compiler = _decorated(path, module) or by_call.get(path[-1].line)
        if compiler is not None:
            candidates.append(_candidate(path, module, compiler, facts))
        elif facts is not None or (plain and _is_plain(path, module)):
            candidates.append(_candidate(path, module, None, facts))
    candidates.sort(key=lambda c: (c.function.place.line, c.name))
    return FoundKernels(tuple(candidates), tuple(pragmas.leftovers()))


def _candidate(path: Path, module: Module, compiler: Compiler | None, facts: Facts | None) -> Candidate:
    marked = "plain" if facts is None else "pragma"
    unmarked_kind: DecoratorKind = "none" if facts is None else "pragma"
    around = (path[: i + 1] for i, piece in enumerate(path[:-1]) if piece.kind == "function")
    return Candidate(
        function=module.function_at(path),
        name=".".join(piece.name for piece in path),
        decorator=decorator_of(compiler, module) if compiler else Decorator(unmarked_kind),
        options=options_of(compiler, module) if compiler else CompileOptions(),
        enclosing=tuple(module.function_at(outer) for outer in around),
        class_name=path[-2].name if len(path) > 1 and path[-2].kind == "class" else None,
        pragma=facts,
        how="decorated" if compiler else marked,
    )


def _decorated(path: Path, module: Module) -> Compiler | None:
    """What compiles a function by decoration: the decorator nearest to it, or its class's jitclass."""
    piece = path[-1]
    if any(may_compile(head, module) for head in piece.heads):
        expressions = module.function_at(path).decorators
        compilers = [compiler_of(expression, module) for expression in expressions]
        if not expressions:  # the function could not be converted: its decorators' names remain
            compilers = [compiler_named(head, module) for head in piece.heads]
        if found := next(filter(None, reversed(compilers)), None):
            return found
    return _jitclass(path[-2], module) if len(path) > 1 and path[-2].kind == "class" else None


def _jitclass(piece: Definition, module: Module) -> Compiler | None:
    if not any(may_compile(head, module) for head in piece.heads):
        return None
    node = module.class_at(piece)
    compilers = (compiler_of(expression, module) for expression in (node.decorators if node else ()))
    return next((found for found in compilers if found is not None and found.kind == "jitclass"), None)


def candidates_named(module: Module, name: str) -> tuple[Candidate, ...]:
    """The functions of that dotted name, or else of that last part, as candidates: kernels or not."""
    found = {(c.function.place.line, c.name): c for c in find_candidates(module, plain=True).candidates}
    dotted = [d for d in module.functions if d == name] or [d for d in module.functions if d.rpartition(".")[2] == name]
    paths = (path for each in dotted for path in module.function_pieces[each])
    return tuple(
        found.get((path[-1].line, ".".join(p.name for p in path))) or _candidate(path, module, None, None)
        for path in paths
    )


def _is_plain(path: Path, module: Module) -> bool:
    return may_be_array_code(path[-1], module) and is_array_code(module.function_at(path), module)


# -- call forms -------------------------------------------------------------------------------
def _compiled_by_call(module: Module) -> Iterator[tuple[int, Compiler]]:
    """(line of the def, compiler) of functions that a call compiles: ``fast = njit(cache=True)(slow)``."""
    for path in _assignments(module.pieces, ()):
        if any(may_compile(head, module) for head in path[-1].heads):
            yield from _applications(module.statements(path[-1]), path[:-1], module)
    for path in chain.from_iterable(module.function_pieces.values()):
        if _is_outermost(path) and may_hold_kernels(_body_text(path[-1], module)):
            yield from _applications(module.function_at(path).body, path, module)


def _assignments(pieces: Path, around: Path) -> Iterator[Path]:
    """The assignments of a module and of its classes, each with the classes around it."""
    for piece in pieces:
        if piece.kind == "assign":
            yield (*around, piece)
        elif piece.kind == "class":
            yield from _assignments(piece.children, (*around, piece))


def _is_outermost(path: Path) -> bool:
    return all(piece.kind == "class" for piece in path[:-1])


def _body_text(piece: Definition, module: Module) -> str:
    return "\n".join(module.lines[piece.line : piece.end_line])


def _applications(body: tuple[Statement, ...], around: Path, module: Module) -> Iterator[tuple[int, Compiler]]:
    """The compilers that ``body`` applies to functions, each with the line of that function's def."""
    nodes = list(walk_all(body))
    hidden = {p.name for node in nodes if isinstance(node, Function) for p in node.parameters}
    if around and around[-1].kind == "function":
        hidden |= {p.name for p in module.function_at(around).parameters}
    for node in nodes:
        if not isinstance(node, Call) or not node.args:
            continue
        name = dotted_path(node.args[0])
        line = _line_of(name, around, module) if name and name not in hidden else None
        if line is not None and (compiler := compiler_of(node.function, module)):
            yield line, compiler.called(node.args[1:], expanded(node.keywords, module))


def _line_of(name: str, around: Path, module: Module) -> int | None:
    """The line of the def that a name means: one inside the functions ``around``, else the module's."""
    for paths in module.function_pieces.values():
        path = paths[-1]
        if around and path[: len(around)] == around and len(path) > len(around) and path[-1].name == name:
            return path[-1].line
    paths = module.function_pieces.get(name, [])
    return paths[-1][-1].line if paths else None
