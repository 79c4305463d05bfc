"""Costs of small kernels written down by hand, with their reuse classes, for tests of what judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from roofscan.cost.memory.base import Movement, ReuseClass, Sharing, Traffic
from roofscan.cost.result import Chain, KernelCost, NestCost
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import FLOP_WEIGHT
from roofscan.machine.model import Level, Machine, Sourced, Throughput
from roofscan.machine.timing import estimated_timing
from roofscan.symbolic.expr import ZERO, Expr, Number
from tests.support.kernel_builder import Build, Text, expr

LARGE = 1 << 14


def movement(load: Text = 0, fill: Text = 0, writeback: Text = 0) -> Movement:
    return Movement(expr(load), expr(fill), expr(writeback))


def touch(array: str, count: Text, distance: Text, place: str = "k", **more: object) -> ReuseClass:
    """Reads of lines of ``array`` that were touched ``distance`` bytes before."""
    made = ReuseClass(array, place, 1, 1, "touch", expr(count), expr(distance), ZERO)
    return replace(made, **more)  # type: ignore[arg-type]


@dataclass(frozen=True)
class HandReuse:
    """Cold lines of each array, and the classes that miss where their distance exceeds the capacity."""

    cold: Mapping[str, Movement]
    sample_point: Mapping[str, Number]
    classes: tuple[ReuseClass, ...] = ()
    line: int = 64
    status: str = "exact"

    @property
    def footprint(self) -> Expr:
        return sum((m.load + m.fill for m in self.cold.values()), start=ZERO)

    def traffic(self, capacity: int) -> Traffic:
        arrays = dict(self.cold)
        for c in self.classes:
            for amount in self._missing(c, capacity):
                m = arrays[c.array]
                if c.kind == "write":
                    arrays[c.array] = replace(m, writeback=m.writeback + amount * self.line)
                else:
                    arrays[c.array] = replace(m, load=m.load + amount * self.line)
        total = Movement(*(sum((getattr(m, part) for m in arrays.values()), start=ZERO) for part in PARTS))
        return Traffic(capacity, total, arrays, self.status)

    def among(self, sharing: Sharing) -> HandReuse:
        return self

    def _missing(self, c: ReuseClass, capacity: int) -> list[Expr]:
        if c.over is None:
            return [c.count] if c.distance.evaluate(self.sample_point) > capacity else []
        name, first, last = c.over
        values = range(int(first.evaluate(self.sample_point)), int(last.evaluate(self.sample_point)) + 1)
        far = [v for v in values if c.distance.subs({name: v}).evaluate(self.sample_point) > capacity]
        return [Expr.of(sum(c.count.subs({name: v}).evaluate(self.sample_point) for v in far))]


PARTS = ("load", "fill", "writeback")


@dataclass
class Costs:
    """Builds a :class:`KernelCost`: the kernel gives symbols and arrays, the figures are given."""

    kernel: Kernel
    operations: Mapping[tuple[str, str], Text]
    registers: Mapping[str, Movement]
    cold: Mapping[str, Movement]
    classes: tuple[ReuseClass, ...] = ()
    fused: Mapping[str, Text] = field(default_factory=dict)
    chains: tuple[Chain, ...] = ()
    library: str = ""
    parallel: bool = False
    strided: bool = False
    status: str = "exact"
    traffic_status: str = "exact"

    def cost(self, **bound: Number) -> KernelCost:
        """The cost where these symbols are bound; the others are free, and large at the sample point."""
        names = [s.name for s in self.kernel.symbols]
        kinds = {s.name: s.kind for s in self.kernel.symbols}
        sample_point = {n: 64 if kinds[n] == "tile" else LARGE for n in names} | bound
        operations = {key: expr(count) for key, count in self.operations.items()}
        flops = sum((FLOP_WEIGHT.get(k, 0) * c for (k, _), c in operations.items()), start=ZERO)
        nest = NestCost(
            1, self.parallel, self.library, operations,
            {p: expr(c) for p, c in self.fused.items()}, self.chains, self.strided,
        )  # fmt: skip
        total = Movement(*(sum((getattr(m, part) for m in self.registers.values()), start=ZERO) for part in PARTS))
        return KernelCost(
            kernel=self.kernel,
            status=self.status,
            sample_point=sample_point,
            free=frozenset(n for n in names if n not in bound),
            conditions=(),
            flops=flops,
            operations=operations,
            nests=(nest,),
            registers=Traffic(0, total, dict(self.registers), "exact"),
            reuse=HandReuse(self.cold, sample_point, self.classes, status=self.traffic_status),
        )


def axpy(dtype: str = "f8", precision: str = "fp64", size: int = 8, kind: str = "njit") -> Costs:
    """y[i] += a * x[i]."""
    b = Build()
    x, y = b.array("x", "n", dtype=dtype), b.array("y", "n", dtype=dtype)
    product = b.op("mul", b.read(x, "i"), dtype=dtype)
    store = b.write(y, "i", value=b.op("add", b.read(y, "i"), product))
    kernel = b.kernel(b.loop("i", 0, "n", store), kind=kind)
    moved = {x: movement(f"{size}*n"), y: movement(f"{size}*n", 0, f"{size}*n")}
    counts = {("mul", precision): "n", ("add", precision): "n"}
    return Costs(kernel, counts, moved, moved, fused={precision: "n"})


def total(fastmath: bool = False) -> Costs:
    """s += x[i]."""
    b = Build()
    x = b.array("x", "n")
    kernel = b.kernel(b.loop("i", 0, "n", b.read(x, "i")), fastmath=fastmath)
    chain = Chain("s", 3, "fp64", {"add": 1}, expr("n"), True, fastmath)
    moved = {x: movement("8*n")}
    return Costs(kernel, {("add", "fp64"): "n"}, moved, moved, chains=(chain,))


def sin_exp() -> Costs:
    """y[i] = sin(x[i]) * exp(-x[i])."""
    b = Build()
    x, y = b.array("x", "n"), b.array("y", "n")
    kernel = b.kernel(b.loop("i", 0, "n", b.write(y, "i", value=b.read(x, "i"))))
    counts = {("special", "fp64"): "2*n", ("mul", "fp64"): "n", ("neg", "fp64"): "n"}
    return Costs(kernel, counts, {x: movement("8*n"), y: movement(0, 0, "8*n")},
                 {x: movement("8*n"), y: movement(0, "8*n", "8*n")})  # fmt: skip


def copy(dtype: str = "f8", size: int = 8) -> Costs:
    """b[i] = a[i]."""
    b = Build()
    src, dst = b.array("a", "n", dtype=dtype), b.array("b", "n", dtype=dtype)
    kernel = b.kernel(b.loop("i", 0, "n", b.write(dst, "i", value=b.read(src, "i"))))
    return Costs(kernel, {}, {src: movement(f"{size}*n"), dst: movement(0, 0, f"{size}*n")},
                 {src: movement(f"{size}*n"), dst: movement(0, f"{size}*n", f"{size}*n")})  # fmt: skip


def matmul(order: str = "ikj") -> Costs:
    """C[i, j] += A[i, k] * B[k, j] for n x n matrices, with the textbook's reuse classes (lines of 8)."""
    b = Build()
    arrays = [b.array(name, "n", "n") for name in "ABC"]
    body = b.write("C", "i", "j", value=b.op(
        "add", b.read("C", "i", "j"), b.op("mul", b.read("A", "i", "k"), b.read("B", "k", "j"))))  # fmt: skip
    for var in reversed(order):
        body = b.loop(var, 0, "n", body)  # type: ignore[assignment]
    kernel = b.kernel(body, fastmath=True)
    registers = {a: movement("8*n**3", 0, "8*n**3" if a == "C" else 0) for a in arrays}
    cold = {a: movement("8*n**2", 0, "8*n**2" if a == "C" else 0) for a in arrays}
    classes = IKJ if order == "ikj" else IJK
    return Costs(kernel, {("mul", "fp64"): "n**3", ("add", "fp64"): "n**3"}, registers, cold, classes,
                 fused={"fp64": "n**3"}, strided=order == "ijk", traffic_status="estimate")  # fmt: skip


