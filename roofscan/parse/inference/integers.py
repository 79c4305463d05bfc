"""Integer inference: names used as an index, a size or a bound, and those that they are computed from. ``x[k]`` makes
``k`` an integer, ``k = start + 1`` then makes ``start`` one, and ``k = idx[i]`` makes ``idx`` an index array."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.operands import called, operands_of
from roofscan.parse.inference.rule import Library, rule_of
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.syntax import Assign, AugAssign, Binary, Name, Named
from roofscan.parse.syntax_walk import bound_values, dotted_path, paths, subscript_chain, target_names, walk

PLACES = frozenset(
    ("grid", "gridsize", "threadIdx", "blockIdx", "blockDim", "gridDim", "laneid", "program_id", "arange")
)
_OF_BITS = frozenset({"<<", ">>", "&", "|", "^"})  # operators that take no floats


def index_parts(node: Any, library: Library) -> Iterator[syntax.Expression]:
    """The expressions in ``node`` that must be integers."""
    if isinstance(node, syntax.Call):
        yield from (k.value for k in node.keywords if k.name in ("shape", "num", "newshape"))
    if isinstance(node, syntax.Subscript):
        for item in node.items:
            if not isinstance(item, syntax.Slice):
                yield item
            elif not _is_grid(node):
                yield from (e for e in (item.lower, item.upper, item.step) if e is not None)
    elif isinstance(node, syntax.Call):
        yield from node.args if called(node) in ("range", "prange") else rule_of(node, library).integer_arguments(node)
    elif isinstance(node, syntax.Binary) and node.op in _OF_BITS:
        yield from (node.left, node.right)
    elif isinstance(node, syntax.AugAssign) and node.op in _OF_BITS and not isinstance(node.value, syntax.Compare):
        yield from (node.target, node.value)


def habitual_integers(node: Any, library: Library) -> tuple[syntax.Expression, ...]:
    """The expressions in ``node`` that are integers by habit: ``np.arange`` and ``np.ogrid`` take floats too."""
    if isinstance(node, syntax.Subscript) and _is_grid(node):
        slices = (item for item in node.items if isinstance(item, syntax.Slice))
        return tuple(e for item in slices for e in (item.lower, item.upper, item.step) if e is not None)
    return rule_of(node, library).habitual_integers(node) if isinstance(node, syntax.Call) else ()


def _is_grid(node: syntax.Subscript) -> bool:
    """``np.mgrid[a:b]``, whose slices are ranges of numbers."""
    return (dotted_path(node.base) or "").rpartition(".")[2] in ("mgrid", "ogrid")


def mark_integer_uses(node: Any, facts: TypeFacts, library: Library) -> None:
    for part in index_parts(node, library):
        mark_integer(part, facts, library)
    if (
        isinstance(node, syntax.Call)
        and len(node.args) == 3
        and getattr(node.function, "id", "") in ("range", "prange")
    ):
        step = node.args[2]
        facts.steps.update(n.id for n in walk(step) if isinstance(n, syntax.Name))


def mark_value_uses(node: Any, facts: TypeFacts) -> None:
    """Elements that are operands of arithmetic outside subscripts are values."""
    if isinstance(node, (syntax.Binary, syntax.AugAssign)) and node.op in ("+", "-", "*", "/", "**"):
        sides = (node.left, node.right) if isinstance(node, syntax.Binary) else (node.target, node.value)
        for side in sides:
            base, items = subscript_chain(side)
            path = dotted_path(base)
            if items and path:
                facts.value_arrays.add(path)


def mark_integer(expression: syntax.Expression, facts: TypeFacts, library: Library) -> None:
    """``expression`` is an integer: so are the names in it and the elements that it reads."""
    if isinstance(expression, syntax.Name):
        facts.integers.add(expression.id)
    elif isinstance(expression, syntax.Attribute):
        path = dotted_path(expression)
        if path:
            facts.integers.add(path)
    elif isinstance(expression, syntax.Subscript):
        _mark_elements(expression, facts)
    elif isinstance(expression, syntax.Binary) and not _is_fractional(expression):
        mark_integer(expression.left, facts, library)
        mark_integer(expression.right, facts, library)
    elif isinstance(expression, syntax.Unary):
        mark_integer(expression.operand, facts, library)
    elif isinstance(expression, syntax.Named):
        facts.integers.add(expression.target.id)
        mark_integer(expression.value, facts, library)
    elif isinstance(expression, syntax.Sequence):
        for item in expression.items:
            mark_integer(item, facts, library)
    elif isinstance(expression, syntax.Call):
        _mark_call(expression, facts, library)
    elif isinstance(expression, syntax.Comprehension):
        mark_integer(expression.element, facts, library)


def _is_fractional(operation: syntax.Binary) -> bool:
    """Whether the result is a float in any case, so that it is no index."""
    sides = (operation.left, operation.right)
    return operation.op == "/" or any(isinstance(s, syntax.Literal) and isinstance(s.value, float) for s in sides)


def _mark_elements(expression: syntax.Expression, facts: TypeFacts) -> None:
    """The elements of the array that is read are integers; of a record array, those of one field."""
    path, field = record_field(expression)
    if path and field is not None:
        facts.integer_fields.add((path, field))
    elif path:
        facts.index_arrays.add(path)


def record_field(expression: syntax.Expression) -> tuple[str | None, str | None]:
    """The array that is subscripted, and the first record field: ``rec[i]["left"]``."""
    base, items = subscript_chain(expression)
    texts = (item.value for item in items if isinstance(item, syntax.Literal) and isinstance(item.value, str))
    return dotted_path(base), next(texts, None)


def _mark_call(call: syntax.Call, facts: TypeFacts, library: Library) -> None:
    """``min(a, b)`` is an integer: so are ``a`` and ``b``; ``np.sum(x)`` is: so are the elements of ``x``."""
    function = call.function
    if isinstance(function, syntax.Name) and function.id in ("min", "max", "abs", "sum"):
        for arg in call.args:
            mark_integer(arg, facts, library)
    elif isinstance(function, syntax.Attribute) and rule_of(call, library).keeps_integers:
        for operand in operands_of(call)[:1]:
            if not isinstance(operand, (syntax.Binary, syntax.Unary, syntax.Compare)):
                _mark_elements(operand, facts)


def propagate_integers(nodes: list[Any], facts: TypeFacts, library: Library) -> None:
    """A name assigned to an integer name is an integer, backward, until nothing changes."""
    assignments: list[tuple[list[str], syntax.Expression]] = []
    for node in nodes:
        if isinstance(node, syntax.Assign):
            assignments += ((list(target_names(target)), value) for target, value in bound_values(node))
        elif isinstance(node, (syntax.AugAssign, syntax.Named)):
            assignments.append((list(target_names(node.target)), node.value))
        elif isinstance(node, (syntax.For, syntax.Comprehension)):
            element_bindings(node, assignments)
    loops = (node for node in nodes if isinstance(node, (syntax.For, syntax.Comprehension)))
    counters = {name for loop in loops if _counts(loop) for name in target_names(loop.target)}
    places = _places(assignments) & facts.integers
    taken = dict(_taken_for_integers(nodes, facts.integers | counters, counters | places, places))
    habitual = (part for node in reversed(nodes) for part in habitual_integers(node, library))
    for part in (*facts.habitual_integers, *habitual):
        in_part = TypeFacts(index_arrays=facts.index_arrays)
        mark_integer(part, in_part, library)
        taken |= dict.fromkeys(in_part.integers, part.place.line)
    _spread(assignments, facts, library)
    certain = facts.integers | counters
    facts.integers |= taken.keys() - counters
    _spread(assignments, facts, library)
    facts.taken_integers = {name: taken.get(name) or min(taken.values()) for name in facts.integers - certain}


def _taken_for_integers(
    nodes: list[Any], integers: set[str], counters: set[str], places: set[str]
) -> Iterator[tuple[str, int]]:
    """Names that are compared with an integer, or that a counter is divided by, and the line; the first line last.
    Products are taken for integers where a thread's place is compared with them."""
    for node in reversed(nodes):
        names: set[str] = set()
        if isinstance(node, syntax.Compare):
            placed = not places.isdisjoint(dotted_path(operand) for operand in node.operands)
            compared = {name for operand in node.operands if _is_sum(operand, placed) for name in paths(operand)}
            names = compared if compared & integers else names
        elif isinstance(node, syntax.Binary) and node.op in ("%", "//") and set(paths(node.left)) & counters:
            names = set(paths(node.right)) if _is_sum(node.right) else names
        yield from ((name, node.place.line) for name in names)


