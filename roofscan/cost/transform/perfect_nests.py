"""Imperfect nests made perfect, where that is legal. Reads between the loops sink into the innermost body. A start
before an inner loop (``C[i, j] = 0``) and a finish behind it become nests of their own. A scalar that the innermost
loop accumulates and that is then stored (``acc = 0; for k: acc += …; C[i, j] = acc``) gives way to the element that it
is stored in: the same numbers are added in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from roofscan.cost.dependence import may_split
from roofscan.cost.transform.nest import Nest, renamed
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Body, Carried, Leaf, Loop, Operation
from roofscan.ir.visitor import accesses, children, leaves, loops, map_leaves

BLOCKING = ("lower", "upper", "unsupported", "traffic", "scattered", "unseen")
"""Effects of reasons that make what happens in a nest not fully known."""


@dataclass(frozen=True)
class Perfect:
    """A nest without anything between its loops, in the place of ``top``, with what moved out of it."""

    top: Loop
    nest: Nest
    before: Body = ()
    after: Body = ()
    accumulator: str = ""  # the scalar that became an element
    element: Access | None = None  # which

    def tree(self, nest: Nest | None = None) -> Body:
        return (*self.before, *(nest or self.nest).tree(), *self.after)


def perfect_nests(kernel: Kernel) -> Iterator[Perfect]:
    """The nests of two loops or more around each innermost loop, the largest that can be made perfect."""
    for chain in _chains(kernel.body):
        for start in range(len(chain) - 1):
            made = perfected(kernel, chain[start:])
            if made is not None:
                yield made
                break


def perfected(kernel: Kernel, chain: Sequence[Loop]) -> Perfect | None:
    """The loops of ``chain``, each in the body of the one before, as a perfect nest; None where that is not legal."""
    top = chain[0]
    if not all(map(is_plain, chain)) or any(loop.state for loop in loops((top,))):
        return None
    if not is_fully_known(kernel, top) or any(_moved_state(chain)):
        return None
    if _has_result(kernel, top):
        return None
    return _Splitting(kernel, tuple(chain)).run()


def _chains(body: Body) -> Iterator[tuple[Loop, ...]]:
    """Loops of which each holds the next as its only loop, down to an innermost one."""
    for node in body:
        if not isinstance(node, Loop):
            yield from _chains(children(node))
            continue
        chain = [node]
        while len(inner := [n for n in chain[-1].body if isinstance(n, Loop)]) == 1:
            chain.append(inner[0])
        if not any(loops(chain[-1].body)) and not any(_hidden_loops(chain)):
            yield tuple(chain)
        else:
            yield from _chains(node.body)


def _hidden_loops(chain: Sequence[Loop]) -> Iterator[Loop]:
    """Loops inside conditions between the loops of a chain."""
    for loop in chain:
        for node in loop.body:
            if not isinstance(node, Loop):
                yield from loops(children(node))


def is_plain(loop: Loop) -> bool:
    """Whether it runs over a range that is known beforehand."""
    return not (loop.early_exit or loop.total is not None or loop.array_expression)


def is_fully_known(kernel: Kernel, top: Loop) -> bool:
    """Whether all that a nest touches is in its tree, and the ranges of its loops are known beforehand."""
    data = {s.name for s in kernel.symbols if s.kind in ("trips", "total", "length")}
    inner = list(loops((top,)))
    if any((loop.start.symbols | loop.stop.symbols | loop.step.symbols) & data for loop in inner):
        return False
    last = max((*(node.line for node in leaves((top,))), *(loop.end_line for loop in inner)), default=top.line)
    if any(top.line <= r.line <= last and r.effect in BLOCKING for r in kernel.reasons):
        return False
    unknown = {s.name for s in kernel.symbols if s.kind == "cost"}
    touched = {access.array for access in accesses((top,))}
    inside = {loop.var for loop in inner}
    return not any(a.name in touched and inside & set(a.fresh_in) for a in kernel.arrays) and not any(
        node.library or node.count.symbols & unknown for node in leaves((top,)) if isinstance(node, Operation)
    )


def _has_result(kernel: Kernel, top: Loop) -> bool:
    made = {node.id for node in leaves((top,))}
    inside = sum(i in made for i in _inputs((top,)))
    return sum(i in made for i in _inputs(kernel.body)) > inside


def _inputs(body: Body) -> Iterator[int]:
    for node in leaves(body):
        yield from node.inputs
    for loop in loops(body):
        yield from (c.initial for c in loop.carried if c.initial is not None)


def _moved_state(chain: Sequence[Loop]) -> Iterator[Carried]:
    """Scalars that a loop outside the innermost one carries."""
    used = {i for node in leaves(chain[0].body) for i in node.inputs}
    for loop in reversed(list(loops((chain[0],)))):  # inner ones first: what they start from is used too
        used |= {c.initial for c in loop.carried if c.entry in used and c.initial is not None}
    for loop in chain[:-1]:
        yield from (c for c in loop.carried if c.entry in used)


class _Splitting:
    """Takes a chain of loops apart, from the inside out."""

    def __init__(self, kernel: Kernel, chain: tuple[Loop, ...]) -> None:
        self._kernel = kernel
        self._chain = chain
        self._written = {kernel.array(a.array).memory for a in accesses(chain[:1]) if a.write}

    def run(self) -> Perfect | None:
        chain = self._chain
        made = Perfect(chain[0], Nest((), chain[-1].body))
        for depth in range(len(chain) - 2, -1, -1):
            at = next(i for i, node in enumerate(chain[depth].body) if isinstance(node, Loop))
            first, last = chain[depth].body[:at], chain[depth].body[at + 1 :]
            innermost = depth == len(chain) - 2
            moved = (self._without_accumulator if innermost else self._moved_out)(made, depth, first, last)
            if moved is None:
                return None
            made = moved
        loops = tuple(replace(loop, carried=(), body=()) for loop in chain)
        return replace(made, nest=Nest(loops, made.nest.body))

    # -- the accumulator ----------------------------------------------------------------------
    def _without_accumulator(self, made: Perfect, depth: int, first: Body, last: Body) -> Perfect | None:
        """The innermost loop's scalar replaced by the element in which it ends, if it has one."""
        used = {i for node in leaves((self._chain[0],)) for i in node.inputs}
        carried = [c for c in self._chain[-1].carried if c.entry in used]
        if not carried:
            return self._moved_out(made, depth, first, last)
        if len(carried) > 1 or not all(isinstance(node, (Access, Operation)) for node in (*first, *last)):
            return None
        if self._chain[-1].parallel:
            return None  # each thread has a sum of its own, and all would write the element
        [c] = carried
        own = next((n for n in first if isinstance(n, Access) and not n.write and n.id == c.initial), None)
        element = self._element(c, own, first, last)
        if element is None:
            return None
        number = 1 + max(node.id for node in leaves(self._kernel.body))
        read = replace(element, id=number, write=False, inputs=())
        write = replace(element, id=number + 1, inputs=(c.exit,))
        start = replace(element, id=number + 2, inputs=() if c.initial is None else (c.initial,))
        again = replace(element, id=number + 3, write=False, inputs=())
        body = _with_input((read, *made.nest.body, write), c.entry, read.id)
        finish = () if last == (element,) else _with_input((again, *last), c.exit, again.id)
        made = replace(made, nest=Nest((), body), accumulator=c.name, element=element)
        if _is_same_element(own, element):  # it holds what the scalar would start from
            return self._moved_out(made, depth, tuple(n for n in first if n is not own), finish)
        return self._moved_out(made, depth, (*first, start), finish)

    def _element(self, c: Carried, own: Access | None, first: Body, last: Body) -> Access | None:
        """The one element that the scalar's last value goes to: of its own in every iteration of the outer loops. The
        scalar may start from it (``own``), where nothing else reads it."""
        stores = [node for node in last if isinstance(node, Access) and node.write]
        adds = [node for node in self._chain[-1].body if isinstance(node, Operation) and node.id == c.exit]
        if len(stores) != 1 or not stores[0].regular or not adds:
            return None
        [store] = stores
        array = self._kernel.array(store.array)
        touched = sum(self._kernel.array(a.array).memory == array.memory for a in accesses(self._chain[:1]))
        again = sum(i == c.initial for i in _inputs((*first, *self._chain[-1].body, *last)))
        alone = touched == 1 + (_is_same_element(own, store) and not again)
        fits = array.dtype == adds[0].dtype
        return store if alone and fits and self._is_own(store) and last[-1] is store else None

    def _is_own(self, store: Access) -> bool:
        """Whether no two iterations of the outer loops store in the same element: each has a subscript to itself."""
        variables = {loop.var for loop in self._chain[:-1]}
        alone = [e.symbols & variables for e in store.index if e is not None]
        return all(
            any(s == {v} and e is not None and e.is_linear_in((v,)) for e, s in zip(store.index, alone, strict=True))
            for v in variables
        )

    # -- starts and finishes ------------------------------------------------------------------
    def _moved_out(self, made: Perfect, depth: int, first: Body, last: Body) -> Perfect | None:
        """What is before and after the loop at ``depth + 1`` gets nests of its own, or sinks."""
        sunk, start = self._sinking(first)
        rest = made.nest.body
        if not start and not last:
            return replace(made, nest=Nest((), (*sunk, *rest)))
        if made.before or made.after:
            return None  # deeper levels have moved something already
        outer = Nest(tuple(replace(loop, carried=(), body=()) for loop in self._chain[: depth + 1]), start)
        taken = {i for node in leaves(rest) for i in node.inputs}
        if taken & {node.id for node in leaves(start)} or _takes_from(last, (*rest, *start)):
            return None
        full = Nest(outer.loops, self._chain[depth + 1 : depth + 2])
        if not may_split(self._kernel, full, start, (*rest, *last)) or not may_split(self._kernel, full, rest, last):
            return None
        before = renamed(Nest(outer.loops, _with_reads(start, sunk)), "_start").tree() if start else ()
        after = renamed(Nest(outer.loops, _with_reads(last, sunk)), "_finish").tree() if last else ()
        elsewhere = {i for node in leaves((*start, *last)) for i in node.inputs} - taken
        kept = tuple(n for n in sunk if n.id not in elsewhere)
        return replace(made, nest=Nest((), (*kept, *rest)), before=before, after=after)

    def _sinking(self, first: Body) -> tuple[tuple[Access, ...], Body]:
        """The reads of memory that the nest does not write; and the rest."""
        sunk = tuple(n for n in first if isinstance(n, Access) and self._may_sink(n))
        if not all(isinstance(n, (Access, Operation)) for n in first):
            return (), first
        return sunk, tuple(n for n in first if n not in sunk)

    def _may_sink(self, node: Access) -> bool:
        return not node.write and self._kernel.array(node.array).memory not in self._written


def _is_same_element(one: Access | None, other: Access) -> bool:
    return one is not None and (one.array, one.index) == (other.array, other.index)


def _takes_from(body: Body, source: Body) -> bool:
    made = {node.id for node in leaves(source)}
    return any(i in made for node in leaves(body) for i in node.inputs)


def _with_input(body: Body, old: int, new: int) -> Body:
    """The nodes with another id in the place of one of their inputs."""

    def changed(node: Leaf) -> Leaf:
        return replace(node, inputs=tuple(new if i == old else i for i in node.inputs))

    return map_leaves(body, changed)


def _with_reads(body: Body, reads: Sequence[Access]) -> Body:
    """The body behind those of the reads that it takes values from."""
    taken = {i for node in leaves(body) for i in node.inputs}
    return (*(read for read in reads if read.id in taken), *body)
