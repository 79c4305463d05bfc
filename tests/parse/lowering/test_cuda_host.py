"""Functions of the host: what they launch and copy, how often, for how long."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofscan.api import Options, analyze_file, analyze_source
from roofscan.cost.dataflow import Dataflow
from roofscan.ir.launch import LaunchWork
from roofscan.report.json_ import kernel_json
from roofscan.report.text import render_text
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import TimePrediction

KERNELS = """
import math
import numpy as np
from numba import cuda

TPB = 128

@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.shape[0]:
        y[i] = a * x[i] + y[i]

@cuda.jit
def scale(out, x, f):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        out[i, j] = f * x[i, j]

@cuda.jit
def inc(x):
    i = cuda.grid(1)
    x[i] += 1.0

@cuda.jit
def walk(x):
    for i in range(cuda.grid(1), x.shape[0], cuda.gridsize(1)):
        x[i] += 1.0

"""

HOSTS = {
    "transfers and a loop of launches": (
        "def host(a, x, y):\n    n = x.shape[0]\n    dx = cuda.to_device(x)\n    dy = cuda.to_device(y)\n"
        "    for step in range(100):\n        axpy[(n + TPB - 1) // TPB, TPB](a, dx, dy)\n    return dy.copy_to_host()",
        "a=f4 x=f4[1000000] y=f4[1000000]", 2e8,
        [("x", 1, 4e6), ("y", 1, 4e6), ("axpy", 100, 7813), ("dy", 1, 4e6)],
    ),
    "arrays of the host, which Numba copies both ways": (
        "def host(n):\n    x = np.ones((n, n), np.float32)\n    out = np.zeros_like(x)\n    threads = (16, 16)\n"
        "    blocks = (math.ceil(x.shape[0] / threads[0]), math.ceil(n / threads[1]))\n"
        "    scale[blocks, threads](out, x, np.float32(2.0))",
        "n=1000", 1e6 + 2,  # and two divisions of whole numbers
        [("out", 1, 4e6), ("x", 1, 4e6), ("scale", 1, 63 * 63), ("out", 1, 4e6), ("x", 1, 4e6)],
    ),
    "streams and dynamic shared memory": (
        "def host(x):\n    stream = cuda.stream()\n    with cuda.pinned(x):\n"
        "        d = cuda.to_device(x, stream=stream)\n        inc[x.size // TPB, TPB, stream, TPB * 4](d)\n"
        "        d.copy_to_host(x, stream=stream)\n    stream.synchronize()",
        "x=f8[1024]", 1024,
        [("x", 1, 8192), ("inc", 1, 8), ("d", 1, 8192)],
    ),
    "forall": (
        "def host(x):\n    d = cuda.to_device(x)\n    for _ in range(10):\n        axpy.forall(len(d), 64)(2.0, d, d)",
        "x=f8[1000]", 20000, [("x", 1, 8000), ("axpy", 10, 16)],
    ),
    "a launch with a name": (
        "def host(x, n):\n    run = inc[n // 256, 256]\n    run(x)\n    run(x)\n    cuda.synchronize()",
        "x=f8[4096] n=4096", 8192, [("inc", 1, 16), ("inc", 1, 16)],
    ),
    "a launch that configure names": (
        "def host(x, n):\n    run = inc.configure(n // 256, blockdim=256)\n    run(x)\n    inc.configure(16, 256)(x)",
        "x=f8[4096] n=4096", 8192, [("inc", 1, 16), ("inc", 1, 16)],
    ),
    "an array of the device that is copied into": (
        "def host(x, d):\n    cuda.to_device(x, to=d)\n    walk[32, 128](d)\n    d.copy_to_device(x)",
        "x=f8[10000] d=f8[10000]", 10000, [("x", 1, 80000), ("walk", 1, 32), ("x", 1, 80000)],
    ),
    "one of two launches": (
        "def host(x, fast: bool):\n    if fast:\n        inc[4, 256](x)\n    else:\n        walk[2, 256](x)",
        "x=f8[1024] fast=True", 1024, [("inc", 1, 4)],
    ),
}  # fmt: skip


def report_of(host: str, bind: str) -> KernelReport:
    results = analyze_source(KERNELS + host, "k.py", Options(bind=bind, machines=("h200",), kernels="all")).kernels
    return next(r.reports[0] for r in results if r.kernel.name == "host")


def flops_of(report: KernelReport) -> float:
    return float(report.cost.flops.evaluate(report.cost.sample_point))


@pytest.mark.parametrize("name", HOSTS)
def test_launches_and_transfers_are_counted(name: str) -> None:
    host, bind, flops, steps = HOSTS[name]
    report = report_of(host, bind)
    assert (report.cost.status, flops_of(report)) == ("exact", flops)
    found = []
    for step in report.device_work:
        work = step.step.loop.device
        if isinstance(work, LaunchWork):
            blocks = [int(size.evaluate(report.cost.sample_point)) for size in work.launch.grid]
            found.append((work.kernel, step.times, blocks[0] * blocks[1] * blocks[2]))
        else:
            found.append((step.step.array, step.times, step.bytes))
    assert found == steps


@pytest.mark.parametrize(
    ("work", "rank"),
    [
        ("inc[8, 128](d)", 1),
        ("inc[8, 128](d); d.copy_to_device(out)", 1),
        ("scale[(8, 8), (16, 16)](d, d, 2.0); print(out[0, 0])", 2),
        ("scale[(8, 8), (16, 16)](d, d, 2.0)", 2),  # as the kernel reads
    ],
)
def test_what_a_device_array_is_copied_to_is_an_array(work: str, rank: int) -> None:
    report = report_of(f"def host(x, out):\n    d = cuda.to_device(x)\n    {work}\n    d.copy_to_host(out)", "")
    assert [len(array.shape) for array in report.cost.kernel.arrays if array.name == "out"] == [rank]
    assert report.device_work[-1].step.array == "d"


def test_the_link_and_the_launches_take_the_time() -> None:
    host, bind, *_ = HOSTS["transfers and a loop of launches"]
    report = report_of(host, bind)
    time = sum(step.times * step.seconds for step in report.device_work)
    assert report.time is not None and report.time.expected == pytest.approx(time)
    assert report.verdict.limit == "launch"
    assert {"link", "launch"} <= report.verdict.shares.keys()
    text = render_text([[report]], 110, False)
    assert "axpy[7813, 256]" not in text and "axpy[ceiling(n/128), 128]" in text
    shown = kernel_json([report])
    assert [step["kind"] for step in shown["device_work"]] == ["to_device", "to_device", "launch", "to_host"]
    assert "network" in shown["verdict"]["shares"] and "link" not in json.dumps(shown["verdict"]["shares"])


def test_launches_are_nodes_of_the_dataflow_graph() -> None:
    host, bind, *_ = HOSTS["transfers and a loop of launches"]
    flow = Dataflow.of(report_of(host, bind).cost.kernel)
    assert [operation.label for operation in flow.operations] == [
        "copy to the device", "copy to the device", "launch of axpy", "copy to the host"
    ]  # fmt: skip
    assert flow.readers("dx") == [2] and flow.writers("dx") == [0]


def test_a_kernel_of_another_file_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    caller = tmp_path / "main.py"
    caller.write_text("from kernels import inc\n\ndef go(x):\n    inc[x.size // 256, 256](x)\n")
    [result] = analyze_file(str(caller), Options(bind="x=f8[1024]", machines=("h200",), kernels="all")).kernels
    assert [step.step.times.constant for step in result.reports[0].device_work] == [1]
    assert flops_of(result.reports[0]) == 1024


def test_without_a_gpu_it_says_so() -> None:
    host, bind, *_ = HOSTS["forall"]
    results = analyze_source(KERNELS + host, "k.py", Options(bind=bind, kernels="all")).kernels
    report = next(r.reports[0] for r in results if r.kernel.name == "host")
    assert "GPU" in report.verdict.reason and not report.device_work


ARRAYS = {
    "an operation is a launch": (
        "import cupy as cp\ndef host(x):\n    z = (x - 0.5) / 2.0\n    return cp.exp(-0.5 * z * z)",
        "x=f4[100000000]", [("t1", 1), ("z", 1), ("t2", 1), ("t3", 1), ("t4", 1)], 5 * 8e8 / 3.84e12, "HBM",
    ),
    "small arrays wait for launches": (
        "import cupy as cp\ndef host(x, n):\n    for _ in range(n):\n        x += cp.sin(x)\n"
        "    return cp.sum(x, axis=0)",
        "x=f4[64,64] n=10", [("t1", 10), ("x", 10), ("t2", 1)], 21 * 6.6e-6, "launch",
    ),
    "a product": (
        "import cupy as cp\ndef host(a, b):\n    return cp.matmul(a, b)", "a=f4[4096,4096] b=f4[4096,4096]",
        [("t1", 1)], 2 * 4096**3 / 53.52e12, "vector",
    ),
    "a ufunc for cuda": (
        "from numba import vectorize\n@vectorize(['float32(float32, float32)'], target='cuda')\n"
        "def host(x, y):\n    return x * y + x", "x=f4[100000000] y=f4[100000000]", [("result", 1)],
        8e8 / 4.4e12 + 4e8 / 3.36e12, "HBM",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRAYS)
def test_array_expressions_are_one_launch_an_operation(name: str) -> None:
    text, bind, launches, seconds, limit = ARRAYS[name]
    [result] = analyze_source(text + "\n", "k.py", Options(bind=bind, machines=("h200",), kernels="all")).kernels
    report = result.reports[0]
    steps = [(step.step.loop.device.kernel, step.times) for step in report.device_work]
    assert steps == launches
    assert isinstance(report.time, TimePrediction)
    assert report.time.expected == pytest.approx(seconds, rel=0.35 if name.startswith(("an op", "a ufunc")) else 0.02)
    assert report.verdict.limit == limit


def test_reuse_between_launches_says_for_which_sizes() -> None:
    """Where sizes are free, it is that of the sample point."""
    text = (
        KERNELS + "def host(x, y):\n    axpy[x.size // TPB, TPB](2.0, x, y)\n    axpy[x.size // TPB, TPB](3.0, y, x)\n"
    )
    for bind, said in (("", True), ("x=f8[1048576] y=f8[1048576]", False)):
        [host] = analyze_source(text, options=Options(machines=("h200",), bind=bind), functions=["host"]).kernels
        why = kernel_json(host.reports)["levels"][-1]["why"]
        assert ("the contents of L2 between launches are derived at" in why) == said


LIKE, OWN = "db = cuda.device_array_like(da)", "db = cuda.device_array((64, 64), np.float32)"


@pytest.mark.parametrize(
    ("made", "back"),
    [
        (LIKE, "return db.copy_to_host()"),
        (OWN, "db.copy_to_host(out)"),
        ("db = cuda.to_device(out)", "db.copy_to_host(ary=out)"),
        (OWN, "y = db.copy_to_host(); dy = cuda.to_device(y); dy.copy_to_host(out)"),
    ],
)
def test_copies_have_the_rank_that_the_kernel_reads(made: str, back: str) -> None:
    run = "scale[(4, 4), (16, 16)](db, da, np.float32(2.0))"
    host = f"def host(x, out):\n    da = cuda.to_device(x)\n    {made}\n    {run}\n    {back}\n"
    kernel = report_of(host, "x=f4[64,64]").cost.kernel
    assert {len(a.shape) for a in kernel.arrays if a.name in ("x", "out", "da", "db", "dy")} == {2}
    assert not any("dimension" in text for text in kernel.assumptions)
    assert flops_of(report_of(host, "x=f4[64,64]")) == 4096
