"""All codes: which exist, which are on, and what each of them means."""

from __future__ import annotations

from roofscan.rules.code import Code
from roofscan.rules.rule import all_rules

CODES: dict[str, Code] = {rule.code.id: rule.code for rule in all_rules()}


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


def is_default(code: str) -> bool:
    """Whether a code is on without being asked for."""
    return code in CODES and CODES[code].default
