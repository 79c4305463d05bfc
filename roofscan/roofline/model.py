"""What roofscan says of one kernel on one machine: plain data that every output format reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from roofscan.cost.memory.base import ALONE, Movement, Sharing, Traffic
from roofscan.cost.result import Chain, KernelCost
from roofscan.finding import KERNEL, Subject
from roofscan.finding import Finding as Finding
from roofscan.frozen import dataclass
from roofscan.ir.kinds import BlockGroup, Bound, OtherSizes, Scope, TrafficStatus
from roofscan.machine.model import Level, Machine
from roofscan.measurement import Compared
from roofscan.remedy import Remedy
from roofscan.roofline.network import NetworkReport
from roofscan.roofline.pieces import TrafficPieces
from roofscan.roofline.time.prediction import NoTime, TimePiece, TimePrediction
from roofscan.roofline.time.speedup import Speedup
from roofscan.symbolic.expr import ZERO, Expr, Number
from roofscan.symbolic.intervals import Ranges
from roofscan.transformation import TransformationRecord

if TYPE_CHECKING:
    from roofscan.roofline.gpu.configurations import TimedConfiguration
    from roofscan.roofline.gpu.host_time import TimedStep

AdviceKind = Literal["interchange", "reorder", "tile", "fuse", "library", "precision"]

SCOPES: Mapping[Scope, str] = {"core": "one core", "socket": "all cores", "device": "whole device"}


@dataclass(frozen=True)
class Ratio:
    """FLOPs over bytes (arithmetic intensity), kept exact: numerator and denominator."""

    flops: Expr
    bytes: Expr


@dataclass(frozen=True)
class Span:
    """A figure between two bounds; one number where it is known."""

    low: float
    high: float

    @property
    def is_known(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class SymbolRanges:
    """For which values of one symbol a statement holds: inclusive ranges, None = without end."""

    symbol: str
    ranges: tuple[tuple[int, int | None], ...]
    others: OtherSizes = "grow"

    def beyond(self, small: int) -> SymbolRanges:
        """Without what ends at small sizes, and without gaps there."""
        kept = (r for r in self.ranges if r[1] is None or r[1] > small)
        return replace(self, ranges=tuple((1 if lo <= small + 1 else lo, hi) for lo, hi in kept))


@dataclass(frozen=True)
class LevelReport:
    """One interface: named after the level that serves it, with the capacity of the cache that it fills."""

    name: str
    capacity: int
    line: int
    traffic: Traffic  # as written
    fused: Movement | None  # as compiled, where Numba fuses operators: what intensity and bound then refer to
    intensity: Ratio | None  # None: no traffic
    ridge: float | None  # FLOP/byte; None without a machine (--cache)
    bound: Bound | None
    memory_bound_when: tuple[SymbolRanges, ...]
    judged: Span | None = None  # the intensity at the evaluation point, by what the data decide
    attainable: Span | None = None  # FLOP/s there
    notes: tuple[str, ...] = ()
    cache: Level | None = None  # the cache that it fills, as the machine has it; None: registers, or no machine
    sharing: Sharing = ALONE
    fused_status: TrafficStatus | None = None  # of ``fused``
    fused_arrays: Mapping[str, Movement] | None = None  # ``fused``, by array
    small: int = 0  # up to this position on the diagonal the data fit the first cache

    @property
    def when_beyond_first_cache(self) -> tuple[SymbolRanges, ...]:
        """Where it is memory-bound, of the sizes that are not small: by each symbol, together with others if it can."""
        if self.bound != "depends":
            return ()
        found = [w.beyond(self.small) if w.others == "grow" else w for w in self.memory_bound_when]
        of_symbol = {w.symbol: w for w in reversed(found) if w.ranges and w.ranges != ((1, None),)}
        return tuple(w for w in found if of_symbol.get(w.symbol) is w)

    @property
    def bound_beyond_first_cache(self) -> Bound | None:
        """The bound at sizes that are not small."""
        main = next(iter(self.memory_bound_when), None)
        if self.bound != "depends" or main is None or self.when_beyond_first_cache:
            return self.bound
        return "memory" if main.beyond(self.small).ranges else "compute"


@dataclass(frozen=True)
class Verdict:
    """What limits a kernel on a machine at the sizes of the verdict, and why there is no answer where there is none."""

    code: str | None  # RFL101, RFL102, RFL103 or None
    level: str | None  # the interface that binds, or the one the message refers to
    bound: Bound | None
    attainable: float | None  # FLOP/s at the evaluation point, by the traffic as it is said
    attainable_expr: Expr | None  # FLOP/s in the sizes, where it is one expression
    roof: float | None  # the compute roof, FLOP/s
    roof_limits: str  # what limits the compute roof, for people: "4 fused multiply-adds", "latency of s += …"
    reason: str  # why there is no verdict, or ""
    traffic_status: TrafficStatus | None = None  # of the interface
    span: Span | None = None  # FLOP/s where every access misses whose address depends on data, and where all hit
    bandwidth: float | None = None  # bytes/s that bound a kernel without FLOPs
    seconds: float | None = None  # that its bytes take there at the evaluation point
    seconds_expr: Expr | None = None  # likewise, where it is one expression
    sizes: Mapping[str, Number] = field(default_factory=dict)  # the free sizes at the evaluation point
    time: TimePrediction | NoTime | None = None  # of one call there; None without a machine
    fastest: float | None = None  # FLOP/s of the shortest time there
    chain: Chain | None = None  # what takes longest of all that wait for one another

    @property
    def limit(self) -> str | None:
        """The resource that takes most of the expected time."""
        return self.time.limit if isinstance(self.time, TimePrediction) else None

    @property
    def shares(self) -> Mapping[str, float]:
        """What takes the expected time: its share, from 0 to 1, by level or resource."""
        return self.time.parts if isinstance(self.time, TimePrediction) else {}


@dataclass(frozen=True)
class Advice:
    """A change to a kernel that would pay: what to do, and what it brings."""

    kind: AdviceKind
    line: int
    message: str
    intensity: Ratio | None = None
    speedup_bound: float | None = None  # the ratio of the least times by the roofline
    speedup: Speedup | None = None  # of a call, from as written to after this change and those before
    example: str = ""  # the form to write, a few lines
    code: str = ""  # of the finding that says the same, if it has one
    subject: Subject = KERNEL  # what is to change: a loop, arrays, a statement
    lines: tuple[int, ...] = ()  # lines that the message names
    change: Remedy = Remedy()  # what to do: "make j the innermost loop"
    why: str = ""  # what that brings, in a few words
    brief: str = ""  # likewise without figures
    transformation: TransformationRecord | None = None  # of the loops, where that is the advice

    @property
    def gain(self) -> float | None:
        """How many times faster a call is; None where that is not known."""
        return self.speedup.gain if self.speedup else None


EVERYWHERE: Ranges = ((1, None),)  # every size


@dataclass(frozen=True)
class CacheFit:
    """For which sizes a cache holds what a step needs. Without a symbol nothing is free: always or never."""

    cache: str  # the level whose cache it is, "" without a machine
    capacity: int
    symbol: str
    also: tuple[tuple[str, Number | str], ...]  # the other symbols in it: a number, or the symbol that it equals
    ranges: Ranges
    partly: Ranges  # where it holds some of a spread

    @property
    def always(self) -> bool:
        return self.ranges == EVERYWHERE


@dataclass(frozen=True)
class LayerCondition:
    """Reuse at about one distance, or spread over distances up to ``needs``. All figures in bytes."""

    loop: str  # the variable of the loop that carries it; "": a later statement
    line: int
    needs: Expr
    least: Expr  # from here on some of it hits: ``needs``, but for a spread
    between: tuple[tuple[str, Expr], ...]  # whose bytes those are, by array; empty for a spread
    arrays: tuple[str, ...]  # that are touched again
    saved: Expr
    then: Expr = ZERO  # the traffic where it fits
    otherwise: Expr = ZERO  # the traffic where it does not
    share: float = 0.0  # saved / otherwise at large sizes
    sharing: Sharing = ALONE  # the threads whose caches it refers to
    fits: tuple[CacheFit, ...] = ()
    what: BlockGroup | None = None  # on a GPU: whose data must fit

    @property
    def is_spread(self) -> bool:
        return self.least != self.needs


@dataclass(frozen=True)
class TableReport:
    """A table of address translations, which is a cache of pages."""

    name: str
    capacity: int  # bytes that its pages cover
    page: int
    missed: Expr  # pages whose translations are not in it
    status: TrafficStatus
    steps: tuple[LayerCondition, ...] = ()  # of the traffic in pages, for all tables, where asked for


@dataclass(frozen=True)
class KernelReport:
    cost: KernelCost
    machine: Machine | None  # None: --cache
    scope: Scope
    precision: str | None
    levels: tuple[LevelReport, ...]
    compulsory: Traffic | None
    footprint: Expr | None
    verdict: Verdict
    advice: tuple[Advice, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    steps: tuple[LayerCondition, ...] = ()  # largest distance first; worked out for reports only
    translations: tuple[TableReport, ...] = ()  # nearest first, where they take time
    network: NetworkReport | None = None  # of several nodes
    measured: tuple[Compared, ...] = ()  # what other tools measured, where the user gives it
    device_work: tuple[TimedStep, ...] = ()  # launches and transfers of a function of the host
    time_pieces: tuple[TimePiece, ...] | None = None  # the last is the verdict's; worked out where it is shown
    configurations: tuple[TimedConfiguration, ...] = ()  # that a tuner tries, the fastest first

    @cached_property
    def pieces(self) -> TrafficPieces:
        """What moves, as the compiled loops run."""
        return TrafficPieces(self.cost.fused or self.cost)

    @property
    def on_gpu(self) -> bool:
        return self.machine is not None and self.machine.kind == "gpu"

    @property
    def time(self) -> TimePrediction | NoTime | None:
        return self.verdict.time
