"""How many instructions an operation takes, in Numba's code for sm_90 as ``ptxas`` compiles it."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.frozen import dataclass
from roofscan.ir.kinds import INTEGER_POWER, MATRIX, OperationKind
from roofscan.ir.tree import Operation
from roofscan.machine.functions import plain_name


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
