"""One open file, edited: what is analyzed again, and what stays."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from roofscan.config.options import Options
from roofscan.lsp.open_file import OpenFile
from roofscan.pipeline import driver

KERNEL = """

@njit
def kernel{n}(x, y):
    for i in range(x.size):
        x[i] = y[i] * {factor}
"""
OPTIONS = Options()


def file_of(kernels: int, edited: int = 0, factor: float = 0.5) -> str:
    bodies = (KERNEL.format(n=n, factor=factor if n == edited else 0.5) for n in range(kernels))
    return "from numba import njit\n" + "".join(bodies)


@pytest.fixture
def analyzed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of kernels, as they are analyzed."""
    names: list[str] = []
    analyze = driver.analyze_kernel

    def recorded(module: driver.Module, candidate: driver.Candidate, *rest: object) -> driver.KernelResult:
        names.append(candidate.name)
        return analyze(module, candidate, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(driver, "analyze_kernel", recorded)
    return names


def test_an_edit_analyzes_the_edited_kernel_alone(analyzed: list[str]) -> None:
    file = OpenFile("a.py", on_disk=False)
    before = file.findings(file_of(3), OPTIONS)
    assert analyzed == ["kernel0", "kernel1", "kernel2"]
    after = file.findings(file_of(3, edited=1, factor=7.5), OPTIONS)
    assert analyzed[3:] == ["kernel1"]
    assert [(f.code, f.line) for f in after] == [(f.code, f.line) for f in before]


def test_what_is_undone_or_broken_for_a_moment_is_not_analyzed_again(analyzed: list[str]) -> None:
    file = OpenFile("a.py", on_disk=False)
    before = file.findings(file_of(3), OPTIONS)
    file.findings(file_of(3, edited=1, factor=7.5), OPTIONS)
    file.findings(file_of(3) + "def broken(:\n", OPTIONS)
    analyzed.clear()
    assert file.findings(file_of(3), OPTIONS) == before
    assert analyzed == []
    file.findings(file_of(3, edited=2, factor=7.5), OPTIONS)
    assert analyzed == ["kernel2"]


@pytest.mark.parametrize("kernels", [3, 7])
def test_few_units_are_remembered(kernels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofscan.lsp.open_file.MAX_EARLIER_UNITS", 2)
    file = OpenFile("a.py", on_disk=False)
    for factor in range(4):
        text = file_of(kernels, edited=1, factor=factor)
        file.findings(text, OPTIONS)
        file.notes(text, OPTIONS, range(1, 99))
    assert file._store._record is not None
    assert len(file._store._record["units"]) == kernels + 2
    assert len(file._notes) == kernels + 3  # one for each definition, of which one is an import


def test_a_large_file_that_is_broken_for_a_moment_is_not_analyzed_again(
    analyzed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofscan.lsp.open_file.MAX_EARLIER_UNITS", 2)
    file = OpenFile("a.py", on_disk=False)
    file.findings(file_of(5), OPTIONS)
    for edit in range(2):
        file.findings(file_of(5) + f"broken = ({edit}\n", OPTIONS)
    analyzed.clear()
    file.findings(file_of(5, edited=4, factor=7.5), OPTIONS)
    assert analyzed == ["kernel4"]


def test_an_analysis_gives_way_between_two_units(analyzed: list[str]) -> None:
    file, text = OpenFile("a.py", on_disk=False), file_of(3)
    whole = OpenFile("a.py", on_disk=False).findings(text, OPTIONS)
    analyzed.clear()
    steps = [file.findings_until(lambda: True, text, OPTIONS) for _ in range(4)]
    assert analyzed == ["kernel0", "kernel1", "kernel2"]
    assert steps == [(whole[:1], 2), (whole[:2], 1), (whole, 0), (whole, 0)]


def test_lines_that_move_analyze_nothing(analyzed: list[str]) -> None:
    file = OpenFile("a.py", on_disk=False)
    before = file.findings(file_of(3), OPTIONS)
    analyzed.clear()
    after = file.findings("# a comment\n" + file_of(3), OPTIONS)
    assert analyzed == []
    assert [f.line for f in after] == [f.line + 1 for f in before]


def test_notes_are_of_the_lines_asked_for_and_made_once(analyzed: list[str]) -> None:
    file = OpenFile("a.py", on_disk=False)
    assert [note.line for note in file.notes(file_of(3), OPTIONS, range(5, 6))] == [5, 6]
    assert [note.line for note in file.notes(file_of(3), OPTIONS, range(1, 20))] == [5, 6, 11, 12, 17, 18]
    assert analyzed == ["kernel0", "kernel1", "kernel2"]
    moved = file.notes("\n" + file_of(3), OPTIONS, range(1, 20), with_lines=False)
    assert [note.line for note in moved] == [6, 7, 12, 13, 18, 19]
    assert len(analyzed) == 3
    assert file.notes(file_of(3), Options(machines=("a100-40gb",)), range(5, 6))
    assert len(analyzed) == 4


def test_broken_source_keeps_notes_and_findings(analyzed: list[str]) -> None:
    file = OpenFile("a.py", on_disk=False)
    text = file_of(2)
    before, notes = file.findings(text, OPTIONS), file.notes(text, OPTIONS, range(1, 20))
    analyzed.clear()
    broken = text.replace("\n\n@njit\ndef kernel1", "\n\n(\n@njit\ndef kernel1")
    assert [f.line for f in file.findings(broken, OPTIONS)] == [before[0].line, before[1].line + 1]
    assert [n.line for n in file.notes(broken, OPTIONS, range(1, 20))] == [n.line + (n.line > 8) for n in notes]
    assert analyzed == []
    assert file.kernels(broken) == [("kernel0", 5), ("kernel1", 12)]


def test_source_that_was_never_readable_has_nothing() -> None:
    file = OpenFile("a.py", on_disk=False)
    assert (file.findings("def (", OPTIONS), file.notes("def (", OPTIONS, range(1, 9)), file.kernels("def (")) == (
        (),
        [],
        [],
    )


def test_hundreds_of_edits_take_no_more_memory() -> None:
    file = OpenFile("a.py", on_disk=False)

    def edit(number: int) -> None:
        text = file_of(2, factor=0.25 + number // 20) + f"# edit {number}\n"
        file.findings(text, OPTIONS)
        if number % 50 == 0:
            file.notes(text, OPTIONS, range(1, 20))

    for number in range(200):
        edit(number)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(200, 800):
            edit(number)
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 1.2e6  # 2 kB an edit
