"""What a code is: its number, whether it is on, and the page that explains it."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, fill, indent

WIDTH = 96


@dataclass(frozen=True)
class Code:
    """One code. ``bad`` and ``good`` are whole modules (or settings), with the finding and without it."""

    id: str  # "RFL101"
    title: str  # what it says, in a few words
    location: str  # kernel, access, loop, comment, config, file
    default: bool  # whether it is on without being asked for
    meaning: str
    why: str
    action: str
    bad: str
    good: str

    def page(self) -> str:
        state = "on" if self.default else "off; select it to report it"
        parts = [
            f"{self.id}: {self.title}\n(location: {self.location}; by default: {state})",
            f"What it means\n{_text(self.meaning)}",
            f"Why it matters\n{_text(self.why)}",
            f"With the finding\n{_example(self.bad)}",
            f"Without it\n{_example(self.good)}",
            f"What to do\n{_text(self.action)}",
        ]
        return "\n\n".join(parts) + "\n"


def _text(words: str) -> str:
    return fill(" ".join(words.split()), WIDTH, initial_indent="  ", subsequent_indent="  ")


def _example(source: str) -> str:
    return indent(dedent(source).strip("\n"), "    ")
