"""Copies between the memories of host and device have the rank of what they copy: ``d = cuda.to_device(x)`` and
``d.copy_to_host(out)``. A kernel that gets ``d`` tells the rank of ``x`` and of ``out``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roofscan.parse.inference.operands import keyword, operand, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.syntax import Assign, Call
from roofscan.parse.syntax import Sequence as Items
from roofscan.parse.syntax_walk import dotted_path

ROUNDS = 4  # copies of copies


def equate_copies(nodes: Sequence[Any], facts: TypeFacts, library: Library) -> None:
    """Ranks that subscripts and called kernels show go from each copy to the other."""
    pairs = [
        (a, b) for pair in _copies(nodes, library) for a, b in (pair, pair[::-1]) if a is not None and b is not None
    ]
    for path, rank in _of_given_shapes(nodes, library) if pairs else ():
        facts.require_rank(path, rank)
    for _ in range(ROUNDS if pairs else 0):
        for one, other in pairs:
            rank = facts.ranks.get(one, 0)
            if rank > facts.ranks.get(other, 0):
                facts.require_rank(other, rank)
                facts.assumed_ranks.pop(other, None)


def _copies(nodes: Sequence[Any], library: Library) -> Iterator[tuple[str | None, str | None]]:
    """Names of arrays of one rank."""
    for node in nodes:
        if isinstance(node, Call) and (target := rule_of(node, library).copy_target) is not None:
            given = operand(node, target[0]) or keyword(node, target[1])
            yield _first(node), dotted_path(given) if given is not None else None
        if isinstance(node, Assign) and isinstance(node.value, Call) and len(node.targets) == 1:
            if rule_of(node.value, library).between_memories:
                yield _first(node.value), dotted_path(node.targets[0])


def _of_given_shapes(nodes: Sequence[Any], library: Library) -> Iterator[tuple[str | None, int]]:
    """Arrays of the device with a shape that the source writes: ``cuda.device_array((n, n))``."""
    for node in nodes:
        call = node.value if isinstance(node, Assign) and len(node.targets) == 1 else None
        if isinstance(call, Call) and rule_of(call, library).makes_on_device:
            shape = operand(call, 0) or keyword(call, "shape")
            if isinstance(shape, Items):
                yield dotted_path(node.targets[0]), len(shape.items)


def _first(call: Call) -> str | None:
    operands = operands_of(call)
    return dotted_path(operands[0]) if operands else None
