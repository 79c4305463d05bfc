"""What a kernel that is being written has in scope, and the subscripts and values that can be made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True)
class Features:
    """What the drawn kernels may hold."""

    depth: int = 3
    conditions: bool = True
    whiles: bool = True
    locals: bool = True
    helpers: bool = True
    iterables: bool = True
    tiles: bool = True
    aliases: bool = True
    returns: bool = True
    data: bool = False  # branches that the data decides
    seldom: bool = False  # counters, modulo and abs in subscripts, zipped and reversed ranges
    wraps: bool = True  # subscripts that count from the end, for all or some iterations


ANYTHING = Features()


class Scope:
    """Every choice is drawn, so Hypothesis can shrink it; the first of several choices is the simplest."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int], features: Features) -> None:
        self._draw = draw
        self.features = features
        self.indices: list[str] = []  # whole numbers >= 0, small enough for 2*i + 3 to be inside every axis
        self.limits: dict[str, str] = {}  # the size that an index is known to be below
        self.numbers: list[str] = ["alpha"]  # float variables
        self.rows: list[str] = []  # views of rows and columns
        self.locals: list[tuple[str, str]] = []  # one-dimensional local arrays and their extents
        self._names = 0

    # -- drawing --------------------------------------------------------------------------------
    def below(self, count: int) -> int:
        return self._draw(st.integers(0, count - 1))

    def one_of(self, *choices: str) -> str:
        return choices[self.below(len(choices))]

    def rarely(self) -> bool:
        return self.below(4) == 3

    def fresh(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    def index(self) -> str:
        return self.one_of(*self.indices)

    # -- subscripts, conditions and values ------------------------------------------------------
    def subscript(self) -> str:
        if not self.indices:
            return self.one_of("0", "1", "-1", "n - 1")
        i, j = self.index(), self.index()
        if self.features.seldom and self.rarely():
            return self.one_of(f"min({i}, {j})", f"abs({i} - {j})", f"({i} + {j}) % 5", f"max({i}, 2)", f"3 * {i} // 2")
        mirrored = f"{self.limits[i]} - 1 - {i}" if self.limits.get(i) else i
        back, last = (f"{i} - 1", f"-{i} - 1") if self.features.wraps else (i, i)
        return self.one_of(
            i, i, i, f"{i} + {1 + self.below(3)}", back, f"2 * {i}", f"2 * {i} + 1", f"{i} + {j}", mirrored,
            f"{i} // 2", "0", last,
        )  # fmt: skip

    def test(self) -> str:
        """A condition on sizes or indices, never on data."""
        if not self.indices or self.rarely():
            return self.one_of("n > 3", "m == n", "n >= m")
        i, j = self.index(), self.index()
        return self.one_of(
            f"{i} == 0", f"{i} % 2 == {self.below(2)}", f"{i} > {self.below(4)}", f"{i} < n - {1 + self.below(2)}",
            f"{i} != {j}", f"{i} <= {j}", f"({i} + {j}) % 2 == 0", f"{i} > 0 and {i} < n - 1",
            f"{i} == 0 or {j} == 0", f"0 < {i} < {j}", f"not {i} == {j}", f"{i} + {j} < n",
        )  # fmt: skip

    def element(self) -> str:
        """An element of an array parameter, as a value or as a target."""
        kind = self.below(6)
        if kind == 0 and self.rows:
            return f"{self.one_of(*self.rows)}[{self.subscript()}]"
        if kind < 3:
            return f"{self.one_of('x', 'y')}[{self.subscript()}]"
        return f"{self.one_of('A', 'B')}[{self.subscript()}, {self.subscript()}]"

    def local_element(self) -> str:
        name, extent = self.locals[self.below(len(self.locals))]
        within = [i for i in self.indices if self.limits.get(i) == extent]
        if within and self.below(2):
            i = self.one_of(*within)
            return f"{name}[{self.one_of(i, f'{extent} - 1 - {i}', f'-1 - {i}', f'{i} // 2')}]"
        return f"{name}[{self.one_of('0', '-1', '-4') if extent == '4' else f'{extent} - 1'}]"

    def atom(self) -> str:
        kind = self.below(8)
        if kind == 0:
            return self.one_of("2.0", "0.5", "3")
        if kind == 1 and self.indices:
            return self.index()
        if kind == 2 and self.locals:
            return self.local_element()
        return self.one_of(*self.numbers) if kind == 3 else self.element()

    def value(self) -> str:
        a, kind = self.element(), self.below(14)
        if kind < 2:
            return a
        b = self.atom()
        if kind < 6:
            return f"{a} {self.one_of('+', '-', '*')} {b}"
        if kind < 8:
            return f"{a} * {b} {self.one_of('+', '-')} {self.element()}"
        return [
            f"-{a} / (1.0 + {b})",
            f"{a} ** {self.one_of('2', '3', '-1', '2.0')} + {b}",
            f"math.sqrt(abs({a})) * {b}",
            f"{self.one_of('min', 'max')}({a}, {b})",
            f"blend({a}, {b}, 0.25)" if self.features.helpers else a,
            f"{a} if {self.test()} else {b} * {a}" if self.features.conditions else a,
        ][kind - 8]
