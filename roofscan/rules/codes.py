"""All codes: which exist, which are on, and what each of them means."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.config.selection import chosen
from roofscan.rules import MODULES
from roofscan.rules.code import Code

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
    """Whether a code is reported, by the rules of :func:`roofscan.config.selection.chosen`."""
    return chosen(code, is_default(code), select, ignore, extend_select)


def is_default(code: str) -> bool:
    """Whether a code is on without being asked for."""
    return code in CODES and CODES[code].default
