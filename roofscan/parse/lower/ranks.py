"""How many dimensions names have, as array expressions tell it: ``r @ r`` is a vector's product with itself.

A small solver: what is known of some names is carried through assignments, operators and library calls, up
and down, until nothing changes; operands of a matrix product that are still open then get the usual reading
(a matrix; a vector where a lower-case name stands behind an upper-case one), which is said as an assumption.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roofscan.parse.lower.axes import axis_of
from roofscan.parse.lower.functions import TABLE
from roofscan.parse.lower.operands import called, keyword, operands_of
from roofscan.parse.lower.walk import dotted_path, subscript_chain, walk
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Binary,
    Call,
    Compare,
    Expression,
    Literal,
    Name,
    Sequence,
    Slice,
    Subscript,
    Unary,
)

PRODUCTS = frozenset({"dot", "matmul", "inner"})
ROUNDS = 8
SHORT = 3
"""The longest name that an upper-case letter inside makes one of a matrix."""
_ELEMENTWISE = frozenset({"+", "-", "*", "/", "//", "%", "**"})
_SAME = frozenset({
    "map", "copy", "as_array", "sort", "cumulate", "flip", "clip", "rearrange", "view", "transpose", "swapaxes",
    "moveaxis", "pad", "softmax",
})  # fmt: skip
"""Rules whose result has as many dimensions as their first operand."""

Equation = tuple[Expression, Expression]  # both sides have the same number of dimensions


@dataclass
class Ranks:
    """What is known so far: dimensions by dotted path, and for which of them that is only the usual reading."""

    known: dict[str, int]
    single: frozenset[str] = frozenset()  # names that are only ever subscripted by one index
    equations: list[Equation] = field(default_factory=list)
    broadcasts: list[Equation] = field(default_factory=list)  # stores: the right side may have fewer dimensions
    products: list[tuple[Expression, Expression]] = field(default_factory=list)
    mixed: set[str] = field(default_factory=set)  # names that stand for arrays of different dimensions in turn
    assumed: dict[str, int] = field(default_factory=dict)  # path -> line


def infer(nodes: list[Any], subscripted: Mapping[str, int], *, guess: bool) -> Ranks:
    """The dimensions of names in a function's nodes; ``subscripted`` is how many subscripts they take at least."""
    least = _only_reduced(nodes) & subscripted.keys()
    known = {path: rank for path, rank in subscripted.items() if rank > 1 and path not in least}
    known.update((path, 1) for path in _elements(nodes, _factors(nodes)) if subscripted.get(path) == 1)
    ranks = Ranks(known, frozenset(path for path, rank in subscripted.items() if rank == 1))
    for node in nodes:
        _collect(node, ranks)
    telling = [node for node in nodes if isinstance(node, Call) and _tells(node)]
    if not ranks.products and not telling:
        ranks.known.update((path, subscripted[path]) for path in least if subscripted[path] > 1)
        return ranks
    _open_factors(ranks, subscripted)
    _drop_mixed(ranks)
    for call in telling:
        _from_call(call, ranks)
    _settle(ranks)
    columns = {path for node in nodes if (path := _column(node)) is not None}
    for left, right in sorted(ranks.products, key=lambda pair: any(map(_has_product, pair))) if guess else ():
        for operand in (left, right):
            if _text(operand) in columns and rank_of(operand, ranks) is None:
                _impose(operand, 1, ranks, assume=True)
        _guess(left, right, ranks)
        _settle(ranks)
    for path in sorted(least - ranks.known.keys()):
        if subscripted[path] > 1:
            ranks.known[path] = subscripted[path]
    _settle(ranks)
    for target, value in (*ranks.equations, *ranks.broadcasts):
        rank = _at_least(value, ranks)
        if rank and rank_of(target, ranks) is None:
            _impose(target, rank, ranks)
    return ranks


def _only_reduced(nodes: list[Any]) -> frozenset[str]:
    """Names that are computed and never subscripted: an axis that they are reduced along says what they have at
    least, and what they are computed from says more."""
    made = {t.id for n in nodes if isinstance(n, Assign) for t in n.targets if isinstance(t, Name)}
    taken = {dotted_path(subscript_chain(n)[0]) for n in nodes if isinstance(n, Subscript)}
    return frozenset(made - taken)


