"""The bytes that a kernel moves, as its cost says them: for any capacity, of all arrays or of one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from roofscan.cost.result import KernelCost, Movement, ReuseClass, Traffic
from roofscan.ir.expr import ZERO, Expr, NotEvaluable
from roofscan.report.affordable import number
from roofscan.report.outer_sum import OuterSum
from roofscan.report.paths import here

UNLIMITED = 1 << 100
"""A capacity that holds everything: what still moves is compulsory."""

TOLERANCE = Fraction(1, 50)
"""How far the classes' sum may be from the model's own figure at the witness to be trusted elsewhere."""


@dataclass(frozen=True)
class Counted:
    """Which movements count as traffic."""

    load: bool = True
    fill: bool = True
    writeback: bool = True

    def of(self, movement: Movement) -> Expr:
        parts = ((self.load, movement.load), (self.fill, movement.fill), (self.writeback, movement.writeback))
        return sum((part for counts, part in parts if counts), start=ZERO)

    def weight(self, c: ReuseClass, line: int) -> Expr:
        """Bytes that count for one line of the class."""
        if c.kind == "write":
            return Expr.of(line if self.writeback else 0)
        load = (1 - c.fill_share) * line if self.load else ZERO
        return load + c.fill_share * line if self.fill else load


class Books:
    """What counts of a kernel's movements. Everything is worked out once and kept."""

    def __init__(self, cost: KernelCost, counted: Counted, array: str = "") -> None:
        self.cost = cost
        self.counted = counted
        self.array = array  # "": all
        self._traffic: dict[int, Traffic] = {}
        self._adds_up: dict[int, bool] = {}

    def narrowed(self, counted: Counted, array: str) -> Books:
        """The books of one array, on the same figures."""
        other = Books(self.cost, counted, array)
        other._traffic = self._traffic
        return other

    def traffic(self, capacity: int) -> Traffic:
        """The traffic into a cache of ``capacity`` (0: the registers), all movements of all arrays."""
        if capacity not in self._traffic:
            self._traffic[capacity] = self._fresh(capacity)
        return self._traffic[capacity]

    def _fresh(self, capacity: int) -> Traffic:
        if capacity == 0:
            return self.cost.registers
        if self.cost.reuse is None:
            return Traffic(capacity, Movement(ZERO, ZERO, ZERO), {}, "unknown", why="no reuse analysis")
        return self.cost.reuse.traffic(capacity)

    def bytes(self, capacity: int) -> Expr:
        """What counts of it: an expression of the witness' chamber."""
        traffic = self.traffic(capacity)
        movement = traffic.arrays.get(self.array) if self.array else traffic.total
        return self.counted.of(movement) if movement is not None else ZERO

    @cached_property
    def ceiling(self) -> Expr:
        """More bytes than this cannot move: a line for each read, and one in and one out for each write."""
        kernel, line = self.cost.kernel, self.cost.reuse.line if self.cost.reuse else 0
        total = ZERO
        for name, moved in self.cost.registers.arrays.items():
            touches = moved.load + moved.writeback * 2
            total = total + touches * Fraction(line, kernel.array(name).dtype.size)
        return total

    @cached_property
    def classes(self) -> tuple[tuple[ReuseClass, Expr], ...]:
        """The reuse classes that count, each with the bytes of one of its lines."""
        reuse = self.cost.reuse
        if reuse is None:
            return ()
        weighed = ((c, self.counted.weight(c, reuse.line)) for c in reuse.classes)
        return tuple((c, weight) for c, weight in weighed if weight and self.array in ("", c.array))

    def adds_up(self, capacity: int) -> bool:
        """Whether cold lines and missing classes make up the model's own figure at the witness."""
        if capacity not in self._adds_up:
            self._adds_up[capacity] = self._check(capacity)
        return self._adds_up[capacity]

    def _check(self, capacity: int) -> bool:
        try:
            said = Fraction(number(self.bytes(capacity), self.cost.witness))
            again = Fraction(number(self.bytes(UNLIMITED), self.cost.witness))
            for c, weight in self.classes:
                again += self._at_witness(c, weight, capacity)
        except NotEvaluable:
            return False
        return abs(again - said) <= TOLERANCE * abs(said)

    def _at_witness(self, c: ReuseClass, weight: Expr, capacity: int) -> Fraction:
        witness = self.cost.witness
        if c.over is not None:
            return Fraction(OuterSum.of(c, weight, here(self.cost), capacity).at(1))
        if number(c.distance, witness) <= capacity:
            return Fraction(0)
        return Fraction(number(c.count, witness)) * number(weight, witness)
