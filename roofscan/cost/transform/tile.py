"""Tiling: one loop cut into blocks, and the loop over blocks outside the loops that reuse the same data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.cost.dependence import dependences
from roofscan.cost.transform.interchange import hoisted, is_tilable, reductions
from roofscan.cost.transform.nest import Nest, with_replaced
from roofscan.cost.transform.perfect_nests import Perfect, perfect_nests
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Loop
from roofscan.ir.visitor import accesses
from roofscan.symbolic.expr import Expr, Operand
from roofscan.symbolic.extrema import minimum
from roofscan.transformation import LoopRecord, TransformationRecord


@dataclass(frozen=True)
class Tile:
    """The loop at ``position`` of a nest in blocks of ``size`` iterations, the loop over blocks at ``outside``."""

    perfect: Perfect
    position: int
    outside: int
    size: int

    @property
    def loop(self) -> Loop:
        return self.perfect.nest.loops[self.position]

    @property
    def around(self) -> Loop:
        """The loop that the loop over blocks is placed outside of."""
        return self.perfect.nest.loops[self.outside]

    @property
    def record(self) -> TransformationRecord:
        loop, around = (LoopRecord(x.source_name, x.line) for x in (self.loop, self.around))
        return TransformationRecord("tile", (loop,), size=self.size, around=around)

    def is_legal(self, kernel: Kernel) -> bool:
        nest = self.perfect.nest
        return may_be_tiled(nest, self.position) and is_tilable(dependences(kernel, nest), self.position)

    def apply(self, kernel: Kernel) -> Kernel:
        return self._applied(kernel, self.size, exact=False)

    def modelled(self, kernel: Kernel, size: Operand) -> Kernel:
        """The kernel as costs see it: blocks of any size, also of a symbol's, and no shorter last block."""
        return self._applied(kernel, size, exact=True)

    def _applied(self, kernel: Kernel, size: Operand, exact: bool) -> Kernel:
        nest = tiled(self.perfect.nest, self.position, size, self.outside, exact)
        return with_replaced(kernel, self.perfect.top, self.perfect.tree(hoisted(kernel, nest)))


def legal_tilings(kernel: Kernel, perfect: Perfect) -> Iterator[Tile]:
    """The loops, neither outermost nor innermost, over data that a loop around them reuses; without a size yet."""
    nest = perfect.nest
    signs = dependences(kernel, nest)
    for position in range(1, len(nest.loops) - 1):
        outside = carrier(nest, position)
        if outside is not None and may_be_tiled(nest, position) and is_tilable(signs, position):
            yield Tile(perfect, position, outside, 0)


def tiled(nest: Nest, position: int, size: Operand, outside: int = 0, exact: bool = False) -> Nest:
    """The nest with the loop at ``position`` in blocks of ``size`` iterations; the loop over blocks goes ``outside``.
    ``exact`` leaves out the shorter last block, as if the size divided the trips. For loops that count upwards by a
    number; ValueError for others."""
    loop = nest.loops[position]
    if not _counts_up(loop):
        raise ValueError("a loop whose step is not a positive constant")
    width = Expr.of(size) * loop.step
    name = loop.source_name or loop.var
    blocks = replace(loop, var=loop.var + "_block", step=width, source_name=name * 2, carried=())
    end = Expr.of(blocks.var) + width
    within = replace(loop, start=Expr.of(blocks.var), stop=end if exact else minimum(end, loop.stop))
    before, between = nest.loops[:outside], nest.loops[outside:position]
    return Nest((*before, blocks, *between, within, *nest.loops[position + 1 :]), nest.body)


def carrier(nest: Nest, position: int) -> int | None:
    """The outermost loop that carries reuse over the one at ``position``: an access that moves with the inner loop
    stays in place, or moves by a constant only."""
    var = nest.loops[position].var
    for outside, around in enumerate(nest.variables[:position]):
        places: dict[str, set[object]] = {}
        for access in accesses(nest.body):
            subscripts = [e for e in access.index if e is not None]
            if any(var in e.symbols for e in subscripts):
                moving = tuple(e for e in subscripts if around in e.symbols)
                places.setdefault(access.array, set()).add(moving)
        if any(() in found or len(found) > 1 for found in places.values()):
            return outside
    return None


def may_be_tiled(nest: Nest, position: int) -> bool:
    """Whether the bounds of the loop at ``position`` are known outside the nest, and it counts upwards."""
    loop = nest.loops[position]
    fixed = not (loop.start.symbols | loop.stop.symbols) & set(nest.variables)
    return position > 0 and fixed and _counts_up(loop) and not loop.parallel and not nest.loops[0].parallel


def _counts_up(loop: Loop) -> bool:
    step = loop.step.constant
    return step is not None and step > 0


def may_be_blocked(kernel: Kernel, around: str) -> bool:
    """Whether a loop inside the loop over the variable ``around`` repeats the accesses of its previous iteration, and
    may legally be cut into blocks whose loop is outside it. Reductions may be reordered where ``fastmath`` allows."""
    nests = (perfect.nest for perfect in perfect_nests(kernel))
    return any(_may_be_cut(kernel, nest, nest.variables.index(around)) for nest in nests if around in nest.variables)


def _may_be_cut(kernel: Kernel, nest: Nest, outside: int) -> bool:
    if any(loop.carried for loop in nest.loops):
        return False
    free = reductions(kernel, nest.body) if kernel.decorator.fastmath else ()
    signs = dependences(kernel, nest, free)
    return any(
        carrier(nest, position) is not None and is_tilable(signs, position) and _counts_up(nest.loops[position])
        for position in range(outside + 1, len(nest.loops))
    )