def _column(node: Any) -> str | None:
    """The name of a vector that is seen as a column or a row: ``w[:, None]``."""
    if not isinstance(node, Subscript) or len(node.items) != 2 or sum(map(is_new_axis, node.items)) != 1:
        return None
    return dotted_path(node.base) if any(isinstance(item, Slice) for item in node.items) else None


def _open_factors(ranks: Ranks, subscripted: Mapping[str, int]) -> None:
    """A factor is no number: ``G[i, j] @ v`` picks parts of an array of more dimensions than it has subscripts."""
    for operand in (*(side for product in ranks.products for side in product), *_made_of_matrices(ranks)):
        base, items = subscript_chain(operand)
        path = dotted_path(base)
        if path and items and not any(isinstance(i, Slice) for i in items) and subscripted.get(path) == len(items):
            ranks.known.pop(path, None)


def _made_of_matrices(ranks: Ranks) -> Iterator[Expression]:
    """What a product of two matrices, by their names, is stored into: ``S[k, e] += G @ H`` is no number either."""
    for target, value in ranks.broadcasts:
        if isinstance(value, Binary) and value.op == "@" and all(map(_is_matrix, (value.left, value.right))):
            yield target


def _is_matrix(operand: Expression) -> bool:
    """Whether a factor is a matrix by its name, and not a part of one."""
    return _is_upper(operand) and not any(isinstance(item, Slice) for item in subscript_chain(operand)[1])


def _drop_mixed(ranks: Ranks) -> None:
    """``x = pool(x)`` and then ``x = x.reshape(n, k)``: the equations say nothing of such a name."""
    told: dict[str, set[int]] = {path: {rank} for path, rank in ranks.known.items()}
    for target, value in ranks.equations:
        path, rank = dotted_path(target), rank_of(value, ranks)
        if path is not None and rank is not None:
            told.setdefault(path, set()).add(rank)
    ranks.mixed = {path for path, found in told.items() if len(found) > 1}
    for path in ranks.mixed:
        ranks.known.pop(path, None)


def _factors(nodes: list[Any]) -> set[int]:
    """The ids of expressions bound to names that are multiplied as vectors or matrices: ``d = r[i] - r[j]``."""
    pairs = [(n.left, n.right) for n in nodes if isinstance(n, Binary) and n.op == "@"]
    calls = (n for n in nodes if isinstance(n, Call) and called(n) in PRODUCTS and len(n.args) > 1)
    pairs += [(call.args[0], call.args[1]) for call in calls]
    names = {_text(side) for pair in pairs for side in pair} - {None}
    bound = [n for n in nodes if isinstance(n, Assign) and any(_text(t) in names for t in n.targets)]
    return {id(part) for node in bound for part in walk(node.value)}


def _elements(nodes: list[Any], factors: Container[int]) -> Iterator[str]:
    """Names whose single subscript gives a number: it meets other numbers in arithmetic."""
    for node in nodes:
        if isinstance(node, Binary) and node.op in _ELEMENTWISE and id(node) not in factors:
            for side in (node.left, node.right):
                if isinstance(side, Subscript) and len(side.items) == 1 and not isinstance(side.items[0], Slice):
                    if isinstance(side.base, (Name, Attribute)) and not isinstance(side.items[0], Sequence):
                        yield dotted_path(side.base) or ""


def _tells(call: Call) -> bool:
    """Whether a call says how many dimensions its operands have."""
    row = TABLE.get(called(call))
    return row is not None and row.rule in ("einsum", "outer", "figure", "trace", "diagonal")


def _scales(node: AugAssign) -> bool:
    """``C *= beta`` says nothing of beta, which mostly is a number."""
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
    elif isinstance(node, Call) and called(node) in PRODUCTS and len(operands_of(node)) >= 2:
        left, right = operands_of(node)[:2]
        ranks.products.append((left, right))


