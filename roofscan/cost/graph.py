"""The dataflow graph of a kernel: its top-level pieces, and the arrays that flow between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roofscan.cost.analyze import top_loops
from roofscan.cost.chains import leaves
from roofscan.cost.counts import flops
from roofscan.cost.result import KernelCost
from roofscan.ir.expr import ONE, ZERO, Expr
from roofscan.ir.kernel import Access, Array, Body, Operation

if TYPE_CHECKING:
    import networkx

SOURCE = "in"
"""The node for the caller before the kernel."""

SINK = "out"
"""The node for the caller after it."""


@dataclass
class _Piece:
    """A top-level piece: its work, the arrays that it reads first, and those that it writes."""

    line: int
    flops: Expr = ZERO
    reads: dict[str, None] = field(default_factory=dict)
    writes: dict[str, None] = field(default_factory=dict)


def dataflow_graph(cost: KernelCost) -> networkx.MultiDiGraph[Any]:
    """Pieces as nodes, keyed by their line, with ``flops`` (Expr); arrays as edges, with ``array`` and ``bytes``.

    An edge leads from the last piece that writes an array to each that reads it before the next write; the
    nodes ``in`` and ``out`` stand for the caller. Several arrays between two pieces are several edges.
    """
    import networkx

    graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph()
    arrays = {a.name: a for a in cost.kernel.arrays}
    last: dict[str, Any] = {}
    for piece in _pieces(cost):
        graph.add_node(piece.line, flops=piece.flops)
        for name in piece.reads:
            origin = last.get(arrays[name].memory, SOURCE)
            graph.add_edge(origin, piece.line, key=name, array=name, bytes=_bytes(arrays[name]))
        for name in piece.writes:
            last[arrays[name].memory] = piece.line
    for array in arrays.values():
        if array.memory in last and array.live_out and array.role != "temporary":
            graph.add_edge(last[array.memory], SINK, key=array.name, array=array.name, bytes=_bytes(array))
    return graph


def _pieces(cost: KernelCost) -> list[_Piece]:
    """Loop nests, and straight-line code as one piece at its first line, in the order of their lines."""
    loops = {loop.line: loop for loop in top_loops(cost.kernel.body)}
    pieces = [_piece((loop,), loop.line) for loop in loops.values()]
    straight = leaves(cost.kernel.body)
    if straight:
        pieces.append(_piece(tuple(straight), straight[0].line))
    for nest in cost.nests:
        line = nest.line if nest.line in loops else straight[0].line
        home = next(piece for piece in pieces if piece.line == line)
        home.flops = home.flops + flops(nest.operations)
    return sorted(pieces, key=lambda piece: piece.line)


def _piece(body: Body, line: int) -> _Piece:
    made = _Piece(line)
    for access in _accesses(body):
        if access.write:
            made.writes[access.array] = None
        elif access.array not in made.writes:
            made.reads[access.array] = None
    return made


def _accesses(body: Body) -> Iterator[Access]:
    for node in body:
        if isinstance(node, Access):
            yield node
        elif not isinstance(node, Operation):
            yield from _accesses(node.body)


def _bytes(array: Array) -> Expr:
    size = ONE * array.dtype.size
    for extent in array.shape:
        size = size * extent
    return size
