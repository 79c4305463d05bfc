"""Ranks that follow from the rank of another name (``row = A[i]``, ``for row in A``, equal shapes), and the names of
extents (``n = len(A)``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.forward import is_new_axis
from roofscan.parse.inference.integers import element_bindings
from roofscan.parse.inference.operands import is_method, keyword, operand, operands_of, transposed
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.syntax import Assign, Call
from roofscan.parse.syntax import Sequence as Items
from roofscan.parse.syntax_walk import bound_values, dotted_path, subscript_chain, target_names


def equate_dimensions(nodes: list[Any], facts: TypeFacts, library: Library) -> None:
    """Apply all equalities, from the ranks of the names that are bound to the arrays that they are bound to."""
    masks = _masks(nodes, library)
    single = (node for node in nodes if isinstance(node, syntax.Assign) and len(node.targets) == 1)
    assigned = [(list(target_names(target)), value) for node in single for target, value in bound_values(node)]
    for names, value in assigned:
        rank = facts.ranks.get(names[0], 0) if len(names) == 1 else 0
        if isinstance(value, syntax.Call) and is_method(value) and rule_of(value, library).copies:
            value = operands_of(value)[0]
        path, fewer = _viewed(value, masks)
        only_name = isinstance(value, syntax.Name) and [n for n, _ in assigned].count(names) == 1
        if rank and path and (path in facts.ranks or only_name):
            facts.require_rank(path, rank + fewer)
    for node in nodes:
        if isinstance(node, syntax.Assign) and len(node.targets) == 1:
            _constrain_unpacked(node.targets[0], node.value, facts)
            _constrain_target(node.targets[0], node.value, facts)
        elif isinstance(node, (syntax.For, syntax.Comprehension)):
            _constrain_iterated(node, facts)
        elif isinstance(node, syntax.Compare):
            _equate_shapes(node, facts)


def _viewed(value: syntax.Expression, masks: set[str]) -> tuple[str | None, int]:
    """The array that a name, a transposed array or a subscript is of, and how many dimensions fewer it has."""
    if (base := transposed(value)) is not None:
        return dotted_path(base), 0
    if isinstance(value, syntax.Subscript):
        base, items = subscript_chain(value)
        places = (i for i in items if not isinstance(i, syntax.Slice) and not takes_no_dimension(i))
        return dotted_path(base), sum(dotted_path(i) not in masks for i in places)
    return dotted_path(value) if isinstance(value, (syntax.Name, syntax.Attribute)) else None, 0


def _constrain_iterated(loop: syntax.For | syntax.Comprehension, facts: TypeFacts) -> None:
    """``for row in A``, where ``row`` is an array: ``A`` has one dimension more."""
    read: list[tuple[list[str], syntax.Expression]] = []
    element_bindings(loop, read)
    for names, element in read:
        path, rank = dotted_path(subscript_chain(element)[0]), facts.ranks.get(names[0], 0) if len(names) == 1 else 0
        if path and rank:
            facts.require_rank(path, rank + 1)
            facts.assumed_ranks.setdefault(path, loop.place.line)


def _equate_shapes(test: syntax.Compare, facts: TypeFacts) -> None:
    """``assert x.shape == y.shape``: the ranks are equal."""
    bases = [o.base for o in test.operands if isinstance(o, syntax.Attribute) and o.name == "shape"]
    found = [path for path in map(dotted_path, bases) if path]
    if len(found) == len(test.operands) and set(test.operators) <= {"==", "!="}:
        for path in found:
            facts.require_rank(path, max(facts.ranks.get(other, 0) for other in found))


def _constrain_unpacked(target: syntax.Expression, value: syntax.Expression | None, facts: TypeFacts) -> None:
    """``x, y, z = points`` and ``= points[:]``, of arrays ``x``, ``y``, ``z``: ``points`` has one dimension more."""
    if not isinstance(target, syntax.Sequence) or value is None:
        return
    base, items = subscript_chain(value)
    path = dotted_path(base) if all(isinstance(item, syntax.Slice) for item in items) else None
    ranks = {facts.ranks.get(name, 0) for item in target.items for name in target_names(item)}
    if path and len(ranks) == 1 and ranks != {0}:
        facts.require_rank(path, ranks.pop() + 1)
        facts.assumed_ranks.setdefault(path, target.place.line)


def _constrain_target(target: syntax.Expression, value: syntax.Expression | None, facts: TypeFacts) -> None:
    """``x[...] = y - t``: ``x`` has at least the rank of the value."""
    if isinstance(target, syntax.Subscript) and len(target.items) == 1 and takes_no_dimension(target.items[0]):
        path = dotted_path(target.base)
        least = max((facts.ranks.get(name, 0) for name in _terms(value)), default=0)
        if path and least:
            facts.require_rank(path, least)


def _terms(value: syntax.Expression | None) -> Iterator[str]:
    if isinstance(value, syntax.Name):
        yield value.id
    elif isinstance(value, syntax.Unary):
        yield from _terms(value.operand)
    elif isinstance(value, syntax.Binary) and value.op != "@":
        yield from _terms(value.left)
        yield from _terms(value.right)


def _masks(nodes: list[Any], library: Library) -> set[str]:
    """The names that are bound to masks: as subscripts they select elements and remove no dimension."""
    found: set[str] = set()
    for node in nodes:
        value = node.value if isinstance(node, syntax.Assign) else None
        if isinstance(value, syntax.Compare) or (isinstance(value, syntax.Call) and _makes_mask(value, library)):
            found.update(name for target in node.targets for name in target_names(target))
    return found


def _makes_mask(call: syntax.Call, library: Library) -> bool:
    return dotted_path(call.function) is not None and rule_of(call, library).makes_mask


def unpacked_shapes(nodes: list[Any]) -> dict[str, int]:
    """Exact ranks by ``n, m = A.shape``; arrays that are unpacked in two ways are left out."""
    found: dict[str, set[int]] = {}
    for node in nodes:
        if isinstance(node, syntax.Assign) and isinstance(node.value, syntax.Attribute) and node.value.name == "shape":
            path = dotted_path(node.value.base)
            for target in node.targets:
                if (
                    path
                    and isinstance(target, syntax.Sequence)
                    and not any(isinstance(i, syntax.Starred) for i in target.items)
                ):
                    found.setdefault(path, set()).add(len(target.items))
    return {path: counts.pop() for path, counts in found.items() if len(counts) == 1}


def takes_no_dimension(item: syntax.Expression) -> bool:
    """Whether a subscript removes no dimension and is not a slice: a new axis or an ellipsis."""
    return is_new_axis(item) or (isinstance(item, syntax.Literal) and item.value is Ellipsis)


def size_names(function: syntax.Function, nodes: list[Any], facts: TypeFacts) -> None:
    """Record ``n, m = A.shape``, ``n, m = A.shape[:2]``, ``n = A.shape[0]``, ``n = len(A)`` and ``n = A.size``, where
    ``n`` is bound once."""
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
        if isinstance(node, syntax.Assign) and len(node.targets) == 1:
            for key, name in (named for pair in bound_values(node) for named in _named_sizes(*pair)):
                if taken.get(name) == 1 and name != "_":
                    facts.size_names.setdefault(key, name)


def _named_sizes(target: syntax.Expression, value: syntax.Expression) -> Iterator[tuple[tuple[str, int], str]]:
    match target, value:
        case syntax.Sequence(items=targets), syntax.Attribute(base=base, name="shape") if path := dotted_path(base):
            yield from _named_in_order(path, targets)
        case syntax.Sequence(items=targets), syntax.Subscript(
            base=syntax.Attribute(base=base, name="shape"),
            items=(syntax.Slice(lower=None, upper=syntax.Literal(value=int(count)), step=None),),
        ) if count == len(targets) and (path := dotted_path(base)):
            yield from _named_in_order(path, targets)
        case syntax.Name(id=name), syntax.Subscript(
            base=syntax.Attribute(base=base, name="shape"), items=(syntax.Literal(value=int(dimension)),)
        ) if dimension >= 0 and (path := dotted_path(base)):
            yield (path, dimension), name
        case (syntax.Name(id=name), syntax.Call(function=syntax.Name(id="len"), args=(base,))) | (
            syntax.Name(id=name),
            syntax.Attribute(base=base, name="size"),
        ) if path := dotted_path(base):
            yield (path, 0), name


def _named_in_order(path: str, targets: Iterable[syntax.Expression]) -> Iterator[tuple[tuple[str, int], str]]:
    named = ((dimension, item) for dimension, item in enumerate(targets) if isinstance(item, syntax.Name))
    yield from (((path, dimension), item.id) for dimension, item in named)


# -- copies between host and device -----------------------------------------------------------------
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
