"""Random whole-array programs as source text, for Hypothesis: broadcasts, slices, reductions, stores.

Each statement is chosen among those that NumPy accepts for the shapes at hand, known from running
the program on small arrays while it is drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.oracle.words import Words, read_words

WORDS = (
    "n=4 m=6 A=f8[n,m] B=f8[m,n] F=f4[n,m] x=f8[m] y=f8[n] f=f4[m] i=i8[m]<3 j=i4[n]<3 b=u1[m]<2 z=c16[n] Z=c8[n,m] "
    "Q=i8[n,m]<9 T=f8[3,n,m]"
)
MAPS = ("sqrt", "exp", "abs", "square", "negative", "tanh", "floor", "sign", "rint", "fabs", "isnan")
PAIRS = ("+", "-", "*", "/", "+", "*", "**", "//", "%")
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "std", "var", "argmax", "any", "all", "count_nonzero")
STATEMENTS = ("pair", "pair", "mapped", "pick_elements", "reduced", "rearranged", "product", "store")
LARGEST = 400
"""Elements of a result: the oracle walks every one of them."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass
class Program:
    """Statements so far, and what each name holds."""

    draw: Draw
    values: dict[str, np.ndarray[Any, Any]]
    lines: list[str] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    made: int = 0

    def pick(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def name(self) -> str:
        """An array that exists: mostly one of the latest."""
        names = list(self.values)
        name: str = self.pick(*names, *names[-3:])
        self.used.add(name)
        return name

    def try_to(self, expression: str) -> bool:
        """Binds the expression to a new name, if NumPy computes an array of modest size from it."""
        try:
            with np.errstate(all="ignore"):
                value = eval(expression, {"np": np, **self.values})
        except (ValueError, IndexError, TypeError):
            return False
        if not isinstance(value, np.ndarray) or not 0 < value.size <= LARGEST or value.ndim > 4 or not value.ndim:
            return False
        self.made += 1
        self.values[f"r{self.made}"] = value
        self.lines.append(f"r{self.made} = {expression}")
        return True

    # -- statements -----------------------------------------------------------------------------
    def pair(self) -> None:
        op = self.pick(*PAIRS)
        other = self.pick("2", "0.5", "1.5") if op == "**" or self.pick(True, False) else self.name()
        self.try_to(f"{self.name()} {op} {other}")

    def mapped(self) -> None:
        self.try_to(f"np.{self.pick(*MAPS)}({self.name()})")

    def pick_elements(self) -> None:
        name = self.name()
        self.try_to(f"{name}[{self.subscripts(self.values[name].ndim)}]")

    def subscripts(self, ndim: int) -> str:
        one = ("1:", ":-1", "::2", "::-1", "1:-1", ":", "-2:", ":2", "0", "-1", "None", "2::-1", "1:3", "5:", "3:0:-1")
        parts = [self.pick(*one) for _ in range(self.pick(*range(1, ndim + 1)))]
        return ", ".join([*parts, "..."] if self.pick(True, False, False) else parts)

    def reduced(self) -> None:
        name = self.name()
        axis = self.pick(*range(-self.values[name].ndim, self.values[name].ndim))
        function = self.pick(*REDUCTIONS)
        keep = ", keepdims=True" if self.pick(True, False) else ""
        self.try_to(f"np.{function}({name}, axis={axis}{keep})")

    def rearranged(self) -> None:
        name, other = self.name(), self.name()
        self.try_to(
            self.pick(
                f"{name}.T", f"{name}.reshape(-1)", f"{name}.ravel()", f"np.concatenate(({name}, {other}))",
                f"np.stack(({name}, {other}))", f"np.where({name} > 1, {name}, {other})", f"np.flip({name})",
                f"np.clip({name}, 0.5, 2)", f"np.cumsum({name}, axis=0)", f"np.maximum({name}, {other})",
                f"np.zeros_like({name})", f"{name}.copy()", f"np.diff({name})", f"{name}[i]", f"{name}[:, j]",
                f"{name}[j, i[:4]]", f"{name}.reshape(2, -1)", f"np.hstack(({name}, {other}))", f"{name}[:, None]",
                f"np.ascontiguousarray({name}.T)", f"np.repeat({name}, 2, axis=0)", f"np.tile({name}, 2)",
                f"{name}.astype(np.float32)", f"({name} > 1) & ({other} > 1)", f"{name} - {other}.mean()",
                f"{name}[0] * {other}[-1]", f"np.swapaxes({name}, 0, -1)", f"np.full({name}.shape, 2.5)",
            )
        )  # fmt: skip

    def product(self) -> None:
        name, other = self.name(), self.name()
        self.try_to(
            self.pick(
                f"{name} @ {other}", f"{name} @ {other}", f"np.dot({name}, {other})", f"np.inner({name}, {other})",
                f"np.einsum('ij,jk->ik', {name}, {other})", f"np.einsum('ij->j', {name})",
                f"np.tensordot({name}, {other}, axes=([0], [0]))", f"np.linalg.norm({name}, axis=-1)",
            )
        )  # fmt: skip

    def store(self) -> None:
        """In place, on an array that the program made and that is not a view."""
        target, value = self.name(), self.name()
        ndim = self.values[target].ndim
        left = self.pick(target, f"{target}[{self.subscripts(ndim)}]".replace("None, ", "").replace("None", ":"))
        op = self.pick("+=", "*=", "-=") if left == target else self.pick("=", "+=", "*=")
        statement = f"{left} {op} {value}"
        copies = {name: array.copy() for name, array in self.values.items()}
        if target == value or self.values[target].dtype.kind != "f":
            return
        try:
            with np.errstate(all="ignore"):
                exec(statement, {"np": np, **copies})
        except (ValueError, IndexError, TypeError):
            return
        self.lines.append(statement)


@dataclass(frozen=True)
class RandomArrays:
    """A function of arrays; ``words`` hold the arguments that it takes."""

    source: str
    words: Words
    result: np.ndarray[Any, Any]

    def __repr__(self) -> str:
        return f"\n{self.source}# oracle {self.words.bind}\n"


@st.composite
def array_programs(draw: Draw) -> RandomArrays:
    words = read_words(WORDS)
    program = Program(draw, dict(words.arrays))
    for _ in range(draw(st.integers(2, 7))):
        getattr(program, draw(st.sampled_from(STATEMENTS)))()
    program.used |= {"i", "j"}
    last = f"r{program.made}" if program.made else program.name()
    used = [name for name in words.arrays if name in program.used]
    body = "".join(f"    {line}\n" for line in program.lines)
    head = f"import numpy as np\n\n\ndef kernel({', '.join(used)}):\n"
    source = f"{head}{body}    result = np.copy({last})\n    return result\n"
    arrays = {name: words.arrays[name] for name in used}
    return RandomArrays(source, Words(words.sizes, {}, arrays), program.values[last])
