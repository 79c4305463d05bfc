"""The form to write: loops by their names in the source, rows as views, the body where it is known. Under Numba an
innermost loop has vector code where it walks rows from 0 or 1 (``c = C[i]``, ``c[j]``): an index that starts elsewhere
may be negative for all that the compiler knows. So only outer loops run in blocks, and rows begin where the walk does
(``c = C[i, k:]``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count

from roofscan.cost.transform.interchange import invariant_reads
from roofscan.cost.transform.nest import Nest
from roofscan.cost.transform.tile import Tile
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Loop, Operation
from roofscan.ir.visitor import accesses, leaves
from roofscan.symbolic.expr import ONE, ZERO, Expr

INDENT = "    "
_SIGNS = {"add": (" + ", 1), "sub": (" - ", 1), "mul": (" * ", 2), "div": (" / ", 2)}
_AS_BEFORE = "...  # the body as it is"


def form(kernel: Kernel, nest: Nest, block: Tile | None = None) -> str:
    return "\n".join(_Writer(kernel, nest).lines(block))


class _Writer:
    def __init__(self, kernel: Kernel, nest: Nest) -> None:
        self._kernel = kernel
        self._nest = nest
        self._names = {loop.var: Expr.of(loop.source_name or loop.var) for loop in nest.loops}
        self._taken = {*kernel.parameters, *(a.name for a in kernel.arrays), *(s.name for s in kernel.symbols)}
        self._taken |= {loop.source_name for loop in nest.loops}
        self._once = {access: self._fresh(access.array, "value") for access in invariant_reads(kernel, nest)}
        self._from: Expr | None = None  # where views begin, so that the innermost loop begins at 0
        self._views = dict(self._rows())
        if self._may_start_at_0():
            self._from = self._nest.loops[-1].start
            self._views = {f"{row[:-1]}, {self._text(self._from)}:]": name for row, name in self._views.items()}

    def _may_start_at_0(self) -> bool:
        """Whether the innermost loop starts elsewhere, and views show all that it moves, each from the same place."""
        last = self._nest.loops[-1]
        if last.start in (ZERO, ONE) or last.step != ONE:
            return False
        try:
            list(statements(self._nest.body, self._element))
        except LookupError:
            return False
        moved = [a for a in accesses(self._nest.body) if any(e and last.var in e.symbols for e in a.index)]
        return all(self._row_of(a) in self._views and a.index[-1] == Expr.of(last.var) for a in moved)

    def lines(self, block: Tile | None) -> Iterator[str]:
        depth = 0
        for position, loop in enumerate(self._nest.loops):
            if block is not None and position == block.outside:
                cut = self._nest.loops[block.position]
                yield INDENT * depth + self._head(cut, cut.source_name * 2, str(cut.step * block.size))
                depth += 1
            if position == len(self._nest.loops) - 1:
                yield from (f"{INDENT * depth}{name} = {self._element(a)}" for a, name in self._once.items())
                yield from (f"{INDENT * depth}{name} = {row}" for row, name in self._views.items())
            if block is not None and position == block.position:
                name, begin = loop.source_name, loop.source_name * 2
                end = f"min({begin} + {loop.step * block.size}, {self._text(loop.stop)})"
                step = "" if loop.step == ONE else f", {loop.step}"
                yield f"{INDENT * depth}for {name} in range({begin}, {end}{step}):"
            elif self._from is not None and position == len(self._nest.loops) - 1:
                begin = _bracketed(self._text(self._from), int(len(self._from.terms) == 1), 1)
                yield f"{INDENT * depth}for {loop.source_name} in range({self._text(loop.stop)} - {begin}):"
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
            if access in self._once:
                continue
            rows.setdefault(access.array, set()).add(self._row_of(access))
        for array, places in rows.items():
            [row] = places if len(places) == 1 else [""]
            if row:
                yield row, self._fresh(array, "row")

    def _fresh(self, array: str, what: str) -> str:
        """A name for a row or a value of an array: ``a`` of A, else ``A_row``, ``A_row1`` …"""
        names = chain((array.lower(), f"{array}_{what}"), (f"{array}_{what}{number}" for number in count(1)))
        name = next(name for name in names if name not in self._taken)
        self._taken.add(name)
        return name

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
        begin = "" if self._from is None else f", {self._text(self._from)}:"
        return f"{access.array}[{', '.join(self._text(e) for e in around if e is not None)}{begin}]"

    # -- statements ---------------------------------------------------------------------------
    def _statements(self) -> list[str]:
        try:
            return list(statements(self._nest.body, self._place))
        except LookupError:
            short = [(name, self._element(access)) for access, name in self._once.items()]
            short += [(name, row) for row, name in self._views.items()]
            renamed = ", ".join(f"{name} for {place}" for name, place in short)
            return [f"{_AS_BEFORE}, with {renamed}" if renamed else _AS_BEFORE]

    def _place(self, access: Access) -> str:
        view = self._views.get(self._row_of(access))
        if view and access.index[-1] is not None:
            return f"{view}[{self._text(access.index[-1])}]"
        return self._once.get(access) or self._element(access)

    def _element(self, access: Access) -> str:
        if any(e is None for e in access.index):
            raise LookupError(access.array)
        return f"{access.array}[{', '.join(self._text(e) for e in access.index if e is not None)}]"


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
