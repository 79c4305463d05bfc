"""What a pragma says beside facts: ``accept`` (the verdict is known), ``expect dram<=16*n flops<=7*n`` (budgets)."""

from __future__ import annotations

import re
from dataclasses import replace

from roofscan.ir.facts import Facts, Grant
from roofscan.parse.reader.facts import FactError, parse_facts
from roofscan.parse.reader.size_expressions import ExpressionReader, Unreadable

MAX_LENGTH = 200  # characters of all budgets

_ACCEPT = re.compile(r"(?:^|\s)accept(?=\s|$)")
_EXPECT = re.compile(r"(?:^|\s)expect(?=\s|$)")
_TOKEN = re.compile(r"\s*(<=|\*\*|[-+*/()]|[0-9]+(?:\.[0-9]*)?(?:e[0-9]+)?|[^\W\d]\w*|\S)")


def parse_pragma(text: str) -> Facts:
    """Raises FactError."""
    rest, *expected = _EXPECT.split(text, maxsplit=1)
    plain = _ACCEPT.sub(" ", rest)
    budgets = _budgets(expected[0].strip()) if expected else ()
    return replace(parse_facts(plain), accepted=plain != rest, budgets=budgets)


def _budgets(text: str) -> tuple[Grant, ...]:
    reader, found = ExpressionReader(_TOKEN.findall(text)), list[Grant]()
    if len(text) > MAX_LENGTH:
        raise _unreadable(text, f"it is longer than {MAX_LENGTH} characters")
    try:
        while reader.next() or not found:
            name = reader.take()
            if not name.isidentifier() or reader.take() != "<=":
                raise Unreadable
            found.append(Grant(name.lower(), reader.sum()))
    except Unreadable as error:
        raise _unreadable(text, str(error)) from None
    return tuple(found)


def _unreadable(text: str, why: str) -> FactError:
    shown = ascii(text) if not text.isprintable() else f"'{text}'"
    shown = shown if len(shown) <= 50 else f"{shown[:46]}…'"
    return FactError(f"expect {shown}: {why or 'it is not a budget'}; write expect dram<=16*n flops<=7*n")
