"""Names: locals, those of enclosing functions, of the module (which functions one may mean), imports, or parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePath

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import F8
from roofscan.ir.dtypes import lookup as dtype_named
from roofscan.parse.definitions import Definition
from roofscan.parse.lowering import values
from roofscan.parse.lowering.arithmetic import folded
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.constants import CONSTANTS
from roofscan.parse.lowering.parameters import describe
from roofscan.parse.reader.decorators import compiler_of
from roofscan.parse.reader.module import SELF, Module, assigned_value
from roofscan.parse.reader.module_arrays import module_array
from roofscan.parse.reader.package import find, starred
from roofscan.parse.reader.type_expressions import element_type
from roofscan.parse.syntax import (
    Binary,
    Call,
    Conditional,
    Expression,
    Function,
    Literal,
    Name,
    Place,
    Return,
    Sequence,
    Unary,
)
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


def lookup(cx: Context, name: str, line: int) -> values.Value:
    """The value of a name at this point; an unbound name is described like a parameter."""
    frame = cx.frame
    for scope in (frame.names, frame.closure, frame.globals_seen):
        if name in scope:
            return scope[name]
    value = from_module(cx, name, line)
    frame.globals_seen[name] = value
    return value


def from_module(cx: Context, name: str, line: int) -> values.Value:
    """The value of a name that the function does not bind."""
    found = _defined(cx, cx.here, name, cx.frame.module)
    if found is not None:
        return found
    dotted = cx.here.resolve(Name(_place(line), name))
    if dotted is not None and not dotted.startswith(SELF):
        return imported(cx, dotted)
    star = starred(cx.here, name) if dotted is None else None
    found = _defined(cx, star.module, star.name, star.module) if star is not None else None
    if found is None:
        found = _variable(cx, name, line)
    return replace(found, outer=True) if isinstance(found, values.Scalar) else found


def _variable(cx: Context, name: str, line: int) -> values.Value:
    """A variable of the module. An array is one for all functions that read it, whatever calls them."""
    key = (cx.here.path, name)
    seen = cx.builder.of_modules.get(key)
    if seen is not None and cx.frame.type_facts.ranks.get(name, seen.ndim) == seen.ndim:
        return seen
    found = describe(cx, name, line, role="global", told=module_array(cx.here, name))
    if isinstance(found, values.View):
        cx.builder.of_modules[key] = found
    return found


def _defined(cx: Context, module: Module, name: str, owner: Module | None) -> values.Value | None:
    """A function or a plain constant of a module, else None. ``owner`` is the module if it is another file."""
    meaning = meaning_of(module, name)
    if meaning.lost:
        return values.Unknown(meaning.lost)
    for text in meaning.trusted:
        cx.builder.assume(text)
    found: tuple[values.FunctionRef, ...] = ()
    for function in reversed(meaning.functions or _method(module, name)):
        label = name if "." in name else function.name
        label = label if owner is None else f"{PurePath(module.path).stem}.{label}"
        found = (values.FunctionRef(function, label, module=owner, others=found, cached=meaning.cached), *found)
    if found:
        return found[0]
    written = module.constants.get(name)
    if isinstance(written, Call):
        dtype = element_type(Name(_place(0), name), module)
        return None if dtype is None else values.DTypeValue(dtype)
    return None if written is None else constant_value(written, module)


def _method(module: Module, name: str) -> tuple[Function, ...]:
    function = module.function(name)
    return () if function is None else (function,)


def imported(cx: Context, dotted: str) -> values.Value:
    """An imported name: a function or constant of the same package, else known by its name alone."""
    found = find(cx.here, dotted)
    if found is None:
        return origin(dotted)
    defined = _defined(cx, found.module, found.name, found.module)
    if defined is not None:
        return defined
    alias = found.module.resolve_name(found.name)
    return origin(dotted if alias is None or alias.startswith((SELF, ".")) else alias)


def _place(line: int) -> Place:
    return Place(line, 0, line, 0)


def origin(dotted: str) -> values.Value:
    """A dotted name from outside: a constant, an element type, or a module or function known by name."""
    module, _, name = dotted.rpartition(".")
    if name in CONSTANTS and module in ("numpy", "math", "cmath"):
        return values.Scalar(F8, number=CONSTANTS[name], weak=True)
    if module in ("numpy", "numba", "numba.types", "numba.core.types") and name not in ("f", "d", "i", "l", "void"):
        dtype = dtype_named(name)
        if dtype is not None:
            return values.DTypeValue(dtype)
    return values.ModuleRef(dotted)


MAX_CONSTANTS = 16  # that one is worked out from


def constant_value(expression: Expression, module: Module | None = None, depth: int = 0) -> values.Value | None:
    """The value of a constant of the module: a number, a text, None or a tuple of them; else None. With the module,
    of numbers that are worked out from its other constants too: ``N = 4 * TILE``."""
    if isinstance(expression, Literal):
        return _literal(expression)
    if isinstance(expression, Unary) and expression.op == "-":
        inner = constant_value(expression.operand)
        if isinstance(inner, values.Scalar) and isinstance(inner.number, (int, float)):
            return values.named(values.literal(-inner.number))
    if isinstance(expression, Binary):
        return _computed(expression, module, depth)
    if isinstance(expression, Name) and module is not None and depth < MAX_CONSTANTS:
        written = module.constants.get(expression.id)
        return None if written is None or not depth else constant_value(written, module, depth + 1)
    if isinstance(expression, Sequence) and expression.kind in ("tuple", "list") and len(expression.items) <= 64:
        items = [value for item in expression.items if (value := constant_value(item)) is not None]
        return values.TupleValue(tuple(items), expression.kind) if len(items) == len(expression.items) else None
    return None


def _literal(written: Literal) -> values.Value | None:
    if isinstance(written.value, (bool, int, float, complex)):
        return values.named(values.literal(written.value))
    if isinstance(written.value, str):
        return values.Text(written.value)
    return values.NONE if written.value is None else None


def _computed(written: Binary, module: Module | None, depth: int) -> values.Value | None:
    parts = [constant_value(side, module, depth + 1) for side in (written.left, written.right)]
    numbers = [part.number for part in parts if isinstance(part, values.Scalar) and part.number is not None]
    if len(numbers) < 2:
        return None
    one, other = numbers
    if isinstance(other, complex) and written.op in ("+", "-"):  # 0.5 + 0.5j
        return values.named(values.literal(one + other * (1 if written.op == "+" else -1)))
    if module is None or isinstance(one, complex) or isinstance(other, complex):
        return None
    result = folded(written.op, one, other)
    return None if result is None else values.named(values.literal(result))
