"""What roofscan says of a kernel against a run of it: operations bound and free, traffic at several capacities.

A figure that says `exact`, or a bound, makes a claim: a claim that the run contradicts is false. An estimate that is
off is wrong, whatever it counts at worst. A figure that the run cannot judge (its conditions or assumptions do not hold
there) is neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from roofscan.cost.bindings import resolve_values
from roofscan.cost.memory.base import ALONE, Sharing, Traffic
from roofscan.ir.kernel import ABOVE, BELOW
from roofscan.parse.reader.facts import parse_facts
from roofscan.symbolic.expr import NotEvaluable, Number
from tests.oracle.analysis import Analysis, Moved, analyzed, counted
from tests.oracle.rules import kind_of_dtype
from tests.oracle.threads import among, moved
from tests.oracle.trace import CacheTraffic, Trace
from tests.oracle.words import Words

CAPACITIES = (512, 2048, 8192, 32768, 131072)
"""Bytes of the caches at which traffic is compared."""

SLACK = 0.05
"""Traffic may leave the range of the runs by this share, and by two lines."""

TWO_LINES = 128


@dataclass(frozen=True)
class Disagreement:
    """One figure that is not the run's. ``claim``: it says `exact`, or that it is a bound."""

    subject: str  # "flops", "traffic", or with nothing bound "free flops", "free traffic"
    claim: bool
    text: str

    @property
    def kind(self) -> str:
        return f"false {self.subject}" if self.claim else self.subject


def disagreements(source: str, name: str, words: Words, trace: Trace) -> Iterator[Disagreement]:
    """Bound to the arguments: operations, and traffic at :data:`CAPACITIES`; unbound: operations and accesses."""
    bound = analyzed(source, name, words.bind)
    yield from flops_disagree(bound, words, trace)
    yield from traffic_disagrees(bound, words, trace)
    yield from free_flops_disagree(source, name, words, trace)


def symbols_of(analysis: Analysis, words: Words, trace: Trace) -> dict[str, Number]:
    """The values of a kernel's symbols in a run; a length that the run does not record has none."""
    learnt, _ = resolve_values(analysis.kernel, parse_facts(words.bind))
    lengths = {s.name for s in analysis.kernel.symbols if s.kind == "length" and not trace.entered[s.line]}
    measured = {name: value for name, value in analysis.measured(trace).items() if name not in lengths}
    return {**measured, **words.symbols, **learnt}


# -- operations ---------------------------------------------------------------------------------------


def flops_disagree(analysis: Analysis, words: Words, trace: Trace, subject: str = "flops") -> Iterator[Disagreement]:
    symbols, cost = symbols_of(analysis, words, trace), analysis.cost
    if cost.status == "unsupported":
        yield Disagreement(subject, False, "unsupported")
        return
    if not analysis.holds_at(symbols):
        return
    try:
        mine = analysis.flops(symbols)
    except NotEvaluable as missing:
        yield Disagreement(subject, cost.status == "exact", f"{cost.flops}: {missing} [{cost.status}]")
        return
    if not _as_claimed(analysis, mine, trace.flops):
        text = (
            f"{mine}, the run does {trace.flops} [{cost.status}] {cost.flops} at {_shown(symbols, cost.flops.symbols)}"
        )
        yield Disagreement(subject, cost.status in ("exact", "bounded"), text)


def _as_claimed(analysis: Analysis, mine: Number, truth: int) -> bool:
    if analysis.cost.status != "bounded":
        return mine == truth
    effects = {reason.effect for reason in analysis.cost.kernel.reasons}
    return (not effects.isdisjoint(ABOVE) or mine <= truth) and (not effects.isdisjoint(BELOW) or mine >= truth)


def free_flops_disagree(source: str, name: str, words: Words, trace: Trace) -> Iterator[Disagreement]:
    """An `exact` without facts is the run's figure under all arguments that its assumptions allow."""
    analysis = counted(source, name, "")
    if analysis.cost.status != "exact" or not assumptions_allow(analysis, words):
        return
    if trace.clamped and any("inside the" in text for text in analysis.kernel.assumptions):
        return
    symbols = symbols_of(analysis, words, trace)
    if analysis.cost.flops.symbols <= analysis.values(symbols).keys():
        yield from flops_disagree(analysis, words, trace, "free flops")
    in_order = all(array.flags.c_contiguous for array in words.arrays.values())
    sizes = {name: array.itemsize for name, array in words.arrays.items()}
    if in_order and _element_sizes(analysis).items() >= sizes.items():
        yield from _accesses_disagree(analysis, symbols, trace)


def _element_sizes(analysis: Analysis) -> dict[str, int]:
    return {array.name: array.dtype.size for array in analysis.kernel.arrays}


