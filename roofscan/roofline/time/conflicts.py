"""The time of conflicts in the nearest two caches: a walk by whole lines uses a share of a cache's sets, 1 in g for
steps of q lines and g = gcd(q, sets), so that a column of a matrix whose rows are a power of two long loses its lines
before the next column comes to them. Stores wait for such lines one after the other."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from roofscan.cost.result import BodyWork, KernelCost
from roofscan.machine.model import Machine
from roofscan.symbolic.expr import Expr

SETS = 64  # of the nearest cache: the bits of an address within a page choose it
LEAST = 16  # below which share of conflicts next to nothing was measured
SECOND_WAYS = 16  # of the second cache, which choose physical addresses: those of huge pages
STORED = 0.4  # of the time of updates, that of stores alone (0.27 to 0.40 on Zen 4)
HUGE = 1 << 22  # bytes from which on NumPy asks for huge pages


def sets_skipped(stride: float, line: int) -> int:
    """A walk falls into one set in so many; 0 where they are too few to matter."""
    lines, rest = divmod(abs(int(stride)), line)
    shared = 0 if rest or not lines else gcd(lines, SETS)
    return shared if shared >= LEAST else 0


def conflict_time(cost: KernelCost, machine: Machine, amount: Callable[[Expr], float]) -> float:
    """Of walks whose steps are known: at free sizes a power of two would be chance."""
    seconds = 0.0
    for nest in cost.nests:
        entries = {start.loop: start.entries for start in nest.starts}
        for body in nest.bodies:
            runs = amount(entries.get(body.loop, body.executions))
            for stride, reads, writes in body.walks:
                if runs and not stride.symbols & cost.free:
                    share = STORED if writes and not reads else 1.0
                    seconds += share * _seconds(body, abs(int(amount(stride))), runs, writes, machine, amount)
    return seconds


def _seconds(
    body: BodyWork, stride: int, runs: float, writes: bool, machine: Machine, amount: Callable[[Expr], float]
) -> float:
    """Of one walk by ``stride`` bytes, in ``runs`` runs of its loop."""
    nearest, timing, executions = machine.levels[0], machine.timing, amount(body.executions)
    shared = sets_skipped(stride, nearest.line)
    ways = max(1, (nearest.capacity or 0) // (SETS * nearest.line))
    if not shared or executions <= ways * SETS // shared * runs:
        return 0.0
    far = _overflows_second(stride, executions / runs, machine)
    load = timing.conflict_far_load if far else timing.conflict_load
    store = timing.conflict_far_store if far else timing.conflict_store
    return executions * (store if writes else load).value * shared / SETS


def _overflows_second(stride: int, trips: float, machine: Machine) -> bool:
    """Whether the lines of one run of the loop do not fit their sets of the second cache."""
    level = machine.levels[1]
    sets = (level.capacity or 0) // (SECOND_WAYS * level.line)
    if not sets or trips * stride < HUGE:
        return False
    return trips > SECOND_WAYS * sets // gcd(stride // level.line, sets)
