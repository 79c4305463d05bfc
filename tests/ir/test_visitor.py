"""The visitor and the mapper cover every field of every kind of node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

import pytest

from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import F8
from roofscan.ir.tree import Access, Body, Branch, Loop, Node, Operation, When
from roofscan.ir.visitor import (
    expressions,
    innermost_loops,
    map_leaves,
    outermost_loops,
    own_leaves,
    replace_nodes,
    substitute,
    walk,
    walk_with_blocks,
)  # fmt: skip
from roofscan.symbolic.expr import Expr, symbol

N = symbol("n")
READ = Access(1, "A", (N, None), False, 3, within=(None, (N, N + 1)))
WORK = Operation(2, "add", F8, 3, (1,), N)
INNER = Loop("j", N, N + 1, N, (READ, WORK), 2, total=N, total_over="i")
BODY: Body = (Loop("i", N, N, N, (When((Condition(N, "ge"),), (INNER,), 1), Branch(N, (WORK,), 1)), 1),)


def held(value: object) -> Iterator[Expr]:
    """Every expression anywhere below a value, whatever the field."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from held(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from held(getattr(value, field.name))


def test_expressions_are_all_that_the_nodes_hold() -> None:
    own = [e for node in walk(BODY) for e in expressions(node)]
    assert sorted(map(str, own)) == sorted(map(str, held(BODY)))


def test_substitution_reaches_every_field() -> None:
    made = substitute(BODY, {"n": symbol("m"), "i": symbol("i2"), "j": symbol("j2")})
    assert all(e.symbols == {"m"} for e in held(made))
    assert [(loop.var, loop.total_over) for loop in walk(made) if isinstance(loop, Loop)] == [("i2", ""), ("j2", "i2")]


def test_walks_go_in_the_order_of_the_tree() -> None:
    assert [type(node).__name__ for node in walk(BODY)] == [
        "Loop", "When", "Loop", "Access", "Operation", "Branch", "Operation",
    ]  # fmt: skip
    assert [node for node, _ in walk_with_blocks(BODY)] == list(walk(BODY))
    assert [len(around) for _, around in walk_with_blocks(BODY)] == [0, 1, 2, 3, 3, 1, 2]
    assert list(outermost_loops(BODY)) == [*BODY]
    assert list(innermost_loops(BODY)) == [INNER]
    assert list(own_leaves(BODY)) == []


def test_what_does_not_change_stays_the_same_object() -> None:
    assert replace_nodes(BODY, lambda node: None)[0] is BODY[0]
    assert map_leaves(BODY, lambda leaf: leaf)[0] is BODY[0]


def test_nodes_are_replaced_and_removed() -> None:
    left = map_leaves(BODY, lambda leaf: leaf if isinstance(leaf, Access) else None)
    assert [type(node) for node in walk(left)].count(Operation) == 0
    unrolled = replace_nodes(BODY, lambda node: (*node.body, *node.body) if node is INNER else None)
    assert [type(node) for node in walk(unrolled)].count(Access) == 2


def test_an_unknown_kind_of_node_is_refused() -> None:
    class Other:
        body: tuple[Node, ...] = ()

    with pytest.raises(TypeError):
        list(walk((Other(),)))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        substitute((Other(),), {"n": N})  # type: ignore[arg-type]
