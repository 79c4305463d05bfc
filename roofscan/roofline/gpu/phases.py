"""The loops of a launch whose blocks all run at once: they are in the same loop at the same time, so that what one loop
waits for hides nothing of the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from roofscan.cost.memory.gpu.programs.program import Reference, Scope
from roofscan.cost.memory.gpu.traffic.movements import ArrayBytes, Movements
from roofscan.cost.memory.lru.tree.sampled_expr import Num
from roofscan.roofline.gpu.instructions import Instructions, instructions_of

Phase = tuple[Movements, Instructions]
Shares = Mapping[tuple[str, bool], Fraction]  # of all accesses, by array and whether they write


def phases_of(moved: Movements, instructions: Instructions) -> list[Phase]:
    """One for each loop of the program, with the straight code before it."""
    parts = list(_parts(moved.program.root))
    if len(parts) < 2:
        return [(moved, instructions)]
    alone = [_limited(moved, part) for part in parts]
    issued = [instructions_of(each, 0.0).issued for each in alone]
    return [(each, _scaled(instructions, own / sum(issued))) for each, own in zip(alone, issued)]


def _parts(root: Scope) -> Iterable[tuple[Reference | Scope, ...]]:
    """What comes behind the last loop belongs to it."""
    items, ends = root.items, [k for k, item in enumerate(root.items) if isinstance(item, Scope)]
    starts = [0, *(end + 1 for end in ends[:-1])]
    for start, end in zip(starts, [*starts[1:], len(items)]):
        yield items[start:end]


def _limited(moved: Movements, items: tuple[Reference | Scope, ...]) -> Movements:
    program = replace(moved.program, root=replace(moved.program.root, items=items, tests=()))
    shares = _shares(moved, program.references)

    def of(bytes_: Mapping[str, Num], write: bool) -> dict[str, Num]:
        return {name: each * shares.get((name, write), Fraction(0)) for name, each in bytes_.items()}

    def both(bytes_: ArrayBytes) -> ArrayBytes:
        return ArrayBytes(of(bytes_.load, False), of(bytes_.store, True))

    requests = {key: counts * shares.get(key, Fraction(0)) for key, counts in moved.requests.items()}
    stored = sum(key[1] for key in requests if shares.get(key))
    every = sum(key[1] for key in requests)
    written = Fraction(stored, every) if every else Fraction(0)
    return replace(
        moved, program=program, requests=requests, shared=moved.shared * _of_shared(moved, program.references),
        l2=both(moved.l2), dram=both(moved.dram), misses=of(moved.misses, False), partial=moved.partial * written,
        queue=moved.queue * float(written),
    )  # fmt: skip


def _shares(moved: Movements, references: Sequence[Reference]) -> Shares:
    own, every = (_issued(moved, some) for some in (references, moved.program.references))
    return {key: Fraction(times) / Fraction(every[key]) for key, times in own.items() if every[key]}


def _issued(moved: Movements, references: Sequence[Reference]) -> Mapping[tuple[str, bool], float]:
    found: dict[tuple[str, bool], float] = {}
    for r in references:
        found[r.name, r.write] = found.get((r.name, r.write), 0.0) + moved.issued.get(id(r), 0.0)
    return found


def _of_shared(moved: Movements, references: Sequence[Reference]) -> Fraction:
    own, every = (
        sum(moved.issued.get(id(r), 0.0) for r in some if r.array.space == "shared")
        for some in (references, moved.program.references)
    )
    return Fraction(own) / Fraction(every) if every else Fraction(0)


def _scaled(instructions: Instructions, share: float) -> Instructions:
    return Instructions(
        instructions.issued * share, instructions.integer * share,
        {name: slots * share for name, slots in instructions.floating.items()}, instructions.special * share,
        instructions.roots_of_64 * share, {name: flops * share for name, flops in instructions.matrix.items()},
        instructions.unsure,
    )  # fmt: skip
