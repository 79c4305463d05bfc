"""The dataflow graph of a kernel: whole-array operations, written loop nests and the scalar code between them, with the
arrays that they read and write. A loop around whole-array operations is no operation: the graph shows one iteration of
it. Importing networkx takes 90 ms, so it is imported here, when the graph of the first kernel of several nests is
built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from roofscan.cost.transform.array_operation import array_operation, covers, described
from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.kernel import Kernel
from roofscan.ir.launch import LaunchWork
from roofscan.ir.tree import Body, Branch, Loop, Node, Operation, When
from roofscan.ir.visitor import accesses, leaves, loops, walk
from roofscan.symbolic.expr import symbol

if TYPE_CHECKING:
    import networkx


@dataclass
class FlowOperation:
    """The nodes of one operation, all of one line."""

    line: int
    label: str
    nodes: list[Node] = field(default_factory=list)
    is_library: bool = False

    @property
    def body(self) -> Body:
        return tuple(self.nodes)

    @property
    def loops(self) -> tuple[str, ...]:
        return tuple(node.var for node in self.nodes if isinstance(node, Loop))

    def add(self, node: Node) -> None:
        self.nodes.append(node)
        if isinstance(node, Operation) and node.library:
            self.label, self.is_library = node.library, True
        elif isinstance(node, Loop) and node.device is None:
            written = next((a.array for a in accesses((node,)) if a.write), "")
            self.label = f"{written} = {self.label}" if written else self.label

    def writes_all_of(self, array: Array) -> bool:
        nests = [found for node in self.nodes if (found := array_operation(node))]
        return any(
            w.array == array.name and w.index == tuple(symbol(loop.var) for loop in nest.loops)
            and covers(nest.loops, array.shape)
            for nest in nests for w in nest.writes
        )  # fmt: skip


class Dataflow:
    """The graph of one kernel. ``graph`` has an edge from each memory to each operation that reads it, and from each
    operation to each memory that it writes, with the names of the arrays (``arrays``) and the number of accesses
    (``count``). Operations are numbers in the order of the source, and have their :class:`FlowOperation` as
    ``operation``."""

    def __init__(self, kernel: Kernel) -> None:
        import networkx  # heavy: see above

        self._array_named = kernel.array_named  # not the kernel, which keeps this graph
        self.operations = list(_operations(kernel.body))
        self.graph: networkx.DiGraph[Any] = networkx.DiGraph()
        for number, operation in enumerate(self.operations):
            self.graph.add_node(number, operation=operation)
            for access in accesses(operation.body):
                memory = kernel.array(access.array).memory
                ends = (number, memory) if access.write else (memory, number)
                if not self.graph.has_edge(*ends):
                    self.graph.add_edge(*ends, arrays={}, count=0)
                edge = self.graph[ends[0]][ends[1]]  # `edges` is a view that the graph keeps, and that keeps the graph
                edge["arrays"][access.array] = None
                edge["count"] += 1

    @staticmethod
    def of(kernel: Kernel) -> Dataflow:
        if Dataflow not in kernel.analyses:
            kernel.analyses[Dataflow] = Dataflow(kernel)
        found = kernel.analyses[Dataflow]
        assert isinstance(found, Dataflow)
        return found

    # -- arrays -------------------------------------------------------------------------------
    def writers(self, memory: str) -> list[int]:
        return sorted(self.graph.predecessors(memory)) if memory in self.graph else []

    def readers(self, memory: str) -> list[int]:
        return sorted(self.graph.successors(memory)) if memory in self.graph else []

    def reads(self, memory: str) -> int:
        return sum(self.graph[memory][reader]["count"] for reader in self.readers(memory))

    def writes(self, memory: str) -> int:
        return sum(self.graph[writer][memory]["count"] for writer in self.writers(memory))

    def producer(self, memory: str, number: int) -> int | None:
        """The last operation before operation ``number`` that writes a memory; None: what the caller passes."""
        return next((writer for writer in reversed(self.writers(memory)) if writer < number), None)

    def is_intermediate(self, array: Array) -> bool:
        dies = array.role == "temporary" and not array.live_out
        return dies and self.reads(array.memory) == self.writes(array.memory) == 1

    def keeps(self, memory: str, first: int, last: int) -> bool:
        """Whether no operation from ``first`` to before ``last`` writes a memory (nor a single operation)."""
        return not any(first <= writer < max(last, first + 1) for writer in self.writers(memory))

    # -- operations ---------------------------------------------------------------------------
    @cached_property
    def by_loop(self) -> dict[str, int]:
        return {loop.var: number for number, operation in enumerate(self.operations) for loop in loops(operation.body)}

    def arrays_into(self, number: int) -> list[str]:
        """The arrays that an operation reads before it writes them, or writes a part of after another operation."""
        operation = self.operations[number]
        needed: dict[str, None] = {}
        written: set[str] = set()
        for access in accesses(operation.body):
            array = self._array_named[access.array]
            if access.write:
                written.add(access.array)
                if self.producer(array.memory, number) is not None and not operation.writes_all_of(array):
                    needed[access.array] = None
            elif access.array not in written:
                needed[access.array] = None
        return list(needed)

    def numbers(self) -> Iterator[tuple[int, int]]:
        """From each operation that makes a number (a sum, a norm) to each other one that takes it."""
        home = {i: number for number, operation in enumerate(self.operations) for i in made_in(operation.body)}
        for number, operation in enumerate(self.operations):
            makers = sorted({home[i] for i in used_in(operation.body) if i in home})
            yield from ((maker, number) for maker in makers if maker != number)


def made_in(body: Body) -> frozenset[int]:
    return frozenset(leaf.id for leaf in leaves(body))


def used_in(body: Body) -> frozenset[int]:
    """The ids of all values that a body takes, of its own and of others. A scalar that each iteration binds anew takes
    none from before the loop."""
    used = {i for leaf in leaves(body) for i in leaf.inputs}
    for loop in reversed(list(loops(body))):  # inner ones first: what they start from is used too
        used |= {c.initial for c in loop.carried if c.initial is not None and c.entry in used}
    return frozenset(used)


# -- operations ---------------------------------------------------------------------------------------
def _operations(body: Body) -> Iterator[FlowOperation]:
    """The operations of a body in order; a library call's reads, work and result are one."""
    current: FlowOperation | None = None
    for node in body:
        if isinstance(node, (Loop, When, Branch)) and _is_container(node):
            if current:
                yield current
            current = None
            yield from _operations(node.body)
        elif current and _belongs(current, node):
            current.add(node)
        else:
            if current:
                yield current
            current = FlowOperation(node.line, _label(node), [node], _is_library(node))
    if current:
        yield current


