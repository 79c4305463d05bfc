"""What each top-level function or class of a file depends on in that file, told from its outline: no conversion.

A name that stands in a piece's text may mean any piece of the file that binds it; so what a unit can depend on is
all that can be reached by names, the calls elsewhere that may compile it (``fast = njit(slow)``), and the functions
that may call it. That is more than an analysis reads, never less: two files that agree in it agree in what is found
of the unit.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from roofscan.parse.reader.outline import Definition
from roofscan.parse.reader.source import MARK, may_hold_kernels

_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Unit:
    """A top-level function or class. ``digest`` stands for all text of the file that it may depend on."""

    first_line: int
    end_line: int
    digest: str
    pieces: tuple[int, ...]  # what it may depend on, itself included: positions in the outline
    spans: tuple[range, ...]  # their lines

    @property
    def lines(self) -> tuple[int, ...]:
        """Where each of the pieces begins."""
        return tuple(span.start for span in self.spans)


class Units:
    """The units of a file in which kernels may be found; with ``plain``, in any function."""

    def __init__(self, text: str, pieces: tuple[Definition, ...], plain: bool) -> None:
        self.pieces = pieces
        self.lines = text.split("\n")
        self.plain = plain

    def __iter__(self) -> Iterator[Unit]:
        for position, piece in enumerate(self.pieces):
            if piece.kind in ("function", "class") and self._may_hold_kernels(position):
                yield self._unit(position)

    def text_for(self, units: Collection[Unit]) -> str:
        """The file without the functions and classes that none of the units depends on; lines keep their numbers."""
        needed = {position for unit in units for position in unit.pieces}
        lines = list(self.lines)
        for position, piece in enumerate(self.pieces):
            if position not in needed and self._may_go(position):
                first = self._above(piece)
                lines[first - 1 : piece.end_line] = [""] * (piece.end_line - first + 1)
        return "\n".join(lines)

    def _may_go(self, position: int) -> bool:
        """Whether the file without a piece is still a module: it stands alone, in no block."""
        piece = self.pieces[position]
        beside = self.pieces[max(0, position - 1) : position] + self.pieces[position + 1 : position + 2]
        alone = all(p.end_line < piece.first_line or p.first_line > piece.end_line for p in beside)
        return piece.kind in ("function", "class") and not piece.conditional and alone

    def _unit(self, position: int) -> Unit:
        reached = self._reached(position)
        digest = sha256()
        for each in reached:
            piece = self.pieces[each]
            head = f"{each == position} {piece.kind} {piece.name} {piece.conditional} {piece.binds}\n"
            digest.update((head + self._texts[each] + "\0").encode(errors="surrogatepass"))
        piece = self.pieces[position]
        spans = tuple(range(p.first_line, p.end_line + 1) for p in (self.pieces[each] for each in reached))
        return Unit(piece.first_line, piece.end_line, digest.hexdigest()[:32], reached, spans)

    def _reached(self, position: int) -> tuple[int, ...]:
        """The pieces that can be reached by names from it and from what names it, in the order of the file."""
        reached = {position, *self._stars, *self._naming(position)}
        left = list(reached)
        while left:
            piece = left.pop()
            for other in self._leads_to[piece]:
                if other not in reached:
                    reached.add(other)
                    left.append(other)
        return tuple(sorted(reached))

    def _naming(self, position: int) -> Iterator[int]:
        """The pieces that may call what a piece defines: a helper is judged in its callers."""
        functions = {p.name for p in (self.pieces[position], *_below(self.pieces[position])) if p.kind == "function"}
        return (other for other, words in enumerate(self._words) if words & functions)

    def _may_hold_kernels(self, position: int) -> bool:
        """Decorated, marked by a comment, or named where a call may compile it."""
        every = (self.pieces[position], *_below(self.pieces[position]))
        marked = MARK in self._texts[position]
        named = any(name in self._compiled_elsewhere for piece in every for name, _ in piece.binds)
        return self.plain or marked or named or any(piece.heads for piece in every)

    # -- what leads where -----------------------------------------------------------------------
    @cached_property
    def _texts(self) -> list[str]:
        """The lines of each piece, with the comments right above it, where a pragma may stand."""
        return ["\n".join(self.lines[self._above(piece) - 1 : piece.end_line]) for piece in self.pieces]

    def _above(self, piece: Definition) -> int:
        line = piece.first_line
        while piece.kind in ("function", "class") and line > 1 and self.lines[line - 2].lstrip().startswith("#"):
            line -= 1
        return line

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        """The names of the file that stand in each piece."""
        return [frozenset(_WORD.findall(text)) & self._binding.keys() for text in self._texts]

    @cached_property
    def _binding(self) -> dict[str, list[int]]:
        """Name -> the pieces that bind it, or in which something does: a method, an import, a ``global``."""
        found: dict[str, list[int]] = {}
        for position, piece in enumerate(self.pieces):
            for name in {name for each in (piece, *_below(piece)) for name, _ in each.binds}:
                found.setdefault(name, []).append(position)
        return found

    @cached_property
    def _stars(self) -> list[int]:
        return self._binding.get("*", [])

    @cached_property
    def _compiled_elsewhere(self) -> dict[str, list[int]]:
        """Name -> the pieces that may compile what it means, by a call."""
        found: dict[str, list[int]] = {}
        for position, piece in enumerate(self.pieces):
            for word in frozenset(_WORD.findall(self._calls(piece))) & self._binding.keys():
                found.setdefault(word, []).append(position)
        return found

    def _calls(self, piece: Definition) -> str:
        """The lines of a piece whose calls may compile something: of assignments, and of bodies that speak of it."""
        if piece.kind == "assign" and piece.heads:
            return "\n".join(self.lines[piece.first_line - 1 : piece.end_line])
        body = "\n".join(self.lines[piece.line : piece.end_line])
        if piece.kind in ("function", "class") and may_hold_kernels(body):
            return body
        return "\n".join(map(self._calls, piece.children)) if piece.kind == "class" else ""

    @cached_property
    def _leads_to(self) -> list[frozenset[int]]:
        """The pieces that bind a name of each piece, and those that may compile what it defines."""
        return [
            frozenset(other for word in words for other in self._binding[word])
            | frozenset(other for name in _defined(piece) for other in self._compiled_elsewhere.get(name, ()))
            for piece, words in zip(self.pieces, self._words, strict=True)
        ]


def _defined(piece: Definition) -> tuple[str, ...]:
    return (piece.name,) if piece.kind in ("function", "class") else ()


def _below(piece: Definition) -> Iterator[Definition]:
    for child in piece.children:
        yield child
        yield from _below(child)