IKJ = (
    touch("B", "n**2*(n - 1)/8", "8*n**2 + 16*n", "i"),
    touch("C", "n**2*(n - 1)/8", "16*n + 64", "k"),
)
IJK = (
    touch("A", "n**2*(n - 1)/8", "72*n", "j"),
    touch("B", "7*n**3/8", "72*n + 64", "j"),
    touch("B", "n**2*(n - 1)/8", "8*n**2 + 16*n", "i"),
)


def dense_layer(b_kind: str = "tile") -> Costs:
    """x @ W in half precision: x is b x k, W is k x n; each operand once."""
    b = Build()
    b.symbol("b", b_kind)
    x, w, y = b.array("x", "b", "k", dtype="f2"), b.array("W", "k", "n", dtype="f2"), b.array(
        "y", "b", "n", dtype="f2", role="local")  # fmt: skip
    kernel = b.kernel(
        b.op("mul", b.read(x, 0, 0), dtype="f2", count="b*k*n", library="matmul"),
        b.op("add", b.read(w, 0, 0), dtype="f2", count="b*k*n", library="matmul"),
        kind="none",
    )
    moved = {x: movement("2*b*k"), w: movement("2*k*n"), y: movement(0, 0, "2*b*n")}
    return Costs(kernel, {("mul", "fp16"): "b*k*n", ("add", "fp16"): "b*k*n"}, moved, moved,
                 fused={"fp16": "b*k*n"}, library="matmul", traffic_status="lower_bound")  # fmt: skip


