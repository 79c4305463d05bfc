"""NumPy's own loops over elements: what they do one element at a time where a compiler would use vectors."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.counts import StatementDomain
from roofscan.ir.kinds import OperationKind, PrecisionName
from roofscan.ir.tree import Access, Operation

SELECTED, LIMITED = 3.7, 2.0
"""Cycles per element of ``np.where``, and of a minimum or maximum with a number. Measured under NumPy 2.4 on Zen 4, on
arrays of 16 KB."""

REDUCED: Mapping[tuple[OperationKind, ...], float] = {
    ("add",): 0.7, ("mul",): 3.0, ("mul", "add"): 0.4, ("minmax",): 0.4, (): 0.5,
}  # fmt: skip
OTHER_REDUCED = 1.5
"""Likewise of reductions, by their operations: a product is a chain, the norm is a dot product."""

ROOT = 2  # times that a square root in double precision takes what it takes in full vectors: NumPy's have 128 bits

FUNCTIONS: Mapping[tuple[PrecisionName, int], Mapping[str, float]] = {
    ("fp64", 512): {
        "exp": 3.1, "exp2": 2.5, "expm1": 4.5, "log": 3.1, "log2": 3.4, "log10": 3.4, "log1p": 3.8, "tan": 5.0,
        "asin": 4.6, "acos": 4.8, "atan": 4.6, "sinh": 4.2, "cosh": 3.5, "tanh": 6.1, "asinh": 7.5, "acosh": 8.0,
        "atanh": 5.9, "cbrt": 3.7, "pow": 8.0, "atan2": 7.8, "hypot": 23.0,
    },
    ("fp32", 512): {
        "exp": 1.7, "exp2": 0.8, "expm1": 1.3, "log": 1.4, "log2": 0.9, "log10": 0.8, "log1p": 1.6, "sin": 1.9,
        "cos": 1.9, "tan": 1.4, "asin": 1.4, "acos": 1.5, "atan": 1.4, "sinh": 1.4, "cosh": 1.2, "tanh": 1.4,
        "asinh": 2.5, "acosh": 2.5, "atanh": 1.8, "cbrt": 1.1, "pow": 2.4, "atan2": 2.1, "hypot": 14.0,
    },
    ("fp32", 256): {"exp": 3.6, "log": 4.9, "sin": 4.5, "cos": 4.5, "tanh": 4.1},
}  # fmt: skip
"""Cycles per element of functions that NumPy has vector code for, with AVX-512 and with AVX2, likewise. The others are
those of C's library, as Numba's are: so is every function in double precision without AVX-512."""


def function_cycles(name: str, precision: PrecisionName, vector_bits: int) -> float | None:
    """Cycles per element of NumPy's own code; None where it has none."""
    return FUNCTIONS.get((precision, vector_bits), {}).get(name)


def cycles_by_element(domain: StatementDomain) -> float:
    """Of an execution of a body in which NumPy uses no vectors; 0.0 of others."""
    reads, writes = ([n for n in domain.body if isinstance(n, Access) and n.write is w] for w in (False, True))
    kinds = [node.kind for node in domain.body if isinstance(node, Operation)]
    if writes and not kinds:
        return SELECTED if len(reads) > 1 else 0.0
    if writes:
        return LIMITED if kinds == ["minmax"] and len(reads) == 1 else 0.0  # np.clip has vector code
    is_reduction = any(loop.state for loop in domain.loops)
    return REDUCED.get(tuple(kinds), OTHER_REDUCED) if is_reduction else 0.0
