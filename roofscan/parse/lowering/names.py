"""What a name stands for: locals, enclosing functions, the module, imports, or a parameter to be described."""

from __future__ import annotations

from pathlib import PurePath

from roofscan.ir.dtypes import B1, F8, I8, DType
from roofscan.ir.dtypes import lookup as dtype_named
from roofscan.ir.facts import ArrayFact
from roofscan.ir.kernel import Array
from roofscan.ir.kinds import ArrayRole, SymbolKind
from roofscan.parse.inference.rank_polymorphic import PARTS, extents
from roofscan.parse.lowering.builder import c_strides, f_strides
from roofscan.parse.lowering.calls.definitions import meaning_of
from roofscan.parse.lowering.containers import a_container
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.control.parameter_tests import TEXT_PARAMETER
from roofscan.parse.lowering.numpy.table import CONSTANTS
from roofscan.parse.lowering.values import (
    NONE,
    Axis,
    DTypeValue,
    FunctionRef,
    ModuleRef,
    ObjectValue,
    Scalar,
    Text,
    TupleValue,
    Unknown,
    Value,
    View,
    literal,
    named,
)
from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.reader.package import find, starred
from roofscan.parse.reader.types import ParameterType
from roofscan.parse.syntax import Expression, Function, Literal, Name, Place, Sequence, Unary
from roofscan.symbolic.expr import ONE, Expr, symbol


def lookup(cx: Context, name: str, line: int) -> Value:
    """The value of a name at this point; a name that nothing binds is described like a parameter."""
    frame = cx.frame
    for scope in (frame.names, frame.closure, frame.globals_seen):
        if name in scope:
            return scope[name]
    value = from_module(cx, name, line)
    frame.globals_seen[name] = value
    return value


def from_module(cx: Context, name: str, line: int) -> Value:
    """What a name that the function does not bind means in its file."""
    found = _defined(cx, cx.here, name, cx.frame.module)
    if found is not None:
        return found
    dotted = cx.here.resolve(Name(_place(line), name))
    if dotted is not None and not dotted.startswith(SELF):
        return imported(cx, dotted)
    star = starred(cx.here, name) if dotted is None else None
    found = _defined(cx, star.module, star.name, star.module) if star is not None else None
    return found or describe(cx, name, line, role="global")


def _defined(cx: Context, module: Module, name: str, owner: Module | None) -> Value | None:
    """A function or a plain constant of a module, None for anything else; ``owner`` is it if it is another file."""
    meaning = meaning_of(module, name)
    if meaning.lost:
        return Unknown(meaning.lost)
    for text in meaning.trusted:
        cx.builder.assume(text)
    found: tuple[FunctionRef, ...] = ()
    for function in reversed(meaning.functions or _method(module, name)):
        label = name if "." in name else function.name
        label = label if owner is None else f"{PurePath(module.path).stem}.{label}"
        found = (FunctionRef(function, label, module=owner, others=found, cached=meaning.cached), *found)
    if found:
        return found[0]
    return constant_value(module.constants[name]) if name in module.constants else None


def _method(module: Module, name: str) -> tuple[Function, ...]:
    function = module.function(name)
    return () if function is None else (function,)


def imported(cx: Context, dotted: str) -> Value:
    """What an imported name is: a function or constant of the same package, else by its name alone."""
    found = find(cx.here, dotted)
    if found is None:
        return origin(dotted)
    defined = _defined(cx, found.module, found.name, found.module)
    if defined is not None:
        return defined
    alias = found.module.resolve_name(found.name)
    return origin(dotted if alias is None or alias.startswith((SELF, ".")) else alias)


def _place(line: int) -> Place:
    return Place(line, 0, line, 0)


def origin(dotted: str) -> Value:
    """What a dotted name from outside is: a constant, an element type, or a module or function by its name."""
    module, _, name = dotted.rpartition(".")
    if name in CONSTANTS and module in ("numpy", "math", "cmath"):
        return Scalar(F8, number=CONSTANTS[name], weak=True)
    if module in ("numpy", "numba", "numba.types", "numba.core.types") and name not in ("f", "d", "i", "l", "void"):
        dtype = dtype_named(name)
        if dtype is not None:
            return DTypeValue(dtype)
    return ModuleRef(dotted)


def constant_value(expression: Expression) -> Value | None:
    """The value of a constant of the module, if it is a plain number, text, None or a tuple of them."""
    if isinstance(expression, Literal):
        if isinstance(expression.value, (bool, int, float, complex)):
            return named(literal(expression.value))
        if isinstance(expression.value, str):
            return Text(expression.value)
        return NONE if expression.value is None else None
    if isinstance(expression, Unary) and expression.op == "-":
        inner = constant_value(expression.operand)
        if isinstance(inner, Scalar) and isinstance(inner.number, (int, float)):
            return named(literal(-inner.number))
    if isinstance(expression, Sequence) and expression.kind in ("tuple", "list") and len(expression.items) <= 64:
        items = [constant_value(item) for item in expression.items]
        if all(item is not None for item in items):
            return TupleValue(tuple(item for item in items if item is not None), expression.kind)
    return None


