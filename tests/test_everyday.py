"""Kernels as people write them (``everyday/*.py``, and some of ``fixtures/``): the figures are those of a run.

Bound to the arguments of each ``# oracle`` line: operations, and traffic at several capacities. With nothing bound: an
`exact` is the run's figure under these arguments and under others that its assumptions allow. ``# known KIND: …`` says
which kind of figure roofscan gets wrong today, and why; the line goes when the figure is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixture_files import FIXTURES, Fixture, fixtures_of, read_fixtures
from tests.oracle import run
from tests.oracle.analysis import analyzed, counted
from tests.oracle.compare import CAPACITIES, Disagreement, assumptions_allow, disagreements, free_flops_disagree
from tests.oracle.words import Words

TAUGHT = ("everyday.py", "time_loops.py")
EXPECTED = {"status", "levels"}
KERNELS = {
    kernel.id: kernel
    for kernels in (fixtures_of(Path(__file__).parent / "everyday"), *(read_fixtures(FIXTURES / n) for n in TAUGHT))
    for kernel in kernels
}


@pytest.mark.parametrize("name", KERNELS)
def test_figures_are_those_of_a_run(name: str) -> None:
    kernel = KERNELS[name]
    found: dict[str, list[str]] = {}
    for line in kernel.oracle:
        for wrong in [*as_written(kernel, line), *as_drawn(kernel, line)]:
            found.setdefault(wrong.kind, []).append(wrong.text)
    assert found.keys() == kernel.known.keys(), found


@pytest.mark.parametrize("name", [name for name, kernel in KERNELS.items() if kernel.expected.keys() & EXPECTED])
def test_status_is_the_expected_one(name: str) -> None:
    """``# expect status``: with nothing bound; ``# expect levels``: of traffic at the first run's arguments."""
    kernel = KERNELS[name]
    if "status" in kernel.expected:
        assert counted(kernel.source, kernel.name, "").cost.status == kernel.expected["status"]
    if "levels" in kernel.expected:
        bound = analyzed(kernel.source, kernel.name, kernel.words(kernel.oracle[0]).bind)
        assert bound.cost.reuse is not None
        assert {bound.cost.reuse.traffic(c).status for c in CAPACITIES} <= {"exact", kernel.expected["levels"]}


def as_written(kernel: Fixture, line: str) -> Iterator[Disagreement]:
    words = kernel.words(line)
    yield from disagreements(kernel.source, kernel.name, words, run(kernel.source, kernel.name, words.arguments))


def as_drawn(kernel: Fixture, line: str) -> Iterator[Disagreement]:
    """Figures without facts, under other extents and element types; arguments that the kernel rejects say nothing."""
    for words in drawn(kernel, line):
        try:
            trace = run(kernel.source, kernel.name, words.arguments)
        except (IndexError, TypeError, ValueError):
            continue
        yield from free_flops_disagree(kernel.source, kernel.name, words, trace)


def drawn(kernel: Fixture, line: str) -> Iterator[Words]:
    """Other arguments that the figures without facts are for."""
    free = counted(kernel.source, kernel.name, "")
    if free.cost.status != "exact":
        return
    for text in (larger(line), line.replace("=f8[", "=c16["), line.replace("=f8[", "=i8[")):
        words = kernel.words(text)
        if text != line and assumptions_allow(free, words):
            yield words


def larger(line: str) -> str:
    """Every extent, and every size that extents are written with, 3 larger; 1 where an array has four dimensions, whose
    runs take long."""
    shapes = re.findall(r"\[([^]]*)\]", line)
    more = 1 if any(dims.count(",") > 2 for dims in shapes) else 3
    extents = re.sub(r"(?<=[\[,])(\d+)(?=[],])", lambda n: str(int(n[0]) + more), line)
    names = {name for dims in shapes for name in re.findall(r"[a-z_]\w*", dims)}
    return re.sub(r"\b(\w+)=(\d+)\b", lambda m: f"{m[1]}={int(m[2]) + more}" if m[1] in names else m[0], extents)
