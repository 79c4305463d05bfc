"""Stretches of addresses, from the first to the end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Place = TypeVar("Place", int, float)


def merged_spans(spans: Iterable[tuple[Place, Place]]) -> list[tuple[Place, Place]]:
    """What spans cover, in order, as spans that do not touch."""
    found: list[tuple[Place, Place]] = []
    for low, high in sorted(set(spans)):
        if found and low <= found[-1][1]:
            found[-1] = found[-1][0], max(high, found[-1][1])
        else:
            found.append((low, high))
    return found