def number(value: float) -> Sourced:
    return Sourced(value, None, "by hand")


def machine(
    flops: float = 48e9, bandwidth: float = 16e9, caches: Mapping[str, int] | None = None, **more: object
) -> Machine:
    """A machine of round figures: each cache twice as fast as the next level out, 8 cores, no frills."""
    sizes = {"L1": 32768, "L2": 1 << 20} if caches is None else caches
    names = [*sizes, "DRAM"]
    speed = {name: bandwidth * 4.0 ** (len(names) - 1 - i) for i, name in enumerate(names)}
    levels = tuple(Level(name, sizes.get(name), 64, number(speed[name]), number(speed[name] * 4)) for name in names)
    core = {p: throughput(p, flops * f) for p, f in (("fp64", 1), ("fp32", 2), ("fp16", 4))}
    whole = {p: throughput(p, flops * f * 8, 8) for p, f in (("fp64", 1), ("fp32", 2), ("fp16", 4))}
    latency = {kind: number(4) for kind in ("add", "mul", "fma", "minmax", "div", "sqrt", "special")}
    made = Machine(
        "testbed", "by hand", "cpu", 8, number(3e9), False, levels, core, whole, {}, latency, None, "",
        estimated_timing(levels),
        scalar={p: throughput(p, t.fma.value / 4) for p, t in core.items()},
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


def throughput(precision: str, fma: float, cores: int = 1) -> Throughput:
    return Throughput(precision, "vector", number(fma), number(fma / 2), number(fma / 32), number(fma / 40),
                      number(fma / 320), cores)  # fmt: skip


def accelerator(**more: object) -> Machine:
    """An accelerator: 312 TFLOP/s of fp16 in matrix units, 2 TB/s, a launch of 5 us."""
    levels = (
        Level("L1", 192 << 10, 64, None, number(19e12)),
        Level("L2", 40 << 20, 64, None, number(5e12)),
        Level("HBM", None, 64, None, number(2e12)),
    )
    whole = {p: throughput(p, f * 1e12, 108) for p, f in (("fp64", 9.7), ("fp32", 19.5), ("fp16", 78))}
    made = Machine("accelerator", "by hand", "gpu", 108, number(1.4e9), False, levels, {}, whole,
                   {"fp16": number(312e12)}, {}, number(5e-6), None, "",
                   estimated_timing(levels))  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]
