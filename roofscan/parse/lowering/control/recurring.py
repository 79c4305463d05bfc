"""Integers that an iteration computes from those of the one before by more than a sum: ``s ^= s << 13``,
``k = following[k]``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.syntax_walk import children, target_names, walk

Use = tuple[str, bool]  # a name, and whether more than sums and calls is done to it


def recurring_names(body: tuple[syntax.Statement, ...]) -> set[str]:
    """The names whose next value depends on their last one that way, temporaries in between."""
    uses: dict[str, set[Use]] = {}
    for node in walk(body):
        if isinstance(node, syntax.Assign):
            names = [name for target in node.targets for name in target_names(target)]
            used = set(_used(node.value, False))
        elif isinstance(node, syntax.AugAssign):
            names = list(target_names(node.target))
            mixed = node.op not in ("+", "-")
            used = {*_used(node.value, mixed), *((name, mixed) for name in names)}
        else:
            continue
        for name in names:
            uses.setdefault(name, set()).update(used)
    return {name for name in uses if (name, True) in _reached(name, uses)}


def _used(node: Any, mixed: bool) -> Iterator[Use]:
    if isinstance(node, syntax.Name):
        yield node.id, mixed
        return
    mixed |= isinstance(node, syntax.Subscript) or (isinstance(node, syntax.Binary) and node.op not in ("+", "-"))
    for child in children(node):
        yield from _used(child, mixed)


def _reached(name: str, uses: dict[str, set[Use]]) -> set[Use]:
    found: set[Use] = set()
    open_ends = [(name, False)]
    while open_ends:
        here, mixed = open_ends.pop()
        further = {(other, mixed or mixes) for other, mixes in uses.get(here, ())} - found
        found |= further
        open_ends += further
    return found
