"""``roofscan check`` with its cache: the same findings with and without, and no more analysis than is needed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from roofscan.cache.lookup import check, known
from roofscan.cache.store import Store
from roofscan.config.options import Options
from roofscan.pipeline import driver
from tests.cli.conftest import AXPY, Command, roofscan

__all__ = ["roofscan"]

SCALE = """

@njit
def scale(x):
    for i in range(len(x)):
        x[i] = 2.0 * x[i]
"""
COLUMNS = """

@njit
def columns(A):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            A[i, j] += 1.0
"""


@pytest.fixture
def analyzed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that are analyzed, as it happens."""
    names: list[str] = []
    original = driver.analyze_kernel

    def listening(module, candidate, setting, steps):  # type: ignore[no-untyped-def]
        names.append(candidate.name)
        return original(module, candidate, setting, steps)

    monkeypatch.setattr(driver, "analyze_kernel", listening)
    return names


@pytest.fixture
def cached(roofscan: Command, analyzed: list[str]):  # type: ignore[no-untyped-def]
    """Runs ``check k.py`` with the cache, compares it with a run without, and gives what was analyzed."""

    def run(text: str, *words: str) -> list[str]:
        roofscan.write("k.py", text)
        fresh = roofscan("check", "k.py", "--no-cache", *words)
        analyzed.clear()
        outcome = roofscan("check", "k.py", *words)
        assert (outcome.code, outcome.out, outcome.err) == (fresh.code, fresh.out, fresh.err)
        return list(analyzed)

    return run


def test_an_unchanged_kernel_is_not_analyzed_again(cached) -> None:  # type: ignore[no-untyped-def]
    text = AXPY + SCALE + COLUMNS
    assert cached(text) == ["axpy", "scale", "columns"]
    assert cached(text) == []
    assert cached("# a comment\n\n" + text) == []  # moved
    assert cached(text.replace("2.0", "3.0")) == ["scale"]
    assert cached(text.replace("def scale(x)", "def scale(x, y)")) == ["scale"]
    assert cached(AXPY + COLUMNS) == []  # scale is gone
    assert cached(AXPY + COLUMNS + "x = (") == []  # no Python


def test_options_and_machines_make_results_of_their_own(cached, roofscan: Command) -> None:  # type: ignore[no-untyped-def]
    assert cached(AXPY) == ["axpy"]
    assert cached(AXPY, "--machine", "xeon-6248r") == ["axpy"]
    assert cached(AXPY, "--machine", "xeon-6248r") == []
    assert cached(AXPY, "--select", "RFL001", "--jobs", "2") == []  # chosen among the same findings
    assert cached(AXPY, "--bind", "a=2.0") == ["axpy"]
    shown = roofscan("machine", "detect").out
    roofscan.write("mine.toml", shown)
    assert cached(AXPY, "--machine", "mine.toml") == ["axpy"]
    assert cached(AXPY, "--machine", "mine.toml") == []
    roofscan.write("mine.toml", shown + "\n# corrected\n")
    assert cached(AXPY, "--machine", "mine.toml") == ["axpy"]


CUDA = """from numba import cuda


@cuda.jit
def locked(x):
    try:
        if x[cuda.grid(1)] == 0.0:
            raise ValueError
    except ValueError:
        x[0] = 0.0
"""


def test_kernels_of_a_gpu_are_analyzed_on_a_gpu_or_for_their_pragma(cached, roofscan: Command) -> None:  # type: ignore[no-untyped-def]
    assert cached(CUDA) == []
    assert cached(CUDA, "--machine", "a100-40gb") == ["locked"]
    assert cached(CUDA.replace("@cuda", "# roofscan: m=3\n@cuda")) == ["locked"]
    for machine, code in (("generic-x86-64", 0), ("a100-40gb", 1)):
        assert roofscan("check", "k.py", "--select", "RFL001", "--machine", machine).code == code


def test_a_helper_of_another_file(cached, roofscan: Command) -> None:  # type: ignore[no-untyped-def]
    text = "from numba import njit\nfrom helpers import twice\n\n\n@njit\ndef f(x):\n" + (
        "    for i in range(len(x)):\n        x[i] = twice(x[i])\n"
    )
    aged(roofscan.write("helpers.py", "def twice(a):\n    return 2.0 * a\n"))
    assert cached(text) == ["f"]
    assert cached(text) == []
    assert cached(text + SCALE) == ["scale"]
    aged(roofscan.write("helpers.py", "def twice(a):\n    return a ** 0.3\n"), 50)
    assert cached(text + SCALE) == ["f"]
    os.remove("helpers.py")
    assert cached(text + SCALE) == ["f"]


SCALED = """from numba import cuda


# roofscan: x=f4[67108864]
@cuda.jit("void(float32[:])")
def scale(x):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        x[i] += x[i]
"""


def test_a_launch_in_another_file(cached, roofscan: Command) -> None:  # type: ignore[no-untyped-def]
    """Of 2 blocks by the file that launches it; its record is out of date where a file beside it changes."""
    host = "from k import scale\n\n\ndef host(x):\n    scale[2, 128](x)\n"
    words = ("--machine", "h200", "--select", "RFL702")
    assert cached(SCALED, *words) == ["scale"]
    assert cached(SCALED, *words) == []
    roofscan.write("host.py", host)
    assert cached(SCALED, *words) == ["scale"]
    assert "2 blocks of 128 threads" in roofscan("check", "k.py", *words).out
    roofscan.write("host.py", host.replace("[2, 128]", "[2000, 128]"))
    assert cached(SCALED, *words) == ["scale"]
    assert not roofscan("check", "k.py", *words).out


