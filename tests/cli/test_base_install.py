"""Without any extra, every command but those that an extra is for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixture_files import FIXTURES

EXTRAS = ("numpy", "matplotlib", "pandas", "pyarrow", "numba", "IPython", "distributed", "dask", "pygls", "lsprotocol")
PROGRAM = f"""
import sys
for name in {EXTRAS}:
    sys.modules[name] = None  # importing it fails
from roofscan.cli import main
sys.exit(main(sys.argv[1:]))
"""


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", PROGRAM, *command.split()]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"report {FIXTURES / 'streams.py'}::axpy {FIXTURES / 'fusion.py'} --format html", 0),
        (f"report {FIXTURES / 'fusion.py'}", 0),
        (f"report {FIXTURES / 'streams.py'}::stream_copy --format markdown", 0),
        (f"report {FIXTURES / 'streams.py'}::stream_copy --format graph-dot", 0),
        (f"check {FIXTURES / 'fusion.py'} --no-cache --format sarif --fail-on note", 1),
        (f"fix {FIXTURES / 'fusion.py'}", 0),
        ("explain", 0),
        ("machine list", 0),
    ],
)
def test_a_command_needs_no_extra(command: str, code: int, tmp_path: Path) -> None:
    done = _run(command, tmp_path)
    assert done.returncode == code and "Traceback" not in done.stderr
    assert done.stdout + done.stderr


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (f"report {FIXTURES / 'streams.py'} --format parquet --output table.parquet", "parquet"),
        (f"report {FIXTURES / 'streams.py'} --format graph-svg", "charts"),
        (f"report {FIXTURES / 'streams.py'}::axpy --format svg", "charts"),
        (f"check {FIXTURES / 'streams.py'} --executor dask:tcp://127.0.0.1:1 --no-cache", "dask"),
        ("machine measure", "measure"),
        ("lsp", "lsp"),
    ],
)
def test_what_needs_an_extra_names_it(command: str, extra: str, tmp_path: Path) -> None:
    done = _run(command, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"pip install 'roofscan[{extra}]'" in done.stderr
