"""A rule is one file: what finds something new appears in every format, of kernels that no other rule looks at too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import roofscan

RULE = '''
"""RFL298: a kernel computes nothing."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.finding import Finding
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext, Stage

CODE = Code(
    id="RFL298",
    title="a kernel computes nothing",
    location="kernel",
    default=True,
    meaning="It moves data.",
    why="Moving takes time.",
    action="Do more with the data.",
    bad="",
    good="",
)
NEEDS = Stage.COUNTS


def find(context: RuleContext) -> Iterator[Finding]:
    if context.counts is not None and not context.counts.flops:
        yield context.at_def(CODE.id, f"{context.name} computes nothing; do more with its data")
'''
KERNEL = """
from numba import njit


@njit
def copied(x, y):
    for i in range(len(x)):
        y[i] = x[i]
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of roofscan with one more rule, beside a file that it finds something in."""
    folder = tmp_path_factory.mktemp("package")
    here = Path(roofscan.__file__).parent
    shutil.copytree(here, folder / "roofscan", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "roofscan" / "rules" / "computes_nothing.py").write_text(RULE.strip() + "\n")
    (folder / "copies.py").write_text(KERNEL.lstrip())
    return folder


def run(package: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(
        [sys.executable, "-m", *words], cwd=package, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("roofscan", "check", "--no-cache", "copies.py"),
        ("roofscan", "check", "copies.py"),
        ("roofscan", "check", "--no-cache", "--format", "json", "copies.py"),
        ("roofscan", "check", "--no-cache", "--format", "sarif", "copies.py"),
        ("roofscan", "report", "copies.py"),
        ("roofscan", "report", "--format", "json", "copies.py"),
        ("roofscan", "explain", "RFL298"),
        ("flake8", "--isolated", "--select", "RFL", "--roofscan-no-cache", "copies.py"),
    ],
)
def test_a_new_rule_is_seen(package: Path, words: tuple[str, ...]) -> None:
    said = run(package, *words)
    assert "RFL298" in said
    if "json" in words or "sarif" in words:
        json.loads(said)
