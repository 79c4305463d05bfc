"""Parameter types from signatures, ``locals=``, annotations and gufunc layouts."""

from __future__ import annotations

import pytest

from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.types import ParameterType, gufunc_dims, parameter_types

IMPORTS = """
import numba as nb, numpy as np
import numpy.typing as npt
from numba import njit, types, guvectorize, vectorize, float64, int32, void
from numba.experimental import jitclass
from numpy.typing import NDArray
from jaxtyping import Float, Float64, Int32
from typing import Annotated, Any, Optional, Union

F1 = nb.float64[::1]
Grid = NDArray[np.float32]
Real = np.float32
SIG = void(float64[:, :], int32)
LOOP = LOOP2
LOOP2 = LOOP
"""

Said = tuple[str, str | None, int | None, str]
NOTHING = ("unknown", None, None, "C")


def types_of(definition: str) -> dict[str, ParameterType]:
    module = read_module(f"{IMPORTS}\n{definition}\n", "a.py")
    [candidate] = find_candidates(module, plain=False).candidates
    return parameter_types(candidate, module)


def said(kind: ParameterType) -> Said:
    return (kind.kind, kind.dtype.code if kind.dtype else None, kind.ndim, kind.order)


@pytest.mark.parametrize(
    "signature, x, y",
    [
        ("'void(f8[:,:], i8)'", ("array", "f8", 2, "A"), ("scalar", "i8", 0, "C")),
        ("'void(float64[:, ::1], int32)'", ("array", "f8", 2, "C"), ("scalar", "i4", 0, "C")),
        ("'f8(f4[::1, :], b1)'", ("array", "f4", 2, "F"), ("scalar", "b1", 0, "C")),
        ("'(f8[::1], c16)'", ("array", "f8", 1, "C"), ("scalar", "c16", 0, "C")),
        ("void(float64[:], int32)", ("array", "f8", 1, "A"), ("scalar", "i4", 0, "C")),
        ("nb.float64(nb.float64[::1], nb.types.intp)", ("array", "f8", 1, "C"), ("scalar", "i8", 0, "C")),
        ("(float64[:], nb.boolean)", ("array", "f8", 1, "A"), ("scalar", "b1", 0, "C")),
        ("[void(nb.f4[:], nb.f4), void(nb.f8[:], nb.f8)]", ("array", "f4", 1, "A"), ("scalar", "f4", 0, "C")),
        ("['f4(f4[:], f4)', 'f8(f8[:], f8)']", ("array", "f4", 1, "A"), ("scalar", "f4", 0, "C")),
        ("void(types.Array(float64, 2, 'C'), types.Array(nb.c8, 1, 'A', readonly=True))",
         ("array", "f8", 2, "C"), ("array", "c8", 1, "A")),
        ("(types.Array(float64, 2, 'F'), types.Array(dtype=nb.f4, ndim=1, layout='C'))",
         ("array", "f8", 2, "F"), ("array", "f4", 1, "C")),
        ("SIG", ("array", "f8", 2, "A"), ("scalar", "i4", 0, "C")),
        ("F1(F1, Real)", ("array", "f8", 1, "C"), ("scalar", "f4", 0, "C")),
        ("types.UniTuple(nb.f8, 2)(nb.f8[:], nb.i8)", ("array", "f8", 1, "A"), ("scalar", "i8", 0, "C")),
        ("void(nb.typeof(a), types.Optional(float64))", NOTHING, NOTHING),
        ("'void(f8[:], ListType(f8))'", ("array", "f8", 1, "A"), NOTHING),
        ("'void(f8[:])'", NOTHING, NOTHING),  # one argument for two parameters
        ("'void(f8[:], '", NOTHING, NOTHING),
        ("'__import__(\"os\").system(\"true\")'", NOTHING, NOTHING),
        ("unknown", NOTHING, NOTHING),
    ],
)  # fmt: skip
def test_signatures(signature: str, x: Said, y: Said) -> None:
    found = types_of(f"@njit({signature})\ndef f(x, y): pass")
    assert (said(found["x"]), said(found["y"])) == (x, y)


