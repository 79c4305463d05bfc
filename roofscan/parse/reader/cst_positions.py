"""Where the nodes of a small LibCST tree stand in the file."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from types import TracebackType

import libcst as cst
from libcst._nodes.internal import CodegenState  # LibCST's position providers are subclasses of it too

from roofscan.parse.syntax import Place


class Positions:
    """Maps nodes to places. ``text`` is what the tree was parsed from, ``line`` the file's line of its first line.

    LibCST knows positions only by writing the tree out again. Its providers do that with much bookkeeping;
    counting characters alone is about five times as fast, and a linter runs on every pause of typing.
    """

    def __init__(self, module: cst.Module, text: str, line: int) -> None:
        state = _Offsets(module)
        module._codegen(state)
        self._module = module  # which keeps its nodes, and with them their ids
        self._spans = state.spans
        self._starts = [0, *accumulate(len(part) + 1 for part in text.split("\n"))]
        self._line = line

    def __call__(self, node: cst.CSTNode) -> Place:
        start, end = self._spans[id(node)]
        first = bisect_right(self._starts, start) - 1
        last = bisect_right(self._starts, end) - 1
        return Place(first + self._line, start - self._starts[first], last + self._line, end - self._starts[last])


class _Offsets(CodegenState):
    """Notes the offsets, in characters, between which each node is written, without the space around it."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(module.default_indent, module.default_newline)
        self.offset = 0
        self.open: list[int] = []
        self.spans: dict[int, tuple[int, int]] = {}  # by id: hashing a node takes longer

    def add_indent_tokens(self) -> None:
        self.offset += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.offset += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.open.append(self.offset)

    def after_codegen(self, node: cst.CSTNode) -> None:
        start = self.open.pop()
        self.spans.setdefault(id(node), (start, self.offset))  # known, if the node said more exactly where it is

    def record_syntactic_position(  # type: ignore[override]  # any context manager will do
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recorder:
        return _Recorder(self, node, start_node, end_node)


class _Recorder:
    __slots__ = ("end_node", "node", "start", "start_node", "state")

    def __init__(
        self, state: _Offsets, node: cst.CSTNode, start_node: cst.CSTNode | None, end_node: cst.CSTNode | None
    ) -> None:
        self.state, self.node, self.start_node, self.end_node = state, node, start_node, end_node
        self.start = state.offset

    def __enter__(self) -> None:
        self.start = self.state.offset

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            return
        spans, end = self.state.spans, self.state.offset
        start = spans[id(self.start_node)][0] if self.start_node is not None else self.start
        spans[id(self.node)] = (start, spans[id(self.end_node)][1] if self.end_node is not None else end)
