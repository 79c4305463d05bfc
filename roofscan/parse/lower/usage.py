"""What the way a function uses its names says of them: arrays and their ranks, whole numbers, names of sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from roofscan.parse.lower.any_rank import ALL, is_last_place, lay_of
from roofscan.parse.lower.axes import told
from roofscan.parse.lower.functions import TABLE
from roofscan.parse.lower.growth import growing_lists, shared_names, with_aliases
from roofscan.parse.lower.least_ranks import LeastRanks
from roofscan.parse.lower.ranks import called, infer, is_method, is_new_axis, operands_of
from roofscan.parse.lower.sure_numbers import sure_numbers
from roofscan.parse.lower.walk import assigned_names, dotted_path, least_rank, subscript_chain, target_names, walk
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Binary,
    Call,
    Compare,
    Expression,
    For,
    Function,
    Literal,
    Name,
    Named,
    Return,
    Sequence,
    Simple,
    Slice,
    Subscript,
    Unary,
    While,
)

ARRAY_RULES = frozenset({
    "reduce", "cumulate", "sort", "by_data", "flip", "rearrange", "ravel", "flatten", "diff", "gradient", "trapezoid",
    "convolve", "histogram", "order_statistic", "covariance", "repeat", "tile", "pad", "take", "softmax", "norm",
    "average",
})  # fmt: skip
"""Rules of functions that nobody calls on a number."""
AXIS_IS_NEXT = frozenset(name for name, row in TABLE.items() if row.rule in ("reduce", "cumulate", "sort"))
"""Functions whose operand is followed by the axis."""
ELEMENTWISE_RULES = frozenset({"map", "map2", "clip", "where", "select"})
TOP = 4
"""How deep into helpers the evidence is looked for."""
ALLOCATORS = ("zeros", "empty", "ones", "full", "eye", "arange", "identity", "ndarray", "tri", "indices")
SPACED = ("linspace", "logspace", "geomspace")
ARRAY_ATTRIBUTES = frozenset({"shape", "size", "T", "ndim", "dtype", "strides", "nbytes", "flat"})
NUMERIC_NAMES = ("np", "numpy", "math", "cp", "cupy", "jnp")
ARRAY_METHODS = {
    "sum", "mean", "std", "var", "min", "max", "copy", "reshape", "ravel", "flatten", "astype", "dot", "fill",
    "transpose", "argmax", "argmin", "any", "all", "sort", "argsort", "cumsum", "prod", "view", "nonzero",
}  # fmt: skip


@dataclass
class Usage:
    """Evidence by name or dotted path (``self.u``)."""

    ranks: dict[str, int] = field(default_factory=dict)  # arrays, and how many subscripts they take at least
    whole: set[str] = field(default_factory=set)  # used as an index, a size or a bound
    index_arrays: set[str] = field(default_factory=set)  # arrays whose elements are used as such
    value_arrays: set[str] = field(default_factory=set)  # arrays whose elements meet in arithmetic
    sizes: dict[tuple[str, int], str] = field(default_factory=dict)  # (array, dimension) -> the source's name
    steps: set[str] = field(default_factory=set)  # names that step a range: tiles
    sweeps: set[str] = field(default_factory=set)  # names that bound a loop whose variable indexes nothing
    bounds: set[str] = field(default_factory=set)  # names in loop bounds and extents
    assumed: dict[str, int] = field(default_factory=dict)  # arrays whose rank is only the usual reading, by line
    lay: str | None = None  # how elements lie where dimensions do not matter (see any_rank)
    growing: set[str] = field(default_factory=set)  # lists that change their length
    assigned: set[str] = field(default_factory=set)  # names that the function binds beside its parameters
    globals: set[str] = field(default_factory=set)  # names of the module that the function assigns
    open_arrays: tuple[str, ...] = ()  # parameters that may be numbers, all but one
    numbers: set[str] = field(default_factory=set)  # names that are tested or handed to functions of one number
    whole_parameters: set[str] = field(default_factory=set)  # parameters that are whole: symbols of their own name

    def array(self, path: str, rank: int) -> None:
        self.ranks[path] = max(rank, self.ranks.get(path, 0))


def usage_of(function: Function, helpers: Mapping[str, Function], depth: int = TOP) -> Usage:
    """The evidence in a function and, for arrays it passes on, in the helpers of its module that it calls."""
    usage = Usage()
    nodes = list(walk(function.body))
    for node in nodes:
        _arrays(node, usage)
    indexing = {id(n) for node in nodes for part in _index_parts(node) for n in walk(part)}
    usage.numbers = sure_numbers(nodes)
    for node in nodes:
        _whole_uses(node, usage)
        if id(node) not in indexing:
            _value_uses(node, usage)
    _aliases(nodes, usage)
    _propagate_whole(nodes, usage)
    for name, least in LeastRanks(nodes, usage.ranks.keys(), usage.whole).found():
        usage.array(name, least)
    _bounds(nodes, usage)
    usage.whole_parameters = {p.name for p in function.parameters if p.name in usage.whole}
    _size_names(function, nodes, usage)
    inner = [n for node in nodes if isinstance(node, Function) for n in walk(node.body)]
    usage.growing = set(growing_lists([*nodes, *inner]))
    declared = {name for node in nodes if isinstance(node, Simple) and node.kind == "global" for name in node.names}
    usage.assigned = set(assigned_names(function.body))
    usage.globals = declared & usage.assigned
    known: dict[str, tuple[Function, Usage]] = {}
    for node in nodes if depth else ():
        path = dotted_path(node.function) if isinstance(node, Call) else None
        if path and path not in known and path in helpers:
            helper = helpers[path]
            known[path] = helper, usage_of(helper, {k: v for k, v in helpers.items() if v is not helper}, depth - 1)
        if path in known:
            _from_helper(node, *known[path], usage)
    usage.growing = with_aliases(usage.growing, [*nodes, *inner])
    usage.lay = lay_of(nodes, lambda path: path in known and known[path][1].lay == ALL)
    _from_expressions(function, nodes, usage, guess=depth == TOP)
    return usage


def _from_expressions(function: Function, nodes: list[Any], usage: Usage, *, guess: bool) -> None:
    """The dimensions that array expressions give to names; a name that is a size or an index is no array."""
    if usage.lay == ALL and not any(isinstance(node, Return) and node.value is not None for node in nodes):
        for name in {p.name for p in function.parameters} & set(_updated(nodes)) - usage.whole:
            usage.array(name, 1)
    found = infer(nodes, usage.ranks, guess=guess)
    for path, rank in found.known.items():
        if rank and path not in usage.whole:
            usage.array(path, rank)
    usage.assumed.update(found.assumed)
    if guess and not usage.ranks:
        _from_ufuncs(function, nodes, usage)


def _updated(nodes: list[Any]) -> Iterator[str]:
    """Names of what statements change in place: parameters are arrays where nothing else is the function's effect."""
    return (n.target.id for n in nodes if isinstance(n, AugAssign) and isinstance(n.target, Name))


