"""Structured element types of a module: ``np.dtype([("x", "f8"), …])`` in its forms, and Numba's ``from_dtype``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from roofscan.ir.dtypes import DType, lookup
from roofscan.ir.records import Field, RecordType, alignment, packed, record_type
from roofscan.parse.reader.decorators import constant
from roofscan.parse.reader.module import SELF, Module
from roofscan.parse.reader.package import find
from roofscan.parse.reader.resolver import KNOWN_ELSEWHERE
from roofscan.parse.syntax import Attribute, Call, Expression, Literal, Name, Place, Sequence
from roofscan.parse.syntax_walk import dict_items, dotted_path

MAX_BYTES = 1 << 20  # the longest record that is read
_DEPTH = 8  # records in records, names of names

_CODE = re.compile(r"(?:\(?(?P<shape>[0-9]+(?:,[0-9]+)*),?\)?)?(?P<code>[<>=|]?[A-Za-z?]\w*(?:\[\w+\])?)", re.ASCII)
_BYTES = re.compile(r"(?P<code>[SaUV])(?P<count>[0-9]{1,6})", re.ASCII)
_LETTERS = {
    "b": "i1", "B": "u1", "h": "i2", "H": "u2", "I": "u4", "q": "i8", "Q": "u8", "L": "u8", "e": "f2", "F": "c8",
    "D": "c16",
}  # fmt: skip
"""NumPy's one-letter codes that no other text means."""

FieldType = tuple[DType, tuple[int, ...]]
ElementType = Callable[[Expression, Module], "DType | None"]


