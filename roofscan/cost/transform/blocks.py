"""Blocks that the source cuts itself: loops that count on by a size, each around loops over one block, and the kernel
with blocks of another size."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Body, Loop, Node
from roofscan.ir.visitor import loops, replace_nodes
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.extrema import minimum


@dataclass(frozen=True)
class Blocks:
    """The loops that one size cuts: a number, or a parameter. ``pairs``: a loop over blocks and one within a block."""

    size: Expr
    pairs: tuple[tuple[Loop, Loop], ...]

    @property
    def over(self) -> tuple[Loop, ...]:
        return tuple(dict.fromkeys(over for over, _ in self.pairs))

    @property
    def parameter(self) -> str:
        """The size by name; "" for a number."""
        return "" if self.size.constant is not None else str(self.size)

    def resized(self, kernel: Kernel, size: int) -> Kernel:
        steps = {over.var: Expr.of(size) for over, _ in self.pairs}
        stops = {loop.var: self._stop(over, loop, size) for over, loop in self.pairs}

        def with_size(node: Node) -> Body | None:
            if not isinstance(node, Loop):
                return None
            step, stop = steps.get(node.var, node.step), stops.get(node.var, node.stop)
            return (replace(node, step=step, stop=stop, body=replace_nodes(node.body, with_size)),)

        return replace(kernel, body=replace_nodes(kernel.body, with_size))

    def _stop(self, over: Loop, loop: Loop, size: int) -> Expr:
        start, shift = symbol(over.var), symbol(over.var) - loop.start
        others = (end for end in _ends(loop.stop + shift) if end != start + self.size)
        return minimum(start + size, *others) - shift


def blocks(kernel: Kernel) -> Iterator[Blocks]:
    """One for each size, if all loops that count on by it are loops over blocks."""
    sizes = {loop.step for loop in loops(kernel.body) if not loop.is_while and _is_size(kernel, loop.step)}
    for size in sorted(sizes, key=str):
        over = [loop for loop in loops(kernel.body) if loop.step == size]
        pairs = [(each, loop) for each in over for loop in loops(each.body) if _is_one_block(loop, each)]
        if {each.var for each, _ in pairs} == {each.var for each in over} and not any(x.is_elsewhere for x in over):
            yield Blocks(size, tuple(pairs))


def _is_size(kernel: Kernel, step: Expr) -> bool:
    number = step.constant
    return number > 1 if number is not None else any(s.kind == "tile" and s.name == str(step) for s in kernel.symbols)


def _is_one_block(loop: Loop, over: Loop) -> bool:
    """Whether it runs through one block, by the places or, in a view of the block, from 0."""
    start = symbol(over.var)
    if loop.step != ONE or loop.start not in (start, ZERO):
        return False
    return start + over.step in _ends(loop.stop + start - loop.start)


def _ends(stop: Expr) -> tuple[Expr, ...]:
    """The arguments of a minimum, or what stands alone."""
    [*atoms] = stop.atoms
    if len(atoms) == 1 and atoms[0].name == "min" and stop == minimum(*atoms[0].args):
        return atoms[0].args
    return (stop,)
