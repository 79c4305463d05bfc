"""What the command's tests share: kernels on disk, and a way to run the command in this process."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from roofscan.cli import main

AXPY = """\
from numba import njit


@njit
def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
"""

OUTSIDE = """\


from numba import njit


@njit
def outside(z):
    try:
        raise ValueError
    except ValueError:
        z[0] = 1.0
"""
"""A kernel outside the model."""

PLAIN = """\
def scale(a, x):
    for i in range(len(x)):
        x[i] = a * x[i]
"""


@dataclass(frozen=True)
class Outcome:
    """What one run of the command left."""

    code: int
    out: str
    err: str

    @property
    def error_line(self) -> str:
        """The one line on standard error."""
        assert self.err.count("\n") == 1, self.err
        return self.err.rstrip("\n")

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def kernels(self) -> dict[str, Any]:
        """The kernels of a JSON report by name."""
        return {kernel["name"]: kernel for kernel in self.json["kernels"]}


class Command:
    """Runs ``roofscan …`` in a temporary folder."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.capture = capture

    def __call__(self, *words: str) -> Outcome:
        self.capture.readouterr()
        code = main(list(words))
        out, err = self.capture.readouterr()
        assert "Traceback" not in err
        return Outcome(code, out, err)

    def write(self, name: str, text: str | bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name


@pytest.fixture
def roofscan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, capsys)
