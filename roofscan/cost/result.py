"""What costing a kernel yields: plain data between ``cost`` and ``report``.

All figures are :class:`~roofscan.symbolic.expr.Expr`, in operations, cache lines or bytes as said. They hold in the
*chamber* of the witness: the region of sizes in which every comparison that the derivation made has the same
outcome (``conditions`` lists those that are not obvious). The witness is the user's binding; for free symbols it is
a large generic size, so that unbound figures hold "as all sizes grow together".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import KernelStatus, OperationKind, PrecisionName, TouchKind, TrafficStatus
from roofscan.symbolic.expr import Expr, Number

OperationCounts = Mapping[tuple[OperationKind, PrecisionName], Expr]


@dataclass(frozen=True)
class Chain:
    """A dependence from one iteration of an innermost loop into the next: its operations cannot overlap.

    ``kinds`` lists the operations on the longest path from entry to exit, ``iterations`` how often it is
    walked. ``reduction``: the chain only accumulates (``s += …``), so a compiler may reorder it if allowed to
    (``fastmath``); ``reorderable`` says that it is both.
    """

    name: str  # the scalar, or the array whose element is carried
    line: int
    precision: PrecisionName
    kinds: Mapping[OperationKind, int]
    iterations: Expr
    reduction: bool
    reorderable: bool


@dataclass(frozen=True)
class NestCost:
    """A top-level piece of the kernel (a loop nest, or all straight-line code together as one)."""

    line: int
    parallel: bool  # runs on all cores: prange under parallel=True, or a BLAS-like call
    library: str  # the BLAS-like call that it is, or ""
    operations: OperationCounts  # (kind, precision) -> executions
    fused_pairs: Mapping[PrecisionName, Expr]  # precision -> mul+add/sub pairs that one fused multiply-add can do
    chains: tuple[Chain, ...]
    strided_innermost: bool  # an innermost loop that walks an array with a stride: no vector code
    split: bool = False  # a prange: each core has iterations of its own (a BLAS-like call: all have the same operands)


@dataclass(frozen=True)
class Movement:
    """Bytes across one interface: lines fetched for a read, fetched for a write, and written back."""

    load: Expr
    fill: Expr
    writeback: Expr


@dataclass(frozen=True)
class Traffic:
    """Movement between a cache of ``capacity`` bytes and the next level out (0: registers, every access)."""

    capacity: int
    total: Movement
    arrays: Mapping[str, Movement]
    status: TrafficStatus
    conditions: tuple[str, ...] = ()
    why: str = ""  # for bounds and unknown: the reason, with its line


@dataclass(frozen=True)
class ReuseClass:
    """Touches of lines of one array that were touched before, at one reuse distance.

    A touch hits in a cache exactly if ``distance`` (bytes, the line itself included) fits. ``count`` is in
    lines, over the whole kernel. ``place`` is the loop variable that carries the reuse, or "sequence" (a later
    sibling). ``kind`` is "touch" (decides loads and fills) or "write" (decides write-backs). Where count and
    distance depend on an outer variable, ``over`` names it with its first and last value, and the class is summed
    over the part of that range where it misses. ``between`` says whose bytes the distance is made of, by array;
    empty where it is an average.
    """

    array: str
    place: str
    line: int
    iterations_back: int
    kind: TouchKind
    count: Expr
    distance: Expr
    fill_share: Expr  # share of the touches that are writes first
    over: tuple[str, Expr, Expr] | None = None
    between: tuple[tuple[str, Expr], ...] = ()


@dataclass(frozen=True)
class Asked:
    """What a reuse analysis has been asked so far: its classes (None: not yet), and the traffic by capacity."""

    classes: tuple[ReuseClass, ...] | None
    traffic: Mapping[int, Traffic]


class Reuse(Protocol):
    """The reuse analysis of a kernel at one line size."""

    @property
    def line(self) -> int: ...

    @property
    def classes(self) -> tuple[ReuseClass, ...]: ...

    @property
    def footprint(self) -> Expr:
        """Bytes of distinct lines."""

    @property
    def status(self) -> TrafficStatus:
        """As Traffic.status, for any capacity."""

    @property
    def asked(self) -> Asked: ...

    def traffic(self, capacity: int) -> Traffic: ...


@dataclass(frozen=True)
class KernelCost:
    """Everything counted about one kernel."""

    kernel: Kernel
    status: KernelStatus
    sample_point: Mapping[str, Number]
    free: frozenset[str]  # the symbols that the user left unbound
    conditions: tuple[str, ...]
    flops: Expr
    operations: OperationCounts  # (kind, precision) -> executions
    nests: tuple[NestCost, ...]
    registers: Traffic  # capacity 0: every access counts its own bytes
    reuse: Reuse | None  # None: unsupported
    fused: KernelCost | None = None  # as Numba runs it, the operators of each expression in one loop; None: the same
