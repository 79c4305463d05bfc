"""A finding: what a rule reports about one place of the source. Standard library only, so that cached findings cost no
import."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from roofscan.frozen import dataclass
from roofscan.transformation import TransformationRecord

NamesMachine = Literal["never", "at length", "always"]
SubjectKind = Literal["kernel", "array", "loop", "statement", "comment", "option", "file"]


@dataclass(frozen=True)
class Subject:
    """What a finding is about: the kernel itself, or arrays or loops of it by their names in the source."""

    kind: SubjectKind = "kernel"
    names: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind} {', '.join(self.names)}".rstrip()


KERNEL = Subject()

WARNING_GAIN = 1.5  # from this gain on, or where it is not known, a finding is a warning


@dataclass(frozen=True)
class Finding:
    """One line of ``check`` and of flake8. Path, kernel, code and subject identify it from one run to the next.
    ``message`` is the sentence that every format prints, without the code. Lines count from 1, columns from 0;
    ``end_column`` is the column after the last character."""

    code: str
    path: str
    line: int
    column: int
    message: str
    kernel: str = ""
    end_line: int | None = None
    end_column: int | None = None
    subject: Subject = KERNEL
    figures: tuple[tuple[str, float], ...] = ()  # what the message says in numbers, by name
    lines: tuple[int, ...] = ()  # lines that the message names: it is out of date where they move
    defers_to: str = ""  # the code of another finding on this kernel that says what to do first
    transformation: TransformationRecord | None = None  # the change that it proposes
    detail: str = ""  # the message at length, where it leaves something out
    names_machine: NamesMachine = "never"  # at length: the detail does, the message does not

    @property
    def gain(self) -> float | None:
        """How many times faster a call is after the remedy; None where that is not known."""
        return dict(self.figures).get("gain")

    def promises(self, gain: float) -> bool:
        """Whether it promises that much, or its worth is no gain in time."""
        return self.gain is None or self.gain >= gain

    @property
    def severity(self) -> Literal["warning", "note"]:
        """A note promises too little to be acted on by itself."""
        return "warning" if self.promises(WARNING_GAIN) else "note"

    @property
    def end(self) -> tuple[int, int]:
        """The line and the column after the last character; where they are not known, of one character."""
        if self.end_line is None or self.end_column is None:
            return self.line, self.column + 1
        return self.end_line, self.end_column


@dataclass(frozen=True)
class Edit:
    """The lines from ``line`` up to ``end`` (exclusive; both from 1) are replaced by a text."""

    line: int
    end: int
    text: str


@dataclass(frozen=True)
class FileChange:
    """What a fix of a finding does to its file."""

    description: str
    edits: tuple[Edit, ...]


def comment_findings(problems: Iterable[tuple[int, int, str]], path: str, text: Sequence[str]) -> list[Finding]:
    """Findings for the comments that cannot be read: (line, column, message) of each."""
    about = Subject("comment")
    return [with_end(Finding("RFL901", path, *problem, subject=about), text) for problem in problems]


def with_end(finding: Finding, text: Sequence[str]) -> Finding:
    """The finding up to the end of its line, where its own end is not known; ``text`` has the lines of the file."""
    if finding.end_line is not None and finding.end_column is not None:
        return finding
    line = text[finding.line - 1] if finding.line <= len(text) else ""
    return replace(finding, end_line=finding.line, end_column=max(len(line.rstrip()), finding.column + 1))
