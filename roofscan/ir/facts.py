"""What a user says about a kernel beside its source: a pragma's words, or ``--bind``."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from roofscan.ir.dtypes import DType
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class ArrayFact:
    """``A=f8[n,1000]F``: element type, extents (None: ``A=f8``, only the type is said), and the order."""

    dtype: DType
    shape: tuple[Expr, ...] | None
    fortran: bool = False


@dataclass(frozen=True)
class ScalarFact:
    """``n=1000`` or ``alpha=1.5``: the exact value, and whether it was written as a float."""

    value: int | Fraction
    is_float: bool


@dataclass(frozen=True)
class Facts:
    """All facts by name: a parameter, or any symbol by the name that the report prints."""

    arrays: dict[str, ArrayFact] = field(default_factory=dict)
    scalars: dict[str, ScalarFact] = field(default_factory=dict)

    def merged(self, other: Facts) -> Facts:
        """These facts with ``other``'s, which win."""
        return Facts({**self.arrays, **other.arrays}, {**self.scalars, **other.scalars})
