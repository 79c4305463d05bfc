"""Names of loop variables: ``i#1`` belongs to the first loop over ``i``. No name of a source contains the mark."""

from __future__ import annotations

_MARK = "#"


def numbered_variable(name: str, number: int) -> str:
    return f"{name}{_MARK}{number}"


def is_loop_variable(name: str) -> bool:
    return _MARK in name


def name_in_source(variable: str) -> str:
    return variable.partition(_MARK)[0]
