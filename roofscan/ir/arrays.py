"""Arrays: the memory of a kernel. Shapes and strides are in elements, the places of fields in records in bytes."""

from __future__ import annotations

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType
from roofscan.ir.kinds import ArrayRole
from roofscan.ir.launch import GLOBAL, MemorySpace
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class Interleaving:
    """Where a field lies in an array of records: ``offset`` bytes into each record, of ``size`` bytes. Its first
    ``ndim`` subscripts are those of the record."""

    records: str  # the array
    offset: int
    size: int
    ndim: int


@dataclass(frozen=True)
class Array:
    """One stretch of memory that starts on a cache line of its own, or a field of records. ``shape`` is in elements,
    ``strides`` in elements per step of each subscript (C order by default). ``fresh_in`` names the loop variables in
    whose every iteration it is fresh memory (an allocation in a loop). A view has no Array: its accesses name the array
    it shows, with their subscripts worked out. A reshaped view keeps its own shape as a second Array with the same
    ``buffer``."""

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    role: ArrayRole
    line: int
    fresh_in: tuple[str, ...] = ()
    buffer: str = ""  # the name of the memory; "" = its own name
    live_out: bool = True  # False: it is not seen outside (a local that is not returned)
    record: Interleaving | None = None  # of a field, whose strides may be fractions
    space: MemorySpace = GLOBAL
    made_in: tuple[str, ...] = ()  # the loops that allocate it anew, where allocators hand its block back
    text: str = ""  # of a temporary: the expression of the source that it holds, for people
    any_stride: bool = False  # a signature such as f8[:] has Numba compile for any strides
    for_views: bool = False  # and so does a written layout "A", which asks for it
    in_words: bool = False  # of records without fields: its last axis is their words

    @property
    def memory(self) -> str:
        """Arrays of other memory share no elements with it."""
        return self.buffer or self.name

    @property
    def owner(self) -> str:
        """The array of the source that its movement is charged to. Arrays of other owners share no cache lines with it:
        fields of records and reshaped views have the owner of their records and of their base."""
        return self.record.records if self.record else self.memory

    @property
    def is_made(self) -> bool:
        """Whether the kernel allocates it."""
        return self.role in ("local", "temporary")

    @property
    def is_live(self) -> bool:
        """Whether its data come from outside, or leave."""
        return self.role in ("parameter", "global") or self.live_out

    @property
    def straddles(self) -> bool:
        """Whether an element may begin in one line and end in the next."""
        return self.record is not None and bool(
            self.record.size % self.dtype.size or self.record.offset % self.dtype.size
        )
