"""What an analysis of each file of ``fixtures/`` finds, made once for all tests and processes of a run. Analysing them
takes longer than most tests together."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from roofscan.api import FileReport, analyze_source
from roofscan.config.options import Options
from tests.fixture_files import FIXTURES

OPTIONS = Options(kernels="all", extend_select=("RFL",))
FILES = sorted(FIXTURES.glob("*.py"))

ResultsOf = Callable[[Path], FileReport]


@pytest.fixture(scope="session")
def results_of(tmp_path_factory: pytest.TempPathFactory) -> ResultsOf:
    """The report of a file with ``OPTIONS``, as it reaches another process."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # that of all workers

    @cache
    def results(path: Path) -> FileReport:
        kept = folder / f"{path.stem}.pickle"
        if not kept.exists():
            report = analyze_source(path.read_text(encoding="utf-8"), str(path), OPTIONS)
            written = folder / f"{path.stem}.{os.getpid()}"
            written.write_bytes(pickle.dumps(report))
            written.replace(kept)
        found: FileReport = pickle.loads(kept.read_bytes())
        return found

    return results
