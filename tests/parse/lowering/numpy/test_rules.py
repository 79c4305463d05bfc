"""A rule of a NumPy function is one object: inference and lowering both ask it, and nobody asks for its name."""

from __future__ import annotations

import ast
import builtins
from pathlib import Path

import pytest

from roofscan.parse import inference
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.numpy.allocation import written
from roofscan.parse.lowering.numpy.array_operations import library_work, stream_read, total
from roofscan.parse.lowering.numpy.library_calls import CHAPTERS, TABLE
from roofscan.parse.lowering.numpy.rule import Function, rows
from roofscan.parse.lowering.values import Keywords, Value, View
from tests.oracle.analysis import counted

INFERENCE = sorted(Path(inference.__file__).parent.glob("*.py"))
ATTRIBUTES = {"shape", "size", "dtype", "T", "flat"}


def _row_sums(cx: Context, name: str, args: list[Value], keywords: Keywords, line: int) -> Value | None:
    [matrix] = args
    assert isinstance(matrix, View) and matrix.ndim == 2
    library_work(cx, "add", matrix.dtype, line, total(matrix.shape))
    stream_read(cx, matrix, line)
    return written(cx, matrix.shape[:1], matrix.dtype, line)


def test_a_new_rule_is_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gives the rank of its operand and of its result, and its cost."""
    for name, rule in rows("row_sums", Function(_row_sums, rank=1, ranks=(2,))).items():
        monkeypatch.setitem(TABLE, name, rule)
    source = "import numpy as np\n\ndef f(M, c):\n    s = np.row_sums(M)\n    return s @ c\n"
    found = counted(source, "f", "")
    assert {a.name: len(a.shape) for a in found.kernel.arrays} == {"M": 2, "s": 1, "c": 1}
    assert found.flops({"M_shape_0": 5, "M_shape_1": 3}) == 5 * 3 + 2 * 5


RANKS = {
    "np.convolve(a, b)": (1, 1),
    "np.interp(0.5, a, b)": (1, 1),
    "np.polyval(a, b)": (1, 1),
    "np.cross(a, b)": (2, 2),
    "np.kron(a, b)": (2, 2),
    "np.tensordot(a, b, 1)": (2, 2),
    "np.meshgrid(a, b)[0]": (1, 1),
    "np.fft.fft2(a)": (2,),
    "np.add.at(a, [0, 1], b)": (1, 1),
    "np.maximum.accumulate(a)": (1,),
}


@pytest.mark.parametrize("call", RANKS)
def test_a_call_tells_the_ranks_of_its_operands(call: str) -> None:
    """By what the function takes, or by convention."""
    found = counted(f"import numpy as np\n\ndef f(a, b):\n    r = {call}\n    return r\n", "f", "")
    assert tuple(len(a.shape) for a in found.kernel.arrays if a.name in ("a", "b")) == RANKS[call]


@pytest.mark.parametrize("call", ["np.maximum.accumulate(a)", "np.add.at(a, [0, 1], b)", "np.polyval(b, a)"])
def test_a_subscript_tells_more_than_the_convention(call: str) -> None:
    source = f"import numpy as np\n\ndef f(a, b):\n    s = a[:, 0]\n    r = {call}\n    return r, s\n"
    assert len(counted(source, "f", "").kernel.array("a").shape) == 2


def test_each_function_stands_in_one_chapter() -> None:
    assert len(TABLE) == sum(map(len, CHAPTERS))


@pytest.mark.parametrize("path", INFERENCE, ids=lambda path: path.stem)
def test_inference_asks_rules_and_compares_no_names(path: Path) -> None:
    """Names of Python's own functions and of attributes aside."""
    compared: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Compare):
            constants = (inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant))
            compared.update(value for value in constants if isinstance(value, str))
    assert not (compared & TABLE.keys()) - set(dir(builtins)) - ATTRIBUTES


@pytest.mark.parametrize("path", INFERENCE, ids=lambda path: path.stem)
def test_inference_is_below_lowering(path: Path) -> None:
    assert "roofscan.parse.lowering" not in path.read_text(encoding="utf-8")
