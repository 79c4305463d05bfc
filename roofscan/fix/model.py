"""What a fix is, and what it must know of the function that it changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

import libcst as cst

from roofscan.finding import Finding
from roofscan.fix.source import SourceTree
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop

Safety = Literal["safe", "unsafe"]
"""``safe``: the same bits for all arguments (under the assumptions that are named). ``unsafe``: rounding, errors, the
threads or the interface may change."""

_NUMBER = re.compile(r"\d+")
_LINES = re.compile(r"\blines? \d+(?:(?:, | and )\d+)*")


@dataclass(frozen=True)
class Site:
    """A finding, the kernel that it refers to, and the function's node in a fresh parse."""

    finding: Finding
    kernel: Kernel
    source: SourceTree
    function: cst.FunctionDef
    is_bound: bool = False  # whether the user gave all sizes
    outlined: bool = False  # whether loops go into a function of their own, which takes numbers and flat arrays

    def nodes_of(self, loops: Sequence[Loop]) -> tuple[cst.For, ...]:
        """The ``for`` statements of loops; () where one of them is not in this function."""
        named = [(loop.line, loop.source_name) for loop in loops if loop.source_name and not loop.is_elsewhere]
        found = tuple(n for line, name in named if (n := self.source.loop_at(self.function, line, name)) is not None)
        return found if len(found) == len(loops) else ()

    def loops_named(self) -> tuple[cst.For, ...]:
        """The ``for`` statements that the finding is about."""
        finding = self.finding
        places = ((line, name) for line in finding.lines or (finding.line,) for name in finding.subject.names)
        found = (self.source.loop_at(self.function, line, name) for line, name in places)
        return tuple(dict.fromkeys(node for node in found if node is not None))


@dataclass(frozen=True)
class Fix:
    """One change: the file afterwards, and what to say of it."""

    site: Site
    module: cst.Module
    what: str  # imperative: "make j the innermost loop"
    safety: Safety = "safe"
    why_unsafe: str = ""
    assumptions: tuple[str, ...] = ()  # that a safe fix needs: "A and C do not overlap"
    option: str = ""  # of the decorator, that it sets
    moves_others: bool = False  # whether the functions above stand on other lines afterwards

    @property
    def describes(self) -> str:
        """One line for the head of a diff."""
        return self.describes_by(lambda line: line)

    def describes_by(self, moved: Callable[[int], int]) -> str:
        """The same with other lines, as those of the file before any change."""
        finding = self.site.finding
        what = _LINES.sub(lambda lines: _NUMBER.sub(lambda n: str(moved(int(n[0]))), lines[0]), self.what)
        notes = [f"unsafe: {self.why_unsafe}" if self.safety == "unsafe" else "safe"]
        notes += [f"assumes {text}" for text in self.assumptions]
        place = f"{finding.path}:{moved(finding.line)}"
        return f"{place}: {finding.code} {finding.kernel}: {what} ({'; '.join(notes)})"
