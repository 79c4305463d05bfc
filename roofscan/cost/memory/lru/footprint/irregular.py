"""References whose place depends on data: the worst case, a line each."""

from __future__ import annotations

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.footprint.footprints import Footprints, Item
from roofscan.cost.memory.lru.reuse_records import ReuseRecord
from roofscan.cost.memory.lru.tree.nodes import Buffer, Ref, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TINY, Num, total
from roofscan.ir.kinds import TouchKind


def scattered_refs(space: Buffer, item: Item) -> list[Ref]:
    """The irregular references of an item to a space."""
    return [r for r in refs_to(item.node, space) if r.irregular]


def worst_case(footprints: Footprints, space: Buffer, root: Item) -> list[ReuseRecord]:
    """Every touch beyond the first of each line may be of a line that was touched longest ago."""
    refs = scattered_refs(space, root)
    touches = [(r, footprints.executions(r, root)) for r in refs if not r.repeats]
    writes = [(r, footprints.executions(r, root)) for r in refs if r.write]
    return [
        *_again(footprints, space, root, "touch", touches, footprints.lines(space, [root])),
        *_again(footprints, space, root, "write", writes, written_lines(footprints, space, root)),
    ]


def written_lines(footprints: Footprints, space: Buffer, root: Item) -> Num:
    """The most lines that are written: one each write, but no more than can be reached."""
    refs = [r for r in scattered_refs(space, root) if r.write]
    if not refs:
        return 0
    count = total(footprints.executions(r, root) for r in refs)
    reach = max((r.reach for r in refs), key=lambda n: (n > count, 0))
    return count if count < reach else reach


def write_share(footprints: Footprints, space: Buffer, root: Item) -> Num:
    """The share of touches that are writes and do not follow a read of the same place."""
    refs = [r for r in scattered_refs(space, root) if not r.repeats]
    counts = [(r, footprints.executions(r, root)) for r in refs]
    whole = total(n for _, n in counts)
    return total(n for r, n in counts if r.write) / whole if whole > TINY else 0


def _again(
    footprints: Footprints, space: Buffer, root: Item, kind: TouchKind, counts: list[tuple[Ref, Num]], cold: Num
) -> list[ReuseRecord]:
    count = total(n for _, n in counts) - cold
    if not counts or count <= TINY:
        return []
    far = footprints.distance([root])
    fill = 1 if kind == "write" else write_share(footprints, space, root)
    return [ReuseRecord(space, "data", counts[0][0].line, 1, kind, DistanceInterval(count, far, far), fill)]
