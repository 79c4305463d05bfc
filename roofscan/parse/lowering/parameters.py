"""Parameters and other names from outside: arrays, numbers or objects, by facts, declarations and use."""

from __future__ import annotations

from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.ir.assumption import FLOAT_BY_DEFAULT, Assumption
from roofscan.ir.dtypes import B1, C16, F8, I8, DType
from roofscan.ir.facts import ArrayFact
from roofscan.ir.kinds import ArrayRole, SymbolKind
from roofscan.ir.records import RecordType
from roofscan.ir.symbols import Extent
from roofscan.parse.inference.type_facts import Layout, extents
from roofscan.parse.lowering import values
from roofscan.parse.lowering.builder import c_strides, f_strides
from roofscan.parse.lowering.containers import unknown_container
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.records.fields import records_by_use
from roofscan.parse.reader.type_expressions import UNKNOWN, ParameterType
from roofscan.parse.syntax import Expression, Literal
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.units import counted


def describe(
    cx: Context, path: str, line: int, role: ArrayRole = "parameter", told: ParameterType = UNKNOWN
) -> values.Value:
    """A parameter (or another name from outside) as an array, a number or an object, by all that is known of it.
    ``told`` is its type by its value, which a declaration overrides."""
    declared = _declared(cx, path, told)
    found = _by_facts(cx, path, line, role, declared)
    if found is None:
        found = _by_declaration(cx, path, line, role, declared)
    return _by_use(cx, path, line, role) if found is None else found


def _declared(cx: Context, path: str, told: ParameterType) -> ParameterType:
    """Its declared type; a documented one gives way to its uses."""
    declared, ranks = cx.frame.types.get(path, UNKNOWN), cx.frame.type_facts.ranks
    declared = told if declared == UNKNOWN else declared
    if declared.documented and declared.kind == "unknown":
        declared = replace(declared, kind="array" if path in ranks else "scalar")
    too_few = declared.ndim is not None and declared.ndim < ranks.get(path, 0)
    return UNKNOWN if declared.documented and too_few else declared


def _by_facts(cx: Context, path: str, line: int, role: ArrayRole, declared: ParameterType) -> values.Value | None:
    facts, uses, key = cx.facts, cx.frame.type_facts, path.replace(".", "_")
    array = facts.arrays.get(path) or facts.arrays.get(key)
    if array is not None and (array.shape is not None or declared.kind == "array" or path in uses.ranks):
        return make_array(cx, path, line, role, array, declared)
    if array is not None:  # nothing but its type is said, and nothing makes it an array
        return _number(cx, path, line, array.dtype)
    number = facts.scalars.get(path) or facts.scalars.get(key)
    if number is None:
        return None
    if number.dtype is not None:
        return _number(cx, path, line, number.dtype)
    certain = path in uses.integers and path not in uses.taken_integers
    if number.is_float and not (isinstance(number.value, int) and certain):
        return values.Scalar(F8, weak=True)
    return integer_parameter(cx, path, line)


def _by_declaration(cx: Context, path: str, line: int, role: ArrayRole, declared: ParameterType) -> values.Value | None:
    if declared.kind == "mapping":
        return unknown_container(cx, "a list, dict or set", line)
    if declared.kind == "text":
        return values.TextParameter()
    if declared.kind in ("array", "unknown") and declared.dtype is None and path in cx.frame.type_facts.record_uses:
        records = records_by_use(cx, path, line)
        if records is not None and not records.ndim:
            return _one_record(cx, path, line, role, records.dtype)
        declared = declared if records is None else ParameterType("array", records.dtype, records.ndim)
    if declared.kind == "array":
        return make_array(cx, path, line, role, None, declared)
    if isinstance(declared.dtype, RecordType):
        return _one_record(cx, path, line, role, declared.dtype)
    if declared.kind != "scalar" or declared.dtype is None:
        return None
    if declared.dtype.kind == "int":
        return integer_parameter(cx, path, line, declared.dtype)
    return values.Scalar(declared.dtype, weak=not cx.compiled, why_unknown=path)


def _by_use(cx: Context, path: str, line: int, role: ArrayRole) -> values.Value:
    uses = cx.frame.type_facts
    if path in uses.ranks:
        return make_array(cx, path, line, role, None, None)
    if path in uses.integers:
        if path in uses.taken_integers:
            cx.builder.assume(Assumption(path, f"int64 (by its use with integers in line {uses.taken_integers[path]})"))
        return integer_parameter(cx, path, line)
    if any(p.startswith(f"{path}.") for p in (*uses.ranks, *uses.integers)) or path == "self":
        return values.ObjectValue(path)
    if path in uses.record_uses and not _is_number(cx, path):
        return values.ObjectValue(path)
    if role == "global" or "." in path:
        cx.builder.assume(Assumption(path, FLOAT_BY_DEFAULT))
    return values.Scalar(F8, weak=True)


