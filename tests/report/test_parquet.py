"""``--format parquet``: one row a kernel, machine and level, with the figures of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofscan.cli import main
from tests.fixture_files import FIXTURES

pq = pytest.importorskip("pyarrow.parquet")

FILE = str(FIXTURES / "streams.py")
TWO = ("--machine", "generic-x86-64", "--machine", "xeon-6248r")
OUTSIDE = """\
from numba import njit


@njit
def f(z):
    try:
        raise ValueError
    except ValueError:
        z[0] = 1.0
"""


def test_rows_are_the_levels_of_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = tmp_path / "kernels.parquet"
    words = ["report", f"{FILE}::axpy", *TWO]
    assert main([*words, "--format", "parquet", "--output", str(to)]) == 0
    assert main([*words, "--format", "json"]) == 0
    [kernel] = json.loads(capsys.readouterr().out)["kernels"]
    rows = pq.read_table(to).to_pylist()
    levels = [*kernel["levels"], *kernel["elsewhere"][0]["levels"]]
    assert [(r["level"], r["capacity"], r["traffic"]) for r in rows] == [
        (level["name"], level["capacity"], level["traffic"]["expr"]) for level in levels
    ]
    assert {r["machine"] for r in rows} == {"generic-x86-64", "xeon-6248r"}
    assert {r["flops"] for r in rows} == {kernel["flops"]["expr"]}


def test_a_kernel_outside_the_model_has_a_row(tmp_path: Path) -> None:
    source, to = tmp_path / "outside.py", tmp_path / "out.parquet"
    source.write_text(OUTSIDE)
    main(["report", str(source), "--format", "parquet", "--output", str(to)])
    [row] = pq.read_table(to).to_pylist()
    assert (row["kernel"], row["status"], row["level"]) == ("f", "unsupported", None)


def test_it_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", FILE, "--format", "parquet"]) == 2
    assert "--format parquet needs --output FILE" in capsys.readouterr().err