def _places(assignments: Sequence[tuple[list[str], syntax.Expression]]) -> set[str]:
    """Names of where a thread is: ``cuda.grid(1)``, and sums and products of the like."""
    found: set[str] = set()

    def is_place(value: syntax.Expression) -> bool:
        if isinstance(value, syntax.Binary):
            return value.op in ("+", "-", "*") and (is_place(value.left) or is_place(value.right))
        path = dotted_path(value.function if isinstance(value, syntax.Call) else value) or ""
        return path in found or path.partition(".")[2].partition(".")[0] in PLACES

    for names, value in assignments:
        found |= set(names) if is_place(value) else set()
    return found


def _spread(assignments: list[tuple[list[str], syntax.Expression]], facts: TypeFacts, library: Library) -> None:
    before = -1
    while before != len(facts.integers) + len(facts.index_arrays):
        before = len(facts.integers) + len(facts.index_arrays)
        for names, value in assignments:
            if facts.integers & set(names):
                mark_integer(value, facts, library)


def open_subscripts(nodes: list[Any], library: Library) -> set[str]:
    """Names in subscripts and operations on bits that serve nothing else that takes an integer: they may be arrays."""
    found: set[str] = set()
    numbers: set[str] = set()
    for node in nodes:
        items = list(_of_any_rank(node))
        found |= {name for item in items for name in paths(item)}
        numbers |= {name for part in index_parts(node, library) if part not in items for name in paths(part)}
    return found - numbers


