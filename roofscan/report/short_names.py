"""Short names of symbols for people: ``N`` for ``positions_shape_0``. JSON and options keep the names of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from itertools import count
from typing import Any

from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import Symbol
from roofscan.ir.visitor import loops

MAX_NAME_LETTERS = 8  # letters: a longer name is replaced
_WORD = re.compile(r"[^\W\d]\w*")
_LETTERS = {"share": "p", "flag": "b", "float": "a"}  # by the kind of the symbol; N for any other


def short_names(kernel: Kernel, used: set[str]) -> dict[str, str]:
    """For the long names among ``used``, names that nothing else in the kernel has."""
    names = (a.name for a in kernel.arrays)
    taken = {*kernel.parameters, *names, *(loop.name for loop in loops(kernel.body)), *(s.name for s in kernel.symbols)}
    short: dict[str, str] = {}
    for symbol in sorted(kernel.symbols, key=lambda symbol: symbol.name):  # the order in which products print them
        if symbol.name in used and len(symbol.name) > MAX_NAME_LETTERS:
            short[symbol.name] = next(name for name in _candidates(symbol) if name not in taken)
            taken.add(short[symbol.name])
    return short


def _candidates(symbol: Symbol) -> Any:
    letter = _LETTERS.get(symbol.kind, "N")
    return (f"{letter}{n or ''}" for n in count())


def words_of(texts: Iterable[str]) -> set[str]:
    """The words of texts: among them are the symbols that they name."""
    return {word for text in texts for word in _WORD.findall(text)}


def length(text: str) -> int:
    """Of a text once its long names are short."""
    return len(text) - sum(len(word) - 2 for word in _WORD.findall(text) if len(word) > MAX_NAME_LETTERS)


def renamed(value: Any, names: Mapping[str, str], kept: tuple[str, ...] = ()) -> Any:
    """A text, or plain data of texts, with these names in place of the long ones; ``kept``: fields left as they are."""
    if isinstance(value, str):
        return _WORD.sub(lambda word: names.get(word[0], word[0]), value)
    if isinstance(value, tuple):
        return tuple(renamed(item, names, kept) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        changed = {f.name: renamed(getattr(value, f.name), names, kept) for f in fields(value) if f.name not in kept}
        return replace(value, **changed)
    return value
