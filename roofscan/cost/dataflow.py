"""The dataflow graph of a kernel: its operations, and the arrays that flow between them.

An operation is a whole-array operation, a written loop nest, or the scalar code between them. A loop around
whole-array operations is no operation: the graph shows one turn of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from roofscan.cost.counts import ExecutionCounts, flops, operations
from roofscan.cost.result import KernelCost
from roofscan.cost.transform.array_operation import array_operation, covers, described
from roofscan.cost.transform.fuse_expressions import groups_of_loops
from roofscan.cost.transform.fuse_loops import made_in, runs_of_loops, used_in
from roofscan.ir.kernel import Access, Array, Body, Branch, Kernel, Loop, Node, Operation, When
from roofscan.ir.visitor import leaves
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol

if TYPE_CHECKING:
    import networkx

SOURCE = "in"
"""The node for the caller before the kernel."""

SINK = "out"
"""The node for the caller after it."""


@dataclass(frozen=True)
class Vertex:
    """An operation: its work over the whole kernel, and the group of operations that one loop could do ("": none)."""

    name: str
    line: int
    label: str
    flops: Expr = ZERO
    group: str = ""


@dataclass(frozen=True)
class Edge:
    """An array that one operation writes and another reads, and its size; without a name: a number in a register."""

    start: str
    end: str
    array: str
    bytes: Expr
    temporary: bool = False


@dataclass(frozen=True)
class Flow:
    """The graph as plain data, operations in the order of the source; edges also from ``in`` and to ``out``."""

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The operations of each group, by its name."""
        names = dict.fromkeys(v.group for v in self.vertices if v.group)
        return {name: tuple(v.name for v in self.vertices if v.group == name) for name in names}


@dataclass
class _Piece:
    """An operation's nodes, all of one line."""

    line: int
    label: str
    nodes: list[Node] = field(default_factory=list)
    is_library: bool = False

    @property
    def loops(self) -> list[str]:
        return [node.var for node in self.nodes if isinstance(node, Loop)]

    def add(self, node: Node) -> None:
        self.nodes.append(node)
        if isinstance(node, Operation) and node.library:
            self.label, self.is_library = node.library, True
        elif isinstance(node, Loop):
            written = next((a.array for a in leaves((node,)) if isinstance(a, Access) and a.write), "")
            self.label = f"{written} = {self.label}" if written else self.label


def flow_of(cost: KernelCost) -> Flow:
    """The graph of a kernel, with counts at its witness."""
    pieces = list(_pieces(cost.kernel.body))
    work, groups = _work(cost, pieces), _groups(cost.kernel)
    edges = (*_edges(cost.kernel, pieces), *_numbers(pieces))
    joined = {name for e in edges for name in (e.start, e.end)}
    vertices = tuple(
        Vertex(_name(k), piece.line, piece.label, work[k], next((groups[v] for v in piece.loops if v in groups), ""))
        for k, piece in enumerate(pieces)
        if work[k] or _name(k) in joined
    )
    return Flow(_without_lone_groups(vertices), edges)


def _name(number: int) -> str:
    return f"op{number + 1}"


def dataflow_graph(cost: KernelCost) -> networkx.MultiDiGraph[Any]:
    """The same for networkx. Nodes have ``line``, ``label``, ``flops`` and ``group``, edges ``array``, ``bytes``
    and ``temporary``; several arrays between two operations are several edges, keyed by the array."""
    import networkx

    flow = flow_of(cost)
    graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph()
    for v in flow.vertices:
        graph.add_node(v.name, line=v.line, label=v.label, flops=v.flops, group=v.group)
    for e in flow.edges:
        graph.add_edge(e.start, e.end, key=e.array, array=e.array, bytes=e.bytes, temporary=e.temporary)
    return graph


# -- operations ---------------------------------------------------------------------------------------


def _pieces(body: Body) -> Iterator[_Piece]:
    """The operations of a body in order; a library call's reads, work and result are one."""
    current: _Piece | None = None
    for node in body:
        if _is_container(node):
            if current:
                yield current
            current = None
            assert isinstance(node, (Loop, When, Branch))
            yield from _pieces(node.body)
            continue
        if current and _belongs(current, node):
            current.add(node)
            continue
        if current:
            yield current
        current = _Piece(node.line, _label(node), [node], isinstance(node, Operation) and bool(node.library))
    if current:
        yield current


def _is_container(node: Node) -> bool:
    """A condition, or a loop around whole-array operations."""
    if isinstance(node, Loop):
        return not node.array_expression and any(_holds_array_work(inner) for inner in node.body)
    return isinstance(node, (When, Branch))


def _holds_array_work(node: Node) -> bool:
    if isinstance(node, Loop):
        return node.array_expression or any(_holds_array_work(inner) for inner in node.body)
    if isinstance(node, (When, Branch)):
        return any(_holds_array_work(inner) for inner in node.body)
    return isinstance(node, Operation) and bool(node.library)


