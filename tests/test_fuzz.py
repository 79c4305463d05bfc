"""Garbage in: nothing raises, nothing fails by its own fault. ``benchmarks/fuzz.py`` throws many more."""

from __future__ import annotations

import pytest

from fuzz.__main__ import judged
from fuzz.inputs import KINDS, Sources, made

INPUTS = 500
SEED = 2024
PARTS = 10
SHORT = 900  # bytes: the others are left to the benchmark
SECONDS = 0.05
SOURCES = Sources()


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_fails_on_garbage(part: int) -> None:
    for number in range(part, INPUTS, PARTS):
        given = made(SEED, number, SOURCES)
        if len(given.data) <= SHORT:
            row = judged(given, number, SECONDS)
            assert not row.problem, f"python benchmarks/fuzz.py --seed {SEED} --only {number}"


def test_inputs_are_made_again_by_their_number() -> None:
    assert made(1, 7, SOURCES) == made(1, 7, Sources())
    assert {made(1, number, SOURCES).kind for number in range(1000)} == KINDS.keys()
