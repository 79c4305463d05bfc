"""The cost of a kernel: plain data that ``roofline`` and ``report`` read. Figures are
:class:`~roofscan.symbolic.expr.Expr`, in operations or bytes. They hold in the *chamber* of the sample point: the
region of sizes in which every comparison of the derivation has the same outcome (``conditions`` lists those that are
not obvious). An unbound symbol has a large generic size there, so that its figures hold as all sizes grow together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from roofscan.cost.memory.base import MemoryModel, Traffic
from roofscan.frozen import dataclass
from roofscan.ir.integers import IntegerWork
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import KernelStatus, OperationKind, PrecisionName, ScalarReason
from roofscan.symbolic.expr import ONE, Expr, Number

OperationCounts = Mapping[tuple[OperationKind, PrecisionName], Expr]


@dataclass(frozen=True)
class Chain:
    """A dependence from one iteration of an innermost loop into the next: its operations cannot overlap. ``kinds``
    lists the operations on the longest path from entry to exit, ``iterations`` how often it is walked. ``reduction``:
    the chain only accumulates (``s += …``), so a compiler may reorder it if allowed to (``fastmath``); ``reorderable``
    says that it is both. ``fused``: its sums that are one instruction with a product; ``merged``: those products that
    are on the path; ``beside``: operations of an iteration that it waits for once, at its start."""

    name: str  # the scalar, or the array whose element is carried
    line: int
    precision: PrecisionName
    kinds: Mapping[OperationKind, int]
    iterations: Expr
    reduction: bool
    reorderable: bool
    loop: str = ""  # the innermost loop that carries it
    runs: Expr | None = None  # how many such chains there are, one after the other; None: not known
    moves: bool = False  # through elements of an array
    reloaded: bool = False  # an array element, which is stored and loaded in each iteration as another store may alias
    fused: int = 0
    merged: int = 0
    beside: int = 0
    share: Expr | None = None  # of the iterations, those of the one branch on data that it goes through

    @property
    def length(self) -> int:
        """The instructions of an iteration."""
        return sum(self.kinds.values()) - self.merged


@dataclass(frozen=True)
class Apart:
    """Accesses whose lines no prefetcher expects. ``shares``: of those to an array, by its name; ``skipping``: of those
    that skip lines; ``walks``: the bytes that those move on in an iteration which may fall into few sets of a cache,
    and whether they read and write."""

    shares: Mapping[str, float]
    skipping: Mapping[str, float]
    walks: tuple[tuple[Expr, bool, bool], ...]


@dataclass(frozen=True)
class Masks:
    """What vector code of a body under a branch on data does under masks. ``stored``: bytes of stores in an iteration
    of the loop; ``share``: of the iterations that reach the body; ``needed``: the loop is scalar code where vectors
    have no masks for elements of all sizes (AVX2), with branches, of whose decisions ``guessed`` take this one."""

    stored: float
    share: Expr
    needed: bool
    guessed: Expr | None = None


@dataclass(frozen=True)
class BodyWork:
    """What the executions of one body ask of a core. Loads and stores are of distinct elements, in one execution;
    what the loop does not move stays in registers."""

    line: int
    loop: str  # the loop whose machine code it is in: loops of few iterations are unrolled into the one around them
    scalar_reasons: tuple[ScalarReason, ...]  # (): vector code
    executions: Expr
    operations: OperationCounts  # over all executions
    loads: int
    stores: int
    load_bytes: int
    store_bytes: int
    lines_stored: float  # lines that stores go to
    test_operations: int  # of Numba's tests for negative subscripts and for broadcast operands
    gathered: int  # accesses of vector code that gathers and scatters, an element at a time
    functions: Mapping[tuple[str, PrecisionName], Expr]  # calls over all executions, by function
    conversions: int  # of loaded integers to floating point, and between single and double precision
    long_conversions: int  # of those, of integers of 64 bits
    short_conversions: int  # and of integers of less than 32
    integer_divisions: float  # in its subscripts
    apart: Apart
    branch_share: Expr | None  # of the decisions of the branch on data that holds it; None: no branch in machine code
    reached: Expr = ONE  # in vector code, by which share of the iterations, all of which compute it
    held_in_branch: int = 0  # elements that a branch alone loads, and the loop does not move: gathered
    masks: Masks | None = None  # of vector code, if it has any
    numpy_cycles: float | None = None  # an execution without vectors in a loop of NumPy's own; None: no such loop

    @property
    def walks(self) -> tuple[tuple[Expr, bool, bool], ...]:
        return self.apart.walks

    @property
    def scalar_because(self) -> ScalarReason | None:
        return self.scalar_reasons[0] if self.scalar_reasons else None


@dataclass(frozen=True)
class LoopStarts:
    """How often the machine code of a loop is entered."""

    line: int
    loop: str
    vector: bool
    entries: Expr


@dataclass(frozen=True)
class LoopIntegers:
    """The integer work of a loop, in the machine code of the loop ``code``. ``runs``: how often it is entered."""

    loop: str
    code: str
    work: IntegerWork
    iterations: Expr
    runs: Expr


@dataclass(frozen=True)
class NestCost:
    line: int
    parallel: bool  # runs on all cores: a parallel loop, or a BLAS-like call
    library: str  # the BLAS-like call that it is, or ""
    function: str = field(default="", kw_only=True)  # of a library, which runs it in loops of its own, or ""
    operations: OperationCounts  # (kind, precision) -> executions
    fused_pairs: Mapping[PrecisionName, Expr]  # precision -> mul+add/sub pairs that one fused multiply-add can do
    chains: tuple[Chain, ...]
    strided_innermost: bool  # an innermost loop that walks an array with a stride: no vector code
    bodies: tuple[BodyWork, ...] = ()
    starts: tuple[LoopStarts, ...] = ()
    integers: tuple[LoopIntegers, ...] = ()
    matrix: Mapping[PrecisionName, Expr] = field(default_factory=dict)  # its FLOPs that matrix units do
    split: bool = False  # a prange: each core has iterations of its own (a BLAS-like call: all have the same operands)
    amid: bool = False  # calls in a loop that does more


@dataclass(frozen=True)
class KernelCost:
    """Everything counted about one kernel."""

    kernel: Kernel
    status: KernelStatus
    sample_point: Mapping[str, Number]
    free: frozenset[str]  # the symbols that the user left unbound
    conditions: tuple[Expr, ...]  # each at least 0 in the chamber
    flops: Expr
    operations: OperationCounts  # (kind, precision) -> executions
    nests: tuple[NestCost, ...]
    registers: Traffic  # capacity 0: every access counts its own bytes
    reuse: MemoryModel | None  # None: unsupported, or not asked for
    fused: KernelCost | None = None  # as Numba runs it, the operators of each expression in one loop; None: the same

    @property
    def calls_library(self) -> bool:
        """Whether BLAS-like calls do all the work of a nest."""
        return any(nest.library and not nest.amid for nest in self.nests)
