"""Names that the source gives to extents: ``n, m = A.shape``, ``n = len(A)``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.syntax_walk import dotted_path, target_names


def size_names(function: syntax.Function, nodes: list[Any], facts: TypeFacts) -> None:
    """Record ``n, m = A.shape``, ``n = A.shape[0]``, ``n = len(A)`` and ``n = A.size``, where ``n`` is bound once."""
    taken: dict[str, int] = {p.name: 1 for p in function.parameters}
    for node in nodes:
        if isinstance(node, syntax.Assign):
            for target in node.targets:
                for name in target_names(target):
                    taken[name] = taken.get(name, 0) + 1
        elif isinstance(node, (syntax.AugAssign, syntax.For)):
            for name in target_names(node.target):
                taken[name] = taken.get(name, 0) + 2
    for node in nodes:
        if isinstance(node, syntax.Assign) and len(node.targets) == 1 and node.value is not None:
            for key, name in _named_sizes(node.targets[0], node.value):
                if taken.get(name) == 1 and name != "_":
                    facts.size_names.setdefault(key, name)


def _named_sizes(target: syntax.Expression, value: syntax.Expression) -> Iterator[tuple[tuple[str, int], str]]:
    if (
        isinstance(target, syntax.Sequence)
        and isinstance(value, syntax.Sequence)
        and len(target.items) == len(value.items)
    ):
        for t, v in zip(target.items, value.items, strict=True):
            yield from _named_sizes(t, v)
    elif isinstance(target, syntax.Sequence) and isinstance(value, syntax.Attribute) and value.name == "shape":
        path = dotted_path(value.base)
        for dimension, item in enumerate(target.items):
            if path and isinstance(item, syntax.Name):
                yield (path, dimension), item.id
    elif isinstance(target, syntax.Name):
        if (
            isinstance(value, syntax.Subscript)
            and isinstance(value.base, syntax.Attribute)
            and value.base.name == "shape"
        ):
            path = dotted_path(value.base.base)
            [index] = value.items if len(value.items) == 1 else [None]
            if path and isinstance(index, syntax.Literal) and isinstance(index.value, int) and index.value >= 0:
                yield (path, index.value), target.id
        elif isinstance(value, syntax.Call) and getattr(value.function, "id", "") == "len" and len(value.args) == 1:
            path = dotted_path(value.args[0])
            if path:
                yield (path, 0), target.id
        elif isinstance(value, syntax.Attribute) and value.name == "size":
            path = dotted_path(value.base)
            if path:
                yield (path, 0), target.id
