"""The time of chains of dependent operations. They overlap as far as the out-of-order window reaches: a chain of U
operations that starts again in an outer loop takes U/(U + 2S) of its latency, with a window of S operations (Karkhanis
and Smith, ISCA 2004)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set

from roofscan.cost.result import Chain, NestCost
from roofscan.frozen import dataclass
from roofscan.ir.kinds import ScalarReason
from roofscan.machine.model import Machine
from roofscan.roofline.roof import chain_cycles
from roofscan.roofline.time.body_time import is_scalar_code, lanes
from roofscan.symbolic.expr import Expr

_IN_MEMORY: Set[ScalarReason] = {"index test", "division"}


NO_SETUPS: Mapping[int, float] = {}
SELECTION = "minmax"  # takes as long as a move under a mask: measured
AFTER_OTHERS = 1  # cycles that a sum takes more after anything but a sum: the adders forward to themselves


@dataclass(frozen=True)
class ChainTime:
    """The slowest chain of a loop."""

    loop: str
    latency: float  # seconds, were it alone
    length: float  # operations until it starts again
    runs: float  # how often it starts


def chain_times(
    nest: NestCost,
    machine: Machine,
    amount: Callable[[Expr], float],
    arithmetic: Mapping[str, float],
    setups: Mapping[int, float] = NO_SETUPS,
    selects: bool = True,
) -> Sequence[ChainTime]:
    """Chains of one loop run side by side, and those of a loop that is unrolled into vector code in all lanes. LLVM
    reorders none in scalar code: a walk with a stride that it does not gather is such. Where it makes a selection
    of a branch, each iteration waits for it; without ``selects``, it never does. ``arithmetic`` of each loop, and
    what ``setups`` do before a run of the chains of a line (cycles), fill the window as well."""
    every = sum(arithmetic.values())
    slowest: dict[str, ChainTime] = {}
    own = {body.loop: body.scalar_reasons for body in nest.bodies}
    in_order = {body.loop for body in nest.bodies if "stride" in body.scalar_reasons and not body.gathered}
    guessed = {body.branch_share for body in nest.bodies}
    width = max((lanes(machine, body) for body in nest.bodies if not is_scalar_code(machine, body)), default=1)
    for chain in nest.chains:
        iterations = amount(chain.iterations)
        if (chain.reorderable and chain.loop not in in_order) or not iterations:
            continue
        runs = amount(chain.runs) if chain.runs is not None else 1.0
        cycles = _iteration_cycles(chain, own.get(chain.loop, ()), machine)
        if selects and chain.share is not None and chain.share not in guessed:
            iterations /= amount(chain.share)
            cycles += machine.latency[SELECTION].value + AFTER_OTHERS * ("add" in chain.kinds or "sub" in chain.kinds)
        latency = iterations * cycles / machine.clock.value
        length = max((chain.length + chain.beside) * iterations, arithmetic.get(chain.loop, every)) / runs
        length += setups.get(chain.line, 0.0) * machine.timing.issue.value
        found = ChainTime(chain.loop, latency / (1 if chain.loop in own else width), length, runs)
        slowest[chain.loop] = max(slowest.get(chain.loop, found), found, key=lambda chain: chain.latency)
    return tuple(slowest.values())


def _iteration_cycles(chain: Chain, reasons: Sequence[ScalarReason], machine: Machine) -> float:
    """Of an iteration. Elements of arrays pass through memory, unless LLVM forwards them in registers: it does not
    where the loop may end with an exception, or where it tests their subscripts."""
    through_memory = chain.reloaded or (chain.moves and not _IN_MEMORY.isdisjoint(reasons))
    sums = chain.kinds.get("add", 0) + chain.kinds.get("sub", 0) - chain.fused
    turned = AFTER_OTHERS * min(sums, chain.length - sums + through_memory)
    return chain_cycles(chain, machine) + turned + (machine.timing.forward.value if through_memory else 0.0)


def seconds_of_chains(chains: Iterable[ChainTime], window: float) -> float:
    """Those of several loops run one after the other. Where they start equally often they are one to the window."""
    alike: dict[float, list[ChainTime]] = {}
    for chain in chains:
        alike.setdefault(chain.runs, []).append(chain)
    return sum(_seconds(together, runs, window) for runs, together in alike.items())


def _seconds(chains: Sequence[ChainTime], runs: float, window: float) -> float:
    """Nothing overlaps with the last of them."""
    apart = shown(sum(chain.length for chain in chains), window)
    return sum(chain.latency for chain in chains) * (apart + (1 - apart) / max(runs, 1.0))


def shown(operations: float, window: float) -> float:
    """Of the time of so many operations in a row, what does not overlap with the next ones."""
    return operations / (operations + 2 * window)
