"""Random loop nests as source text, for Hypothesis.

A drawn kernel comes with the words that bind its arguments. What decides how often a statement runs is a
loop index or a size, so a static analysis can count all of it. Arrays of the nests are roomy: subscripts
stay inside at the drawn sizes (a subscript that is negative for a few iterations wraps, as in NumPy).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Draw = Callable[..., int]

HEADER = """import math
import numpy as np
from numba import njit, prange


@njit
def blend(a, b, t):
    return a + t * (b - a)


@njit
def add_to(target, i, amount):
    target[i] += amount


"""

LONGEST_LOOP = 9
ROOM = 2 * LONGEST_LOOP + 8
"""Elements an axis has at least: the largest subscript is 2*i + offset or i + j + offset."""


@dataclass(frozen=True)
class RandomKernel:
    """``words`` bind the arguments at the drawn sizes, ``elsewhere`` at other sizes."""

    source: str
    words: str
    elsewhere: str
    name: str = "kernel"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Shows a failing kernel as the text that it is."""
        printer.text(str(self))

    def __str__(self) -> str:
        return f"\n{self.source.removeprefix(HEADER)}# oracle {self.words}\n# elsewhere {self.elsewhere}\n"


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


class Writer:
    """Writes one kernel line by line; every choice is drawn, so Hypothesis can shrink it."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int], features: Features) -> None:
        self._draw = draw
        self.features = features
        self.lines: list[str] = []
        self.indices: list[str] = []  # loop variables in scope, outermost first: all are >= 0 and < ROOM / 2
        self.limits: dict[str, str] = {}  # the size that a loop variable is known to be below
        self.numbers: list[str] = ["alpha"]  # float variables in scope
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

    def emit(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    # -- statements -----------------------------------------------------------------------------
    def kernel(self) -> None:
        self.emit(0, "@njit")
        self.emit(0, "def kernel(A, B, x, y, n, m, t, alpha):")
        self.emit(1, "s = 0.0")
        self.numbers.append("s")
        for _ in range(1 + self.below(2)):
            self.loop(1, self.features.depth)
        self.emit(1, "return s")

    def body(self, depth: int, left: int) -> None:
        """One to three statements; loops only while ``left`` levels are left."""
        scope = len(self.numbers), len(self.locals)
        for _ in range(1 + self.below(3)):
            kind = self.below(8)
            if kind < 2 and left > 0:
                self.loop(depth, left)
            elif kind == 2 and self.features.conditions:
                self.condition(depth, left)
            elif kind == 3 and self.features.locals:
                self.local_array(depth)
            else:
                self.simple(depth)
        del self.numbers[scope[0] :], self.locals[scope[1] :]

    def simple(self, depth: int) -> None:
        kind = self.below(9)
        op = self.one_of("+", "-", "*")
        if kind < 3:
            self.emit(depth, f"{self.element()} = {self.value()}")
        elif kind < 5:
            self.emit(depth, f"{self.element()} {op}= {self.value()}")
        elif kind == 5:
            self.emit(depth, f"s {op}= {self.value()}")
        elif kind == 6:
            value, name = self.value(), self.fresh("v")
            self.emit(depth, f"{name} = {value}")
            self.numbers.append(name)
        elif kind == 7 and self.features.helpers:
            self.emit(depth, f"add_to({self.one_of('x', 'y')}, {self.subscript()}, {self.value()})")
        else:
            left, right = self.element(), self.element()
            self.emit(depth, f"{left}, {right} = {right}, {left}")

    def local_array(self, depth: int) -> None:
        name, extent = self.fresh("w"), self.one_of("n", "m", "4")
        self.emit(depth, f"{name} = np.{self.one_of('zeros', 'empty', 'ones')}({extent})")
        index = self.fresh("k")
        self.emit(depth, f"for {index} in range({extent}):")
        self.emit(depth + 1, f"{name}[{index}] = {self.value()}")
        self.locals.append((name, extent))

    def condition(self, depth: int, left: int) -> None:
        if len(self.indices) > 1 and self.rarely():
            self.emit(depth, f"if {self.indices[-1]} == {self.indices[-2]}:")
            self.emit(depth + 1, "continue")
            self.simple(depth)
            return
        self.emit(depth, f"if {self.test()}:")
        self.body(depth + 1, left)
        if self.rarely():
            self.emit(depth, "else:")
            self.body(depth + 1, left)

    def test(self) -> str:
        if not self.indices or self.rarely():
            return self.one_of("n > 3", "m == n", "n >= m")
        i, j = self.index(), self.index()
        kind = self.below(9)
        tests = [
            f"{i} == 0", f"{i} % 2 == {self.below(2)}", f"{i} > {self.below(4)}",
            f"{i} < n - {1 + self.below(2)}",
            f"{i} != {j}", f"{i} <= {j}", f"({i} + {j}) % 2 == 0", f"{i} > 0 and {i} < n - 1",
            f"{i} == 0 or {j} == 0",
        ]  # fmt: skip
        return tests[kind]

    # -- loops ----------------------------------------------------------------------------------
    def loop(self, depth: int, left: int) -> None:
        kind = self.below(10)
        if kind == 7 and self.features.whiles:
            self.while_loop(depth, left)
        elif kind == 8 and self.features.iterables:
            self.iterable_loop(depth, left)
        elif kind == 9 and self.features.tiles and left > 1:
            self.tiled_loop(depth, left)
        else:
            name = self.fresh("i")
            self.emit(depth, f"for {name} in {self.bounds(name)}:")
            self.inside(name, depth + 1, left - 1)

    def inside(self, name: str, depth: int, left: int) -> None:
        self.indices.append(name)
        self.body(depth, left)
        self.indices.pop()

    def bounds(self, name: str) -> str:
        size = self.limits[name] = self.one_of("n", "m")
        if not self.indices or self.below(2):
            text = self.one_of(
                f"range({size})", f"range(1, {size})", f"range({size} - 1)", f"range(1, {size} - 1)",
                f"range(0, {size}, 2)", f"range(1, {size}, 3)", f"range({size} - 1, -1, -1)",
                f"range({size} - 1, 0, -2)", f"range({size} // 2)", f"range(({size} + 1) // 2, {size})",
                "range(4)", f"range(0, {size}, t)", "range(min(n, m))", f"prange({size})",
            )  # fmt: skip
            if text == "range(4)":
                del self.limits[name]
            return text
        i = self.index()
        text = self.one_of(
            f"range({i})", f"range({i} + 1)", f"range({i}, {size})", f"range({i} + 1, {size})",
            f"range({i}, {size}, 2)", f"range({size} - {i})", f"range({i}, -1, -1)", f"range({i} // 2)",
            f"range(max(0, {i} - 2), min({size}, {i} + 3))", f"range({size} - 1, {i}, -1)",
            f"range({i}, {i} + 3)", f"range(0, {i}, 3)",
        )  # fmt: skip
        if size not in text:
            self.limits[name] = "" if "+ 3" in text else self.limits.get(i, "")
        return text

    def while_loop(self, depth: int, left: int) -> None:
        name, size = self.fresh("i"), self.one_of("n", "m")
        kind = self.below(4)
        if kind == 0:
            self.emit(depth, f"{name} = {size}")
            self.emit(depth, f"while {name} >= 1:")
            step = f"{name} //= 2"
        elif kind == 1:
            self.emit(depth, f"{name} = {size} - 1")
            self.emit(depth, f"while {name} >= 0:")
            step = f"{name} -= {1 + self.below(2)}"
        else:
            self.emit(depth, f"{name} = {self.below(2)}")
            self.emit(depth, f"while {name} < {size}:")
            step = f"{name} += {1 + self.below(3)}"
        self.limits[name] = size if kind else ""
        # no `continue` may jump over the step, so the body holds no loop of ours and no condition
        self.indices.append(name)
        for _ in range(1 + self.below(2)):
            self.simple(depth + 1)
        self.indices.pop()
        self.emit(depth + 1, step)

    def iterable_loop(self, depth: int, left: int) -> None:
        index, value = self.fresh("i"), self.fresh("v")
        kind = self.below(3)
        self.numbers.append(value)
        if kind == 0:
            self.emit(depth, f"for {index}, {value} in enumerate(u):")
            self.inside(index, depth + 1, left - 1)
        elif kind == 1:
            self.emit(depth, f"for {value} in u:")
            self.body(depth + 1, left - 1)
        else:
            other = self.fresh("v")
            self.numbers.append(other)
            self.emit(depth, f"for {value}, {other} in zip(u, w):")
            self.body(depth + 1, left - 1)
            self.numbers.pop()
        self.numbers.pop()

    def tiled_loop(self, depth: int, left: int) -> None:
        outer, inner, size = self.fresh("i"), self.fresh("i"), self.one_of("n", "m")
        tile = self.one_of("t", "4")
        self.limits[inner] = size
        self.emit(depth, f"for {outer} in range(0, {size}, {tile}):")
        self.emit(depth + 1, f"for {inner} in range({outer}, min({outer} + {tile}, {size})):")
        self.inside(inner, depth + 2, left - 2)

    # -- subscripts and values ------------------------------------------------------------------
    def index(self) -> str:
        return self.indices[self.below(len(self.indices))]

    def subscript(self) -> str:
        if not self.indices:
            return self.one_of("0", "1", "-1", "n - 1")
        i, j = self.index(), self.index()
        mirrored = f"{self.limits[i]} - 1 - {i}" if self.limits.get(i) else i
        return self.one_of(
            i, i, i, f"{i} + {1 + self.below(3)}", f"{i} - 1", f"2 * {i}", f"2 * {i} + 1", f"{i} + {j}",
            mirrored, f"{i} // 2", "0", f"-{i} - 1",
        )  # fmt: skip

    def element(self) -> str:
        kind = self.below(6)
        if kind < 2:
            return f"{self.one_of('x', 'y')}[{self.subscript()}]"
        return f"{self.one_of('A', 'B')}[{self.subscript()}, {self.subscript()}]"

    def atom(self) -> str:
        kind = self.below(8)
        if kind < 4:
            return self.element()
        if kind == 4 and self.indices:
            return self.index()
        if kind == 5 and self.locals:
            name, extent = self.locals[self.below(len(self.locals))]
            return f"{name}[{self.one_of('0', '-1') if extent == '4' else f'{extent} - 1'}]"
        if kind == 6:
            return self.numbers[self.below(len(self.numbers))]
        return self.one_of("2.0", "0.5", "3")

    def value(self) -> str:
        a = self.element()
        kind = self.below(12)
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
            f"{self.one_of('min', 'max')}({a}, {b})"
            if not self.features.helpers
            else f"blend({a}, {b}, 0.25)",
        ][kind - 8]


@st.composite
def kernels(draw: Callable[[st.SearchStrategy[int]], int], features: Features = Features()) -> RandomKernel:
    """Kernels of loop nests with the words for two runs."""
    writer = Writer(draw, features)
    writer.kernel()
    text = "\n".join(writer.lines) + "\n"
    if "u)" in text or "u," in text or "in u:" in text:
        text = text.replace("(A, B, x, y, n,", "(A, B, x, y, u, w, n,")
    order = "F" if writer.rarely() else ""
    dtype = "f4" if writer.rarely() else "f8"
    room = [ROOM + writer.below(9) for _ in range(4)]
    sizes = [{"n": 1 + writer.below(LONGEST_LOOP), "m": 1 + writer.below(LONGEST_LOOP)} for _ in range(2)]

    def words(size: dict[str, int]) -> str:
        matrices = f"A=f8[{room[0]},{room[1]}] B={dtype}[{room[2]},{room[3]}]{order}"
        arrays = f"{matrices} x=f8[{room[1]}] y={dtype}[{room[0]}]"
        iterated = f" u=f8[{size['n']}] w=f8[{size['n']}]" if ", u, w," in text else ""
        return f"{arrays}{iterated} n={size['n']} m={size['m']} t={1 + writer.below(4)} alpha=1.5"

    return RandomKernel(HEADER + text, words(sizes[0]), words(sizes[1]))