def _accesses_disagree(analysis: Analysis, symbols: Mapping[str, Number], trace: Trace) -> Iterator[Disagreement]:
    """The bytes of all accesses, where they say `exact`."""
    registers, truth = analysis.cost.registers, trace.cache(0).total
    parts = (registers.total.load, registers.total.fill, registers.total.writeback)
    on_data = {symbol.name for symbol in analysis.kernel.symbols if symbol.kind in ("share", "trips", "length")}
    if registers.status != "exact" or not analysis.holds_at(symbols) or any(part.symbols & on_data for part in parts):
        return
    try:
        mine = sum(analysis.moved(registers, symbols))
    except NotEvaluable:
        return
    if mine != truth.load + truth.writeback:
        yield Disagreement(
            "free traffic", True, f"{mine} bytes of accesses, the run has {truth.load + truth.writeback}"
        )


def assumptions_allow(analysis: Analysis, words: Words) -> bool:
    """Whether the arguments have the ranks, extents and kinds of elements that the analysis assumes."""
    arrays = {array.name: array for array in analysis.kernel.arrays if array.role == "parameter"}
    learnt, contradictions = resolve_values(analysis.kernel, parse_facts(words.bind))
    if contradictions or any(words.sizes.get(name, value) != value for name, value in learnt.items()):
        return False
    assumed = {text.partition(" is ")[0] for text in analysis.cost.kernel.assumptions}
    for name, value in words.arrays.items():
        array = arrays.get(name)
        same = array is not None and _LETTERS.get(array.dtype.kind, "i") == kind_of_dtype(value.dtype)
        if name in assumed and not same:
            return False
    if any(_is_other_than_assumed(name, words, analysis) for name in words.arguments):
        return False
    integers = {s.name for s in analysis.kernel.symbols if s.kind in ("size", "int", "tile")}
    floats = {text.partition(" is ")[0] for text in analysis.kernel.assumptions if " is float64 (" in text}
    if any(type(value) is int for name, value in words.scalars.items() if name in floats):
        return False
    integral = {text.partition(" is ")[0] for text in analysis.kernel.assumptions if " is int64 (" in text}
    if any(type(value) is float for name, value in words.scalars.items() if name in integral):
        return False
    complexes = {text.partition(" is ")[0] for text in analysis.kernel.assumptions if " is complex128 (" in text}
    if any(not isinstance(value, complex) for name, value in words.scalars.items() if name in complexes):
        return False
    passed = {name for name, value in words.scalars.items() if type(value) is float}
    if passed and passed & analysis.integers:
        return False
    given = [value for name, value in words.scalars.items() if name in integers]
    if integers & words.arrays.keys() or any(value < 1 for value in given):
        return False  # a size of 0 has no work to count
    return not any(name in arrays and name in assumed for name in words.scalars)


def _is_other_than_assumed(name: str, words: Words, analysis: Analysis) -> bool:
    """Whether an argument is not the default that the analysis assumes."""
    values = {"None"} | {str(n) for n in range(-9, 10)} - {str(words.scalars.get(name))}
    return any(f"{name} is {value} (its default)" in analysis.kernel.assumptions for value in values)


_LETTERS: Mapping[str, str] = {"float": "f", "complex": "c", "record": "r"}


# -- traffic ------------------------------------------------------------------------------------------


def traffic_disagrees(
    analysis: Analysis, words: Words, trace: Trace, sharing: Sharing = ALONE
) -> Iterator[Disagreement]:
    """Against the range of the caches from 0.8 to 1.25 times each capacity, with fills and without."""
    if analysis.cost.reuse is None:
        return
    seen = [trace] if sharing == ALONE else among(trace, sharing.threads, sharing.caches)
    symbols = symbols_of(analysis, words, trace)
    for capacity in (capacity * sharing.threads for capacity in CAPACITIES):
        level = analysis.cost.reuse.among(sharing).traffic(capacity)
        if level.status == "unknown":
            continue
        try:
            mine = analysis.moved(level, symbols)
        except NotEvaluable as missing:
            yield Disagreement("traffic", False, f"{capacity} bytes: {missing} [{level.status}]")
            continue
        yield from _level_disagrees(capacity, level, mine, moved(seen, capacity))


def _level_disagrees(
    capacity: int, level: Traffic, moved: Moved, runs: tuple[CacheTraffic, CacheTraffic]
) -> Iterator[Disagreement]:
    load, fill, writeback = moved
    status = level.status
    pairs = [(load + writeback, [run.total.load + run.total.writeback for run in runs])]
    pairs.append((load + fill + writeback, [r.total.load + r.total.fill + r.total.writeback for r in runs]))
    above = any(mine > max(truth) * (1 + SLACK) + TWO_LINES for mine, truth in pairs)
    below = any(mine < min(truth) * (1 - SLACK) - TWO_LINES for mine, truth in pairs)
    honest = (status == "lower_bound" and not above) or (status == "upper_bound" and not below)
    if (above or below) and not honest:
        mine, truth = pairs[1]
        text = f"{capacity} bytes of cache: {float(mine):.0f}, the runs move {min(truth)} to {max(truth)} [{status}]"
        yield Disagreement("traffic", status != "estimate", text)


def _shown(symbols: Mapping[str, Number], names: frozenset[str]) -> str:
    return ", ".join(f"{name}={symbols[name]}" for name in sorted(names & symbols.keys()))
