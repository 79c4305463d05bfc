"""Which functions of a module are kernels: decorated or compiled by a call, marked by a pragma, or plain; and which are
helpers, that others of the file call in loops.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from itertools import chain
from typing import Literal

from roofscan.frozen import dataclass
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Decorator
from roofscan.parse.definitions import Definition, DefinitionPath
from roofscan.parse.reader import decorators
from roofscan.parse.reader.array_code import is_array_code, may_be_array_code
from roofscan.parse.reader.decorators import may_compile
from roofscan.parse.reader.module import WORD, Module
from roofscan.parse.reader.pragma import Problem, find_pragmas
from roofscan.parse.reader.source import may_hold_kernels
from roofscan.parse.syntax import Call, Comprehension, Expression, For, Function, Name, Return, Statement, While
from roofscan.parse.syntax_walk import dotted_path, walk, walk_all


@dataclass(frozen=True)
class Candidate:
    """A function that may be a kernel. ``how`` says why: Numba compiles it, a comment marks it, or its code looks like
    array code. ``pragma`` holds the facts of its comment, None where it has none."""

    function: Function
    name: str  # dotted: Class.method, outer.inner
    decorator: Decorator
    options: decorators.CompileOptions
    enclosing: tuple[Function, ...]  # outermost first
    pragma: Facts | None
    how: Literal["decorated", "pragma", "plain"]


@dataclass(frozen=True)
class FoundKernels:
    """Candidates in source order, and the pragmas that cannot be read."""

    candidates: tuple[Candidate, ...]
    problems: tuple[Problem, ...]


def find_candidates(module: Module, plain: bool, named: Collection[str] = ()) -> FoundKernels:
    """The kernels of a module; with ``plain``, undecorated array code too. ``named``: of functions so named alone."""
    last = {name.rpartition(".")[2] for name in named}
    pragmas = find_pragmas(module)
    by_call = dict(compiled_by_call(module))
    candidates: list[Candidate] = []
    for path in chain.from_iterable(module.function_paths.values()):
        facts = pragmas.of(path[-1])
        if last and path[-1].name not in last:
            continue
        compiler = _decorated(path, module) or by_call.get(path[-1].line)
        if compiler is not None and compiler.kind == "triton" and _returns(module.function_at(path)):
            continue  # a kernel returns nothing: it is a part of those that call it
        if compiler is not None:
            candidates.append(_candidate(path, module, compiler, facts))
        elif facts is not None or (plain and _is_plain(path, module)):
            candidates.append(_candidate(path, module, None, facts))
    candidates.sort(key=lambda c: (c.function.place.line, c.name))
    return FoundKernels(tuple(candidates), tuple(pragmas.leftovers()))


def _returns(function: Function) -> bool:
    return any(isinstance(node, Return) and node.value is not None for node in walk(function.body))


def _candidate(
    path: DefinitionPath, module: Module, compiler: decorators.Compiler | None, facts: Facts | None
) -> Candidate:
    around = (path[: i + 1] for i, definition in enumerate(path[:-1]) if definition.kind == "function")
    return Candidate(
        function=module.function_at(path),
        name=".".join(definition.name for definition in path),
        decorator=decorators.decorator_of(compiler, module)
        if compiler
        else Decorator("none" if facts is None else "pragma"),
        options=decorators.options_of(compiler, module) if compiler else decorators.CompileOptions(),
        enclosing=tuple(module.function_at(outer) for outer in around),
        pragma=facts,
        how="decorated" if compiler else "plain" if facts is None else "pragma",
    )


def _decorated(path: DefinitionPath, module: Module) -> decorators.Compiler | None:
    """What compiles a function by decoration: the decorator nearest to it, or its class's jitclass."""
    definition = path[-1]
    if any(decorators.may_compile(name, module) for name in definition.applied):
        expressions = module.function_at(path).decorators
        compilers = [decorators.compiler_of(expression, module) for expression in expressions]
        if not expressions:  # the function could not be converted: its decorators' names remain
            compilers = [decorators.compiler_named(name, module) for name in definition.applied]
        if found := next(filter(None, reversed(compilers)), None):
            return found
    return _jitclass(path[-2], module) if len(path) > 1 and path[-2].kind == "class" else None


def _jitclass(definition: Definition, module: Module) -> decorators.Compiler | None:
    if not any(decorators.may_compile(name, module) for name in definition.applied):
        return None
    node = module.class_at(definition)
    compilers = (decorators.compiler_of(expression, module) for expression in (node.decorators if node else ()))
    return next((found for found in compilers if found is not None and found.kind == "jitclass"), None)


def candidates_named(module: Module, name: str) -> tuple[Candidate, ...]:
    """The functions of that dotted name, or else of that last part, as candidates: kernels or not."""
    found = {(c.function.place.line, c.name): c for c in find_candidates(module, True, (name,)).candidates}
    dotted = [d for d in module.functions if d == name] or [d for d in module.functions if d.rpartition(".")[2] == name]
    paths = (path for each in dotted for path in module.function_paths[each])
    return tuple(
        found.get((path[-1].line, ".".join(p.name for p in path))) or _candidate(path, module, None, None)
        for path in paths
    )


def _is_plain(path: DefinitionPath, module: Module) -> bool:
    return may_be_array_code(path[-1], module) and is_array_code(module.function_at(path), module)


