"""``check --baseline``: known findings are hidden, new ones reported, fixed ones reported until it is updated."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import AXPY, Command

SCALE = "\n\n@njit\ndef scale(x):\n    for i in range(len(x)):\n        x[i] = 2.0 * x[i]\n"
IDLE = SCALE.replace("x[i] = 2.0 * x[i]", "pass")
OUTSIDE = """

@njit
def scale(x):
    try:
        for i in range(len(x)):
            if x[i] == 0.0:
                raise ValueError
            x[i] = 2.0 / x[i]
    except ValueError:
        x[:] = 0.0
"""
COLUMNS = """

@njit
def columns(A):
    for j in range(A.shape[1]):
        for i in range(A.shape[0]):
            A[i, j] += 1.0
"""
KNOWN = ("--baseline", "known.json")
REFRESH = (*KNOWN, "--update-baseline")
ALONE = ("--select", "RFL202")  # else RFL101 names its change


@pytest.fixture
def project(roofscan: Command) -> Command:
    roofscan.write("src/k.py", AXPY + SCALE)
    roofscan.write("src/c.py", "from numba import njit" + COLUMNS)
    outcome = roofscan("check", "src", *REFRESH)
    assert (outcome.code, outcome.out) == (0, "")
    assert '"known.json" holds ' in outcome.error_line
    return roofscan


def codes(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines()]


def test_known_findings_are_quiet(project: Command) -> None:
    outcome = project("check", "src", *KNOWN)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert project("check", "src").code == 1


def test_the_number_of_findings_is_said(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    assert roofscan("check", "k.py", *REFRESH).error_line.endswith("holds 1 finding")


def test_it_holds_no_lines_no_figures_and_no_words(project: Command) -> None:
    text = Path("known.json").read_text()
    document = json.loads(text)
    assert list(document["findings"]) == ["src/c.py", "src/k.py"]
    subjects = document["findings"]["src/k.py"]["axpy"]["RFL102"]
    assert subjects == ["kernel"]
    assert project("check", "src", *REFRESH).code == 0
    assert Path("known.json").read_text() == text
    project.write("src/k.py", "# moved\n\n\n" + AXPY + SCALE)
    assert project("check", "src", *KNOWN).code == 0
    assert project("check", "src", *REFRESH).code == 0
    assert Path("known.json").read_text() == text


def test_a_new_finding_is_reported(project: Command) -> None:
    project.write("src/k.py", AXPY + SCALE + SCALE.replace("scale", "again"))
    outcome = project("check", "src", *KNOWN, "--fail-on", "note")
    assert outcome.code == 1
    (line,) = outcome.out.splitlines()
    assert "again" in line


def test_a_second_finding_of_one_kind_is_reported(project: Command) -> None:
    twice = COLUMNS.replace("A[i, j] += 1.0\n", "A[i, j] += 1.0\n" + COLUMNS.split(":\n", 1)[1])
    project.write("src/c.py", "from numba import njit" + twice)
    outcome = project("check", "src", *KNOWN)
    assert outcome.code == 1 and outcome.out


def test_a_fixed_finding_is_reported_until_the_baseline_is_updated(project: Command) -> None:
    project.write("src/k.py", AXPY + IDLE)
    for _ in range(2):
        outcome = project("check", "src", *KNOWN)
        assert (outcome.code, outcome.out) == (0, "")
        assert "src/k.py: RFL102 scale is fixed" in outcome.error_line
        assert outcome.error_line.endswith('refresh "known.json" with --update-baseline')
    project("check", "src", *REFRESH)
    assert project("check", "src", *KNOWN).err == ""
    project.write("src/k.py", AXPY + SCALE)
    assert "RFL102 scale" in project("check", "src", *KNOWN).out


def test_a_file_that_is_gone_is_fixed(project: Command) -> None:
    Path("src/c.py").unlink()
    assert "src/c.py" in project("check", "src", *KNOWN).err
    project("check", "src/k.py", *REFRESH)
    assert list(json.loads(Path("known.json").read_text())["findings"]) == ["src/k.py"]


def test_what_was_not_examined_stays(project: Command) -> None:
    before = Path("known.json").read_text()
    project.write("src/broken.py", "from numba import njit\ndef f(:\n")
    for words in (("src/k.py",), ("src", "--select", "RFL3")):
        assert project("check", *words, *KNOWN).out == ""
        project("check", *words, *REFRESH)
        assert Path("known.json").read_text() == before
    assert project("check", "src", *KNOWN).code == 1  # broken.py


def test_paths_are_those_from_the_baseline(project: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("src")
    assert project("check", ".", "--baseline", "../known.json").code == 0
    assert project("check", str(project.folder / "src"), "--baseline", str(project.folder / "known.json")).code == 0


def test_from_the_config(project: Command) -> None:
    project.write("pyproject.toml", '[tool.roofscan]\nbaseline = "known.json"\n')
    assert project("check", "src").code == 0
    project.write("src/k.py", AXPY + IDLE)
    assert "is fixed" in project("check", "src").err
    assert project("check", "src", "--update-baseline").code == 0
    assert project("check", "src").err == ""


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b"<<<<<<< HEAD\n{}",
        b'{"schema": "roofscan-baseline/3", "findings": {}}',
        b'{"schema": "roofscan-baseline/2", "findings": {}, "findings_v1": []}',
        b'{"schema": "roofscan-baseline/1"}',
        b'{"schema": "roofscan-baseline/1", "findings": []}',
        b'{"schema": "roofscan-baseline/1", "findings": {"a": {"b": {"c": "d"}}}}',
        b'{"schema": "roofscan-baseline/1", "findings": {"a": {"b": 3}}}',
        b"[" * 100_000,
    ],
)
def test_a_baseline_that_cannot_be_read(project: Command, content: bytes) -> None:
    project.write("known.json", content)
    for words in (KNOWN, REFRESH):
        outcome = project("check", "src", *words)
        assert (outcome.code, outcome.out) == (2, "")
        assert 'baseline "known.json" cannot be read' in outcome.error_line
        assert outcome.error_line.endswith("or delete it and run with --update-baseline")
    assert Path("known.json").read_bytes() == content


def test_errors_of_use(roofscan: Command) -> None:
    roofscan.write("k.py", AXPY)
    assert roofscan("check", "k.py", *KNOWN).error_line.endswith("make one with --update-baseline")
    assert "add --baseline FILE" in roofscan("check", "k.py", "--update-baseline").error_line
    outcome = roofscan("check", "k.py", "--baseline", "no/folder.json", "--update-baseline")
    assert outcome.code == 2 and outcome.error_line.endswith("name another file")
    assert not list(Path(".").glob("*.tmp"))


@pytest.mark.parametrize("now", [OUTSIDE, SCALE.replace("@njit", ""), SCALE.replace("def scale", "def rescaled"), ""])
def test_a_kernel_that_is_lost_is_not_fixed(project: Command, now: str) -> None:
    project.write("src/k.py", AXPY + now)
    for _ in range(2):  # then from the cache
        lines = project("check", "src", *KNOWN).err.splitlines()
        assert lines and all("scale is no longer analyzed (" in line for line in lines)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (SCALE.replace("x[i] = 2.0 * x[i]", "x[i] = unknown(x, i)"), "scale is no longer decided (kernel)"),
        (SCALE.replace("x[i]", "x[int(x[i])]"), "scale is no longer decided (kernel)"),
        (SCALE.replace("2.0 * x[i]", "sin(sin(x[i]))").replace("@", "from math import sin\n\n\n@"), "scale is fixed"),
        (SCALE.replace("def scale(x):", "def scale(x):  # roofscan: accept"), "scale is accepted (kernel)"),
        (SCALE.replace("def scale(x):", "def scale(x):  # noqa: RFL"), ""),
    ],
)
def test_only_what_is_decided_is_fixed(project: Command, now: str, said: str) -> None:
    project.write("src/k.py", AXPY + now)
    for _ in range(2):  # then from the cache
        lines = project("check", "src", *KNOWN).err.splitlines()
        assert all(said in line for line in lines) if said else not lines, lines
        assert bool(lines) == bool(said)


def test_findings_that_an_option_hides_are_not_fixed(project: Command) -> None:
    assert project("check", "src", *KNOWN, "--min-gain", "1000").err == ""


def test_a_verdict_that_another_replaces_is_not_fixed(project: Command) -> None:
    project.write("src/k.py", AXPY + COLUMNS.replace("columns", "scale"))
    outcome = project("check", "src", *KNOWN, "--select", "RFL1")
    assert "RFL101 scale" in outcome.out and "RFL102 scale was replaced by another verdict (" in outcome.err


def test_the_kernels_of_a_file_that_is_gone_are_not_fixed(project: Command) -> None:
    Path("src/c.py").unlink()
    assert "columns is no longer analyzed (" in project("check", "src", *KNOWN).err


def test_failures_are_never_known(project: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from roofscan.pipeline import facts

    def broken(*_: object) -> object:
        raise ZeroDivisionError("made up")

    monkeypatch.setattr(facts, "lower", broken)
    for words in (REFRESH, KNOWN):
        assert set(codes(project("check", "src", "--no-cache", *words).out)) == {"RFL999"}


def test_of_two_findings_in_a_kernel_the_right_one_is_new(roofscan: Command) -> None:
    roofscan.write("k.py", "from numba import njit" + COLUMNS)
    roofscan("check", "k.py", *REFRESH, *ALONE)
    document = json.loads(Path("known.json").read_text())
    assert document["findings"]["k.py"]["columns"]["RFL202"] == ["loop j"]
    document["findings"]["k.py"]["columns"]["RFL202"] = ["loop i"]
    roofscan.write("known.json", json.dumps(document))
    outcome = roofscan("check", "k.py", *KNOWN, *ALONE)
    assert codes(outcome.out) == ["RFL202"] and "is fixed (loop i)" in outcome.error_line


# -- files of the first version, which held the beginnings of messages -----------------------------------------
OLD = Path(__file__).parent / "baseline_v1"
NEWER = ("--ignore", "RFL304,RFL501,RFL507,RFL603")  # codes that did not exist then
EVERY = ("check", "kernels.py", "--select", "RFL", *NEWER)


@pytest.fixture
def old(roofscan: Command) -> Command:
    for name in ("kernels.py", "known.json"):
        roofscan.write(name, (OLD / name).read_text())
    return roofscan


def test_an_old_baseline_holds_what_it_held(old: Command) -> None:
    assert len(old(*EVERY).out.splitlines()) == 15
    outcome = old(*EVERY, *KNOWN)
    assert (outcome.code, outcome.out) == (0, "")
    assert all(re.search(": RFL(102|201|202) ", line) for line in outcome.err.splitlines())  # another finding says more


def test_an_old_baseline_shows_new_and_fixed_findings(old: Command) -> None:
    text = (OLD / "kernels.py").read_text()
    assert text.count("B[i, q] *= 2.0") == 1
    changed = text.replace("for q in range(B.shape[1])", "for p in range(B.shape[1])").replace("B[i, q]", "B[i, p]")
    old.write("kernels.py", changed)
    outcome = old(*EVERY, *KNOWN)
    assert codes(outcome.out) == ["RFL202"] and " p " in outcome.out
    assert "RFL202 columns is fixed (make q the innermost loop)" in outcome.err


def test_an_old_baseline_is_rewritten(old: Command) -> None:
    assert old(*EVERY, *REFRESH).code == 0
    document = json.loads(Path("known.json").read_text())
    assert document["schema"] == "roofscan-baseline/2" and "findings_v1" not in document
    assert document["findings"]["kernels.py"]["decay_two"]["RFL201"] == ["array A"]
    assert old(*EVERY, *KNOWN).code == 0


def test_what_was_not_examined_stays_in_its_old_form(old: Command) -> None:
    old.write("other.py", AXPY)
    before = json.loads((OLD / "known.json").read_text())
    assert old("check", "other.py", *REFRESH).code == 0
    document = json.loads(Path("known.json").read_text())
    assert list(document["findings"]) == ["other.py"] and document["findings_v1"] == before["findings"]
    assert old("check", "other.py", "kernels.py", "--select", "RFL", *NEWER, *KNOWN).code == 0
