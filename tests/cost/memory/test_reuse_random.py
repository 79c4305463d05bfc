"""Random affine nests: the model against the oracle, as a share of levels, and what always holds."""

from __future__ import annotations

from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from roofscan.cost.memory.lru import analyze_reuse
from roofscan.ir.kernel import Kernel
from roofscan.symbolic.expr import Expr
from tests.support.lru_simulator import Tracer, simulate, truth_range
from tests.support.nest_notation import nest

NESTS = 60
RIGHT = 0.90
"""The share of levels in the range of the truth that random nests must reach: they are uglier than real ones."""
CAPACITIES = (512, 2048, 8192)
EXTENT = 26


def random_nest(random: Random) -> str:
    """One or two nests of two or three loops over arrays with room for every subscript."""
    arrays = {name: random.choice((1, 2, 2, 3)) for name in "ABC"[: random.randint(1, 3)]}
    room = {1: "N", 2: "N,M", 3: "K,K,M"}
    lines = [" ".join(f"{name}[{room[rank]}]" for name, rank in arrays.items())]
    for number in range(random.randint(1, 2)):
        _nest(random, arrays, f"{number}", lines)
    return "\n".join(lines)


def _nest(random: Random, arrays: dict[str, int], tag: str, lines: list[str]) -> None:
    variables: list[str] = []
    for depth in range(random.randint(1, 3)):
        var = f"v{tag}{depth}"
        lines.append(f"{'  ' * depth}for {var} {_bounds(random, variables)}")
        variables.append(var)
    for _ in range(random.randint(1, 4)):
        name = random.choice(sorted(arrays))
        index = ",".join(_index(random, variables, arrays[name]))
        lines.append(f"{'  ' * len(variables)}{name}[{index}]{random.choice(('', '', '=', '+='))}")


def _bounds(random: Random, outer: list[str]) -> str:
    shape = random.random()
    if outer and shape < 0.15:
        return f"0 {random.choice(outer)}+1"
    if outer and shape < 0.25:
        return f"{random.choice(outer)} n"
    if shape < 0.35:
        return "n-1 -1 -1"
    return random.choice(("0 n", "0 m", "1 n-1", "0 n 2"))


def _index(random: Random, variables: list[str], rank: int) -> list[str]:
    """Subscripts: each of a variable of its own as far as there are any, now and then a diagonal."""
    chosen = random.sample(variables, min(rank, len(variables)))
    while len(chosen) < rank:
        chosen.append(random.choice([*variables, "2", "2"]))
    random.shuffle(chosen)
    return [v if v == "2" else v + random.choice(("", "", "", "+1", "+2")) for v in chosen]


def sizes_of(random: Random) -> dict[str, int]:
    n = random.randint(8, EXTENT)
    return {"n": n, "m": random.randint(4, n), "N": EXTENT + 4, "M": random.choice((32, 30, 33)), "K": EXTENT + 4}


def right(kernel: Kernel, sizes: dict[str, int]) -> list[bool]:
    """For each capacity whether the model's figures are in the range of the truth."""
    trace = Tracer(kernel, sizes).trace()
    model = analyze_reuse(kernel, sizes, 64)
    verdicts = []
    for capacity in CAPACITIES:
        total = model.traffic(capacity).total
        load, fill, back = (float(e.evaluate(sizes)) for e in (total.load, total.fill, total.writeback))
        plain, allocating = truth_range(trace, capacity)
        verdicts.append(plain[0] <= load + back <= plain[1] and allocating[0] <= load + fill + back <= allocating[1])
    return verdicts


def test_random_nests_are_right_nearly_always() -> None:
    random = Random(20)
    verdicts: list[bool] = []
    for _ in range(NESTS):
        verdicts += right(nest(random_nest(random)), sizes_of(random))
    assert sum(verdicts) >= RIGHT * len(verdicts), f"{sum(verdicts)} of {len(verdicts)}"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**6))
def test_what_always_holds(seed: int) -> None:
    random = Random(seed)
    kernel, sizes = nest(random_nest(random)), sizes_of(random)
    model = analyze_reuse(kernel, sizes, 64)
    trace = Tracer(kernel, sizes).trace()
    before: float | None = None
    for capacity in (256, *CAPACITIES, 2**30):
        traffic = model.traffic(capacity)
        parts = [traffic.total.load, traffic.total.fill, traffic.total.writeback]
        values = [float(e.evaluate(sizes)) for e in parts]
        assert all(v >= -1e-6 for v in values)
        assert before is None or sum(values) <= before + 1e-6, "a larger cache never moves more"
        before = sum(values)
        by_array = sum((m.load + m.fill + m.writeback for m in traffic.arrays.values()), start=Expr())
        assert by_array == sum(parts, start=Expr())
        if traffic.status == "exact":
            truth = simulate(trace, capacity)
            assert values == [truth.sum_of(p) for p in ("load", "fill", "writeback")]
