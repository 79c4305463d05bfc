"""Named tuples, of both kinds: ``Point = namedtuple("Point", "x y")`` and ``class Point(NamedTuple)``."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.names import constant_value
from roofscan.parse.lowering.values import Keywords, TupleValue, Unknown, Value, named
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.package import find
from roofscan.parse.syntax import Assign, Call, Expression, Literal, Name, Sequence

Fields = dict[str, Expression | None]  # the names of the items in order, each with its default


def named_tuple(cx: Context, name: str, args: list[Value], keywords: Keywords) -> Value | None:
    """The tuple that a call of ``name`` makes; a dotted name is one of another module of the package. Else None."""
    own = name in cx.here.bindings
    found = None if own else find(cx.here, name)
    module = cx.here if own else found.module if found is not None else None
    fields = _fields(module, name if found is None else found.name) if module is not None else None
    if fields is None or len(args) > len(fields):
        return None
    given = dict(zip(fields, args)) | keywords
    missing = [field for field, default in fields.items() if field not in given and default is None]
    if missing or given.keys() - fields.keys():
        return None
    items = (given.get(field) or _default(default) for field, default in fields.items())
    return TupleValue(tuple(named(item) for item in items), fields=tuple(fields))


def _default(expression: Expression | None) -> Value:
    return (constant_value(expression) if expression is not None else None) or Unknown("a default")


def _fields(module: Module, name: str) -> Fields | None:
    for value in module.assignments(name):
        if isinstance(value, Call) and len(value.args) == 2 and not value.keywords:
            maker = module.resolve(value.function) or ""
            if maker == "collections.namedtuple":
                return _names(value.args[1])
            if maker == "typing.NamedTuple":
                return _typed(value.args[1])
    for definition in module.bindings.get(name, ()):
        node = module.class_at(definition) if definition.kind == "class" else None
        if node is not None and "typing.NamedTuple" in map(module.resolve, node.bases):
            return dict(_annotated(node.body))
    return None


def _names(spec: Expression) -> Fields | None:
    """``"x y"``, ``"x, y"`` or ``("x", "y")``."""
    if isinstance(spec, Literal) and isinstance(spec.value, str):
        return dict.fromkeys(spec.value.replace(",", " ").split())
    if isinstance(spec, Sequence):
        names = [i.value for i in spec.items if isinstance(i, Literal) and isinstance(i.value, str)]
        return dict.fromkeys(names) if len(names) == len(spec.items) else None
    return None


def _typed(spec: Expression) -> Fields | None:
    """``[("x", float), ("y", float)]``."""
    pairs = [item.items for item in spec.items if isinstance(item, Sequence)] if isinstance(spec, Sequence) else []
    names = [pair[0].value for pair in pairs if pair and isinstance(pair[0], Literal)]
    plain = isinstance(spec, Sequence) and len(names) == len(spec.items)
    return dict.fromkeys(name for name in names if isinstance(name, str)) if plain else None


def _annotated(body: tuple[object, ...]) -> Iterator[tuple[str, Expression | None]]:
    for statement in body:
        if isinstance(statement, Assign) and statement.annotation is not None:
            [target] = statement.targets
            if isinstance(target, Name):
                yield target.id, statement.value
