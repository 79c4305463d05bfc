"""A folder of its own with kernels in it, and the real flake8 run there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

# Line 5 streams: two FLOPs for 24 bytes or more, memory-bound on every machine there is.
AXPY = """\
from numba import njit


@njit
def axpy(a, x, y):
    for i in range(x.shape[0]):
        y[i] = a * x[i] + y[i]
"""
PLAIN = """\
import numpy as np


def blend(x, y):
    n = x.shape[0]
    return x[:n] + np.abs(y[:n])
"""
OUTSIDE = """\
from numba import njit


@njit
def scale(x, a):
    try:
        raise ValueError
    except ValueError:
        x[0] = a * x[0]
"""

Flake8 = Callable[..., list[str]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the current one, with the environment's programs first on PATH."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"])
    return tmp_path


@pytest.fixture
def flake8(project: Path) -> Flake8:
    """Runs flake8 with arguments: the lines it prints, those of roofscan alone or ``all_plugins``.

    ``stdin`` is given to it on its standard input; ``before`` is a program to run first in its process.
    """

    def run(*arguments: str, stdin: str | None = None, all_plugins: bool = False, before: str = "") -> list[str]:
        start = ["-c", f"{before}\nfrom flake8.main.cli import main\nraise SystemExit(main())"]
        done = subprocess.run(
            [sys.executable, *(start if before else ["-m", "flake8"]), *arguments],
            input=stdin, cwd=project, capture_output=True, text=True, encoding="utf-8", timeout=120,
        )  # fmt: skip
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        assert done.returncode == bool(lines)
        return lines if all_plugins else [line for line in lines if " RFL" in line]

    return run
