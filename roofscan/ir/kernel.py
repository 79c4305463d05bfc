"""A kernel: one function, as frozen data that ``parse`` makes and ``cost`` folds over. Its ``body`` is a tree of loops,
conditions, accesses and operations (``ir/tree.py``) on ``arrays`` (``ir/arrays.py``). Whatever the source does not say
is one of its ``symbols`` (``ir/symbols.py``), never a guess; its ``reasons`` say what the figures lack for that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from functools import cached_property
from typing import Literal

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.facts import Grant
from roofscan.ir.kinds import GPU_KINDS, LEAST_VALUE, DecoratorKind, ReasonEffect
from roofscan.ir.launch import Launch
from roofscan.ir.symbols import Symbol
from roofscan.ir.tree import Body, Branch, Loop, When
from roofscan.symbolic.expr import Expr


@dataclass(frozen=True)
class Reason:
    line: int
    message: str
    effect: ReasonEffect
    symbol: str = ""  # the symbol that it explains, which it leaves with

    @property
    def located(self) -> str:
        return f"{self.message} (line {self.line})"


BELOW: tuple[ReasonEffect, ...] = ("lower", "hidden")  # effects of reasons that leave FLOPs out
ABOVE: tuple[ReasonEffect, ...] = ("upper", "wider")  # effects of reasons that count FLOPs in full
MISSING: tuple[ReasonEffect, ...] = ("lower", "unseen")  # effects of reasons that leave accesses out


@dataclass(frozen=True)
class Decorator:
    kind: DecoratorKind
    parallel: bool = False
    fastmath: bool = False
    error_model: Literal["python", "numpy"] = "python"  # of divisions by zero
    inlined: bool = False  # inline="always": in a caller, the caller's options hold
    retypes: bool = False  # locals={…}: some names have another type than their values
    checks_bounds: bool = False
    has_unread: bool = False  # **options of which nothing is known
    approximates: bool = False  # all of fastmath, or "afn": functions may be opened

    @property
    def may_reorder(self) -> bool:
        """Whether it may round in another way than the source already: options that are not known may say so."""
        return self.fastmath or self.has_unread

    @property
    def compiled(self) -> bool:
        return self.kind not in ("pragma", "none")

    @property
    def on_gpu(self) -> bool:
        return self.kind in GPU_KINDS

    @property
    def tests_divisors(self) -> bool:
        return self.compiled and self.error_model == "python"


@dataclass(frozen=True)
class Neighbour:
    """A kernel that ``caller`` calls right before or after another one, with an array that both get."""

    name: str
    caller: str
    line: int


@dataclass(frozen=True)
class PythonLoop:
    """A loop of plain Python in ``caller``, all of which Numba could compile, that calls a kernel in each iteration."""

    variable: str
    caller: str
    line: int
    column: int
    alone: bool  # whether Numba could compile all of the caller, a function of the module


@dataclass(frozen=True)
class Kernel:
    """One function, lowered. ``body`` is empty where the status is unsupported from the start."""

    name: str  # dotted: Class.method, outer.inner
    path: str
    line: int  # of the def
    end_line: int
    decorator: Decorator
    parameters: tuple[str, ...]
    arrays: tuple[Array, ...]
    symbols: tuple[Symbol, ...]
    body: Body
    reasons: tuple[Reason, ...] = ()
    assumptions: tuple[str, ...] = ()
    values: dict[str, Expr] = field(default_factory=dict)
    """Symbols whose value the facts (pragma, --bind) give."""
    column: int = 0  # of the def, in characters
    is_helper: bool = False  # other kernels of its file call it in a loop, get it as an argument, or alone refer to it
    readings: tuple[str, ...] = ()  # the assumptions on which the form of the figures rests: ranks, number or array
    default_scalars: frozenset[str] = frozenset()  # parameters that are scalars because nothing says otherwise
    guesses: Mapping[str, int] = field(default_factory=dict)
    """Sizes that stay as they are while others grow: at a default argument, or a typical value."""
    bound_loops: frozenset[str] = frozenset()  # whose trips are a number because the user said so
    guards: tuple[Condition, ...] = ()
    """What holds of the sizes in a call that does its work: it neither raises an exception nor returns at once."""
    budgets: tuple[Grant, ...] = ()  # that the user grants it
    neighbour: Neighbour | None = None
    python_loop: PythonLoop | None = None
    launch: Launch | None = None  # of a CUDA kernel
    first_line: int = 0  # of the first decorator
    selected: frozenset[Expr] = frozenset()
    """Quotients in subscripts that the source does not divide for: a condition chooses between an index and the other
    end of its axis."""
    contradictions: tuple[str, ...] = ()  # facts that the source cannot use, one line each
    made_arrays: frozenset[str] = frozenset()  # parameters that it makes arrays of: numbers, lists, single rows as well
    also_double: bool = False  # another signature compiles the same source for float64 where this one has float32
    given_numbers: frozenset[str] = frozenset()  # parameters for which a kernel of its file hands a number, 0 or more
    gets_rows: bool = False  # the kernels of its file that call it in a loop give it rows: ``f(x[i])``

    @property
    def unsupported(self) -> Reason | None:
        return next((r for r in self.reasons if r.effect == "unsupported"), None)

    @cached_property
    def on_gpu(self) -> bool:
        return self.decorator.on_gpu or self.launch is not None or self.is_host

    def compiles(self, loop: Loop) -> bool:
        """Whether Numba compiles a loop, as a part of this function or of one that it calls."""
        return self.decorator.compiled or loop.compiled

    def reorders(self, loop: Loop) -> bool:
        """Whether a compiler may add up in another order there."""
        return self.decorator.fastmath or loop.fastmath

    @property
    def is_host(self) -> bool:
        """Whether it launches kernels, or copies arrays to a device or back."""
        return next(self.device_work(), None) is not None

    def device_work(self, body: Body | None = None) -> Iterator[Loop]:
        """The loops that are launches and transfers, in order."""
        for node in self.body if body is None else body:
            if isinstance(node, Loop) and node.device is not None:
                yield node
            elif isinstance(node, (Loop, When, Branch)):
                yield from self.device_work(node.body)

    @property
    def least_values(self) -> dict[str, int | None]:
        """The least value that each symbol may take, None where it may be negative."""
        return {s.name: LEAST_VALUE.get(s.kind) for s in self.symbols}

    @cached_property
    def analyses(self) -> dict[type, object]:
        """Analyses of this kernel that are worked out once, by their type."""
        return {}

    def __getstate__(self) -> dict[str, object]:
        """What another process gets: all but the analyses."""
        return {name: value for name, value in self.__dict__.items() if name != "analyses"}

    @cached_property
    def array_named(self) -> dict[str, Array]:
        return {a.name: a for a in self.arrays}

    def array(self, name: str) -> Array:
        return self.array_named[name]
