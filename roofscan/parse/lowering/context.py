"""The state of lowering at one point: the kernel so far, the file, and the names of the current function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, Literal

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType
from roofscan.ir.facts import Facts
from roofscan.ir.kinds import ReasonEffect
from roofscan.parse.inference.rule import Library
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.lowering.builder import Builder
from roofscan.parse.lowering.values import Unknown, Value, View
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.module_arrays import local_tables
from roofscan.parse.reader.types import ParameterType
from roofscan.parse.syntax import Expression, Statement
from roofscan.parse.syntax_walk import only_updated
from roofscan.symbolic.expr import ONE, Expr

Snapshot = tuple[tuple[dict[Any, Any], ...], list[tuple[dict[str, Value], dict[str, Value]]]]


@dataclass
class LoopExit:
    """How control may leave a loop early: set by break and return inside it. ``continued`` and ``broken`` hold the
    names at each ``continue`` and ``break``."""

    happened: bool = False
    line: int = 0
    what: Literal["", "break", "return"] = ""
    continued: list[dict[str, Value]] = field(default_factory=list)
    broken: list[dict[str, Value]] = field(default_factory=list)
    goes_on: dict[str, Expr] = field(default_factory=dict)  # by name: the share of iterations without a reset
    other_arms: dict[int, tuple[int, ...]] = field(default_factory=dict)  # of a condition, by the value of its first

    def reset(self, name: str, share: Expr) -> None:
        """An arm that runs in this share of the iterations replaces the value of a name with a constant."""
        self.goes_on[name] = self.goes_on.get(name, ONE) * (ONE - share)

    def join(self, value: int, other: int) -> None:
        """The node that stands for the values of a name after two arms, and that of the other one. Each is kept once:
        where names change places, arms of arms would double their number with every condition."""
        joined = (*self.other_arms.get(value, ()), other, *self.other_arms.get(other, ()))
        self.other_arms[value] = tuple(dict.fromkeys(joined))


@dataclass
class Frame:
    """One call of a function: its names, and the values that it returned so far."""

    dotted: str
    type_facts: TypeFacts
    types: Mapping[str, ParameterType]
    names: dict[str, Value] = field(default_factory=dict)
    closure: Mapping[str, Value] = field(default_factory=dict)
    returns: list[Value] = field(default_factory=list)
    loops: list[LoopExit] = field(default_factory=list)
    branch_depth: int = 0  # open conditions on data
    globals_seen: dict[str, Value] = field(default_factory=dict)
    module: Module | None = None  # the file of the function, if it is another one
    parallel: bool = False  # compiled with parallel=True
    tests_divisors: str = ""  # the function whose error model asks for that, its own or an enclosing one
    body: tuple[Statement, ...] = ()  # of the function
    loop_types: dict[tuple[object, ...], dict[str, tuple[DType, DType | None, bool]]] = field(default_factory=dict)
    """Of names that a loop widens, by its line and the types of all names before it."""

    @cached_property
    def tables(self) -> Mapping[str, Expression]:
        return local_tables(self.body)

    @cached_property
    def only_updated(self) -> frozenset[str]:
        return only_updated(self.body)

    @cached_property
    def scope(self) -> LiveNames:
        """The names that functions defined here see."""
        return LiveNames(self)


class LiveNames(Mapping[str, Value]):
    """The names of a frame at the time of each look-up: Python binds closures late."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __getitem__(self, name: str) -> Value:
        names = self._frame.names
        return names[name] if name in names else self._frame.closure[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._frame.closure, **self._frame.names})

    def __len__(self) -> int:
        return len({**self._frame.closure, **self._frame.names})

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True)
class Dispatcher:
    """Lowers any expression and any block of statements, by kind of syntax. Handlers of single kinds reach each other
    through it alone, so that modules import downward only."""

    evaluate: Callable[[Context, Expression], Value]
    lower_block: Callable[[Context, tuple[Statement, ...]], bool]
    library: Library


class RankShown(Exception):
    """A parameter has more dimensions than its subscripts show; the function is lowered again."""

    def __init__(self, path: str, rank: int) -> None:
        super().__init__(path)
        self.path = path
        self.rank = rank


@dataclass
class Context:
    """Passed through all of lowering. It owns what changes: the builder, the frames and the CUDA threads."""

    dispatcher: Dispatcher
    builder: Builder
    module: Module
    facts: Facts
    compiled: bool  # Numba's typing rules; else NumPy's
    frames: list[Frame]
    told_ranks: Mapping[str, int] = field(default_factory=dict)  # of parameters, as their uses showed
    threads: dict[str, Value] = field(default_factory=dict)  # of a CUDA kernel: indices in the grid, by dotted name
    on_device: set[str] = field(default_factory=set)  # arrays that the host made in the memory of a device

    @property
    def frame(self) -> Frame:
        return self.frames[-1]

    @property
    def in_threads(self) -> bool:
        return any(loop.parallel for loop in self.builder.loops)

    @property
    def tests_divisors(self) -> str:
        """The function whose error model asks for that here; Numba compiles parallel loops with NumPy's."""
        return "" if self.frame.parallel and self.in_threads else self.frame.tests_divisors

    @property
    def splits_arrays(self) -> bool:
        """Whether array expressions are shared out to all cores here."""
        return self.frame.parallel and not self.in_threads

    @property
    def here(self) -> Module:
        """The file of the current function."""
        return self.frame.module or self.module

    def table_of(self, array: str) -> Expression | None:
        """What makes an array of the current function that is only read."""
        name = self.builder.names.get(array, array)
        made, value = self.frame.tables.get(name), self.frame.names.get(name)
        return made if isinstance(value, View) and value.array == array else None

    def require_rank(self, array: str, rank: int) -> None:
        """Lower the function again if no type, convention or binding tells the rank of a parameter."""
        outermost = self.frames[0]
        declared, bound = outermost.types.get(array), self.facts.arrays.get(array)
        told = (declared is not None and declared.ndim) or (bound is not None and bound.shape)
        if array in self.told_ranks or told or outermost.type_facts.assumed_ranks:
            return
        if array in outermost.type_facts.ranks:
            raise RankShown(array, rank)

    def snapshot(self) -> Snapshot:
        """What :meth:`restore` needs to forget all that is lowered from here on."""
        return self.builder.snapshot(), [(dict(f.names), dict(f.globals_seen)) for f in self.frames]

    def restore(self, state: Snapshot) -> None:
        self.builder.restore(state[0])
        for frame, (names, seen) in zip(self.frames, state[1], strict=True):
            frame.names, frame.globals_seen = dict(names), dict(seen)

    def eval(self, expression: Expression) -> Value:
        return self.dispatcher.evaluate(self, expression)

    def block(self, body: tuple[Statement, ...]) -> bool:
        """Lower statements; whether control always leaves them (continue, break, return, raise)."""
        return self.dispatcher.lower_block(self, body)

    def unknown(self, line: int, why: str, effect: ReasonEffect = "lower") -> Unknown:
        self.builder.reason(line, why, effect)
        return Unknown(why)
