"""The names that tools write for kernels, and the kernels that they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePath

_NOT_PARTS = ("", "cudapy", "<locals>", "_3clocals_3e")
_AFTER_NAME = re.compile(r"[(\[<].*|\$\d+$|_24\d+$")
"""Parameters, ABI tags, template arguments, and the number of a specialisation (``f$241``) of older Numba."""


def parts_of(written: str) -> tuple[str, ...]:
    """The parts of a name: ``("__main__", "jacobi")`` of ``_ZN8__main__6jacobiB2v1B38c8t…E5ArrayI…`` (Numba's compiled
    code), of ``cudapy::__main__::jacobi[abi:v1](Array<double, 2, C, mutable, aligned>)`` (the same in Nsight) and of
    ``__main__.jacobi``."""
    mangled = re.match(r"_ZN?(?=\d)", written)
    if mangled:
        parts = list(_lengths_first(written, mangled.end()))
    else:
        text = written.strip().rpartition("void ")[2].replace("<locals>", "")
        parts = re.split(r"::|\.", _AFTER_NAME.sub("", text))
    return tuple(name for part in parts if (name := _AFTER_NAME.sub("", part)) not in _NOT_PARTS)


def _lengths_first(text: str, at: int) -> Iterator[str]:
    """The parts of a nested name in the Itanium ABI: ``8__main__6jacobi``."""
    while number := re.compile(r"\d+").match(text, at):
        at = number.end() + int(number[0])
        yield text[number.end() : at]


def owners(written: str, kernels: Sequence[tuple[str, str]]) -> list[int]:
    """The ``kernels`` (path and dotted name) that a name means: several where it does not tell them apart."""
    parts = parts_of(written)
    alike = [_alike(parts, tuple(name.split("."))) for _, name in kernels]
    found = [n for n, shared in enumerate(alike) if shared == max(alike) > 0]
    in_module = [n for n in found if _is_from(parts[: -alike[n]], kernels[n][0])]
    return in_module if len(found) > 1 and in_module else found


def _alike(parts: tuple[str, ...], name: tuple[str, ...]) -> int:
    """The number of equal last parts where one of the two names ends with the other; else 0."""
    shared = min(len(parts), len(name))
    return shared if parts[-shared:] == name[-shared:] else 0


def _is_from(module: tuple[str, ...], path: str) -> bool:
    file = PurePath(path).with_suffix("").parts
    return bool(module) and file[-len(module) :] == module
