"""What a loop remembers of the arms of conditions stays small."""

from __future__ import annotations

from roofscan.parse.lowering.context import LoopExit

CONDITIONS = 16  # with every arm of an arm kept, the last name would hold two million


def test_names_that_change_places_keep_each_other_once() -> None:
    arms = LoopExit()
    for _ in range(CONDITIONS):
        arms.join(1, 2)
        arms.join(2, 1)
    assert set(arms.other_arms[1]) == {1, 2} == set(arms.other_arms[2])
    assert sum(map(len, arms.other_arms.values())) <= 4
