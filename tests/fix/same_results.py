"""Whether two sources do the same: run un-jitted on the same arguments, compared bit by bit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from tests.oracle.run import run_plainly

_DIMS = re.compile(r"(?<=\[)[\d,]+(?=\])|(?<==)\d+(?=\s|$)")
SMALL = (0, 1, 2, 5)


def of_other_sizes(words: str) -> Iterator[str]:
    """The words of an oracle line with other sizes: equal ones stay equal."""
    yield words
    sizes = list(dict.fromkeys(re.findall(r"\d+", " ".join(_DIMS.findall(words)))))
    for shift in range(len(SMALL)):
        new = {size: SMALL[(n + shift) % len(SMALL)] for n, size in enumerate(sizes)}
        yield _DIMS.sub(lambda m, new=new: re.sub(r"\d+", lambda d: str(new[d[0]]), m[0]), words)  # type: ignore[misc]


def outcome(source: str, function: str, arguments: Mapping[str, object]) -> object:
    """What a call returns and leaves, as bytes; None where it raises."""
    try:
        result, arrays = run_plainly(source, function, arguments)
    except Exception:
        return None
    return _bits(result), {name: _bits(array) for name, array in arrays.items()}


def _bits(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_bits, value))
    return (value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else repr(value)
