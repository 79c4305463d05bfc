"""Structured element types: records of named fields, each at its own offset."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType

PADDING = "(padding)"


@dataclass(frozen=True)
class Field:
    """A field: a number, a record, or an array of either with ``shape``. ``offset`` is in bytes."""

    name: str
    dtype: DType
    offset: int
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return self.dtype.size * prod(self.shape)

    @property
    def elements(self) -> Iterator[tuple[int, ...]]:
        """The subscripts of its elements in C order."""
        return product(*map(range, self.shape))


@dataclass(frozen=True)
class RecordType(DType):
    """A structured type. ``code`` is its name in the source, or NumPy's: ``V40``."""

    fields: tuple[Field, ...] = ()
    step: int = 1  # bytes: the alignment of its offset in an aligned record

    @property
    def name(self) -> str:
        return self.code

    def field(self, name: str) -> Field | None:
        return next((field for field in self.fields if field.name == name), None)

    @property
    def all_bytes(self) -> tuple[Field, ...]:
        """The fields in order of their places, and the padding between and behind them: what a copy moves."""
        ordered = sorted(self.fields, key=lambda field: field.offset)
        ends = [0]
        for field in ordered:
            ends.append(max(ends[-1], field.offset + field.size))
        gaps = zip(ends, [*(field.offset for field in ordered), self.size])
        padding = (Field(f"{PADDING}{a}", _bytes(b - a), a) for a, b in gaps if b > a)
        return tuple(sorted((*ordered, *padding), key=lambda field: field.offset))

    @property
    def overlaps(self) -> bool:
        """Whether fields share bytes."""
        ordered = sorted(self.fields, key=lambda field: field.offset)
        return any(b.offset < a.offset + a.size for a, b in pairwise(ordered))


def _bytes(size: int) -> DType:
    return DType(f"V{size}", size, "int", None)


def record_type(fields: Sequence[Field], size: int, name: str = "", step: int = 1) -> RecordType:
    return RecordType(name or f"V{size}", size, "record", None, tuple(fields), step)


def packed(parts: Sequence[tuple[str, DType, tuple[int, ...]]], *, align: bool = False, name: str = "") -> RecordType:
    """The record of fields one behind the other; with ``align``, each at a multiple of what C aligns it to."""
    fields: list[Field] = []
    end, widest = 0, 1
    for label, dtype, shape in parts:
        step = alignment(dtype) if align else 1
        widest = max(widest, step)
        fields.append(Field(label, dtype, -(-end // step) * step, shape))
        end = fields[-1].offset + fields[-1].size
    return record_type(fields, -(-end // widest) * widest, name, widest)


def alignment(dtype: DType) -> int:
    """The multiple of bytes at which C places it: a complex number is two reals."""
    if isinstance(dtype, RecordType):
        return dtype.step
    return dtype.size // 2 if dtype.kind == "complex" else dtype.size
