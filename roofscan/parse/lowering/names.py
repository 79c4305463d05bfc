"""Names: locals, those of enclosing functions, of the module, imports, or parameters."""

from __future__ import annotations

from pathlib import PurePath

from roofscan.ir.dtypes import F8
from roofscan.ir.dtypes import lookup as dtype_named
from roofscan.parse.lowering import values
from roofscan.parse.lowering.calls.definitions import meaning_of
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.constants import CONSTANTS
from roofscan.parse.lowering.parameters import describe
from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.reader.module_arrays import module_array
from roofscan.parse.reader.package import find, starred
from roofscan.parse.reader.type_expressions import element_type
from roofscan.parse.syntax import Binary, Call, Expression, Function, Literal, Name, Place, Sequence, Unary


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
    return found or describe(cx, name, line, role="global", told=module_array(cx.here, name))


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
    return None if written is None else constant_value(written)


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


def constant_value(expression: Expression) -> values.Value | None:
    """The value of a constant of the module: a number, a text, None or a tuple of them; else None."""
    if isinstance(expression, Literal):
        if isinstance(expression.value, (bool, int, float, complex)):
            return values.named(values.literal(expression.value))
        if isinstance(expression.value, str):
            return values.Text(expression.value)
        return values.NONE if expression.value is None else None
    if isinstance(expression, Unary) and expression.op == "-":
        inner = constant_value(expression.operand)
        if isinstance(inner, values.Scalar) and isinstance(inner.number, (int, float)):
            return values.named(values.literal(-inner.number))
    if isinstance(expression, Binary) and expression.op in ("+", "-"):  # 0.5 + 0.5j
        parts = [constant_value(side) for side in (expression.left, expression.right)]
        numbers = [part.number for part in parts if isinstance(part, values.Scalar) and part.number is not None]
        if len(numbers) == 2 and isinstance(numbers[1], complex):
            return values.named(values.literal(numbers[0] + numbers[1] * (1 if expression.op == "+" else -1)))
    if isinstance(expression, Sequence) and expression.kind in ("tuple", "list") and len(expression.items) <= 64:
        items = [constant_value(item) for item in expression.items]
        if all(item is not None for item in items):
            return values.TupleValue(tuple(item for item in items if item is not None), expression.kind)
    return None
