"""What each top-level function or class of a file may depend on in that file, by its outline alone: all definitions
that names in it lead to, calls elsewhere that may compile it (``fast = njit(slow)``), and functions that may call it.
An analysis never reads more: two files that agree in this text agree in the findings of the unit."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property
from hashlib import sha256

from roofscan.budget import spend
from roofscan.frozen import dataclass
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.source import MARK, may_hold_kernels

_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Unit:
    """A top-level function or class; ``digest`` is that of all text of the file that it may depend on."""

    first_line: int
    end_line: int
    digest: str
    definitions: tuple[int, ...]  # what it may depend on, itself included: positions in the outline
    spans: tuple[range, ...]  # their lines

    @property
    def lines(self) -> tuple[int, ...]:
        """Where each of the definitions begins."""
        return tuple(span.start for span in self.spans)


class Units:
    """The units of a file in which kernels may be found; with ``plain``, in any function."""

    def __init__(self, text: str, definitions: tuple[Definition, ...], plain: bool) -> None:
        self.definitions = definitions
        self.lines = text.split("\n")
        self.plain = plain

    def __iter__(self) -> Iterator[Unit]:
        return self.on(range(1, len(self.lines) + 1))

    def on(self, lines: range) -> Iterator[Unit]:
        """Those that stand on one of these lines."""
        for position, definition in enumerate(self.definitions):
            here = definition.first_line < lines.stop and definition.end_line >= lines.start
            if here and definition.kind in ("function", "class") and self._may_hold_kernels(position):
                yield self._unit(position)

    def text_for(self, units: Collection[Unit]) -> str:
        """The file without the functions and classes that none of the units depends on; lines keep their numbers."""
        needed = {position for unit in units for position in unit.definitions}
        lines = list(self.lines)
        for position, definition in enumerate(self.definitions):
            if position not in needed and self._may_go(position):
                first = self._above(definition)
                lines[first - 1 : definition.end_line] = [""] * (definition.end_line - first + 1)
        return "\n".join(lines)

    def _may_go(self, position: int) -> bool:
        """Whether the file is still a module without a definition: it has its lines to itself, in no block."""
        definition = self.definitions[position]
        beside = self.definitions[max(0, position - 1) : position] + self.definitions[position + 1 : position + 2]
        alone = all(p.end_line < definition.first_line or p.first_line > definition.end_line for p in beside)
        return definition.kind in ("function", "class") and not definition.conditional and alone

    def _unit(self, position: int) -> Unit:
        spend(500)
        reached = self._reached(position)
        digest = sha256()
        for each in reached:
            part = self.definitions[each]
            head = f"{each == position} {part.kind} {part.name} {part.conditional} {part.bound}\n"
            digest.update((head + self._texts[each] + "\0").encode(errors="surrogatepass"))
        definition = self.definitions[position]
        spans = tuple(range(p.first_line, p.end_line + 1) for p in (self.definitions[each] for each in reached))
        return Unit(definition.first_line, definition.end_line, digest.hexdigest()[:32], reached, spans)

    def _reached(self, position: int) -> tuple[int, ...]:
        """The definitions that names lead to from it and from what names it, in the order of the file."""
        reached = {position, *self._stars, *self._naming(position)}
        left = list(reached)
        while left:
            definition = left.pop()
            for other in self._leads_to[definition]:
                if other not in reached:
                    reached.add(other)
                    left.append(other)
        return tuple(sorted(reached))

    def _naming(self, position: int) -> Iterator[int]:
        """The definitions that may call what a definition defines: a helper is judged in its callers."""
        here = self.definitions[position]
        functions = {each.name for each in (here, *here.below()) if each.kind == "function"}
        return (other for name in functions for other in self._users.get(name, ()))

    def _may_hold_kernels(self, position: int) -> bool:
        """Decorated, marked by a comment, or named where a call may compile it."""
        every = (self.definitions[position], *self.definitions[position].below())
        marked = MARK in self._texts[position]
        named = any(name in self._compiled_elsewhere for definition in every for name, _ in definition.bound)
        return self.plain or marked or named or any(definition.applied for definition in every)

    # -- what leads where -----------------------------------------------------------------------
    @cached_property
    def _texts(self) -> list[str]:
        """The lines of each definition, with the comments right above it, where a pragma may stand."""
        return ["\n".join(self.lines[self._above(each) - 1 : each.end_line]) for each in self.definitions]

    def _above(self, definition: Definition) -> int:
        line = definition.first_line
        while definition.kind in ("function", "class") and line > 1 and self.lines[line - 2].lstrip().startswith("#"):
            line -= 1
        return line

    @cached_property
    def _words(self) -> list[frozenset[str]]:
        """The names of the file that each definition uses."""
        return [frozenset(_WORD.findall(text)) & self._binding.keys() for text in self._texts]

    @cached_property
    def _users(self) -> dict[str, list[int]]:
        """Name -> the definitions that use it."""
        found: dict[str, list[int]] = {}
        for position, words in enumerate(self._words):
            for word in words:
                found.setdefault(word, []).append(position)
        return found

    @cached_property
    def _binding(self) -> dict[str, list[int]]:
        """Name -> the definitions that bind it, or in which something does: a method, an import, a ``global``."""
        found: dict[str, list[int]] = {}
        for position, definition in enumerate(self.definitions):
            for name in {name for each in (definition, *definition.below()) for name, _ in each.bound}:
                found.setdefault(name, []).append(position)
        return found

    @cached_property
    def _stars(self) -> list[int]:
        return self._binding.get("*", [])

    @cached_property
    def _compiled_elsewhere(self) -> dict[str, list[int]]:
        """Name -> the definitions that may compile what it means, by a call."""
        found: dict[str, list[int]] = {}
        for position, definition in enumerate(self.definitions):
            for word in frozenset(_WORD.findall(self._calls(definition))) & self._binding.keys():
                found.setdefault(word, []).append(position)
        return found

    def _calls(self, definition: Definition) -> str:
        """The lines whose calls may compile something: of an assignment, or of a body that names a compiler."""
        if definition.kind == "assign" and definition.applied:
            return "\n".join(self.lines[definition.first_line - 1 : definition.end_line])
        body = "\n".join(self.lines[definition.line : definition.end_line])
        if definition.kind in ("function", "class") and may_hold_kernels(body):
            return body
        return "\n".join(map(self._calls, definition.children)) if definition.kind == "class" else ""

    @cached_property
    def _leads_to(self) -> list[frozenset[int]]:
        """The definitions that bind a name of each definition, and those that may compile what it defines."""
        return [
            frozenset(other for word in words for other in self._binding[word])
            | frozenset(other for name in _defined(definition) for other in self._compiled_elsewhere.get(name, ()))
            for definition, words in zip(self.definitions, self._words, strict=True)
        ]


def _defined(definition: Definition) -> tuple[str, ...]:
    return (definition.name,) if definition.kind in ("function", "class") else ()
