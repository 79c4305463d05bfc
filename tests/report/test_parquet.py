"""``--format parquet``: one row a kernel, machine and level, with the figures of JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofscan.api import analyze_file
from roofscan.cli import main
from roofscan.report.overview.summary import KernelSummary, summary_of
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


def _everything(tmp_path: Path) -> tuple[str, list[KernelSummary]]:
    """A file of kernels as Parquet, and what the overview has of each."""
    to = tmp_path / "kernels.parquet"
    assert main(["report", FILE, "--format", "parquet", "--output", str(to)]) == 0
    return str(to), [summary_of(kernel.reports[0]) for kernel in analyze_file(FILE).kernels]


def test_pandas_reads_the_figures_of_the_overview(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    to, summaries = _everything(tmp_path)
    table = pandas.read_parquet(to)
    kernels = table.drop_duplicates(["path", "kernel"]).set_index("kernel")
    for summary in summaries:
        row = kernels.loc[summary.name]
        assert (row.line, row.status, row.path) == (summary.line, summary.status, summary.path)
        assert [None if pandas.isna(x) else x for x in (row.seconds, row.gain)] == [summary.seconds, summary.gain]
    assert pandas.api.types.is_float_dtype(table.traffic_value) and pandas.api.types.is_integer_dtype(table.line)
    assert set(table[table.kernel == "axpy"].level) == {"L1", "L2", "L3", "DRAM"}


def test_duckdb_asks_for_kernels_by_their_gain(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    to, summaries = _everything(tmp_path)
    asked = f"SELECT DISTINCT kernel, \"limit\", seconds, gain FROM '{to}' WHERE gain > 2 ORDER BY gain DESC, kernel"
    found = duckdb.sql(asked).fetchall()
    expected = [(s.name, s.limit, s.seconds, s.gain) for s in summaries if s.gain and s.gain > 2]
    assert found and found == sorted(expected, key=lambda row: (-row[3], row[0]))


def test_a_kernel_outside_the_model_has_a_row(tmp_path: Path) -> None:
    source, to = tmp_path / "outside.py", tmp_path / "out.parquet"
    source.write_text(OUTSIDE)
    main(["report", str(source), "--format", "parquet", "--output", str(to)])
    [row] = pq.read_table(to).to_pylist()
    assert (row["kernel"], row["status"], row["level"]) == ("f", "unsupported", None)


def test_it_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", FILE, "--format", "parquet"]) == 2
    assert "--format parquet needs --output FILE" in capsys.readouterr().err
