"""What a user says about a kernel beside its source: a pragma's words, or ``--bind``."""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class ArrayFact:
    """``A=f8[n,1000]F``: element type, extents and order. ``shape`` None: ``A=f8`` tells the type alone, of an array or
    a number. An extent that is None (``A=f8[:,3]``) stays free."""

    dtype: DType
    shape: tuple[Expr | None, ...] | None
    fortran: bool = False

    @property
    def dimensions(self) -> str:
        """As they are written, ``[n,:]``; "" where only the type is given."""
        return "" if self.shape is None else f"[{','.join(':' if e is None else str(e) for e in self.shape)}]"


@dataclass(frozen=True)
class ScalarFact:
    """``n=1000`` or ``alpha=1.5``: the exact value, and whether it was written as a float; the type where it is said
    (``c=f4:0.1``), or follows from a complex value."""

    value: int | Fraction | complex
    is_float: bool
    dtype: DType | None = None

    @property
    def number(self) -> int | Fraction | None:
        """The value of a real number; None of a complex one."""
        return None if isinstance(self.value, complex) else self.value


@dataclass(frozen=True)
class Grant:
    """``dram<=16*n``: the most FLOPs, or bytes at a level, that the user grants a kernel."""

    name: str  # "flops", or a level's in small letters
    most: Expr


@dataclass(frozen=True)
class Facts:
    """All facts by name: a parameter, or any symbol by the name that the report prints."""

    arrays: dict[str, ArrayFact] = field(default_factory=dict)
    scalars: dict[str, ScalarFact] = field(default_factory=dict)
    constants: dict[str, str | None] = field(default_factory=dict)  # ``w=None``, ``rule='left'``
    extents: dict[tuple[str, int], int] = field(default_factory=dict)  # ``A.shape[0]=5``
    tuples: dict[str, tuple[int, ...]] = field(default_factory=dict)  # ``block=(32,8)``
    accepted: bool = False  # the verdict, whatever it is
    budgets: tuple[Grant, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The bound names. If there are any, they describe one call: its other parameters have their defaults."""
        extents = dict.fromkeys(name for name, _ in self.extents)
        return (*self.arrays, *self.scalars, *self.constants, *self.tuples, *extents)

    def integers(self, name: str) -> tuple[int, ...] | None:
        """An integer or a tuple of integers; ``1e3`` is a float."""
        fact = self.scalars.get(name)
        if fact is not None and isinstance(fact.value, int) and not fact.is_float:
            return (fact.value,)
        return self.tuples.get(name)

    def merged(self, other: Facts) -> Facts:
        """These facts with ``other``'s, which win."""
        others = {*other.arrays, *other.scalars, *other.constants, *other.tuples}
        arrays = {name: fact for name, fact in self.arrays.items() if name not in others}
        scalars = {name: fact for name, fact in self.scalars.items() if name not in others}
        constants = {name: fact for name, fact in self.constants.items() if name not in others}
        tuples = {name: fact for name, fact in self.tuples.items() if name not in others}
        extents = {place: size for place, size in self.extents.items() if place[0] not in others}
        return Facts(
            {**arrays, **other.arrays},
            {**scalars, **other.scalars},
            {**constants, **other.constants},
            {**extents, **other.extents},
            {**tuples, **other.tuples},
            self.accepted or other.accepted,
            self.budgets + other.budgets,
        )
