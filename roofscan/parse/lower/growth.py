"""Which names of a function are lists that change their length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from roofscan.parse.syntax import Assign, Attribute, AugAssign, Binary, Call, Comprehension, Expression, Name, Sequence

GROWING = frozenset(("append", "extend", "insert", "pop", "remove", "clear"))
"""Methods that change a list's length."""


def growing_lists(nodes: Iterable[Any]) -> Iterator[str]:
    """The names on which ``nodes`` call such a method, or that they lengthen by ``+=`` or ``x = x + [y]``."""
    for node in nodes:
        if isinstance(node, Call) and isinstance(node.function, Attribute) and node.function.name in GROWING:
            if isinstance(node.function.base, Name):
                yield node.function.base.id
        elif isinstance(node, AugAssign) and isinstance(node.target, Name) and _is_list(node.value):
            yield node.target.id
        elif isinstance(node, Assign) and isinstance(node.value, Binary):
            sides = (node.value.left, node.value.right)
            names = {t.id for t in node.targets if isinstance(t, Name)}
            if any(isinstance(s, Name) and s.id in names for s in sides) and any(map(_is_list, sides)):
                yield from names


def _is_list(node: Expression) -> bool:
    return isinstance(node, Comprehension) or (isinstance(node, Sequence) and node.kind == "list")
