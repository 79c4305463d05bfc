"""Figures of one core: its clock, latencies, rates of vector and scalar code, the window, starts and calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from roofscan.measuring import code_probes, probes
from roofscan.measuring.quiet_timer import Timed, timed
from roofscan.measuring.sheet import Figure, mean
from roofscan.units import counted

ELEMENTS = 1024
REPEATS = 200
CHAIN = 5000
ROW = 584  # elements: seven rows are far apart within a page, so that stores do not delay loads
ROW_LENGTHS = (64, 128, 256)
ROWS, ROW_REPEATS = 40, 20  # rows that L1 holds, and walks over them in a call, which its own time is little beside
FUNCTIONS = 5
PLACES = (0, 16, 32, 48)  # bytes past a line


class Core:
    """What one core does with data in L1. Each figure is timed beside the clock, whose frequency turbo changes."""

    @cached_property
    def empty_call(self) -> Timed:
        return timed(probes.nothing)

    @cached_property
    def clock(self) -> Figure:
        """Hz."""
        run = timed(lambda: probes.integer_chain(4 * CHAIN, 3, 5))
        return Figure(32 * CHAIN / self._net(run), run.spread, "eight dependent integer operations, a cycle each")

    def _net(self, run: Timed) -> float:
        return max(run.seconds - self.empty_call.seconds, 1e-9)

    def cycles(self, call: Callable[[], object], operations: float) -> Figure:
        """Cycles of one operation, at the clock of the moment."""
        clock, run = timed(lambda: probes.integer_chain(CHAIN, 3, 5), runs=4), timed(call)
        hertz = 8 * CHAIN / self._net(clock)
        return Figure(self._net(run) * hertz / operations, run.spread, "")

    def latencies(self) -> Iterator[tuple[str, Figure]]:
        chains: dict[str, Any] = {
            "add": probes.add_chain, "mul": probes.mul_chain, "fma": probes.fma_chain, "div": probes.div_chain,
            "sqrt": probes.sqrt_chain,
        }  # fmt: skip
        for name, chain in chains.items():
            figure = self.cycles(lambda chain=chain: chain(CHAIN, 1.5, 1.0000001), 4 * CHAIN)  # type: ignore[misc]
            yield name, figure.by("a chain of 20,000")
        rows, out = np.ones((64, 2048)), np.zeros(64)
        yield "minmax", self.cycles(lambda: probes.row_minima(rows, out), rows.size).by("minima of rows of 2,048")
        yield "special", self.function("fp64").times(1.0, "about the time of a call")

    def vector(self, precision: str) -> Iterator[tuple[str, Figure]]:
        """Operations per second by class, in vector code."""
        x, y, a, b, one = _numbers(precision)
        runs: dict[str, tuple[Callable[[], object], int]] = {
            "fma": (lambda: probes.fused(x, y, a, b, REPEATS, one), 17),
            "plain": (lambda: probes.plain(x, y, a, b, REPEATS, one), 17),
            "div": (lambda: probes.divisions(x, y, a, REPEATS, one), 1),
            "sqrt": (lambda: probes.square_roots(x, y, a, REPEATS, one), 1),
        }
        yield from self._rates(runs)
        yield "special", self.function(precision).rate(self.clock.value)

    def scalar(self, precision: str) -> Iterator[tuple[str, Figure]]:
        x, y, a, b, one = _numbers(precision)
        runs: dict[str, tuple[Callable[[], object], int]] = {
            "plain": (lambda: probes.strided_plain(x, y, a, b, 1, REPEATS, one), 17),
            "div": (lambda: probes.strided_divisions(x, y, a, 1, REPEATS, one), 1),
            "sqrt": (lambda: probes.strided_square_roots(x, y, a, 1, REPEATS, one), 1),
        }
        rates = dict(self._rates(runs))
        yield "fma", rates["plain"].times(1.0, "as plain: Numba fuses under fastmath alone")
        yield from rates.items()

    def _rates(self, runs: dict[str, tuple[Callable[[], object], int]]) -> Iterator[tuple[str, Figure]]:
        for name, (call, operations) in runs.items():
            how = f"{counted(operations, 'operation')} on each of {ELEMENTS} elements in L1"
            yield name, self.cycles(call, operations * ELEMENTS * REPEATS).rate(self.clock.value).by(how)

    def function(self, precision: str) -> Figure:
        """Cycles of a call of exp, log, sin, tanh and pow: the geometric mean."""
        kind = np.float32 if precision == "fp32" else np.float64
        x = np.random.default_rng(1).uniform(0.5, 3.0, 20_000).astype(kind)
        y = np.zeros_like(x)
        each = [self.cycles(lambda k=k: probes.functions(x, y, k), x.size) for k in range(FUNCTIONS)]  # type: ignore[misc]
        cycles = prod(figure.value for figure in each) ** (1 / FUNCTIONS)
        return Figure(cycles, max(f.spread for f in each), "exp, log, sin, tanh, pow on 20,000 arguments")

    def near_lines(self) -> Iterator[tuple[str, Figure]]:
        """Seconds of loads and of stores of 64 bytes in L1, over the offsets at which allocators put arrays: at most of
        them vectors cross lines."""
        loads = [self.loads(offset) for offset in PLACES]
        yield "load", mean(loads).by("six loads per element in L1, arrays at multiples of 16 bytes")
        arrays = [probes.filled(ELEMENTS, offset=offset) for offset in PLACES]
        stores = [
            self.seconds(lambda: probes.update(y, 1.0, REPEATS, 1.0), ELEMENTS * REPEATS / 8)  # noqa: B023
            for y in arrays
        ]
        yield "store", mean(stores).by("an update in L1, arrays at multiples of 16 bytes")
        x = probes.filled(ELEMENTS)
        masked = [
            self.seconds(lambda: code_probes.copied_where_positive(x, y, REPEATS), ELEMENTS * REPEATS / 8)  # noqa: B023
            for y in arrays
        ]
        yield "store_masked", mean(masked).by("copies of positive elements in L1, arrays at multiples of 16 bytes")

    def loads(self, offset: int = 0) -> Figure:
        """Seconds of loads of 64 bytes in L1, from arrays that begin ``offset`` bytes after a line does."""
        rows = probes.filled(7 * ROW, offset=offset).reshape(7, ROW)
        six = self.seconds(lambda: probes.six_loads(rows[:6], rows[6], 1.0, REPEATS, 1.0), 6 * ROW * REPEATS / 8)
        return six.by("six loads per element in L1, arrays on lines")

    def seconds(self, call: Callable[[], object], amount: float) -> Figure:
        run = timed(call)
        return Figure(self._net(run) / amount, run.spread, "")

    def pipeline(self, add: float) -> Iterator[tuple[str, Figure]]:
        """Issue width, window, forwarding. ``add``: the latency of an addition in cycles."""
        x, y, a, _, one = _numbers("fp64")
        axpy = self.cycles(lambda: probes.tested_axpy(x, y, a, 0, REPEATS, one), ELEMENTS * REPEATS)
        y, z = probes.filled(ELEMENTS, 1.0, offset=0), probes.filled(ELEMENTS, offset=0)
        both, products = (
            self.cycles(lambda: kind(y, z, one, one, REPEATS, one), 17 * ELEMENTS * REPEATS)  # noqa: B023
            for kind in (probes.plain, probes.products)
        )
        alone = min(1.0, both.value / products.value)
        yield "alone", Figure(alone, products.spread, "17 multiplications per element, and products with sums")
        yield "issue", Figure(9.25 / axpy.value, axpy.spread, "axpy from range(k + 1, n): 9.25 operations per element")
        yield "window", self._window(add)
        iteration = self.cycles(lambda: probes.sums_along(x, y), ELEMENTS)
        how = "sums along an array, which pass through memory, minus the addition"
        yield "forward", Figure(max(0.5, iteration.value - add), iteration.spread, how)

    def _window(self, add: float) -> Figure:
        """From T = L·U / (U + 2S) for sums of rows of U elements."""
        found = []
        for length in ROW_LENGTHS:
            rows, out = np.ones((4096 // length, length)), np.zeros(4096 // length)
            cycles = self.cycles(lambda: probes.row_sums(rows, out, ROW_REPEATS), rows.size * ROW_REPEATS)  # noqa: B023
            found.append(max(1.0, length * (add / max(cycles.value, 0.1) - 1) / 2))
        return Figure(sorted(found)[1], max(found) / min(found) - 1, "sums of rows of 64, 128 and 256")

    def starts(self) -> Iterator[tuple[str, Figure]]:
        arrays = [np.ones((ROWS, length)) for length in (17, 49)]
        repeats, operations = ROW_REPEATS, ROWS * ROW_REPEATS
        first, second = (self.cycles(lambda x=x: probes.row_updates(x, 1.0, repeats, 1.0), operations) for x in arrays)  # type: ignore[misc]
        slope = (second.value - first.value) / 32
        start = Figure(max(1.0, first.value - 17 * slope), first.spread, "rows of 17 and 49 in L1 minus their slope")
        yield "start_vector", start
        yield "start_scalar", Figure(2, 0.0, "estimate: a fraction of a vector loop's")
        x = np.ones(8)
        one_array = timed(lambda: probes.nothing_of(x))
        four_arrays = timed(lambda: probes.nothing_of_four(x, x, x, x))
        array = max(1e-9, (four_arrays.seconds - one_array.seconds) / 3)
        call = max(self.empty_call.seconds, one_array.seconds - array)
        yield "call", Figure(call, one_array.spread, "an empty function of one array, minus the array")
        yield "call_array", Figure(array, four_arrays.spread, "empty functions of four arrays and of one")
        region = timed(lambda: probes.regions(x))
        yield "fork", Figure(max(1e-9, region.seconds - one_array.seconds), region.spread, "an empty parallel region")


def _numbers(precision: str) -> tuple[Any, Any, Any, Any, Any]:
    kind = np.float32 if precision == "fp32" else np.float64
    x, y = (probes.filled(ELEMENTS, value, kind, offset=0) for value in (1.5, 0.0))
    return x, y, kind(1.0001), kind(0.001), kind(1)
