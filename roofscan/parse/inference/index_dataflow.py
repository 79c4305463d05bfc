"""Index dataflow: arithmetic whose result serves only as an index, a size or a trip count.

In ``cnt = indptr[i + 1] - indptr[i]``, where ``cnt`` only bounds a loop, the elements of ``indptr`` are no values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roofscan.parse.inference.integers import bindings, index_parts
from roofscan.parse.inference.rule import Library
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.syntax import Assign, AugAssign, Binary, Expression, Name, Named
from roofscan.parse.syntax_walk import target_names, walk


def index_only_nodes(nodes: Sequence[Any], facts: TypeFacts, library: Library) -> set[int]:
    """The ids of the nodes in subscripts, extents and bounds, and in values of names that serve nothing else."""
    parts = [*(part for node in nodes for part in index_parts(node, library)), *facts.index_arguments]
    counted = {id(n) for part in parts for n in walk(part)}
    left = [(names, ids) for names, ids in _bound_values(nodes) if names and facts.integers.issuperset(names)]
    sums = list(_operands(nodes)) if left else []
    before = -1
    while before != len(left):
        before = len(left)
        inside = counted.union(*(ids for _, ids in left))
        values = {name for node, names in sums if node not in inside for name in names}
        left = [(names, ids) for names, ids in left if values.isdisjoint(names)]
    return counted.union(*(ids for _, ids in left))


def _bound_values(nodes: Sequence[Any]) -> Iterator[tuple[list[str], set[int]]]:
    """The names that each assignment binds, and the ids of the nodes of its value."""
    for node in nodes:
        if isinstance(node, Assign) and node.value is not None:
            pairs: list[tuple[list[str], Expression]] = []
            for target in node.targets:
                bindings(target, node.value, pairs)
            yield from ((names, {id(n) for n in walk(value)}) for names, value in pairs)
        elif isinstance(node, (AugAssign, Named)):
            yield list(target_names(node.target)), {id(node), *(id(n) for n in walk(node.value))}


def _operands(nodes: Sequence[Any]) -> Iterator[tuple[int, list[str]]]:
    """Each arithmetic operation by its id, with the names that are its operands."""
    for node in nodes:
        if isinstance(node, Binary):
            yield id(node), [side.id for side in (node.left, node.right) if isinstance(side, Name)]
        elif isinstance(node, AugAssign):
            yield id(node), [side.id for side in (node.target, node.value) if isinstance(side, Name)]
