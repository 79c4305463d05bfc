"""Uses of names as records: ``p[i].x``, ``p["x"][i]``, ``q = p[i]`` with ``q.x``, ``for q in p``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from roofscan.frozen import dataclass
from roofscan.parse import syntax
from roofscan.parse.inference.operands import ARRAY_ATTRIBUTES, ARRAY_METHODS, called

ROUNDS = 4  # through how many names of names a use is followed


@dataclass(frozen=True)
class RecordUse:
    """A field of a name, with the number of subscripts in front of the field and behind it."""

    field: str
    before: int = 0
    after: int = 0
    by_text: bool = False  # ``p["x"]``: no attribute of an object


RecordUses = dict[str, set[RecordUse]]
Place = tuple[str, int]  # a name, and how many subscripts it has


def record_uses(nodes: list[Any], passed: Iterable[tuple[syntax.Expression, set[RecordUse]]]) -> RecordUses:
    """The uses by name. ``passed`` are arguments of helpers, with what these do with them."""
    found: RecordUses = {}
    methods = {id(node.function) for node in nodes if isinstance(node, syntax.Call)}
    for node in nodes:
        if isinstance(node, (syntax.Subscript, syntax.Attribute)) and id(node) not in methods:
            name, use = _use(node)
            if use is not None:
                found.setdefault(name, set()).add(use)
    for argument, uses in passed:
        place = _place(argument)
        if place is not None:
            found.setdefault(place[0], set()).update(_moved(uses, place[1]))
    aliases = [pair for node in nodes for pair in _aliases(node)]
    for _ in range(ROUNDS):
        for alias, (name, count) in aliases:
            if alias != name and alias in found:
                found.setdefault(name, set()).update(_moved(found[alias], count))
    return found


def _moved(uses: set[RecordUse], count: int) -> set[RecordUse]:
    return {replace(use, before=use.before + count) for use in uses}


def _use(node: syntax.Expression) -> tuple[str, RecordUse | None]:
    """The root of a chain of subscripts and attributes, and its first field."""
    chain: list[syntax.Subscript | syntax.Attribute] = []
    while isinstance(node, (syntax.Subscript, syntax.Attribute)):
        chain.insert(0, node)
        node = node.base
    use: RecordUse | None = None
    before = taken = after = 0
    for part in chain:
        field = _field(part)
        if use is None and field is not None:
            use = replace(field, before=before)
        elif isinstance(part, syntax.Subscript) and field is None:
            after += len(part.items) if use is not None else 0
            before = max(before, taken + len(part.items)) if use is None else before
            taken += _places(part)
    if use is None or not isinstance(node, syntax.Name):
        return "", None
    return node.id, replace(use, after=after)


def _places(node: syntax.Subscript) -> int:
    """How many dimensions the subscripts take: a slice leaves one."""
    return sum(not isinstance(item, syntax.Slice) for item in node.items)


def _field(node: syntax.Subscript | syntax.Attribute) -> RecordUse | None:
    if isinstance(node, syntax.Attribute):
        return None if node.name in ARRAY_ATTRIBUTES or node.name in ARRAY_METHODS else RecordUse(node.name)
    item = node.items[0] if len(node.items) == 1 else None
    is_text = isinstance(item, syntax.Literal) and isinstance(item.value, str)
    return RecordUse(str(item.value), by_text=True) if is_text and isinstance(item, syntax.Literal) else None


def _place(expression: syntax.Expression | None) -> Place | None:
    """``p`` or ``p[i]``."""
    count = 0
    while isinstance(expression, syntax.Subscript) and _field(expression) is None:
        count += _places(expression)
        expression = expression.base
    return (expression.id, count) if isinstance(expression, syntax.Name) else None


def _aliases(node: Any) -> Iterator[tuple[str, Place]]:
    """The names that an assignment or a loop binds to records."""
    if isinstance(node, syntax.Assign):
        place = _place(node.value)
        yield from ((t.id, place) for t in node.targets if place is not None and isinstance(t, syntax.Name))
    elif isinstance(node, (syntax.For, syntax.Comprehension)):
        for target, iterable in _items(node.target, node.iterable):
            place = _place(iterable)
            if place is not None and isinstance(target, syntax.Name):
                yield target.id, (place[0], place[1] + 1)


def _items(target: syntax.Expression, iterable: syntax.Expression) -> Iterator[tuple[Any, Any]]:
    """A loop's targets, each with what it runs over, also inside ``enumerate`` and ``zip``."""
    function = called(iterable) if isinstance(iterable, syntax.Call) else ""
    if isinstance(iterable, syntax.Call) and isinstance(target, syntax.Sequence) and function in ("enumerate", "zip"):
        yield from zip(target.items[1:] if function == "enumerate" else target.items, iterable.args)
    elif not isinstance(iterable, syntax.Call):
        yield target, iterable
