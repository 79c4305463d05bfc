"""Pieces that differ in names and places alone are costed once, with the same result as each by itself."""

from __future__ import annotations

import pytest

from roofscan.advice import change
from roofscan.advice.gain import Version, counted, moving
from roofscan.advice.piece_forms import form_of
from roofscan.api import analyze_source
from roofscan.ir.kernel import Kernel
from roofscan.roofline.verdict import RooflinePoint
from tests.fixture_files import FIXTURES
from tests.support.nest_notation import nest

NEST = "a[n,m] b[n,m]\nfor i 1 n\n  for j 0 m\n    a[i,j] b[i,j]="


def renamed(old: str, new: str) -> Kernel:
    return nest(NEST.replace(old, new))


def test_names_of_arrays_and_loops_do_not_tell_pieces_apart() -> None:
    assert form_of(nest(NEST)) == form_of(renamed("a[", "c["))
    assert form_of(nest(NEST)) == form_of(nest(NEST.replace("for i", "for k").replace("[i,", "[k,")))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a[i,j] b", "a[i-1,j] b"),
        ("a[i,j] b", "b[i,j] b"),
        ("a[n,m]", "a[m,n]"),
        ("b[i,j]=", "b[i,j]+="),
        ("0 m", "1 m"),
    ],
)
def test_places_shapes_and_kinds_of_access_do(old: str, new: str) -> None:
    assert form_of(nest(NEST)) != form_of(renamed(old, new))


@pytest.mark.parametrize("name", ["heat_cube", "right_side", "react", "limited_diffusion"])
def test_a_piece_costs_what_the_first_of_its_form_costs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    points: list[RooflinePoint] = []

    def count(point: RooflinePoint, kernel: Kernel) -> Version:
        points.append(point)
        return counted(point, kernel)

    found: list[tuple[Kernel, Version]] = []
    costs_of = change.PieceCosts._counts_of

    def noted(self: change.PieceCosts, piece: Kernel) -> Version:
        found.append((piece, costs_of(self, piece)))
        return found[-1][1]

    monkeypatch.setattr(change, "counted", count)
    monkeypatch.setattr(change.PieceCosts, "_counts_of", noted)
    analyze_source((FIXTURES / "arrays.py").read_text(encoding="utf-8"), functions=(name,))
    shared = [(piece, version) for piece, version in found if version.kernel.body != piece.body]
    assert shared or name == "limited_diffusion"
    for piece, version in shared:
        own, first = moving(points[0], counted(points[0], piece)), moving(points[0], version)
        assert own.moved == pytest.approx(dict(first.moved))
        assert own.computing == first.computing
        assert own.time_between(points[0]) == pytest.approx(first.time_between(points[0]))
