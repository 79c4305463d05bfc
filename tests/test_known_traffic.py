"""Formulas of the literature: the kernels of ``fixtures/known_traffic.py`` at the sizes where their traffic changes.

Loads, fills and write-backs are in bytes an update (an execution of the innermost statement), within 2 % of
the derivation below each kernel, and more where a grid is small and its border counts.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from roofscan.api import analyze_file
from roofscan.config.options import Options
from roofscan.cost.memory.lru import analyze_reuse
from roofscan.ir.kernel import Kernel
from tests.support.lru_simulator import Tracer, simulate

FILE = Path(__file__).parents[1] / "fixtures" / "known_traffic.py"
KIB, MIB = 1 << 10, 1 << 20
LARGE = 55 * MIB // 2


@cache
def kernels() -> dict[str, Kernel]:
    results = analyze_file(str(FILE), Options(caches=(KIB,))).kernels
    return {result.kernel.name: result.kernel for result in results}


def moved(name: str, capacity: int, **sizes: int) -> tuple[float, float, float]:
    """Bytes loaded, filled and written back."""
    traffic = analyze_reuse(kernels()[name], sizes, 64).traffic(capacity).total
    load, fill, back = (float(part.evaluate(sizes)) for part in (traffic.load, traffic.fill, traffic.writeback))
    return load, fill, back


@pytest.mark.parametrize(("columns", "load"), [(1024, 8), (1032, 24)])
def test_three_rows_and_one(columns: int, load: int) -> None:
    updates = 1998 * (columns - 2)
    bytes_each = [part / updates for part in moved("star_2d", 32 * KIB, n=2000, m=columns)]
    assert bytes_each == pytest.approx([load, 8, 8], rel=0.02)


@pytest.mark.parametrize(("capacity", "last"), [(32 * KIB, 32), (MIB, 181), (LARGE, 949)])
def test_three_planes_and_one(capacity: int, last: int) -> None:
    fits, beyond = (moved("star_3d", capacity, n=n)[0] / (n - 2) ** 3 for n in (last, last + 2))
    assert fits == pytest.approx(8, rel=7 / last)
    assert beyond == pytest.approx(24, rel=3.5 / last)


@pytest.mark.parametrize(("capacity", "last"), [(32 * KIB, 682), (MIB, 21845)])
def test_rows_where_planes_do_not_fit(capacity: int, last: int) -> None:
    fits, beyond = (moved("star_3d", capacity, n=n)[0] / (n - 2) ** 3 for n in (last, last + 8))
    assert (fits, beyond) == (pytest.approx(24, rel=0.02), pytest.approx(40, rel=0.02))


@pytest.mark.parametrize(("capacity", "last"), [(MIB, 109), (LARGE, 572)])
def test_eleven_planes_of_a_star_of_radius_4(capacity: int, last: int) -> None:
    """u and c are loaded besides v."""
    fits, beyond = (moved("star_radius_4", capacity, n=n)[0] / (n - 8) ** 3 for n in (last, last + 8))
    assert fits == pytest.approx(8 + 16, rel=15 / last)
    assert beyond == pytest.approx(72 + 16, rel=9 / last)


@pytest.mark.parametrize(("capacity", "last"), [(32 * KIB, 215), (MIB, 6898)])
def test_nineteen_rows_of_a_star_of_radius_4(capacity: int, last: int) -> None:
    fits, beyond = (moved("star_radius_4", capacity, n=n)[0] / (n - 8) ** 3 for n in (last, last + 8))
    assert (fits, beyond) == (pytest.approx(88, rel=0.04), pytest.approx(152, rel=0.04))


@pytest.mark.parametrize(("rows", "load", "back"), [(448, 8, 0), (464, 72, 8)])
def test_columns_of_a_matrix_see_y_again(rows: int, load: int, back: int) -> None:
    """Beyond, a line of A an element, and y."""
    found = [part / (rows * 512) for part in moved("matvec_columns", 32 * KIB, n=rows, m=512)]
    assert found == pytest.approx([load, 0, back], abs=0.05)


@pytest.mark.parametrize("capacity", [LARGE, 128 * MIB])
def test_memory_sees_the_matrix_alone(capacity: int) -> None:
    found = sum(moved("matvec_columns", capacity, n=100_000, m=10_000)) / 10**9
    assert found == pytest.approx(8, rel=0.01)


def test_a_product_by_dots_falls_from_compulsory_traffic_at_a_mebibyte() -> None:
    load, fill, back = moved("product_dots", MIB, n=360, m=360, p=360)
    assert (load, fill, back) == (16 * 360**2, 8 * 360**2, 8 * 360**2)
    load, _, _ = moved("product_dots", MIB, n=368, m=368, p=368)
    assert load == pytest.approx(8 * 368**3, rel=0.01)


def test_a_product_by_rows_loads_b_again_and_again() -> None:
    fits, beyond = (moved("product_rows", 32 * KIB, n=n, m=n, p=n) for n in (2000, 2048))
    assert [part / 2000**3 for part in fits] == pytest.approx([8, 0, 0], abs=0.02)
    assert [part / 2048**3 for part in beyond] == pytest.approx([16, 0, 8], abs=0.02)


@pytest.mark.parametrize(
    ("name", "load", "back"), [("all_pairs_paths", 8, 8), ("cholesky_right", 4 / 3, 4 / 3), ("lu_right", 8 / 3, 8 / 3)]
)
def test_sweeps_over_a_matrix_and_their_thirds(name: str, load: float, back: float) -> None:
    """Lines at the edges of triangles add some hundredths."""
    found = [part / 1024**3 for part in moved(name, 256 * KIB, n=1024)]
    assert found == pytest.approx([load, 0, back], rel=0.03)


TILES = (8, 16, 24, 32, 40, 48, 64)


@pytest.mark.parametrize(
    ("name", "capacity", "best"),
    [("product_tiled", 6 * KIB, 24), ("product_tiled_rows", 6 * KIB, 24), ("product_tiled_rows", 32 * KIB, 48)],
)
def test_the_best_tile(name: str, capacity: int, best: int) -> None:
    """Found by simulation at n = 192. Three tiles in the cache, as textbooks assume, give 16 and 32."""
    traffic = {t: sum(moved(name, capacity, n=192, t=t)[::2]) for t in TILES}
    assert min(traffic, key=lambda t: traffic[t]) == best


@pytest.mark.parametrize("name", ["product_tiled", "product_tiled_rows"])
def test_traffic_of_tiles_is_that_of_a_simulation(name: str) -> None:
    for tile in (8, 16):
        sizes = {"n": 32, "t": tile}
        truth = simulate(Tracer(kernels()[name], sizes).trace(), 6 * KIB)
        load, fill, back = moved(name, 6 * KIB, **sizes)
        assert (load, fill) == (pytest.approx(truth.sum_of("load"), rel=0.03), truth.sum_of("fill"))
        assert back == pytest.approx(truth.sum_of("writeback"), rel=0.1)
