"""Backward rank inference: from the rank of an expression to the ranks of the names in it. If ``a * x.T`` has rank 2
and ``a`` is a scalar, ``x`` has rank 2. Where nothing else describes the operands of a matrix product, matrices have
upper-case names and vectors lower-case names: ``A @ x`` is a matrix times a vector. The report states each such
assumption."""

from __future__ import annotations

from roofscan.parse.inference.forward import Ranks, dimensions_taken, lower_bound, rank_of
from roofscan.parse.inference.operands import operands_of, transposed
from roofscan.parse.inference.rule import rule_of
from roofscan.parse.syntax import Attribute, Binary, Call, Expression, Name, Slice, Subscript, Unary
from roofscan.parse.syntax_walk import dotted_path, subscript_chain, walk

ELEMENTWISE = frozenset({"+", "-", "*", "/", "//", "%", "**"})
"""Operators whose result has the larger rank of their operands."""


def constrain(expression: Expression, rank: int, ranks: Ranks, *, assume: bool = False) -> None:
    """Record what the rank of ``expression`` says about the names in it; ``assume``: the rank is a convention."""
    if rank < 0 or rank > 8:
        return
    if (base := transposed(expression)) is not None:
        constrain(base, rank, ranks, assume=assume)
    elif isinstance(expression, (Name, Attribute)):
        path = dotted_path(expression)
        is_open = path not in ranks.known and path not in ranks.mixed
        if path is not None and is_open and not path.endswith((".shape", ".size")):
            ranks.known[path] = rank
            if assume:
                ranks.assumed[path] = expression.place.line
    elif isinstance(expression, Subscript):
        constrain(expression.base, rank + dimensions_taken(expression, ranks), ranks, assume=assume)
    elif isinstance(expression, Unary):
        constrain(expression.operand, rank, ranks, assume=assume)
    elif isinstance(expression, Binary):
        _impose_on_operands(expression, rank, ranks, assume)
    elif isinstance(expression, Call):
        first = rule_of(expression, ranks.library).rank_of_first(expression, rank)
        if first is not None and operands_of(expression):
            constrain(operands_of(expression)[0], first, ranks, assume=assume)


def _impose_on_operands(node: Binary, rank: int, ranks: Ranks, assume: bool) -> None:
    a, b = rank_of(node.left, ranks), rank_of(node.right, ranks)
    if node.op == "@":
        if a is None and b is None and rank == 0:
            constrain(node.left, 1, ranks, assume=assume)
            constrain(node.right, 1, ranks, assume=assume)
        elif a is None and b is not None:
            constrain(node.left, rank + 1 if b == 1 else rank, ranks, assume=assume)
        elif b is None and a is not None:
            constrain(node.right, rank + 1 if a == 1 else rank, ranks, assume=assume)
        return
    if rank == 0 or node.op not in ELEMENTWISE:
        return
    for side, mine, other in ((node.left, a, b), (node.right, b, a)):
        if mine is None and (has_product(side) or (other is not None and other < rank)):
            constrain(side, rank, ranks, assume=assume)
    if a is None and b is None and not (has_product(node.left) or has_product(node.right)):
        constrain(node.right if node.op == "*" else node.left, rank, ranks, assume=assume)


def has_product(expression: Expression) -> bool:
    if isinstance(expression, Binary):
        return expression.op == "@" or has_product(expression.left) or has_product(expression.right)
    return isinstance(expression, Unary) and has_product(expression.operand)


MAX_SHORT_NAME = 3  # the longest name that any upper-case letter makes the name of a matrix (``dH``)


def apply_convention(left: Expression, right: Expression, ranks: Ranks) -> None:
    """Assume the ranks of the operands of a product that nothing else describes."""
    for operand in (left, right):
        if rank_of(operand, ranks) is None and _is_slice_of_vector(operand, ranks):
            constrain(operand, 1, ranks)
    if _is_dot_product(left, right, ranks):
        constrain(left, 1, ranks, assume=True)
        constrain(right, 1, ranks, assume=True)
    is_factor, is_open = _is_factor(left, ranks), rank_of(left, ranks) is None and rank_of(right, ranks) is None
    if rank_of(left, ranks) is None:
        vector = _is_lower(left) and (
            _is_first_of_bilinear_form(left, ranks) or (is_upper(right) and _is_left_factor(right, ranks))
        )
        constrain(left, 1 if vector else max(2, rank_of(right, ranks) or 0), ranks, assume=True)
    if rank_of(right, ranks) is None:
        in_lower_case = is_open and _is_lower(left) and not isinstance(right, Attribute)
        alone = not is_factor and (rank_of(left, ranks) == 1 or in_lower_case)
        constrain(right, 1 if _is_lower(right) and (is_upper(left) or alone) else 2, ranks, assume=True)