def _from_ufuncs(function: Function, nodes: list[Any], usage: Usage) -> None:
    """Where nothing else is an array, what a NumPy function of one element is applied to is taken as one."""
    parameters = {p.name for p in function.parameters if p.default is None} - usage.whole - usage.numbers
    made = _made_of(nodes)
    for node in nodes:
        if isinstance(node, Call) and (_is_numpy_map(node) or _reduces_expression(node)):
            for name in {n for a in operands_of(node) for n in _sources(a, made)} & parameters:
                usage.array(name, 1 if usage.lay in (None, ALL) else 2)
                usage.assumed.setdefault(name, node.place.line)
    if usage.lay == ALL and len(parameters) > 1:
        usage.open_arrays = tuple(p.name for p in function.parameters if p.name in parameters & usage.ranks.keys())


def _made_of(nodes: list[Any]) -> dict[str, set[str]]:
    """The names that each name's values are made of."""
    made: dict[str, set[str]] = {}
    for node in nodes:
        if isinstance(node, Assign) and node.value is not None:
            for name in (name for target in node.targets for name in target_names(target)):
                made.setdefault(name, set()).update(n.id for n in walk(node.value) if isinstance(n, Name))
    return made


def _sources(expression: Expression, made: Mapping[str, set[str]]) -> set[str]:
    """The names in an expression, and all that these are made of."""
    found: set[str] = set()
    stack = [n.id for n in walk(expression) if isinstance(n, Name)]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(made.get(name, ()))
    return found


