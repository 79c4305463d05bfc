"""Subscripts that may be negative: they count from the end, and so reach elements that the analysis takes for others
(a constant below 0 it resolves)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from roofscan.ir.kernel import Kernel
from roofscan.ir.loop_names import is_loop_variable
from roofscan.ir.tree import Access, Block, Body, Loop
from roofscan.ir.visitor import accesses, conditions_of, loops_of, walk_with_blocks
from roofscan.symbolic.expr import Expr


def assumed_natural(kernel: Kernel, body: Body) -> tuple[str, ...] | None:
    """What keeps all subscripts of what a body writes from being negative; None where that cannot be named."""
    written = {kernel.array(access.array).memory for access in accesses(body) if access.write}
    here = {access.id for access in accesses(body)}
    found: dict[str, None] = {}
    for node, around in walk_with_blocks(kernel.body):
        if isinstance(node, Access) and node.id in here and kernel.array(node.array).memory in written:
            for subscript in (e for e in node.index if e is not None):
                needed = _needed(kernel, subscript, around)
                if needed is None:
                    return None
                found.update(dict.fromkeys(needed))
    return tuple(f"{text} is not negative" for text in found)


def _needed(kernel: Kernel, subscript: Expr, around: tuple[Block, ...]) -> Iterable[str] | None:
    least = _least(subscript, loops_of(around))
    if least is None:
        return None
    if least.constant is not None:
        return () if least.constant >= 0 or conditions_of(around) else None
    if _is_sum(kernel, least):
        return sorted(least.symbols & set(kernel.parameters))
    grows = any(factor > 0 for monomial, factor in least.terms.items() if monomial)
    in_sizes = not least.atoms and not any(map(is_loop_variable, least.symbols))
    return (_text(kernel, least),) if grows and in_sizes else None


def _text(kernel: Kernel, least: Expr) -> str:
    meanings = {symbol.name: symbol.meaning for symbol in kernel.symbols if symbol.extent}
    return re.sub(r"\w+", lambda name: meanings.get(name[0], name[0]), str(least))


def _is_sum(kernel: Kernel, least: Expr) -> bool:
    """Whether it is at least 0 for sizes of at least 1 (and parameters of at least 0)."""
    above = {
        s.name: Expr.of(s.name) + 1 for s in kernel.symbols if s.kind == "size" and s.name not in kernel.parameters
    }
    return all(factor >= 0 for factor in least.subs(above).terms.values())


def _least(subscript: Expr, loops: tuple[Loop, ...]) -> Expr | None:
    """Its least value in the iterations of the loops around it; None where it is not linear in them."""
    for loop in reversed(loops):
        if loop.var not in subscript.symbols:
            continue
        if not subscript.is_linear_in((loop.var,)):
            return None
        factors = set(_signs(subscript.coefficient(loop.var)))
        if len(factors) != 1:
            return None
        low, high = _ends(loop)
        subscript = subscript.subs({loop.var: low if factors == {1} else high})
    return subscript


def _signs(factor: Expr) -> Iterator[int]:
    return ((number > 0) - (number < 0) for number in factor.terms.values())


def _ends(loop: Loop) -> tuple[Expr, Expr]:
    """The least and the greatest value that a loop's variable may have."""
    step = loop.step.constant
    if step is not None and step < 0:
        return loop.stop + 1, loop.start
    return loop.start, loop.stop - 1
