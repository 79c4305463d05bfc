"""The form to write, a few lines: loops by their names in the source, rows as views, the body where it can be told.

Under Numba an innermost loop has vector code where it walks rows from a constant start: ``c = C[i]`` before it, and
``c[j]`` in it. Indices that start at a variable (``range(ii, …)``) may be negative for all that the compiler knows,
so only outer loops run in blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from roofscan.cost.transform.nest import Nest, accesses, leaves
from roofscan.ir.expr import ONE, Expr
from roofscan.ir.kernel import Access, Body, Kernel, Loop, Operation

INDENT = "    "
_SIGNS = {"add": (" + ", 1), "sub": (" - ", 1), "mul": (" * ", 2), "div": (" / ", 2)}
_AS_BEFORE = "...  # the body as it is"


@dataclass(frozen=True)
class Block:
    """A loop to run in blocks: its position in the nest, and their size."""

    position: int
    size: int


def form(kernel: Kernel, nest: Nest, block: Block | None = None) -> str:
    """The nest as source."""
    return "\n".join(_Writer(kernel, nest).lines(block))


class _Writer:
    def __init__(self, kernel: Kernel, nest: Nest) -> None:
        self._kernel = kernel
        self._nest = nest
        self._names = {loop.var: Expr.of(loop.source_name or loop.var) for loop in nest.loops}
        self._views = dict(self._rows())

    def lines(self, block: Block | None) -> Iterator[str]:
        depth = 0
        if block is not None:
            loop = self._nest.loops[block.position]
            name, step = loop.source_name, loop.step * block.size
            yield self._head(loop, name * 2, str(step))
            depth = 1
        for position, loop in enumerate(self._nest.loops):
            if position == len(self._nest.loops) - 1:
                yield from (f"{INDENT * depth}{name} = {row}" for row, name in self._views.items())
            if block is not None and position == block.position:
                end = f"min({name * 2} + {step}, {self._text(loop.stop)})"
                yield f"{INDENT * depth}for {name} in range({name * 2}, {end}):"
            else:
                yield INDENT * depth + self._head(loop, loop.source_name, str(loop.step))
            depth += 1
        yield from (INDENT * depth + line for line in self._statements())

    def _head(self, loop: Loop, name: str, step: str) -> str:
        start, stop = self._text(loop.start), self._text(loop.stop)
        if step != "1":
            return f"for {name} in range({start}, {stop}, {step}):"
        return f"for {name} in range({stop}):" if start == "0" else f"for {name} in range({start}, {stop}):"

    def _text(self, expr: Expr) -> str:
        return str(expr.subs(self._names))

    # -- rows ---------------------------------------------------------------------------------
    def _rows(self) -> Iterator[tuple[str, str]]:
        """A name for each row that the innermost loop walks, for arrays of which it walks one."""
        rows: dict[str, set[str]] = {}
        for access in accesses(self._nest.body):
            rows.setdefault(access.array, set()).add(self._row_of(access))
        for array, places in rows.items():
            [row] = places if len(places) == 1 else [""]
            if row:
                yield row, self._fresh(array)

    def _fresh(self, array: str) -> str:
        names = {*self._kernel.parameters, *(a.name for a in self._kernel.arrays), *map(str, self._names.values())}
        names |= {s.name for s in self._kernel.symbols}
        return array.lower() if array.lower() not in names else f"{array}_row"

    def _row_of(self, access: Access) -> str:
        """The row of a C-ordered array that an access walks, as source; "" where it walks none."""
        *around, last = access.index
        moving = self._nest.variables[-1]
        if not around or last is None or moving not in last.symbols:
            return ""
        if self._kernel.array(access.array).strides[-1] != ONE or "." in access.array:
            return ""
        if any(e is None or moving in e.symbols for e in around):
            return ""
        return f"{access.array}[{', '.join(self._text(e) for e in around if e is not None)}]"

    # -- statements ---------------------------------------------------------------------------
    def _statements(self) -> list[str]:
        try:
            return list(statements(self._nest.body, self._place))
        except LookupError:
            rows = ", ".join(f"{name} for {row}" for row, name in self._views.items())
            return [f"{_AS_BEFORE}, with {rows}" if rows else _AS_BEFORE]

    def _place(self, access: Access) -> str:
        if any(e is None for e in access.index):
            raise LookupError(access.array)
        texts = [self._text(e) for e in access.index if e is not None]
        view = self._views.get(self._row_of(access))
        return f"{view}[{texts[-1]}]" if view else f"{access.array}[{', '.join(texts)}]"


def statements(body: Body, place: Callable[[Access], str]) -> Iterator[str]:
    """Assignments to elements, as source; LookupError where the tree does not hold all (constants, branches)."""
    if not all(isinstance(node, (Access, Operation)) for node in body):
        raise LookupError("a loop or a branch")
    nodes = {node.id: node for node in leaves(body)}

    def text(number: int) -> tuple[str, int]:
        """The source of a value, and how strongly its parts hold together."""
        node = nodes[number]
        if isinstance(node, Access):
            return place(node), 3
        sign, rank = _SIGNS[node.kind]
        left, right = (text(i) for i in _two(node.inputs))
        return f"{_bracketed(*left, rank)}{sign}{_bracketed(*right, rank + 1)}", rank

    for node in body:
        if isinstance(node, Access) and node.write:
            yield _assignment(place(node), nodes[_one(node.inputs)], nodes, place, text)


def _assignment(
    target: str,
    value: Access | Operation,
    nodes: dict[int, Access | Operation],
    place: Callable[[Access], str],
    text: Callable[[int], tuple[str, int]],
) -> str:
    if isinstance(value, Operation) and value.kind in _SIGNS:
        first, second = _two(value.inputs)
        left = nodes[first]
        if isinstance(left, Access) and place(left) == target:
            return f"{target} {_SIGNS[value.kind][0].strip()}= {text(second)[0]}"
    return f"{target} = {text(value.id)[0]}"


def _one(inputs: tuple[int, ...]) -> int:
    if len(inputs) != 1:
        raise LookupError("a constant")
    return inputs[0]


def _two(inputs: tuple[int, ...]) -> tuple[int, int]:
    if len(inputs) != 2:
        raise LookupError("a constant")
    return inputs[0], inputs[1]


def _bracketed(text: str, own: int, needed: int) -> str:
    return text if own >= needed else f"({text})"
