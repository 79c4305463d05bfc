"""Rank inference from array expressions: known ranks are propagated through assignments, operators and library calls,
forward and backward, until nothing changes. Operands of a matrix product whose rank is still unknown then follow the
conventions."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

from roofscan.parse.inference.backward import ELEMENTWISE, apply_convention, constrain, has_product, is_upper
from roofscan.parse.inference.forward import Ranks, has_rank_of_operand, is_new_axis, lower_bound, rank_of
from roofscan.parse.inference.operands import keyword, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Binary,
    Call,
    Expression,
    Name,
    Sequence,
    Slice,
    Subscript,
)
from roofscan.parse.syntax_walk import dotted_path, subscript_chain, walk

MAX_ROUNDS = 8


def infer_ranks(nodes: list[Any], subscripted: Mapping[str, int], library: Library, *, guess: bool) -> Ranks:
    """The ranks of the names in a function's nodes; ``subscripted`` are lower bounds by their subscripts."""
    least = _only_reduced(nodes) & subscripted.keys()
    known = {path: rank for path, rank in subscripted.items() if rank > 1 and path not in least}
    known.update((path, 1) for path in _elements(nodes, _factors(nodes, library)) if subscripted.get(path) == 1)
    ranks = Ranks(library, known, frozenset(path for path, rank in subscripted.items() if rank == 1))
    for node in nodes:
        _collect(node, ranks)
    constraining = [node for node in nodes if isinstance(node, Call) and rule_of(node, library).constrains_ranks(node)]
    if not ranks.products and not constraining:
        ranks.known.update((path, subscripted[path]) for path in least if subscripted[path] > 1)
        return ranks
    _open_factors(ranks, subscripted)
    _drop_mixed(ranks)
    for call in constraining:
        _constrain_operands(call, ranks)
    _propagate(ranks)
    sure = frozenset(ranks.known)
    if guess:
        _assume(ranks, nodes, constraining)
    for path in sorted(least - ranks.known.keys()):
        if subscripted[path] > 1:
            ranks.known[path] = subscripted[path]
    _propagate(ranks)
    for target, value in (*ranks.equations, *ranks.broadcasts):
        rank = lower_bound(value, ranks)
        if rank and rank_of(target, ranks) is None:
            constrain(target, rank, ranks)
    if ranks.assumed:  # what follows from a convention is a convention, too
        line = min(ranks.assumed.values())
        ranks.assumed.update((path, line) for path in ranks.known.keys() - sure - ranks.assumed.keys())
    return ranks


def _assume(ranks: Ranks, nodes: list[Any], constraining: list[Call]) -> None:
    """The ranks of operands by convention, where nothing tells them."""
    columns = {path for node in nodes if (path := _column(node)) is not None}
    for left, right in sorted(ranks.products, key=lambda pair: any(map(has_product, pair))):
        for operand in (left, right):
            if dotted_path(operand) in columns and rank_of(operand, ranks) is None:
                constrain(operand, 1, ranks, assume=True)
        apply_convention(left, right, ranks)
        _propagate(ranks)
    stored = {id(value): rank_of(target, ranks) for target, value in ranks.broadcasts}
    for call in constraining:
        rule = rule_of(call, ranks.library)
        told = stored.get(id(call)) if rule.full_rank_operands else None  # ``out[i] = np.cross(a[i], b[i])``
        for operand, rank in rule.assumed_ranks(call):
            if rank_of(operand, ranks) is None:
                constrain(operand, told or rank, ranks, assume=True)


def _only_reduced(nodes: list[Any]) -> frozenset[str]:
    """Names that are computed and never subscripted. A bound by the axis of a reduction gives way to the rank of the
    value that they are computed from."""
    made = {t.id for n in nodes if isinstance(n, Assign) for t in n.targets if isinstance(t, Name)}
    taken = {dotted_path(subscript_chain(n)[0]) for n in nodes if isinstance(n, Subscript)}
    return frozenset(made - taken)


def _column(node: Any) -> str | None:
    """The name of a vector that is used as a column or a row: ``w[:, None]``."""
    if not isinstance(node, Subscript) or len(node.items) != 2 or sum(map(is_new_axis, node.items)) != 1:
        return None
    return dotted_path(node.base) if any(isinstance(item, Slice) for item in node.items) else None


def _open_factors(ranks: Ranks, subscripted: Mapping[str, int]) -> None:
    """A factor of a product is no scalar: in ``G[i, j] @ v``, ``G`` has more dimensions than subscripts."""
    for operand in (*(side for product in ranks.products for side in product), *_targets_of_matrix_products(ranks)):
        base, items = subscript_chain(operand)
        path = dotted_path(base)
        if path and items and not any(isinstance(i, Slice) for i in items) and subscripted.get(path) == len(items):
            ranks.known.pop(path, None)


def _targets_of_matrix_products(ranks: Ranks) -> Iterator[Expression]:
    """Targets of products of two matrices, by their names: in ``S[k, e] += G @ H``, ``S[k, e]`` is no scalar."""
    for target, value in ranks.broadcasts:
        if isinstance(value, Binary) and value.op == "@" and all(map(_is_matrix, (value.left, value.right))):
            yield target


