"""``np.einsum``: its subscripts give the extents, the summed dimensions and the ranks of its operands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roofscan.parse.inference.operands import operand, operands_of
from roofscan.parse.inference.rule import Constraint, RankOf
from roofscan.parse.lowering.calls.arguments import out_view
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.array_operations import as_operand
from roofscan.parse.lowering.numpy.broadcasting import unify
from roofscan.parse.lowering.numpy.contractions import contraction
from roofscan.parse.lowering.numpy.rule import Function, NumpyRule, rows
from roofscan.parse.lowering.values import Keywords, Text, Value, View
from roofscan.parse.syntax import Call, Literal
from roofscan.symbolic.expr import ONE, Expr


def einsum(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    """``np.einsum("ij,jk->ik", A, B)`` with explicit or implicit output, and an ellipsis for leading dimensions."""
    if not args or not isinstance(args[0], Text):
        return None
    operands = [as_operand(cx, a, line) for a in args[1:]]
    views = [o for o in operands if isinstance(o, View)]
    text = args[0].value
    inputs, arrow, output = text.replace(" ", "").partition("->")
    terms = inputs.split(",")
    if len(views) != len(operands) or len(terms) != len(views):
        return cx.unknown(line, f"an operand of the einsum {text!r} is not an array")
    spelled = [_spelled(term, view.ndim) for term, view in zip(terms, views, strict=True)]
    rest = max((t for t in map(_leading, spelled)), key=len)
    output = output.replace("...", rest) if arrow else rest + _implicit(inputs)
    extents = _letters(cx, spelled, views, line)
    if extents is None or set(output) - extents.keys():
        return cx.unknown(line, f"the einsum {text!r} does not match its operands")
    summed = [e for c, e in extents.items() if c not in output]
    if len(views) > 2:
        cx.builder.reason(
            line, "an einsum of more than two operands is counted as one loop nest; a better order costs less", "upper"
        )
    return contraction(cx, views, [extents[c] for c in output], summed, line, out_view([], keywords, 0))


def _spelled(term: str, ndim: int) -> str:
    """A term with capital Greek letters in place of its ellipsis, aligned at the last dimension."""
    if "..." not in term:
        return term
    count = max(0, ndim - len(term) + 3)
    return term.replace("...", _GREEK[len(_GREEK) - count :])


_GREEK = "ΑΒΓΔΕΖΗΘ"


def _leading(term: str) -> str:
    return "".join(c for c in term if c in _GREEK)


def _implicit(inputs: str) -> str:
    letters = inputs.replace(",", "").replace("...", "")
    return "".join(sorted(c for c in set(letters) if letters.count(c) == 1))


def _letters(cx: Context, terms: list[str], views: list[View], line: int) -> dict[str, Expr] | None:
    """The extent of each letter; equal letters are equal sizes (extents of 1 repeat)."""
    extents: dict[str, Expr] = {}
    for term, view in zip(terms, views, strict=True):
        if len(term) != view.ndim:
            return None
        for letter, extent in zip(term, view.shape, strict=True):
            known = extents.get(letter, ONE)
            if known != ONE and extent != ONE:
                unify(cx, known, extent, line)
            extents[letter] = extent if known == ONE else known
    return extents


@dataclass(frozen=True, kw_only=True)
class Einsum(Function):
    """``einsum("ij,j->i", A, x)``: the letters are the ranks."""

    constrains_ranks: bool = True
    overrides_subscripts: bool = True

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        _, arrow, output = _subscripts(call).partition("->")
        return len(output) if arrow and "." not in output else None

    def operand_ranks(self, call: Call) -> Iterator[Constraint]:
        inputs = _subscripts(call).partition("->")[0]
        terms = inputs.split(",") if inputs else []
        return ((o, len(term)) for term, o in zip(terms, operands_of(call)[1:]) if "." not in term)


def _subscripts(call: Call) -> str:
    first = operand(call, 0)
    text = first.value if isinstance(first, Literal) else None
    return text.replace(" ", "") if isinstance(text, str) else ""


EINSUM: dict[str, NumpyRule] = {**rows("einsum", Einsum(einsum))}
