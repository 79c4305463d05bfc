"""The definitions of a module by line ranges: what an outline holds, whichever parser it comes from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from roofscan.frozen import dataclass

DefinitionKind = Literal["function", "class", "import", "assign", "other"]

MAX_DEPTH = 150  # the deepest nesting of syntax that is read: the converters recurse over it


@dataclass(frozen=True)
class Definition:
    """Lines ``first_line`` to ``end_line`` (1-based, both included) of a module, which are read at once. ``bound`` are
    the names that it bound, each with its dotted origin for imports ("" otherwise). ``applied`` are the dotted names of
    its decorators or, for an assignment, of what its value calls (``njit(cache=True)(f)``: njit). ``children`` are the
    definitions of a class's body; those of a function are the definitions, imports and ``global`` statements in it."""

    kind: DefinitionKind
    name: str
    first_line: int  # of the first decorator
    line: int  # of the def, class or statement itself
    end_line: int
    bound: tuple[tuple[str, str], ...] = ()
    applied: tuple[str, ...] = ()
    children: tuple["Definition", ...] = ()
    conditional: bool = False  # stands in an if, try, for … : may not run, or run often
    too_deep: bool = False
    header_end: int = 0  # of a def or class: the line before its body's first

    def below(self) -> Iterator["Definition"]:
        for child in self.children:
            yield child
            yield from child.below()


DefinitionPath = tuple[Definition, ...]  # a definition with those around it, outermost first


def join_lines(definitions: Iterable[Definition]) -> tuple[Definition, ...]:
    """The definitions, those that share a line (``a = 1; b = 2``) widened so that each covers whole statements."""
    groups: list[list[Definition]] = []
    for definition in definitions:
        if groups and definition.first_line <= groups[-1][-1].end_line:
            groups[-1].append(definition)
        else:
            groups.append([definition])
    return tuple(
        replace(definition, first_line=group[0].first_line, end_line=group[-1].end_line) if group[1:] else definition
        for group in groups
        for definition in group
    )


def dotted_import(module: str, level: int, name: str) -> str:
    """The origin of ``from ..module import name``: ``..module.name``."""
    return "." * level + (f"{module}.{name}" if module else name)
