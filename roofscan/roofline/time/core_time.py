"""The time of a core: that of the bodies of each nest, its divisions, and the chains it waits for. The slowest of these
holds a nest. Loops that follow one another each have a slowest of their own, unless they are so short that the
out-of-order window overlaps them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from roofscan.cost.result import BodyWork, NestCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import PrecisionName
from roofscan.ir.tree import FLOP_WEIGHT
from roofscan.machine.model import Machine
from roofscan.machine.ridge import rates_for
from roofscan.roofline.roof import DIVIDER, class_times
from roofscan.roofline.time.body_time import NO_INTEGER_TIME, Amount, Bodies, BodyTime
from roofscan.roofline.time.chain_time import NO_SETUPS, ChainTime, chain_times, seconds_of_chains, shown
from roofscan.roofline.time.integer_time import integer_chains, integer_times
from roofscan.roofline.time.library_functions import FASTEST, NO_FUNCTIONS, FunctionTime


@dataclass(frozen=True)
class CoreTime:
    """Seconds of one nest on one core: what takes longest, and what it is."""

    seconds: float
    resource: str
    pipes: float  # loads, stores and arithmetic alone, which overlap with transfers between levels
    waits: float  # scalar code or a chain: time in which few loads are under way
    least: float  # seconds, were every branch guessed right and all arguments those for which functions are fastest

    def times(self, share: float) -> CoreTime:
        if share == 1.0:
            return self
        return CoreTime(self.seconds * share, self.resource, self.pipes * share, self.waits * share, self.least * share)


def nest_time(
    nest: NestCost,
    machine: Machine,
    amount: Amount,
    fastmath: bool,
    even: bool = False,
    setups: Mapping[int, float] = NO_SETUPS,
    functions: Mapping[str, FunctionTime] = NO_FUNCTIONS,
) -> CoreTime:
    """``setups``: the cycles that the statements of a line take once, before their loops; ``functions``: the times of
    those of a library."""
    if nest.library:
        return _library_time(nest, machine, amount)
    if nest.function in functions:
        return _function_time(nest, functions[nest.function], machine, amount)
    if not nest.bodies:
        return _straight_time(nest, machine, amount)
    window = machine.timing.window.value
    entries = {start.loop: amount(start.entries) for start in nest.starts}
    loops = _loop_times(nest, machine, amount, entries, fastmath, even)
    arithmetic = {loop: time.arithmetic for loop, time in loops.items()}
    integers = list(_of_integers(nest, machine, amount))
    chains = [*chain_times(nest, machine, amount, arithmetic, setups), *integers]
    chain = seconds_of_chains(chains, window)
    whole = sum(loops.values(), BodyTime())
    resources = {"divider": whole.divider, "chain": chain + whole.guesses, whole.main: whole.pipes}
    resource = max(resources, key=lambda name: resources[name])
    seconds = resources[resource] + _seconds_apart(loops, chains, entries, window, resources[resource])
    waits = max(whole.scalar + whole.functions + whole.guesses, chain)
    if any(c.share is not None for c in nest.chains):  # a compiler that branches may be faster
        branching = chain_times(nest, machine, amount, arithmetic, setups, selects=False)
        chain = seconds_of_chains([*branching, *integers], window)
    least = max(whole.divider, chain, whole.pipes - whole.uncertain - whole.guesses)
    return CoreTime(seconds, resource, whole.pipes, waits, least)


def _loop_times(
    nest: NestCost, machine: Machine, amount: Amount, entries: Mapping[str, float], fastmath: bool, even: bool
) -> Mapping[str, BodyTime]:
    """The time of all bodies of each loop, its integer work included."""
    bodies, loops = Bodies(machine, amount, fastmath, even), defaultdict[str, BodyTime](BodyTime)
    integers = integer_times(nest.integers, machine, amount) if nest.integers else {}
    holders = _busiest(nest, amount) if integers else {}
    for body in nest.bodies:
        beside = integers[body.loop] if holders.get(body.loop) is body and body.loop in integers else NO_INTEGER_TIME
        loops[body.loop] += bodies.time(body, entries.get(body.loop, 1.0), beside)
    for loop, rest in integers.items():
        if loop not in holders:
            loops[loop] += BodyTime(scalar=rest.scalar, issue=rest.scalar, divider=rest.divider, guesses=rest.guesses)
    return loops


def _seconds_apart(
    loops: Mapping[str, BodyTime], chains: Sequence[ChainTime], entries: Mapping[str, float], window: float,
    together: float,
) -> float:  # fmt: skip
    """What loops that follow one another take longer than ``together``, where each waits for its own slowest
    resource."""
    if len(loops) < 2:
        return 0.0
    of_loops = (seconds_of_chains((c for c in chains if c.loop == loop), window) for loop in loops)
    slowest = (max(t.divider, c + t.guesses, t.pipes) for t, c in zip(loops.values(), of_loops, strict=True))
    apart = min(shown(time.operations / (entries.get(loop) or 1.0), window) for loop, time in loops.items())
    return max(0.0, sum(slowest) - together) * apart


def _busiest(nest: NestCost, amount: Amount) -> Mapping[str, BodyWork]:
    """By loop, the body that loads most, beside which its integer work runs."""
    found: dict[str, tuple[float, BodyWork]] = {}
    for body in nest.bodies:
        loaded = amount(body.executions) * body.load_bytes
        if body.loop not in found or loaded > found[body.loop][0]:
            found[body.loop] = loaded, body
    return {loop: body for loop, (_, body) in found.items()}


def _of_integers(nest: NestCost, machine: Machine, amount: Amount) -> Iterator[ChainTime]:
    """The chains of integers."""
    tested = {body.loop for body in nest.bodies if "index test" in body.scalar_reasons}
    return integer_chains(nest.integers, tested.__contains__, machine, amount)


def _straight_time(nest: NestCost, machine: Machine, amount: Amount) -> CoreTime:
    """Statements outside loops: their operations one after another, in scalar code."""
    counts = {key: amount(count) for key, count in nest.operations.items()}
    times = class_times(counts, {}, machine, "core", scalar=True, library=False)
    seconds, divider = sum(times.values()), sum(times.get(name, 0.0) for name in DIVIDER)
    slowest = max(times, key=lambda name: times[name], default="")
    resource = "divider" if slowest in DIVIDER else "function" if slowest == "special" else "scalar"
    return CoreTime(seconds, resource, seconds, seconds, max(seconds - divider, divider))


def _function_time(nest: NestCost, function: FunctionTime, machine: Machine, amount: Amount) -> CoreTime:
    """A function of a library in loops of its own."""
    operations = sum(amount(count) for count in nest.operations.values())
    seconds = operations * function.operation / machine.clock.value
    waits = function.limit == "chain"
    return CoreTime(seconds, function.limit, 0.0 if waits else seconds, seconds, seconds * FASTEST)


def _library_time(nest: NestCost, machine: Machine, amount: Amount) -> CoreTime:
    """A BLAS-like call runs at the rate of fused multiply-adds."""
    flops: dict[PrecisionName, float] = {}
    for (kind, precision), count in nest.operations.items():
        flops[precision] = flops.get(precision, 0.0) + FLOP_WEIGHT.get(kind, 0) * amount(count)
    seconds = sum(n / rates_for(machine, precision, "core").fma.value for precision, n in flops.items())
    return CoreTime(seconds, "vector", seconds, 0.0, seconds)