def aged(name: str, seconds: float = 100) -> None:
    """A file of some age: the cache does not keep results of a file that may still change."""
    then = Path(name).stat().st_mtime - seconds
    os.utime(name, (then, then))


def test_messages_that_name_lines_follow_the_lines(cached) -> None:  # type: ignore[no-untyped-def]
    chain = "\n\n@njit\ndef total(x):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i]\n    return s\n"
    words = ("--select", "RFL")
    for text in (AXPY + chain + COLUMNS, "\n" + AXPY + chain + COLUMNS, AXPY + "\n\n\n" + chain + COLUMNS):
        cached(text, *words)
        assert cached(text, *words) == []


@pytest.mark.parametrize("spoil", [b"", b"{}", b"null", b'{"units": 3}', b"\xff"])
def test_a_spoiled_cache_costs_an_analysis(cached, roofscan: Command, spoil: bytes) -> None:  # type: ignore[no-untyped-def]
    cached(AXPY)
    for path in Path(".roofscan_cache").glob("*.json"):
        path.write_bytes(spoil)
    assert cached(AXPY) == ["axpy"]
    assert cached(AXPY) == []


@pytest.mark.parametrize("part", ["text", "units", "places", "others", "error"])
def test_a_record_of_another_form_costs_an_analysis(cached, part: str) -> None:  # type: ignore[no-untyped-def]
    cached(AXPY)
    (path,) = Path(".roofscan_cache").glob("*.json")
    store = Store(".roofscan_cache")
    record = store.read(path.stem)
    assert record is not None
    for wrong in (None, 7, [[]], [["x", 1]], {"x": 1}, "text"):
        if wrong != record[part]:
            store.write(path.stem, {**record, part: wrong})
            cached(AXPY)


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("code", "E501"), ("code", None), ("line", float("inf")), ("column", "x"), ("message", "\x1b[2J"),
        ("message", 5), ("kernel", None), ("end_line", "x"), ("end_column", []), ("subject", ["kernel"]),
        ("subject", ["array", ["\x1b[2J"]]), ("figures", [[1]]), ("lines", ["x"]), ("defers_to", None),
    ],
)  # fmt: skip
def test_a_finding_of_another_form_costs_an_analysis(  # type: ignore[no-untyped-def]
    cached, key: str, wrong: object
) -> None:
    cached(AXPY)
    (path,) = Path(".roofscan_cache").glob("*.json")
    store = Store(".roofscan_cache")
    record = store.read(path.stem)
    assert record is not None
    (unit,) = record["units"].values()
    unit[0][0][key] = wrong
    store.write(path.stem, record)
    assert cached(AXPY) == ["axpy"]


def test_no_cache_and_another_folder(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    roofscan("check", "k.py", "--no-cache")
    assert not Path(".roofscan_cache").exists()
    roofscan("check", "k.py", "--cache-dir", "build/kept")
    assert list(Path("build/kept").glob("*.json")) and not Path(".roofscan_cache").exists()
    roofscan.write("pyproject.toml", '[tool.roofscan]\ncache-dir = "elsewhere"\n')
    roofscan("check", "k.py")
    assert list(Path("elsewhere").glob("*.json"))


def test_the_cache_is_no_source(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    first = roofscan("check", ".").out
    assert roofscan("check", ".").out == first and first.count("\n") == 1


def test_a_failure_is_not_kept(roofscan: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    roofscan.write("k.py", AXPY)
    monkeypatch.setattr("roofscan.pipeline.facts.lower", lambda *_: 1 / 0)
    assert "RFL999" in roofscan("check", "k.py").out
    monkeypatch.undo()
    monkeypatch.chdir(roofscan.folder)
    assert "RFL102" in roofscan("check", "k.py").out


def test_records_hold_only_plain_data(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "c"))
    path = str(tmp_path / "k.py")
    made = check(AXPY, path, Options(), store=store)
    assert known(AXPY, path, Options(), False, store) == made
    assert known(AXPY + "\n", path, Options(), False, store) is None
    (file,) = (tmp_path / "c").glob("*.json")
    body = json.loads(file.read_bytes().partition(b"\n")[2])
    assert str(tmp_path) not in json.dumps(body)


SUM_OF_COLUMNS = """from numba import njit


@njit
def total(A):
    n, m = A.shape
    s = 0.0
    for j in range(m):
        for i in range(n):
            A[i, j] = 2.0 * A[i, j]
"""


def test_a_finding_keeps_its_transformation(tmp_path: Path) -> None:
    store, options = Store(str(tmp_path / "c")), Options(select=("RFL202",))
    [first] = check(SUM_OF_COLUMNS, "k.py", options, store=store).findings
    stored = known(SUM_OF_COLUMNS, "k.py", options, False, store)
    assert stored is not None and stored.findings == (first,)
    assert first.transformation is not None and first.transformation.order == ("i", "j")
    [moved] = check("\n\n" + SUM_OF_COLUMNS, "k.py", options, store=store).findings
    assert moved.transformation == first.transformation.moved(2) and moved.line == first.line + 2
