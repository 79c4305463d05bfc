"""Numbers as people read them: three digits, a prefix, a unit. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

_PREFIXES = ((1e24, "Y"), (1e21, "Z"), (1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_EXPONENT = re.compile(r"e(?:\+|(-))0*(\d)")
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))

_DURATIONS = ((3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def si(number: float, unit: str = "") -> str:
    """``2.05 GFLOP/s``; integers below 10,000 as they are."""
    if number == int(number) and abs(number) < 10_000:
        return f"{int(number)} {unit}".rstrip()
    scale, prefix = _largest_within(number, _PREFIXES) or (1, "")
    return f"{digits(number / scale)} {prefix}{unit}".rstrip()


def digits(number: float) -> str:
    """Three significant digits without an exponent, as far as that is short."""
    size = abs(_rounded(number))
    if number and not 1e-4 <= size < 1e7:
        return _short_exponent(f"{number:.2e}")
    if size >= 100:
        return f"{number:.0f}"
    return f"{number:.{1 if size >= 10 else 2 if size >= 1 else 3}f}" if size >= 0.1 else f"{number:.3g}"


def _rounded(number: float, digits: int = 3) -> float:
    """The number rounded to so many digits: 999.7 becomes 1000, which has another prefix and fewer decimal places."""
    return float(f"{number:.{digits - 1}e}")


def _largest_within(number: float, scales: Sequence[tuple[float, str]]) -> tuple[float, str] | None:
    """The largest scale that the rounded number reaches; scales come in descending order."""
    return next(((scale, name) for scale, name in scales if abs(_rounded(number / scale)) >= 1), None)


def _short_exponent(text: str) -> str:
    """``8.59e9`` for ``8.59e+09``."""
    return _EXPONENT.sub(r"e\1\2", text)


def capacity(size: int) -> str:
    """``48 KiB``; 0 stands for the registers."""
    if scaled := _largest_within(size, _BINARY):
        scale, unit = scaled
        return f"{digits(size / scale).removesuffix('.0').removesuffix('.00')} {unit}"
    return f"{size} B" if size else "0"


def distinct(one: float, other: float) -> tuple[str, str]:
    """Two figures with three digits, or with as many as keep them apart."""
    texts = [(figure(one, digits), figure(other, digits)) for digits in (3, 4, 5, 6)]
    return next(((a, b) for a, b in texts if a != b), texts[0])


def counted(number: int, what: str) -> str:
    """``1 kernel``, ``2 kernels``."""
    return f"{number} {what}{'s' * (number != 1)}"


def figure(number: float, digits: int = 3) -> str:
    """A number without an exponent, as far as that is short: 0.0833, 5.2, 156, 2731."""
    whole = 10**digits <= _rounded(number, digits) < 1e7
    return f"{number:.0f}" if whole else _short_exponent(f"{number:.{digits}g}")


def duration(seconds: float) -> str:
    """``10.1 ms``; three digits, from nanoseconds to hours. What would read 60.0 s is a minute."""
    for (scale, unit), (smaller, _) in pairwise(_DURATIONS):
        if max(seconds, _rounded(seconds / smaller) * smaller) >= scale:
            return f"{digits(max(1, seconds / scale))} {unit}"
    scale, unit = _DURATIONS[-1]
    return f"{digits(seconds / scale)} {unit}"
