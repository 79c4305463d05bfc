"""The traversal of a buffer by a loop: direction, speed, and where it wraps around."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.cost.memory.lru.footprint.iterations import IterationRange
from roofscan.cost.memory.lru.tree.nodes import LoopNode, Modulo, Ref
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, magnitude, value_of
from roofscan.frozen import dataclass

NEGLIGIBLE = 0.05  # the share of a traversal up to which parts of lines at its ends are neglected


@dataclass(frozen=True)
class Traversal:
    """How a loop goes through a buffer: in which dimensions, in which direction, for how many iterations it touches one
    line (``live``), how many iterations before the first one a line may begin, as its alignment is not known
    (``slack``), how many iterations of a whole line the last line lacks (``short``), and in how many iterations it has
    touched all lines, where it goes round several times (``round``)."""

    range: IterationRange
    dims: tuple[int, ...]
    sign: int
    live: float
    slack: float
    short: float = 0
    round: Num | None = None

    @property
    def once(self) -> Num:
        """The iterations that touch all lines: the first ones, and the last ones."""
        return self.range.trips if self.round is None else self.round

    @property
    def reach(self) -> Num:
        """Iterations from the beginning of the first line to that of the last."""
        room = self.once - self.live + self.short
        return (room if room > 0 else 0) if not self.slack else room + 2 * self.slack

    def place(self, u: float) -> Num:
        """The iteration at which the line at relative position ``u`` begins; negative before the first."""
        return self.reach * u - (self.slack or (self.short if self.sign < 0 else 0))

    def positions(self) -> list[float]:
        """The relative positions between which the distance is linear."""
        reach = value_of(self.reach)
        if reach <= TOLERANCE:
            return [0.5]
        kinks = {min(1.0, self.slack / reach), max(0.0, 1 - self.slack / reach)}
        inside = {u for u in (0.25, 0.5, 0.75) if min(kinks) < u < max(kinks)}
        return sorted({0.0, 1.0} | kinks | inside)


def traversal_of(
    ref: Ref, shift: Sequence[float], span: IterationRange, grid: int, loop: LoopNode
) -> Traversal | None:  # fmt: skip
    dims = tuple(d for d, s in enumerate(shift) if abs(s) > TOLERANCE)
    address = sum(s / 2 * value_of(r) for s, r in zip(shift, ref.buffer.strides))
    if not dims or abs(address) < TOLERANCE:
        return None
    live = max(1.0, ref.buffer.per_line / abs(address))
    slack = (ref.buffer.per_line - grid) / abs(address) if live > 1 else 0.0
    once = _round(ref, loop)
    once = None if once is None or span.trips <= once else once
    trips = value_of(span.trips if once is None else once)
    short = (TOLERANCE - trips) % live if slack == 0 else 0.0
    slack, short = (n if n > NEGLIGIBLE * trips else 0.0 for n in (slack, short))
    return Traversal(span, dims, 1 if address > 0 else -1, live, slack, short, once)


def _round(ref: Ref, loop: LoopNode) -> Num | None:
    """The iterations after which a reference that wraps around is where it began."""
    moved = [d for d, form in enumerate(ref.subscripts) if form.coefs.get(loop.var, 0) != 0]
    limits = dict(ref.index_limits)
    if len(moved) != 1 or not isinstance(limit := limits.get(moved[0]), Modulo):
        return None
    return limit.modulus / magnitude(ref.subscripts[moved[0]].coefs[loop.var] * loop.step)
