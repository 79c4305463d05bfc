"""Reports made by hand, so that the formats are tested without the stages before them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from roofscan.cost.memory.base import Movement, Traffic
from roofscan.cost.result import KernelCost
from roofscan.ir.arrays import Array
from roofscan.ir.dtypes import F8
from roofscan.ir.kernel import Decorator, Kernel, Reason
from roofscan.ir.symbols import Symbol
from roofscan.machine.model import Level, Machine, Sourced, Throughput
from roofscan.machine.timing import estimated_timing
from roofscan.roofline.model import Finding, KernelReport, LevelReport, Ratio, Span, SymbolRanges, Verdict
from roofscan.symbolic.expr import ONE, ZERO, Expr, Number, symbol

N = symbol("n")
LARGE: dict[str, Number] = {"n": 2**24}
AXPY = Kernel(
    name="axpy",
    path="fixtures/streams.py",
    line=12,
    end_line=14,
    decorator=Decorator("njit"),
    parameters=("a", "x", "y"),
    arrays=tuple(Array(name, F8, (N,), (ONE,), "parameter", 12) for name in ("x", "y")),
    symbols=(Symbol("n", "size", "x.shape[0]", 12),),
    body=(),
    assumptions=("x is float64 (default)",),
)


def number(value: float) -> Sourced:
    return Sourced(value, None, "made up")


def rates(flops: float, cores: int) -> Throughput:
    slow = number(flops / 16)
    return Throughput("fp64", "vector", number(flops), number(flops / 2), slow, slow, slow, cores)


def level(name: str, capacity: int | None, bandwidth: float) -> Level:
    return Level(name, capacity, 64, number(bandwidth), number(4 * bandwidth))


LEVELS = (level("L1", 32768, 200e9), level("L2", 2**20, 80e9), level("DRAM", None, 16e9))
TOY = Machine(
    name="toy",
    description="a toy core",
    kind="cpu",
    cores=4,
    clock=number(3e9),
    write_allocate=False,
    levels=LEVELS,
    core={"fp64": rates(48e9, 1)},
    whole={"fp64": rates(192e9, 4)},
    tensor={},
    latency={"add": number(4)},
    launch_overhead=None,
    path="toy.toml",
    timing=estimated_timing(LEVELS),
)


def movement(load: Expr, writeback: Expr, fill: Expr = ZERO) -> Movement:
    return Movement(load, fill, writeback)


def traffic(capacity: int, status: str = "exact") -> Traffic:
    total = movement(16 * N, 8 * N)
    return Traffic(capacity, total, {"x": movement(8 * N, ZERO), "y": movement(8 * N, 8 * N)}, status)


def axpy_cost(n: int | None = None) -> KernelCost:
    """``y += a * x``; bound to ``n`` elements where that is given."""
    sample_point = LARGE if n is None else {"n": n}
    free = frozenset({"n"}) if n is None else frozenset()
    operations = {("add", "fp64"): N, ("mul", "fp64"): N}
    return KernelCost(AXPY, "exact", sample_point, free, (), 2 * N, operations, (), traffic(0), None)


def level_report(
    name: str, capacity: int, ridge: float | None, bound: str | None, status: str = "exact"
) -> LevelReport:
    ratio = Ratio(2 * N, 24 * N)
    when = (SymbolRanges("n", ((1, None),)),) if bound == "memory" else ()
    speed = 48e9 * min(1.0, 1 / 12 / ridge) if ridge else 0.0
    judged, attainable = Span(1 / 12, 1 / 12), Span(speed, speed) if ridge else None
    return LevelReport(
        name, capacity, 64, traffic(capacity, status), None, ratio, ridge, bound, when, judged, attainable
    )


def axpy_report(n: int | None = None, machine: Machine = TOY) -> KernelReport:
    levels = (
        level_report("L1", 0, 0.24, "memory"),
        level_report("L2", 32768, 0.6, "memory"),
        level_report("DRAM", 2**20, 3.0, "memory", "estimate"),
    )
    message = f"axpy is memory-bound on {machine.name} at every size: AI 0.083 FLOP/B, ridge 3; fuse it"
    finding = Finding("RFL102", AXPY.path, AXPY.line, 0, message, "axpy")
    attainable = 16e9 / 12
    verdict = Verdict("RFL102", "DRAM", "memory", attainable, None, 48e9, "fused multiply-adds", "")
    compulsory = traffic(2**62)
    cost = axpy_cost(n)
    return KernelReport(
        cost,
        machine,
        "core",
        "fp64",
        levels,
        compulsory,
        16 * N,
        verdict,
        (),
        (finding,),
        ("a made-up note",),
    )


def unsupported_report(message: str = "a call of an unknown function") -> KernelReport:
    kernel = replace(AXPY, name="odd", line=30, symbols=(), arrays=(), reasons=(Reason(31, message, "unsupported"),))
    nothing = Traffic(0, movement(ZERO, ZERO), {}, "unknown", why=message)
    cost = KernelCost(kernel, "unsupported", {}, frozenset(), (), ZERO, {}, (), nothing, None)
    verdict = Verdict(None, None, None, None, None, None, "", message)
    return KernelReport(cost, TOY, "core", None, (), None, None, verdict, (), ())


def cache_report(n: int | None = None) -> KernelReport:
    """axpy under ``--cache``: no machine, no ridge."""
    report = axpy_report(n)
    levels = tuple(level_report(str(c), c, None, None) for c in (512, 32768))
    verdict = Verdict(None, None, None, None, None, None, "", "no machine")
    return replace(report, machine=None, levels=levels, verdict=verdict, findings=())


def rational(numerator: int, denominator: int) -> Expr:
    return Expr.of(Fraction(numerator, denominator))
