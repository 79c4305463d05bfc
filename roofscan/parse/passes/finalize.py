"""The last pass: names of temporaries, equal sizes, inferred extents, and what a caller can still see."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.ir.assumption import Assumption
from roofscan.ir.conditions import Condition
from roofscan.ir.data_subscripts import Element, Rest
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import LaunchWork
from roofscan.ir.tree import Access, Body, Branch, Leaf, Loop
from roofscan.ir.visitor import (
    accesses,
    conditions_of,
    expressions,
    loops,
    loops_of,
    map_leaves,
    substitute,
    walk,
    walk_with_blocks,
)
from roofscan.parse.inference.row_lengths import row_lengths
from roofscan.parse.lowering.broadcast_sizes import SCALAR
from roofscan.parse.lowering.builder import Builder
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.contradictions import contradictions
from roofscan.parse.lowering.subscript_ranges import extent, is_rounded
from roofscan.parse.lowering.values import arrays_in
from roofscan.parse.passes.held_sizes import with_held_sizes
from roofscan.parse.passes.negative_indices import resolve_negative_indices
from roofscan.parse.passes.scratch_arrays import reuse_scratch_arrays
from roofscan.parse.passes.within_arrays import within_arrays
from roofscan.parse.python_loops import python_loop
from roofscan.parse.reader.find import Candidate, is_helper
from roofscan.parse.reader.given_arguments import gets_rows, given_numbers
from roofscan.parse.reader.neighbours import neighbour_of
from roofscan.parse.reader.types import is_also_double
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, symbol

_TEMPORARY = re.compile(r"~t(_\d+)?")


def finalize(cx: Context, candidate: Candidate, facts: Facts) -> Kernel:
    builder, function = cx.builder, candidate.function
    names = _array_names(cx)
    body = _renamed(tuple(builder.body), names)
    body = resolve_negative_indices(body, {names[a.name]: a for a in builder.arrays.values()}, builder.new_id)
    resolve_broadcasts(builder, mentioned_symbols(body))
    builder.equal.update(_same_rows(cx))
    reuse_scratch_arrays(cx)
    equal = {name: builder.resolve(symbol(name)) for name in builder.equal}
    equal.update(inferred_extents(cx, body, facts, equal))
    body = substitute(body, equal)
    returned = {builder.arrays[name].owner for value in cx.frame.returns for name in arrays_in(value)}
    arrays = tuple(_with_owner(_with_sizes(a, equal), builder.arrays, names, returned) for a in builder.arrays.values())
    _irregular_reasons(cx, body)
    used = _symbols_used(body, arrays) | _symbols_of_launch(builder) | _shared_by_launches(body)
    symbols = tuple(
        replace(s, whole=s.whole and s.whole.subs(equal))
        for s in builder.symbols.values()
        if s.name in used or s.name in facts.scalars
    )
    lengths = {name: Expr.of(value) for name, value in builder.values.items()}
    builder.required.update(dict.fromkeys(within_arrays(body, builder.arrays, lengths)))
    values = _values(builder, facts) | (_totals(builder, facts) if candidate.decorator.kind == "cuda" else {})
    kernel = Kernel(
        candidate.name, cx.module.path, function.place.line, function.place.end_line, candidate.decorator,
        tuple(p.name for p in function.parameters), arrays, symbols, body,
        tuple(r for r in builder.reasons.values() if not r.symbol or r.symbol in used), tuple(builder.assumptions),
        {name: value.subs(equal) for name, value in values.items()},
        function.place.column, not candidate.decorator.parallel and is_helper(cx.module, candidate.name),
        _readings(builder), frozenset(builder.default_scalars),
        {name: guess for name, guess in builder.guesses.items() if name in used},
        guards=tuple(replace(c, expr=c.expr.subs(equal)) for c in builder.required), launch=builder.launch,
        budgets=tuple(replace(b, most=b.most.subs(equal)) for b in facts.budgets),
        neighbour=neighbour_of(cx.module, candidate.name), first_line=function.first_line,
        python_loop=python_loop(cx.module, function, candidate.name, {a.name for a in arrays if a.role == "parameter"}),
        made_arrays=frozenset(cx.frame.type_facts.made_arrays),
        selected=frozenset(quotient.subs(equal) for quotient in builder.selected),
        contradictions=tuple(contradictions(function, cx.frame.type_facts, facts)),
        also_double=is_also_double(candidate, cx.module), gets_rows=gets_rows(cx.module, candidate.name),
        given_numbers=given_numbers(cx.module, candidate.name, function),
    )  # fmt: skip
    bound = facts.scalars.keys() | builder.values.keys() | _symbols_of_launch(builder) | builder.held
    return with_held_sizes(kernel, bound, row_lengths(cx.module, candidate.name, function))


def _with_owner(
    array: Array, arrays: Mapping[str, Array], names: Mapping[str, str], returned: Collection[str]
) -> Array:
    """The array by its name in the report; a field has the role of its records."""
    owner = arrays[array.owner]
    return replace(
        array, name=names[array.name], buffer=names.get(array.buffer, array.buffer), role=owner.role,
        text=_TEMPORARY.sub(lambda word: names.get(word[0], word[0]), array.text),
        live_out=array.live_out or owner.name in returned,
        record=array.record and replace(array.record, records=names[owner.name]),
    )  # fmt: skip


def _values(builder: Builder, facts: Facts) -> dict[str, Expr]:
    """Symbols that facts give, and those of parameters that facts leave to their defaults."""
    left_out = {name: builder.values[name] for name in builder.defaults if name in builder.values}
    numbers = {name: fact.number for name, fact in facts.scalars.items() if fact.number is not None}
    given = {**left_out, **numbers}
    known = {name: Expr.of(value) for name, value in given.items() if name in builder.symbols}
    return {**builder.launched, **known}


def _totals(builder: Builder, facts: Facts) -> dict[str, Expr]:
    """The elements of all rows of a CSR structure, by assumption as many as the arrays that hold them have: a launch
    has no traffic without a number."""
    found: dict[str, Expr] = {}
    for loop in loops(tuple(builder.body)):
        counted = loop.stop if loop.total is None else loop.total
        [name] = counted.symbols if len(counted.symbols) == 1 else [""]
        made = builder.symbols.get(name)
        if counted != symbol(name) or name in facts.scalars or made is None or made.kind not in ("trips", "total"):
            continue
        for access in accesses(loop.body):
            extent = _extent(facts, access.array)
            each = ONE if access.index == (symbol(loop.var),) else _rows(facts, access, loop.var)
            if name not in found and extent is not None and each is not None and (loop.total is None) == (each != ONE):
                found[name] = extent / each
                builder.assume(Assumption(name, f"{found[name]} (the rows fill {access.array})"))
    return found


def _extent(facts: Facts, array: str) -> Expr | None:
    fact = facts.arrays.get(array)
    return fact.shape[0] if fact is not None and fact.shape is not None and len(fact.shape) == 1 else None


def _rows(facts: Facts, access: Access, var: str) -> Expr | None:
    """The rows whose elements a loop takes in turns with other threads, times the step."""
    [rest] = access.rests if len(access.rests) == 1 else [None]
    if rest is None or rest.element is None:
        return None
    starts, step = _extent(facts, rest.element[0]), rest.expr.coefficient(var)
    return None if starts is None or step.constant is None else step * (starts - 1)


def _readings(builder: Builder) -> tuple[str, ...]:
    """What is assumed of the kind and rank of parameters where nothing tells of them."""
    told = builder.broadcast_sizes.numbers
    return tuple(text for text, about in builder.assumptions.items() if about and about not in told)


def _array_names(cx: Context) -> dict[str, str]:
    """The name of every array in the report: temporaries without one are t1, t2, … in source order."""
    builder = cx.builder
    names = {name: builder.names.get(name, name) for name in builder.arrays}
    number = 0
    for name in builder.arrays:
        if name.startswith("~t") and name not in builder.names and builder.arrays[name].record is None:
            number += 1
            while f"t{number}" in names.values():
                number += 1
            names[name] = f"t{number}"
    for name, array in builder.arrays.items():
        if array.record is not None:
            names[name] = names[array.owner] + name.removeprefix(array.owner)
    return names


def _renamed(body: Body, names: Mapping[str, str]) -> Body:
    def renamed(leaf: Leaf) -> Leaf:
        if not isinstance(leaf, Access) or (names.get(leaf.array, leaf.array) == leaf.array and not any(leaf.rests)):
            return leaf
        return replace(leaf, array=names[leaf.array], rests=tuple(rest and of(rest) for rest in leaf.rests))

    def of(rest: Rest) -> Rest:
        shift = rest.shift and replace(rest.shift, element=of_element(rest.shift.element))
        return replace(rest, element=of_element(rest.element), shift=shift)

    def of_element(element: Element | None) -> Element | None:
        return element and (names.get(element[0], element[0]), element[1])

    return map_leaves(body, renamed)


def _same_rows(cx: Context) -> dict[str, Expr]:
    """Symbols of CSR rows that equal those of an earlier loop: the same rows of an array that is never written."""
    arrays = cx.builder.arrays
    written = {arrays[a.array].memory for a in accesses(tuple(cx.builder.body)) if a.write}
    first: dict[tuple[str, Expr, Expr], tuple[str, str]] = {}
    same: dict[str, Expr] = {}
    for names, (array, low, high) in cx.builder.row_spans.items():
        span = (array, cx.builder.resolve(low), cx.builder.resolve(high))
        known = first.setdefault(span, names)
        if known != names and arrays[array].memory not in written:
            same.update(zip(names, map(symbol, known), strict=True))
    return same


def _with_sizes(array: Array, values: Mapping[str, Expr]) -> Array:
    if not values:
        return array
    shape = tuple(e.subs(values) for e in array.shape)
    return replace(array, shape=shape, strides=tuple(e.subs(values) for e in array.strides))


def _irregular_reasons(cx: Context, body: Body) -> None:
    for access in accesses(body):
        if not access.regular:
            kind = "scatter to" if access.write else "gather from"
            cx.builder.reason(access.line, f"{kind} {access.array}: {access.why_irregular or 'data'}", "scattered")


def _symbols_of_launch(builder: Builder) -> set[str]:
    sizes = (*builder.launch.grid, *builder.launch.block) if builder.launch else ()
    return {name for size in (*sizes, *builder.launched.values()) for name in size.symbols}


def _shared_by_launches(body: Body) -> set[str]:
    """The symbols of the shared memory that launches of a function of the host ask for."""
    works = (node.device for node in walk(body) if isinstance(node, Loop))
    return {name for work in works if isinstance(work, LaunchWork) for name in work.launch.shared.symbols}


def _symbols_used(body: Body, arrays: tuple[Array, ...]) -> set[str]:
    of_arrays = {s for a in arrays for e in a.shape for s in e.symbols}
    return of_arrays.union(*(e.symbols for node in walk(body) for e in expressions(node)))


def resolve_broadcasts(builder: Builder, counted: Collection[str]) -> None:
    """Equate sizes without the parameters that are scalars, and state what is assumed of the others. ``counted`` are
    the symbols of the kernel's body."""
    sizes = builder.broadcast_sizes
    sizes.find_scalars(builder.resolve)
    for names, size in list(sizes.sizes.items()):
        arrays = names.difference(sizes.numbers)
        if arrays != names:
            builder.equal[size] = builder.broadcast_size(arrays, builder.symbols[size].line)
    undecided = {names.difference(sizes.numbers) for names, size in sizes.sizes.items() if size in counted} - {SCALAR}
    for name in sorted({name for names in undecided for name in names}):
        builder.retract(name)
        builder.assume(Assumption(name, "a scalar or an array (the source leaves it open)"), about=name)
    if undecided:
        line = min(builder.symbols[sizes.sizes[names]].line for names in undecided)
        builder.reason(line, "parameters may be scalars or arrays: the traffic is an estimate", "open")


