"""Which functions a name of a module may mean when a kernel runs, and their decorators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofscan.parse.reader.decorators import compiler_of
from roofscan.parse.reader.module import SELF, Module, assigned_value
from roofscan.parse.reader.outline import Definition
from roofscan.parse.syntax import Call, Conditional, Expression, Function, Name, Return
from roofscan.parse.syntax_walk import dotted_path, walk

MAX_ALIASES = 8

KEEPS_RESULTS = frozenset(("cache", "lru_cache", "cached_property", "memoize"))
"""Decorators after which a call may do no work at all, by their last name."""

CHANGES_NOTHING = ("builtins.", "typing.", "numba.", "abc.", "functools.wraps")
"""Prefixes of decorators that leave the work of a function as it is."""


@dataclass(frozen=True)
class Meaning:
    """The ``functions`` that a name may mean, in source order; ``lost`` says why it may be something else. ``cached``:
    a call may do no work. ``trusted``: decorators of other packages, assumed to change nothing."""

    functions: tuple[Function, ...] = ()
    lost: str = ""
    cached: bool = False
    trusted: tuple[str, ...] = ()


def meaning_of(module: Module, name: str, aliases_left: int = MAX_ALIASES) -> Meaning:
    """The last definition of ``name`` at the top level of the module, and the conditional ones after it. Empty where
    none of them is a function."""
    found: list[Meaning] = []
    for definition in module.bindings.get(name, ()):
        here = _bound(module, definition, name, aliases_left)
        if here is not None:
            found = [*found, here] if definition.conditional else [here]
    if not any(each.functions for each in found):
        return Meaning()
    functions = {id(f): f for each in found for f in each.functions}
    return Meaning(
        tuple(functions.values()),
        next((each.lost for each in found if each.lost), ""),
        any(each.cached for each in found),
        tuple(dict.fromkeys(text for each in found for text in each.trusted)),
    )


def _bound(module: Module, definition: Definition, name: str, aliases_left: int) -> Meaning | None:
    """What one definition binds the name to; None where it leaves the name as it was."""
    if definition.kind == "function":
        return _decorated(module, module.function_at((definition,)))
    value = assigned_value(module.statements(definition), name) if definition.kind == "assign" else None
    if value is None:
        return None
    named = tuple(_functions_named(value, module))
    if named == (name,):
        return None  # f = njit(f)
    meanings = [meaning_of(module, other, aliases_left - 1) for other in named] if aliases_left else []
    functions = tuple(f for meaning in meanings for f in meaning.functions)
    if not functions or any(not m.functions or m.lost for m in meanings):
        return Meaning((), f"{name} is assigned in line {definition.line}")
    return Meaning(functions, "", any(m.cached for m in meanings))


def _functions_named(value: Expression, module: Module) -> Iterator[str]:
    """The names in ``other``, ``fast if quick else slow`` and ``njit(other)``."""
    if isinstance(value, Conditional):
        yield from _functions_named(value.then, module)
        yield from _functions_named(value.orelse, module)
    elif isinstance(value, Call) and value.args and _compiles(value.function, module):
        yield from _functions_named(value.args[0], module)
    else:
        yield dotted_path(value) or ""


def _compiles(compiler: Expression, module: Module) -> bool:
    """Whether what is called returns its argument, compiled: a factory of the module may return something else."""
    origin = module.resolve(compiler) or ""
    own = module.function(origin.removeprefix(SELF)) if origin.startswith(SELF) else None
    return compiler_of(compiler, module) is not None and (own is None or _returns_argument(own, module))


def _decorated(module: Module, function: Function) -> Meaning:
    trusted: list[str] = []
    cached = False
    for decorator in function.decorators:
        if compiler_of(decorator, module) is not None:
            continue
        name = dotted_path(decorator.function if isinstance(decorator, Call) else decorator) or "a decorator"
        origin = module.resolve_name(name) or name
        if origin.rpartition(".")[2] in KEEPS_RESULTS:
            cached = True
        elif origin.startswith(SELF):
            if isinstance(decorator, Call) or not _returns_argument(module.function(origin.removeprefix(SELF)), module):
                return Meaning((function,), f"{function.name} is wrapped by {name}")
        elif not origin.startswith(CHANGES_NOTHING):
            trusted.append(f"{name} does not change the work of {function.name}")
    return Meaning((function,), "", cached, tuple(trusted))


def _returns_argument(decorator: Function | None, module: Module) -> bool:
    """Whether a decorator returns the function that it is given, unchanged or compiled."""
    if decorator is None or not decorator.parameters:
        return False
    given = decorator.parameters[0].name
    returned = [_compiled_argument(n.value, module) for n in walk(decorator.body) if isinstance(n, Return)]
    return bool(returned) and all(isinstance(value, Name) and value.id == given for value in returned)


def _compiled_argument(value: Expression | None, module: Module) -> Expression | None:
    """The argument of ``njit(f)``; other values as they are."""
    is_compiled = isinstance(value, Call) and len(value.args) == 1 and compiler_of(value.function, module) is not None
    return value.args[0] if isinstance(value, Call) and is_compiled else value
