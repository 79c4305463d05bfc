"""One process that analyses files again and again, in several threads, sees each as it is now."""

from __future__ import annotations

import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import roofscan

CALLER = """\
from numba import njit
from helpers import change


@njit
def f(x):
    n = len(x)
    for i in range(n):
        x[i] = change(x[i]){rest}
"""


def write(folder: Path, helper: str, rest: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "helpers.py").write_text(f"def change(a):\n    return {helper}\n")
    path = folder / "kernels.py"
    path.write_text(CALLER.format(rest=rest))
    return path


def operations(path: Path) -> dict[str, str]:
    [report] = roofscan.analyze_file(path)
    return {kind: str(count) for kind, count in report.operations.items()}


def test_a_file_and_its_helper_are_read_anew(tmp_path: Path) -> None:
    path = write(tmp_path, "a * 2.0")
    assert operations(path) == {"mul": "n"}
    write(tmp_path, "a * 2.0", " + 1.0")
    assert operations(path) == {"mul": "n", "add": "n"}
    write(tmp_path, "a / 3.0", " + 1.0")
    assert operations(path) == {"div": "n", "add": "n"}


def test_a_helper_may_come_and_go(tmp_path: Path) -> None:
    path = write(tmp_path, "a * 2.0")
    assert operations(path) == {"mul": "n"}
    (tmp_path / "helpers.py").rename(tmp_path / "elsewhere.py")
    assert operations(path) == {}
    (tmp_path / "elsewhere.py").rename(tmp_path / "helpers.py")
    assert operations(path) == {"mul": "n"}


def test_threads_do_not_see_each_others_files(tmp_path: Path) -> None:
    bodies = {"mul": "a * 2.0", "div": "a / 3.0", "sqrt": "a ** 0.5", "add": "a + 1.0"}
    paths = {kind: write(tmp_path / kind, body) for kind, body in bodies.items()}
    together = Barrier(len(paths))

    def analyse(kind: str) -> list[dict[str, str]]:
        together.wait()
        return [operations(paths[kind]) for _ in range(3)]

    filters = list(warnings.filters)
    with ThreadPoolExecutor(len(paths)) as pool:
        found = dict(zip(paths, pool.map(analyse, paths), strict=True))
    assert found == {kind: [{kind: "n"}] * 3 for kind in paths}
    assert list(warnings.filters) == filters


def test_two_threads_see_the_second_version(tmp_path: Path) -> None:
    path = write(tmp_path, "a * 2.0")
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(operations, [path, path])) == [{"mul": "n"}] * 2
        write(tmp_path, "a / 3.0", " + 1.0")
        assert list(pool.map(operations, [path, path])) == [{"div": "n", "add": "n"}] * 2


def test_the_first_kernels_may_be_read_by_two_threads(tmp_path: Path) -> None:
    """LibCST is imported when the first kernel is read."""
    program = f"""
from concurrent.futures import ThreadPoolExecutor
import roofscan
with ThreadPoolExecutor(2) as pool:
    for reports in pool.map(roofscan.analyze_file, [{str(write(tmp_path, "a * 2.0"))!r}] * 2):
        print(*reports[0].operations)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["mul", "mul"]
