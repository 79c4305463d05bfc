"""What a size is of an array is a field of its symbol, so that nothing reads it from words for people."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import Extent


def kernel(source: str) -> Kernel:
    return analyze_source(source, options=Options(kernels="all")).kernels[0].kernel


@pytest.mark.parametrize(
    ("source", "name", "extent", "meaning"),
    [
        ("def f(A):\n    for j in range(A.shape[1]):\n        A[0, j] = 1.0\n", "A_shape_1", (("A",), 1), "A.shape[1]"),
        ("import numpy as np\ndef f(x):\n    return np.sum(x)\n", "x_size", (("x",), None), "x.size"),
        ("import numpy as np\ndef f(r, t):\n    return np.exp(-0.5 * r * t)\n", "r_t_size", (("r", "t"), None),
         "np.broadcast(r, t).size"),
        ("def f(x, n):\n    for i in range(n):\n        x[i] = 1.0\n", "n", None, "the parameter n"),
    ],
)  # fmt: skip
def test_a_size_knows_whose_it_is(
    source: str, name: str, extent: tuple[tuple[str, ...], int | None] | None, meaning: str
) -> None:
    [symbol] = (s for s in kernel(source).symbols if s.name == name)
    assert symbol.extent == (extent and Extent(*extent))
    assert symbol.meaning == meaning


def test_a_parameter_that_nothing_tells_of_is_a_scalar_by_default() -> None:
    assert kernel("def f(x, a):\n    for i in range(len(x)):\n        x[i] *= a\n").default_scalars == {"a"}
    told = "# roofscan: a=2.5\ndef f(x, a):\n    for i in range(len(x)):\n        x[i] *= a\n"
    assert not kernel(told).default_scalars
