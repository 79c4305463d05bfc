"""What nodes exchange that share a kernel's iterations in blocks. The loops whose variables place what is written are
cut, each into about as many parts; the node that runs an iteration holds the elements at its place. It receives the
halo of its block (what its accesses reach beyond it), and, of arrays whose subscripts leave out a cut loop, what the
other nodes along that loop hold of its share. One exchange a step: an iteration of the loops around the cut ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

from roofscan.cost.result import KernelCost
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import Bound
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import loops_of, walk_with_blocks
from roofscan.machine.model import Machine
from roofscan.roofline.time.amount import Amount
from roofscan.roofline.time.prediction import TimePrediction
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, Number, sum_of

MOST_DIMENSIONS = 3


class NotDecomposed(Exception):
    """Why blocks of a kernel are not known; a fact with its line."""


@dataclass(frozen=True)
class Exchange:
    """Bytes that one of the nodes receives, by their grid: in a call, and in each of its steps."""

    grid: tuple[int, ...]
    a_call: Expr
    a_step: Expr
    steps: Expr


@dataclass(frozen=True)
class NetworkReport:
    """The level beyond memory. ``exchange`` None: ``why`` there is none."""

    nodes: int
    exchange: Exchange | None
    why: str = ""
    ridge: float | None = None
    bound: Bound | None = None
    seconds: float | None = None  # that the exchange of a call takes, at the evaluation point


Cut = Mapping[str, int]  # loop variable -> the dimension whose elements it places
Touch = tuple[Access, tuple[Loop, ...]]
Offsets = tuple[int, ...]
Group = tuple[str, tuple[Expr, ...], Expr, tuple[tuple[str, int], ...]]  # array, subscripts, steps, parts of loops


def exchange_of(kernel: Kernel, nodes: int, values: Mapping[str, Number]) -> Exchange:
    """``values``: where steps are compared. NotDecomposed where the blocks or what they read are not known."""
    touches = [(n, loops_of(around)) for n, around in walk_with_blocks(kernel.body) if isinstance(n, Access)]
    cuts = [cut for access, chain in touches if access.write and (cut := _cut(access, chain))]
    if not cuts:
        raise NotDecomposed("no loop places what it writes")
    grid = grid_of(nodes, 1 + max(d for cut in cuts for d in cut.values()))
    written = {kernel.array(access.array).memory for access, _ in touches if access.write}
    moved = [
        (found * kernel.array(array).dtype.size, steps if kernel.array(array).memory in written else ONE)
        for array, found, steps in _exchanged(touches, cuts, grid)
    ]
    most = max((steps for _, steps in moved), key=lambda steps: number(steps, values), default=ONE)
    a_step = sum_of(bytes_ for bytes_, steps in moved if steps == most)
    return Exchange(grid, sum_of(bytes_ * steps for bytes_, steps in moved), a_step, most)


def network_report(
    cost: KernelCost, machine: Machine, roof: float | None, values: Mapping[str, Number]
) -> NetworkReport | None:
    """``roof``: FLOP/s of one node. None for a single machine."""
    if machine.network is None or machine.network.bandwidth_all is None or machine.nodes == 1:
        return None
    bandwidth = machine.network.bandwidth_all.value
    try:
        exchange = exchange_of(cost.kernel, machine.nodes, values)
        seconds = Amount.of(float(number(exchange.a_call, values)), lambda: exchange.a_call) / bandwidth
        work = float(number(cost.flops, values)) / machine.nodes
    except (NotDecomposed, NotEvaluable) as problem:
        return NetworkReport(machine.nodes, None, str(problem))
    bound: Bound | None = None if not roof or not work else "memory" if seconds > work / roof else "compute"
    return NetworkReport(machine.nodes, exchange, "", roof / bandwidth if roof else None, bound, seconds)


def grid_of(nodes: int, dimensions: int) -> tuple[int, ...]:
    """Factors as equal as can be, the largest first: MPI's dims_create."""
    sides = [1] * dimensions
    for prime in reversed(list(_primes(nodes))):
        sides.sort()
        sides[0] *= prime
    return tuple(sorted(sides, reverse=True))


def _primes(number: int) -> Iterator[int]:
    divisor = 2
    while number > 1:
        while number % divisor == 0:
            yield divisor
            number //= divisor
        divisor = divisor + 1 if divisor * divisor <= number else max(number, 2)


def _cut(access: Access, chain: Sequence[Loop]) -> Cut:
    """The loops that place what an access writes."""
    names = {loop.var for loop in chain}
    own = [names & subscript.symbols if subscript is not None else frozenset() for subscript in access.index]
    return {next(iter(each)): d for d, each in enumerate(own[:MOST_DIMENSIONS]) if len(each) == 1}


def _exchanged(
    touches: Sequence[Touch], cuts: Sequence[Cut], grid: tuple[int, ...]
) -> Iterator[tuple[str, Expr, Expr]]:
    """Array, elements in a step, and steps, of accesses that differ in constants alone."""
    groups: dict[Group, set[Offsets]] = defaultdict(set)
    trips: dict[str, Expr] = {}
    for access, chain in touches:
        names = [loop.var for loop in chain]
        cut = max(cuts, key=lambda cut: len(cut.keys() & set(names)))
        first = next((n for n, name in enumerate(names) if name in cut), None)
        if access.write or not access.index or first is None:
            continue
        trips |= {loop.var: _trips(loop) for loop in chain}
        linear, offsets = _subscripts(access, set(names))
        parts = tuple((name, grid[d]) for name, d in cut.items() if name in names)
        groups[access.array, linear, prod((trips[name] for name in names[:first]), start=ONE), parts].add(offsets)
    for (array, linear, steps, parts), boxes in groups.items():
        yield array, _received(linear, boxes, trips, dict(parts)), steps


