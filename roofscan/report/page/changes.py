"""The changes that findings ask for, as the page shows them: a diff under the finding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from roofscan.frozen import dataclass

Place = tuple[str, int, str]
"""The code of a finding, its line, and the path."""


@dataclass(frozen=True)
class ShownChange:
    what: str  # imperative, with what it assumes: "make j the innermost loop (safe)"
    lines: tuple[str, ...]  # of a unified diff, without its head


Changes = Mapping[Place, ShownChange]


def change_block(change: ShownChange) -> str:
    """The diff, folded. Added and removed lines have their own elements, so that colour is not needed."""
    return (
        f'<details class="change"><summary>diff: {escape(change.what)}</summary>'
        f'<pre class="diff">{"".join(map(_line, _from_the_margin(change.lines)))}</pre></details>'
    )


def _from_the_margin(lines: Sequence[str]) -> list[str]:
    """Without the indentation that all lines share."""
    texts = [line[1:] for line in lines if not line.startswith("@@")]
    indents = [len(text) - len(text.lstrip()) for text in texts if text.strip()]
    shared = min(indents, default=0)
    return [line if line.startswith("@@") else line[0] + line[1 + shared :] for line in lines]


def _line(line: str) -> str:
    tag = {"+": "ins", "-": "del"}.get(line[:1], "")
    text = escape(line.rstrip("\n"), quote=False)
    return f"<{tag}>{text}</{tag}>\n" if tag else f"{text}\n"
