"""pre-commit builds the hook's environment from this repository and runs it on the changed files."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.plugin.conftest import PLAIN

ROOT = Path(__file__).parents[2]
PACKAGED = ("pyproject.toml", ".pre-commit-hooks.yaml", "README.md", "LICENSE", "CHANGELOG.md")


def index_answers() -> bool:
    """Whether pip can get at a package index: the hook's environment is built from one."""
    ask = [sys.executable, *"-m pip download --quiet --no-deps --timeout 10 --retries 1".split()]
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([*ask, "--dest", folder, "iniconfig"], capture_output=True).returncode == 0


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def commit_all(folder: Path) -> None:
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "all")


SUM = """\
from numba import njit


@njit
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s
"""


@pytest.fixture
def hook_repository(tmp_path: Path) -> Path:
    """What is packaged of this tree, as a repository of its own."""
    folder = tmp_path / "roofscan"
    shutil.copytree(ROOT / "roofscan", folder / "roofscan", ignore=shutil.ignore_patterns("__pycache__"))
    for name in PACKAGED:
        shutil.copy(ROOT / name, folder)
    commit_all(folder)
    return folder


@pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")
def test_try_repo(project: Path, hook_repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not index_answers():
        pytest.skip("no package index can be reached, so that pre-commit cannot build an environment")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(project / "cache"))
    user = project / "user"
    user.mkdir()
    (user / "sums.py").write_text(SUM)
    (user / "notes.txt").write_text(SUM)
    (user / "plain.py").write_text(PLAIN)
    commit_all(user)
    try_repo = [sys.executable, "-m", "pre_commit", "try-repo"]
    command = [*try_repo, str(hook_repository), "roofscan", "--all-files"]
    done = subprocess.run(command, cwd=user, capture_output=True, text=True, timeout=600)
    findings = [line for line in done.stdout.splitlines() if "RFL" in line]
    assert len(findings) == 1, done.stdout + done.stderr
    assert findings[0].startswith("sums.py:7:")
    assert "RFL501" in findings[0]
    assert done.returncode == 1
