"""The tree of a kernel: loops, conditions and branches that hold accesses and operations. Children are in Python's
evaluation order (``C[i, j] += A[i, k] * B[k, j]`` is: read C, read A, read B, mul, add, write C).

Values flow by number: every Access and Operation has an ``id``, unique in the kernel, and names the ids that it takes
as ``inputs`` (a scalar variable is a name for an id). What flows from one iteration into the next is in
:attr:`Loop.carried`.

Nodes are immutable: a change of a kernel makes a new tree, which shares what stayed (``ir/visitor.py``). Subscripts are
in elements; trips and counts are exact expressions."""

from __future__ import annotations

from functools import cached_property
from typing import Union

from roofscan.frozen import dataclass
from roofscan.ir.conditions import Condition
from roofscan.ir.data_subscripts import Pointer, Rest
from roofscan.ir.dtypes import DType
from roofscan.ir.integers import NO_INTEGERS, IntegerWork
from roofscan.ir.kinds import OperationKind
from roofscan.ir.launch import BarrierScope, DeviceWork, LaunchAxis
from roofscan.ir.loop_names import name_in_source
from roofscan.symbolic.expr import ONE, Expr

FLOP_WEIGHT: dict[OperationKind, int] = {
    "add": 1, "sub": 1, "mul": 1, "div": 1, "sqrt": 1, "minmax": 1, "special": 1, "complex_div": 11,
}  # fmt: skip
"""FLOPs of one operation of each kind that counts; the other kinds are listed and count none."""


@dataclass(frozen=True)
class Access:
    """One read or write of one element, with one integer subscript per dimension of the array. A subscript is affine in
    loop variables where the source is; otherwise it may hold floors (``i // 2``), or be None: the address depends on
    data, or on a form that the model does not know (``why_irregular`` says)."""

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
    any_stride: bool = False  # in a row that Numba knows no stride of: iteration or unpacking gave it

    @cached_property
    def regular(self) -> bool:
        return all(subscript is not None for subscript in self.index)


@dataclass(frozen=True)
class LibraryCall:
    """A call in the source."""

    name: str  # of the function
    number: int  # of the call in its kernel


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
    part_of: LibraryCall | None = None  # of a library's function that does it in loops of its own
    not_inlined: bool = False  # of a compiled function that is too large for LLVM to inline it


@dataclass(frozen=True)
class Barrier:
    """Where the threads of a block, or of a warp, wait for each other."""

    scope: BarrierScope
    line: int


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
    end of the other arms of a condition that gives it a value. ``from_integer``: it is the literal of an integer before
    the loop."""

    name: str
    entry: int
    exit: int
    initial: int | None = None
    goes_on: Expr = ONE
    others: tuple[int, ...] = ()
    from_integer: bool = False


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
    fastmath: bool = False  # of a function with ``fastmath`` that another one calls
    source_name: str = ""  # the variable's name in the source
    early_exit: bool = False  # may stop sooner (break, return): the trip symbol says where
    most: Expr | None = None  # the trips that it would have without that
    breaks: bool = False  # a break ends it, at a trip that is known
    state: tuple[str, ...] = ()  # other loop-carried names (a counter, a flag): order matters
    mentions: frozenset[str] = frozenset()  # the names in its body in the source, of a ``for`` loop
    recurring: tuple[str, ...] = ()  # of ``state``, integers that are computed from themselves by more than a sum
    integers: IntegerWork = NO_INTEGERS
    end_line: int = 0  # the last line of its body, 0 where it was not written as a loop
    file: str = ""  # the other file that holds it, where a helper from there was called
    callee: str = ""  # the call of a compiled function that it comes from: the function has findings of its own
    is_while: bool = False  # its variable is the number of the iteration
    axis: LaunchAxis | None = None  # of a launch, whose threads or blocks its iterations are
    device: DeviceWork | None = None  # that the whole loop is, in a function of the host
    part_of: LibraryCall | None = None  # the innermost, of an array expression
    is_prange: bool = False  # as the source says, also where the compiler is not told to share iterations
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
        """Whether another function holds it; its findings are reported there."""
        return bool(self.file or self.callee)


Block = Union[Loop, When, Branch]
Leaf = Union[Access, Operation]
Node = Union[Block, Leaf, Barrier]
Body = tuple[Node, ...]
