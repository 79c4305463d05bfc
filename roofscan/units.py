"""Numbers as people read them: three digits, a prefix, a unit. Standard library only."""

from __future__ import annotations

import re

_PREFIXES = ((1e24, "Y"), (1e21, "Z"), (1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_EXPONENT = re.compile(r"e(?:\+|(-))0*(\d)")
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))

_DURATIONS = ((3600, "h"), (60, "min"), (1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))


def si(number: float, unit: str = "") -> str:
    """``2.05 GFLOP/s``; integers below 10,000 as they are."""
    if number == int(number) and abs(number) < 10_000:
        return f"{int(number)} {unit}".rstrip()
    for scale, prefix in _PREFIXES:
        if abs(number) >= scale:
            return f"{digits(number / scale)} {prefix}{unit}".rstrip()
    return f"{digits(number)} {unit}".rstrip()


def digits(number: float) -> str:
    """Three significant digits without an exponent, as far as that is short."""
    if number and not 1e-4 <= abs(number) < 1e7:
        return _short_exponent(f"{number:.2e}")
    if abs(number) >= 100:
        return f"{number:.0f}"
    places = 0 if number == 0 else 1 if abs(number) >= 10 else 2 if abs(number) >= 1 else 3 if abs(number) >= 0.1 else 5
    text = f"{number:.{places}f}"
    return text if abs(number) >= 0.1 else f"{number:.3g}"


def _short_exponent(text: str) -> str:
    """``8.59e9`` for ``8.59e+09``."""
    return _EXPONENT.sub(r"e\1\2", text)


def capacity(size: int) -> str:
    """``48 KiB``; 0 stands for the registers."""
    for scale, unit in _BINARY:
        if size >= scale:
            return f"{digits(size / scale).removesuffix('.0').removesuffix('.00')} {unit}"
    return f"{size} B" if size else "0"


def distinct(one: float, other: float) -> tuple[str, str]:
    """Two figures with three digits, or with as many as keep them apart."""
    texts = [(figure(one, digits), figure(other, digits)) for digits in (3, 4, 5, 6)]
    return next(((a, b) for a, b in texts if a != b), texts[0])


def figure(number: float, digits: int = 3) -> str:
    """A number without an exponent, as far as that is short: 0.0833, 5.2, 156, 2731."""
    return f"{number:.0f}" if 10**digits <= number < 1e7 else _short_exponent(f"{number:.{digits}g}")


def duration(seconds: float) -> str:
    """``10.1 ms``; three digits, from nanoseconds to hours."""
    for scale, unit in _DURATIONS:
        if seconds >= scale:
            return f"{digits(seconds / scale)} {unit}"
    return f"{digits(seconds * 1e9)} ns"
