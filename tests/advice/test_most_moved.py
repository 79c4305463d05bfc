"""What pieces of kernels take at most, by the most that they can move."""

from __future__ import annotations

import pytest

from roofscan.advice import gain
from roofscan.advice.change import Figures, PieceCosts
from roofscan.advice.most_moved import most_moved, most_time
from roofscan.api import analyze_source
from roofscan.cost.analyze import with_reuse
from roofscan.roofline.verdict import RooflinePoint
from tests.fixture_files import FIXTURES


def analyse(kernel: str) -> None:
    file, name = kernel.split("::")
    assert analyze_source((FIXTURES / f"{file}.py").read_text(encoding="utf-8"), functions=(name,)).kernels[0].findings


@pytest.mark.parametrize(
    "kernel", ["arrays::diffuse", "arrays::relax_line", "networks::layer_norm", "networks::residual_block"]
)
def test_no_piece_takes_more_than_its_bound(kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces: list[tuple[RooflinePoint, Figures]] = []
    moving = PieceCosts.moving

    def seen(self: PieceCosts, counts: Figures) -> Figures:
        pieces.append((self.point, counts))
        return moving(self, counts)

    monkeypatch.setattr(PieceCosts, "moving", seen)
    analyse(kernel)
    compared = 0
    for point, counts in pieces:
        moved, versions = most_moved(point, counts), moving(PieceCosts(point), counts).versions
        most = None if moved is None else most_time(point, counts, moved)
        if moved is not None and most is not None:
            expected = [version.time_between(point) for version in versions]
            assert sum(each[1] for each in expected if each) <= most
            compared += 1
    assert compared


@pytest.mark.parametrize(
    ("kernel", "models"),
    [
        ("networks::residual_block", 2),  # the second of its changes would gain 1.03 times at most
        ("arrays::alternate_directions", 8),  # the third would save too little, by its traffic after the change alone
    ],
)
def test_what_cannot_pay_with_the_most_traffic_has_none_worked_out(
    kernel: str, models: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []

    def counting(*of: object) -> object:
        made.append(of)
        return with_reuse(*of)  # type: ignore[arg-type]

    monkeypatch.setattr(gain, "with_reuse", counting)
    analyse(kernel)
    assert len(made) == models