def compiled_by_call(module: Module) -> Iterator[tuple[int, decorators.Compiler]]:
    """(line of the def, compiler) of functions that a call compiles: ``fast = njit(cache=True)(slow)``."""
    for path in _assignments(module.definitions, ()):
        if any(decorators.may_compile(name, module) for name in path[-1].applied):
            yield from _applications(module.statements(path[-1]), path[:-1], module)
    for path in chain.from_iterable(module.function_paths.values()):
        if _is_outermost(path) and may_hold_kernels(_body_text(path[-1], module)):
            yield from _applications(module.function_at(path).body, path, module)


def _assignments(definitions: DefinitionPath, around: DefinitionPath) -> Iterator[DefinitionPath]:
    """The assignments of a module and of its classes, each with the classes around it."""
    for definition in definitions:
        if definition.kind == "assign":
            yield (*around, definition)
        elif definition.kind == "class":
            yield from _assignments(definition.children, (*around, definition))


def _is_outermost(path: DefinitionPath) -> bool:
    return all(definition.kind == "class" for definition in path[:-1])


def _body_text(definition: Definition, module: Module) -> str:
    return "\n".join(module.lines[definition.line : definition.end_line])


def _applications(
    body: tuple[Statement, ...], around: DefinitionPath, module: Module
) -> Iterator[tuple[int, decorators.Compiler]]:
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
        if line is not None and (compiler := decorators.compiler_of(node.function, module)):
            yield line, compiler.called(node.args[1:], decorators.expanded(node.keywords, module))


def _line_of(name: str, around: DefinitionPath, module: Module) -> int | None:
    """The line of the def that a name means: one inside the functions ``around``, else the module's."""
    for paths in module.function_paths.values():
        path = paths[-1]
        if around and path[: len(around)] == around and len(path) > len(around) and path[-1].name == name:
            return path[-1].line
    paths = module.function_paths.get(name, [])
    return paths[-1][-1].line if paths else None


def is_helper(module: Module, dotted: str) -> bool:
    """Whether a compiled function calls it in a loop or passes it on, the file keeps it in a table of functions, or
    nothing but compiled functions refers to it."""
    name = dotted.rpartition(".")[2]
    lines = lines_with(module, name)
    if len(lines) < 2:  # its own def
        return False
    compiled = compiled_users(module, dotted, lines)
    if any(_in_a_loop(module.function_at(path), name) for path in compiled):
        return True
    assignments = (each for each in module.definitions if each.kind == "assign" and _on(each, lines))
    if any(_keeps(module, each, name) for each in assignments):
        return True
    here = [path[-1] for path in _paths(module) if _dotted(path) == dotted]
    inside = [range(each.first_line, each.end_line + 1) for each in (*here, *(path[-1] for path in compiled))]
    alone = all(any(line in lines_of for lines_of in inside) for line in lines)
    return alone and any(_calls(module.function_at(path), name) for path in compiled)


def lines_with(module: Module, name: str) -> list[int]:
    return [n for n, text in enumerate(module.lines, 1) if name in text and name in WORD.findall(text)]


def compiled_users(module: Module, dotted: str, lines: list[int]) -> list[DefinitionPath]:
    """The other compiled functions that hold some of these lines."""
    users = (path for path in _paths(module) if _dotted(path) != dotted and _on(path[-1], lines))
    return [path for path in users if any(may_compile(head, module) for p in path for head in p.applied)]


def callers_of(candidates: Collection[Candidate]) -> dict[str, tuple[str, ...]]:
    """For each of them, by its dotted name, those that call something of its last name."""
    called: dict[str, list[str]] = defaultdict(list)
    for caller in candidates:
        calls = (node.function for node in walk_all(caller.function.body) if isinstance(node, Call))
        for name in dict.fromkeys((dotted_path(function) or "").rpartition(".")[2] for function in calls):
            called[name].append(caller.name)
    return {c.name: tuple(n for n in called[c.name.rpartition(".")[2]] if n != c.name) for c in candidates}


def _paths(module: Module) -> Iterator[DefinitionPath]:
    return (path for paths in module.function_paths.values() for path in paths)


def _on(definition: Definition, lines: list[int]) -> bool:
    return any(
        definition.line < line <= definition.end_line or definition.line == definition.end_line == line
        for line in lines
    )


def _dotted(path: DefinitionPath) -> str:
    return ".".join(part.name for part in path)


def _calls(function: Function, name: str) -> bool:
    return any(isinstance(node, Call) and _is(node.function, name) for node in walk_all(function.body))


def _in_a_loop(function: Function, name: str) -> bool:
    """Whether it calls a function in a loop, or passes it to another one."""
    nodes = list(walk_all(function.body))
    passed = (arg for node in nodes if isinstance(node, Call) for arg in node.args)
    called = (
        node.function
        for loop in nodes if isinstance(loop, (For, While, Comprehension))
        for node in walk_all(loop) if isinstance(node, Call)
    )  # fmt: skip
    return any(_is(e, name) for e in called) or any(isinstance(e, Name) and e.id == name for e in passed)


def _is(expression: Expression, name: str) -> bool:
    found = dotted_path(expression)
    return found is not None and found.rpartition(".")[2] == name


def _keeps(module: Module, definition: Definition, name: str) -> bool:
    """Whether an assignment puts the function into a dict, a list or a tuple; what a call makes of it is another."""
    values = (value for bound, _ in definition.bound for value in module.assignments(bound))
    found = (node for value in values if not isinstance(value, (Call, Name)) for node in walk_all(value))
    return any(isinstance(node, Name) and node.id == name for node in found)
