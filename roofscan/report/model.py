"""What roofscan says of one kernel on one machine: plain data that every output format reads."""

from __future__ import annotations

from dataclasses import dataclass

from roofscan.cost.result import KernelCost, Movement, Traffic
from roofscan.ir.expr import Expr
from roofscan.machine.model import Machine
from roofscan.report.finding import Finding as Finding


@dataclass(frozen=True)
class Ratio:
    """FLOPs over bytes (arithmetic intensity), kept exact: numerator and denominator."""

    flops: Expr
    bytes: Expr


@dataclass(frozen=True)
class Holds:
    """For which values of one symbol a statement holds: inclusive ranges, None = without end."""

    symbol: str
    ranges: tuple[tuple[int, int | None], ...]
    others: str = "grow"  # what the other free size symbols do: "grow" with it, or "fixed"


@dataclass(frozen=True)
class LevelReport:
    """One interface: named after the level that serves it, with the capacity of the cache that it fills."""

    name: str
    capacity: int
    line: int
    traffic: Traffic  # as written
    fused: Movement | None  # as compiled, where Numba fuses operators: what intensity and bound then speak of
    intensity: Ratio | None  # None: no traffic
    ridge: float | None  # FLOP/byte; None without a machine (--cache)
    bound: str | None  # "memory", "compute", "depends", None
    memory_bound_when: tuple[Holds, ...]
    notes: tuple[str, ...] = ()
    fused_status: str = ""  # as Traffic.status, of ``fused``


@dataclass(frozen=True)
class Verdict:
    code: str | None  # RFL101, RFL102, RFL103 or None
    level: str | None  # the interface that binds, or the one the message speaks of
    bound: str | None  # "memory", "compute", "depends", None
    attainable: float | None  # FLOP/s at the witness sizes
    attainable_expr: Expr | None  # FLOP/s in the sizes, where it is one expression
    roof: float | None  # the compute roof, FLOP/s
    roof_limits: str  # what limits the compute roof, for people: "4 fused multiply-adds", "latency of s += …"
    reason: str  # why there is no verdict, or ""


@dataclass(frozen=True)
class Advice:
    kind: str  # interchange, tile, fuse, layout, precision, compile, …
    line: int
    message: str
    intensity: Ratio | None = None
    speedup_bound: float | None = None
    example: str = ""  # the form to write, a few lines
    code: str = ""  # of the finding that says the same, if it has one
    change: str = ""  # the message without its figures: "make j the innermost loop"


@dataclass(frozen=True)
class KernelReport:
    cost: KernelCost
    machine: Machine | None  # None: --cache
    scope: str  # "core", "socket" or "device"
    precision: str | None
    levels: tuple[LevelReport, ...]
    compulsory: Traffic | None
    footprint: Expr | None
    verdict: Verdict
    advice: tuple[Advice, ...]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
