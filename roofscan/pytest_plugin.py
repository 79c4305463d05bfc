"""The pytest fixture ``roofline``: ``assert roofline(f, x, y).share > 0.5``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import roofscan

if TYPE_CHECKING:
    from roofscan.report.measured import MeasuredCall


@pytest.fixture
def roofline() -> Callable[..., MeasuredCall]:
    """``roofscan.measure``: calls a kernel many times with these arguments, and tells how near its bound it is."""
    return roofscan.measure
