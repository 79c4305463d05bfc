"""Places: ours have lines from 1 and columns in characters, the protocol's lines from 0 and columns in the units that
client and server agree on (UTF-16 unless they say otherwise)."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from lsprotocol import types
from pygls.workspace import PositionCodec

from roofscan.finding import Finding


class Places:
    """The positions in one text."""

    def __init__(self, text: str, codec: PositionCodec) -> None:
        self.lines: Sequence[str] = [line.removesuffix("\r") for line in text.split("\n")]
        self._codec = codec

    def position(self, line: int, column: int) -> types.Position:
        content = self.lines[line - 1] if 0 < line <= len(self.lines) else ""
        return types.Position(line - 1, self._codec.client_num_units(content[:column]))

    def end_of(self, line: int) -> types.Position:
        return self.position(line, len(self.lines[line - 1]) if 0 < line <= len(self.lines) else 0)

    def of(self, finding: Finding) -> types.Range:
        return types.Range(self.position(finding.line, finding.column), self.position(*finding.end))

    def line(self, number: int) -> types.Range:
        return types.Range(self.position(number, 0), self.end_of(number))


def edits(before: str, after: str, places: Places) -> list[types.TextEdit]:
    """What makes one text the other, by whole lines."""
    old, new = before.split("\n"), after.split("\n")
    changes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [_edit(old, new[c:d], a, b, places) for kind, a, b, c, d in changes if kind != "equal"]


def _edit(old: Sequence[str], new: Sequence[str], first: int, end: int, places: Places) -> types.TextEdit:
    """The lines ``first`` to ``end`` (without it, from 0) in the place of which the new ones stand."""
    if end < len(old):
        span = types.Range(types.Position(first, 0), types.Position(end, 0))
        return types.TextEdit(span, "".join(f"{line}\n" for line in new))
    last = places.end_of(len(old))
    if first == 0 or (new and first < len(old)):
        return types.TextEdit(types.Range(types.Position(first, 0), last), "\n".join(new))
    return types.TextEdit(types.Range(places.end_of(first), last), "".join(f"\n{line}" for line in new))
