"""How many instructions the warps of a launch issue, without its compiler: Numba's code has 64-bit indices that wrap
around, so that each access takes several (measured for sm_90: within 40 %)."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.memory.gpu.l1 import together
from roofscan.cost.memory.gpu.program import Program, Reference, Scope
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Operation
from roofscan.ir.kinds import MATRIX, OperationKind, PrecisionName

THREAD, ACCESS = 20, 7  # of straight code: of a thread, and more for an access to global memory
ITERATION, WALK = 13, 10  # of a loop: of an iteration, and more for an access
UNROLLED_ACCESS, SHARED_ACCESS = 4, 2  # where the loop is unrolled away, and of shared memory
TILE_ACCESS = 4  # of a thread, for what it takes of a tile at once
UNROLLED_AWAY = 64  # iterations of a loop of constant length that leave no loop

SLOTS: Mapping[OperationKind, tuple[float, float]] = {
    "div": (8, 15), "sqrt": (8, 15), "special": (20, 60), "complex_div": (40, 80), "neg": (0, 0), "abs": (0, 0),
    "convert": (1, 2),
}  # fmt: skip
"""Instructions of an operation in fp32 and in fp64; one for all others."""


@dataclass(frozen=True)
class Instructions:
    """Of all threads together."""

    issued: float
    floating: Mapping[str, float]  # by precision
    special: float  # on the unit of special functions
    matrix: Mapping[PrecisionName, float]  # FLOPs on the matrix units, by precision


def instructions_of(program: Program, fused_pairs: float) -> Instructions:
    """``fused_pairs``: the multiplications and additions that one instruction does together."""
    issued = sum(_of_scope(scope, program) for scope in program.root.scopes)
    floating: dict[str, float] = {}
    matrix: dict[PrecisionName, float] = {}
    special = 0.0
    for scope in program.root.scopes:
        for operation, times in scope.operations:
            name: PrecisionName = operation.dtype.precision or "fp32"
            if operation.function == MATRIX:
                as_fp16 = operation.dtype.precision is None  # integers of eight bits take half as long
                name = "fp16" if as_fp16 else name
                matrix[name] = matrix.get(name, 0.0) + value_of(times) / (2 if as_fp16 else 1)
                continue
            floating[name] = floating.get(name, 0.0) + value_of(times) * _slots(operation)
            special += value_of(times) * (operation.kind in ("special", "sqrt", "div"))
    total = sum(floating.values())
    fused_pairs = max(0.0, fused_pairs - sum(matrix.values()) / 2)
    share = 1 - fused_pairs / total if total else 1.0
    floating = {name: slots * share for name, slots in floating.items()}
    return Instructions(issued - fused_pairs, floating, special, matrix)


def _slots(operation: Operation) -> float:
    return 0 if operation.function == MATRIX else SLOTS.get(operation.kind, (1, 1))[operation.dtype.precision == "fp64"]


def _of_scope(scope: Scope, program: Program) -> float:
    own = [item for item in scope.items if isinstance(item, Reference)]
    floating = sum(value_of(times) * _slots(operation) for operation, times in scope.operations)
    if scope.loop is None:
        threads = program.launch.blocks * program.launch.threads
        return threads * THREAD + floating + sum(value_of(r.executions) * _of_access(r, ACCESS) for r in own)
    gone = scope.loop.constant and value_of(scope.loop.trips) <= UNROLLED_AWAY
    each = UNROLLED_ACCESS if gone else WALK
    accesses = sum(value_of(r.executions) * _of_access(r, each) for r in own)
    walked = value_of(scope.executions) * program.launch.sharers * ITERATION
    return floating + accesses + (0 if gone else walked)


def _of_access(reference: Reference, each: float) -> float:
    if reference.tile:
        return TILE_ACCESS / together(reference)
    return each if reference.array.space == "global" else min(each, SHARED_ACCESS)
