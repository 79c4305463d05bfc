"""Types as people write them in signatures and annotations -> ParameterType. Nothing is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal as OneOf

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import B1, C16, F8, I8, DType, lookup
from roofscan.parse.reader.convert import convert_expression
from roofscan.parse.reader.decorators import constant
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.record_types import RecordReader
from roofscan.parse.reader.source import SourceError
from roofscan.parse.syntax import Attribute, Binary, Call, Expression, Literal, Name, Slice, Subscript
from roofscan.parse.syntax_walk import dotted_path
from roofscan.parse.unparse import unparse

Order = OneOf["C", "F", "A"]


@dataclass(frozen=True)
class ParameterType:
    """What the source says of a parameter. ``order`` is the layout: "A" where a Numba signature allows any strides.
    ``dims`` are extents, by number or name."""

    kind: OneOf["array", "scalar", "mapping", "text", "unknown"]  # mapping: a dict or a set
    dtype: DType | None = None
    ndim: int | None = None
    order: Order = "C"
    dims: tuple[int | str, ...] | None = None
    documented: bool = False  # only the docstring says it
    strided: bool = False  # the layout "A" is written out


UNKNOWN = ParameterType("unknown")

PYTHON_SCALARS = {"float": F8, "int": I8, "bool": B1, "complex": C16}

ARRAY_NAMES = frozenset(("ndarray", "NDArray", "Array", "ArrayType", "DeviceNDArray", "matrix", "recarray"))
"""Last parts of names that mean an array whose element type is not said."""

MAPPINGS = frozenset((
    "dict", "Dict", "DictType", "Mapping", "MutableMapping", "defaultdict", "OrderedDict", "set", "Set", "frozenset",
))  # fmt: skip
"""Last parts of names of what is subscripted by keys, or by nothing."""

WRAPPERS = frozenset(("Optional", "Annotated", "Final", "ClassVar", "Required", "NotRequired"))
"""Type forms that mean their first argument."""

JAXTYPING = {
    "Float": None, "Float64": "f8", "Float32": "f4", "Float16": "f2", "BFloat16": "bf2", "Complex": None,
    "Complex128": "c16", "Complex64": "c8", "Int": None, "Int64": "i8", "Int32": "i4", "Int16": "i2",
    "Int8": "i1", "UInt": None, "UInt64": "u8", "UInt32": "u4", "UInt16": "u2", "UInt8": "u1", "Bool": "b1",
    "Integer": None, "Inexact": None, "Real": None, "Num": None, "Shaped": None,
}  # fmt: skip
"""jaxtyping's names -> the element type's code, None where the name leaves it open."""

_DEPTH = 12  # aliases of aliases, types in types


def read_type(expression: Expression | None, module: Module, depth: int = _DEPTH) -> ParameterType:
    """The type that a signature's part or an annotation writes; ``UNKNOWN`` for a form that is not known."""
    if expression is None or depth <= 0:
        return UNKNOWN
    if isinstance(expression, Literal):
        return _read_text(expression.value, module, depth)
    if isinstance(expression, (Name, Attribute)):
        return _read_name(expression, module, depth)
    if isinstance(expression, Subscript):
        return _read_subscript(expression, module, depth)
    if isinstance(expression, Call):
        return _read_call(expression, module)
    if isinstance(expression, Binary) and expression.op == "|":
        sides = [s for s in (expression.left, expression.right) if not _is_none(s)]
        return read_type(sides[0], module, depth - 1) if len(sides) == 1 else UNKNOWN
    return UNKNOWN


def parsed(text: str) -> Expression | None:
    """The expression in a type's text; None where it is none."""
    try:
        return convert_expression(text)
    except SourceError:
        return None


def element_type(expression: Expression, module: Module, depth: int = _DEPTH) -> DType | None:
    """The element type that a name means: ``np.float32``, ``float``, ``"f4"``, ``np.dtype[np.float32]``, a record."""
    if depth <= 0:
        return None
    if isinstance(expression, Literal):
        return _lookup(expression.value) if isinstance(expression.value, str) else None
    if isinstance(expression, Subscript) and _last(expression.base) == "dtype":
        return element_type(expression.items[0], module, depth - 1)
    alias = constant(expression, module)
    if isinstance(alias, Call):
        inner = alias.args[0] if _last(alias.function) in ("dtype", "from_dtype") and alias.args else None
        plain = element_type(inner, module, depth - 1) if inner is not None else None
        return plain if plain and plain.kind != "record" else RECORDS.read(expression, module)
    if alias is not expression:
        return element_type(alias, module, depth - 1)
    name = _last(expression)
    return PYTHON_SCALARS.get(name) or _lookup(name) or RECORDS.read(expression, module)


RECORDS = RecordReader(element_type)


def _lookup(name: str) -> DType | None:
    return lookup(name) if name != "void" else None


def _last(expression: Expression) -> str:
    return (dotted_path(expression) or "").rpartition(".")[2]


