"""Whether what would be released works: ``python -m benchmarks.release``.

Builds the distribution from clones of this repository that have a tag, none, or little history, and from an archive;
checks it with twine; installs the wheel where the tree cannot be seen, and runs what the README shows; installs it with
all extras in another environment, and uses each. Needs git and a package index. Only what is committed counts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
TAG = "v9.8.7"
COMMANDS = (
    "--version",
    "machine list",
    "machine show a100-40gb",
    "explain",
    "explain RFL202",
    "report fixtures/dense.py --top 5",
    "report fixtures/dense.py::gemm_naive --machine a100-40gb",
    "report fixtures/dense.py --format html --output page.html",
    "check fixtures/streams.py --select RFL5 --fail-on note",
    "fix fixtures/dense.py",
)
NOTEBOOK = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("load_ext", "roofscan")
shell.run_cell("import roofscan; roofscan.analyze('fixtures/streams.py').to_dataframe()").raise_error()
"""
CLUSTER = """
from distributed import LocalCluster
from roofscan.cli import main
with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
    words = ["report", "fixtures", "--executor", f"dask:{cluster.scheduler_address}", "--output", "cluster.txt"]
    assert main(words) == 0
"""
WITH_EXTRAS = {
    "report": "-m roofscan report fixtures/dense.py".split(),
    "charts": "-m roofscan report fixtures/dense.py::gemm_naive --format svg --output chart.svg".split(),
    "parquet": "-m roofscan report fixtures --format parquet --output kernels.parquet".split(),
    "measure": ["-m", "roofscan", "measure", "fixtures/streams.py::axpy", "--bind", "x=f8[1000] y=f8[1000]"],
    "lsp": "-m roofscan lsp".split(),
    "notebook": ["-c", NOTEBOOK],
    "dask": ["-c", CLUSTER],
}
SLOW = ("sympy", "libcst", "networkx", "rich", "importlib.metadata")
"""Modules that a question for the version does not need."""


class Failed(Exception):
    """A step went wrong; the message has what it printed."""


def main() -> int:
    with TemporaryDirectory() as name:
        try:
            for line in _steps(Path(name)):
                print(line, flush=True)
        except Failed as failure:
            print(failure, file=sys.stderr)
            return 1
    return 0


def _steps(folder: Path) -> Iterator[str]:
    tools = _environment(folder / "tools", "build", "twine", "hatchling", "hatch-vcs")
    tagged = _tagged(folder)
    yield from _versions(folder, tagged, tools)
    built = folder / "dist"
    _run(folder, tools, "-m", "build", "--outdir", str(built), str(tagged))  # the wheel is built from the sdist
    files = sorted(str(path) for path in built.iterdir())
    _run(folder, tools, "-m", "twine", "check", "--strict", *files)
    yield f"twine accepts {', '.join(Path(file).name for file in files)}"
    (wheel,) = built.glob("*.whl")
    yield from _installed(folder, wheel)


def _versions(folder: Path, tagged: Path, tools: Path) -> Iterator[str]:
    """The version that each kind of source tree gets."""
    places = {
        "a clone at a tag": (tagged, "9.8.7"),
        "a clone after a tag": (_later(folder, tagged), "9.8.8.dev"),
        "a clone without tags": (_clone(folder / "bare", ROOT, "--no-tags"), ""),
        "a shallow clone": (_clone(folder / "shallow", tagged, "--depth=1", "--no-tags"), ""),
        "an archive at a tag": (_archive(folder / "archive", tagged), "9.8.7"),
        "an archive without tags": (_archive(folder / "untagged", folder / "bare"), ""),
        "a copy without git": (_copy(folder / "copy", tagged), "0.0.0"),
    }
    for kind, (place, expected) in places.items():
        version = _run(place, tools, "-m", "hatchling", "version").strip().splitlines()[-1]
        if not re.match(r"\d+\.\d+", version) or not version.startswith(expected):
            raise Failed(f"{kind} has version {version}, not {expected}")
        yield f"{kind}: version {version}"


def _installed(folder: Path, wheel: Path) -> Iterator[str]:
    """The wheel in an environment of its own, beside nothing but the fixtures."""
    python = _environment(folder / "fresh", str(wheel))
    place = _copy(folder / "place" / "fixtures", ROOT / "fixtures").parent
    for command in COMMANDS:
        codes = (0, 1) if command.startswith(("check", "fix")) else (0,)
        _run(place, python, "-m", "roofscan", *command.split(), codes=codes)
        yield f"roofscan {command}"
    version = _run(place, python, "-m", "roofscan", "--version").strip()
    if version != f"roofscan {TAG[1:]}":
        raise Failed(f"the wheel says {version}")
    loaded = f"import sys, roofscan; roofscan.__version__; print([m for m in {SLOW} if m in sys.modules])"
    if (slow := _run(place, python, "-c", loaded).strip()) != "[]":
        raise Failed(f"asking for the version imports {slow}")
    if "roofscan" not in _run(place, python, "-m", "flake8", "--version"):
        raise Failed("flake8 does not list the plugin")
    yield "flake8 lists the plugin"
    every = _environment(folder / "every", f"{wheel}[all]")
    for name, words in WITH_EXTRAS.items():
        _run(place, every, *words)
        yield f"with roofscan[all]: {name}"


def _environment(folder: Path, *packages: str) -> Path:
    """A Python that has these packages."""
    _run(folder.parent, Path(sys.executable), "-m", "venv", str(folder))
    python = folder / "bin" / "python"
    _run(folder.parent, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def _tagged(folder: Path) -> Path:
    clone = _clone(folder / "tagged", ROOT)
    _git(clone, "tag", TAG)
    return clone


def _later(folder: Path, tagged: Path) -> Path:
    clone = _clone(folder / "later", tagged)
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org")
    _git(clone, *who, "commit", "--quiet", "--allow-empty", "--message", "later")
    return clone


def _clone(folder: Path, source: Path, *options: str) -> Path:
    _git(folder.parent, "clone", "--quiet", *options, f"file://{source.resolve()}", str(folder))
    return folder


def _archive(folder: Path, clone: Path) -> Path:
    packed = folder.with_suffix(".tar")
    _git(clone, "archive", "--output", str(packed), "HEAD")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")
    return folder


def _copy(folder: Path, source: Path) -> Path:
    """What is committed of a folder, without its history."""
    folder.mkdir(parents=True)
    for name in _git(source, "ls-files").splitlines():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((source / name).read_bytes())
    (folder / ".git_archival.txt").unlink(missing_ok=True)
    return folder


def _git(folder: Path, *words: str) -> str:
    return _checked(folder, "git", *words)


def _run(folder: Path, python: Path, *words: str, codes: tuple[int, ...] = (0,)) -> str:
    return _checked(folder, str(python), *words, codes=codes)


def _checked(folder: Path, *command: str, codes: tuple[int, ...] = (0,)) -> str:
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # which may show the tree
    nothing = subprocess.DEVNULL
    done = subprocess.run(command, cwd=folder, env=alone, stdin=nothing, capture_output=True, text=True, check=False)
    if done.returncode not in codes:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
