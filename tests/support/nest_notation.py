"""Loop nests in a few lines of text, for tests of the reuse model.

A[n,m] B[m,n]F            arrays, with ``F`` in Fortran order, ``:f4`` of that type, ``@i`` fresh in loop i
for i 0 n                 a loop: variable, start, stop, step (1 if left out)
  when i-1 >= 0           a condition on loop variables (also ``==``)
    A[i,j] B[j,i]=        accesses in the order of touches; ``=`` is a write, ``+=`` a read and a write
"""

from __future__ import annotations

import re

from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Node
from tests.support.kernel_builder import Build, Text

_ARRAY = re.compile(r"(?P<name>\w+)\[(?P<dims>[^\]]*)\](?P<fortran>F?)(:(?P<dtype>\w+))?(@(?P<fresh>\w+))?")
_ACCESS = re.compile(r"(?P<name>\w+)\[(?P<index>[^\]]*)\](?P<mode>\+?=)?")


def nest(text: str) -> Kernel:
    """The kernel of a text as described above."""
    first, *lines = [line for line in text.strip("\n").splitlines() if line.strip()]
    build = Build()
    for match in _ARRAY.finditer(first):
        _declare(build, match)
    nodes = _Reader(build, lines).body(_depth(lines[0]))
    return build.kernel(*nodes)


def _declare(build: Build, match: re.Match[str]) -> None:
    dims = match["dims"].split(",")
    strides: list[str] | None = None
    if match["fortran"]:
        strides = ["*".join(f"({d})" for d in dims[:n]) or "1" for n in range(len(dims))]
    fresh = tuple((match["fresh"] or "").split()) if match["fresh"] else ()
    build.array(match["name"], *dims, dtype=match["dtype"] or "f8", strides=strides, fresh_in=fresh)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


class _Reader:
    def __init__(self, build: Build, lines: list[str]) -> None:
        self._build = build
        self._lines = lines
        self._at = 0

    def body(self, depth: int) -> list[Node]:
        nodes: list[Node] = []
        while self._at < len(self._lines) and _depth(self._lines[self._at]) == depth:
            words = self._lines[self._at].split()
            self._at += 1
            if words[0] == "for":
                nodes.append(self._loop(words, depth))
            elif words[0] == "when":
                nodes.append(self._when(words))
            else:
                nodes += self._accesses(" ".join(words))
        return nodes

    def _inner(self) -> list[Node]:
        return self.body(_depth(self._lines[self._at]))

    def _loop(self, words: list[str], depth: int) -> Node:
        step: Text = words[4] if len(words) > 4 else 1
        return self._build.loop(words[1], words[2], words[3], *self._inner(), step=step)

    def _when(self, words: list[str]) -> Node:
        relation = {">=": "ge", "==": "eq"}[words[2]]
        return self._build.when([(f"({words[1]})-({words[3]})", relation)], *self._inner())

    def _accesses(self, text: str) -> list[Node]:
        nodes: list[Node] = []
        for match in _ACCESS.finditer(text):
            index = match["index"].split(",")
            if match["mode"] != "=":
                nodes.append(self._build.read(match["name"], *index))
            if match["mode"]:
                nodes.append(self._build.write(match["name"], *index))
        return nodes