def _from_call(call: Call, ranks: Ranks) -> None:
    """Calls that say how many dimensions their operands have."""
    name, operands = called(call), operands_of(call)
    if name == "einsum" and operands and isinstance(operands[0], Literal) and isinstance(operands[0].value, str):
        terms = operands[0].value.replace(" ", "").partition("->")[0].split(",")
        for term, operand in zip(terms, operands[1:]):
            if "." not in term:
                ranks.known.pop(dotted_path(operand) or "", None)  # subscripts say how many there are at least
                _impose(operand, len(term), ranks)
    elif name == "outer":
        for operand in operands[:2]:
            _impose(operand, 1, ranks)
    elif name in ("trace", "diagonal") and operands:
        _impose(operands[0], 2, ranks)
    elif name in TABLE and TABLE[name].rule == "figure" and "n**" in TABLE[name].figure and operands:
        _impose(operands[0], 2, ranks)


def _settle(ranks: Ranks) -> None:
    """Carry what is known through all equations until nothing changes."""
    for left, right in ranks.products:
        if _text(left) is not None and _text(left) == _text(right) and not _is_upper(left):
            _impose(left, 1, ranks)
    for _ in range(ROUNDS):
        before = len(ranks.known)
        for target, value in ranks.equations:
            _equate(target, value, ranks)
        for target, value in ranks.broadcasts:
            if not _at_least(value, ranks):
                _equate(target, value, ranks)
        for left, right in ranks.products:
            _least(left, ranks)
            _least(right, ranks)
        if len(ranks.known) == before:
            return


def _equate(target: Expression, value: Expression, ranks: Ranks) -> None:
    there, here = rank_of(target, ranks), rank_of(value, ranks)
    if there is None and here:
        _impose(target, here, ranks)
    elif here is None and there is not None:
        _impose(value, there, ranks)


def _text(expression: Expression) -> str | None:
    return dotted_path(expression)


def _least(operand: Expression, ranks: Ranks) -> None:
    """A subscripted operand of a product has what its subscripts leave: ``x[:k]`` is a vector, ``A[i]`` a row."""
    while isinstance(operand, Call) and keeps_rank(operand):
        operand = operands_of(operand)[0]
    base, items = subscript_chain(operand)
    path = dotted_path(base)
    if items and path in ranks.single and path not in ranks.known and rank_of(operand, ranks) is None:
        _impose(operand, 1, ranks)


def keeps_rank(call: Call) -> bool:
    """Whether a call's result has as many dimensions as its first operand."""
    row = TABLE.get(called(call))
    like = called(call).endswith("_like") and keyword(call, "shape") is None
    return row is not None and (row.rule in _SAME or like) and bool(operands_of(call))


def _guess(left: Expression, right: Expression, ranks: Ranks) -> None:
    """The usual reading of a product whose operands nothing else describes."""
    for operand in (left, right):
        if rank_of(operand, ranks) is None and _is_part_of_vector(operand, ranks):
            _impose(operand, 1, ranks)
    if rank_of(left, ranks) is None:
        vector = _is_lower(left) and _is_upper(right) and (_is_left_factor(right, ranks) or _is_form(left, ranks))
        _impose(left, 1 if vector else max(2, rank_of(right, ranks) or 0), ranks, assume=True)
    if rank_of(right, ranks) is None:
        vector = _is_lower(right) and (_is_upper(left) or rank_of(left, ranks) == 1)
        _impose(right, 1 if vector else 2, ranks, assume=True)


def _is_form(left: Expression, ranks: Ranks) -> bool:
    """Whether a factor is the first of ``x @ A @ y``: both others of such a form are vectors."""
    return any(
        isinstance(inner, Binary) and inner.op == "@" and inner.left is left and _is_lower(right)
        for inner, right in ranks.products
    )


def _is_left_factor(operand: Expression, ranks: Ranks) -> bool:
    """Whether a right factor is a left one elsewhere: of ``y @ A`` and ``A @ x`` both others are vectors."""
    path = _main(operand)
    return path is not None and any(_main(left) == path for left, _ in ranks.products)


def _is_part_of_vector(operand: Expression, ranks: Ranks) -> bool:
    """Whether a name stands for a slice of what takes one subscript: ``row = values[a:b]``."""
    path = dotted_path(operand)
    parts = [v for t, v in ranks.equations if path is not None and dotted_path(t) == path]
    return bool(parts) and all(isinstance(v, Subscript) and dotted_path(v.base) in ranks.single for v in parts)


