"""The compute roof: Williams' ceilings ("Roofline", CACM 52(4), 2009, section 4) in one number: FLOPs over the time
that a nest's operations take at the machine's throughput per class. Two resources work side by side: the arithmetic
pipes (multiply-adds, adds, multiplications, special functions) and the divider (divisions, square roots). A recurrence,
or a reduction that may not be reordered, also waits for the latency of its chain. The longest of these times gives the
roof."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from roofscan.cost.result import Chain, NestCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import OperationKind, PrecisionName
from roofscan.ir.tree import FLOP_WEIGHT
from roofscan.machine.model import Machine, Sourced
from roofscan.machine.ridge import rates_for
from roofscan.symbolic.expr import Expr, NotEvaluable, Number

FREE = frozenset({"neg", "abs"})  # a sign is one bit: it folds into its neighbours

COMPLEX_DIVISION = {"plain": 9, "div": 2}
"""(ac + bd)/(c² + d²) and (bc - ad)/(c² + d²): six multiplications, three sums, two divisions."""

_CLASSES = {"div": {"div": 1}, "sqrt": {"sqrt": 1}, "special": {"special": 1}, "complex_div": COMPLEX_DIVISION}
_PLAIN = {"plain": 1}  # all other kinds
DIVIDER = ("div", "sqrt")
_LATENCIES = {
    "add": ("add",), "sub": ("add",), "mul": ("mul",), "div": ("div",), "sqrt": ("sqrt",),
    "special": ("special",), "minmax": ("minmax",), "compare": ("minmax",), "convert": ("add",),
    "complex_div": ("mul", "add", "div"), "neg": (), "abs": (),
}  # fmt: skip
_NAMES = {
    "fma": "fused multiply-adds",
    "plain": "adds and multiplications that do not fuse",
    "special": "special functions",
    "div": "divisions",
    "sqrt": "square roots",
    "tensor": "matrix units",
}
MULTIPLY_ADD: tuple[OperationKind, ...] = ("mul", "add")
_FULL_RATE = ("fma", "plain", "tensor")
"""Resources whose throughput does not depend on the numbers or the compiler, unlike divisions and functions."""


@dataclass(frozen=True)
class RoofLimit:
    """What takes longest: a resource, in scalar code or not, or a chain of dependent operations."""

    resource: str  # a key of _NAMES; "" for a chain
    scalar: bool = False
    chain: Chain | None = None

    @property
    def at_full_rate(self) -> bool:
        return self.resource in _FULL_RATE and not self.scalar

    @property
    def brief(self) -> str:
        """What it is, without where or why."""
        if self.chain is not None:
            return f"the latency of {self.chain.name}"
        return "scalar code" if self.scalar else _NAMES[self.resource]

    def __str__(self) -> str:
        if self.chain is not None:
            return f"{self.brief} (line {self.chain.line})"
        how = " in scalar code (an innermost loop has a stride)" if self.scalar else ""
        return _NAMES[self.resource] + how


@dataclass(frozen=True)
class Roof:
    """What the arithmetic of a nest allows. ``seconds``: 0 where nothing takes time."""

    flops: float
    seconds: float
    limit: RoofLimit | None = None  # None where nothing takes time


def _number(count: Expr, values: Mapping[str, Number]) -> float:
    try:
        return float(count.evaluate(values))
    except OverflowError:
        raise NotEvaluable("more operations than can be timed") from None


def compute_roof(nest: NestCost, values: Mapping[str, Number], machine: Machine, scope: str) -> Roof:
    """The roof of one nest at ``values`` on a part of the machine; NotEvaluable where a symbol has no value. ``scope``
    is "core", "socket" (all cores; chains run side by side on them) or "device" (a GPU: so many threads run that the
    latency of a chain is hidden, and strides show in the traffic alone). ``minmax``, ``compare`` and ``convert`` run at
    the plain rate, ``neg`` and ``abs`` are free, and a complex division is nine plain operations and two divisions.
    Precisions share the pipes, so their times add up. A precision that the machine lacks runs in the next wider one.
    BLAS-like calls fuse whatever can fuse, have no chains, and run on the matrix units of a GPU that has them for the
    precision."""
    counts = {key: _number(count, values) for key, count in nest.operations.items()}
    pairs = {precision: _number(count, values) for precision, count in nest.fused_pairs.items()}
    flops = sum(FLOP_WEIGHT.get(kind, 0) * count for (kind, _), count in counts.items())
    library = bool(nest.library)
    scalar = nest.strided_innermost and not library and scope != "device"

    on_matrix_units = _on_matrix_units(counts, nest, values, machine) if scope == "device" else {}
    times = class_times(counts, pairs, machine, scope, scalar, library)
    for name, seconds in on_matrix_units.items():
        times[name] = times.get(name, 0.0) + seconds
    divider = {name: time for name, time in times.items() if name in DIVIDER}
    pipes = {name: time for name, time in times.items() if name not in DIVIDER}
    latency, chain = slowest_chain((nest,), values, machine, scope)

    seconds = max(sum(pipes.values()), sum(divider.values()), latency)
    if not seconds:
        return Roof(flops, 0.0)
    if chain is not None and latency == seconds:
        return Roof(flops, seconds, RoofLimit("", chain=chain))
    busy = divider if sum(divider.values()) == seconds else pipes
    return Roof(flops, seconds, RoofLimit(max(busy, key=lambda name: busy[name]), scalar))


def _on_matrix_units(
    counts: dict[tuple[OperationKind, PrecisionName], float], nest: NestCost, values: Mapping[str, Number],
    machine: Machine,
) -> dict[str, float]:  # fmt: skip
    """Seconds of products of tiles, which leave the counts."""
    seconds = 0.0
    for precision, count in nest.matrix.items():
        rate, flops = matrix_rate(machine, precision), _number(count, values)
        if rate is not None:
            seconds += flops / rate.value
            for kind in MULTIPLY_ADD:
                counts[kind, precision] = max(0.0, counts.get((kind, precision), 0.0) - flops / 2)
    return {"tensor": seconds} if seconds else {}


def matrix_rate(machine: Machine, precision: PrecisionName) -> Sourced | None:
    """Of matrix units, which take the numbers of fp32 as tf32; None where there are none for it."""
    return machine.tensor.get("tf32" if precision == "fp32" else precision)


def class_times(
    counts: Mapping[tuple[OperationKind, PrecisionName], float], pairs: Mapping[PrecisionName, float],
    machine: Machine, scope: str, scalar: bool, library: bool,
) -> dict[str, float]:  # fmt: skip
    """Seconds that each class of throughput is busy, all precisions together."""
    times: dict[str, float] = defaultdict(float)
    for precision in sorted({precision for _, precision in counts}):
        ours = {kind: count for (kind, p), count in counts.items() if p == precision}
        work = _work(ours, _fused(ours, pairs.get(precision, 0.0), library))
        if library and scope == "device" and precision in machine.tensor:
            times["tensor"] += work.pop("fma") / machine.tensor[precision].value
        rates = rates_for(machine, precision, scope, scalar=scalar)
        for name, count in work.items():
            times[name] += count / rates.rate(name).value
    return times


def _fused(counts: Mapping[OperationKind, float], pairs: float, library: bool) -> float:
    """Multiplications that fuse with a sum: no more than there are of both; a library fuses all it can."""
    most = min(counts.get("mul", 0.0), counts.get("add", 0.0) + counts.get("sub", 0.0))
    return most if library else min(pairs, most)


def _work(counts: Mapping[OperationKind, float], fused: float) -> dict[str, float]:
    """Operations per class of throughput; a fused pair is two."""
    work: dict[str, float] = defaultdict(float, fma=2 * fused, plain=-2 * fused)
    for kind, count in counts.items():
        if kind not in FREE:
            for name, weight in _CLASSES.get(kind, _PLAIN).items():
                work[name] += weight * count
    return work


def slowest_chain(
    nests: Sequence[NestCost], values: Mapping[str, Number], machine: Machine, scope: str
) -> tuple[float, Chain | None]:
    """Seconds of the chain that takes longest (chains of one nest overlap), and which it is."""
    if scope == "device":
        return 0.0, None
    side_by_side = machine.cores if scope == "socket" else 1
    step = 1 / (side_by_side * machine.clock.value)
    timed = [
        (_number(chain.iterations, values) * chain_cycles(chain, machine) * step, chain)
        for nest in nests
        if not nest.library
        for chain in nest.chains
        if not chain.reorderable
    ]
    return max(timed, key=lambda pair: pair[0], default=(0.0, None))


def chain_cycles(chain: Chain, machine: Machine) -> float:
    """Cycles from a value that enters an iteration to the one that leaves it."""
    latency = {name: sourced.value for name, sourced in machine.latency.items()}
    apart = sum(count * latency[part] for kind, count in chain.kinds.items() for part in _LATENCIES[kind])
    return apart + chain.fused * (latency["fma"] - latency["add"]) - chain.merged * latency["mul"]