def _of_any_rank(node: syntax.Node) -> Iterator[syntax.Expression]:
    if isinstance(node, syntax.Subscript):
        yield from (item for item in node.items if not isinstance(item, syntax.Slice))
    elif isinstance(node, (syntax.Binary, syntax.AugAssign)) and node.op in _OF_BITS:
        yield from (node.left, node.right) if isinstance(node, syntax.Binary) else (node.target, node.value)


def loop_bounds(nodes: list[Any], facts: TypeFacts, library: Library) -> None:
    """Record the names that bound loops, and those of them that only count repetitions (sweeps)."""
    for node in nodes:
        if isinstance(node, syntax.For) and isinstance(node.iterable, syntax.Call):
            names = {name for a in node.iterable.args for name in paths(a)}
            facts.loop_bounds |= names
            below = list(walk(node.body))
            inside = {name for s in below for p in index_parts(s, library) for name in paths(p)}
            repeats = any(isinstance(s, (syntax.For, syntax.While, syntax.Slice)) for s in below)
            if repeats and not set(target_names(node.target)) & inside:
                facts.sweeps |= names
        elif isinstance(node, (syntax.While, syntax.Call)):
            parts = (node.test,) if isinstance(node, syntax.While) else tuple(index_parts(node, library))
            facts.loop_bounds |= {n for p in (*parts, *habitual_integers(node, library)) for n in paths(p)}
    facts.sweeps |= _windows(nodes)
    for node in nodes:
        if isinstance(node, syntax.Assign) and node.value is not None:
            if any(name in facts.loop_bounds for t in node.targets for name in target_names(t)):
                facts.loop_bounds |= {n.id for n in walk(node.value) if isinstance(n, syntax.Name)}


def _windows(nodes: list[Any]) -> set[str]:
    """Names that only widen a range around a loop variable: ``range(max(0, i - w), min(n, i + w + 1))``."""
    counters = {n for node in nodes if isinstance(node, syntax.For) for n in target_names(node.target)}
    around: set[str] = set()
    plain: set[str] = set()
    for node in nodes:
        if isinstance(node, syntax.For) and _counts(node) and isinstance(node.iterable, syntax.Call):
            for end in (part for arg in node.iterable.args for part in _ends(arg)):
                added, taken = _signed_names(end, True)
                (around if added & counters else plain).update((added | taken) - counters)
    return around - plain


