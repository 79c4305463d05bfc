"""Which codes are reported, by flake8's rules. Standard library only."""

from __future__ import annotations

from collections.abc import Sequence


def chosen(
    code: str, default: bool, select: Sequence[str] = (), ignore: Sequence[str] = (), extend_select: Sequence[str] = ()
) -> bool:
    """Whether a code is reported: an entry names a code or the beginning of some.

    ``select`` replaces what is on by default, ``extend_select`` adds to it; where both a selecting and an
    ignoring entry match, the longer one wins, and ``ignore`` wins a tie.
    """
    selected = _longest(code, (*select, *extend_select))
    ignored = _longest(code, ignore)
    if selected or ignored:
        return selected > ignored
    return not select and default


def _longest(code: str, prefixes: Sequence[str]) -> int:
    return max((len(p) for p in prefixes if p and code.startswith(p.upper())), default=0)
