"""What nodes exchange, against blocks cut by hand: every element that the iterations of an inner block read and that
other nodes hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import pytest

from roofscan.api import Options, analyze_source
from roofscan.roofline.model import KernelReport
from roofscan.roofline.network import Exchange, NotDecomposed, exchange_of, grid_of, shared
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.expr import Expr

Cell = tuple[int, ...]

HEAD = "from numba import njit\n\n@njit\ndef f({}):\n    n = u.shape[0]\n{}"


def report(parameters: str, body: str, **options: object) -> KernelReport:
    text = HEAD.format(parameters, "\n".join("    " + line for line in body.strip("\n").splitlines()) + "\n")
    return analyze_source(text, options=Options(**options)).kernels[0].reports[0]  # type: ignore[arg-type]


def exchange(parameters: str, body: str, nodes: int = 16) -> Exchange:
    cost = report(parameters, body).cost
    return exchange_of(cost.kernel, nodes, cost.sample_point)


def halo_by_hand(n: int, grid: Cell, reads: Callable[[Cell], Iterator[Cell]]) -> int:
    """Elements that a block in the middle reads and does not hold; the loops run from 1 to n - 1."""
    sides = [(n - 2) // parts for parts in grid]
    firsts = [1 + side * (parts // 2) for side, parts in zip(sides, grid)]
    block = set(product(*(range(first, first + side) for first, side in zip(firsts, sides))))
    return len({cell for place in block for cell in reads(place)} - block)


def star(place: Cell) -> Iterator[Cell]:
    for d in range(len(place)):
        for step in (-1, 1):
            yield tuple(x + step * (e == d) for e, x in enumerate(place))


STAR_2D = """
for i in range(1, n - 1):
    for j in range(1, n - 1):
        v[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
"""
BOX_2D = """
for i in range(1, n - 1):
    for j in range(1, n - 1):
        v[i, j] = u[i - 1, j - 1] + u[i + 1, j + 1] + u[i - 1, j + 1] + u[i + 1, j - 1] + u[i, j] + u[i - 1, j] \\
            + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]
"""
SKEWED = """
for i in range(1, n - 1):
    for j in range(1, n - 1):
        v[i, j] = u[i - 1, j - 1] + u[i + 1, j + 1]
"""
STAR_3D = """
for i in range(1, n - 1):
    for j in range(1, n - 1):
        for k in range(1, n - 1):
            v[i, j, k] = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k] \\
                + u[i, j, k - 1] + u[i, j, k + 1]
"""


def box(place: Cell) -> Iterator[Cell]:
    yield from ((place[0] + a, place[1] + b) for a in (-1, 0, 1) for b in (-1, 0, 1))


def skewed(place: Cell) -> Iterator[Cell]:
    yield from ((place[0] + a, place[1] + a) for a in (-1, 1))


@pytest.mark.parametrize(
    ("body", "reads", "nodes"),
    [(STAR_2D, star, 16), (BOX_2D, box, 16), (SKEWED, skewed, 16), (STAR_3D, star, 64), (STAR_2D, star, 12)],
)
def test_halos_are_exact(body: str, reads: Callable[[Cell], Iterator[Cell]], nodes: int) -> None:
    found = exchange("u, v", body, nodes)
    n = 2 + 12 * 4
    inner = all(parts > 2 for parts in found.grid)
    assert inner and found.steps.constant == 1 and found.a_call == found.a_step
    symbols = dict.fromkeys(found.a_call.symbols, n)
    assert found.a_call.evaluate(symbols) == 8 * halo_by_hand(n, found.grid, reads)


def test_the_stencil_on_a_cluster_has_work_n_squared_and_a_halo_of_n() -> None:
    cost = report("u, v", STAR_2D).cost
    found = exchange_of(cost.kernel, 16, cost.sample_point)
    assert found.a_call.degree("n") == 1 and cost.flops.degree("n") == 2


def test_operands_of_a_product_are_panels() -> None:
    found = exchange(
        "u, w, v", "for i in range(n):\n    for j in range(n):\n        for k in range(n):\n"
        "            v[i, j] += u[i, k] * w[k, j]",
    )  # fmt: skip
    assert str(found.a_call) == "3*n**2"  # of two panels of n * n/4, three quarters each: 2 * 3/4 * n**2/4 * 8 B


def test_streams_exchange_nothing() -> None:
    assert not exchange("u, v", "for i in range(n):\n    v[i] += u[i]").a_call


def test_steps_are_those_of_the_loop_around() -> None:
    sweep = "\n".join("    " + line for line in STAR_2D.strip().splitlines())
    back = "    for i in range(1, n - 1):\n        for j in range(1, n - 1):\n            u[i, j] = v[i, j]"
    found = exchange("u, v, T", f"for t in range(T):\n{sweep}\n{back}")
    assert str(found.steps) == "T" and str(found.a_step) == "8*n - 16" and str(found.a_call) == "8*T*n - 16*T"


def test_a_transposed_block_is_received_whole() -> None:
    assert (
        str(exchange("u, v", "for i in range(n):\n    for j in range(n):\n        v[i, j] = u[j, i]").a_call)
        == "n**2/2"
    )


def test_arrays_that_no_step_writes_are_exchanged_once() -> None:
    body = "for t in range(T):\n    for i in range(1, n - 1):\n        v[i] = v[i] + u[i - 1] + v[i - 1]"
    found = exchange("u, v, T", body, 4)
    assert str(found.a_call) == "8*T + 8" and str(found.a_step) == "8"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("for i in range(n):\n    v[i] = u[w[i]]", "u has a subscript that is not affine"),
        ("for i in range(n):\n    for j in range(n):\n        v[i, j] = u[i, i]", "along a diagonal"),
        ("s = 0.0\nfor i in range(n):\n    s += u[i]\nreturn s", "no loop places"),
    ],
)
def test_what_is_not_known_is_told(body: str, why: str) -> None:
    with pytest.raises(NotDecomposed, match=why):
        exchange("u, v, w", body)


def test_grids_are_as_square_as_can_be() -> None:
    assert [grid_of(p, 2) for p in (1, 7, 12, 16, 30)] == [(1, 1), (7, 1), (4, 3), (4, 4), (6, 5)]
    assert [grid_of(p, 3) for p in (8, 24, 64)] == [(2, 2, 2), (4, 3, 2), (4, 4, 4)]


def test_the_time_of_a_node() -> None:
    alone = TimePrediction(1.0, 0.5, {"DRAM": 0.75, "chain": 0.25}, True)
    time = shared(alone, 4, 0.75)
    assert time.expected == 1.0 and time.at_least == 0.75 and time.limit == "network"
    assert time.parts == {"DRAM": 0.1875, "chain": 0.0625, "network": 0.75}
    assert isinstance(Expr.of(1), Expr)
