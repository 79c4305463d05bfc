"""Residues of the addresses of a box of indices: counted by periods, not one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import gcd

Residues = Mapping[int, int]  # residue -> how many indices have it


def residues(dims: Iterable[tuple[int, int]], base: int, modulus: int) -> Residues:
    """Of ``base`` + the sum of stride·index, for all indices of the box; a dimension is (stride, extent)."""
    found: Residues = {base % modulus: 1}
    for stride, extent in dims:
        found = _with(found, stride, extent, modulus)
    return found


def _with(found: Residues, stride: int, extent: int, modulus: int) -> Residues:
    """Indices that are a period apart have one residue."""
    period = modulus // gcd(stride, modulus)
    rounds, rest = divmod(extent, period)
    if period == 1:
        return {residue: count * extent for residue, count in found.items()}
    made: Counter[int] = Counter()
    for index in range(min(period, extent)):
        times = rounds + (index < rest)
        for residue, count in found.items():
            made[(residue + stride * index) % modulus] += count * times
    return made