class RecordReader:
    """Reads structured types; ``plain`` reads the types of numbers."""

    def __init__(self, plain: ElementType) -> None:
        self._plain = plain

    def read(self, written: Expression, module: Module, depth: int = _DEPTH) -> RecordType | None:
        """The type that a name, a call of ``np.dtype`` or what it takes means; None where it is no structured one."""
        if depth <= 0:
            return None
        expression, there = followed(written, module)
        found = self._read(expression, there, depth)
        if found is None or found.size > MAX_BYTES:
            return None
        name = (dotted_path(written) or "").rpartition(".")[2]
        return replace(found, code=name) if name and found.code.startswith("V") else found

    def _read(self, expression: Expression, module: Module, depth: int) -> RecordType | None:
        if isinstance(expression, Call):
            return self._of_call(expression, module, depth)
        return self._of_spec(expression, module, False, depth)

    def _of_call(self, call: Call, module: Module, depth: int) -> RecordType | None:
        origin = module.resolve(call.function) or ""
        given = {k.name: k.value for k in call.keywords} | dict(zip(("dtype", "align"), call.args))
        if origin == "numpy.dtype" and "dtype" in given:
            align = constant(given["align"], module) if "align" in given else None
            return self._of_spec(given["dtype"], module, isinstance(align, Literal) and align.value is True, depth)
        if origin.startswith("numba.") and origin.endswith(".from_dtype") and call.args:
            return self.read(call.args[0], module, depth - 1)
        if origin.startswith("numba.") and origin.endswith("Record.make_c_struct") and call.args:
            return self._of_spec(call.args[0], module, True, depth)
        return None

    def _of_spec(self, spec: Expression, module: Module, align: bool, depth: int) -> RecordType | None:
        """What ``np.dtype`` takes: a list of fields, a dict of lists, ``"f8, i4"``, or another structured type."""
        if isinstance(spec, Sequence) and spec.kind == "list":
            parts = [self._part(item, module, align, depth) for item in spec.items]
            known = [part for part in parts if part is not None]
            return packed(known, align=align) if known and len(known) == len(parts) else None
        if isinstance(spec, Literal) and isinstance(spec.value, str) and "," in spec.value:
            types = [_of_code(code) for code in re.split(r",(?![^(]*\))", spec.value.replace(" ", ""))]
            named_parts = [(f"f{n}", *kind) for n, kind in enumerate(types) if kind is not None]
            return packed(named_parts, align=align) if len(named_parts) == len(types) else None
        pairs = dict_items(spec)
        if pairs:
            lists = {k.value: v for k, v in pairs if isinstance(k, Literal) and isinstance(k.value, str)}
            return self._of_lists(lists, module, align, depth)
        value, there = followed(spec, module)
        return self.read(value, there, depth - 1) if value is not spec or isinstance(spec, Call) else None

    def _part(
        self, item: Expression, module: Module, align: bool, depth: int
    ) -> tuple[str, DType, tuple[int, ...]] | None:
        """``("x", "f8")`` or ``("pos", "f8", 3)``."""
        parts = item.items if isinstance(item, Sequence) else ()
        name = _name_of(parts[0]) if len(parts) in (2, 3) else None
        kind = self._field_type(parts[1], module, align, depth) if name else None
        shape = extents(parts[2], module) if len(parts) == 3 else ()
        return (name, kind[0], (*shape, *kind[1])) if name and kind and shape is not None else None

    def _of_lists(self, lists: Mapping[str, Expression], module: Module, align: bool, depth: int) -> RecordType | None:
        """``{"names": …, "formats": …, "offsets": …, "itemsize": …}``."""
        listed = {k: constant(v, module) for k, v in lists.items()}
        names, formats = ([*v.items] if isinstance(v := listed.get(k), Sequence) else [] for k in ("names", "formats"))
        kinds = [self._field_type(item, module, align, depth) for item in formats]
        labels = [_name_of(item) for item in names]
        parts = [(label, *kind) for label, kind in zip(labels, kinds) if label and kind]
        if not parts or not len(parts) == len(labels) == len(kinds):
            return None
        if "offsets" not in listed:
            return packed(parts, align=align)
        offsets = extents(listed["offsets"], module)
        if offsets is None or len(offsets) != len(parts):
            return None
        fields = [Field(*part[:2], offset, part[2]) for part, offset in zip(parts, offsets)]
        widest = max(alignment(field.dtype) for field in fields) if align else 1
        end = -(-max(field.offset + field.size for field in fields) // widest) * widest
        said = extents(listed["itemsize"], module) if "itemsize" in listed else ()
        return record_type(fields, max(end, *(said or (end,))), step=widest) if said is not None else None

    def _field_type(self, written: Expression, module: Module, align: bool, depth: int) -> FieldType | None:
        """``"f8"``, ``np.float32``, ``"3f4"``, ``("f8", 3)``, or a structured type."""
        if isinstance(written, Literal) and isinstance(written.value, str):
            return _of_code(written.value.replace(" ", ""))
        if isinstance(written, Sequence) and written.kind == "tuple" and len(written.items) == 2:
            inner, shape = self._field_type(written.items[0], module, align, depth), extents(written.items[1], module)
            return (inner[0], (*shape, *inner[1])) if inner and shape is not None else None
        if isinstance(written, Sequence) and depth > 0:  # a list takes on the alignment
            inside = self._of_spec(written, module, align, depth - 1)
            return None if inside is None else (inside, ())
        dtype = self.read(written, module, depth - 1) or self._plain(written, module)
        return (dtype, ()) if dtype is not None else None


def structured_types(module: Module, reader: RecordReader) -> tuple[RecordType, ...]:
    """The structured types that a module names."""
    known = module.memory.get(RecordType)
    if known is None:
        place = Place(0, 0, 0, 0)
        names = module.constants if "dtype" in module.text or "make_c_struct" in module.text else ()
        calls = (name for name in names if isinstance(module.constants[name], Call))
        found = (reader.read(Name(place, name), module) for name in calls)
        by_layout = {(t.size, t.fields): t for t in reversed([*found]) if t is not None}
        known = module.memory[RecordType] = (RecordType, tuple(by_layout.values()))
    types: tuple[RecordType, ...] = known[1]
    return types


def followed(expression: Expression, module: Module) -> tuple[Expression, Module]:
    """The value of a constant of the module, or of one that it imports from its package, and where that stands."""
    value = constant(expression, module)
    if value is not expression or not isinstance(expression, (Name, Attribute)):
        return value, module
    origin = module.resolve(expression)
    local = origin is None or origin.startswith(SELF) or origin.partition(".")[0] in KNOWN_ELSEWHERE
    found = None if origin is None or local else find(module, origin)
    if found is None or found.name not in found.module.constants:
        return expression, module
    return found.module.constants[found.name], found.module


def extents(written: Expression, module: Module) -> tuple[int, ...] | None:
    """An integer, or a tuple or list of integers; None for anything else."""
    written = constant(written, module)
    items = [constant(i, module) for i in (written.items if isinstance(written, Sequence) else (written,))]
    numbers = [i.value for i in items if isinstance(i, Literal) and type(i.value) is int and 0 <= i.value <= MAX_BYTES]
    return tuple(numbers) if len(numbers) == len(items) else None


def _of_code(text: str) -> FieldType | None:
    match = _CODE.fullmatch(text)
    if match is None:
        return None
    shape = tuple(map(int, match["shape"].split(","))) if match["shape"] else ()
    dtype = _plain_code(match["code"].lstrip("<>=|"))
    return (dtype, shape) if dtype is not None else None


def _plain_code(code: str) -> DType | None:
    if sized := _BYTES.fullmatch(code):
        size = int(sized["count"]) * (4 if sized["code"] == "U" else 1)
        return DType(code, size, "int", None)
    if code[:2] in ("M8", "m8") or code.startswith(("datetime64", "timedelta64")):
        return lookup("i8")
    return lookup(_LETTERS.get(code, code))


def _name_of(item: Expression) -> str | None:
    """A field's name; of a title and a name, the name."""
    if isinstance(item, Sequence) and len(item.items) == 2:
        item = item.items[1]
    return item.value if isinstance(item, Literal) and isinstance(item.value, str) else None
