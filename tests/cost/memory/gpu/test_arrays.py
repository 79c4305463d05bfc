"""Array operations on a GPU: what each moves through the caches, by hand; and what one leaves for the next."""

from __future__ import annotations

from fractions import Fraction

import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.memory.gpu.traffic.second_cache import Kept, LaunchBytes, kept_between
from roofscan.report.json_ import kernel_json
from roofscan.roofline.model import KernelReport

N = 1 << 24
MB = 1 << 20
ROOM = Fraction(65, 100) * 62914560  # of the H200's second cache, what the last writes leave there

OPERATIONS = {
    # body, bindings, bytes asked of L1 (read, written), bytes of memory (read, written)
    "elementwise: each operand once, temporaries too": (
        "a[:] = b + 2.0 * c", f"a=f8[{N}] b=f8[{N}] c=f8[{N}]", (32 * N, 24 * N), (32 * N, 24 * N - ROOM / 2),
    ),
    "broadcast: a row is read by every row": (
        "a += b", "a=f8[4096,4096] b=f8[4096]", (16 * N, 8 * N),
        (8 * N + 32768, 8 * N - ROOM * 8 * N / (16 * N + 32768)),
    ),
    "broadcast: a column is one sector a warp": (
        "return a * b", "a=f8[4096,4096] b=f8[4096,1]", (8 * N + N, 8 * N),
        (8 * N + 32768, 8 * N - ROOM * 8 * N / (16 * N + 32768)),
    ),
    "transposed: a sector an element": (
        "return a + b.T", "a=f8[4096,4096] b=f8[4096,4096]", (40 * N, 8 * N), (16 * N, 8 * N - ROOM / 3),
    ),
    "every second element": ("return a[::2] * 3.0", f"a=f8[{2 * N}]", (16 * N, 8 * N), (16 * N, 8 * N - ROOM / 3)),
    "every 16th element: memory hands out 64 bytes": (
        "return a[::16] * 3.0", f"a=f8[{16 * N}]", (32 * N, 8 * N), (64 * N, 8 * N - ROOM / 9),
    ),
    "a sum of all": ("return np.sum(a)", f"a=f8[{N}]", (8 * N, 0), (8 * N, 0)),
    "a sum along rows": ("return np.sum(a, axis=1)", "a=f8[4096,4096]", (8 * N, 32768), (8 * N, 32768 - ROOM / 4096)),
    "short rows": ("return a * b", f"a=f8[{N // 4},4] b=f8[4]", (9 * N, 8 * N), (8 * N + 64, 8 * N - ROOM / 2)),
    "a small chain stays in the cache": (
        "x += 1.0\n    x *= 2.0\n    return x", "x=f8[1048576]", (16 * MB, 16 * MB), (8 * MB, 0),
    ),
    "sweeps that follow each other": (  # of 50 MB each, which fit in turn
        "z = x / y\n    return z / y", f"x=f4[{N // 4}] y=f4[{N // 4}]", (4 * N, 2 * N),
        (2 * N, N + N - ROOM / 3),
    ),
    "a loop of operations": (
        "for _ in range(10):\n        x += 1.0", "x=f8[1048576]", (80 * MB, 80 * MB), (8 * MB, 0),
    ),
    "a loop over more than the cache holds": (
        "for _ in range(10):\n        x += 1.0", f"x=f8[{N}]", (80 * N, 80 * N), (80 * N, 80 * N - ROOM / 2),
    ),
}  # fmt: skip


def report_of(body: str, bind: str) -> KernelReport:
    names = ", ".join(word.partition("=")[0] for word in bind.split())
    text = f"import cupy as np\n# roofscan: {bind}\ndef kernel({names}):\n    {body}\n"
    [result] = analyze_source(text, "k.py", Options(machines=("h200",))).kernels
    return result.reports[0]


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_move_whole_sectors(name: str) -> None:
    body, bind, asked, moved = OPERATIONS[name]
    report = report_of(body, bind)
    first, _, last = report.levels
    totals = [(level.traffic.total.load, level.traffic.total.writeback) for level in (first, last)]
    found = [tuple(float(e.evaluate(report.cost.sample_point)) for e in both) for both in totals]
    assert found[0] == asked
    assert found[1] == pytest.approx(tuple(map(float, moved)), rel=1e-3)
    assert first.traffic.granule == 32 and last.traffic.granule == 64
    assert first.traffic.requests is not None
    assert first.traffic.requests.sectors.constant == sum(asked) / 32
    assert {level.traffic.status for level in report.levels} == {"estimate"}


