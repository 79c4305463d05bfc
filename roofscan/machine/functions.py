"""What calls of mathematical functions take: ``[functions]`` of a machine file, in cycles of double precision, or,
where a file lacks one, a share of the usual call's time."""

from __future__ import annotations

from collections.abc import Mapping

from roofscan.ir.kinds import INTEGER_POWER, INVERSE_ROOT_POWER, ROOT_POWER
from roofscan.machine.model import Machine, Sourced
from roofscan.machine.reader import TableReader
from roofscan.machine.ridge import rates_for

SHARES: Mapping[str, float] = {
    "exp": 0.64, "exp2": 0.4, "expm1": 1.06, "log": 0.57, "log2": 0.5, "log10": 1.0, "log1p": 1.27,
    "sin": 1.1, "cos": 1.08, "tan": 1.36, "asin": 1.4, "acos": 1.5, "atan": 1.05, "atan2": 1.9,
    "sinh": 1.7, "cosh": 0.75, "tanh": 1.6, "asinh": 2.5, "erf": 1.3, "erfc": 1.8,
    "gamma": 5.5, "lgamma": 1.8, "pow": 1.6, "hypot": 1.0, "cbrt": 1.6,
}  # fmt: skip
"""Of the geometric mean of exp, log, sin, tanh and pow: the mean of an Intel (Redwood Cove) and an AMD core (Zen 5)."""

SHORT_FORMS: Mapping[str, float] = {
    "expm1": 0.6, "log1p": 0.6, "sinh": 0.5, "tanh": 0.3, "asinh": 0.3, "asin": 0.5, "acos": 0.5,
    "atan2": 0.6, "erf": 0.3, "erfc": 0.3, "pow": 0.8, "hypot": 0.5,
}  # fmt: skip
"""Of the expected time of a call, twice the least that was measured over arguments from 0 to 5,000 (Zen 5): where the
result is that of a limit or of a short series, or all branches are guessed right. The bound halves what it counts."""

POWER_OPERATIONS = 24  # of scalar code, for exponents from 4 to 7: 6 more or less a bit of the exponent

_NAMES = {
    **dict.fromkeys(("power", "float_power", ROOT_POWER, INVERSE_ROOT_POWER), "pow"),
    "arctan2": "atan2", "gammaln": "lgamma", "loggamma": "lgamma",
}  # fmt: skip


def plain_name(function: str) -> str:
    """The name in C's library: NumPy says ``arcsin`` for ``asin``."""
    return _NAMES.get(function, function.replace("arc", "a", 1) if function.startswith("arc") else function)


def functions_of(top: TableReader) -> dict[str, Sourced]:
    """``[functions]``: cycles of a call; MachineError where a name is unknown."""
    table = top.table("functions")
    table.only(*SHARES)
    return {name: figure for name in SHARES if (figure := table.figure(name)) is not None}


def least_share(function: str) -> float:
    """Of the expected time of a call, what the bound counts before it halves it: nothing of a power with an integer
    exponent that is not known."""
    return 0.0 if function == INTEGER_POWER else SHORT_FORMS.get(plain_name(function), 1.0)


def seconds_of(machine: Machine, function: str, precision: str) -> float:
    """Seconds of one call in scalar code."""
    if function == INTEGER_POWER:
        return POWER_OPERATIONS / (machine.timing.issue.value * machine.clock.value)
    name, usual = plain_name(function), 1 / rates_for(machine, precision, "core").special.value
    if name not in machine.functions:
        return usual * SHARES.get(name, 1.0)
    double = 1 / rates_for(machine, "fp64", "core").special.value
    return machine.functions[name].value / machine.clock.value * usual / double
