"""Names as Numba, Nsight Compute and people write them, and the kernels that they mean."""

from __future__ import annotations

import pytest

from roofscan.counters.kernel_names import owners, parts_of

NAMES = {
    "_ZN8__main__6jacobiB2v1B38c8tJTIeFIjxB2IKSgI4CrvQClQZ6FczSBAA_3dE5ArrayIdLi1E1C7mutE": "__main__.jacobi",
    "_ZN8__main__5outer12_3clocals_3e5innerB2v2B4c8tJE5ArrayIdLi1E1C7mutable7alignedE": "__main__.outer.inner",
    "cudapy::__main__::copy1d[abi:v1,cw51cXTL](Array<double, (int)1, C, mutable, aligned>)": "__main__.copy1d",
    "cudapy::__main__::matmul$241(Array<double, int=2, C, mutable, aligned>)": "__main__.matmul",
    "void my::kernel<float, 4>(float const*, int)": "my.kernel",
    "pkg.solver.Solver.step": "pkg.solver.Solver.step",
    "outer.<locals>.inner": "outer.inner",
    "jacobi2d": "jacobi2d",
}  # fmt: skip


@pytest.mark.parametrize("written", NAMES)
def test_parts(written: str) -> None:
    assert parts_of(written) == tuple(NAMES[written].split("."))


KERNELS = [("src/a/solver.py", "step"), ("src/b/solver.py", "step"), ("src/b/solver.py", "Solver.step"), ("x.py", "f")]


@pytest.mark.parametrize(
    ("written", "means"),
    [
        ("f", [3]),
        ("__main__.f", [3]),
        ("x.f", [3]),
        ("Solver.step", [2]),
        ("a.solver.step", [0]),
        ("step", [0, 1, 2]),
        ("nothing", []),
        ("", []),
    ],
)
def test_owners(written: str, means: list[int]) -> None:
    assert owners(written, KERNELS) == means
