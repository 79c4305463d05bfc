"""The usual reading of a matrix product that nothing else describes: matrices have upper-case names, vectors not."""

from __future__ import annotations

from roofscan.parse.inference.backward import constrain
from roofscan.parse.inference.forward import Ranks, rank_of
from roofscan.parse.syntax import Binary, Expression, Subscript, Unary
from roofscan.parse.syntax_walk import dotted_path

SHORT = 3
"""The longest name that an upper-case letter inside makes one of a matrix."""


def apply_convention(left: Expression, right: Expression, ranks: Ranks) -> None:
    """The usual reading of a product whose operands nothing else describes."""
    for operand in (left, right):
        if rank_of(operand, ranks) is None and _is_part_of_vector(operand, ranks):
            constrain(operand, 1, ranks)
    if rank_of(left, ranks) is None:
        vector = _is_lower(left) and is_upper(right) and (_is_left_factor(right, ranks) or _is_form(left, ranks))
        constrain(left, 1 if vector else max(2, rank_of(right, ranks) or 0), ranks, assume=True)
    if rank_of(right, ranks) is None:
        vector = _is_lower(right) and (is_upper(left) or rank_of(left, ranks) == 1)
        constrain(right, 1 if vector else 2, ranks, assume=True)


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
    return _last_name(expression)[:1].islower() and not is_upper(expression)


def is_upper(expression: Expression) -> bool:
    """Whether a name is written as matrices are: ``A``, ``dH`` (but not ``xTest``)."""
    name = _last_name(expression)
    return name[:1].isupper() or (len(name) <= SHORT and any(letter.isupper() for letter in name))
