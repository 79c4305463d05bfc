"""The time of conflicts in the nearest cache: a walk by whole lines uses a share of its sets, 1 in g for steps of q
lines and g = gcd(q, sets), so that a column of a matrix whose rows are a power of two long loses its lines before the
next column comes to them. Stores wait for such lines one after the other."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

from roofscan.cost.result import KernelCost
from roofscan.machine.model import Machine
from roofscan.symbolic.expr import Expr

SETS = 64  # of the nearest cache: the bits of an address within a page choose it
LEAST = 8  # below which share of conflicts nothing was measured


def sets_skipped(stride: float, line: int) -> int:
    """A walk falls into one set in so many; 0 where they are too few to matter."""
    lines, rest = divmod(abs(int(stride)), line)
    shared = 0 if rest or not lines else gcd(lines, SETS)
    return shared if shared >= LEAST else 0


def conflict_time(cost: KernelCost, machine: Machine, amount: Callable[[Expr], float]) -> float:
    """Of walks whose steps are known: at free sizes a power of two would be chance."""
    nearest, timing, seconds = machine.levels[0], machine.timing, 0.0
    ways = max(1, (nearest.capacity or 0) // (SETS * nearest.line))
    for nest in cost.nests:
        entries = {start.loop: start.entries for start in nest.starts}
        for body in nest.bodies:
            for stride, writes in body.walks:
                shared = 0 if stride.symbols & cost.free else sets_skipped(amount(stride), nearest.line)
                if not shared:
                    continue
                executions = amount(body.executions)
                if executions > ways * SETS // shared * amount(entries.get(body.loop, body.executions)):
                    price = timing.conflict_store if writes else timing.conflict_load
                    seconds += executions * price.value * shared / SETS
    return seconds
