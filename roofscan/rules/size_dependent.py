"""RFL103: left of the ridge for some sizes only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction

from roofscan.advice.gain import is_timed, with_blocks
from roofscan.cost.memory.base import ReuseClass
from roofscan.cost.transform.tile import may_be_blocked
from roofscan.finding import Finding
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses, loops
from roofscan.remedy import Remedy, do
from roofscan.roofline.interfaces import InterfaceTraffic
from roofscan.roofline.left_of_ridge import held_by_memory, in_source_symbols, is_near
from roofscan.roofline.memory_bound_sizes import MemoryBoundSizes
from roofscan.roofline.size_paths import free_sizes
from roofscan.roofline.size_range import SOMETIMES
from roofscan.rules import strided_access
from roofscan.rules.conditions import may_be_left_of_ridge
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext, lines_of_sizes, memory_bound, other_sizes
from roofscan.rules.sentence import sentence
from roofscan.symbolic.expr import Expr
from roofscan.symbolic.intervals import complement
from roofscan.units import distinct, figure

LEAST_GAIN = 1.4  # at the most, that blocks must promise: they are much to write

CODE = Code(
    id="RFL103",
    title="memory-bound for some sizes",
    remedy="by size",
    location="kernel",
    meaning="""
        For the sizes in the message the kernel does fewer FLOPs per byte than the ridge point of the machine; for
        other sizes it computes at full speed. Either the data that it reuses outgrow a cache, or a dimension (a batch,
        a tile) is too small for the work to outweigh the traffic.""",
    why="""
        A benchmark at one size says nothing about the other side of the threshold. The range says which sizes
        to avoid, or from which size on another loop structure pays.""",
    action="""
        If the range has no end, tile the loops so that the data they reuse stay in a cache. If it ends, make the named
        size larger than that: batch small problems together. If your sizes are outside the range, say so in a pragma
        above the def: # roofscan: n=256. The code is reported only where one of these remedies is known to be
        possible, and only for sizes at which a call takes less than a minute.""",
    bad="""
        from numba import njit

        # roofscan: x=f8[b,4096] W=f8[4096,4096]
        @njit
        def layer(x, W):
            return x @ W
        """,
    good="""
        from numba import njit

        # roofscan: x=f8[256,4096] W=f8[4096,4096]
        @njit
        def layer(x, W):
            return x @ W
        """,
)


YIELDS_TO = ("RFL101",)
MAX_NAMED = 2  # arrays in a message
LONG_SIZE = 10_000_000


def may_apply(context: RuleContext) -> bool:
    return not context.kernel.is_helper and may_be_left_of_ridge(context)


def find(context: RuleContext) -> Iterator[Finding]:
    interface = held_by_memory(context.point)
    size_range = context.point.size_range
    if interface is None or size_range.how != SOMETIMES or size_range.bound_sizes is None or interface.ridge is None:
        return
    if context.point.cost.kernel.is_helper:  # how large its data is, and where it lies, its callers know
        return
    ridge = float(interface.ridge)
    share = context.point.intensity(interface) / ridge
    if is_near(min(share, 1 / share), context.point):
        return
    advised = _advise(context, interface, size_range.bound_sizes, ridge)
    if advised is None:
        return
    speedup = with_blocks(context.point, interface.capacity) if advised.blocks else None
    if advised.blocks and is_timed(context.point) and (speedup is None or speedup.gain < LEAST_GAIN):
        return
    why = memory_bound(context, advised.intensity, figure(ridge))
    message = sentence(context.name, speedup, advised.remedy, *why, at_most=True, naming=(0,))
    figures = (("intensity", share * ridge), ("ridge", ridge), *(speedup.figures if speedup else ()))
    lines, more = lines_of_sizes(context), other_sizes(context.point)
    yield context.at_def(CODE.id, message, figures, lines, advised.defers_to, more)


@dataclass(frozen=True)
class _Advised:
    """Figures and what to do. ``defers_to``: the code that says what to do first."""

    intensity: str
    remedy: Remedy
    defers_to: str = ""
    blocks: bool = False  # the remedy keeps in the cache what is used again


def _advise(
    context: RuleContext, interface: InterfaceTraffic, bound_sizes: MemoryBoundSizes, ridge: float
) -> _Advised | None:
    """The most relevant figures, and what to do: both depend on which end of the sizes is memory-bound. None where
    nothing is known that helps: loops that may not be blocked, small problems that no library takes together, and sizes
    at which a call would take longer than anybody waits."""
    may_be_chosen = _may_be_chosen(context, bound_sizes.path.symbol)
    if bound_sizes.path.others == "fixed":
        return _Advised("", _keep_within(bound_sizes)) if may_be_chosen else None
    if bound_sizes.ranges[-1][1] is None:
        intensity = f"AI {distinct(context.point.intensity(interface), ridge)[0]}, "
        if strided_access.applies_to(context):
            return _Advised(intensity, strided_access.TRAVERSE_LINES_FIRST, strided_access.CODE.id)
        remedy = _keep_in_cache(context, interface)
        return _Advised(intensity, remedy, blocks=True) if remedy else None
    if len(free_sizes(context.point.cost)) == 1 and may_be_chosen:
        return _Advised("", _keep_within(bound_sizes))
    batches = context.point.cost.calls_library
    return _Advised("", do("batch", "small problems into larger ones")) if batches else None


def _may_be_chosen(context: RuleContext, symbol: str) -> bool:
    """Whether somebody may choose a size: a parameter, or how many items an array holds, not the extent of a matrix in
    an array of matrices."""
    kernel = context.point.cost.kernel
    extents = (each.extent for each in kernel.symbols if each.name == symbol and each.extent)
    inner = (kernel.array_named.get(name) for extent in extents if extent.dimension for name in extent.arrays)
    return not any(array is not None and len(array.shape) > 2 for array in inner)


def _keep_within(bound_sizes: MemoryBoundSizes) -> Remedy:
    (lo, hi), name = complement(bound_sizes.ranges, (1, None))[0], bound_sizes.path.symbol
    if hi is None:
        return do("make", f"{name} at least {lo}")
    return do("keep", f"{name} below {_at_most(hi + 1)}" if lo == 1 else f"{name} between {lo} and {_at_most(hi)}")


def _at_most(size: int) -> str:
    """A size, or where it is long three digits of it that are not above it: 3.11e7 for 31,122,944."""
    step = 10 ** max(0, len(str(size)) - 3)
    return figure(size // step * step) if size >= LONG_SIZE else str(size)


def _keep_in_cache(context: RuleContext, interface: InterfaceTraffic) -> Remedy:
    kernel, carrier = context.point.cost.kernel, _carrier(context, interface)
    loop = next((loop for loop in loops(kernel.body) if loop.var == carrier and not loop.array_expression), None)
    if loop is not None and loop.callee:  # the function that holds it has findings of its own
        return Remedy()
    if may_be_blocked(kernel, carrier):
        return do("tile", f"its loops to keep {_reused(kernel, carrier)} in cache")
    if loop is None or not in_source_symbols(kernel, context.point.cost.flops) or not _takes_steps(kernel, loop):
        return Remedy()
    blocking = f"temporal blocking over {loop.short_title}"
    if context.point.target.precision == "fp64":
        return do("use", f"float32 or, if legal, {blocking}")
    return do("use", f"{blocking}, if legal")


def _takes_steps(kernel: Kernel, loop: Loop) -> bool:
    """Whether each iteration writes what others write too, as steps in time do, of which several could be taken at
    once: not the rows of a matrix that each row is compared with, or columns that are computed one after the other."""
    return any(access.write for access in _again(kernel, loop))


def _again(kernel: Kernel, loop: Loop) -> Iterator[Access]:
    """What every iteration accesses of the arrays that live longer."""
    for access in accesses(loop.body):
        moved = any(e is not None and loop.var in e.symbols for e in access.index)
        if not moved and kernel.array(access.array).is_live:
            yield access


def _reused(kernel: Kernel, carrier: str) -> str:
    """The arrays that a loop walks again, by name where they are few."""
    carriers = (loop for loop in loops(kernel.body) if loop.var == carrier)
    names = list(dict.fromkeys(access.array for loop in carriers for access in _again(kernel, loop)))
    return " and ".join(names) if 0 < len(names) <= MAX_NAMED else "its data"


def _carrier(context: RuleContext, interface: InterfaceTraffic) -> str:
    """The variable of the loop that carries most of the reuse that the cache before an interface loses; "" for none."""
    evaluation, traffic_model = context.point.evaluation, interface.curves.traffic_model
    reuse = traffic_model.cost.reuse
    lost: dict[str, Fraction] = defaultdict(Fraction)
    if reuse is None:
        return ""
    for c in reuse.classes:
        distance, lines = (evaluation.value_or_none(e) for e in _in_the_middle(c))
        weight = evaluation.value_or_none(traffic_model.policy.weight(c, reuse.line))
        if distance is not None and lines is not None and weight and distance > interface.capacity:
            lost[c.place] += lines * weight
    return max(lost, key=lambda place: lost[place], default="")


def _in_the_middle(c: ReuseClass) -> tuple[Expr, Expr]:
    """The distance in the middle of a class, and the lines of all its parts."""
    return c.distance_at(Fraction(c.parts - 1, 2)), c.count * c.parts
