"""Suggestions for a name that is not known: the closest known ones."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

MAX_NAMES = 8


def among(name: str, known: Iterable[str]) -> str:
    """The known names that resemble ``name``, or else all of them."""
    ordered = sorted(known)
    near = get_close_matches(name, ordered, n=2, cutoff=0.6)
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = " ..." if len(ordered) > MAX_NAMES else ""
    verb = "is" if len(ordered) == 1 else "are"
    return f"there {verb} {', '.join(ordered[:MAX_NAMES])}{more}" if ordered else "there are none"


def is_like(word: str, meant: str) -> bool:
    """Whether a word is perhaps a misspelt one."""
    return word != meant and bool(get_close_matches(word.lower(), (meant,), cutoff=0.8))
