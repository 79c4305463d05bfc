"""How many instructions the warps of a launch issue, without its compiler."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.cost.memory.gpu.programs.program import Scope
from roofscan.cost.memory.gpu.traffic.movements import Movements
from roofscan.cost.memory.lru.tree.sampled_expr import value_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import INTEGER_POWER, MATRIX, OperationKind, PrecisionName
from roofscan.ir.tree import Operation
from roofscan.machine.functions import plain_name
from roofscan.roofline.gpu.addresses import of_addresses

ROOTS = frozenset(("div", "sqrt"))

INTEGER_STRAIGHT, INTEGER_LOOP = 0.5, 0.7  # on the integer units, of the instructions without floating arithmetic


@dataclass(frozen=True)
class Instructions:
    """Of all threads together."""

    issued: float
    integer: float  # of these, on the unit of integers, which takes half as many a cycle
    floating: Mapping[str, float]  # by precision
    special: float  # on the unit of special functions
    roots_of_64: float  # divisions and roots of fp64
    matrix: Mapping[PrecisionName, float]  # FLOPs on the matrix units, by precision
    unsure: float = 0.0  # the share of ``floating`` in loops that data may end early


def instructions_of(moved: Movements, fused_pairs: float) -> Instructions:
    """``fused_pairs``: the multiplications and additions that one instruction does together."""
    program, by_warps = moved.program, moved.issued
    straight, looped = of_addresses(program, by_warps)
    issued, integer = straight + looped, INTEGER_STRAIGHT * straight + INTEGER_LOOP * looped
    floating: dict[str, float] = {}
    matrix: dict[PrecisionName, float] = {}
    special = roots_of_64 = 0.0
    for scope in program.root.scopes:
        for operation, times in scope.operations:
            name: PrecisionName = operation.dtype.precision or "fp32"
            if operation.function == MATRIX:
                as_fp16 = operation.dtype.precision is None  # integers of eight bits take half as long
                name = "fp16" if as_fp16 else name
                matrix[name] = matrix.get(name, 0.0) + value_of(times) / (2 if as_fp16 else 1)
                continue
            slots = slots_of(operation)
            issued += value_of(times) * slots.issued
            floating[name] = floating.get(name, 0.0) + value_of(times) * slots.piped
            special += value_of(times) * (operation.kind in ("special", "sqrt", "div"))
            roots_of_64 += value_of(times) * (operation.kind in ROOTS and name == "fp64")
    total = sum(floating.values())
    fused_pairs = max(0.0, fused_pairs - sum(matrix.values()) / 2)
    share = 1 - fused_pairs / total if total else 1.0
    floating = {name: slots * share for name, slots in floating.items()}
    unsure = _ended_by_data(program.root) / total if total else 0.0
    return Instructions(issued - fused_pairs, integer, floating, special, roots_of_64, matrix, unsure)


def _ended_by_data(scope: Scope) -> float:
    """The slots of the floating-point units in loops that data may end early."""
    if scope.loop is None or not scope.loop.ended_by_data:
        return sum(_ended_by_data(item) for item in scope.items if isinstance(item, Scope))
    every = (operation for inner in scope.scopes for operation in inner.operations)
    return sum(value_of(times) * slots_of(operation).piped for operation, times in every)


@dataclass(frozen=True)
class Slots:
    """``issued``: all of its instructions; ``piped``: those of the floating-point units of its precision. The others
    take numbers apart, choose between cases and fetch constants."""

    issued: float
    piped: float


Pair = tuple[Slots, Slots]  # in fp32, in fp64


def _pair(issued: float, piped: float, issued_of_64: float, piped_of_64: float) -> Pair:
    return Slots(issued, piped), Slots(issued_of_64, piped_of_64)


NOTHING, ONCE = _pair(0, 0, 0, 0), _pair(1, 1, 1, 1)
KINDS: Mapping[OperationKind, Pair] = {
    "div": _pair(13, 6, 16, 8), "sqrt": _pair(13, 6, 18, 8), "special": _pair(28, 18, 80, 32),
    "complex_div": _pair(60, 40, 80, 50), "neg": NOTHING, "abs": NOTHING, "convert": _pair(1, 1, 2, 2),
}  # fmt: skip
"""Of all others: one."""
FUNCTIONS: Mapping[str, Pair] = {
    **dict.fromkeys(("exp", "exp2", "exp10", "sigmoid"), _pair(10, 6, 45, 18)), "expm1": _pair(29, 26, 60, 22),
    **dict.fromkeys(("log", "log2", "log10"), _pair(26, 20, 70, 31)), "log1p": _pair(31, 18, 90, 45),
    **dict.fromkeys(("sin", "cos", "sinpi", "cospi"), _pair(40, 18, 50, 16)), "tan": _pair(42, 18, 85, 31),
    "sinh": _pair(30, 22, 90, 36), "cosh": _pair(22, 15, 58, 21), "tanh": _pair(17, 12, 70, 28),
    "asin": _pair(25, 19, 95, 38), "acos": _pair(26, 21, 95, 38), "atan": _pair(19, 14, 72, 28),
    "atan2": _pair(45, 24, 95, 35), "erf": _pair(28, 19, 120, 42), "erfc": _pair(47, 38, 150, 63),
    "pow": _pair(80, 60, 190, 80), "hypot": _pair(22, 13, 34, 13), "rsqrt": _pair(6, 3, 16, 8),
    INTEGER_POWER: _pair(4, 3, 4, 3),
}  # fmt: skip
"""On the path that ordinary numbers take."""


def slots_of(operation: Operation) -> Slots:
    """Nothing of what matrix units do."""
    kind = KINDS.get(operation.kind, ONCE) if operation.function != MATRIX else NOTHING
    found = FUNCTIONS.get(plain_name(operation.function), kind) if operation.kind == "special" else kind
    return found[operation.dtype.precision == "fp64"]