def _is_none(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _read_text(value: object, module: Module, depth: int) -> ParameterType:
    expression = parsed(value) if isinstance(value, str) else None
    return UNKNOWN if isinstance(expression, Literal) else read_type(expression, module, depth - 1)


def _read_name(expression: Name | Attribute, module: Module, depth: int) -> ParameterType:
    alias = constant(expression, module)
    if isinstance(alias, Call) and (record := RECORDS.read(expression, module)):
        return ParameterType("scalar", record, 0)
    if alias is not expression:
        return read_type(alias, module, depth - 1)
    if _last(expression) in ARRAY_NAMES:
        return ParameterType("array")
    if _last(expression) in MAPPINGS:
        return ParameterType("mapping")
    if _last(expression) in ("str", "unicode_type"):
        return ParameterType("text")
    dtype = element_type(expression, module)
    return ParameterType("scalar", dtype, 0) if dtype else UNKNOWN


def _read_subscript(expression: Subscript, module: Module, depth: int) -> ParameterType:
    name, items = _last(expression.base), expression.items
    if all(isinstance(item, Slice) for item in items):
        return _numba_array(expression, module, depth)
    if name in WRAPPERS:
        return read_type(items[0], module, depth - 1)
    if name in MAPPINGS:
        return ParameterType("mapping")
    if name == "Union":
        kinds = [item for item in items if not _is_none(item)]
        return read_type(kinds[0], module, depth - 1) if len(kinds) == 1 else UNKNOWN
    if name == "NDArray" and len(items) == 1:
        return ParameterType("array", element_type(items[0], module))
    if name in ("ndarray", "NDArray") and len(items) == 2:
        return ParameterType("array", element_type(items[1], module), _shape_length(items[0]))
    if name in JAXTYPING and len(items) == 2:
        return _jaxtyped(name, items[1])
    if (dtype := element_type(expression.base, module)) and all(map(_is_extent, items)):
        return ParameterType("array", dtype, len(items), dims=_dims([unparse(item) for item in items]))
    alias = constant(expression.base, module)
    if alias is not expression.base:  # Array[np.float64] of a generic alias: an array at least
        return replace(read_type(alias, module, depth - 1), dtype=None, dims=None)
    return UNKNOWN


def _numba_array(expression: Subscript, module: Module, depth: int) -> ParameterType:
    """``float64[:, ::1]``: any layout, unless the first or the last step is 1."""
    base = read_type(expression.base, module, depth - 1)
    if base.kind != "scalar":
        return ParameterType("array", None, len(expression.items), "A")
    first, last = (_is_one(item.step) for item in _ends(expression.items))
    order: Order = "C" if last else "F" if first else "A"
    return ParameterType("array", base.dtype, len(expression.items), order)


def _ends(items: tuple[Expression, ...]) -> list[Slice]:
    return [item for item in (items[0], items[-1]) if isinstance(item, Slice)]


def _is_one(step: Expression | None) -> bool:
    return isinstance(step, Literal) and step.value == 1


def _shape_length(shape: Expression) -> int | None:
    """The number of dimensions that ``tuple[int, int]`` means."""
    if not isinstance(shape, Subscript) or _last(shape.base).lower() != "tuple":
        return None
    is_open = any(isinstance(item, Literal) and item.value is ... for item in shape.items)
    return None if is_open else len(shape.items)


def _jaxtyped(name: str, shape: Expression) -> ParameterType:
    """``Float64[Array, "n m"]``: named and numbered dims; ``...`` and ``*batch`` leave their number open."""
    if not isinstance(shape, Literal) or not isinstance(shape.value, str):
        return ParameterType("array", _code(name))
    words = [word.partition("=")[2] or word for word in shape.value.split()]
    if any(word == "..." or "*" in word for word in words):
        return ParameterType("array", _code(name))
    if not words:
        return ParameterType("scalar", _code(name), 0)
    return ParameterType("array", _code(name), len(words), dims=_dims(words))


def _code(name: str) -> DType | None:
    code = JAXTYPING[name]
    return lookup(code) if code else None


def _is_extent(item: Expression) -> bool:
    """Of ``f8[n, 3]``, as in a pragma."""
    return isinstance(item, (Name, Slice)) or (isinstance(item, Literal) and type(item.value) is int)


def _dims(words: Sequence[str]) -> tuple[int | str, ...] | None:
    known = tuple(dim for word in words if (dim := _dim(word)) is not None)
    return known if len(known) == len(words) else None


def _dim(word: str) -> int | str | None:
    if word.isascii() and word.isdigit() and len(word) <= 18:
        return int(word)
    return word if word.isidentifier() and word != "_" else None


def _read_call(expression: Call, module: Module) -> ParameterType:
    """``types.Array(float64, 2, "C")``; ``Optional(float64)`` and other calls are not known."""
    if _last(expression.function) not in ("Array", "array"):
        record = element_type(expression, module) if _last(expression.function) not in MAPPINGS else None
        if record is not None:
            return ParameterType("scalar", record, 0)
        return ParameterType("mapping") if _last(expression.function) in MAPPINGS else UNKNOWN
    named = {keyword.name: keyword.value for keyword in expression.keywords}
    given = dict(zip(("dtype", "ndim", "layout"), expression.args)) | named
    ndim, layout, dtype = given.get("ndim"), given.get("layout"), given.get("dtype")
    written = layout.value if isinstance(layout, Literal) else None
    order: Order = "C" if written == "C" else "F" if written == "F" else "A"
    return ParameterType(
        kind="array",
        dtype=element_type(dtype, module) if dtype is not None else None,
        ndim=ndim.value if isinstance(ndim, Literal) and type(ndim.value) is int else None,
        order=order,
        strided=written == "A",
    )