def _at_least(expression: Expression, ranks: Ranks) -> int:
    """How many dimensions a value has at the least: those of the parts that are known."""
    known = rank_of(expression, ranks)
    if known is not None or not isinstance(expression, (Binary, Unary)):
        return known or 0
    if isinstance(expression, Unary):
        return _at_least(expression.operand, ranks)
    left, right = _at_least(expression.left, ranks), _at_least(expression.right, ranks)
    return (product_rank(left, right) or 0) if expression.op == "@" else max(left, right)


def _main(expression: Expression) -> str | None:
    """The name that an operand is mainly made of: ``A`` of ``alpha * A.T`` and ``A[i]``."""
    if isinstance(expression, Binary):
        return _main(expression.left if expression.op in ("/", "@") else expression.right)
    while isinstance(expression, (Subscript, Unary)):
        expression = expression.base if isinstance(expression, Subscript) else expression.operand
    path = dotted_path(expression)
    return None if path is None else path.removesuffix(".T")


def _last_name(expression: Expression) -> str:
    return (_main(expression) or "").rpartition(".")[2].lstrip("_")


def _is_lower(expression: Expression) -> bool:
    return _last_name(expression)[:1].islower() and not _is_upper(expression)


def _is_upper(expression: Expression) -> bool:
    """Whether a name is written as matrices are: ``A``, ``dH`` (but not ``xTest``)."""
    name = _last_name(expression)
    return name[:1].isupper() or (len(name) <= SHORT and any(letter.isupper() for letter in name))


# -- up -------------------------------------------------------------------------------------------


def rank_of(expression: Expression, ranks: Ranks) -> int | None:
    """The dimensions of an expression's value; None where they are not known."""
    if isinstance(expression, Literal):
        return 0 if isinstance(expression.value, (int, float, complex)) else None
    if isinstance(expression, (Name, Attribute)):
        return _rank_of_name(expression, ranks)
    if isinstance(expression, Subscript):
        base = rank_of(expression.base, ranks)
        return None if base is None else max(0, base - _fixed(expression, ranks))
    if isinstance(expression, Unary):
        return rank_of(expression.operand, ranks)
    if isinstance(expression, Binary):
        a, b = rank_of(expression.left, ranks), rank_of(expression.right, ranks)
        if a is None or b is None:
            return None
        return product_rank(a, b) if expression.op == "@" else max(a, b)
    return _rank_of_call(expression, ranks) if isinstance(expression, Call) else None


def product_rank(a: int, b: int) -> int | None:
    if a == 0 or b == 0:
        return None
    if a == 1 or b == 1:
        return a + b - 2
    return max(a, b)


def _rank_of_name(expression: Name | Attribute, ranks: Ranks) -> int | None:
    path = dotted_path(expression)
    if path in ranks.known:
        return ranks.known[path]
    if isinstance(expression, Attribute) and expression.name == "T":
        return rank_of(expression.base, ranks)
    return 0 if isinstance(expression, Attribute) and expression.name in ("size", "ndim") else None


def _rank_of_index(item: Expression, ranks: Ranks) -> int:
    """A mask or a part of an array picks elements; anything else that is not known is a number."""
    known = rank_of(item, ranks)
    if known is not None:
        return known
    path = dotted_path(item)
    parts = [v for t, v in ranks.equations if path is not None and dotted_path(t) == path] or [item]
    sliced = any(isinstance(v, Subscript) and any(isinstance(i, Slice) for i in v.items) for v in parts)
    return int(sliced or isinstance(item, Compare))


def is_new_axis(item: Expression) -> bool:
    if isinstance(item, Attribute):
        return item.name == "newaxis"
    return isinstance(item, Literal) and item.value is None


def _fixed(node: Subscript, ranks: Ranks) -> int:
    """How many dimensions subscripts take away."""
    taken = 0
    for item in node.items:
        if is_new_axis(item):
            taken -= 1
        elif isinstance(item, Literal) and item.value is Ellipsis:
            continue
        elif not isinstance(item, Slice):
            taken += 1 - _rank_of_index(item, ranks)
    return taken


