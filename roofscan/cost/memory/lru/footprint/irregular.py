"""References whose place depends on data: the worst case, a line each."""

from __future__ import annotations

from roofscan.cost.memory.lru.distance import DistanceInterval
from roofscan.cost.memory.lru.footprint.footprints import Footprints
from roofscan.cost.memory.lru.footprint.subtree import Subtree
from roofscan.cost.memory.lru.reuse_records import ReuseRecord
from roofscan.cost.memory.lru.tree.nodes import Buffer, Ref, refs_to
from roofscan.cost.memory.lru.tree.sampled_expr import TOLERANCE, Num, total
from roofscan.ir.kinds import TouchKind


def irregular_refs(buffer: Buffer, item: Subtree) -> list[Ref]:
    return [r for r in refs_to(item.node, buffer) if r.irregular]


def worst_case(footprints: Footprints, buffer: Buffer, root: Subtree) -> list[ReuseRecord]:
    """Every touch beyond the first of each line may be of a line that was touched longest ago."""
    refs = irregular_refs(buffer, root)
    touches = [(r, footprints.executions(r, root)) for r in refs if not r.repeats]
    writes = [(r, footprints.executions(r, root)) for r in refs if r.write]
    return [
        *_again(footprints, buffer, root, "touch", touches, footprints.lines(buffer, [root])),
        *_again(footprints, buffer, root, "write", writes, written_lines(footprints, buffer, root)),
    ]


def written_lines(footprints: Footprints, buffer: Buffer, root: Subtree) -> Num:
    """The most lines that are written: one each write, but no more than can be reached."""
    refs = [r for r in irregular_refs(buffer, root) if r.write]
    if not refs:
        return 0
    count = total(footprints.executions(r, root) for r in refs)
    reach = max((r.reach for r in refs), key=lambda n: (n > count, 0))
    return count if count < reach else reach


def write_share(footprints: Footprints, buffer: Buffer, root: Subtree) -> Num:
    """The share of touches that are writes and do not follow a read of the same place."""
    refs = [r for r in irregular_refs(buffer, root) if not r.repeats]
    counts = [(r, footprints.executions(r, root)) for r in refs]
    whole = total(n for _, n in counts)
    return total(n for r, n in counts if r.write) / whole if whole > TOLERANCE else 0


def _again(
    footprints: Footprints, buffer: Buffer, root: Subtree, kind: TouchKind, counts: list[tuple[Ref, Num]], cold: Num
) -> list[ReuseRecord]:
    count = total(n for _, n in counts) - cold
    if not counts or count <= TOLERANCE:
        return []
    far = footprints.distance([root])
    fill = 1 if kind == "write" else write_share(footprints, buffer, root)
    return [ReuseRecord(buffer, "data", counts[0][0].line, 1, kind, DistanceInterval(count, far, far), fill)]
