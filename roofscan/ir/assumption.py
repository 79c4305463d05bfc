"""What the figures of a kernel assume."""

from __future__ import annotations

FLOAT_BY_DEFAULT = "float64 (default)"  # what is said of a parameter whose type nothing tells


class Assumption(str):
    """``A is float64 (default)``, which knows its subject: reports join those that say the same of several."""

    subject: str
    says: str

    def __new__(cls, subject: str, says: str) -> Assumption:
        made = super().__new__(cls, f"{subject} is {says}")
        made.subject, made.says = subject, says
        return made

    def __reduce__(self) -> tuple[type[Assumption], tuple[str, str]]:
        return Assumption, (self.subject, self.says)