def _belongs(piece: _Piece, node: Node) -> bool:
    """Whether a node goes on with an operation: scalar code with scalar code; in one line a library's work and its
    result with the walks over its operands, and the result of a reduction with the reduction."""
    if not any(map(_is_loop, piece.nodes)) and not piece.is_library:
        return not _is_loop(node) and not (isinstance(node, Operation) and node.library)
    if node.line != piece.line or any(a.write for a in leaves(tuple(piece.nodes)) if isinstance(a, Access)):
        return False
    return isinstance(node, Operation) or _is_bare(node)


def _is_loop(node: Node) -> bool:
    return isinstance(node, Loop)


def _is_bare(node: Node) -> bool:
    """A walk that only reads, or only writes: a part of a library call or of a reduction."""
    nest = array_operation(node)
    return nest is not None and not nest.operations and bool(nest.reads) != bool(nest.writes)


def _label(node: Node) -> str:
    nest = array_operation(node)
    if nest is not None and nest.writes:
        return f"{nest.writes[0].array} = {described(nest)}"
    if nest is not None:
        return f"reduction of {', '.join(dict.fromkeys(a.array for a in nest.reads))}"
    if isinstance(node, Loop):
        return f"loop over {node.source_name or node.var.partition('#')[0]}"
    return (node.library if isinstance(node, Operation) else "") or "scalar code"


def _work(cost: KernelCost, pieces: list[_Piece]) -> list[Expr]:
    """The FLOPs of every piece."""
    home = {leaf.id: k for k, piece in enumerate(pieces) for leaf in leaves(tuple(piece.nodes))}
    executions = ExecutionCounts(cost.kernel, Chamber(cost.sample_point, cost.kernel.least_values))
    totals = [ZERO] * len(pieces)
    for visit in executions.visits:
        mine = {home[n.id] for n in visit.body if isinstance(n, Operation)}
        for k in mine:
            part = tuple(n for n in visit.body if isinstance(n, Operation) and home[n.id] == k)
            totals[k] = totals[k] + flops(operations(executions, [replace(visit, body=part)]))
    return totals


def _groups(kernel: Kernel) -> dict[str, str]:
    """The name of the group of every loop that could be a part of a larger one."""
    found: dict[str, str] = {}
    own = groups_of_loops(kernel)
    for number, loops in enumerate(own):
        found.update(dict.fromkeys(loops, f"expression {number + 1}"))
    for number, run in enumerate(runs_of_loops(kernel)):
        inside = set(run) | {var for loops in own if set(loops) & set(run) for var in loops}
        found.update(dict.fromkeys(inside, f"loops {number + 1}"))
    return found


def _without_lone_groups(vertices: tuple[Vertex, ...]) -> tuple[Vertex, ...]:
    counts = [v.group for v in vertices]
    return tuple(v if counts.count(v.group) > 1 else replace(v, group="") for v in vertices)


# -- arrays -------------------------------------------------------------------------------------------


def _edges(kernel: Kernel, pieces: list[_Piece]) -> Iterator[Edge]:
    """From the last operation that writes an array to each that reads it before the next write, or writes a part of it
    and lets the rest pass."""
    arrays = {a.name: a for a in kernel.arrays}
    last: dict[str, str] = {}
    for number, piece in enumerate(pieces):
        name = _name(number)
        reads: dict[str, None] = {}
        writes: dict[str, None] = {}
        for access in (n for n in leaves(tuple(piece.nodes)) if isinstance(n, Access)):
            if access.write:
                writes[access.array] = None
                if arrays[access.array].memory in last and not _fills(piece, arrays[access.array]):
                    reads[access.array] = None
            elif access.array not in writes:
                reads[access.array] = None
        yield from (_edge(last.get(arrays[a].memory, SOURCE), name, arrays[a]) for a in reads)
        last.update((arrays[a].memory, name) for a in writes)
    for array in kernel.arrays:
        if array.memory in last and array.live_out:
            yield _edge(last[array.memory], SINK, array)


def _fills(piece: _Piece, array: Array) -> bool:
    """Whether an operation surely writes every element of an array."""
    nests = [nest for node in piece.nodes if (nest := array_operation(node))]
    return any(
        w.array == array.name and w.index == tuple(symbol(loop.var) for loop in nest.loops)
        and covers(nest.loops, array.shape)
        for nest in nests for w in nest.writes
    )  # fmt: skip


def _numbers(pieces: list[_Piece]) -> Iterator[Edge]:
    """From the operation that makes a number (a sum, a norm) to each other one that takes it."""
    home = {i: number for number, piece in enumerate(pieces) for i in made_in(tuple(piece.nodes))}
    for number, piece in enumerate(pieces):
        taken = sorted({home[i] for i in used_in(tuple(piece.nodes)) if i in home})
        yield from (Edge(_name(k), _name(number), "", ZERO) for k in taken if k != number)


def _edge(start: str, end: str, array: Array) -> Edge:
    size = ONE * array.dtype.size
    for extent in array.shape:
        size = size * extent
    return Edge(start, end, array.name, size, array.role == "temporary" and not array.live_out)
