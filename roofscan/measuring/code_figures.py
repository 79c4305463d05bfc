"""Figures of what stalls scalar code, and of how much of the time of loads overlaps with transfers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from roofscan.measuring import code_probes, probes
from roofscan.measuring.core_figures import CHAIN, Core
from roofscan.measuring.memory_figures import median, places
from roofscan.measuring.quiet_timer import timed
from roofscan.measuring.sheet import Figure

_PLAIN = "exp expm1 log log10 log1p sin cos tan atan sinh cosh tanh asinh erf erfc gamma lgamma"
ONE_ARGUMENT = {**dict.fromkeys(_PLAIN.split(), 1.0), "asin": 0.3, "acos": 0.3}
"""Functions of one argument, each with a factor of its arguments, which are between 0.5 and 3."""
TWO_ARGUMENTS = {"pow": (1.7,), "atan2": (1.2,), "hypot": (1.2,)}
MOST_LINES = 1 << 21
NEAR_ROW, NEAR_REPEATS = 488, 100  # elements of five rows that stay in the nearest cache, and how often in a call
CACHED_ELEMENTS = 1024  # elements of an array of which two stay in the nearest cache
FRESH_BYTES = 128 << 20  # of an array that no allocator keeps for the next call


def functions(core: Core) -> Iterator[tuple[str, Figure]]:
    """Cycles of a call of each function of ``math``."""
    draw = np.random.default_rng(1).uniform(0.5, 3.0, 20_000)
    for name in (*ONE_ARGUMENT, *TWO_ARGUMENTS):
        x, y = draw * ONE_ARGUMENT.get(name, 1.0), np.zeros_like(draw)
        loop = code_probes.applied(getattr(math, name), *TWO_ARGUMENTS.get(name, ()))
        yield name, core.cycles(lambda: loop(x, y), x.size).by("a call on each of 20,000 arguments")  # noqa: B023


def waits(core: Core) -> Iterator[tuple[str, Figure]]:
    """Figures of mispredicted branches, remainders, fresh arrays and their pages."""
    yield "mispredict", _mispredict(core)
    remainder = core.cycles(lambda: code_probes.remainders(CHAIN, 12_345, 97), CHAIN)
    yield "integer_division", remainder.by("remainders of integers")
    yield from _integers(core)
    yield from _conversions(core)
    small, elements = timed(lambda: code_probes.fresh(8, 8)), FRESH_BYTES // 8
    yield "allocate", Figure(max(1e-9, small.seconds - core.empty_call.seconds), small.spread, "a small array")
    out = timed(lambda: code_probes.handed_out(8))
    yield "call_result", Figure(max(1e-9, out.seconds - small.seconds), out.spread, "a small array that is returned")
    half = timed(lambda: code_probes.fresh(elements // 2, 512), 4)
    whole = timed(lambda: code_probes.fresh(elements, 512), 4)
    fault = max(1e-9, (whole.seconds - half.seconds) / (FRESH_BYTES // 2 / 4096))
    yield "fault", Figure(fault, whole.spread, "the second half of 128 MiB of fresh memory")


def _mispredict(core: Core) -> Figure:
    """Cycles of a mispredicted branch, from runs on random data, where half the predictions are wrong, and on sorted
    data."""
    x = np.random.default_rng(2).uniform(0.0, 1.0, 1 << 18)
    y, ordered = np.zeros_like(x), np.sort(x)
    random = core.cycles(lambda: code_probes.pick(x, y, 0.5), x.size)
    known = core.cycles(lambda: code_probes.pick(ordered, y, 0.5), x.size)
    cycles = max(1.0, 2 * (random.value - known.value))
    return Figure(cycles, random.spread, "a branch on random and on sorted data")


def _integers(core: Core) -> Iterator[tuple[str, Figure]]:
    """Integer operations: in vector code as rates of elements, in scalar code as the latency of a chain."""
    x = np.arange(CACHED_ELEMENTS, dtype=np.int64)
    y, count = np.zeros_like(x), CACHED_ELEMENTS * NEAR_REPEATS
    plain = core.cycles(lambda: code_probes.integer_operations(x, y, 3, 5, NEAR_REPEATS), 16 * count)
    rate = 1 / plain.value
    yield "integer_vector", Figure(rate, plain.spread, "16 sums and logical operations on each of 1024 integers")
    products = core.cycles(lambda: code_probes.integer_products(x, y, 3, 5, NEAR_REPEATS), 8 * count)
    rate = 1 / max(products.value - plain.value, plain.value)
    yield "integer_product", Figure(rate, products.spread, "8 products on each of 1024 integers, minus the logic")
    along = core.cycles(lambda: code_probes.integer_sums_along(x, y, 0), x.size)
    how = "sums along an array of integers, minus the sum"
    yield "forward_integer", Figure(max(0.5, along.value - 1), along.spread, how)
    ring = np.roll(np.arange(256), -1).astype(np.uint64)  # without tests for negative values
    yield "load_latency", core.cycles(lambda: code_probes.chase(ring, CHAIN), CHAIN).by("a chase through 2 KiB")


def _conversions(core: Core) -> Iterator[tuple[str, Figure]]:
    """Cycles of a conversion in scalar and in vector code: the difference between sums of four integers, each with a
    factor, and of four floating-point numbers."""
    apart, beside = (probes.filled(4 * NEAR_ROW).reshape(shape) for shape in ((-1, 4), (4, -1)))
    probed: dict[str, tuple[Callable[..., object], np.ndarray, np.ndarray, type]] = {
        "convert": (code_probes.four_factors_apart, apart, apart.copy(), np.int64),
        "convert_short": (code_probes.four_factors_apart, apart, apart.copy(), np.uint8),
        "convert_long": (code_probes.four_factors, beside, probes.filled(NEAR_ROW), np.int64),
    }
    for name, (probe, floats, out, kind) in probed.items():
        without, converted = (
            core.cycles(lambda: probe(x, out, 1.5, NEAR_REPEATS), NEAR_ROW * NEAR_REPEATS)  # noqa: B023
            for x in (floats, floats.astype(kind))
        )
        cycles = max(0.05, (converted.value - without.value) / 4)
        how = f"four products with {kind.__name__}, and with floating point"
        yield name, Figure(cycles, converted.spread, how)


def second_price(size: int, near: int, core: Core) -> Figure:
    """Seconds per line from L2, beyond those from L1: the mean of an update, which loads each line and writes it back,
    and of a copy with a factor, which fills another. They hide transfers in part, as most loops do."""
    updates, copies = (far - close for far, close in zip(_lines(size, core), _lines(near, core), strict=True))
    price = (max(0.0, updates) / 2 + max(0.0, copies) / 3) / 2
    return Figure(max(1e-12, price), 0.0, f"updates and copies over {size >> 10} and {near >> 10} KiB")


def _lines(size: int, core: Core) -> tuple[float, float]:
    """Seconds per line of updates of so many bytes, and of copies from one half of them to the other."""
    repeats = max(1, (4 << 20) // size)
    lines, arrays = size / 64 * repeats, places(size)
    updates = [core.seconds(lambda: probes.update(x, 1.0, repeats, 1.0), lines) for x, _ in arrays]  # noqa: B023
    halves = [(x[: y.size], y) for x, y in arrays]
    copies = [core.seconds(lambda: probes.scale(x, y, 1.0, repeats, 1.0), lines / 2) for x, y in halves]  # noqa: B023
    return median(updates).value, median(copies).value


def line_apart(size: int, core: Core) -> Figure:
    """Seconds per line of ``size`` bytes whose lines are loaded in random order."""
    x, lines = probes.filled(size // 8), size // 64
    places = np.random.default_rng(3).permutation(lines)[:MOST_LINES].astype(np.int64) * 8
    loads = core.seconds(lambda: code_probes.gather(x, places), places.size)
    return loads.by(f"lines of {size >> 10} KiB in random order")


def overlap(size: int, core: Core) -> Figure:
    """The share of the time of a stencil's loads in L1 that is hidden where its lines come from ``size`` bytes."""
    near, far = _stencil_over_copy(8, 256, core), _stencil_over_copy(size // 16_000, 1000, core)
    share = min(1.0, max(0.01, 1 - far / near))
    return Figure(share, 0.0, f"nine points and a copy, in L1 and over {size >> 20} MiB")


def exposed(size: int, core: Core) -> Figure:
    """The share of the time of lines from ``size`` bytes that a longer chain does not hide."""
    x, y = (probes.filled(size // 16) for _ in range(2))
    near = _chain(x[:CACHED_ELEMENTS], y[:CACHED_ELEMENTS], x.size // CACHED_ELEMENTS, core)
    lines = 2 * core.seconds(lambda: probes.load(x), x.size).value
    share = min(1.0, max(0.01, (_chain(x, y, 1, core) - near) / lines))
    return Figure(share, 0.0, f"a chain over two arrays, in L1 and over {size >> 20} MiB")


def _chain(x: np.ndarray, y: np.ndarray, repeats: int, core: Core) -> float:
    """Seconds per element of a chain."""
    return core.seconds(lambda: code_probes.smoothed_products(x, y, 0.0, repeats), repeats * x.size).value


def _stencil_over_copy(rows: int, columns: int, core: Core) -> float:
    """Seconds per element that a stencil of nine points takes more than a copy of as much."""
    x = probes.filled((rows + 2) * (columns + 2)).reshape(rows + 2, columns + 2)
    y = probes.filled(rows * columns).reshape(rows, columns)
    source, target, repeats = x.reshape(-1)[: y.size], y.reshape(-1), max(1, (1 << 16) // y.size)
    nine = core.seconds(lambda: code_probes.nine_points(x, y, repeats), repeats * y.size)
    return nine.value - core.seconds(lambda: probes.scale(source, target, 1.0, repeats, 1.0), repeats * y.size).value
