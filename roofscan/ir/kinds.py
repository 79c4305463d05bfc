"""The closed sets of names that run through the analyzer: literals, not enums, as they are printed in text and in
JSON."""

from __future__ import annotations

from typing import Literal

# -- a kernel ---------------------------------------------------------------------------------------
SymbolKind = Literal[
    "size",  # an extent: an integer, at least 0 (large in verdicts for unbound sizes)
    "tile",  # a size that a user would hold: a loop step, a window, a batch, a number of sweeps
    "int",  # another integer parameter, which may be negative
    "float",  # a parameter that is not an integer
    "trips",  # the (mean) trip count of a loop that depends on data
    "total",  # the sum of such trip counts
    "share",  # the share of executions that take a data-dependent branch, 0 to 1
    "flag",  # 1 where a test on scalar parameters holds, else 0: the same throughout a call
    "length",  # the length of a data-dependent selection (a mask)
    "launch",  # threads or blocks that a GPU kernel is launched with: as many as its guards let through, or more
    "cost",  # the FLOPs of a callee that is not known
    "open",  # elements of parameters of which the source does not tell: 1 for scalars, and in verdicts
]
LEAST_VALUE: dict[SymbolKind, int] = {
    "size": 1, "tile": 1, "launch": 1, "total": 0, "trips": 0, "length": 0, "cost": 0, "share": 0, "flag": 0,
}  # fmt: skip
"""The least value of a symbol, by its kind; a number of no other kind has one. A size of 0 has no work to count."""
ArrayRole = Literal[
    "parameter",
    "local",  # allocated by name
    "temporary",  # the result of an expression
    "global",
]
OperationKind = Literal[
    "add", "sub", "mul", "div", "sqrt", "minmax", "special", "complex_div", "neg", "abs", "compare", "convert"
]  # fmt: skip
MATRIX = "dot"  # the function of multiplications and additions that matrix units do
Relation = Literal["ge", "eq", "ne"]  # to zero
DecoratorKind = Literal[
    "njit", "jit", "vectorize", "guvectorize", "stencil", "cuda", "triton", "jitclass",
    "pragma",  # marked by a comment alone
    "none",  # a plain function, run by the interpreter or by NumPy
]  # fmt: skip
GPU_KINDS = ("cuda", "triton")  # of these, a GPU's; each is also the name of the module that decorates
ReasonEffect = Literal[
    "parametric",
    "uncounted",  # work that depends on data and is not arithmetic: a sort
    "lower",  # the FLOPs are a lower bound, and accesses are missing
    "hidden",  # the FLOPs are a lower bound, and no accesses are missing: random numbers
    "upper",  # the FLOPs are an upper bound, and so are the accesses
    "wider",  # the FLOPs are an upper bound, and all accesses are made: numbers of a narrower type
    "traffic",  # the traffic is an estimate
    "scattered",  # addresses are unknown: their traffic is an upper bound
    "unseen",  # accesses are missing: the traffic is a lower bound, the FLOPs are counted
    "open",  # operands may be scalars, copies none, elements narrower: traffic is an estimate, from the registers on
    "unsupported",
]
DTypeKind = Literal["float", "complex", "int", "bool", "record"]
PrecisionName = Literal["fp64", "fp32", "fp16", "bf16"]

# -- its cost ---------------------------------------------------------------------------------------
KernelStatus = Literal["exact", "parametric", "bounded", "unsupported"]
TrafficStatus = Literal["exact", "estimate", "lower_bound", "upper_bound", "unknown"]
NoRoofline = Literal["unsupported", "interpreted", "no GPU", "no work", "not counted", "no value", "open"]
BoundSide = Literal["lower", "upper"]
ScalarReason = Literal[
    "stride",  # it walks an array with a stride
    "gather",  # a subscript depends on data
    "chain",  # each iteration waits for the one before
    "index test",  # Numba tests a subscript for negative values
    "division",  # Numba tests a divisor for zero
    "function",  # it calls a function that has no vector form
    "integers",  # it divides integers, which has no vector form
    "overlap",  # it reads an element of the row that it writes
    "rows",  # it reads other rows of the array that it writes, which one test for overlap covers all at once
    "branch",  # a branch on data holds accesses that are not made otherwise
    "copy",  # it copies into a slice, or selects as np.where does: the compiler does not know the stride
    "call",  # it calls a compiled function that is too large to be inlined
    "operands",  # a NumPy expression of so many arrays that the tests of their shapes stay in its loop
    "early exit",
    "outer",  # it holds other loops
]
"""Why a loop is compiled to scalar code."""
TouchKind = Literal[
    "touch",  # decides loads and fills
    "write",  # decides write-backs
]

# -- its place under the roofline -------------------------------------------------------------------
BlockGroup = Literal[
    "a wave of blocks", "a row of blocks", "a slab of blocks", "all blocks",
    "the resident blocks",  # of all multiprocessors
    "the blocks of a multiprocessor",
]  # fmt: skip
"""The blocks of a launch whose data a cache of a GPU is to hold."""
ONE_GROUP: tuple[BlockGroup, ...] = ("a wave of blocks", "a row of blocks", "a slab of blocks")
"""Groups that take a verb in the singular."""
Bound = Literal["memory", "compute", "depends"]
Scope = Literal["core", "socket", "device"]
OtherSizes = Literal["grow", "fixed"]  # what the other free sizes do while one grows

POWER_CALL = "power"
"""The function of the multiplications of a power for which compiled code calls ``pow`` all the same: ``x ** 3.0`` and
``np.power(x, 3)`` (measured under Numba 0.68: 20 ns)."""
ROOT_POWER, INVERSE_ROOT_POWER = "root power", "inverse root power"
"""The functions of powers of half a number, ``x ** 1.5`` and ``x ** -1.5``: ``pow``, where an integer power of a root
would do (measured likewise: 28 ns; 1.3 and 3.3 by ``np.sqrt(x) ** 3`` and ``** -3``)."""
INTEGER_POWER = "powi"
"""The function of a power whose exponent is an integer: compiled code multiplies, or squares repeatedly where the
exponent is not known."""