def test_products_are_a_lower_bound() -> None:
    report = report_of("return a @ b", "a=f4[4096,4096] b=f4[4096,4096]")
    assert {level.traffic.status for level in report.levels} == {"lower_bound"}


def test_a_product_of_an_array_with_itself_reads_it_once() -> None:
    first, _, last = report_of("return a @ a", "a=f4[4096,4096]").levels
    assert [float(level.traffic.arrays["a"].load.constant or 0) for level in (first, last)] == [4 * N, 4 * N]
    reductions = report_of("return np.sum(a) / np.sum(a)", f"a=f4[{N}]").levels[0].traffic
    assert reductions.arrays["a"].load.constant == 8 * N


def test_what_the_cache_keeps() -> None:
    x, y = LaunchBytes(100, 0, 100), LaunchBytes(0, 100, 100)
    once = kept_between([{"x": x, "y": y}, {"y": x}], 200, again=False)
    assert once == [{"x": Kept(1, 0.15), "y": Kept(1, 0.15)}, {"y": Kept(0, 1.0)}]
    again = kept_between([{"x": x, "y": y}, {"y": x}], 200, again=True)
    assert again == [{"x": Kept(0, 0), "y": Kept(0, 1)}, {"y": Kept(0, 1)}]
    assert kept_between([{"x": x, "y": y}, {"y": x}], 154, again=False)[1] == {"y": Kept(1, 1)}


CUPY = """
import cupy as cp
scaled = cp.ElementwiseKernel("float32 x", "float32 y", "y = 2 * x", "scaled")
@cp.fuse()
def fused(x: cp.ndarray, y: cp.ndarray):
    return cp.tanh(x) * x + y
def host(n: int):
    x = cp.zeros(n, dtype=cp.float32)
    return cp.asnumpy(x + 1.0)
def calls(x: cp.ndarray):
    return cp.sqrt(scaled(x))
"""


@pytest.mark.parametrize("name, said", [
    ("fused", "cupy.fuse makes one launch"), ("calls", "scaled (CUDA C++ of cupy.ElementwiseKernel) is not known"),
])  # fmt: skip
def test_what_cupy_does_otherwise_is_said(name: str, said: str) -> None:
    kernels = analyze_source(CUPY, "k.py", Options(machines=("h200",), kernels="all")).kernels
    kernel = next(k.kernel for k in kernels if k.kernel.name == name)
    assert any(reason.message.startswith(said) for reason in kernel.reasons)


def test_operations_beside_a_transfer_make_a_lower_bound() -> None:
    kernels = analyze_source(CUPY, "k.py", Options(machines=("h200",), kernels="all")).kernels
    cost = next(k for k in kernels if k.kernel.name == "host").reports[0].cost
    assert cost.reuse is not None and cost.reuse.traffic(262_144).status == "lower_bound"


@pytest.mark.parametrize(
    ("body", "products"),
    [("return a @ b", 1), ("return cp.maximum(a @ b + c, 0)", 1), ("return (a @ b + cp.dot(b, c)) * 2", 2),
     ("for _ in range(10):\n        a = a @ b\n    return a", 10)],
)  # fmt: skip
def test_each_product_takes_its_own_time(body: str, products: int) -> None:
    """The other operations of its line do not pay for it, and a loop repeats it: 53.5 TFLOP/s in single precision."""
    text = f"import cupy as cp\n# roofscan:\ndef f(a, b, c):\n    {body}\n"
    bind = "a=f4[4096,4096] b=f4[4096,4096] c=f4[4096,4096]"
    [kernel] = analyze_source(text, options=Options(bind=bind, machines=("h200",))).kernels
    expected = kernel_json(kernel.reports)["verdict"]["time_seconds"]["expected"]["value"]
    assert expected == pytest.approx(products * 2 * 4096**3 / 53.52e12, rel=0.05)
