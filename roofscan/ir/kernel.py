"""The kernel: an ordered tree of loops, conditions, accesses and operations, as frozen data that ``parse`` makes and
``cost`` folds over. Children are in Python's evaluation order (``C[i, j] += A[i, k] * B[k, j]`` is: read C, read A,
read B, mul, add, write C). Whatever the source does not say is a :class:`Symbol`, never a guess. Values flow by number:
every Access and Operation has an ``id``, unique in the kernel, and names the ids it takes as ``inputs`` (a scalar
variable is a name for an id). What flows from one iteration into the next is in :attr:`Loop.carried`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, Union

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import DType
from roofscan.ir.facts import Grant
from roofscan.ir.integers import NO_INTEGERS, IntegerWork
from roofscan.ir.kinds import (
    GPU_KINDS,
    LEAST_VALUE,
    ArrayRole,
    DecoratorKind,
    OperationKind,
    ReasonEffect,
    Relation,
    SymbolKind,
)
from roofscan.ir.launch import GLOBAL, BarrierScope, DeviceWork, Launch, LaunchAxis, MemorySpace
from roofscan.ir.loop_names import name_in_source
from roofscan.symbolic.expr import ONE, Expr, Number

FLOP_WEIGHT: dict[OperationKind, int] = {
    "add": 1, "sub": 1, "mul": 1, "div": 1, "sqrt": 1, "minmax": 1, "special": 1, "complex_div": 11,
}  # fmt: skip
"""FLOPs of one operation of each kind that counts; the other kinds are listed and count none."""


@dataclass(frozen=True)
class ParameterTest:
    """A test on scalar parameters, which has one outcome in a call."""

    text: str  # "mode == 0"
    parameters: tuple[str, ...]
    equals: float | str | None = None  # the constant of an equality test of one parameter, which excludes all others
    negated: bool = False  # the flag is 1 where the test does not hold
    by_default: bool | None = None  # whether it holds for the default arguments


@dataclass(frozen=True)
class Extent:
    """What a size is of an array: its elements along ``dimension``; where its rank is left open, along all of them, or
    all but one (None). Several arrays: those that broadcast together."""

    arrays: tuple[str, ...]
    dimension: int | None


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: SymbolKind
    meaning: str  # for people: "A.shape[0]", "share of iterations where r2 < cutoff2 (line 12)"
    line: int
    test: ParameterTest | None = None  # of a flag
    extent: Extent | None = None  # whose expression ``meaning`` is
    usual: Fraction | None = None  # of a share: about its value, where its test says so
    whole: Expr | None = None  # of a length: how many elements these are chosen from


@dataclass(frozen=True)
class Interleaving:
    """Where a field lies in an array of records: ``offset`` bytes into each record, of ``size`` bytes. Its first
    ``ndim`` subscripts are those of the record."""

    records: str  # the array
    offset: int
    size: int
    ndim: int


@dataclass(frozen=True)
class Array:
    """One stretch of memory that starts on a cache line of its own, or a field of records. ``shape`` is in elements,
    ``strides`` in elements per step of each subscript (C order by default). ``fresh_in`` names the loop variables in
    whose every iteration it is fresh memory (an allocation in a loop). A view has no Array: its accesses name the array
    it shows, with their subscripts worked out. A reshaped view keeps its own shape as a second Array with the same
    ``buffer``."""

    name: str
    dtype: DType
    shape: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    role: ArrayRole
    line: int
    fresh_in: tuple[str, ...] = ()
    buffer: str = ""  # the name of the memory; "" = its own name
    live_out: bool = True  # False: nobody outside sees it (a local that is not returned)
    record: Interleaving | None = None  # of a field, whose strides may be fractions
    space: MemorySpace = GLOBAL
    made_in: tuple[str, ...] = ()  # the loops that allocate it anew, where allocators hand its block back
    text: str = ""  # of a temporary: the expression of the source that it holds, for people
    any_stride: bool = False  # a signature such as f8[:] has Numba compile for any strides
    in_words: bool = False  # of records without fields: its last axis is their words

    @property
    def memory(self) -> str:
        """Arrays of other memory share no elements with it."""
        return self.buffer or self.name

    @property
    def owner(self) -> str:
        """The array of the source that its movement is charged to. Arrays of other owners share no cache lines with it:
        fields of records and reshaped views have the owner of their records and of their base."""
        return self.record.records if self.record else self.memory

    @property
    def is_made(self) -> bool:
        """Whether the kernel allocates it."""
        return self.role in ("local", "temporary")

    @property
    def is_live(self) -> bool:
        """Whether its data come from outside, or leave."""
        return self.role in ("parameter", "global") or self.live_out

    @property
    def straddles(self) -> bool:
        """Whether an element may begin in one line and end in the next."""
        return self.record is not None and bool(
            self.record.size % self.dtype.size or self.record.offset % self.dtype.size
        )


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
    """An integer that iterations of ``loop``, and the loops inside, only add numbers to: ``most`` at the most in an
    iteration, both ways together (None: as much as they like), and ``back`` the way that it goes less far.
    ``descends``: it goes down."""

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


@dataclass(frozen=True)
class Access:
    """One read or write of one element: integer subscripts, one a dimension of the array. A subscript is affine in loop
    variables where the source is; otherwise it may hold floors (``i // 2``), or be None: the address depends on data,
    or on a form that the model does not know (``why_irregular`` says)."""

    id: int
    array: str
    index: tuple[Expr | None, ...]
    write: bool
    line: int
    column: int = 0
    inputs: tuple[int, ...] = ()  # a write: the id of the value stored (none: a constant)
    why_irregular: str = ""
    within: tuple[tuple[Expr, Expr] | None, ...] = ()  # known [lo, hi] of each None subscript, if any
    written: tuple[Expr | None, ...] = ()
    """The subscripts of the source, of a view or negative; None: of an unsigned type; () = ``index``."""
    rests: tuple[Rest | None, ...] = ()  # of each None subscript, if any
    atomic: bool = False  # the read or the write of an atomic update
    along: Expr | None = None  # what the variables of a tile add to a place that depends on data
    nearly: bool = False  # whether a subscript is a rounded number, known within one
    pointer: Pointer | None = None  # what a subscript is, or lies beside

    @cached_property
    def regular(self) -> bool:
        return all(subscript is not None for subscript in self.index)


@dataclass(frozen=True)
class Operation:
    """``count`` operations of one kind (a complex multiplication is 4 mul, 1 add and 1 sub: three nodes)."""

    id: int
    kind: OperationKind
    dtype: DType  # of the operands, promoted; of kind float or complex (others are not kept)
    line: int
    inputs: tuple[int, ...] = ()
    count: Expr = ONE
    library: str = ""  # "matmul": a BLAS-like call (runs at all cores, fully blocked)
    divisor: int | None = None  # of a division: its id, 0 if no node computes it; None: a power of two, or not known
    tested_by: str = ""  # the function whose error model asks for a test for zero
    function: str = ""  # of kind special: which one, where that is known
    counts_on: bool = False  # whether an operand may differ between iterations though its node does not


@dataclass(frozen=True)
class Barrier:
    """Where the threads of a block, or of a warp, wait for each other."""

    scope: BarrierScope
    line: int


@dataclass(frozen=True)
class Condition:
    """``expr >= 0`` (relation "ge"), ``expr == 0`` ("eq"), ``expr != 0`` ("ne"), or, with a modulus m > 0,
    ``expr mod m == 0`` ("eq") and ``!= 0`` ("ne"). ``expr`` is affine in loop variables, an integer."""

    expr: Expr
    relation: Relation
    modulus: int = 0
    denied: bool = field(default=False, compare=False)  # the test of the source does not hold where it does

    def holds(self, value: float | Number) -> bool:
        """Whether it holds where ``expr`` has this value."""
        if self.relation == "ge":
            return value >= 0
        rest = value % self.modulus if self.modulus else value
        return (rest == 0) == (self.relation == "eq")

    @property
    def negated(self) -> Condition:
        """The condition that holds exactly where this one does not."""
        if self.relation == "ge":
            return replace(self, expr=-self.expr - 1, denied=not self.denied)
        return replace(self, relation="ne" if self.relation == "eq" else "eq", denied=not self.denied)


@dataclass(frozen=True)
class When:
    """A body that runs where all conditions on loop variables and sizes hold (an else part is a second When)."""

    conditions: tuple[Condition, ...]
    body: tuple["Node", ...]
    line: int


@dataclass(frozen=True)
class Branch:
    """A body that runs in a share of the executions which depends on data: ``share`` is a polynomial in
    symbols of kind ``share`` (``p1``, or ``1 - p1`` for the other arm)."""

    share: Expr
    body: tuple["Node", ...]
    line: int


@dataclass(frozen=True)
class Carried:
    """A scalar that a loop carries: in an iteration ``entry`` is the id of its value at the start, ``exit`` the
    id of its value at the end (the next iteration's entry); ``initial`` its value before the loop, if an id. In the
    share ``goes_on`` of the iterations no arm of a condition replaces it with a constant. ``others``: its ids at the
    end of the other arms of a condition that gives it a value."""

    name: str
    entry: int
    exit: int
    initial: int | None = None
    goes_on: Expr = ONE
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Loop:
    """``var`` takes start, start + step, … while it is before ``stop`` (below it for a positive step). ``var`` is
    unique in the kernel. ``start`` and ``stop`` are integers: affine in outer loop variables, with ``min``, ``max`` and
    ``floor`` atoms where the source has them. ``step`` is an integer (not 0) or a symbolic size (then positive). A loop
    whose trip count depends on data runs from 0 to a symbol of kind ``trips``. If the trips of all iterations of the
    loop ``total_over`` add up to one known total (CSR rows), ``total`` holds it: body executions are ``total`` for each
    execution of *that* loop. ``doubling`` marks a loop that halves or doubles: see ``pow2`` atoms in what depends on
    ``var``."""

    var: str
    start: Expr
    stop: Expr
    step: Expr
    body: tuple["Node", ...]
    line: int
    parallel: bool = False  # all cores share its iterations: prange, an array expression or a stencil
    carried: tuple[Carried, ...] = ()
    total: Expr | None = None
    total_over: str = ""
    array_expression: bool = False  # made from a whole-array operation, not written as a loop
    compiled: bool = False  # of a compiled function that a plain one calls
    source_name: str = ""  # the variable's name in the source
    early_exit: bool = False  # may stop sooner (break, return): the trip symbol says where
    most: Expr | None = None  # the trips that it would have without that
    state: tuple[str, ...] = ()  # other loop-carried names (a counter, a flag): order matters
    recurring: tuple[str, ...] = ()  # of ``state``, integers that are computed from themselves by more than a sum
    integers: IntegerWork = NO_INTEGERS
    end_line: int = 0  # the last line of its body, 0 where it was not written as a loop
    file: str = ""  # the other file that holds it, where a helper from there was called
    callee: str = ""  # the call of a compiled function that it comes from: the function has findings of its own
    is_while: bool = False  # its variable is the number of the iteration
    axis: LaunchAxis | None = None  # of a launch, whose threads or blocks its iterations are
    device: DeviceWork | None = None  # that the whole loop is, in a function of the host
    over_items: bool = False  # it takes the items of arrays (``for v in x``, ``zip``, ``enumerate``), not numbers

    @property
    def name(self) -> str:
        return self.source_name or name_in_source(self.var)

    @property
    def label(self) -> str:
        return f"while loop in line {self.line}" if self.is_while else f"loop over {self.name}"

    @property
    def title(self) -> str:
        return f"the {self.label}"

    @property
    def short_title(self) -> str:
        """Its variable; a while loop has none in the source."""
        return self.title if self.is_while else self.name

    @property
    def is_elsewhere(self) -> bool:
        """Whether another function holds it, whose findings speak of it."""
        return bool(self.file or self.callee)


Block = Union[Loop, When, Branch]
Leaf = Union[Access, Operation]
Node = Union[Block, Leaf, Barrier]
Body = tuple[Node, ...]


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
MISSING: tuple[ReasonEffect, ...] = ("lower", "unseen")  # effects of reasons that leave accesses out


@dataclass(frozen=True)
class Decorator:
    kind: DecoratorKind
    parallel: bool = False
    fastmath: bool = False
    error_model: Literal["python", "numpy"] = "python"  # of divisions by zero
    inlined: bool = False  # inline="always": in a caller, the caller's options hold

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
    is_helper: bool = False  # other kernels of its file call it in a loop, get it as an argument, or alone speak of it
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

    @property
    def unsupported(self) -> Reason | None:
        return next((r for r in self.reasons if r.effect == "unsupported"), None)

    @cached_property
    def on_gpu(self) -> bool:
        return self.decorator.on_gpu or self.launch is not None or self.is_host

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