def _is_numpy_map(call: Call) -> bool:
    path = dotted_path(call.function) or ""
    module, _, name = path.rpartition(".")
    return module in NUMERIC_NAMES and module != "math" and name in TABLE and TABLE[name].rule in ELEMENTWISE_RULES


def _reduces_expression(call: Call) -> bool:
    """``(x * y).sum()``: what a reduction is applied to has elements."""
    row, operands = TABLE.get(called(call)), operands_of(call)
    return row is not None and row.rule == "reduce" and bool(operands) and isinstance(operands[0], (Binary, Unary))


def _arrays(node: Any, usage: Usage) -> None:
    if isinstance(node, Subscript):
        base, items = subscript_chain(node)
        path = dotted_path(base)
        if path and not any(isinstance(i, Literal) and isinstance(i.value, str) for i in items):
            if not (isinstance(base, Attribute) and base.name == "shape"):
                usage.array(path, 2 if is_last_place(node) else least_rank(node, _is_no_dimension))
                usage.assumed.pop(path, None)
    elif isinstance(node, Attribute):
        path = dotted_path(node.base)
        if path and node.name in ARRAY_ATTRIBUTES:
            usage.array(path, 1)
    elif isinstance(node, Call):
        _array_call(node, usage)
    elif isinstance(node, For):
        path = dotted_path(node.iterable)
        if path:
            usage.array(path, 1)
    elif isinstance(node, Assign) and isinstance(node.value, Attribute) and node.value.name == "shape":
        path = dotted_path(node.value.base)
        for target in node.targets:
            if path and isinstance(target, Sequence):
                usage.array(path, len(target.items))
    if isinstance(node, Subscript) and isinstance(node.base, Attribute) and node.base.name == "shape":
        path = dotted_path(node.base.base)
        if path and len(node.items) == 1 and isinstance(node.items[0], Literal):
            dimension = node.items[0].value
            if isinstance(dimension, int):
                usage.array(path, dimension + 1 if dimension >= 0 else -dimension)


def _is_no_dimension(item: Expression) -> bool:
    return is_new_axis(item) or (isinstance(item, Literal) and item.value is Ellipsis)


def _array_call(call: Call, usage: Usage) -> None:
    for operand, rank in told(call):
        path = dotted_path(operand)
        if path and path not in usage.ranks:
            usage.assumed.setdefault(path, call.place.line)
        if path and rank:
            usage.array(path, rank)
    name = call.function.id if isinstance(call.function, Name) else None
    if name in ("len", "enumerate", "zip"):
        for arg in call.args:
            path = dotted_path(arg)
            if path:
                usage.array(path, 1)
    elif _joins(call):
        for path, least in _joined(call.args[0], 1):
            if path not in usage.ranks:
                usage.assumed.setdefault(path, call.place.line)
            usage.array(path, least)
    elif _takes_array(call):
        path = dotted_path(call.args[0])
        if path and path not in usage.ranks:
            usage.assumed.setdefault(path, call.place.line)
        if path:
            usage.array(path, _axis_rank(call))
    elif isinstance(call.function, Attribute) and _is_atomic(call.function) and len(call.args) == 3:
        path, index = dotted_path(call.args[0]), call.args[1]
        if path:
            usage.array(path, len(index.items) if isinstance(index, Sequence) else 1)
    elif isinstance(call.function, Attribute) and call.function.name in ARRAY_METHODS:
        path = dotted_path(call.function.base)
        if path and path.split(".")[0] in NUMERIC_NAMES:
            path = dotted_path(call.args[0]) if call.args else None
        if path:
            usage.array(path, _axis_rank(call))