def _trips(loop: Loop) -> Expr:
    step = loop.step.constant
    if step is None or (loop.stop - loop.start).atoms or loop.total is not None:
        raise NotDecomposed(f"the iterations of its loop over {loop.source_name or loop.var} (line {loop.line}) vary")
    return (loop.stop - loop.start) / abs(Fraction(step))


def _subscripts(access: Access, names: set[str]) -> tuple[tuple[Expr, ...], tuple[int, ...]]:
    """What of the subscripts varies with loops, and the constants beside it."""
    linear, offsets = [], []
    for subscript in access.index:
        if subscript is None or subscript.atoms or not subscript.is_linear_in(names & subscript.symbols):
            raise NotDecomposed(f"{access.array} has a subscript that is not affine (line {access.line})")
        varying = sum_of(subscript.coefficient(name) * Expr.of(name) for name in sorted(names & subscript.symbols))
        rest = (subscript - varying).constant
        linear.append(varying)
        offsets.append(int(rest) if rest is not None else 0)
    return tuple(linear), tuple(offsets)


def _received(
    linear: Sequence[Expr], offsets: set[tuple[int, ...]], trips: Mapping[str, Expr], parts: Mapping[str, int]
) -> Expr:
    """Elements: the halo where a subscript is a cut loop's variable, and the share of others along loops left out."""
    extents = [_extent(subscript, trips, parts) for subscript in linear]
    cut = [[name for name in parts if parts[name] > 1 and name in subscript.symbols] for subscript in linear]
    order = [list(parts).index(name) for names in cut for name in names]
    if len(set(order)) < len(order) or any(len(names) > 1 for names in cut):
        raise NotDecomposed("an array is read along a diagonal")
    if order != sorted(order):  # transposed: another node has it
        return prod(extents, start=ONE)
    near = {tuple(o if names else 0 for o, names in zip(offset, cut)) for offset in offsets}
    used = {name for subscript in linear for name in subscript.symbols}
    along = prod(part for name, part in parts.items() if name not in used)
    return prod(extents, start=ONE) * Fraction(along - 1, along) + halo(extents, near)


def _extent(subscript: Expr, trips: Mapping[str, Expr], parts: Mapping[str, int]) -> Expr:
    """Elements along one dimension that the iterations of a block touch with one access."""
    reach = ONE
    for name in subscript.symbols & trips.keys():
        coefficient = subscript.coefficient(name).constant
        if coefficient is None:
            raise NotDecomposed(f"the stride along {name} is not a number")
        reach += (trips[name] / parts.get(name, 1) - 1) * abs(Fraction(coefficient))
    return reach


def halo(extents: Sequence[Expr], offsets: Iterable[tuple[int, ...]]) -> Expr:
    """Elements of the boxes of these extents at ``offsets`` that the one at 0 does not hold. The edges of the boxes cut
    each dimension into cells: before the last box begins, the middle that all hold, after the first ends."""
    home = (0,) * len(extents)
    boxes = {*offsets, home}
    edges = [sorted({box[d] for box in boxes}) for d in range(len(extents))]
    places = [tuple(edges[d].index(box[d]) for d in range(len(extents))) for box in boxes]
    own = tuple(edges[d].index(0) for d in range(len(extents)))
    found: Counter[tuple[bool, ...]] = Counter()
    for cell in product(*(range(2 * len(edge) - 1) for edge in edges)):
        if not _holds(own, cell, edges) and any(_holds(place, cell, edges) for place in places):
            sizes = (_width(edges[d], at) for d, at in enumerate(cell))
            found[tuple(at == len(edges[d]) - 1 for d, at in enumerate(cell))] += prod(sizes)
    middles = [extent - (edge[-1] - edge[0]) for extent, edge in zip(extents, edges)]
    return sum_of(prod((m for m, is_in in zip(middles, inside) if is_in), start=ONE) * n for inside, n in found.items())


def _holds(place: Sequence[int], cell: Sequence[int], edges: Sequence[Sequence[int]]) -> bool:
    """Cells are numbered along a dimension: begins, the middle, ends."""
    last = [len(edge) - 1 for edge in edges]
    return all(at == end or (p <= at if at < end else p >= at - end) for p, at, end in zip(place, cell, last))


def _width(edge: Sequence[int], at: int) -> int:
    """Of a cell; 1 for the middle, whose width is symbolic."""
    last = len(edge) - 1
    if at == last:
        return 1
    first = at if at < last else at - last - 1
    return edge[first + 1] - edge[first]


def shared(time: TimePrediction, nodes: int, seconds: float) -> TimePrediction:
    """The time of one of the nodes: its part of the work, and the exchange."""
    own = time.expected / nodes
    whole = own + seconds
    parts = {**{name: share * own / whole for name, share in time.parts.items()}, "network": seconds / whole}
    bounds = {**{name: least / nodes for name, least in time.bounds.items()}, "network": seconds}
    least = max(time.at_least / nodes, seconds)
    return replace(time, expected=whole, at_least=least, parts=parts, each_least=bounds)
