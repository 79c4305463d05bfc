"""Arrays of a module: their element type and extents, as far as literals tell them."""

from __future__ import annotations

import pytest

from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.module_arrays import module_array
from roofscan.parse.reader.type_expressions import UNKNOWN


@pytest.mark.parametrize(("made", "dtype", "extents"), [
    ("np.array([0, 1, 2])", "int64", (3,)),
    ("np.array([-1, 0.5, N])", "float64", (3,)),
    ("np.array([[1, 2j], [3, 4]])", "complex128", (2, 2)),
    ("np.array((1, 2), dtype=np.float32)", "float32", (2,)),
    ("np.array([1, 2], np.uint8)", "uint8", (2,)),
    ("np.zeros((N, 2))", "float64", (4, 2)),
    ("np.ones(N, dtype=int)", "int64", (4,)),
    ("np.arange(N)", "int64", (4,)),
    ("np.arange(8, dtype=np.float32)", "float32", (8,)),
    ("np.array([1, 4, 1]) / 6", "float64", (3,)),
    ("2 * np.array([1, 4, 1])", "int64", (3,)),
    ("1.0 - np.ones((2, 3), np.float32)", "float32", (2, 3)),
    ("np.array([[1, 2, 3], [4, 5, 6]]).T", "int64", (3, 2)),
    ("np.linspace(0.0, 1.0, N + 1)", "float64", (5,)),
    ("np.eye(N)", "float64", (4, 4)),
])  # fmt: skip
def test_types(made: str, dtype: str, extents: tuple[int, ...]) -> None:
    found = module_array(read_module(f"import numpy as np\nN = 4\nT = {made}\n", "m.py"), "T")
    assert found.dtype is not None
    assert (found.dtype.name, found.dims, found.ndim) == (dtype, extents, len(extents))


@pytest.mark.parametrize("made", [
    "np.array([[1, 2], [3]])", "np.array(data)", "np.array([1, f(2)])", "np.zeros(n)",
    "np.array([1]) / f(2)", "np.array([1]) + np.array([2])", "np.array([1]) % 2", "np.linspace(0, 1)", "np.eye(2, 3)",
    "np.arange(1, 4)", "np.arange(4.0)", "other.array([1])", "np.array([])",
])  # fmt: skip
def test_what_is_not_known(made: str) -> None:
    assert module_array(read_module(f"import numpy as np\nT = {made}\n", "m.py"), "T") == UNKNOWN


def test_a_name_that_is_bound_twice_is_not_known() -> None:
    module = read_module("import numpy as np\nT = np.array([1])\nT = np.array([1, 2])\n", "m.py")
    assert module_array(module, "T") == UNKNOWN


def test_a_transposed_array_lies_in_fortran_order() -> None:
    module = read_module("import numpy as np\nT = np.zeros((2, 3)).T\nR = np.zeros((2, 3)).T.reshape(6)\n", "m.py")
    assert (module_array(module, "T").dims, module_array(module, "T").order) == ((3, 2), "F")
    assert module_array(module, "R").order == "C"