def _is_container(node: Loop | When | Branch) -> bool:
    """Whether it is a condition, or a loop around whole-array operations."""
    if not isinstance(node, Loop):
        return True
    return not node.array_expression and node.device is None and any(map(_is_array_work, walk(node.body)))


def _is_array_work(node: Node) -> bool:
    return node.array_expression or node.device is not None if isinstance(node, Loop) else _is_library(node)


def _is_library(node: Node) -> bool:
    return isinstance(node, Operation) and bool(node.library)


def _belongs(operation: FlowOperation, node: Node) -> bool:
    """Whether a node continues an operation: scalar code after scalar code; in one line a library's work and result
    after the reads of its operands, and the result of a reduction after the reduction."""
    if not operation.is_library and not operation.loops:
        return not isinstance(node, Loop) and not _is_library(node)
    on_device = any(each.device is not None for each in (*operation.nodes, node) if isinstance(each, Loop))
    if on_device or node.line != operation.line or any(a.write for a in accesses(operation.body)):
        return False
    return isinstance(node, Operation) or _only_reads_or_writes(node)


def _only_reads_or_writes(node: Node) -> bool:
    """Whether a nest only reads, or only writes: a part of a library call or of a reduction."""
    nest = array_operation(node)
    return nest is not None and not nest.operations and bool(nest.reads) != bool(nest.writes)


def _label(node: Node) -> str:
    work = node.device if isinstance(node, Loop) else None
    if isinstance(work, LaunchWork):
        return f"launch of {work.kernel}"
    if work is not None:
        return "copy to the device" if work.to_device else "copy to the host"
    nest = array_operation(node)
    if nest is not None and nest.writes:
        return f"{nest.writes[0].array} = {described(nest)}"
    if nest is not None:
        return f"reduction of {', '.join(dict.fromkeys(a.array for a in nest.reads))}"
    if isinstance(node, Loop):
        return node.label
    return (node.library if isinstance(node, Operation) else "") or "scalar code"
