"""A machine as plain data: what its files say. Units: FLOP/s, bytes/s, bytes, seconds, cycles as said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field

from roofscan.frozen import dataclass


class MachineError(Exception):
    """A machine that cannot be found or read. The text is one line: the file, the key, and what to do."""


def nearest(name: str, known: Iterable[str]) -> str:
    """What ``name`` may have been meant to be, as the end of a message, or nothing."""
    from difflib import get_close_matches  # only when something went wrong

    close = get_close_matches(name, list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""


RATES = ("fma", "plain", "div", "sqrt", "special")  # the classes of operations that have a throughput of their own


@dataclass(frozen=True)
class Sourced:
    """A number and where it comes from. ``achieved`` stands beside a nameplate value, used if given."""

    nameplate: float | None
    achieved: float | None
    source: str

    @property
    def value(self) -> float:
        number = self.achieved if self.achieved is not None else self.nameplate
        if number is None:
            raise ValueError("a machine's number has neither a nameplate nor an achieved value")
        return number


@dataclass(frozen=True)
class Level:
    """A cache or memory. ``bandwidth`` is what it *serves* to the level above, for one core and for all."""

    name: str  # "L1", "L2", "L3", "DRAM", "HBM"
    capacity: int | None  # bytes, of one instance; None: memory
    line: int
    bandwidth_core: Sourced | None
    bandwidth_all: Sourced | None
    shared_by: int = 1  # cores that share one instance
    exclusive: bool = False  # a victim cache: holds what the level above evicted
    source: str = ""  # where capacity, line and sharing come from
    prices: Mapping[str, Sourced] = field(default_factory=dict)  # s per line: line_load, line_fill, line_writeback


@dataclass(frozen=True)
class Throughput:
    """One precision of one unit. Rates in operations per second at the given width, for one core and for all. ``fma``:
    FLOP/s where every operation is half of a fused multiply-add (the peak); ``plain``: FLOP/s of adds and
    multiplications that do not pair; ``div``, ``sqrt``, ``special``: operations per second."""

    precision: str  # fp64, fp32, fp16, bf16, …
    unit: str  # "vector" or "tensor"
    fma: Sourced
    plain: Sourced
    div: Sourced
    sqrt: Sourced
    special: Sourced
    cores: int  # how many cores reach the figures together

    def rate(self, name: str) -> Sourced:
        """One of :data:`RATES` by its name; KeyError for any other."""
        return dict(zip(RATES, (self.fma, self.plain, self.div, self.sqrt, self.special), strict=True))[name]


@dataclass(frozen=True)
class Timing:
    """Cycles of the machine's clock and seconds, as said."""

    load: Sourced  # seconds that loads of 64 bytes from L1 take in vector code
    store: Sourced
    store_masked: Sourced  # of stores of 64 bytes under masks
    issue: Sourced  # operations of scalar code a cycle
    window: Sourced  # operations that wait for one another while younger ones run (Karkhanis and Smith, ISCA 2004)
    forward: Sourced  # cycles from a store to the load of the same element
    start_vector: Sourced  # cycles that entering a vector loop takes
    start_scalar: Sourced
    call: Sourced  # seconds of a call
    call_array: Sourced  # seconds more for each array argument
    call_result: Sourced  # seconds more for each array that it returns
    fork: Sourced  # seconds of a parallel region
    allocate: Sourced  # seconds that making an array takes, and as much to return it
    mispredict: Sourced  # cycles that a branch misprediction takes
    integer_division: Sourced  # cycles of a quotient or remainder of integers
    integer_vector: Sourced  # operations on integers of 64 bits a cycle in vector code; on shorter ones as many more
    integer_product: Sourced  # products of integers of 64 bits a cycle there
    forward_integer: Sourced  # cycles from a store of an integer to the load of the same element
    load_latency: Sourced  # cycles from an integer to the element of the nearest cache that it is the subscript of
    convert: Sourced  # cycles in which scalar code makes a number of floating point of an integer, or of another width
    convert_short: Sourced  # the same, of an integer of 8 or 16 bits
    convert_long: Sourced  # cycles in which vector code makes a number of floating point of an integer of 64 bits
    alone: Sourced  # of the rate of additions and multiplications together, what one of them reaches alone
    overlap: Sourced  # of the time of loads and stores, what runs beside transfers from beyond the second cache
    exposed: Sourced  # of the time of lines from memory, what code that takes longer than they do does not hide
    page: Sourced  # bytes
    fault: Sourced  # seconds of the first touch of a page of memory that the system has just given
    tlb1_pages: Sourced  # pages whose addresses the first table of translations holds
    tlb1: Sourced  # seconds of a miss there that hits the second table
    conflict_load: Sourced  # seconds more of a load from a set of the nearest cache that a walk of 64 lines overflows
    conflict_store: Sourced
    conflict_far_load: Sourced  # the same, from a set of the second cache that overflows too
    conflict_far_store: Sourced
    apart: Sourced  # seconds more of a line of the second cache that no neighbour announces: on a page of its own
    tlb2_pages: Sourced
    walk: Sourced  # seconds of a miss in both
    given: bool  # whether the file has the table
    measured: bool  # whether some of its figures are


@dataclass(frozen=True)
class Machine:
    name: str
    description: str
    kind: str  # "cpu" or "gpu"
    cores: int
    clock: Sourced  # Hz, as sustained in vector code
    write_allocate: bool
    levels: tuple[Level, ...]  # nearest first, memory last; caches before it
    core: Mapping[str, Throughput]  # precision -> one core (a GPU: empty)
    whole: Mapping[str, Throughput]  # precision -> all cores (or the device), vector units
    tensor: Mapping[str, Sourced]  # precision -> FLOP/s of matrix units, if any
    latency: Mapping[str, Sourced]  # add, mul, fma, div, sqrt, special, minmax -> cycles of a dependent one
    launch_overhead: Sourced | None  # seconds a kernel launch costs
    path: str  # the file it was read from
    timing: Timing
    scalar: Mapping[str, Throughput] = field(default_factory=dict)  # one core without vectors (a GPU: empty)
    functions: Mapping[str, Sourced] = field(default_factory=dict)  # cycles of a call
    network: Level | None = None  # beyond memory: bytes exchanged between nodes, bandwidth_all of one node
    cold: bool = False  # its caches hold no data of a kernel that is called
    nodes: int = 1  # so many such machines share the work, and exchange what each needs
    gpu: Mapping[str, Sourced] | None = None  # what a GPU's multiprocessors are like, see machine/gpu.py
    vector_bits: int = 256  # of a vector register
    source: str = ""  # where the count of cores and what else has no figure of its own come from
