"""Collects the type facts of a function: from its own nodes, then from helpers, then by rank inference. Each kind of
fact has a module; this one fixes the order, because some facts rest on others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from roofscan.parse import syntax
from roofscan.parse.inference.added_rows import added_rows
from roofscan.parse.inference.call_constraints import Helper, Helpers, apply_call_constraints
from roofscan.parse.inference.complex_values import complex_arrays
from roofscan.parse.inference.dimension_equalities import (
    equate_copies,
    equate_dimensions,
    size_names,
    takes_no_dimension,
    unpacked_shapes,
)
from roofscan.parse.inference.integers import (
    index_only_nodes,
    loop_bounds,
    mark_integer_uses,
    mark_value_uses,
    open_subscripts,
    propagate_integers,
)
from roofscan.parse.inference.list_mutation import resized_lists, with_aliases
from roofscan.parse.inference.lower_bounds import LowerBounds
from roofscan.parse.inference.operands import (
    ARRAY_ATTRIBUTES,
    ARRAY_METHODS,
    array_among,
    module_of,
    operands_of,
    rank_for_axis,
    transposed,
)
from roofscan.parse.inference.rank_polymorphic import apply_ufunc_constraints, layout_of
from roofscan.parse.inference.ranks import infer_ranks
from roofscan.parse.inference.record_uses import record_uses
from roofscan.parse.inference.rule import Library, LibraryRule, rule_of
from roofscan.parse.inference.scalars import known_scalars
from roofscan.parse.inference.type_facts import Layout, TypeFacts
from roofscan.parse.reader.module import Module
from roofscan.parse.syntax_walk import assigned_names, dotted_path, least_rank, selects, subscript_chain, walk

MAX_HELPER_DEPTH = 4  # through how many calls the facts of helpers are collected
_LEAVES = frozenset((syntax.Name, syntax.Literal, syntax.Keyword))  # nodes that give no facts by themselves
_COPIES = frozenset(("copy_to_host", "copy_to_device"))  # d.copy_to_host(x): x is an array
MAKERS = frozenset(("asarray", "asanyarray", "atleast_1d", "atleast_2d", "atleast_3d"))
_GENERATOR = "xoroshiro128p_"
"""Functions of ``numba.cuda.random``: their first argument holds two words for each thread."""


def type_facts_in(module: Module, function: syntax.Function | syntax.Lambda, library: Library) -> TypeFacts:
    """The facts in a function alone, collected once a file."""
    known = module.memory.get(id(function))
    if known is None:
        plain = function if isinstance(function, syntax.Function) else _as_function(function)
        known = module.memory[id(function)] = (function, type_facts_of(plain, library, module))
    found: TypeFacts = known[1]
    return found


def type_facts_of(
    function: syntax.Function,
    library: Library,
    module: Module,
    helpers: Helpers | None = None,
    depth: int = MAX_HELPER_DEPTH,
) -> TypeFacts:
    """The facts in a function of a module. Where it passes its names on, those of the ``helpers`` that it calls count,
    to ``depth``. Without helpers, no convention is applied."""
    facts = TypeFacts()
    nodes = [node for node in walk(function.body) if type(node) not in _LEAVES]
    facts.assigned = set(assigned_names(function.body))
    facts.unpacked_ranks = {
        p: n for p, n in unpacked_shapes(nodes).items() if p.partition(".")[0] not in facts.assigned
    }
    for node in nodes:
        _arrays(node, facts, library)
    for node in nodes:
        _rest_of_shape(node, facts)
    facts.scalars = known_scalars(nodes, library, module.resolve_name, compiled=bool(function.decorators))
    known: dict[str, TypeFacts] = {}
    if helpers and depth:
        known = apply_call_constraints(nodes, facts, library, partial(_helper, helpers, library, depth))
    equate_copies(nodes, facts, library)
    facts.record_uses = record_uses(nodes, facts.record_arguments)
    _integers(nodes, facts, library)
    facts.integer_parameters = {p.name for p in function.parameters if p.name in facts.integers}
    facts.made_arrays = {p.name for p in function.parameters} & set(_made_arrays(nodes))
    size_names(function, nodes, facts)
    _changed_elsewhere(nodes, facts)
    anywhere = {path for path, theirs in known.items() if theirs.layout is Layout.ELEMENTS}
    facts.layout = layout_of(nodes, library, anywhere.__contains__)
    _from_expressions(function, nodes, facts, library, guess=helpers is not None and depth == MAX_HELPER_DEPTH)
    return facts


def _integers(nodes: list[syntax.Node], facts: TypeFacts, library: Library) -> None:
    for node in nodes:
        mark_integer_uses(node, facts, library)
    facts.complex_arrays = complex_arrays(nodes, library)
    equate_dimensions(nodes, facts, library)
    propagate_integers(nodes, facts, library)
    indexing = index_only_nodes(nodes, facts, library)
    for node in nodes:
        if id(node) not in indexing:
            mark_value_uses(node, facts)
    for name, least, node in LowerBounds(nodes, facts.ranks.keys(), facts.integers, library).found():
        if isinstance(node, syntax.Call) and name not in facts.assigned:  # an axis: there may be further dimensions
            facts.assume_rank(name, least, node.place.line)
        facts.require_rank(name, least)
    facts.open_subscripts = open_subscripts(nodes, library) - facts.scalars
    loop_bounds(nodes, facts, library)


def _made_arrays(nodes: list[syntax.Node]) -> Iterator[str]:
    """Names in ``np.asarray(x)`` and ``np.atleast_1d(x)``: callers may pass a number, a list or a single row."""
    for node in nodes:
        if isinstance(node, syntax.Call) and node.args and isinstance(node.args[0], syntax.Name):
            if (dotted_path(node.function) or "").rpartition(".")[2] in MAKERS:
                yield node.args[0].id


def _changed_elsewhere(nodes: list[syntax.Node], facts: TypeFacts) -> None:
    """Lists that grow, also by functions inside; names of the module and of functions around that are assigned."""
    inner = [n for node in nodes if isinstance(node, syntax.Function) for n in walk(node.body)]
    grown = facts.resized_lists | set(resized_lists([*nodes, *inner]))
    facts.resized_lists = with_aliases(grown, [*nodes, *inner])
    simple = [node for node in nodes if isinstance(node, syntax.Simple)]
    facts.assigned_globals = {name for s in simple if s.kind == "global" for name in s.names} & facts.assigned
    facts.nonlocal_line = next((s.place.line for s in simple if s.kind == "nonlocal"), 0)


def _helper(helpers: Helpers, library: Library, depth: int, name: str) -> Helper | None:
    """A function that is called and its facts, collected once a file."""
    called = helpers.called(name)
    if called is None:
        return None
    key = (id(called[0]), depth)
    known = helpers.memory.get(key)
    if known is None:
        with helpers.finder.recorded() as lookups:
            facts = type_facts_of(called[0], library, called[1].module, called[1], depth - 1)
        known = helpers.memory[key] = (called[0], (facts, lookups))
    else:
        helpers.finder.record(known[1][1])
    return called[0], known[1][0]


def _as_function(node: syntax.Lambda) -> syntax.Function:
    body = (syntax.Return(node.place, node.body),)
    return syntax.Function(node.place, "lambda", node.parameters, (), body, None, node.place.line)


def _from_expressions(
    function: syntax.Function, nodes: list[Any], facts: TypeFacts, library: Library, *, guess: bool
) -> None:
    """Ranks from array expressions; integers are no arrays."""
    if facts.layout is Layout.ELEMENTS and not any(
        isinstance(node, syntax.Return) and node.value is not None for node in nodes
    ):
        for name in {p.name for p in function.parameters} & set(_updated(nodes)) - facts.integers:
            facts.require_rank(name, 1)
    found = infer_ranks(nodes, facts.ranks, library, guess=guess)
    for path, rank in found.known.items():
        if rank and path not in facts.integers:
            facts.require_rank(path, rank)
    facts.assumed_ranks.update(found.assumed)
    for path, line in added_rows(nodes, facts.ranks) if guess else ():
        facts.require_rank(path, 2)
        facts.assumed_ranks.setdefault(path, line)
    if guess:
        apply_ufunc_constraints(function, nodes, facts, library)


def _updated(nodes: list[Any]) -> Iterator[str]:
    """Names that are updated in place: where a function returns nothing, such parameters are arrays."""
    return (n.target.id for n in nodes if isinstance(n, syntax.AugAssign) and isinstance(n.target, syntax.Name))


def _arrays(node: Any, facts: TypeFacts, library: Library) -> None:
    if isinstance(node, syntax.Subscript):
        base, items = subscript_chain(node)
        path = dotted_path(base)
        if path and not any(isinstance(i, syntax.Literal) and isinstance(i.value, str) for i in items):
            if not (isinstance(base, syntax.Attribute) and base.name == "shape"):
                facts.require_rank(
                    path, 2 if _is_index_of_last_axis(node) else least_rank(node, takes_no_dimension) or 1
                )
                facts.assumed_ranks.pop(path, None)
            _row_selection(node, facts)
        _mask(node, facts)
    elif isinstance(node, syntax.Attribute):
        if node.name in ARRAY_ATTRIBUTES and (node.name != "T" or transposed(node) is not None):
            facts.assume_rank(dotted_path(node.base), 1, node.place.line)
    elif isinstance(node, syntax.Call):
        _array_call(node, facts, library)
    elif isinstance(node, (syntax.For, syntax.Comprehension)):
        facts.require_rank(dotted_path(node.iterable), 1)
    elif isinstance(node, syntax.Assign):
        _unpacked_row(node, facts)
        for path, count in unpacked_shapes([node]).items():
            facts.require_rank(path, count)
            facts.assumed_ranks.pop(path, None)
    if isinstance(node, syntax.Subscript) and isinstance(node.base, syntax.Attribute) and node.base.name == "shape":
        dimension = node.items[0].value if len(node.items) == 1 and isinstance(node.items[0], syntax.Literal) else None
        if isinstance(dimension, int):
            facts.require_rank(dotted_path(node.base.base), dimension + 1 if dimension >= 0 else -dimension)


def _rest_of_shape(node: Any, facts: TypeFacts) -> None:
    """``x.shape[1:]`` is read of arrays that have more dimensions than the first."""
    if isinstance(node, syntax.Subscript) and isinstance(node.base, syntax.Attribute) and node.base.name == "shape":
        [item, *_] = node.items
        start = item.lower if isinstance(item, syntax.Slice) and item.upper is None and item.step is None else None
        path, first = dotted_path(node.base.base), start.value if isinstance(start, syntax.Literal) else None
        if path and isinstance(first, int) and facts.ranks.get(path, 0) <= first and path not in facts.unpacked_ranks:
            facts.require_rank(path, first + 1)
            facts.assumed_ranks[path] = node.place.line


def _unpacked_row(node: syntax.Assign, facts: TypeFacts) -> None:
    """``a, b = q[i]``: what an index leaves of ``q`` has a dimension."""
    if not isinstance(node.value, syntax.Subscript) or not isinstance(node.targets[0], syntax.Sequence):
        return
    base, items = subscript_chain(node.value)
    path = dotted_path(base)
    is_shape = isinstance(base, syntax.Attribute) and base.name == "shape"
    if path and not is_shape and all(map(_is_place, items)):
        facts.require_rank(path, least_rank(node.value, takes_no_dimension) + 1)


def _is_place(item: syntax.Expression) -> bool:
    """Whether a subscript is a name, a sum or an integer."""
    return isinstance(item, (syntax.Name, syntax.Binary)) or (
        isinstance(item, syntax.Literal) and isinstance(item.value, int)
    )


def _row_selection(node: syntax.Subscript, facts: TypeFacts) -> None:
    """The index that selects rows is an index array."""
    rows = node.base.items if isinstance(node.base, syntax.Subscript) else ()
    if selects(rows, node.items):
        for name in (item.id for item in rows if isinstance(item, syntax.Name)):
            facts.index_arrays.add(name)
            facts.assume_rank(name, 1, node.place.line)


def _mask(node: syntax.Subscript, facts: TypeFacts) -> None:
    """``x[y > 0]``: a parameter that is compared is an array."""
    item = node.items[0] if len(node.items) == 1 else None
    path = dotted_path(item.operands[0]) if isinstance(item, syntax.Compare) else None
    if path and path not in facts.assigned:
        facts.assume_rank(path, 1, node.place.line)


def _is_index_of_last_axis(node: syntax.Subscript) -> bool:
    """``x[..., k]``: not a form in which vectors are indexed."""
    first, second = node.items if len(node.items) == 2 else (None, None)
    place = isinstance(second, (syntax.Name, syntax.Binary, syntax.Unary)) or (
        isinstance(second, syntax.Literal) and isinstance(second.value, int)
    )
    return place and isinstance(first, syntax.Literal) and first.value is Ellipsis


def _array_call(call: syntax.Call, facts: TypeFacts, library: Library) -> None:
    rule = rule_of(call, library)
    for operand, rank in rule.rank_bounds_by_axes(call) if operands_of(call) else ():
        facts.assume_rank(dotted_path(operand), rank, call.place.line)
    name = call.function.id if isinstance(call.function, syntax.Name) else None
    if name in ("len", "enumerate", "zip"):
        for arg in call.args:
            facts.require_rank(dotted_path(arg), 1)
    elif _joins(call, rule):
        for path, least in _joined(call.args[0], 1):
            facts.assume_rank(path, least, call.place.line)
    elif _takes_array(call, rule):
        facts.assume_rank(_array_taken(call.args[0], facts), _axis_rank(call, rule), call.place.line)
    elif isinstance(call.function, syntax.Attribute) and _is_atomic(call.function) and len(call.args) == 3:
        target, index = call.args[:2]
        facts.require_rank(dotted_path(target), len(index.items) if isinstance(index, syntax.Sequence) else 1)
    elif isinstance(call.function, syntax.Attribute) and call.function.name in _COPIES and call.args:
        facts.assume_rank(dotted_path(call.args[0]), 1, call.place.line)
    elif _draws(call) and call.args:
        facts.require_rank(dotted_path(call.args[0]), 2)
        facts.random_states.add(dotted_path(call.args[0]) or "")
    elif isinstance(call.function, syntax.Attribute) and call.function.name in ARRAY_METHODS:
        for operand in operands_of(call)[:1]:
            facts.assume_rank(dotted_path(operand), _axis_rank(call, rule), call.place.line)


def _array_taken(argument: syntax.Expression, facts: TypeFacts) -> str | None:
    """The array that a reduction takes: its argument, or the one name in it that nothing assigns."""
    path = array_among(argument)
    return path if isinstance(argument, syntax.Name) or path not in facts.assigned else None


def _draws(call: syntax.Call) -> bool:
    return (dotted_path(call.function) or "").rpartition(".")[2].startswith(_GENERATOR)


def _is_atomic(function: syntax.Attribute) -> bool:
    """Whether this is ``cuda.atomic.add`` or its like, which takes an array, an index and a value."""
    return isinstance(function.base, syntax.Attribute) and function.base.name == "atomic"


def _takes_array(call: syntax.Call, rule: LibraryRule) -> bool:
    """Whether a NumPy function is called that takes nothing but arrays."""
    of_module = isinstance(call.function, syntax.Attribute) and module_of(call.function) not in ("", "math")
    return of_module and bool(call.args) and rule.takes_array and not rule.ranks


def _joins(call: syntax.Call, rule: LibraryRule) -> bool:
    listed = (
        isinstance(call.function, syntax.Attribute) and bool(call.args) and isinstance(call.args[0], syntax.Sequence)
    )
    return listed and rule.joins_arrays


def _joined(value: syntax.Expression, rank: int) -> Iterator[tuple[str, int]]:
    """The names in a list of arrays, and lower bounds of their ranks: 2 in nested lists."""
    for item in value.items if isinstance(value, syntax.Sequence) else ():
        path = dotted_path(item)
        if path:
            yield path, rank
        else:
            yield from _joined(item, 2)


def _axis_rank(call: syntax.Call, rule: LibraryRule) -> int:
    """The least rank of an array that a function works on along an axis: two, where an axis is named."""
    needed = rank_for_axis(rule.axis(call))
    return 1 if needed is None else max(2, needed)
