"""What the second cache holds: data that wave after wave reads again, copies of them in its other partition, and, when
the launch ends, what was written last."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from roofscan.cost.memory.gpu.decisions import Decision, given
from roofscan.cost.memory.gpu.device import Device
from roofscan.cost.memory.lru.tree.sampled_expr import Num, total, value_of
from roofscan.frozen import dataclass

COPIES = Fraction(2, 5)  # of what multiprocessors of both partitions read, that the far one holds too (products, H200)
DIRTY_MIX = 0.65  # of the second cache, what the last accesses leave there (copies, H200)
MOST = Fraction(7, 8)  # of what a box of blocks touches, that the next one touches again


@dataclass(frozen=True)
class Sweep:
    """What a box of blocks touches, and a larger one that adds up ``times`` of it, by array."""

    one: Mapping[str, Num]
    all_: Mapping[str, Num]
    times: Num

    @property
    def again(self) -> Mapping[str, Num]:
        """The bytes of the arrays that the next box touches again, nearly all of them."""
        times = value_of(self.times)
        return {name: one for name, one in self.one.items() if self._repeated(name, times) > MOST * value_of(one)}

    def _repeated(self, name: str, times: float) -> float:
        one, all_ = value_of(self.one[name]), value_of(self.all_[name])
        return (one * times - all_) / (times - 1) if times > 1 else 0.0

    def needed(self, device: Device) -> Num:
        """The room that one box takes, with the copies of what the next one touches again."""
        return total((*self.one.values(), *self.copies(device)))

    def copies(self, device: Device) -> list[Num]:
        return [one * COPIES * (device.partitions - 1) for one in self.again.values()]

    def held(self, device: Device) -> Num:
        """What stays from box to box."""
        return total((*self.again.values(), *self.copies(device)))


def left_dirty(load: Mapping[str, Num], store: Mapping[str, Num], held: Num, device: Device) -> Mapping[str, Num]:
    """What of the stores reaches memory before the launch ends. Loads and stores push each other out of the room that
    is not ``held``; what is updated in place lies there once."""
    most, room = round(device.dirty * device.l2), round(DIRTY_MIX * device.l2) - held
    written = total(store.values())
    apart = [moved - (store[name] if name in store else 0) for name, moved in load.items()]
    flow = total((written, *(moved for moved in apart if moved > 0)))
    if flow <= room and written <= most:
        stays = Decision(room - flow), Decision(most - written)
        return {name: given(0, *stays) for name in store}
    if room <= 0:
        return {name: given(each, Decision(-room)) for name, each in store.items()}
    margin = most * flow - room * written
    if margin >= 0:
        share, decisions = room / flow, (Decision(margin), Decision(flow - room))
    else:
        share, decisions = most / written, (Decision(-margin), Decision(written - most))
    return {name: given(each - each * share, *decisions) for name, each in store.items()}
