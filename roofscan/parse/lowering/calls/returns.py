"""The returns of a function that is called, as one: what tests choose is then known as after any other condition."""

from __future__ import annotations

from roofscan.parse.syntax import Conditional, Expression, If, Return, Statement
from roofscan.parse.syntax_walk import always_raises, has_exit


def with_one_return(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """``if i < 0: return 0`` and ``return i`` as ``return 0 if i < 0 else i``."""
    for position, statement in enumerate(body):
        if isinstance(statement, If) and has_exit((statement,)) and not always_raises(statement.body):
            value = _value(body[position:])
            return body if value is None else (*body[:position], Return(statement.place, value))
    return body


def _value(body: tuple[Statement, ...]) -> Expression | None:
    """What a body of tests and returns gives; None for another body."""
    first = body[0] if body else None
    if isinstance(first, Return):
        return first.value
    if not isinstance(first, If):
        return None
    then, orelse = _value((*first.body, *body[1:])), _value((*first.orelse, *body[1:]))
    return None if then is None or orelse is None else Conditional(first.place, first.test, then, orelse)