def _is_number(cx: Context, path: str) -> bool:
    """Whether something with attributes is a number all the same."""
    fields = {use.field for use in cx.frame.type_facts.record_uses[path]}
    return path in cx.frame.type_facts.scalars or not fields.isdisjoint(("real", "imag", "item", "conjugate"))


def _one_record(cx: Context, path: str, line: int, role: ArrayRole, dtype: RecordType) -> values.View:
    """A record that is given by itself: a reference to memory of its own."""
    array = cx.builder.array(Array(path, dtype, (ONE,), (ONE,), role, line))
    return values.View(array.name, dtype, (), (values.Axis(ZERO),))


def _number(cx: Context, path: str, line: int, dtype: DType) -> values.Scalar:
    """A number of a type that a fact says."""
    return integer_parameter(cx, path, line, dtype) if dtype.kind == "int" else values.Scalar(dtype)


def describe_default(default: Expression | None) -> values.Value | None:
    """A parameter that only its default describes: a flag, a text, None."""
    value = default.value if isinstance(default, Literal) else None
    if isinstance(value, bool):
        return values.Scalar(B1, weak=True, why_unknown="a flag")
    return values.TextParameter() if isinstance(value, str) else None


def integer_parameter(cx: Context, path: str, line: int, dtype: DType = I8) -> values.Scalar:
    """An integer parameter: a symbol of its own name."""
    type_facts = cx.frame.type_facts
    kind: SymbolKind = "tile" if path in type_facts.steps or path in type_facts.sweeps else "size"
    if kind == "size" and path not in type_facts.loop_bounds:
        kind = "int"
    name = path.replace(".", "_")
    fact = cx.facts.scalars.get(path) or cx.facts.scalars.get(name)
    if fact is not None and isinstance(fact.value, int):
        cx.builder.values.setdefault(name, fact.value)
    if name in cx.builder.symbols:
        return values.Scalar(dtype, symbol(name), weak=True)
    return values.Scalar(dtype, cx.builder.symbol(name, kind, f"the parameter {path}", line), weak=True)


def make_array(
    cx: Context, path: str, line: int, role: ArrayRole, fact: ArrayFact | None, declared: ParameterType | None
) -> values.View:
    """An array from outside. Its element type, rank and layout come from a binding, a signature or its use, in that
    order."""
    type_facts = cx.frame.type_facts
    ndim = type_facts.ranks.get(path, 1)
    if fact is not None and fact.shape is not None:
        ndim = len(fact.shape)
    elif declared is not None and declared.ndim is not None:
        ndim = declared.ndim
    is_declared = (fact is not None and fact.shape is not None) or (declared is not None and declared.ndim is not None)
    from_layout = () if is_declared or type_facts.layout is None else extents(path, type_facts.layout)
    rows = bool(from_layout) and type_facts.layout is Layout.SLICES and ndim == 1
    if (len(from_layout) == ndim or rows) and not any(name in type_facts.integers for name, *_ in from_layout):
        return _rank_polymorphic(cx, path, line, role, fact, declared, from_layout)
    if fact is None and (declared is None or declared.ndim is None) and path in type_facts.assumed_ranks:
        rank = counted(ndim, "dimension")
        cx.builder.assume(f"{path} has {rank} (as line {type_facts.assumed_ranks[path]} reads)", about=path)
        if cx.compiled and path in type_facts.possible_scalars:
            _may_be_number(cx, type_facts.assumed_ranks[path])
    dtype = _element_type(cx, path, fact, declared)
    shape = tuple(_extent(cx, path, d, line, fact, declared) for d in range(ndim))
    in_words = path in type_facts.random_states and ndim == 1
    if in_words:  # a state is a record of two
        dtype, shape = I8, (*shape, Expr.of(2))
    fortran = fact.fortran if fact is not None else declared is not None and declared.order == "F"
    strides = f_strides(shape) if fortran else c_strides(shape)
    any_stride = declared is not None and declared.order == "A"
    for_views = declared is not None and declared.strided
    array = Array(
        path, dtype, shape, strides, role, line, any_stride=any_stride, in_words=in_words, for_views=for_views
    )
    return values.entire_view(cx.builder.array(array))


def _may_be_number(cx: Context, line: int) -> None:
    """A parameter of a compiled function that only a call such as ``np.sqrt`` makes an array."""
    cx.builder.reason(line, "parameters may be scalars or arrays: the traffic is an estimate", "open")
    cx.builder.reason(line, "parameters may be scalars or arrays: a scalar is counted as one element", "upper")


