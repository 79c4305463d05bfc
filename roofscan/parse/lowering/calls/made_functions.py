"""What a module has besides its own functions and constants: functions that a factory makes at top level (``smooth =
make_filter(3)``), static methods of its classes (``Filters.smooth``), and their constants (``Filters.ORDER``)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from roofscan.parse.inference.factories import factory_call
from roofscan.parse.lowering.calls.inline import inline
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.names import constant_value, from_module
from roofscan.parse.lowering.values import FunctionRef, Scalar, Value
from roofscan.parse.reader.decorators import compiler_of
from roofscan.parse.reader.module import SELF, Module, assigned_value
from roofscan.parse.syntax import Assign, Attribute, Expression, Name
from roofscan.parse.syntax_walk import dotted_path


def made_function(cx: Context, name: str) -> FunctionRef | None:
    """What a factory returned for the name, where it does nothing else and its arguments are known; else None."""
    found = None if is_local(cx, name) else factory_call(cx.here, name)
    if found is None:
        return None
    factory, written = found
    args = [_argument(cx, arg) for arg in written.args]
    keywords = {word.name: _argument(cx, word.value) for word in written.keywords if word.name is not None}
    if None in (*args, *keywords.values()) or len(keywords) < len(written.keywords):
        return None
    called = FunctionRef(factory, factory.name, module=cx.frame.module)
    given = {name: value for name, value in keywords.items() if value is not None}
    with cx.builder.inside():  # its work is done when the module is imported
        made = inline(cx, called, [arg for arg in args if arg is not None], given, written.place.line)
    return replace(made, scope=_finished(made.scope)) if isinstance(made, FunctionRef) else None


def _finished(scope: Mapping[str, Value]) -> dict[str, Value]:
    """The numbers around a function that was made, without the operations that computed them."""
    return {name: replace(v, node=None) if isinstance(v, Scalar) else v for name, v in scope.items()}


def is_local(cx: Context, name: str) -> bool:
    return name in cx.frame.names or name in cx.frame.closure


def _argument(cx: Context, written: Expression) -> Value | None:
    """A constant of the module, or one of its functions."""
    found = constant_value(written, cx.here, 1)
    if found is not None or not isinstance(written, Name) or is_local(cx, written.id):
        return found
    named = from_module(cx, written.id, written.place.line)
    return named if isinstance(named, FunctionRef) else None


def of_class(cx: Context, node: Attribute) -> Value | None:
    """The static method or the constant that ``Class.name`` is, else None."""
    path = dotted_path(node)
    owner, _, name = (path or "").rpartition(".")
    if not owner or "." in owner or is_local(cx, owner) or cx.here.resolve_name(owner) != SELF + owner:
        return None
    return _static_method(cx, f"{owner}.{name}") or _constant(cx.here, owner, name)


def _static_method(cx: Context, path: str) -> FunctionRef | None:
    function = cx.here.function(path)
    if function is None:
        return None
    others = [d for d in function.decorators if compiler_of(d, cx.here) is None]
    if [cx.here.resolve(d) for d in others] != ["builtins.staticmethod"]:
        return None
    return FunctionRef(function, path, module=cx.frame.module)


def _constant(module: Module, owner: str, name: str) -> Value | None:
    """What the body of a class assigns once, and nothing in the file changes."""
    bound = module.bindings.get(owner, [])
    made = module.class_at(bound[0]) if len(bound) == 1 and bound[0].kind == "class" else None
    if (
        made is None
        or made.bases
        or re.search(rf"\b{owner}\.{name}\s*(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=[^=]", module.text)
    ):
        return None
    targets = [n.targets for n in made.body if isinstance(n, Assign)]
    if sum(isinstance(t, Name) and t.id == name for each in targets for t in each) != 1:
        return None
    written = assigned_value(made.body, name)
    return None if written is None else constant_value(written, module, 1)
