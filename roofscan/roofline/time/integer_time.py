"""The time of integer work: of its operations, in vector or scalar code, and of what each iteration waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from roofscan.cost.result import LoopIntegers
from roofscan.ir.integers import IntegerChain, IntegerKind, IntegerOperations, LatencyKind
from roofscan.machine.model import Machine
from roofscan.roofline.time.body_time import NO_INTEGER_TIME, IntegerTime, seconds_of_guesses
from roofscan.roofline.time.chain_time import ChainTime
from roofscan.symbolic.expr import Expr

Amount = Callable[[Expr], float]

SCALAR: Mapping[IntegerKind, float] = {
    "minmax": 2, "abs": 2, "select": 1, "quotient": 9, "remainder": 12, "division": 6,
    "lanes": 0, "text": 120,
}  # fmt: skip
"""Instructions of scalar code, where it is not one. Numba rounds quotients down, which takes some. LLVM leaves the
comparison of a parameter with a text in the loop: 20 to 220 cycles (measured under Numba 0.68 on Cascade Lake)."""
VECTOR: Mapping[IntegerKind, Mapping[int, float]] = {
    "mul": {1: 2, 2: 1, 4: 2},
    "quotient": {1: 4, 2: 2, 4: 7, 8: 8},
    "remainder": {1: 6, 2: 4, 4: 10, 8: 10},
}  # fmt: skip
"""Operations of vector code, by the bytes of an element. Those of two bytes have the upper half of a product."""
WIDE_PRODUCT_BYTES = 8  # bytes of an element whose product most vector units make of several
PRODUCTS: Mapping[IntegerKind, int] = {"mul": 1, "quotient": 1, "remainder": 2}  # of which a cycle has one
PRODUCT = 3  # cycles of a product, on cores since 2010
WITHOUT_BYTES = ("mul", "shift", "quotient", "remainder")  # of which those of two bytes stand in
SELECTED = 2  # cycles of a comparison and a choice, which no iteration waits for where they are guessed
HALF = 0.5  # of minima of data, what either number is


def integer_times(found: Iterable[LoopIntegers], machine: Machine, amount: Amount) -> Mapping[str, IntegerTime]:
    """By the loop whose machine code holds them."""
    times: dict[str, IntegerTime] = {}
    for each in found:
        times[each.code] = times.get(each.code, NO_INTEGER_TIME) + _time(each, machine, amount)
    return times


def _time(found: LoopIntegers, machine: Machine, amount: Amount) -> IntegerTime:
    iterations, timing, clock = amount(found.iterations), machine.timing, machine.clock.value
    total = NO_INTEGER_TIME
    for operation in found.work.operations:
        share = amount(operation.share)
        instructions = SCALAR.get(operation.kind, 1) * operation.count * share
        divided = operation.count * share * timing.integer_division.value if operation.kind == "division" else 0.0
        total += IntegerTime(
            vector=iterations * operation.count * _vector_cycles(operation, machine) / clock,
            scalar=iterations * instructions / timing.issue.value / clock,
            products=iterations * PRODUCTS.get(operation.kind, 0) * operation.count * share / clock,
            divider=iterations * divided / clock,
            operations=iterations * operation.count,
        )
    wrong = sum(seconds_of_guesses(machine, iterations, amount(share)) for share in found.work.guesses)
    wrong += sum(seconds_of_guesses(machine, iterations, HALF) for chain in found.work.chains if chain.guessed)
    return total + IntegerTime(guesses=wrong)


def _vector_cycles(operation: IntegerOperations, machine: Machine) -> float:
    """Of one operation on one element."""
    timing = machine.timing
    if operation.kind == "mul" and operation.size == WIDE_PRODUCT_BYTES:
        return 1 / timing.integer_product.value
    size = max(operation.size, 2) if operation.kind in WITHOUT_BYTES else operation.size
    each = VECTOR.get(operation.kind, {}).get(operation.size, 1)
    return each * size / WIDE_PRODUCT_BYTES / timing.integer_vector.value


def integer_chains(
    found: Iterable[LoopIntegers], in_memory: Callable[[str], bool], machine: Machine, amount: Amount
) -> Iterator[ChainTime]:
    """The slowest chain of each loop. ``in_memory``: whether elements that a loop stores are loaded again."""
    for each in found:
        iterations, runs = amount(each.iterations), amount(each.runs)
        chains = each.work.chains
        cycles = [(_cycles(chain, in_memory(each.code), machine) * amount(chain.share), chain) for chain in chains]
        if cycles and iterations and runs:
            slowest, chain = max(cycles, key=lambda pair: (pair[0], pair[1].continues))
            runs = 1.0 if chain.continues else runs
            length = sum(n for _, n in chain.latencies) * iterations / runs
            yield ChainTime(each.loop, iterations * slowest / machine.clock.value, length, runs)


def _cycles(chain: IntegerChain, in_memory: bool, machine: Machine) -> float:
    timing = machine.timing
    each: Mapping[LatencyKind, float] = {
        "plain": 1.0,
        "choice": 0.0 if chain.guessed else 1.0,
        "mul": PRODUCT,
        "division": timing.integer_division.value,
        "load": timing.load_latency.value,
        "memory": timing.forward_integer.value,
    }
    by_itself = chain.guessed and any(kind == "load" for kind, _ in chain.latencies)
    waits = sum(each[kind] * n for kind, n in chain.latencies if not (by_itself and kind == "load"))
    cycles = waits - SELECTED * by_itself
    return max(0.0, cycles) + (timing.forward_integer.value if chain.moves and in_memory else 0.0)