LARGE = 1009
"""A size at which expressions are compared for large sizes; a prime, so that floors and remainders are typical."""
LARGE_TILE = 8

Ends = dict[Expr | None, None]  # where subscripts end, in source order: of two equal ends the first counts


def inferred_extents(cx: Context, body: Body, facts: Facts, equal: Mapping[str, Expr]) -> dict[str, Expr]:
    builder = cx.builder
    open_extents = _open_extents(cx, body, facts, equal)
    if not open_extents:
        return {}
    ends, bordered = _ends_of_subscripts(cx, body, open_extents)
    found: dict[str, Expr] = {}
    in_launch = any(loop.device is not None for loop in loops(body))
    for name, ends_of_name in ends.items():
        best = _largest(cx, ends_of_name)
        if best is not None and name in bordered and best.constant is None and best.constant_term < 0:
            best = best - best.constant_term  # an inner part is accessed: the border is there too
        if (
            best is not None
            and name not in best.symbols
            and (in_launch or not best.atoms)
            and best.symbols.isdisjoint(open_extents)
        ):
            found[name] = best.subs(dict(equal))
            builder.assume(Assumption(builder.symbols[name].meaning, f"{found[name]} (from its subscripts)"))
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
                if index is not None and is_rounded(index, loops_of(around), conditions_of(around)):
                    hi = None
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
    bound = {a for a, fact in facts.arrays.items() if any(e is not None for e in fact.shape or ())}
    bound |= {name for name, _ in facts.extents}
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
