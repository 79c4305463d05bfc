"""CUDA kernels: the work of a launch, with every way to compute a thread's index."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source

HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n\n"

KERNELS = {
    "a guard": ("2*x_shape_0", """
i = cuda.grid(1)
if i < x.shape[0]:
    y[i] = a * x[i] + y[i]
"""),
    "an early return": ("2*x_shape_0", """
i = cuda.grid(1)
if i >= x.size:
    return
y[i] = a * x[i] + y[i]
"""),
    "a place by hand": ("x_shape_0", """
i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
if i < x.size:
    y[i] = a * x[i]
"""),
    "a stride of the whole grid": ("x_shape_0", """
for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
    y[i] = a * x[i]
"""),
    "two axes": ("n*m", """
i, j = cuda.grid(2)
n, m = A.shape
if i < n and j < m:
    A[i, j] = a * A[i, j]
"""),
    "an atomic sum": ("2*x_shape_0", """
i = cuda.grid(1)
if i < x.shape[0]:
    cuda.atomic.add(y, 0, a * x[i])
"""),
    "a helper on the device": ("3*x_shape_0", """
i = cuda.grid(1)
if i < x.size:
    y[i] = helper(x[i], a)
"""),
    "local memory": ("3*x_shape_0", """
i = cuda.grid(1)
if i < x.size:
    parts = cuda.local.array(3, dtype=np.float64)
    for k in range(3):
        parts[k] = a * x[i]
    y[i] = parts[0]
"""),
}  # fmt: skip
HELPER = "@cuda.jit(device=True)\ndef helper(u, v):\n    return u * v + math.sqrt(u)\n\n\n"


def report(body: str, machine: str = "a100-40gb"):
    text = f"{HEAD}{HELPER}@cuda.jit\ndef kernel(a, x, y, A):" + body.replace("\n", "\n    ")
    results = analyze_source(text, "k.py", Options(machines=(machine,))).kernels
    return next(r for r in results if r.kernel.name == "kernel").reports[0]


@pytest.mark.parametrize("name", KERNELS)
def test_all_threads_are_counted_with_a_verdict_on_the_device(name: str) -> None:
    flops, body = KERNELS[name]
    found = report(body)
    assert (found.cost.status, found.scope) == ("exact", "device")
    assert {str(found.cost.flops), "n*m" if str(found.cost.flops) == "m*n" else ""} & {flops}
    assert found.verdict.bound == "memory"


def test_a_helper_is_counted_once() -> None:
    [helper] = analyze_source(HEAD + HELPER).kernels
    assert (helper.reports[0].cost.status, str(helper.reports[0].cost.flops)) == ("exact", "3")


def test_neighbours_in_x_that_are_rows_apart_are_found() -> None:
    """``i, j = cuda.grid(2)``: i is x, so neighbouring threads access a column."""
    assert any(f.code == "RFL201" for f in report(KERNELS["two axes"][1]).findings)
    assert not any(f.code == "RFL201" for f in report(KERNELS["a guard"][1]).findings)


def test_no_processor_runs_it_and_no_order_of_threads_is_promised() -> None:
    found = report(KERNELS["two axes"][1], "generic-x86-64")
    assert "choose a GPU" in found.verdict.reason and not found.findings
    assert {row.traffic.status for row in found.levels} == {"exact", "estimate"}
