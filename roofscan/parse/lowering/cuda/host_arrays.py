"""How a host function makes the arrays that it launches a kernel with: the call that allocates one, its extents and
its element type. Read from the syntax alone."""

from __future__ import annotations

from roofscan.ir.dtypes import F8, DType
from roofscan.parse.lowering.cuda.class_sizes import made_in_class
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import element_type
from roofscan.parse.syntax import Assign, Attribute, Call, Expression, Function, Name, Sequence
from roofscan.parse.syntax_walk import dotted_path, target_names, walk

TRANSFERS = frozenset(("to_device", "as_cuda_array", "asarray", "ascontiguousarray", "array"))
"""Calls that give the array that they are given, elsewhere."""
TYPE_AT = {
    "zeros": 1, "ones": 1, "empty": 1, "full": 2, "arange": None, "array": 1, "asarray": 1, "ascontiguousarray": 1,
    "device_array": 1, "pinned_array": 1, "mapped_array": 1, "random": None, "random_sample": None,
}  # fmt: skip
"""Calls that make an array of the shape that they are given -> where their element type stands, if not by name."""
OF_EXTENTS = frozenset(("rand", "randn"))
"""The same, of extents each given alone."""
LIKE = {
    "zeros_like": 1, "ones_like": 1, "empty_like": 1, "full_like": 2, "device_array_like": 1, "pinned_array_like": 1,
}  # fmt: skip
"""Calls that make an array as another one is -> where another element type stands."""
CONVERSIONS = frozenset(("astype", "copy"))
"""Methods that give an array of the same shape."""
OF_VALUES = frozenset(("arange", "full", "array", "asarray", "ascontiguousarray"))
"""Of these, those whose element type follows from their values."""
_DEPTH = 8  # arrays like arrays


def made_by(host: Function, name: str) -> Call | None:
    """The first call whose result a function gives this name."""
    for statement in walk(host.body):
        if isinstance(statement, Assign) and name in {n for t in statement.targets for n in target_names(t)}:
            return statement.value if isinstance(statement.value, Call) else None
    return None


def called(call: Call) -> str:
    return call.function.name if isinstance(call.function, Attribute) else dotted_path(call.function) or ""


def source(call: Call) -> Expression | None:
    """The array that a call moves or converts."""
    if called(call) in TRANSFERS and call.args:
        return call.args[0]
    if called(call) in CONVERSIONS and isinstance(call.function, Attribute):
        return call.function.base
    return None


def extents(call: Call) -> tuple[Expression, ...]:
    """Of the array that a call makes, moves or converts."""
    inner = source(call)
    if isinstance(inner, Call):
        return extents(inner)
    if called(call) in OF_EXTENTS:
        return tuple(call.args)
    named = {keyword.name: keyword.value for keyword in call.keywords}
    shape = call.args[0] if call.args else named.get("shape", named.get("size"))
    if shape is None or called(call) not in TYPE_AT:
        return ()
    return tuple(shape.items) if isinstance(shape, Sequence) else (shape,)


def passed_type(module: Module, host: Function, given: Expression, depth: int = _DEPTH) -> tuple[DType, bool] | None:
    """The element type of an argument of a launch, and whether it is an array; None where the host does not say."""
    if depth <= 0:
        return None
    if isinstance(given, Name):
        call = made_by(host, given.id)
        return None if call is None else passed_type(module, host, call, depth - 1)
    if isinstance(given, Attribute) and dotted_path(given) == f"self.{given.name}":
        made = made_in_class(module, host, given.name)
        return None if made is None else passed_type(module, *made, depth - 1)
    if not isinstance(given, Call):
        return None
    name, written = called(given), _type_argument(given)
    if written is not None:
        said = element_type(written, module)
        return None if said is None else (said, True)
    inner = given.args[0] if name in LIKE and given.args else source(given)
    if inner is not None:
        return passed_type(module, host, inner, depth - 1)
    if name in OF_EXTENTS or (name in TYPE_AT and name not in OF_VALUES):
        return F8, True
    number = element_type(given.function, module) if len(given.args) == 1 else None
    return None if number is None else (number, False)


def _type_argument(call: Call) -> Expression | None:
    """The element type that a call names."""
    named = next((keyword.value for keyword in call.keywords if keyword.name == "dtype"), None)
    place = {**TYPE_AT, **LIKE, "astype": 0}.get(called(call))
    return call.args[place] if named is None and place is not None and len(call.args) > place else named
