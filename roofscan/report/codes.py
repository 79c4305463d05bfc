"""All codes: which exist, which are on, and what each of them means."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.report.code import Code
from roofscan.report.findings import MODULES

CODES: dict[str, Code] = {module.CODE.id: module.CODE for module in MODULES}


class UnknownCode(KeyError):
    """A text that is no code; the message names those that are."""

    def __str__(self) -> str:
        return str(self.args[0])


def explain(code: str) -> str:
    """The page of a code; UnknownCode for any other text."""
    try:
        return CODES[code.strip().upper()].page()
    except KeyError:
        raise UnknownCode(f"{code} is not a code of roofscan; there are {', '.join(CODES)}") from None


def enabled(
    code: str, select: Sequence[str] = (), ignore: Sequence[str] = (), extend_select: Sequence[str] = ()
) -> bool:
    """Whether a code is reported, by flake8's rules: an entry names a code or the beginning of some.

    ``select`` replaces what is on by default, ``extend_select`` adds to it; where both a selecting and an
    ignoring entry match, the longer one wins, and ``ignore`` wins a tie.
    """
    selected = _longest(code, (*select, *extend_select))
    ignored = _longest(code, ignore)
    if selected or ignored:
        return selected > ignored
    return not select and code in CODES and CODES[code].default


def _longest(code: str, prefixes: Sequence[str]) -> int:
    return max((len(p) for p in prefixes if p and code.startswith(p.upper())), default=0)