def _is_dot_product(left: Expression, right: Expression, ranks: Ranks) -> bool:
    """Whether a product is taken as one of two vectors: both are names in lower case, and nothing takes the result for
    an array."""
    names = all(isinstance(side, Name) and _is_lower(side) for side in (left, right))
    if not names or rank_of(left, ranks) is not None or rank_of(right, ranks) is not None or _is_factor(left, ranks):
        return False
    updated = [*(target for target, _ in ranks.broadcasts if isinstance(target, Name)), right]  # x = w @ x
    return not any(lower_bound(t, ranks) or _has_slice(t) or _is_among(t, updated) for t in _targets(left, ranks))


def _is_among(target: Expression, updated: list[Expression]) -> bool:
    return isinstance(target, Name) and dotted_path(target) in map(dotted_path, updated)


def _targets(left: Expression, ranks: Ranks) -> list[Expression]:
    """What is bound to values that hold the product of ``left``."""
    return [target for target, value in (*ranks.equations, *ranks.broadcasts) if any(n is left for n in walk(value))]


def _is_factor(left: Expression, ranks: Ranks) -> bool:
    """Whether the product of ``left`` is a factor of a product itself, by its place or by its name."""
    sides = [left, *(side for pair in ranks.products if pair[0] is not left for side in pair)]
    names = {dotted_path(target) for target in _targets(left, ranks)} - {None}
    return any(dotted_path(s) in names or (s is not left and any(n is left for n in walk(s))) for s in sides)


def _has_slice(target: Expression) -> bool:
    return any(isinstance(item, Slice) for item in subscript_chain(target)[1])


def _is_first_of_bilinear_form(left: Expression, ranks: Ranks) -> bool:
    """Whether a factor is the first of ``x @ A @ y``, where ``x`` and ``y`` are vectors."""
    return any(
        isinstance(inner, Binary) and inner.op == "@" and inner.left is left and _is_lower(right)
        for inner, right in ranks.products
    )


def _is_left_factor(operand: Expression, ranks: Ranks) -> bool:
    """Whether a right factor is a left factor elsewhere: in ``y @ A`` and ``A @ x``, ``x`` and ``y`` are vectors."""
    path = _main_name(operand)
    return path is not None and any(_main_name(left) == path for left, _ in ranks.products)


def _is_slice_of_vector(operand: Expression, ranks: Ranks) -> bool:
    """Whether a name is bound to a slice of an array that takes one index: ``row = values[a:b]``."""
    path = dotted_path(operand)
    parts = [v for t, v in ranks.equations if path is not None and dotted_path(t) == path]
    return bool(parts) and all(isinstance(v, Subscript) and dotted_path(v.base) in ranks.single for v in parts)


def _main_name(expression: Expression) -> str | None:
    """The name of the array in a scaled, transposed or subscripted operand: ``A`` in ``alpha * A.T`` and ``A[i]``."""
    if isinstance(expression, Binary):
        return _main_name(expression.left if expression.op in ("/", "@") else expression.right)
    while isinstance(expression, (Subscript, Unary)):
        expression = expression.base if isinstance(expression, Subscript) else expression.operand
    path = dotted_path(expression)
    return None if path is None else path.removesuffix(".T")


def _last_name(expression: Expression) -> str:
    return (_main_name(expression) or "").rpartition(".")[2].lstrip("_")


def _is_lower(expression: Expression) -> bool:
    return _last_name(expression)[:1].islower() and not is_upper(expression)


def is_upper(expression: Expression) -> bool:
    """Whether a name looks like that of a matrix: ``A``, ``dH`` (but not ``xTest``)."""
    name = _last_name(expression)
    return name[:1].isupper() or (len(name) <= MAX_SHORT_NAME and any(letter.isupper() for letter in name))
