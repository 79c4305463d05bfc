"""Broadcasting: the common shape of operands, and extents that must be equal."""

from __future__ import annotations

import re
from collections.abc import Sequence

from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import has_loop_variable, loop_variables
from roofscan.symbolic.expr import ONE, Expr, symbol

_NAME = re.compile(r"[^\W\d]\w*")


def broadcast(cx: Context, shapes: Sequence[Sequence[Expr]], line: int) -> tuple[Expr, ...]:
    """The common shape by NumPy's rules. Extents of different names are assumed to be equal."""
    rank = max((len(s) for s in shapes), default=0)
    result: list[Expr] = []
    for position in range(-rank, 0):
        extents = [s[position] for s in shapes if len(s) >= -position]
        common = ONE
        for extent in extents:
            if common == ONE or cx.builder.known_value(common) == 1:
                common = extent
            elif extent not in (ONE, common) and cx.builder.known_value(extent) != 1:
                unify(cx, common, extent, line)
                common = extent if extent.constant is not None else common
        result.append(common)
    return tuple(result)


def unify(cx: Context, a: Expr, b: Expr, line: int) -> None:
    """Two extents must be equal: an assumption, or a mismatch where both are constants."""
    a, b = cx.builder.resolve(a), cx.builder.resolve(b)
    if a == b:
        return
    if len((a - b).terms) == 1 and not has_loop_variable(a - b):  # sizes are positive
        cx.builder.reason(line, f"the shapes do not match: {a} and {b}", "lower")
        return
    difference = a - b
    plain = [_plain_symbol(b), _plain_symbol(a)]

    def priority(name: str) -> tuple[bool, int, str]:
        """The order in which symbols are replaced: names from the source stay, and so do extents of one symbol."""
        return name in cx.builder.named_extents, plain.index(name) if name in plain else 2, name

    for name in sorted(difference.symbols, key=priority):  # A_shape_0 - i against n - i
        factor = difference.coefficient(name).constant
        if factor in (1, -1) and difference.degree(name) == 1 and cx.builder.may_equate(name):
            value = (difference - symbol(name) * Expr.of(factor)) * -int(factor)
            free = name not in value.symbols and not loop_variables(value)
            if free and (value.constant is None or value.constant > 0):
                cx.builder.equal[name] = value
                cx.builder.assume(f"{in_source(cx, name)} equals {in_source(cx, value)} (line {line})")
                return
    if has_loop_variable(a) != has_loop_variable(b):
        cx.builder.reason(line, f"the shapes do not match in every iteration: {a} and {b}", "lower")
        return
    cx.builder.assume(f"{in_source(cx, a)} equals {in_source(cx, b)} (line {line})")


def in_source(cx: Context, extent: Expr | str) -> str:
    """An extent as text, with ``x.shape[0]`` for a symbol that the source does not name."""

    def written(word: re.Match[str]) -> str:
        made = cx.builder.symbols.get(word[0])
        if made is None or word[0] in cx.builder.named_extents or ".shape[" not in made.meaning:
            return word[0]
        return made.meaning

    return _NAME.sub(written, str(extent))


def _plain_symbol(expr: Expr) -> str | None:
    names = expr.symbols
    if len(names) == 1:
        [name] = names
        return name if expr == symbol(name) else None
    return None