def _rank_polymorphic(
    cx: Context, path: str, line: int, role: ArrayRole, fact: ArrayFact | None, declared: ParameterType | None,
    from_layout: tuple[tuple[str, str, int | None], ...],
) -> values.View:  # fmt: skip
    """An array of any rank: the extents that matter, in C order."""
    dtype = _element_type(cx, path, fact, declared)
    if path in cx.frame.type_facts.scalars_or_arrays:
        return _open_array(cx, path, line, role, dtype)
    rest: SymbolKind = "tile" if cx.frame.type_facts.layout is Layout.SLICES else "size"
    shape = tuple(
        _named_extent(cx, (path, d), name, meaning, line, rest if d else "size", Extent((path,), dimension))
        for d, (name, meaning, dimension) in enumerate(from_layout)
    )
    any_stride = declared is not None and declared.order == "A"
    array = Array(path, dtype, shape, c_strides(shape), role, line, any_stride=any_stride)
    return values.entire_view(cx.builder.array(array))


def _open_array(cx: Context, path: str, line: int, role: ArrayRole, dtype: DType) -> values.View:
    """A parameter that may be a number: an array of the shape that all such parameters share."""
    broadcast_sizes = cx.builder.broadcast_sizes
    for name in cx.frame.type_facts.scalars_or_arrays:
        broadcast_sizes.open(name)
    shape = (cx.builder.broadcast_size(broadcast_sizes.common, line),)
    array = cx.builder.array(Array(path, dtype, shape, (ONE,), role, line))
    broadcast_sizes.arrays[array.name] = frozenset((path,))
    return values.entire_view(array)


def _named_extent(
    cx: Context, place: tuple[str, int], name: str, meaning: str, line: int, kind: SymbolKind, extent: Extent
) -> Expr:
    """The size by the name that the source has for it, else by ``name``."""
    type_facts = cx.frame.type_facts
    given = type_facts.size_names.get(place)
    own = given is not None and given not in cx.builder.symbols and given not in type_facts.integer_parameters
    size = cx.builder.symbol(given if own and given is not None else name, kind, meaning, line, extent=extent)
    cx.builder.extents |= size.symbols
    cx.builder.named_extents |= size.symbols if own else frozenset()
    return size


def _element_type(cx: Context, path: str, fact: ArrayFact | None, declared: ParameterType | None) -> DType:
    if fact is not None:
        return fact.dtype
    if declared is not None and declared.dtype is not None:
        if declared.documented:
            cx.builder.assume(Assumption(path, f"{declared.dtype.name} (as its docstring says)"))
        return declared.dtype
    type_facts = cx.frame.type_facts
    if path in type_facts.complex_arrays:
        dtype, why = C16, "complex values are stored in it"
    elif path in type_facts.index_arrays and path not in type_facts.value_arrays:
        dtype, why = I8, "it is used as an index"
    else:
        dtype, why = F8, "default"
    cx.builder.assume(Assumption(path, f"{dtype.name} ({why})"))
    return dtype


def _extent(
    cx: Context, path: str, dimension: int, line: int, fact: ArrayFact | None, declared: ParameterType | None
) -> Expr:
    """The extent of one dimension as a fact, a signature or the source gives it, else a symbol of its own."""
    given = fact.shape[dimension] if fact is not None and fact.shape is not None else None
    if (path, dimension) in cx.facts.extents:
        given = Expr.of(cx.facts.extents[path, dimension])
    if given is not None and (given.symbols or given.constant == 1):
        cx.builder.one_is_told |= given == ONE
        for name in sorted(given.symbols - cx.builder.symbols.keys()):
            cx.builder.symbol(name, "size", f"a size of {path}", line)
        return given
    if given is None and declared is not None and declared.dims is not None and dimension < len(declared.dims):
        dim = declared.dims[dimension]
        if declared.documented:
            cx.builder.assume(Assumption(f"{path}.shape[{dimension}]", f"{dim} (as its docstring says)"))
        if isinstance(dim, int):
            return Expr.of(dim)
        return _shared_size(cx, dim, path, dimension, line)
    meaning, extent = f"{path}.shape[{dimension}]", Extent((path,), dimension)
    size = _named_extent(cx, (path, dimension), f"{path}_shape_{dimension}", meaning, line, "size", extent)
    if given is not None and given.constant is not None:
        cx.builder.values.update(dict.fromkeys(size.symbols, given.constant))
    return size


def _shared_size(cx: Context, name: str, path: str, dimension: int, line: int) -> Expr:
    """A dimension named in a signature's layout or annotation: equal names are equal sizes."""
    known = cx.builder.symbols.get(name)
    if known is not None and known.kind == "size":
        return symbol(name)
    extent = Extent((path,), dimension)
    return cx.builder.symbol(name, "size", f"{path}.shape[{dimension}]", line, extent=extent)