def _is_atomic(function: Attribute) -> bool:
    """Whether this is ``cuda.atomic.add`` or its like, whose arguments are an array, a subscript and a value."""
    return isinstance(function.base, Attribute) and function.base.name == "atomic"


def _takes_array(call: Call) -> bool:
    """Whether a NumPy function is called whose first operand is surely an array."""
    if not isinstance(call.function, Attribute) or not call.args:
        return False
    row = TABLE.get(call.function.name)
    module = (dotted_path(call.function.base) or "").partition(".")[0]
    if row is None or module not in NUMERIC_NAMES or module == "math":
        return False
    transforms = row.rule == "figure" and "log2" in row.figure
    return transforms or row.rule in ARRAY_RULES or call.function.name.endswith("_like")


def _joins(call: Call) -> bool:
    """Whether a list of arrays is put together."""
    row = TABLE.get(called(call)) if isinstance(call.function, Attribute) else None
    lists = bool(call.args) and isinstance(call.args[0], Sequence)
    return lists and row is not None and row.rule in ("join", "stack", "block")


def _joined(value: Expression, rank: int) -> Iterator[tuple[str, int]]:
    """The names in a list of arrays, and how many dimensions they have at least."""
    for item in value.items if isinstance(value, Sequence) else ():
        path = dotted_path(item)
        if path:
            yield path, rank
        else:
            yield from _joined(item, 2)


def _axis_rank(call: Call) -> int:
    """The rank that a reduction's axis speaks of: along an axis there are at least two."""
    axis = next((k.value for k in call.keywords if k.name == "axis"), None)
    first = 0 if is_method(call) else 1
    if axis is None and len(call.args) > first and called(call) in AXIS_IS_NEXT:
        axis = call.args[first]
    if isinstance(axis, Literal) and isinstance(axis.value, int):
        return max(2, axis.value + 1)
    return 2 if isinstance(axis, Unary) else 1


def _aliases(nodes: list[Any], usage: Usage) -> None:
    """``Bt = B.T`` and ``row = A[i]``: what is known of the new name's rank tells of the array."""
    masks = _masks(nodes)
    assigned: list[tuple[list[str], Expression]] = []
    for node in nodes:
        if isinstance(node, Assign) and len(node.targets) == 1 and node.value is not None:
            _pairs(node.targets[0], node.value, assigned)
    for names, value in assigned:
        rank = usage.ranks.get(names[0], 0) if len(names) == 1 else 0
        if isinstance(value, Call) and called(value) == "copy" and is_method(value):
            value = operands_of(value)[0]
        if isinstance(value, Attribute) and value.name == "T":
            path, extra = dotted_path(value.base), 0
        elif isinstance(value, Subscript):
            base, items = subscript_chain(value)
            path = dotted_path(base)
            extra = sum(1 for i in items if not isinstance(i, Slice) and dotted_path(i) not in masks)
        else:
            path, extra = (dotted_path(value), 0) if isinstance(value, (Name, Attribute)) else (None, 0)
        only_name = isinstance(value, Name) and [n for n, _ in assigned].count(names) == 1
        if rank and path and (path in usage.ranks or only_name):
            usage.array(path, rank + extra)
    for node in nodes:
        if isinstance(node, Assign) and len(node.targets) == 1:
            _unpacked(node.targets[0], node.value, usage)


def _unpacked(target: Expression, value: Expression | None, usage: Usage) -> None:
    """``x, y, z = points`` and ``= points[:]``, where x, y and z are arrays: points has one dimension more."""
    if not isinstance(target, Sequence) or value is None:
        return
    base, items = subscript_chain(value)
    path = dotted_path(base) if all(isinstance(item, Slice) for item in items) else None
    ranks = {usage.ranks.get(name, 0) for item in target.items for name in target_names(item)}
    if path and len(ranks) == 1 and ranks != {0}:
        usage.array(path, ranks.pop() + 1)
        usage.assumed.setdefault(path, target.place.line)


