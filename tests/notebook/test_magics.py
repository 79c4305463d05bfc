"""The magics in a notebook that is executed."""

from __future__ import annotations

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = (
    "%load_ext roofscan",
    "def njit(f):\n    return f\nnjit.__module__ = 'numba'\nSCALE = 2.0",
    "%%roofscan --bind 'x=f8[1000000]'\n@njit\ndef doubled(x, y):\n"
    "    for i in range(len(x)):\n        y[i] = SCALE * x[i]",
    "doubled([1.0], out := [0.0])\nout",
    "%roofscan doubled",
    "%roofscan doubles",
    "import roofscan\nroofscan.analyze(doubled).predict(x_shape_0=1000).seconds < 1",
    "class Twice:\n    @staticmethod\n    @njit\n    def of(x):\n"
    "        for i in range(len(x)):\n            x[i] *= SCALE",
    "%roofscan Twice.of --threads 4 --cold",
    "%roofscan doubled --bind 'n=3",
    "%roofscan doubled --bnd n=3",
)


@pytest.fixture(scope="module")
def outputs() -> list[str]:
    cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, allow_errors=True, kernel_name="python3").execute()
    return [nbformat.writes(nbformat.v4.new_notebook(cells=[cell])) for cell in notebook.cells]


def test_a_cell_is_run_and_reported(outputs: list[str]) -> None:
    assert "<b>doubled</b>" in outputs[2] and "error" not in outputs[2]
    assert "[2.0]" in outputs[3]


def test_a_function_of_the_session_is_reported(outputs: list[str]) -> None:
    assert "<b>doubled</b>" in outputs[4]
    assert "<b>Twice.of</b>" in outputs[8]
    assert all(len(text) < 10_000 for text in outputs)


def test_a_wrong_name_is_one_line(outputs: list[str]) -> None:
    assert "did you mean doubled?" in outputs[5]


def test_wrong_arguments_are_one_line(outputs: list[str]) -> None:
    assert "a quotation mark of doubled --bind 'n=3 is not closed; it takes" in outputs[9]
    assert "unrecognized arguments: --bnd n=3; it takes FUNCTION, --machine" in outputs[10]
    assert "ValueError" not in outputs[9]


def test_the_api_works_in_a_session(outputs: list[str]) -> None:
    assert '"True"' in outputs[6]
