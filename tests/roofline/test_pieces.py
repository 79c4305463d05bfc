"""Traffic in pieces: at every size, the one piece that holds there says what the analysis bound to that size says."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import pytest

from roofscan.cost.decided_tests import with_decided_tests
from roofscan.cost.memory.base import Movement, Traffic
from roofscan.cost.memory.models import memory_model
from roofscan.cost.result import KernelCost
from roofscan.roofline.pieces import TrafficPiece
from roofscan.roofline.whole_lines import AllSizes
from roofscan.symbolic.expr import NotEvaluable, Number
from tests.fixture_files import FIXTURES, Fixture, read_fixtures
from tests.oracle.analysis import analyzed

CACHES = (32 << 10, 1 << 20, 32 << 20)
KERNELS = [
    *read_fixtures(FIXTURES / "streams.py"),
    *read_fixtures(FIXTURES / "stencils.py"),
    *read_fixtures(FIXTURES / "everyday.py"),
]
TRIALS = 3
SEED = 20_261_122

MATMUL = """
def matmul(A, B, C):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[k, j]
"""


@cache
def pieces_of(source: str, name: str) -> AllSizes:
    return AllSizes(analyzed(source, name, "").cost)


def holding(pieces: tuple[TrafficPiece, ...], sizes: dict[str, Number]) -> list[TrafficPiece]:
    return [piece for piece in pieces if all(g.evaluate(sizes) >= 0 for g in piece.when)]


def bytes_of(moved: Movement, sizes: dict[str, Number]) -> tuple[Number, ...]:
    return tuple(part.evaluate(sizes) for part in (moved.load, moved.fill, moved.writeback))


def bound(cost: KernelCost, sizes: dict[str, Number], capacity: int) -> Traffic:
    return memory_model(with_decided_tests(cost.kernel, sizes), sizes, 64).traffic(capacity)


@pytest.mark.parametrize("n", [8, 50, 51, 360, 361, 1000, 1671, 2040, 2046, 2047, 2048, 3001, 14_563, 20_000])
@pytest.mark.parametrize("capacity", CACHES)
def test_a_matrix_product_at_every_size(n: int, capacity: int) -> None:
    [piece] = holding(pieces_of(MATMUL, "matmul").at(capacity), {"n": n})
    traffic = bound(analyzed(MATMUL, "matmul", "").cost, {"n": n}, capacity)
    mine, theirs = (sum(bytes_of(moved, {"n": n})) for moved in (piece.moved, traffic.total))
    assert mine == theirs if piece.status == "exact" else float(mine) == pytest.approx(float(theirs), rel=0.05)


def test_the_last_piece_is_the_cost_itself() -> None:
    cost = analyzed(MATMUL, "matmul", "").cost
    assert cost.reuse is not None
    *_, last = pieces_of(MATMUL, "matmul").at(CACHES[2])
    assert last.moved == cost.reuse.traffic(CACHES[2]).total
    assert [str(g) for g in last.when] == ["n - 2047", "-n + 466032", "-n + 8*floor(n/8)"]


def test_a_bound_size_is_the_only_one() -> None:
    [piece] = AllSizes(analyzed(MATMUL, "matmul", "n=1000").cost).at(CACHES[2])
    assert [str(g) for g in piece.when] == ["n - 1000", "-n + 1000"]
    assert sum(bytes_of(piece.moved, {"n": 1000})) == 32 * 1000**2


@pytest.mark.parametrize("capacity", CACHES)
def test_a_subscript_that_wraps_around_has_no_size_of_the_sample_point(capacity: int) -> None:
    """The last iteration finds what the first one read: n iterations ago, whatever n is."""
    source = (FIXTURES / "everyday.py").read_text(encoding="utf-8")
    cost = analyzed(source, "periodic_mod", "").cost
    pieces = pieces_of(source, "periodic_mod").at(capacity)
    assert max(abs(c) for piece in pieces for c in piece.moved.load.terms.values()) < 1000
    for n in (1 << 12, 1 << 20, 1 << 24, 1 << 33, 1 << 40):
        [piece] = holding(pieces, {"n": n})
        theirs = bytes_of(bound(cost, {"n": n}, capacity).total, {"n": n})
        assert [*map(float, bytes_of(piece.moved, {"n": n}))] == pytest.approx([*map(float, theirs)], abs=128)


def test_rounds_of_a_loop_that_halves_are_a_condition() -> None:
    """The places of its rounds are those of one number of rounds: no piece holds for another, and none is exact."""
    source = (FIXTURES / "shapes.py").read_text(encoding="utf-8")
    cost = analyzed(source, "halving", "").cost
    first = 2 ** (int(cost.sample_point["n"]).bit_length() - 1)
    pieces = pieces_of(source, "halving").at(CACHES[2])
    for n in (first, first + 8, 2 * first - 1):
        [piece] = holding(pieces, {"n": n})
        assert piece.status == "estimate"
        mine, theirs = (
            float(sum(bytes_of(m, {"n": n}))) for m in (piece.moved, bound(cost, {"n": n}, CACHES[2]).total)
        )
        assert mine == pytest.approx(theirs, rel=0.02)
    assert not any(holding(pieces, {"n": n}) for n in (1, 8, first - 1, 2 * first))
    assert len(holding(pieces_of(source, "halving").at(0), {"n": 8})) == 1
    assert ["the traffic is for" in reason.message for reason in cost.kernel.reasons] == [True]
    assert not analyzed(source, "halving", "x=f8[100]").cost.kernel.reasons


@pytest.mark.parametrize("fixture", KERNELS, ids=lambda fixture: fixture.id)
def test_pieces_equal_the_bound_analysis(fixture: Fixture) -> None:
    compare(fixture.source, fixture.name, random.Random(f"{SEED} {fixture.id}"))


def compare(source: str, name: str, rng: random.Random) -> None:
    """Where a piece is exact it is what the bound analysis says, to the byte; and no two pieces hold at once."""
    cost = analyzed(source, name, "").cost
    if cost.reuse is None or cost.reuse.status == "unknown" or not cost.free:
        return
    for capacity in CACHES:
        pieces = pieces_of(source, name).at(capacity)
        assert pieces[-1].moved == cost.reuse.traffic(capacity).total
        assert len(pieces) <= 16
        for sizes in drawn(cost, pieces, rng):
            found = holding(pieces, sizes)
            assert len(found) < 2
            if found and found[0].status == "exact":
                traffic = bound(cost, sizes, capacity)
                assert bytes_of(found[0].moved, sizes) == bytes_of(traffic.total, sizes), (capacity, sizes)


def drawn(cost: KernelCost, pieces: tuple[TrafficPiece, ...], rng: random.Random) -> Iterator[dict[str, Number]]:
    """Sizes near the thresholds, and others."""
    near: dict[str, set[int]] = {}
    for g in (g for piece in pieces for g in piece.when if len(g.symbols) == 1 and not g.atoms):
        [name] = g.symbols
        edge = abs(int(g.constant_term))
        near.setdefault(name, set()).update((edge - 1, edge, edge + 1, edge // 8 * 8))
    sizes = [s.name for s in cost.kernel.symbols if s.name in cost.free and s.kind == "size"]
    for _ in range(TRIALS):
        values = dict(cost.sample_point)
        for name in sizes:
            others = (rng.randrange(1, 100), rng.randrange(1, 4000), 8 * rng.randrange(1, 400))
            chosen = rng.choice(sorted(near[name])) if name in near and rng.random() < 0.6 else rng.choice(others)
            values[name] = max(1, chosen)
        try:
            yield values | {n: e.evaluate(values) for n, e in cost.kernel.values.items() if n in cost.free}
        except NotEvaluable:
            continue
