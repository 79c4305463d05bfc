"""The bits that two integers have in common."""

from __future__ import annotations

from collections.abc import Callable

from roofscan.symbolic.expr import ZERO, Expr, normal_form
from roofscan.symbolic.floors import floor_div, remainder
from roofscan.symbolic.terms import Func, is_integer_valued


@normal_form("and")
def common_bits(a: Expr, b: Expr, floor_of: Callable[[Expr, Expr], Expr] = floor_div) -> Expr:
    """``a & b``, by floors where one is a number."""
    if a == b:
        return a
    masks = [(other, mask.constant) for other, mask in ((a, b), (b, a)) if isinstance(mask.constant, int)]
    if not masks and (_is_below_bits_of(a, b) or _is_below_bits_of(b, a)):
        return ZERO
    if not masks:
        return Expr.atom(Func("and", (a, b) if str(a) < str(b) else (b, a)))
    value, mask = masks[0]
    if mask < 0:
        return value - common_bits(value, Expr.of(~mask), floor_of)
    found = ZERO
    for low in (bit for bit in range(mask.bit_length()) if mask >> bit & 1 and not (mask << 1) >> bit & 1):
        ones = ~(mask >> low) & (mask >> low) + 1  # above the run of ones that begins there
        for width, sign in ((1 << low, 1), (ones << low, -1)):
            found = found + sign * width * (floor_of(value, Expr.of(width)) if width > 1 else value)
    return found


def _is_below_bits_of(low: Expr, high: Expr) -> bool:
    """Whether one is a remainder by a power of two that all terms of the other are multiples of."""
    for atom in low.atoms:
        width = atom.args[-1].constant
        if atom.name == "floor" and isinstance(width, int) and width > 0 and not width & width - 1:
            if low == remainder(atom.args[0], Expr.of(width)):
                return all(is_integer_valued(m) and c % width == 0 for m, c in high.terms.items())
    return False
