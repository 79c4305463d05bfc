"""Operations on integers of one iteration of a loop: their number, their widths, and what their results wait for."""

from __future__ import annotations

from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import B1, I8, DType
from roofscan.ir.integers import IntegerKind
from roofscan.parse.lowering.integers.part import (
    FLOATING,
    STEPS,
    IntegerPart,
    common_operation,
    folded,
    kind_of,
    longest,
    onwards,
    range_around,
    range_of,
    result_type_of,
    wider,
)
from roofscan.symbolic.expr import ONE, Expr

LOW_BITS = ("+", "-", "*", "&", "|", "^", "<<")  # of these the low bits of operands make those of the result
WIDENING = ("+", "-", "*", "<<")
REDUCING = {"+": "+", "-": "+", **dict.fromkeys(("*", "&", "|", "^", "min", "max"), "")}  # LLVM reorders these


@dataclass
class CountedOperation:
    """An operation; of numbers made wider: bytes that they are ``held`` in, in which case it is none."""

    kind: IntegerKind
    size: int
    share: Expr
    held: int = 0


class IntegerArithmetic:
    """Counts operations as they are met. ``shares`` holds the share of iterations that run the code at hand, last."""

    def __init__(self) -> None:
        self.shares = [ONE]
        self.found: list[CountedOperation] = []
        self.needed_in_full: set[int] = set()  # operations of which something needs all bits
        self.computed: set[int] = set()  # sums and products
        self.long: set[int] = set()  # operations that lead from these to a comparison: LLVM leaves them at 64 bits
        self.guessed: set[str] = set()  # integers on whose path a comparison with a fresh number decides

    def _met(self, part: IntegerPart) -> IntegerPart:
        """The part where its value is needed as data."""
        for kind, size in part.kept:
            self._count(kind, size)
        return replace(part, kept=()) if part.kept else part

    def _count(self, kind: IntegerKind, size: int, held: int = 0) -> int:
        self.found.append(CountedOperation(kind, size, self.shares[-1], held))
        return len(self.found) - 1

    def _binary(self, op: str, left: IntegerPart, right: IntegerPart) -> IntegerPart:
        if not (left.is_integer and right.is_integer) or op in ("/", "**", "@"):
            for side in (left, right):
                if side.is_integer and side.open and (side.paths or not side.fresh):
                    self._count("plain", 8)  # a conversion; those of elements are known
            return FLOATING
        kind = kind_of(op, right)
        if not (left.open or right.open):
            number = folded(op, left.number, right.number)
            costs = kind in ("quotient", "remainder", "division") and number is None
            bounds = None if number is None else (number, number)
            return IntegerPart(I8, kept=((kind, 8),) if costs else (), number=number, bounds=bounds)
        return self._of_two(kind, left, right, result_type_of(left, right), op)

    def _of_two(
        self, kind: IntegerKind, left: IntegerPart, right: IntegerPart, dtype: DType, op: str = ""
    ) -> IntegerPart:
        left, right = self._met(left), self._met(right)
        if not (left.open or right.open):
            return IntegerPart(dtype)
        bounds = range_of(op, left, right) if op else (0, 1) if dtype == B1 else None
        size = max(left.size, right.size, IntegerPart(dtype, bounds=bounds).size)
        widened = self._widened(size, left, right)
        number = self._count(kind, size)
        narrow = (*left.narrow, *right.narrow, *widened, number) if op in LOW_BITS else ()
        if op == ">>" and left.narrow:
            narrow = (*left.narrow, number)
        if op not in LOW_BITS:
            self.needed_in_full.update(left.narrow, right.narrow, narrow)
        if op in WIDENING:
            self.computed.add(number)
        paths = longest(left.paths, right.paths)
        for cost, steps in STEPS.get(kind, (("plain", 1),)):
            paths = onwards(paths, cost, steps)
        used, before, own = left.used + right.used, common_operation(left, right), REDUCING.get(op, None)
        reducing = (own or op) if own is not None and before in ("", own or op) else None
        reducing = reducing if paths else ""
        return IntegerPart(dtype, True, bounds, paths, narrow, held=size, used=used, reducing=reducing)

    def _widened(self, size: int, *parts: IntegerPart) -> tuple[int, ...]:
        found = [self._count("lanes", size, part.held) for part in parts if 0 < part.held < size]
        return tuple(found)

    def _compared(self, *sides: IntegerPart) -> int:
        """The element size of a comparison, in bytes. Plain elements keep their size; sums and products have the
        64 bits in which Numba computes them."""
        long = [side for side in sides if not self.computed.isdisjoint(side.narrow)]
        for side in sides:
            self.needed_in_full.update(side.narrow)
        for side in long:
            self.long.update(side.narrow)
        size = I8.size if long else max(side.size for side in sides)
        self._widened(size, *(side for side in sides if side not in long))
        return size

    def _extremum(self, op: str, parts: list[IntegerPart]) -> IntegerPart:
        result = parts[0]
        for part in parts[1:]:
            if not (result.is_integer and part.is_integer):
                return FLOATING
            pair = (result, part)
            for one, other in (pair, pair[::-1]):
                if one.paths and not other.paths:
                    self.guessed |= {name for name, path in one.paths.items()}
            result = self._of_two("minmax", result, part, result_type_of(result, part), op)
        return result

    def _selected(self, test: IntegerPart, one: IntegerPart, other: IntegerPart, is_select: bool) -> IntegerPart:
        if not (one.is_integer and other.is_integer):
            return one if not one.is_integer else other
        if not is_select:
            paths = longest(one.paths, other.paths)
            return IntegerPart(
                wider(one, other), open=True, bounds=range_around(one, other), paths=paths, reducing=None
            )
        self._count("select", max(one.size, other.size))
        self.guessed |= {name for name, path in test.paths.items() if path.get("load") and name in other.paths}
        paths = longest(onwards(one.paths), onwards(other.paths), onwards(test.paths))
        used, reducing = one.used + other.used + test.used, common_operation(one, other, test)
        dtype, held = wider(one, other), max(one.size, other.size)
        return IntegerPart(dtype, True, range_around(one, other), paths, held=held, used=used, reducing=reducing)