def _rank_of_call(call: Call, ranks: Ranks) -> int | None:
    name, operands = called(call), operands_of(call)
    row = TABLE.get(name)
    first = rank_of(operands[0], ranks) if operands else None
    if row is None:
        return None
    if name in PRODUCTS and len(operands) >= 2:
        second = rank_of(operands[1], ranks)
        return None if first is None or second is None else product_rank(first, second)
    if keeps_rank(call):
        return first
    if row.rule in ("map2", "where"):
        found = [rank_of(o, ranks) for o in operands[:3]]
        known = [r for r in found if r is not None]
        return max(known) if known and len(known) == len(found) else None
    if row.rule == "reduce":
        return _reduced(call, first)
    if row.rule == "outer":
        return 2
    if row.rule in ("arange", "linspace", "ravel", "flatten"):
        return 1
    if row.rule in ("allocate", "reshape"):
        sizes = operands[1:] if row.rule == "reshape" else operands[:1]
        if len(sizes) == 1 and isinstance(sizes[0], Sequence):
            return len(sizes[0].items)
        return len(sizes) if row.rule == "reshape" and len(sizes) > 1 else None
    if name == "einsum" and operands and isinstance(operands[0], Literal) and isinstance(operands[0].value, str):
        _, arrow, output = operands[0].value.replace(" ", "").partition("->")
        return len(output) if arrow and "." not in output else None
    return None


def _reduced(call: Call, first: int | None) -> int | None:
    keep = keyword(call, "keepdims")
    if isinstance(keep, Literal) and keep.value is True:
        return first
    axis = axis_of(call)
    if axis is None:
        return 0
    count = len(axis.items) if isinstance(axis, Sequence) else 1
    return None if first is None else max(0, first - count)


# -- down -----------------------------------------------------------------------------------------


def _impose(expression: Expression, rank: int, ranks: Ranks, *, assume: bool = False) -> None:
    """``expression`` has that many dimensions: what follows for the names in it."""
    if rank < 0 or rank > 8:
        return
    if isinstance(expression, Attribute) and expression.name == "T":
        _impose(expression.base, rank, ranks, assume=assume)
    elif isinstance(expression, (Name, Attribute)):
        path = dotted_path(expression)
        open_still = path not in ranks.known and path not in ranks.mixed
        if path is not None and open_still and not path.endswith((".shape", ".size")):
            ranks.known[path] = rank
            if assume:
                ranks.assumed[path] = expression.place.line
    elif isinstance(expression, Subscript):
        _impose(expression.base, rank + _fixed(expression, ranks), ranks, assume=assume)
    elif isinstance(expression, Unary):
        _impose(expression.operand, rank, ranks, assume=assume)
    elif isinstance(expression, Binary):
        _impose_on_operands(expression, rank, ranks, assume)
    elif isinstance(expression, Call) and keeps_rank(expression):
        _impose(operands_of(expression)[0], rank, ranks, assume=assume)


def _impose_on_operands(node: Binary, rank: int, ranks: Ranks, assume: bool) -> None:
    a, b = rank_of(node.left, ranks), rank_of(node.right, ranks)
    if node.op == "@":
        if a is None and b is None and rank == 0:
            _impose(node.left, 1, ranks, assume=assume)
            _impose(node.right, 1, ranks, assume=assume)
        elif a is None and b is not None:
            _impose(node.left, rank + 1 if b == 1 else rank, ranks, assume=assume)
        elif b is None and a is not None:
            _impose(node.right, rank + 1 if a == 1 else rank, ranks, assume=assume)
        return
    if rank == 0 or node.op not in _ELEMENTWISE:
        return
    for side, mine, other in ((node.left, a, b), (node.right, b, a)):
        if mine is None and (_has_product(side) or (other is not None and other < rank)):
            _impose(side, rank, ranks, assume=assume)
    if a is None and b is None and not (_has_product(node.left) or _has_product(node.right)):
        _impose(node.right if node.op == "*" else node.left, rank, ranks, assume=assume)


def _has_product(expression: Expression) -> bool:
    if isinstance(expression, Binary):
        return expression.op == "@" or _has_product(expression.left) or _has_product(expression.right)
    return isinstance(expression, Unary) and _has_product(expression.operand)