def describe(cx: Context, path: str, line: int, role: ArrayRole = "parameter") -> Value:
    """A parameter (or a name from outside) as an array, a number or an object, by all that is known of it."""
    frame, facts = cx.frame, cx.facts
    key = path.replace(".", "_")
    kind = frame.types.get(path)
    if path in facts.arrays or key in facts.arrays:
        return make_array(cx, path, line, role, facts.arrays.get(path) or facts.arrays[key], kind)
    if path in facts.scalars or key in facts.scalars:
        fact = facts.scalars.get(path) or facts.scalars[key]
        return Scalar(F8, weak=True) if fact.is_float else integer_parameter(cx, path, line)
    if kind is not None and kind.kind == "mapping":
        return a_container(cx, "a list, dict or set", line)
    if kind is not None and kind.kind == "text":
        return Unknown(TEXT_PARAMETER)
    if kind is not None and kind.kind == "array":
        return make_array(cx, path, line, role, None, kind)
    if kind is not None and kind.kind == "scalar" and kind.dtype is not None:
        if kind.dtype.kind == "int":
            return integer_parameter(cx, path, line, kind.dtype)
        return Scalar(kind.dtype, weak=not cx.compiled, why_unknown=path)
    if path in frame.type_facts.ranks:
        return make_array(cx, path, line, role, None, None)
    if path in frame.type_facts.integers:
        return integer_parameter(cx, path, line)
    if any(p.startswith(f"{path}.") for p in (*frame.type_facts.ranks, *frame.type_facts.integers)) or path == "self":
        return ObjectValue(path)
    return Scalar(F8, weak=True)


def describe_default(default: Expression | None) -> Value | None:
    """A parameter that nothing else describes may be known by its default: a flag, a text, None."""
    if isinstance(default, Literal):
        if isinstance(default.value, bool):
            return Scalar(B1, weak=True, why_unknown="a flag")
        if isinstance(default.value, str):
            return Unknown(TEXT_PARAMETER)
        if default.value is None:
            return None
    return None


def integer_parameter(cx: Context, path: str, line: int, dtype: DType = I8) -> Scalar:
    """A whole-number parameter: a symbol of its own name."""
    type_facts = cx.frame.type_facts
    kind: SymbolKind = "tile" if path in type_facts.steps or path in type_facts.sweeps else "size"
    if kind == "size" and path not in type_facts.loop_bounds:
        kind = "int"
    name = path.replace(".", "_")
    fact = cx.facts.scalars.get(path) or cx.facts.scalars.get(name)
    if fact is not None and not fact.is_float:
        cx.builder.values.setdefault(name, fact.value)
    if name in cx.builder.symbols:
        return Scalar(dtype, symbol(name), weak=True)
    return Scalar(dtype, cx.builder.symbol(name, kind, f"the parameter {path}", line), weak=True)


def make_array(
    cx: Context, path: str, line: int, role: ArrayRole, fact: ArrayFact | None, kind: ParameterType | None
) -> View:
    """An array from outside: its element type, rank and layout by binding, signature and use, in that order."""
    type_facts = cx.frame.type_facts
    ndim = type_facts.ranks.get(path, 1)
    if fact is not None and fact.shape is not None:
        ndim = len(fact.shape)
    elif kind is not None and kind.ndim is not None:
        ndim = kind.ndim
    told = (fact is not None and fact.shape is not None) or (kind is not None and kind.ndim is not None)
    lying = () if told or type_facts.layout is None else extents(path, type_facts.layout)
    rows = bool(lying) and type_facts.layout == PARTS and ndim == 1
    if (len(lying) == ndim or rows) and not any(name in type_facts.integers for name, _ in lying):
        return _of_any_rank(cx, path, line, role, fact, kind, lying)
    if fact is None and (kind is None or kind.ndim is None) and path in type_facts.assumed_ranks:
        cx.builder.assume(
            f"{path} has {ndim} dimension{'s' * (ndim > 1)} (as line {type_facts.assumed_ranks[path]} reads)"
        )
        if cx.compiled and path in type_facts.possible_scalars:
            _may_be_number(cx, type_facts.assumed_ranks[path])
    dtype = _element_type(cx, path, fact, kind)
    shape = tuple(_extent(cx, path, d, line, fact, kind) for d in range(ndim))
    fortran = fact.fortran if fact is not None else kind is not None and kind.order == "F"
    strides = f_strides(shape) if fortran else c_strides(shape)
    array = cx.builder.array(Array(path, dtype, shape, strides, role, line))
    return entire_view(array)


