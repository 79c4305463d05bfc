"""What branches on data leave untouched. Of a line that k executions of a branch may touch, each with probability p,
the share 1 - (1 - p)**k is touched. Branches of which one is surely taken touch it all. At most, each execution touches
another line."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.footprint.union import known_grid
from roofscan.cost.memory.lru.tree.affine import AlignedPoint
from roofscan.cost.memory.lru.tree.nodes import Buffer, Child, LoopNode, Ref, is_open, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, raised, rounded, smaller, total, value_of
from roofscan.frozen import dataclass

MAX_POWER = 256  # more chances than this to touch a line make no difference
WHOLE = 0.15  # a mean number of chances so close to an integer is that number


@dataclass(frozen=True)
class TouchedLines:
    """Lines of a buffer in an item: those that references under branches reach, and those of them that are touched."""

    reached: Num
    touched: Num

    @property
    def share(self) -> Num:
        return 1 if self.touched is self.reached else self.touched / self.reached


class Branches:
    def __init__(self, footprints: Footprints) -> None:
        self._footprints = footprints

    def is_open_inside(self, buffer: Buffer, item: Subtree, writes: bool) -> bool:
        """Whether branches inside an item decide which lines it touches."""
        lines = self.touched(buffer, item, writes)
        return lines.touched is not lines.reached

    def touched(self, buffer: Buffer, item: Subtree, writes: bool) -> TouchedLines:
        """The lines of regular references, below branches that are inside the item."""
        reached = self._footprints.lines(buffer, [item], writes)
        refs = [r for r in refs_to(item.node, buffer) if not r.irregular and (r.write or not writes)]
        chosen = {r: path for r in refs if any(map(is_open, path := _below(item.node, r)))}
        if not chosen:
            return TouchedLines(reached, reached)
        surely = self._footprints.lines_of_refs(buffer, [r for r in refs if r not in chosen], item)
        rest = reached - surely
        if rest <= TOLERANCE:
            return TouchedLines(reached, reached)
        return TouchedLines(reached, surely + rest * self._share(buffer, chosen, item))

    def _share(self, buffer: Buffer, chosen: dict[Ref, list[Child]], item: Subtree) -> Num:
        shares: dict[int, Num] = {}
        chosen_together: dict[int, list[Child]] = {}
        decisions: Num = 0
        for path in chosen.values():
            last = max(n for n, node in enumerate(path) if is_open(node))
            shares[id(path[last].taken)] = prod(node.taken for node in path)
            chosen_together.setdefault(id(path[last].taken), []).append(path[last])
            decisions = max(decisions, self._footprints.iterations.times(path[last], item), key=value_of)
        once = total(shares.values())
        if once > 1 - TOLERANCE:
            return 1
        lines = self._footprints.lines_of_refs(buffer, list(chosen), item)
        each = max((self._of_one(buffer, nodes) for nodes in chosen_together.values()), key=value_of)
        if self._footprints.at_most:
            return smaller(once * decisions * each / lines, 1)
        chances = min(MAX_POWER, max(1, value_of(decisions) * value_of(each) / value_of(lines)))
        more = rounded(chances % 1) if abs(chances - round(chances)) > WHOLE else 0
        fewer = int(chances) if more else round(chances)
        return 1 - raised(1 - once, fewer) * (1 - once * more)

    def _of_one(self, buffer: Buffer, nodes: list[Child]) -> Num:
        """The lines that are touched together where one branch is taken, with all that it does."""
        env: dict[str, AlignedPoint] = {}
        for loop in nodes[0].loops[1:]:
            if (span := self._footprints.iterations.range(loop, env)) is not None:
                env[loop.var] = AlignedPoint((span.first.value + span.last.value) / 2, 1)
        items = [Subtree(node, env) for node in nodes if node.loops == nodes[0].loops]
        if not env:
            return 1
        lines = self._footprints.lines(buffer, items)
        return self._where_most(buffer, items, lines) if self._footprints.at_most else lines

    def _where_most(self, buffer: Buffer, items: list[Subtree], lines: Num) -> Num:
        """Lines of items that lie where they meet most lines, from a mean."""
        elements, more = [], []
        for box in (box for item in items for box in self._footprints.boxes(buffer, item, False)):
            *rows, row = [(span.hi - span.lo) / span.step + 1 for span in box]
            elements.append(prod([*rows, row]))
            more.append(prod(rows) * (1 - Fraction(known_grid(buffer, box), buffer.per_line)))
        return smaller(lines + total(more), total(elements))


def _below(node: Child, ref: Ref) -> list[Child]:
    """The nodes from the children of ``node`` down to a reference."""
    if not isinstance(node, LoopNode):
        return []
    return [*ref.loops[len(node.loops) + 1 :], ref]
