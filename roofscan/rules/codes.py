"""All codes: which exist, which are on, and what each of them means."""

from __future__ import annotations

from roofscan.rules.rule import Code, all_rules

CODES: dict[str, Code] = {rule.code.id: rule.code for rule in all_rules()}


def is_default(code: str) -> bool:
    return code in CODES and CODES[code].default