def _masks(nodes: list[Any]) -> set[str]:
    """Names of what comparisons and functions of truth say: subscripts that pick and do not fix."""
    found: set[str] = set()
    for node in nodes:
        value = node.value if isinstance(node, Assign) else None
        function = dotted_path(value.function) if isinstance(value, Call) else None
        row = TABLE.get((function or "").rpartition(".")[2])
        if isinstance(value, Compare) or (row is not None and row.dtype == "bool"):
            found.update(name for target in node.targets for name in target_names(target))
    return found


def _index_parts(node: Any) -> Iterator[Expression]:
    """The expressions of ``node`` that must be whole numbers."""
    if isinstance(node, Call):
        yield from (k.value for k in node.keywords if k.name in ("shape", "num", "newshape"))
    if isinstance(node, Subscript):
        for item in node.items:
            if isinstance(item, Slice):
                yield from (e for e in (item.lower, item.upper, item.step) if e is not None)
            else:
                yield item
    elif isinstance(node, Call):
        name = node.function.name if isinstance(node.function, Attribute) else getattr(node.function, "id", "")
        if name in ("range", "prange"):
            yield from node.args
        elif name in ALLOCATORS and node.args:
            yield node.args[0]
        elif name == "fromfunction" and len(node.args) > 1:
            yield node.args[1]
        elif name in SPACED and len(node.args) > 2:
            yield node.args[2]
        elif name in ("reshape", "broadcast_to", "tile"):
            numpy = isinstance(node.function, Attribute) and dotted_path(node.function.base) in NUMERIC_NAMES
            yield from node.args[1:] if numpy else node.args
    elif isinstance(node, Binary) and node.op in ("<<", ">>", "&", "|", "^"):
        yield from (node.left, node.right)


def _whole_uses(node: Any, usage: Usage) -> None:
    for part in _index_parts(node):
        _mark_whole(part, usage)
    if isinstance(node, Call) and len(node.args) == 3 and getattr(node.function, "id", "") in ("range", "prange"):
        step = node.args[2]
        usage.steps.update(n.id for n in walk(step) if isinstance(n, Name))


def _value_uses(node: Any, usage: Usage) -> None:
    """Elements that meet in arithmetic outside of subscripts are values."""
    if isinstance(node, (Binary, AugAssign)) and node.op in ("+", "-", "*", "/", "**"):
        sides = (node.left, node.right) if isinstance(node, Binary) else (node.target, node.value)
        for side in sides:
            base, items = subscript_chain(side)
            path = dotted_path(base)
            if items and path:
                usage.value_arrays.add(path)


def _mark_whole(expression: Expression, usage: Usage) -> None:
    """``expression`` is an index: so are the names in it, and the elements of arrays that it reads."""
    if isinstance(expression, Name):
        usage.whole.add(expression.id)
    elif isinstance(expression, Attribute):
        path = dotted_path(expression)
        if path:
            usage.whole.add(path)
    elif isinstance(expression, Subscript):
        path = dotted_path(subscript_chain(expression)[0])
        if path:
            usage.index_arrays.add(path)
    elif isinstance(expression, Binary):
        _mark_whole(expression.left, usage)
        _mark_whole(expression.right, usage)
    elif isinstance(expression, Unary):
        _mark_whole(expression.operand, usage)
    elif isinstance(expression, Named):
        usage.whole.add(expression.target.id)
        _mark_whole(expression.value, usage)
    elif isinstance(expression, Sequence):
        for item in expression.items:
            _mark_whole(item, usage)
    elif isinstance(expression, Call) and getattr(expression.function, "id", "") in ("min", "max", "abs"):
        for arg in expression.args:
            _mark_whole(arg, usage)


