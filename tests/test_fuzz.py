"""Inputs that nobody writes: nothing raises or reports an internal failure (``python -m fuzz`` runs many more)."""

from __future__ import annotations

import pytest

from fuzz.__main__ import run_input
from fuzz.inputs import KINDS, Sources, make_input

INPUTS = 500
SEED = 2024
PARTS = 10
MAX_BYTES = 900  # longer inputs are left to ``python -m fuzz``
KERNEL_SECONDS = 0.05
SOURCES = Sources()


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_fails(part: int) -> None:
    for number in range(part, INPUTS, PARTS):
        given = make_input(SEED, number, SOURCES)
        if len(given.data) <= MAX_BYTES:
            row = run_input(given, number, KERNEL_SECONDS)
            assert not row.problem, f"python -m fuzz --seed {SEED} --only {number}"


def test_inputs_are_repeated_by_their_number() -> None:
    assert make_input(1, 7, SOURCES) == make_input(1, 7, Sources())
    assert {make_input(1, number, SOURCES).kind for number in range(1000)} == KINDS.keys()