def _ends(arg: syntax.Expression) -> Iterator[syntax.Expression]:
    """A bound, or the arguments of the ``min`` or ``max`` that gives it."""
    if isinstance(arg, syntax.Call) and getattr(arg.function, "id", "") in ("min", "max"):
        for part in arg.args:
            yield from _ends(part)
    else:
        yield arg


def _signed_names(expression: syntax.Expression, positive: bool) -> tuple[set[str], set[str]]:
    """The names that a sum adds, and those that it subtracts."""
    if isinstance(expression, syntax.Binary) and expression.op in ("+", "-"):
        left = _signed_names(expression.left, positive)
        right = _signed_names(expression.right, positive == (expression.op == "+"))
        return left[0] | right[0], left[1] | right[1]
    names = set(paths(expression))
    return (names, set()) if positive else (set(), names)


def _is_sum(expression: syntax.Expression, products: bool = False) -> bool:
    """``products``: of products too."""
    if isinstance(expression, syntax.Binary):
        sides = (expression.left, expression.right)
        known = ("+", "-", "*") if products else ("+", "-")
        return expression.op in known and all(_is_sum(side, products) for side in sides)
    return isinstance(expression, syntax.Name) or (
        isinstance(expression, syntax.Literal) and isinstance(expression.value, int)
    )


def _counts(loop: syntax.For | syntax.Comprehension) -> bool:
    """Whether the target of a loop is an integer: ``for i in range(...)``."""
    return isinstance(loop.iterable, syntax.Call) and called(loop.iterable) in ("range", "prange")


def element_bindings(loop: syntax.For | syntax.Comprehension, out: list[tuple[list[str], syntax.Expression]]) -> None:
    """``for k in idx`` binds ``k`` to elements of ``idx``, also inside ``enumerate`` and ``zip``."""
    iterable = loop.iterable
    pairs = [(loop.target, iterable)]
    function = getattr(iterable.function, "id", "") if isinstance(iterable, syntax.Call) else ""
    if isinstance(iterable, syntax.Call) and function in ("enumerate", "zip"):
        items = loop.target.items if isinstance(loop.target, syntax.Sequence) else ()
        pairs = list(zip(items[1:] if function == "enumerate" else items, iterable.args))
    for target, array in pairs:
        if dotted_path(array):
            element = syntax.Subscript(loop.place, array, (syntax.Name(loop.place, "_"),))
            out.append((list(target_names(target)), element))


def index_only_nodes(nodes: Sequence[Any], facts: TypeFacts, library: Library) -> set[int]:
    """The ids of the nodes in subscripts, extents and bounds, and in values of names that serve nothing else."""
    parts = [*(part for node in nodes for part in index_parts(node, library)), *facts.index_arguments]
    counted = {id(n) for part in parts for n in walk(part)}
    left = [(names, ids) for names, ids in _bound_values(nodes) if names and facts.integers.issuperset(names)]
    sums = list(_operands(nodes)) if left else []
    before = -1
    while before != len(left):
        before = len(left)
        inside = counted.union(*(ids for _, ids in left))
        values = {name for node, names in sums if node not in inside for name in names}
        left = [(names, ids) for names, ids in left if values.isdisjoint(names)]
    return counted.union(*(ids for _, ids in left))


def _bound_values(nodes: Sequence[Any]) -> Iterator[tuple[list[str], set[int]]]:
    """The names that each assignment binds, and the ids of the nodes of its value."""
    for node in nodes:
        if isinstance(node, Assign):
            pairs = bound_values(node)
            yield from ((list(target_names(target)), {id(n) for n in walk(value)}) for target, value in pairs)
        elif isinstance(node, (AugAssign, Named)):
            yield list(target_names(node.target)), {id(node), *(id(n) for n in walk(node.value))}


def _operands(nodes: Sequence[Any]) -> Iterator[tuple[int, list[str]]]:
    """Each arithmetic operation by its id, with the names that are its operands."""
    for node in nodes:
        if isinstance(node, Binary):
            yield id(node), [side.id for side in (node.left, node.right) if isinstance(side, Name)]
        elif isinstance(node, AugAssign):
            yield id(node), [side.id for side in (node.target, node.value) if isinstance(side, Name)]
