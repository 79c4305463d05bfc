"""The last pass: names of temporaries, equal sizes, inferred extents, and what a caller can still see."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from operator import is_

from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Access, Array, Body, Branch, Condition, Kernel, Loop, Node, Operation, When
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import extent
from roofscan.parse.lowering.values import TupleValue, Value, View
from roofscan.parse.passes.negative_indices import wrapped_body
from roofscan.parse.passes.resolve_broadcasts import settle
from roofscan.parse.reader.call_graph import is_helper
from roofscan.parse.reader.find import Candidate
from roofscan.symbolic.expr import Expr, NotEvaluable, symbol


def finalize(cx: Context, candidate: Candidate, facts: Facts) -> Kernel:
    """The kernel that the builder holds, tidied up."""
    builder, function = cx.builder, candidate.function
    names = _array_names(cx)
    body = _renamed(tuple(builder.body), names)
    body = wrapped_body(body, {names[a.name]: a for a in builder.arrays.values()}, builder.new_id)
    settle(builder, _mentioned(body))
    builder.equal.update(_same_rows(cx))
    equal = {name: builder.resolve(symbol(name)) for name in builder.equal}
    equal.update(_inferred(cx, body, facts, equal))
    if equal:
        body = tuple(_subs_node(node, equal) for node in body)
    seen = _returned(cx.frame.returns, names)
    arrays = tuple(
        replace(_subs_array(a, equal), live_out=a.live_out or names[a.name] in seen, name=names[a.name],
                buffer=names.get(a.buffer, a.buffer))
        for a in builder.arrays.values()
    )  # fmt: skip
    _irregular_reasons(cx, body)
    used = _symbols_used(body, arrays)
    symbols = tuple(s for s in builder.symbols.values() if s.name in used or s.name in facts.scalars)
    return Kernel(
        candidate.name, cx.module.path, function.place.line, function.place.end_line, candidate.decorator,
        tuple(p.name for p in function.parameters), arrays, symbols, body,
        tuple(builder.reasons.values()), tuple(builder.assumptions), _values(builder.symbols.keys(), facts),
        function.place.column, is_helper(cx.module, candidate.name),
    )  # fmt: skip


def _array_names(cx: Context) -> dict[str, str]:
    """The name of every array in the report: temporaries without one are t1, t2, … in source order."""
    builder = cx.builder
    names = {name: builder.names.get(name, name) for name in builder.arrays}
    number = 0
    for name in builder.arrays:
        if name.startswith("~t") and name not in builder.names:
            number += 1
            while f"t{number}" in names.values():
                number += 1
            names[name] = f"t{number}"
    return names


def _irregular_reasons(cx: Context, body: Body) -> None:
    for access, _, _ in _accesses(body, [], []):
        if not access.regular:
            kind = "scatter to" if access.write else "gather from"
            cx.builder.reason(access.line, f"{kind} {access.array}: {access.why_irregular or 'data'}", "traffic")


def _values(names: object, facts: Facts) -> dict[str, Expr]:
    return {n: Expr.of(f.value) for n, f in facts.scalars.items() if n in names}  # type: ignore[operator]


def _returned(values: list[Value], names: Mapping[str, str]) -> set[str]:
    """The arrays that the function returns."""
    found: set[str] = set()
    for value in values:
        if isinstance(value, View):
            found.add(names.get(value.array, value.array))
        elif isinstance(value, TupleValue):
            found |= _returned(list(value.items), names)
    return found


def _renamed(body: Body, names: Mapping[str, str]) -> Body:
    return body if not names else tuple(_rename(node, names) for node in body)


def _rename(node: Node, names: Mapping[str, str]) -> Node:
    if isinstance(node, Access):
        name = names.get(node.array, node.array)
        return node if name == node.array else replace(node, array=name)
    if isinstance(node, Operation):
        return node
    body = _renamed(node.body, names)
    return node if all(map(is_, body, node.body)) else replace(node, body=body)


def _same_rows(cx: Context) -> dict[str, Expr]:
    """Symbols of CSR rows that are those of an earlier loop: the same rows, by an array that is never written."""
    arrays = cx.builder.arrays
    written = {arrays[a.array].memory for a, _, _ in _accesses(tuple(cx.builder.body), [], []) if a.write}
    first: dict[tuple[str, Expr, Expr], tuple[str, str]] = {}
    same: dict[str, Expr] = {}
    for names, (array, low, high) in cx.builder.row_spans.items():
        span = (array, cx.builder.resolve(low), cx.builder.resolve(high))
        known = first.setdefault(span, names)
        if known != names and arrays[array].memory not in written:
            same.update(zip(names, map(symbol, known), strict=True))
    return same


# -- sizes that the subscripts tell ---------------------------------------------------------------


def _inferred(cx: Context, body: Body, facts: Facts, equal: Mapping[str, Expr]) -> dict[str, Expr]:
    """Extents that only loops over them tell: ``C[i, j]`` for i < n and j < m is taken as n × m."""
    builder = cx.builder
    open_extents = _open_extents(cx, body, facts, equal)
    if not open_extents:
        return {}
    reached: dict[str, dict[Expr | None, None]] = {}  # ends in source order: of two that are equal the first stands
    bordered: set[str] = set()
    for access, loops, guards in _accesses(body, [], []):
        array = builder.arrays.get(access.array)
        if array is None:
            continue
        for size, index in zip(array.shape, access.index, strict=False):
            name = next(iter(size.symbols), "") if size == symbol(next(iter(size.symbols), " ")) else ""
            if name in open_extents:
                lo, hi = (None, None) if index is None else _reached(index, loops, guards)
                if len(array.shape) > 1 and lo is not None and (lo.constant or 0) > 0:
                    bordered.add(name)
                reached.setdefault(name, {})[None if hi is None else hi + 1] = None
    found: dict[str, Expr] = {}
    for name, ends in reached.items():
        best = _largest(cx, ends)
        if best is not None and name in bordered and best.constant is None and best.constant_term < 0:
            best = best - best.constant_term  # an inner part is written: the border is there too
        if best is not None and name not in best.symbols and not best.atoms and best.symbols.isdisjoint(open_extents):
            found[name] = best.subs(dict(equal))
            builder.assume(f"{builder.symbols[name].meaning} is {found[name]} (from its subscripts)")
    return found


def _reached(index: Expr, loops: list[Loop], guards: list[Condition]) -> tuple[Expr | None, Expr | None]:
    """The first and the last place; ``m + n`` where ``m + n < N`` goes up to N - 1, whatever m and n may be alone."""
    lo, hi = extent(index, loops, guards)
    variables = {loop.var for loop in loops}
    for guard in guards:
        most = index + guard.expr  # at least index, where the condition holds
        if guard.relation == "ge" and guard.expr.symbols & variables and most.symbols.isdisjoint(variables):
            hi = most if hi is None or _is_less(most, hi) else hi
    return lo, hi


def _is_less(a: Expr, b: Expr) -> bool:
    """Whether ``a`` is where all sizes are large."""
    try:
        return (b - a).evaluate(dict.fromkeys(a.symbols | b.symbols, 1009)) > 0
    except NotEvaluable:
        return False


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
    return names - named - _mentioned(body) - set(equal) - {s for e in equal.values() for s in e.symbols}


def _mentioned(body: Body) -> set[str]:
    """Symbols that stand in loop bounds, conditions, subscripts or counts."""
    found: set[str] = set()
    for node in body:
        if isinstance(node, Loop):
            found |= node.start.symbols | node.stop.symbols | node.step.symbols
        elif isinstance(node, When):
            found |= {s for c in node.conditions for s in c.expr.symbols}
        elif isinstance(node, Access):
            found |= {s for e in node.index if e is not None for s in e.symbols}
        elif isinstance(node, Operation):
            found |= node.count.symbols
        if isinstance(node, (Loop, When, Branch)):
            found |= _mentioned(node.body)
    return found


def _accesses(
    body: Body, loops: list[Loop], guards: list[Condition]
) -> Iterator[tuple[Access, list[Loop], list[Condition]]]:
    for node in body:
        if isinstance(node, Access):
            yield node, loops, guards
        elif isinstance(node, Loop):
            yield from _accesses(node.body, [*loops, node], guards)
        elif isinstance(node, When):
            yield from _accesses(node.body, loops, [*guards, *node.conditions])
        elif isinstance(node, Branch):
            yield from _accesses(node.body, loops, guards)


def _largest(cx: Context, ends: Collection[Expr | None]) -> Expr | None:
    """The largest of several ends where sizes are large; None where one is not known in sizes."""
    known = [end for end in ends if end is not None]
    symbols = cx.builder.symbols
    kinds = {symbols[s].kind if s in symbols else "" for end in known for s in end.symbols}
    if len(known) != len(ends) or not known or not kinds <= {"size", "tile", "total"}:
        return None
    large = {s: 8 if symbols[s].kind == "tile" else 1009 for end in known for s in end.symbols}
    return max(known, key=lambda end: (end.evaluate(large), -len(end.terms)))


# -- replacing symbols everywhere -----------------------------------------------------------------


def _subs_node(node: Node, values: Mapping[str, Expr]) -> Node:
    if isinstance(node, Access):
        index = tuple([None if e is None else e.subs(values) for e in node.index])
        if not node.within:
            return node if all(map(is_, index, node.index)) else replace(node, index=index)
        within = tuple(None if w is None else (w[0].subs(values), w[1].subs(values)) for w in node.within)
        return replace(node, index=index, within=within)
    if isinstance(node, Operation):
        count = node.count.subs(values)
        return node if count is node.count else replace(node, count=count)
    body = tuple(_subs_node(inner, values) for inner in node.body)
    if isinstance(node, When):
        conditions = tuple(replace(c, expr=c.expr.subs(values)) for c in node.conditions)
        return replace(node, conditions=conditions, body=body)
    if isinstance(node, Branch):
        return replace(node, body=body)
    return replace(
        node,
        start=node.start.subs(values),
        stop=node.stop.subs(values),
        step=node.step.subs(values),
        total=None if node.total is None else node.total.subs(values),
        body=body,
    )


def _subs_array(array: Array, values: Mapping[str, Expr]) -> Array:
    if not values:
        return array
    shape = tuple(e.subs(values) for e in array.shape)
    return replace(array, shape=shape, strides=tuple(e.subs(values) for e in array.strides))


def _symbols_used(body: Body, arrays: tuple[Array, ...]) -> set[str]:
    found = {s for a in arrays for e in a.shape for s in e.symbols} | _mentioned(body)
    stack = list(body)
    while stack:
        node = stack.pop()
        if isinstance(node, Branch):
            found |= node.share.symbols
        if isinstance(node, Loop) and node.total is not None:
            found |= node.total.symbols
        if isinstance(node, (Loop, When, Branch)):
            stack.extend(node.body)
    return found
