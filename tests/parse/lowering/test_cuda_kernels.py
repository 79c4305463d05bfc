"""CUDA kernels of every kind under small launches: operations by hand, and the accesses of a run of every thread."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from roofscan.api import Options, analyze_source
from roofscan.cost.bindings import resolve_values
from roofscan.parse.reader.facts import parse_facts
from tests.oracle.launches import Triple, launched

HEAD, *PARTS = (Path(__file__).parent / "cuda_kernels.py").read_text().split("\n\n\n")
CASES: dict[str, tuple[str, Triple, Triple, int]] = {
    "stencil3d": ("u=f8[9,10,11] v=f8[9,10,11]", (3, 3, 3), (4, 4, 4), 7 * 7 * 8 * 9),
    "stencil3d_march": ("u=f8[9,10,11] v=f8[9,10,11]", (3, 3, 1), (4, 4, 1), 3 * 7 * 8 * 9),
    "gemm_naive": ("A=f8[9,5] B=f8[5,7] C=f8[9,7] alpha=1.5 beta=0.5", (2, 2, 1), (8, 5, 1), 63 * (2 * 5 + 3)),
    "gemm_guarded": ("A=f8[20,18] B=f8[18,24] C=f8[20,24]", (2, 2, 1), (16, 16, 1), 32 * 32 * 2 * 32),
    "transpose_tiled": ("a=f4[40,50] b=f4[50,40]", (2, 2, 1), (32, 8, 1), 0),
    "layernorm": ("x=f4[3,300] y=f4[3,300] eps=1e-5", (3, 1, 1), (256, 1, 1), 3 * (6 * 300 + 2 * 255 + 5 * 256)),
    "softmax_rows": ("x=f4[20,30] y=f4[20,30]", (3, 1, 1), (8, 1, 1), 20 * (7 * 30 - 1)),
    "gelu": ("x=f4[100] y=f4[100]", (3, 1, 1), (8, 1, 1), 9 * 100),
    "gemv_block": ("A=f8[3,200] x=f8[200] y=f8[3]", (3, 1, 1), (64, 1, 1), 3 * (400 + 63)),
    "gemv_thread": ("A=f8[20,30] x=f8[30] y=f8[20]", (3, 1, 1), (8, 1, 1), 2 * 600),
    "nbody_tiled": ("pos=f4[256,4] acc=f4[256,1] eps=1e-5", (2, 1, 1), (128, 1, 1), 256 * 256 * 10),
    "saxpy_while": ("a=1.5 x=f8[100] y=f8[100]", (3, 1, 1), (8, 1, 1), 200),
    "early": ("a=1.5 x=f8[20] y=f8[20]", (3, 1, 1), (8, 1, 1), 36),
    "conv1d": ("x=f8[20] w=f8[5] y=f8[20]", (3, 1, 1), (8, 1, 1), 2 * (5 * 20 - 6)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_counts_are_those_of_a_run_of_every_thread(name: str) -> None:
    words, grid, block, flops = CASES[name]
    bind = f"{words} grid={grid} block={block}"
    text = next(part for part in PARTS if f"def {name}(" in part)
    [result] = analyze_source(f"{HEAD}\n{text}\n", "k.py", Options(bind=bind)).kernels
    cost = result.reports[0].cost
    values, problems = resolve_values(cost.kernel, parse_facts(bind))
    assert not problems and cost.status == "exact"
    assert cost.flops.evaluate(values) == flops
    moved = {name: (m.load.evaluate(values), m.writeback.evaluate(values)) for name, m in cost.registers.arrays.items()}
    assert {name: pair for name, pair in moved.items() if any(pair)} == _touched(text, name, words, grid, block)


def _touched(text: str, name: str, words: str, grid: Triple, block: Triple) -> dict[str, tuple[int, int]]:
    """Bytes that all threads load and store, by array; shared ones by the order in which they are made."""
    facts = parse_facts(words)
    given: dict[str, object] = {n: float(fact.value) for n, fact in facts.scalars.items()}
    for array, fact in facts.arrays.items():
        shape = tuple(int(extent.constant) for extent in fact.shape)
        given[array] = np.zeros(shape, {"f4": np.float32, "f8": np.float64}[fact.dtype.code])
    parameters = text.partition("(")[2].partition(")")[0].split(", ")
    run = launched(text, name, {n: given[n] for n in parameters}, grid, block)
    shared = [line.split(" = ")[0].strip() for line in text.split("\n") if "shared.array" in line]
    bytes_: Counter[tuple[str, bool]] = Counter()
    for touch in run.touches:
        array = shared[int(touch.array.removeprefix("shared")) - 1] if touch.shared else touch.array
        bytes_[array, touch.write] += touch.size
    return {array: (bytes_[array, False], bytes_[array, True]) for array in {array for array, _ in bytes_}}