def _propagate_whole(nodes: list[Any], usage: Usage) -> None:
    """A name assigned to a whole name is whole, backwards, until nothing changes."""
    assignments: list[tuple[list[str], Expression]] = []
    for node in nodes:
        if isinstance(node, Assign) and node.value is not None:
            for target in node.targets:
                _pairs(target, node.value, assignments)
        elif isinstance(node, (AugAssign, Named)):
            assignments.append((list(target_names(node.target)), node.value))
        elif isinstance(node, For):
            _iterated(node, assignments)
    counters = {n for node in nodes if isinstance(node, For) and _counts(node) for n in target_names(node.target)}
    for node in nodes:
        if isinstance(node, Compare):
            compared = {name for operand in node.operands if _is_sum(operand) for name in _paths(operand)}
            if compared & (usage.whole | counters):
                usage.whole |= compared - counters
    before = -1
    while before != len(usage.whole) + len(usage.index_arrays):
        before = len(usage.whole) + len(usage.index_arrays)
        for names, value in assignments:
            if usage.whole & set(names):
                _mark_whole(value, usage)


def _bounds(nodes: list[Any], usage: Usage) -> None:
    """Which names bound loops, and which of these only count repetitions (sweeps)."""
    for node in nodes:
        if isinstance(node, For) and isinstance(node.iterable, Call):
            names = {name for a in node.iterable.args for name in _paths(a)}
            usage.bounds |= names
            below = list(walk(node.body))
            inside = {name for s in below for p in _index_parts(s) for name in _paths(p)}
            repeats = any(isinstance(s, (For, While, Slice)) for s in below)
            if repeats and not set(target_names(node.target)) & inside:
                usage.sweeps |= names
        elif isinstance(node, (While, Call)):
            parts = [node.test] if isinstance(node, While) else list(_index_parts(node))
            usage.bounds |= {name for p in parts for name in _paths(p)}
    usage.sweeps |= _windows(nodes)
    for node in nodes:
        if isinstance(node, Assign) and node.value is not None:
            if any(name in usage.bounds for t in node.targets for name in target_names(t)):
                usage.bounds |= {n.id for n in walk(node.value) if isinstance(n, Name)}


def _windows(nodes: list[Any]) -> set[str]:
    """Names that only widen a range around a loop's variable: ``range(max(0, i - w), min(n, i + w + 1))``."""
    counters = {n for node in nodes if isinstance(node, For) for n in target_names(node.target)}
    around: set[str] = set()
    plain: set[str] = set()
    for node in nodes:
        if isinstance(node, For) and _counts(node) and isinstance(node.iterable, Call):
            for end in (part for arg in node.iterable.args for part in _ends(arg)):
                added, taken = _signed_names(end, True)
                (around if added & counters else plain).update((added | taken) - counters)
    return around - plain


def _ends(arg: Expression) -> Iterator[Expression]:
    """A bound, or the arguments of the min or max that it is."""
    if isinstance(arg, Call) and getattr(arg.function, "id", "") in ("min", "max"):
        for part in arg.args:
            yield from _ends(part)
    else:
        yield arg


def _signed_names(expression: Expression, positive: bool) -> tuple[set[str], set[str]]:
    """The names that a sum adds, and those that it takes away."""
    if isinstance(expression, Binary) and expression.op in ("+", "-"):
        left = _signed_names(expression.left, positive)
        right = _signed_names(expression.right, positive == (expression.op == "+"))
        return left[0] | right[0], left[1] | right[1]
    names = set(_paths(expression))
    return (names, set()) if positive else (set(), names)


def _is_sum(expression: Expression) -> bool:
    """Whether an expression is a sum of names and whole numbers."""
    if isinstance(expression, Binary):
        return expression.op in ("+", "-") and _is_sum(expression.left) and _is_sum(expression.right)
    return isinstance(expression, Name) or (isinstance(expression, Literal) and isinstance(expression.value, int))


def _paths(expression: Expression) -> Iterator[str]:
    """The names and dotted paths in an expression."""
    for node in walk(expression):
        if isinstance(node, (Name, Attribute)):
            path = dotted_path(node)
            if path:
                yield path


def _pairs(target: Expression, value: Expression, out: list[tuple[list[str], Expression]]) -> None:
    if isinstance(target, Sequence) and isinstance(value, Sequence) and len(target.items) == len(value.items):
        for t, v in zip(target.items, value.items, strict=True):
            _pairs(t, v, out)
    else:
        out.append((list(target_names(target)), value))


