"""Extents that only the loops over an array show: ``C[i, j]`` for i < n and j < m is taken as n × m."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Access, Body, Branch, Condition, Loop
from roofscan.ir.visitor import conditions_of, expressions, loops_of, walk, walk_with_blocks
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import extent
from roofscan.symbolic.expr import Expr, NotEvaluable, symbol

LARGE = 1009
"""A size at which expressions are compared for large sizes; a prime, so that floors and remainders are typical."""
LARGE_TILE = 8

Ends = dict[Expr | None, None]
"""Where subscripts end, in source order: of two equal ends the first counts."""


def inferred_extents(cx: Context, body: Body, facts: Facts, equal: Mapping[str, Expr]) -> dict[str, Expr]:
    builder = cx.builder
    open_extents = _open_extents(cx, body, facts, equal)
    if not open_extents:
        return {}
    ends, bordered = _ends_of_subscripts(cx, body, open_extents)
    found: dict[str, Expr] = {}
    for name, ends_of_name in ends.items():
        best = _largest(cx, ends_of_name)
        if best is not None and name in bordered and best.constant is None and best.constant_term < 0:
            best = best - best.constant_term  # an inner part is accessed: the border is there too
        if best is not None and name not in best.symbols and not best.atoms and best.symbols.isdisjoint(open_extents):
            found[name] = best.subs(dict(equal))
            builder.assume(f"{builder.symbols[name].meaning} is {found[name]} (from its subscripts)")
    return found


def _ends_of_subscripts(cx: Context, body: Body, open_extents: set[str]) -> tuple[dict[str, Ends], set[str]]:
    """For each open extent where subscripts end, and the extents of arrays that are accessed inside a border."""
    ends: dict[str, Ends] = {}
    bordered: set[str] = set()
    for access, around in walk_with_blocks(body):
        array = cx.builder.arrays.get(access.array) if isinstance(access, Access) else None
        if array is None or not isinstance(access, Access):
            continue
        for size, index in zip(array.shape, access.index, strict=False):
            name = next(iter(size.symbols), "") if size == symbol(next(iter(size.symbols), " ")) else ""
            if name in open_extents:
                lo, hi = (None, None) if index is None else _range(index, loops_of(around), conditions_of(around))
                if len(array.shape) > 1 and lo is not None and (lo.constant or 0) > 0:
                    bordered.add(name)
                ends.setdefault(name, {})[None if hi is None else hi + 1] = None
    return ends, bordered


def _range(index: Expr, loops: Sequence[Loop], guards: Sequence[Condition]) -> tuple[Expr | None, Expr | None]:
    """The first and the last place; ``m + n`` where ``m + n < N`` ends at N - 1, whatever m and n are alone."""
    lo, hi = extent(index, loops, guards)
    variables = {loop.var for loop in loops}
    for guard in guards:
        most = index + guard.expr  # at least index, where the condition holds
        if guard.relation == "ge" and guard.expr.symbols & variables and most.symbols.isdisjoint(variables):
            hi = most if hi is None or _is_less(most, hi) else hi
    return lo, hi


def _is_less(a: Expr, b: Expr) -> bool:
    """Whether ``a < b`` for large sizes."""
    try:
        return (b - a).evaluate(dict.fromkeys(a.symbols | b.symbols, LARGE)) > 0
    except NotEvaluable:
        return False


def _largest(cx: Context, ends: Collection[Expr | None]) -> Expr | None:
    """The largest of several ends for large sizes; None where one is not known in sizes."""
    known = [end for end in ends if end is not None]
    symbols = cx.builder.symbols
    kinds = {symbols[s].kind if s in symbols else "" for end in known for s in end.symbols}
    if len(known) != len(ends) or not known or not kinds <= {"size", "tile", "total"}:
        return None
    large = {s: LARGE_TILE if symbols[s].kind == "tile" else LARGE for end in known for s in end.symbols}
    return max(known, key=lambda end: (end.evaluate(large), -len(end.terms)))


def _open_extents(cx: Context, body: Body, facts: Facts, equal: Mapping[str, Expr]) -> set[str]:
    """Extents that nothing in the source mentions: no loop bound, no condition, no binding."""
    builder = cx.builder
    bound = {a for a, fact in facts.arrays.items() if fact.shape is not None}
    names = {
        next(iter(size.symbols))
        for array in builder.arrays.values()
        if array.role in ("parameter", "global")
        and array.name not in bound
        and array.name.replace(".", "_") not in bound
        for size in array.shape
        if len(size.symbols) == 1 and next(iter(size.symbols)) in builder.extents
    }
    named = set(cx.frame.type_facts.size_names.values())
    return names - named - mentioned_symbols(body) - set(equal) - {s for e in equal.values() for s in e.symbols}


def mentioned_symbols(body: Body) -> set[str]:
    """Symbols in loop bounds, conditions, subscripts and counts."""
    found: set[str] = set()
    for node in walk(body):
        if isinstance(node, Access):
            found.update(s for e in node.index if e is not None for s in e.symbols)
        elif isinstance(node, Loop):
            found |= node.start.symbols | node.stop.symbols | node.step.symbols
        elif not isinstance(node, Branch):
            found.update(s for e in expressions(node) for s in e.symbols)
    return found
