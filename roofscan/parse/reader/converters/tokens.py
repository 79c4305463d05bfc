"""The values of tokens: names, numbers and texts."""

from __future__ import annotations

import ast
import re
from math import isinf
from unicodedata import normalize

_ESCAPE = re.compile(r"\\(?:([\n\\'\"abfnrtv0-3xNuU])|(.))", re.DOTALL)


def identifier(text: str) -> str:
    """A name as Python compares it."""
    return text if text.isascii() else normalize("NFKC", text)


def number(text: str) -> int | float | complex | None:
    """The value of a number token; None where it is too large to be a number of a kernel."""
    text = text.replace("_", "")
    try:
        if text[-1] in "jJ":
            return complex(0.0, float(text[:-1]))
        if text[:2].lower() in ("0x", "0o", "0b") or not set(text) & set(".eE"):
            return int(text, 0) if set(text) != {"0"} else 0
        value = float(text)
    except ValueError:  # more digits than Python converts
        return None
    return None if isinf(value) else value


def text_value(token: str) -> str | bytes | None:
    """The value of a text or bytes token; None where its escapes are malformed."""
    if "\\" in token and "r" not in token[:2].lower():
        token = _ESCAPE.sub(_without_unknown, token)
    try:
        value = ast.literal_eval(token)
    except (ValueError, SyntaxError, MemoryError):
        return None
    return value if isinstance(value, (str, bytes)) else None


def _without_unknown(match: re.Match[str]) -> str:
    r"""``\d`` as ``\\d``, which is what it means: Python would warn of it."""
    return match.group() if match.group(1) else f"\\\\{match.group(2)}"


def joined(values: list[object]) -> str | bytes | None:
    """The text or the bytes that literals in a row make together."""
    texts = [value for value in values if isinstance(value, str)]
    parts = [value for value in values if isinstance(value, bytes)]
    if len(texts) == len(values):
        return "".join(texts)
    return b"".join(parts) if len(parts) == len(values) else None