def _counts(loop: For) -> bool:
    """Whether a loop's target is a whole number: ``for i in range(…)``."""
    call = loop.iterable
    if not isinstance(call, Call):
        return False
    name = call.function.name if isinstance(call.function, Attribute) else getattr(call.function, "id", "")
    return name in ("range", "prange")


def _iterated(loop: For, out: list[tuple[list[str], Expression]]) -> None:
    """``for k in idx`` reads elements of idx into k (and so inside enumerate and zip)."""
    iterable, targets = loop.iterable, [loop.target]
    if isinstance(iterable, Call) and getattr(iterable.function, "id", "") in ("enumerate", "zip"):
        arrays = list(iterable.args)
        inner = list(loop.target.items) if isinstance(loop.target, Sequence) else []
        if getattr(iterable.function, "id", "") == "enumerate":
            inner = inner[1:]
        pairs = list(zip(inner, arrays))
    else:
        pairs = [(t, iterable) for t in targets]
    for target, array in pairs:
        if dotted_path(array):
            element = Subscript(loop.place, array, (Name(loop.place, "_"),))
            out.append((list(target_names(target)), element))


def _size_names(function: Function, nodes: list[Any], usage: Usage) -> None:
    """``n, m = A.shape``, ``n = A.shape[0]``, ``n = len(A)``, ``n = A.size``: how the source names a size."""
    taken: dict[str, int] = {p.name: 1 for p in function.parameters}
    for node in nodes:
        if isinstance(node, Assign):
            for target in node.targets:
                for name in target_names(target):
                    taken[name] = taken.get(name, 0) + 1
        elif isinstance(node, (AugAssign, For)):
            for name in target_names(node.target):
                taken[name] = taken.get(name, 0) + 2
    for node in nodes:
        if isinstance(node, Assign) and len(node.targets) == 1 and node.value is not None:
            for key, name in _named_sizes(node.targets[0], node.value):
                if taken.get(name) == 1 and name != "_":
                    usage.sizes.setdefault(key, name)


def _named_sizes(target: Expression, value: Expression) -> Iterator[tuple[tuple[str, int], str]]:
    if isinstance(target, Sequence) and isinstance(value, Sequence) and len(target.items) == len(value.items):
        for t, v in zip(target.items, value.items, strict=True):
            yield from _named_sizes(t, v)
    elif isinstance(target, Sequence) and isinstance(value, Attribute) and value.name == "shape":
        path = dotted_path(value.base)
        for dimension, item in enumerate(target.items):
            if path and isinstance(item, Name):
                yield (path, dimension), item.id
    elif isinstance(target, Name):
        if isinstance(value, Subscript) and isinstance(value.base, Attribute) and value.base.name == "shape":
            path = dotted_path(value.base.base)
            [index] = value.items if len(value.items) == 1 else [None]
            if path and isinstance(index, Literal) and isinstance(index.value, int) and index.value >= 0:
                yield (path, index.value), target.id
        elif isinstance(value, Call) and getattr(value.function, "id", "") == "len" and len(value.args) == 1:
            path = dotted_path(value.args[0])
            if path:
                yield (path, 0), target.id
        elif isinstance(value, Attribute) and value.name == "size":
            path = dotted_path(value.base)
            if path:
                yield (path, 0), target.id


def _from_helper(call: Call, helper: Function, inner: Usage, usage: Usage) -> None:
    named = {p.name: p for p in helper.parameters}
    by_name = [(named[k.name], k.value) for k in call.keywords if k.name in named]
    for parameter, argument in (*zip(helper.parameters, call.args), *by_name):
        if parameter.name in inner.growing:
            usage.growing.update(shared_names(argument))
        path = dotted_path(argument)
        if path is None:
            continue
        if parameter.name in inner.ranks:
            usage.array(path, inner.ranks[parameter.name])
        if parameter.name in inner.whole:
            usage.whole.add(path)
        if parameter.name in inner.numbers:
            usage.numbers.add(path)
        if parameter.name in inner.index_arrays:
            usage.index_arrays.add(path)
        if parameter.name in inner.value_arrays:
            usage.value_arrays.add(path)
