"""Writes the statements of a random kernel, line by line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from hypothesis import strategies as st

from tests.support.random_kernels.scope import Features, Scope


class Writer(Scope):
    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int], features: Features) -> None:
        super().__init__(draw, features)
        self.lines: list[str] = []
        self.iterates = False  # over the arrays u and w
        self._may_continue = False

    def emit(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    def kernel(self) -> str:
        """The text of the function."""
        self.emit(1, "s = x[n] + x[m + t]")  # which says that the three are whole numbers
        self.numbers.append("s")
        if self.features.returns and self.rarely():
            self.emit(1, f"if {self.one_of('n < 3', 'm > n', 'n == 2')}:")
            self.emit(2, "return s")
        for _ in range(1 + self.below(2)):
            self.loop(1, self.features.depth)
        self.emit(1, "return s")
        extra = "u, w, " if self.iterates else ""
        head = ["@njit", f"def kernel(A, B, x, y, {extra}n, m, t, alpha):"]
        return "\n".join(head + self.lines) + "\n"

    def body(self, depth: int, left: int) -> None:
        """One to three statements; loops only while ``left`` levels are left."""
        scopes: list[list[str] | list[tuple[str, str]]] = [self.numbers, self.locals, self.indices, self.rows]
        sizes = [len(names) for names in scopes]
        for _ in range(1 + self.below(3)):
            self.statement(depth, left)
        for names, size in zip(scopes, sizes, strict=True):
            del names[size:]

    def statement(self, depth: int, left: int) -> None:
        kind = self.below(10)
        if kind == 9 and self.features.data:
            self.data_branch(depth)
        elif kind in (1, 2) and left > 0:
            self.loop(depth, left)
        elif kind == 3 and self.features.conditions:
            self.condition(depth, left)
        elif kind == 4 and self.features.locals:
            self.local_array(depth)
        elif kind == 5 and self.features.aliases and self.indices:
            self.alias(depth)
        else:
            self.simple(depth)

    def simple(self, depth: int) -> None:
        kind, op = self.below(9), self.one_of("+", "-", "*")
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
            self.helper_call(depth)
        else:
            left, right = self.element(), self.element()
            self.emit(depth, f"{left}, {right} = {right}, {left}")

    def helper_call(self, depth: int) -> None:
        if self.rarely():
            count = self.one_of("3", "n")
            self.emit(depth, f"s += row_sum({self.one_of('A', 'B')}, {self.subscript()}, {count})")
        else:
            self.emit(depth, f"add_to({self.one_of('x', 'y')}, {self.subscript()}, {self.value()})")

    def local_array(self, depth: int) -> None:
        name, extent, index = self.fresh("w"), self.one_of("n", "m", "4"), self.fresh("k")
        self.emit(depth, f"{name} = np.{self.one_of('zeros', 'empty', 'ones')}({extent})")
        self.emit(depth, f"for {index} in range({extent}):")
        self.emit(depth + 1, f"{name}[{index}] = {self.value()}")
        self.locals.append((name, extent))

    def alias(self, depth: int) -> None:
        """A name for an index expression, or for a row or column of a matrix."""
        i = self.index()
        if self.below(2):
            name = self.fresh("p")
            self.emit(depth, f"{name} = {self.one_of(i, f'{i} // 2', f'{i} % 3', f'min({i}, 4)')}")
            self.indices.append(name)
        else:
            name = self.fresh("r")
            part = self.one_of(f"[{i}]", f"[{i}, :]", f"[:, {i}]", f".T[{i}]", f"[{i}][::-1]")
            self.emit(depth, f"{name} = {self.one_of('A', 'B')}{part}")
            self.rows.append(name)

    def condition(self, depth: int, left: int) -> None:
        self.emit(depth, f"if {self.test()}:")
        if self._may_continue and self.rarely():
            self.emit(depth + 1, "continue")
            return
        self.body(depth + 1, left)
        other = self.below(4)
        if other == 3:
            self.emit(depth, f"elif {self.test()}:")
            self.body(depth + 1, 0)
        if other > 1:
            self.emit(depth, "else:")
            self.body(depth + 1, left)

    def data_branch(self, depth: int) -> None:
        """A branch on the data around statements of constant cost, so that its mean share determines its cost."""
        features, self.features = self.features, replace(self.features, conditions=False)
        names = len(self.numbers)
        for head in (f"if {self.element()} {self.one_of('>', '<=')} {self.atom()}:", "else:")[: 1 + self.below(2)]:
            self.emit(depth, head)
            for _ in range(1 + self.below(2)):
                self.simple(depth + 1)
            del self.numbers[names:]
        self.features = features

    # -- loops ----------------------------------------------------------------------------------
    def loop(self, depth: int, left: int) -> None:
        kind = self.below(10)
        if kind == 7 and self.features.whiles:
            self.while_loop(depth)
        elif kind == 8 and self.features.iterables:
            self.iterable_loop(depth, left)
        elif kind == 9 and self.features.tiles and left > 1:
            self.tiled_loop(depth, left)
        elif kind == 6 and self.features.seldom:
            self.seldom_loop(depth, left)
        else:
            name = self.fresh("i")
            self.emit(depth, f"for {name} in {self.bounds(name)}:")
            self.inside([name], depth + 1, left - 1)

    def inside(self, indices: list[str], depth: int, left: int) -> None:
        outer, self._may_continue = self._may_continue, True
        self.indices += indices
        self.body(depth, left)
        del self.indices[len(self.indices) - len(indices) :]
        self._may_continue = outer

    def bounds(self, name: str) -> str:
        """A range from 0 or more that stays below a size (``limits`` says which) or below 4."""
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
        if size not in re.findall(r"\w+", text):
            self.limits[name] = "" if "+ 3" in text else self.limits.get(i, "")
        return text

    def while_loop(self, depth: int) -> None:
        """Counted up, counted down, or halved."""
        name, size, kind = self.fresh("i"), self.one_of("n", "m"), self.below(4)
        first, test, step = [
            (f"{self.below(2)}", f"{name} < {size}", f"+= {1 + self.below(3)}"),
            (f"{size} - 1", f"{name} >= 0", f"-= {1 + self.below(2)}"),
            (size, f"{name} >= 1", "//= 2"),
            (size, f"{name} > 0", "= {name} - 1"),
        ][kind]
        self.limits[name] = size if kind < 2 else ""
        self.emit(depth, f"{name} = {first}")
        self.emit(depth, f"while {test}:")
        self.indices.append(name)
        for _ in range(1 + self.below(2)):
            self.simple(depth + 1)  # nothing that could jump over the step
        self.indices.pop()
        self.emit(depth + 1, f"{name} {step.format(name=name)}")

    def iterable_loop(self, depth: int, left: int) -> None:
        self.iterates = True
        index, value, other, kind = self.fresh("i"), self.fresh("v"), self.fresh("v"), self.below(4)
        indices = [index] if kind < 2 else []
        self.limits[index] = "n"
        header = [
            f"for {index}, {value} in enumerate(u):",
            f"for {index} in range(len(u)):",
            f"for {value} in u:",
            f"for {value}, {other} in zip(u, w):",
        ][kind]
        self.emit(depth, header)
        before = len(self.numbers)
        self.numbers += [name for name in (value, other) if name in header]
        self.inside(indices, depth + 1, left - 1)
        del self.numbers[before:]

    def seldom_loop(self, depth: int, left: int) -> None:
        """A loop with a counter of its own, and ranges in other clothes."""
        name, other, size, kind = self.fresh("i"), self.fresh("i"), self.one_of("n", "m"), self.below(4)
        indices = [name] if kind == 1 else [name, other]
        if kind == 0:
            self.emit(depth, f"{other} = 0")
        heads = [
            f"for {name} in range({size}):",
            f"for {name} in reversed(range({size})):",
            f"for {name}, {other} in zip(range({size}), range(1, {size} + 1)):",
            f"for {name}, {other} in enumerate(range(0, {size}, 2), 1):",
        ]
        self.emit(depth, heads[kind])
        if kind == 0:
            self.emit(depth + 1, f"{other} += 1")
        self.inside(indices, depth + 1, left - 1)

    def tiled_loop(self, depth: int, left: int) -> None:
        outer, inner, size = self.fresh("i"), self.fresh("i"), self.one_of("n", "m")
        tile = self.one_of("t", "4")
        self.limits[inner] = size
        self.emit(depth, f"for {outer} in range(0, {size}, {tile}):")
        self.emit(depth + 1, f"for {inner} in range({outer}, min({outer} + {tile}, {size})):")
        self.inside([inner], depth + 2, left - 2)
