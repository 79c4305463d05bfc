"""How many threads and blocks are active along each direction, in the sizes where these are free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.gpu.programs.program import Program, Reference, expr_of
from roofscan.cost.memory.gpu.threads.domain import Activity, BlockClass, active_threads, narrowed
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, value_of
from roofscan.frozen import dataclass
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.floors import floor_div

TOLERANCE = 1e-3  # by which an expression may differ from the count


@dataclass(frozen=True)
class BlocksAlike:
    """Blocks of one class along x, y and z: how many they are, the threads of one, and ``scale`` times the warps of
    the sample point."""

    classes: tuple[BlockClass, ...]
    blocks: Num
    threads: tuple[Num, ...]
    scale: Num


@dataclass(frozen=True)
class _Along:
    """The same along one direction."""

    blocks: BlockClass
    count: Num
    threads: Num
    scale: Num


class ActiveBlocks:
    """The blocks of a reference by their classes, in the sizes where these are free."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def of(self, reference: Reference, activity: Activity) -> Iterator[BlocksAlike]:
        """Those with active threads."""
        axes = [list(self._along(reference, axis, classes)) for axis, classes in enumerate(activity)]
        for combined in product(*axes):
            classes = tuple(along.blocks for along in combined)
            left = narrowed(classes)
            if not all(c.threads for c in left):
                continue
            threads = (a.threads if left is classes else len(c.threads) for c, a in zip(left, combined))
            blocks, scale = prod((a.count for a in combined), start=1), prod((a.scale for a in combined), start=1)
            yield BlocksAlike(left, blocks, tuple(threads), scale)

    def _along(self, reference: Reference, axis: int, classes: Sequence[BlockClass]) -> Iterator[_Along]:
        """The class that grows is what the others leave of the active blocks. Warps are whole along x."""
        active = [c for c in classes if c.threads]
        if self._program.number is None or not active:
            yield from (_Along(c, c.count, len(c.threads), 1) for c in active)
            return
        full, block = self._program.launch.block[axis], self._program.block[axis]
        grows = max(active, key=lambda c: (len(c.threads) == full, c.count))
        end = self._end(reference, axis, active[-1])
        others = active[0].first + sum(c.count for c in active if c is not grows)
        is_edge = len(grows.threads) < full and grows.count == 1 and any(c.block for c in reference.guards.cuts[axis])
        for c in active:
            threads = block - (full - len(c.threads)) if step_of(c.threads) == 1 else len(c.threads)
            wider = block / full if axis == 0 else threads / len(c.threads)
            if c is not grows:
                yield _Along(c, c.count, threads, wider)
            elif is_edge and not others and (place := next(ends(self._program, reference, axis), None)) is not None:
                threads = given(place - c.threads[0], Decision(block - place), Decision(place - c.threads[0] - 1))
                yield _Along(c, 1, threads, threads / len(c.threads))
            elif is_edge:
                yield _Along(c, given(1, Decision(end - others - 1), Decision(others + 1 - end)), threads, wider)
            else:
                count = given(end - others, Decision(end - others))
                yield _Along(c, count, threads, wider * (count / c.count))

    def with_rows_of_warps(self, warp: int) -> tuple[Decision, ...]:
        """Blocks whose warps lie in rows as those of the sample point do: in one row each, or in rows as long."""
        wide, size = self._program.launch.block[0], self._program.block[0]
        if not isinstance(size, SampledExpr):
            return ()
        if wide % warp:
            return Decision(size - wide), Decision(wide - size)
        expr = expr_of(size)
        return (Decision(self._program.in_sizes(floor_div(expr, Expr.of(warp)) * warp - expr)),)

    def _end(self, reference: Reference, axis: int, last: BlockClass) -> Num:
        """The blocks up to the last active one, in the sizes: to the end of the grid, or of what a condition lets
        through. It is exact for sizes that fill their last block as the sample point does."""
        program, threads = self._program, self._program.launch.block[axis]
        blocks = last.first + last.count
        for first in dict.fromkeys((0, last.threads[0])):
            for end in ends(program, reference, axis):
                rest = blocks * threads - value_of(end) + first
                if 0 <= rest < threads and rest.is_integer():
                    return (end + (int(rest) - first)) / program.block[axis]
        grid = self._grid(reference, axis)
        fewer = round(value_of(grid)) - blocks
        pinned = Decision(grid - value_of(grid)), Decision(value_of(grid) - grid)
        return given(grid - fewer, *pinned) if fewer else grid

    def _grid(self, reference: Reference, axis: int) -> Num:
        """The blocks, with the iterations that continue the grid."""
        strided = reference.guards.strided[axis]
        return prod((loop.trips for loop, _ in reference.loops if loop.var == strided), start=self._program.grid[axis])


def step_of(active: Sequence[int]) -> int:
    return active[1] - active[0] if len(active) > 1 else 1


def ends(program: Program, reference: Reference, axis: int) -> Iterator[Num]:
    """The first places along a direction that conditions keep out."""
    for cut in reference.guards.cuts[axis]:
        whole = cut.block == cut.thread * program.launch.block[axis] and not cut.condition.modulus
        whole &= cut.across is None
        if whole and cut.thread < 0 and cut.condition.relation == "ge":
            yield program.in_sizes(cut.expr / -cut.thread + 1)


def active_spans(program: Program, reference: Reference, activity: Activity) -> tuple[Num, Num, Num]:
    """Along x, y and z; numbers where sizes are bound, or no expression is near enough."""
    counts = [active_threads((classes,)) for classes in activity]
    found = [_span(program, reference, axis, counts[axis]) for axis in range(3)]
    return found[0], found[1], found[2]


def _span(program: Program, reference: Reference, axis: int, count: int) -> Num:
    if program.number is None:
        return count
    starts = [-cut.expr for cut in reference.guards.cuts[axis] if cut.thread > 0 and cut.across is None]
    low = max(map(program.in_sizes, starts), key=value_of, default=0)
    high = list(ends(program, reference, axis)) or [program.grid[axis] * program.block[axis]]
    span = min(high, key=value_of) - low
    return span if abs(value_of(span) - count) <= TOLERANCE * count else count