def _is_matrix(operand: Expression) -> bool:
    """Whether a factor is a matrix by its name, and not a part of one."""
    return is_upper(operand) and not any(isinstance(item, Slice) for item in subscript_chain(operand)[1])


def _drop_mixed(ranks: Ranks) -> None:
    """Forget names that are bound to arrays of different ranks: ``x = pool(x)``, then ``x = x.reshape(n, k)``."""
    seen: dict[str, set[int]] = {path: {rank} for path, rank in ranks.known.items()}
    for target, value in ranks.equations:
        path, rank = dotted_path(target), rank_of(value, ranks)
        if path is not None and rank is not None:
            seen.setdefault(path, set()).add(rank)
    ranks.mixed = {path for path, found in seen.items() if len(found) > 1}
    for path in ranks.mixed:
        ranks.known.pop(path, None)


def _factors(nodes: list[Any], library: Library) -> set[int]:
    """The ids of the nodes in values of names that are factors of matrix products: ``d = r[i] - r[j]``."""
    pairs = [(n.left, n.right) for n in nodes if isinstance(n, Binary) and n.op == "@"]
    calls = (n for n in nodes if isinstance(n, Call) and len(n.args) > 1 and rule_of(n, library).is_matrix_product)
    pairs += [(call.args[0], call.args[1]) for call in calls]
    names = {dotted_path(side) for pair in pairs for side in pair} - {None}
    bound = [n for n in nodes if isinstance(n, Assign) and any(dotted_path(t) in names for t in n.targets)]
    return {id(part) for node in bound for part in walk(node.value)}


def _elements(nodes: list[Any], factors: Container[int]) -> Iterator[str]:
    """Names that give a scalar with one index: the result is an operand of arithmetic."""
    for node in nodes:
        if isinstance(node, Binary) and node.op in ELEMENTWISE and id(node) not in factors:
            for side in (node.left, node.right):
                if isinstance(side, Subscript) and len(side.items) == 1 and not isinstance(side.items[0], Slice):
                    if isinstance(side.base, (Name, Attribute)) and not isinstance(side.items[0], Sequence):
                        yield dotted_path(side.base) or ""


def _scales(node: AugAssign) -> bool:
    """Whether a statement scales an array: ``C *= beta`` tells nothing of ``beta``, which mostly is a scalar."""
    return node.op in ("*", "/") and isinstance(node.value, Name)


def _collect(node: Any, ranks: Ranks) -> None:
    if isinstance(node, Assign) and node.value is not None:
        for target in node.targets:
            if not isinstance(target, Sequence):
                stored = isinstance(target, Subscript)
                (ranks.broadcasts if stored else ranks.equations).append((target, node.value))
            elif isinstance(node.value, Sequence) and len(node.value.items) == len(target.items):
                ranks.equations.extend(zip(target.items, node.value.items, strict=True))
    elif isinstance(node, AugAssign) and node.op != "@" and not _scales(node):
        ranks.broadcasts.append((node.target, node.value))
    elif isinstance(node, Binary) and node.op == "@":
        ranks.products.append((node.left, node.right))
    elif isinstance(node, Call) and len(operands_of(node)) >= 2 and rule_of(node, ranks.library).is_matrix_product:
        left, right = operands_of(node)[:2]
        ranks.products.append((left, right))
        if (out := keyword(node, "out")) is not None:
            ranks.broadcasts.append((out, node))


def _constrain_operands(call: Call, ranks: Ranks) -> None:
    rule = rule_of(call, ranks.library)
    for operand, rank in rule.operand_ranks(call):
        if rule.overrides_subscripts:
            ranks.known.pop(dotted_path(operand) or "", None)
        constrain(operand, rank, ranks)


def _propagate(ranks: Ranks) -> None:
    for left, right in ranks.products:
        if dotted_path(left) is not None and dotted_path(left) == dotted_path(right) and not is_upper(left):
            constrain(left, 1, ranks)
    for _ in range(MAX_ROUNDS):
        before = len(ranks.known)
        for target, value in ranks.equations:
            _equate(target, value, ranks)
        for target, value in ranks.broadcasts:
            if not lower_bound(value, ranks):
                _equate(target, value, ranks)
        for left, right in ranks.products:
            _require_vector(left, ranks)
            _require_vector(right, ranks)
        if len(ranks.known) == before:
            return


def _equate(target: Expression, value: Expression, ranks: Ranks) -> None:
    there, here = rank_of(target, ranks), rank_of(value, ranks)
    if there is None and here:
        constrain(target, here, ranks)
    elif here is None and there is not None:
        constrain(value, there, ranks)


def _require_vector(operand: Expression, ranks: Ranks) -> None:
    """A subscripted operand of a product is a vector where its array takes one index only: ``x[:k]``, ``A[i]``."""
    while isinstance(operand, Call) and has_rank_of_operand(operand, ranks.library):
        operand = operands_of(operand)[0]
    base, items = subscript_chain(operand)
    path = dotted_path(base)
    if items and path in ranks.single and path not in ranks.known and rank_of(operand, ranks) is None:
        constrain(operand, 1, ranks)
