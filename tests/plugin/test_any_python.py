"""The plugin on arbitrary Python: no internal failure, and findings on existing lines."""

from __future__ import annotations

import argparse
import ast
import sysconfig
import tokenize
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import networkx
import numpy
import pytest

from roofscan.flake8_plugin import RoofscanPlugin
from roofscan.pipeline import driver
from roofscan.pipeline.driver import KernelResult, analyze_kernel


def _folder(package: ModuleType) -> Path:
    return Path(str(package.__file__)).parent


LIBRARY = Path(sysconfig.get_path("stdlib"))
FILES = [
    *sorted(LIBRARY.glob("[a-c]*.py")),
    *sorted((LIBRARY / "asyncio").glob("*.py")),
    *sorted((_folder(numpy) / "lib").glob("_*.py")),
    *sorted((_folder(networkx) / "algorithms").glob("*.py")),
]


@pytest.fixture(autouse=True)
def all_functions() -> Iterator[None]:
    own = {"roofscan_kernels": "all", "roofscan_no_cache": True}
    chosen = argparse.Namespace(select=["RFL0", "RFL"], extend_select=None, **own)
    RoofscanPlugin.parse_options(None, chosen, [])  # type: ignore[arg-type]
    yield
    RoofscanPlugin.parse_options(None, argparse.Namespace(select=None, extend_select=None), [])  # type: ignore[arg-type]


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that were analysed."""
    names: list[str] = []

    def analyze(module: Any, candidate: Any, setting: Any, steps: int) -> KernelResult:
        names.append(candidate.name)
        return analyze_kernel(module, candidate, setting, steps)

    monkeypatch.setattr(driver, "analyze_kernel", analyze)
    return names


@pytest.mark.parametrize("start", range(4))
def test_installed_code(start: int, analysed: list[str]) -> None:
    for path in FILES[start::4]:
        with tokenize.open(path) as file:
            lines = file.readlines()
        tree = ast.parse("".join(lines))
        for line, column, text, _ in RoofscanPlugin(tree, str(path), lines).run():
            assert not text.startswith("RFL9"), f"{path}: {text}"
            assert 1 <= line <= len(lines) and 0 <= column <= len(lines[line - 1]), f"{path}: {text}"
            assert "\n" not in text
    assert len(analysed) > 10, "too few functions were analysed for this test to mean anything"
