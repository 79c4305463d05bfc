"""What is known of a subscript whose value depends on data: how far it moves, and with what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.symbolic.expr import Expr

Element = tuple[str, tuple[Expr, ...]]
"""An array and subscripts."""


@dataclass(frozen=True)
class Counter:
    """An integer that an iteration of ``loop`` only adds to (or only takes from), ``most`` at the most. ``moves``:
    array and line of accesses of which one runs whenever it does so."""

    name: str
    loop: Expr  # its variable
    most: int
    moves: frozenset[tuple[str, int]] = frozenset()


@dataclass(frozen=True)
class Pointer:
    """An integer that iterations of ``loop``, and the loops inside, only add numbers to: ``most`` in an iteration, in
    both directions together (None: any number), and ``back`` in the direction in which it moves less. ``descends``: it
    mostly decreases."""

    name: str
    loop: Expr  # its variable
    back: int
    most: int | None
    descends: bool


@dataclass(frozen=True)
class Shift:
    """``expr`` and an element, added or subtracted, perhaps modulo a number: where a place goes while that element
    stays what it is. Without an element: where it goes in a ring."""

    expr: Expr
    element: Element | None
    modulus: Expr | None = None

    def mapped(self, change: Callable[[Expr], Expr]) -> Shift:
        element = self.element and (self.element[0], tuple(map(change, self.element[1])))
        return Shift(change(self.expr), element, None if self.modulus is None else change(self.modulus))

    @property
    def parts(self) -> tuple[Expr, ...]:
        modulus = () if self.modulus is None else (self.modulus,)
        return (self.expr, *(self.element[1] if self.element else ()), *modulus)

    @property
    def symbols(self) -> frozenset[str]:
        return frozenset().union(*(part.symbols for part in self.parts))


@dataclass(frozen=True)
class Rest:
    """What a subscript adds to a number that is not known. ``fixed``: the innermost loop leaves that number alone;
    ``element``: what the number is, if one of an array; ``counter``: if it is one; ``origin``: equal for accesses at
    one number, which every iteration of ``loop`` (its variable) has one of. 0: not known. ``shift``: the whole
    subscript, if it is one."""

    expr: Expr
    fixed: bool
    element: Element | None = None
    counter: Counter | None = None
    origin: int = 0
    loop: Expr | None = None
    shift: Shift | None = None

    def mapped(self, change: Callable[[Expr], Expr]) -> Rest:
        element = self.element and (self.element[0], tuple(map(change, self.element[1])))
        counter = self.counter and replace(self.counter, loop=change(self.counter.loop))
        loop = None if self.loop is None else change(self.loop)
        shift = self.shift and self.shift.mapped(change)
        return replace(self, expr=change(self.expr), element=element, counter=counter, loop=loop, shift=shift)
