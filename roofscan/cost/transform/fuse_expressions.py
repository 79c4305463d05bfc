"""Expression fusion: each statement as one loop, without temporaries. This goes further than Numba
(:func:`roofscan.cost.transform.fuse.fused_by_numba`): a store into a slice, an update in place, a reduction, a
choice by a mask and a cast take the work before them into their own loop, as a hand-written loop, numexpr or
``out=`` would."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roofscan.cost.transform.array_operation import ArrayOperation, array_operations, described, reduced
from roofscan.cost.transform.fuse import Fusion, Group
from roofscan.cost.transform.nest import only
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access
from roofscan.memo import kept
from roofscan.transformation import LoopRecord, TransformationRecord


@dataclass(frozen=True)
class Temporary:
    """An intermediate array of an expression: its name, what it holds as text, its line."""

    name: str
    made_of: str
    line: int

    def shown(self, width: int) -> str:
        """``t1 = a[1:] + b``, shortened at its end."""
        text = f"{self.name} = {self.made_of}"
        return text if len(text) <= width else f"{text[: width - 1]}…"


@dataclass(frozen=True)
class FuseExpression:
    """The operations of one statement as one loop; ``written`` and ``fused`` are the statement by itself, before and
    after, in the loops and conditions around it."""

    line: int
    loops: frozenset[str]  # the outermost variables of its operations
    temporaries: tuple[Temporary, ...]  # that go
    written: Kernel
    fused: Kernel

    @property
    def record(self) -> TransformationRecord:
        arrays = tuple(temporary.name for temporary in self.temporaries)
        return TransformationRecord("fuse_expression", (LoopRecord("", self.line),), arrays=arrays)

    def apply(self, kernel: Kernel) -> Kernel:
        return fused_expressions(kernel, self.loops)


@kept
def expression_fusions(kernel: Kernel) -> tuple[FuseExpression, ...]:
    """The statements with temporaries that one loop would not need, in the order of the source."""
    made = temporaries(kernel)
    fused, fused_groups = _every_statement(kernel)
    lines = {operation.loops[0].var: operation.line for operation in array_operations(kernel.body)}
    by_line: dict[int, list[Group]] = {}
    for group in fused_groups.values():
        by_line.setdefault(min(lines[var] for var in group.loops), []).append(group)
    return tuple(_of_statement(line, groups, made, kernel, fused) for line, groups in by_line.items())


def _of_statement(
    line: int, groups: Sequence[Group], made: Mapping[str, Temporary], kernel: Kernel, fused: Kernel
) -> FuseExpression:
    gone = {name for group in groups for name in group.temporaries}
    loops = frozenset(var for group in groups for var in group.loops)
    return FuseExpression(
        line,
        loops,
        tuple(made[name] for name in made if name in gone),
        only(kernel, loops),
        only(fused, [group.loops[-1] for group in groups]),
    )


def groups_of_loops(kernel: Kernel) -> tuple[tuple[str, ...], ...]:
    """For each expression, the variables of the outermost loops of its operations."""
    _, groups = _every_statement(kernel)
    return tuple(group.loops for group in groups.values())


def fused_expressions(kernel: Kernel, loops: frozenset[str] | None = None) -> Kernel:
    """The kernel with every expression as one loop, or with those of these loops alone."""
    if loops is None:
        fused, _ = _every_statement(kernel)
        return fused
    fusion = _Statements(kernel, among=loops)
    return fusion.kernel_of(fusion.body(kernel.body))


@kept
def _every_statement(kernel: Kernel) -> tuple[Kernel, Mapping[str, Group]]:
    """The kernel with every expression as one loop, and what was fused."""
    fusion = _Statements(kernel)
    fused = fusion.kernel_of(fusion.body(kernel.body))
    return fused, fusion.groups


@kept
def temporaries(kernel: Kernel) -> Mapping[str, Temporary]:
    makers: dict[str, ArrayOperation] = {}
    for operation in array_operations(kernel.body):
        for write in operation.writes:
            makers.setdefault(write.array, operation)
    found = [a for a in kernel.arrays if a.role == "temporary" and a.name in makers]
    reductions = {o.id: nest for nest in array_operations(kernel.body) if not nest.writes for o in nest.operations}

    def made_of(maker: ArrayOperation) -> str:
        results = [i for write in maker.writes for i in write.inputs if i in reductions]
        return reduced(reductions[results[0]]) if results and not maker.reads else described(maker)

    return {a.name: Temporary(a.name, a.text or made_of(makers[a.name]), makers[a.name].line) for a in found}


class _Statements(Fusion):
    """Fusion into one loop for every statement."""

    def may_take(self, nest: ArrayOperation) -> bool:
        """All but bare reads, which are a library's pass over its operand."""
        return bool(nest.operations or nest.writes)

    def may_give(self, nest: ArrayOperation) -> bool:
        """All that read: filling an array with a number is not fused."""
        return bool(nest.reads) and self.makes_fresh(nest)

    def fits(self, together: ArrayOperation) -> bool:
        """Whether no iteration needs what another overwrites: what is written is read at the same place only."""
        variables = {loop.var for loop in together.loops}
        for write in together.writes:
            same = [r for r in together.reads if self.memory(r) == self.memory(write)]
            covered = {s for e in write.index if e is not None for s in e.symbols}
            if same and not (write.regular and variables <= covered):
                return False
            if any(read.index != write.index or read.array != write.array for read in same):
                return False
        return True

    def is_operand(self, nest: ArrayOperation, read: Access) -> bool:
        """A broadcast operand would be computed again for every row: a hand-written loop keeps it."""
        return len(read.index) == len(nest.loops) and tuple(loop.var for loop in nest.loops) == tuple(
            next(iter(e.symbols), "") if e is not None else "" for e in read.index
        )