def _may_be_number(cx: Context, line: int) -> None:
    """A parameter of a compiled function that is an array only because ``np.sqrt`` or its like is called with it."""
    cx.builder.reason(line, "parameters may be numbers or arrays: the traffic is an estimate", "open")
    cx.builder.reason(line, "parameters may be numbers or arrays: the work of numbers is that of one element", "upper")


def _of_any_rank(
    cx: Context, path: str, line: int, role: ArrayRole, fact: ArrayFact | None, kind: ParameterType | None,
    lying: tuple[tuple[str, str], ...],
) -> View:  # fmt: skip
    """An array of as many dimensions as there may be: the extents that count, in C order."""
    dtype = _element_type(cx, path, fact, kind)
    if path in cx.frame.type_facts.scalars_or_arrays:
        return _open_array(cx, path, line, role, dtype)
    shape = tuple(_named_extent(cx, path, d, name, meaning, line) for d, (name, meaning) in enumerate(lying))
    return entire_view(cx.builder.array(Array(path, dtype, shape, c_strides(shape), role, line)))


def _open_array(cx: Context, path: str, line: int, role: ArrayRole, dtype: DType) -> View:
    """A parameter that may be a number: of the shape that all of them have in the usual reading."""
    broadcast_sizes = cx.builder.broadcast_sizes
    for name in cx.frame.type_facts.scalars_or_arrays:
        broadcast_sizes.open(name)
    shape = (cx.builder.broadcast_size(broadcast_sizes.common, line),)
    array = cx.builder.array(Array(path, dtype, shape, (ONE,), role, line))
    broadcast_sizes.arrays[array.name] = frozenset((path,))
    return entire_view(array)


def _named_extent(cx: Context, path: str, dimension: int, name: str, meaning: str, line: int) -> Expr:
    """As the source names it, else by ``name``."""
    type_facts = cx.frame.type_facts
    said = type_facts.size_names.get((path, dimension))
    own = said is not None and said not in cx.builder.symbols and said not in type_facts.integer_parameters
    kind: SymbolKind = "tile" if type_facts.layout == PARTS and dimension else "size"
    extent = cx.builder.symbol(said if own and said is not None else name, kind, meaning, line)
    cx.builder.extents |= extent.symbols
    cx.builder.named_extents |= extent.symbols if own else frozenset()
    return extent


def entire_view(array: Array, *, temporary: bool = False) -> View:
    """A view of a whole array."""
    axes = tuple(Axis(Expr.of(0), d) for d in range(len(array.shape)))
    return View(array.name, array.dtype, array.shape, axes, temporary)


def _element_type(cx: Context, path: str, fact: ArrayFact | None, kind: ParameterType | None) -> DType:
    if fact is not None:
        return fact.dtype
    if kind is not None and kind.dtype is not None:
        return kind.dtype
    type_facts = cx.frame.type_facts
    dtype = I8 if path in type_facts.index_arrays and path not in type_facts.value_arrays else F8
    cx.builder.assume(f"{path} is {'int64 (it is used as an index)' if dtype == I8 else 'float64 (default)'}")
    return dtype


def _extent(
    cx: Context, path: str, dimension: int, line: int, fact: ArrayFact | None, kind: ParameterType | None
) -> Expr:
    """The extent of one dimension: as a fact, the source or a signature names it, else a symbol of its own."""
    said = fact.shape[dimension] if fact is not None and fact.shape is not None else None
    if said is not None and (said.symbols or said.constant == 1):
        for name in sorted(said.symbols - cx.builder.symbols.keys()):
            cx.builder.symbol(name, "size", f"a size of {path}", line)
        return said
    if said is None and kind is not None and kind.dims is not None and dimension < len(kind.dims):
        dim = kind.dims[dimension]
        if isinstance(dim, int):
            return Expr.of(dim)
        return _shared_size(cx, dim, path, dimension, line)
    meaning = f"{path}.shape[{dimension}]"
    extent = _own_extent(cx, path, dimension, meaning, line)
    cx.builder.extents |= extent.symbols
    if said is not None and said.constant is not None:
        cx.builder.values.update(dict.fromkeys(extent.symbols, said.constant))
    return extent


def _own_extent(cx: Context, path: str, dimension: int, meaning: str, line: int) -> Expr:
    type_facts = cx.frame.type_facts
    name = type_facts.size_names.get((path, dimension))
    if name is not None and name not in cx.builder.symbols and name not in type_facts.integer_parameters:
        extent = cx.builder.symbol(name, "size", meaning, line)
        cx.builder.named_extents |= extent.symbols
        return extent
    return cx.builder.symbol(f"{path}_shape_{dimension}", "size", meaning, line)


def _shared_size(cx: Context, name: str, path: str, dimension: int, line: int) -> Expr:
    """A dimension named in a signature's layout or annotation: equal names are equal sizes."""
    known = cx.builder.symbols.get(name)
    if known is not None and known.kind == "size":
        return symbol(name)
    return cx.builder.symbol(name, "size", f"{path}.shape[{dimension}]", line)
