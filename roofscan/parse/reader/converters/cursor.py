"""The positions of the nodes of a LibCST tree in the text that it was parsed from."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from roofscan.parse.reader.source import UnparsableText
from roofscan.parse.syntax import Place

_BLANKS = re.compile(r"(?:[ \t\f\r\n]+|\\\r?\n|#[^\n]*)*")
"""What may stand between two tokens: blanks, line ends, joined lines, comments."""

_WORDS = re.compile(r"\S+")


class LostPlaceError(UnparsableText):
    """The text does not hold the token that the tree says comes next."""


class SourceCursor:
    """Follows a converter through the text, token by token: LibCST's nodes hold no positions, and its position provider
    takes twice as long as parsing. A converter knows the tokens and visits the nodes in order anyway."""

    def __init__(self, text: str, first_line: int) -> None:
        self.offset = 0
        self._text = text
        self._line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._lines_above = first_line - 1

    def start(self) -> int:
        """The offset of the next token, to which the cursor moves."""
        match = _BLANKS.match(self._text, self.offset)
        if match is not None:
            self.offset = match.end()
        return self.offset

    def take(self, token: str) -> None:
        if not self._text.startswith(token, self.offset):
            self.start()
        self.take_here(token)

    def take_here(self, text: str) -> None:
        """Moves past ``text``, which begins where the cursor stands."""
        if not self._text.startswith(text, self.offset):
            line = bisect_right(self._line_starts, self.offset) + self._lines_above
            raise LostPlaceError(f"no {text!r} found in line {line}")
        self.offset += len(text)

    def pass_over(self, code: str) -> None:
        """Moves past the next tokens, which are those of ``code``; their blanks may differ."""
        left = sum(map(len, code.split()))
        while left > 0:
            match = _WORDS.search(self._text, self.offset)
            if match is None:
                raise LostPlaceError("the text is shorter than its tree")
            self.offset = min(match.end(), match.start() + left)
            left -= match.end() - match.start()

    def line(self, offset: int) -> int:
        return bisect_right(self._line_starts, offset) + self._lines_above

    def place(self, start: int) -> Place:
        """From ``start`` to the end of the last token."""
        starts, above, end = self._line_starts, self._lines_above, self.offset
        first, last = bisect_right(starts, start), bisect_right(starts, end)
        return Place(first + above, start - starts[first - 1], last + above, end - starts[last - 1])
