"""The dataflow graph as reports show it: operations with their work, arrays with their sizes, and fusion groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

from roofscan.cost.counts import ExecutionCounts, flops, operations
from roofscan.cost.dataflow import Dataflow, FlowOperation
from roofscan.cost.result import KernelCost
from roofscan.cost.transform.fuse_expressions import groups_of_loops
from roofscan.cost.transform.fuse_loops import runs_of_loops
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Operation
from roofscan.ir.visitor import leaves
from roofscan.symbolic.chamber import Chamber
from roofscan.symbolic.expr import ZERO, Expr

if TYPE_CHECKING:
    import networkx

SOURCE = "in"  # the node for the caller before the kernel
SINK = "out"  # the node for the caller after it


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
    """Operations in the order of the source, and the edges between them, from ``in`` and to ``out``."""

    vertices: tuple[Vertex, ...]
    edges: tuple[Edge, ...]

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        names = dict.fromkeys(v.group for v in self.vertices if v.group)
        return {name: tuple(v.name for v in self.vertices if v.group == name) for name in names}

    def graph(self) -> networkx.MultiDiGraph[Any]:
        """The same for networkx. Nodes have ``line``, ``label``, ``flops`` and ``group``, edges ``array``, ``bytes``
        and ``temporary``; several arrays between two operations are several edges, keyed by the array."""
        import networkx  # heavy

        graph: networkx.MultiDiGraph[Any] = networkx.MultiDiGraph()
        for v in self.vertices:
            graph.add_node(v.name, line=v.line, label=v.label, flops=v.flops, group=v.group)
        for e in self.edges:
            graph.add_edge(e.start, e.end, key=e.array, array=e.array, bytes=e.bytes, temporary=e.temporary)
        return graph


def flow_of(cost: KernelCost) -> Flow:
    dataflow = Dataflow.of(cost.kernel)
    work, groups = _work(cost, dataflow.operations), _groups(cost.kernel)
    edges = tuple(_edges(dataflow, cost.kernel))
    joined = {name for e in edges for name in (e.start, e.end)}
    vertices = [
        Vertex(_name(k), operation.line, operation.label, work[k], _group(operation, groups))
        for k, operation in enumerate(dataflow.operations)
        if work[k] or _name(k) in joined
    ]
    members = [v.group for v in vertices]
    return Flow(tuple(v if members.count(v.group) > 1 else replace(v, group="") for v in vertices), edges)


def _name(number: int | None) -> str:
    return SOURCE if number is None else f"op{number + 1}"


def _edges(dataflow: Dataflow, kernel: Kernel) -> Iterator[Edge]:
    """Each array from the last operation that writes it to each that needs it, then the numbers in registers."""
    for number in range(len(dataflow.operations)):
        for name in dataflow.arrays_into(number):
            array = kernel.array(name)
            yield _edge(_name(dataflow.producer(array.memory, number)), _name(number), array)
    for array in kernel.arrays:
        last = dataflow.producer(array.memory, len(dataflow.operations))
        if last is not None and array.live_out:
            yield _edge(_name(last), SINK, array)
    yield from (Edge(_name(maker), _name(taker), "", ZERO) for maker, taker in dataflow.numbers())


def _edge(start: str, end: str, array: Array) -> Edge:
    size = prod(array.shape, start=Expr.of(array.dtype.size))
    return Edge(start, end, array.name, size, array.role == "temporary" and not array.live_out)


def _work(cost: KernelCost, pieces: Sequence[FlowOperation]) -> list[Expr]:
    home = {leaf.id: k for k, piece in enumerate(pieces) for leaf in leaves(piece.body)}
    executions = ExecutionCounts(cost.kernel, Chamber(cost.sample_point, cost.kernel.least_values))
    totals = [ZERO] * len(pieces)
    for domain in executions.domains:
        mine = {home[n.id] for n in domain.body if isinstance(n, Operation)}
        for k in mine:
            part = tuple(n for n in domain.body if isinstance(n, Operation) and home[n.id] == k)
            totals[k] = totals[k] + flops(operations(executions, [replace(domain, body=part)]))
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


def _group(operation: FlowOperation, groups: Mapping[str, str]) -> str:
    return next((groups[var] for var in operation.loops if var in groups), "")
