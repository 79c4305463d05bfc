"""Every fix that could be made of a kernel of the fixtures gives the same bits, whether it pays or not."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from roofscan.fix.model import Fix
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.fix.every_fix import every_fix
from tests.fix.proof import Proof
from tests.fix.same_results import of_other_sizes
from tests.fix.test_interchange import FOLDERS, HEAD, MATMUL
from tests.fixture_files import Fixture, read_fixtures
from tests.oracle.run import record_types
from tests.oracle.words import read_words


@pytest.mark.parametrize("path", [p for folder in FOLDERS for p in sorted(folder.glob("*.py"))], ids=lambda p: p.stem)
def test_every_fix_gives_the_same_bits(path: Path) -> None:
    """At sizes 0, 1, 2 and 5, with aliased arguments too."""
    proof = Proof()
    for source, fixtures in by_source(path).items():
        module = read_module(source, path.name)
        for candidate in find_candidates(module, False).candidates:
            kernel = lower(module, candidate)
            for fixture in fixtures if not kernel.on_gpu else ():
                if fixture.name == kernel.name:
                    for fix in every_fix(source, kernel):
                        prove(proof, fixture, fix)
    assert not proof.wrong


def by_source(path: Path) -> dict[str, list[Fixture]]:
    found: dict[str, list[Fixture]] = {}
    for fixture in read_fixtures(path):
        found.setdefault(fixture.source, []).append(fixture)
    return found


def prove(proof: Proof, fixture: Fixture, fix: Fix) -> None:
    for line in fixture.oracle[:1]:
        for words in [*of_other_sizes(line)][1:]:
            with suppress(ValueError):  # an index array of no elements has no such words
                given = read_words(words, fixture.parameters, record_types(fixture.source)).arguments
                proof.add(fixture.source, fix, fixture.name, given)


def test_a_fix_that_assumes_arrays_apart_is_run() -> None:
    """The proof counts its runs, with arguments that lie apart and none that overlap."""
    text = HEAD + MATMUL
    module = read_module(text, "k.py")
    kernel = lower(module, find_candidates(module, False).candidates[0])
    proof, square = Proof(), np.ones((3, 3))
    for fix in every_fix(text, kernel):
        proof.add(text, fix, kernel.name, {"A": square, "B": 2 * square, "C": 0 * square})
        assert "A and C do not overlap" not in fix.assumptions or proof.runs
    assert proof.runs and not proof.wrong