@pytest.mark.parametrize(
    "annotation, expected",
    [
        ("np.ndarray", ("array", None, None, "C")),
        ("'np.ndarray'", ("array", None, None, "C")),
        ("NDArray", ("array", None, None, "C")),
        ("NDArray[np.float32]", ("array", "f4", None, "C")),
        ("npt.NDArray[np.int64]", ("array", "i8", None, "C")),
        ("NDArray[np.floating[Any]]", ("array", None, None, "C")),
        ("'NDArray[np.complex64]'", ("array", "c8", None, "C")),
        ("np.ndarray[Any, np.dtype[np.float64]]", ("array", "f8", None, "C")),
        ("np.ndarray[tuple[int, int], np.dtype[np.float64]]", ("array", "f8", 2, "C")),
        ("np.ndarray[tuple[int, ...], np.dtype[Real]]", ("array", "f4", None, "C")),
        ("Grid", ("array", "f4", None, "C")),
        ("Optional[np.ndarray]", ("array", None, None, "C")),
        ("np.ndarray | None", ("array", None, None, "C")),
        ("Annotated[NDArray[np.float64], 3]", ("array", "f8", None, "C")),
        ("Float64[np.ndarray, 'n m']", ("array", "f8", 2, "C")),
        ("Float[np.ndarray, '... m']", ("array", None, None, "C")),
        ("Int32[np.ndarray, '']", ("scalar", "i4", 0, "C")),
        ("nb.float64[:, ::1]", ("array", "f8", 2, "C")),
        ("'float64[:]'", ("array", "f8", 1, "C")),  # Numba compiles for the arrays that are passed
        ("float", ("scalar", "f8", 0, "C")),
        ("int", ("scalar", "i8", 0, "C")),
        ("bool", ("scalar", "b1", 0, "C")),
        ("complex", ("scalar", "c16", 0, "C")),
        ("np.float32", ("scalar", "f4", 0, "C")),
        ("Real", ("scalar", "f4", 0, "C")),
        ("'float | None'", ("scalar", "f8", 0, "C")),
        ("float | np.ndarray", NOTHING),
        ("Union[float, np.ndarray]", NOTHING),
        ("npt.ArrayLike", NOTHING),
        ("list[float]", NOTHING),
        ("dict[str, float]", ("mapping", None, None, "C")),
        ("nb.typed.Dict", ("mapping", None, None, "C")),
        ("types.DictType(nb.i8, nb.f8)", ("mapping", None, None, "C")),
        ("str", ("text", None, None, "C")),
        ("None", NOTHING),
        ("LOOP", NOTHING),
        ("'f8[n, 3]'", ("array", "f8", 2, "C")),
        ("float[n]", ("array", "f8", 1, "C")),
        ("'f8[n + 1]'", NOTHING),
        ("'tuple[n]'", NOTHING),
        ("'not a type ('", NOTHING),
        ("'\"np.ndarray\"'", NOTHING),
        ("f(x)", NOTHING),
        ("3", NOTHING),
    ],
)
def test_annotations(annotation: str, expected: Said) -> None:
    assert said(types_of(f"@njit\ndef f(x: {annotation}): pass")["x"]) == expected


@pytest.mark.parametrize(
    "shape, dims, ndim",
    [
        ("n m", ("n", "m"), 2), ("n 3", ("n", 3), 2), ("rows=4 n", (4, "n"), 2), ("n+1 m", None, 2),
        ("*batch n", None, None), ("_ n", None, 2),
    ],
)  # fmt: skip
def test_jaxtyping_dims(shape: str, dims: tuple[int | str, ...] | None, ndim: int | None) -> None:
    kind = types_of(f"@njit\ndef f(x: Float64[np.ndarray, '{shape}']): pass")["x"]
    assert (kind.dims, kind.ndim) == (dims, ndim)


@pytest.mark.parametrize(
    ("written", "dims"), [("f8[n, 3]", ("n", 3)), ("particle[rows]", ("rows",)), ("f8[:, 3]", None)]
)
def test_dims_as_in_a_pragma(written: str, dims: tuple[int | str, ...] | None) -> None:
    record = 'particle = np.dtype([("x", "f8"), ("m", "f8")])\n'
    kind = types_of(f"{record}@njit\ndef f(x: '{written}'): pass")["x"]
    assert (kind.kind, kind.dims) == ("array", dims)


def test_signatures_win_over_locals_and_those_over_annotations() -> None:
    definition = "@njit('void(f4[:], ListType(f8), i8)', locals={'y': float64, 'z': nb.i4, 's': nb.f4})"
    found = types_of(f"{definition}\ndef f(x: NDArray[np.float64], y: int, z): pass")
    codes = {name: kind.dtype.code for name, kind in found.items() if kind.dtype}
    assert codes == {"x": "f4", "y": "f8", "z": "i8", "s": "f4"}


def test_starred_parameters_have_no_type() -> None:
    assert set(types_of("@njit\ndef f(x, *args: float, **more: int): pass")) == {"x"}


@pytest.mark.parametrize(
    "layout, expected",
    [
        ("(n),(m,k)->(n)", ([("n",), ("m", "k")], [("n",)])),
        (" ( n ) , () -> ( n ) ", ([("n",), ()], [("n",)])),
        ("(3),(n?)->()", ([(3,), ("n",)], [()])),
        ("()->(n),(m)", ([()], [("n",), ("m",)])),
        ("(n)->", ([("n",)], [])),
        ("(n)", None),
        ("(n->m)", None),
        ("(n),m->(n)", None),
        ("(n+1)->(n)", None),
        ("(n)->(m)->(k)", None),
    ],
)
def test_layouts(layout: str, expected: object) -> None:
    assert gufunc_dims(layout) == expected


def test_gufunc_with_types() -> None:
    found = types_of("@guvectorize([(float64[:, :], float64, int32[:])], '(m,n),()->(m)')\ndef f(a, s, out): pass")
    assert said(found["a"]) == ("array", "f8", 2, "A") and found["a"].dims == ("m", "n")
    assert said(found["s"]) == ("scalar", "f8", 0, "C")
    assert said(found["out"]) == ("array", "i4", 1, "A") and found["out"].dims == ("m",)


def test_gufunc_without_types() -> None:
    found = types_of("@guvectorize('(n),()->()')\ndef f(a, s, out): pass")
    assert [(kind.kind, kind.dims) for kind in found.values()] == [
        ("array", ("n",)), ("scalar", None), ("array", (1,)),
    ]  # fmt: skip


def test_vectorize_takes_scalars() -> None:
    found = types_of("@vectorize([float64(float64, int32)])\ndef f(a, b): pass")
    assert [said(kind) for kind in found.values()] == [("scalar", "f8", 0, "C"), ("scalar", "i4", 0, "C")]


def test_fields_of_a_jitclass() -> None:
    source = "@jitclass([('data', float64[:, :])])\nclass C:\n    n: int32\n    def f(self, k: float): pass"
    found = types_of(source)
    assert said(found["self.data"]) == ("array", "f8", 2, "A")
    assert said(found["self.n"]) == ("scalar", "i4", 0, "C")
    assert said(found["k"]) == ("scalar", "f8", 0, "C")
