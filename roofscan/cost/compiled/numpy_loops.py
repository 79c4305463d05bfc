"""NumPy's own loops over elements: what they do one element at a time where a compiler would use vectors."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.counts import StatementDomain
from roofscan.ir.kinds import OperationKind
from roofscan.ir.tree import Access, Operation

SELECTED, LIMITED, ADDED = 3.7, 2.0, 1.5
"""Cycles per element of ``np.where``, of a minimum or maximum with a number, and of a reduction. Measured under NumPy
2.4 on Zen 4, on arrays of 16 KB."""

ROOT = 2  # times that a square root in double precision takes what it takes in full vectors: NumPy's have 128 bits

FUNCTIONS: Mapping[str, float] = {
    "exp": 3.0, "exp2": 3.5, "expm1": 6.0, "log": 3.0, "log2": 3.5, "log10": 4.0, "log1p": 6.0, "tanh": 6.2,
    "pow": 10.5, "atan2": 8.0, "hypot": 24.0,
}  # fmt: skip
"""Cycles per element of functions in double precision, likewise: NumPy has vector code for them, Numba has not. The
others take what Numba's take (a sine 31)."""

_REDUCING: tuple[OperationKind, ...] = ("add", "mul", "minmax")


def cycles_by_element(domain: StatementDomain) -> float:
    """Of an execution of a body in which NumPy uses no vectors; 0.0 of others."""
    reads, writes = ([n for n in domain.body if isinstance(n, Access) and n.write is w] for w in (False, True))
    kinds = [node.kind for node in domain.body if isinstance(node, Operation)]
    if writes and not kinds:
        return SELECTED if len(reads) > 1 else 0.0
    if writes:
        return LIMITED * kinds.count("minmax") if len(reads) == 1 else 0.0
    return ADDED if any(kind in _REDUCING for kind in kinds) else 0.0
