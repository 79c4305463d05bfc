"""A finding: what ``check`` prints in one line. Standard library only, so that cached ones cost no import."""

from __future__ import annotations

from dataclasses import dataclass

STRIDES_FIRST = "walk its arrays along their cache lines first"
"""How the verdict on a kernel ends of which RFL201 says what to mend first: where both stand, they say the same."""


@dataclass(frozen=True)
class Finding:
    """One line of ``check`` and of flake8. The message starts without its code; column is 0-based."""

    code: str
    path: str
    line: int
    column: int
    message: str
    kernel: str = ""
    end_line: int | None = None
    end_column: int | None = None
