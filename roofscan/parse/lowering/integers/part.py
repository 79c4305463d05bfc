"""Integers of one iteration: their types and ranges, and their ways from the start of the iteration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import B1, F8, I8, DType
from roofscan.ir.integers import IntegerKind, LatencyKind

LATENCY: Mapping[LatencyKind, float] = {"plain": 1, "choice": 1, "mul": 3, "load": 5, "memory": 5, "division": 15}
"""Cycles, to tell the longest of several ways; the time has a machine's own."""
SUMS, LOGIC, SHIFTS, DIVISIONS = ("+", "-"), ("&", "|", "^"), ("<<", ">>"), ("//", "%")
STEPS: Mapping[IntegerKind, tuple[tuple[LatencyKind, int], ...]] = {
    "mul": (("mul", 1),),
    "minmax": (("choice", 2),),
    "quotient": (("mul", 1), ("plain", 4)),
    "remainder": (("mul", 2), ("plain", 4)),
    "division": (("division", 1),),
}
"""What operations of more than a cycle add to a way; those with a constant multiply by its reciprocal."""
PathLatency = Mapping[LatencyKind, float]
Range = tuple[int, int]


@dataclass(frozen=True)
class IntegerPart:
    """The value of an expression. ``open``: of data, else of loop counters and parameters. ``paths`` lead to it from
    integers at the start of the iteration; ``narrow``: operations of which a narrow store needs the low bits alone;
    ``kept``: operations on counters, which count where their result meets data."""

    dtype: DType
    open: bool = False
    bounds: Range | None = None
    paths: Mapping[str, PathLatency] = field(default_factory=dict)
    narrow: tuple[int, ...] = ()
    kept: tuple[tuple[IntegerKind, int], ...] = ()
    fresh: bool = False  # loaded in this iteration
    number: int | None = None
    held: int = 0  # bytes of the register that holds it; 0: a constant's, or not known
    tested: int = 0  # of a comparison: bytes of what it compares
    used: int = 0  # how many reads of names on its ways led to it
    reducing: str | None = ""  # the operation on its ways, which may be reordered; "": none yet; None: several

    @property
    def is_integer(self) -> bool:
        return self.dtype.kind in ("int", "bool")

    @property
    def size(self) -> int:
        """Bytes that hold the value."""
        if self.bounds is None:
            return self.dtype.size if self.dtype.kind == "int" else 1
        low, high = self.bounds
        return next((s for s in (1, 2, 4) if fits(low, high, s)), 8)


def fits(low: int, high: int, size: int) -> bool:
    signed, unsigned = 1 << (8 * size - 1), 1 << (8 * size)
    return (-signed <= low and high < signed) or (low >= 0 and high < unsigned)


FLOATING = IntegerPart(F8)


# -- ways -----------------------------------------------------------------------------------------
def onwards(paths: Mapping[str, PathLatency], kind: LatencyKind = "plain", steps: int = 1) -> Mapping[str, PathLatency]:
    return {name: {**path, kind: path.get(kind, 0) + steps} for name, path in paths.items()} if paths else paths


def longer_by(one: PathLatency, other: PathLatency) -> PathLatency:
    return {kind: one.get(kind, 0) + other.get(kind, 0) for kind in {**one, **other}}


def longest(*found: Mapping[str, PathLatency]) -> Mapping[str, PathLatency]:
    longest: dict[str, PathLatency] = {}
    for paths in found:
        for name, path in paths.items():
            if name not in longest or nominal_cycles(path) > nominal_cycles(longest[name]):
                longest[name] = path
    return longest


def nominal_cycles(path: PathLatency) -> float:
    return sum(LATENCY[kind] * n for kind, n in path.items())


def common_operation(*parts: IntegerPart) -> str | None:
    """The one operation on the ways to all of them."""
    found = {part.reducing for part in parts if part.paths} - {""}
    return next(iter(found), "") if len(found) <= 1 else None


def may_wrap(part: IntegerPart) -> bool:
    return not (part.dtype.is_unsigned or (part.bounds is not None and part.bounds[0] >= 0))


# -- numbers --------------------------------------------------------------------------------------
def of_number(value: object) -> IntegerPart:
    if isinstance(value, bool) or not isinstance(value, int):
        return IntegerPart(B1, bounds=(0, 1)) if isinstance(value, bool) else FLOATING
    return IntegerPart(I8, bounds=(value, value), number=value)


def bounds_of(dtype: DType) -> Range:
    bits = 8 * dtype.size
    if dtype.kind == "bool":
        return 0, 1
    return (0, (1 << bits) - 1) if dtype.is_unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def wider(one: IntegerPart, other: IntegerPart) -> DType:
    return one.dtype if one.dtype.size >= other.dtype.size else other.dtype


def result_type_of(left: IntegerPart, right: IntegerPart) -> DType:
    """Numba computes with integers of 64 bits."""
    return next((side.dtype for side in (left, right) if side.dtype.size == 8), I8)


def range_around(one: IntegerPart, other: IntegerPart) -> Range | None:
    if one.bounds is None or other.bounds is None:
        return None
    return min(one.bounds[0], other.bounds[0]), max(one.bounds[1], other.bounds[1])


def kind_of(op: str, right: IntegerPart) -> IntegerKind:
    if op in DIVISIONS:
        if right.number is None:
            return "division"
        power = right.number > 0 and right.number & (right.number - 1) == 0
        return "plain" if power else "quotient" if op == "//" else "remainder"
    return "mul" if op == "*" else "shift" if op in SHIFTS else "plain"


_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0, ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "min": min, "max": max,
    "//": lambda a, b: a // b if b else 0,
}  # fmt: skip


def folded(op: str, left: int | None, right: int | None) -> int | None:
    return _ARITHMETIC[op](left, right) if left is not None and right is not None and op in _ARITHMETIC else None


def range_of(op: str, left: IntegerPart, right: IntegerPart) -> Range | None:
    if op == "%" and right.number is not None and right.number > 0:
        return 0, right.number - 1
    masks = [side.bounds[1] for side in (left, right) if op == "&" and side.bounds and side.bounds[0] >= 0]
    if masks:
        return 0, min(masks)
    if left.bounds is None or right.bounds is None:
        return None
    if op in ("|", "^"):
        high = max(left.bounds[1], right.bounds[1])
        return (0, (1 << high.bit_length()) - 1) if min(left.bounds[0], right.bounds[0]) >= 0 else None
    if op not in _ARITHMETIC:
        return None
    ends = [_ARITHMETIC[op](a, b) for a in left.bounds for b in right.bounds]
    return (min(ends), max(ends)) if fits(min(ends), max(ends), 8) else None
