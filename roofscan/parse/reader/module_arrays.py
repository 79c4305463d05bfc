"""Arrays of a module: ``OFFSETS = np.array([0, 1])`` or ``np.float64((0, 1))`` tell element types and extents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from operator import add, mul, sub, truediv
from typing import Any

from roofscan.ir.dtypes import C16, F8, I8, DType, weak_type
from roofscan.parse.reader.decorators import constant
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import UNKNOWN, Order, ParameterType, element_type
from roofscan.parse.syntax import (
    Assign,
    Attribute,
    AugAssign,
    Binary,
    Call,
    Expression,
    For,
    Literal,
    Name,
    Sequence,
    Slice,
    Statement,
    Subscript,
    Unary,
)
from roofscan.parse.syntax_walk import walk_all

_MAX_DEPTH = 8  # how deeply the lists of an array may be nested

_OF_LISTS = frozenset({"numpy.array", "numpy.asarray"})
_CHANGES = frozenset({"reshape", "astype"})
_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul, "/": truediv}
_TURNED: Mapping[Order, Order] = {"C": "F", "F": "C", "A": "A"}
_SQUARE = frozenset({"numpy.eye", "numpy.identity"})
_OF_EXTENTS = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty"})


def module_array(module: Module, name: str) -> ParameterType:
    """The type of an array that a module makes once of literals; ``UNKNOWN`` for anything else."""
    return _made(module, module.constants.get(name))


def _made(module: Module, made: Expression | None) -> ParameterType:
    if isinstance(made, Binary) and made.op in _ARITHMETIC:
        return _computed(module, made)
    if isinstance(made, Attribute) and made.name == "T":
        base = _made(module, made.base)
        return base if base.dims is None else replace(base, dims=base.dims[::-1], order=_TURNED[base.order])
    if not isinstance(made, Call) or not made.args:
        return UNKNOWN
    if isinstance(made.function, Attribute) and made.function.name in _CHANGES:
        return _changed(module, made, made.function)
    origin, extents, dtype = module.resolve(made.function), None, None
    scalar_type = element_type(made.function, module) if (origin or "").startswith("numpy.") else None
    if origin in _OF_LISTS or scalar_type is not None:
        extents, dtype = _extents_of_list(made.args[0], module), _type_of_items(made.args[0], module)
    elif origin in _OF_EXTENTS:
        extents, dtype = _extents(made.args[0], module), F8
    elif origin == "numpy.arange" and len(made.args) == 1:
        extents, dtype = _extents(made.args[0], module), I8
    elif origin == "numpy.linspace" and len(made.args) == 3 and not made.keywords:
        return _of_extents(_extents(made.args[2], module))
    elif origin in _SQUARE and len(made.args) == 1 and not made.keywords:
        return _of_extents(_extents(Sequence(made.place, "tuple", made.args * 2), module))
    if not extents or dtype is None:
        return UNKNOWN
    said = next((k.value for k in made.keywords if k.name == "dtype"), made.args[1] if len(made.args) > 1 else None)
    given = scalar_type or (dtype if said is None else element_type(said, module))
    return ParameterType("array", given, len(extents), dims=extents)


def _of_extents(extents: tuple[int, ...] | None) -> ParameterType:
    return ParameterType("array", F8, len(extents), dims=extents) if extents else UNKNOWN


def _changed(module: Module, call: Call, method: Attribute) -> ParameterType:
    """``np.arange(9).reshape(3, 3)``, ``np.array([1, 2]).astype(np.float32)``."""
    base = _made(module, method.base)
    if base.kind != "array" or base.dims is None or call.keywords:
        return UNKNOWN
    if method.name == "astype":
        dtype = element_type(call.args[0], module)
        return replace(base, dtype=dtype) if dtype is not None else UNKNOWN
    shape = call.args[0] if len(call.args) == 1 else Sequence(call.place, "tuple", call.args)
    extents = _extents(shape, module)
    if not extents or prod(extents) != prod(base.dims):
        return UNKNOWN
    return replace(base, ndim=len(extents), dims=extents, order="C")


def _computed(module: Module, made: Binary) -> ParameterType:
    """``np.array([1, 4, 6, 4, 1]) / 16.0``: an array and a number."""
    one, other = (made.left, made.right) if _number(made.right, module) is not None else (made.right, made.left)
    base, number = _made(module, one), _type_of_items(other, module)
    if base.kind != "array" or base.dtype is None or number is None or _number(one, module) is not None:
        return UNKNOWN
    dtype = weak_type(number, base.dtype)
    return replace(base, dtype=F8 if made.op == "/" and not dtype.counts else dtype)


def integer_at(module: Module, made: Expression | None, place: Iterable[int]) -> int | None:
    """The integer at a place of a nested tuple, or of an array, that is made of literals."""
    items = made
    if isinstance(made, Call):
        items = made.args[0] if made.args and module.resolve(made.function) in _OF_LISTS else None
    for index in place:
        if not isinstance(items, Sequence) or not 0 <= index < len(items.items):
            return None
        items = items.items[index]
    number = None if items is None or isinstance(items, Sequence) else _number(items, module)
    return number if isinstance(number, int) else None


def local_tables(body: tuple[Statement, ...]) -> dict[str, Call]:
    """The arrays that a function makes of lists and only reads, one element at a time, by name."""
    made: dict[str, Call] = {}
    reads: Counter[str] = Counter()
    stores: set[int] = set()
    for node in walk_all(body):
        if isinstance(node, Assign) and isinstance(node.value, Call) and node.value.args:
            target = node.targets[0]
            if isinstance(target, Name) and len(node.targets) == 1 and isinstance(node.value.args[0], Sequence):
                reads[target.id] += target.id not in made
                made[target.id] = node.value
        if isinstance(node, (Assign, AugAssign, For)):
            stores.update(map(id, _flat(node.targets if isinstance(node, Assign) else (node.target,))))
        elif isinstance(node, Subscript) and isinstance(node.base, Name) and id(node) not in stores:
            rank = _depth(made[node.base.id].args[0]) if node.base.id in made else 0
            reads[node.base.id] += len(node.items) == rank and not any(isinstance(i, Slice) for i in node.items)
        elif isinstance(node, Call) and isinstance(node.function, Name) and node.function.id == "len":
            reads.update(arg.id for arg in node.args if isinstance(arg, Name))
        elif isinstance(node, Attribute) and isinstance(node.base, Name) and node.name in ("shape", "size"):
            reads[node.base.id] += 1
    names = Counter(node.id for node in walk_all(body) if isinstance(node, Name)) if made else reads
    return {name: call for name, call in made.items() if names[name] == reads[name]}


def _flat(targets: Iterable[Expression]) -> Iterator[Expression]:
    for target in targets:
        yield from _flat(target.items) if isinstance(target, Sequence) else (target,)


def _depth(items: Expression) -> int:
    return 1 + _depth(items.items[0]) if isinstance(items, Sequence) and items.items else 0


def _extents_of_list(items: Expression, module: Module, depth: int = _MAX_DEPTH) -> tuple[int, ...] | None:
    """The extents of nested lists of numbers; None where they are ragged or hold something else."""
    if not isinstance(items, Sequence):
        return () if _number(items, module) is not None else None
    inner = {_extents_of_list(item, module, depth - 1) for item in items.items} if depth else {None}
    first = next(iter(inner), None)
    return None if len(inner) != 1 or first is None else (len(items.items), *first)


def _type_of_items(items: Expression, module: Module) -> DType | None:
    """The type that NumPy finds for the numbers in nested lists."""
    if not isinstance(items, Sequence):
        number = _number(items, module)
        kinds: tuple[tuple[type, DType], ...] = ((bool, I8), (int, I8), (float, F8), (complex, C16))
        return next((dtype for kind, dtype in kinds if isinstance(number, kind)), None)
    found = {_type_of_items(item, module) for item in items.items}
    return None if None in found else next((dtype for dtype in (C16, F8, I8) if dtype in found), None)


def _extents(shape: Expression, module: Module) -> tuple[int, ...] | None:
    """The extents of ``np.zeros((3, K))`` as numbers; None where one is not."""
    items = shape.items if isinstance(shape, Sequence) else (shape,)
    numbers = [_number(item, module) for item in items]
    extents = tuple(n for n in numbers if isinstance(n, int) and not isinstance(n, bool) and n > 0)
    return extents if len(extents) == len(numbers) else None


def _number(value: Expression, module: Module) -> int | float | complex | None:
    value = constant(value, module)
    if isinstance(value, Unary) and value.op == "-":
        inner = _number(value.operand, module)
        return None if inner is None else -inner
    if isinstance(value, Binary) and value.op in _ARITHMETIC:
        left, right = _number(value.left, module), _number(value.right, module)
        both = left is not None and right is not None and (right or value.op != "/")
        return _ARITHMETIC[value.op](left, right) if both else None
    return value.value if isinstance(value, Literal) and isinstance(value.value, (int, float, complex)) else None
