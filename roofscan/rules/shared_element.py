"""RFL601: the threads of a prange loop change the same element or variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Block, Carried, Leaf, Loop, Operation
from roofscan.ir.visitor import conditions_of, leaves, loops, loops_of, walk_with_blocks
from roofscan.rules.faster_code import element
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext, Stage
from roofscan.rules.sentence import shortest

CODE = Code(
    id="RFL601",
    title="threads change the same element or variable",
    remedy="race",
    location="statement",
    meaning="""
        Each iteration of a prange loop changes the same element of an array, or replaces a variable that others
        compare with. Iterations run concurrently, so updates of other threads are lost, and the result differs from
        run to run. Numba makes reductions of += and *= on variables and whole arrays, and of max() and min(). It makes
        none of elements or slices, or of a comparison followed by an assignment.""",
    why="""
        Measured under Numba 0.68 with two threads: h[0] += x[i] in a prange loop ends at half the sum, h[j] += A[i, j]
        at a quarter to a half, `if x[i] > b: b = x[i]` leaves b as it was before the loop, and a running sum
        starts again in each thread.""",
    action="""
        Add up in a variable, or give each iteration an element of its own and add these up after the loop. Write
        b = max(b, x[i]) for a maximum. Where the inner loop runs over the elements, make it the prange loop.""",
    bad="""
        from numba import njit, prange

        @njit(parallel=True)
        def total(x, h):
            for i in prange(len(x)):
                h[0] += x[i]
        """,
    good="""
        from numba import njit, prange

        @njit(parallel=True)
        def total(x, h):
            s = 0.0
            for i in prange(len(x)):
                s += x[i]
            h[0] += s
        """,
)
NEEDS = Stage.KERNEL

REDUCTIONS = ("add", "sub", "mul", "minmax")
DATA = ("trips", "total", "length")  # kinds of symbols of loops whose start the data may move


def may_apply(context: RuleContext) -> bool:
    return context.kernel.decorator.compiled and not context.kernel.on_gpu and any(parallel_loops(context.kernel))


def find(context: RuleContext) -> Iterator[Finding]:
    kernel, reported = context.kernel, set[str]()
    for loop in parallel_loops(kernel):
        by_remedy: dict[str, dict[str, Access]] = {}  # the first store into each array
        reduced, nodes = set(_reduced(loop)), {node.id: node for node in leaves(loop.body)}
        for store in _shared_stores(kernel, loop):
            if store.array not in reported and not (store.array in reduced and _adds_up(store, nodes)):
                reported.add(store.array)
                by_remedy.setdefault(_remedy(store, loop), {})[store.array] = store
        yield from (_of_elements(context, loop, *found) for found in by_remedy.items())
        private = dict(_private(loop))
        if private:
            first: dict[str, str] = {}  # variable of each remedy
            for name, remedy in private.items():
                first.setdefault(remedy, name)
            remedies = " and ".join(remedy.format(name=name) for remedy, name in first.items())
            message = f"{context.name}: race, each thread has its own {' and '.join(private)}; {remedies}"
            yield context.at(CODE.id, loop.line, 0, message, Subject("loop", (loop.source_name, *private)))


def parallel_loops(kernel: Kernel) -> Iterator[Loop]:
    """The outermost ones, whose iterations threads share, of this function."""
    for node, around in walk_with_blocks(kernel.body):
        if isinstance(node, Loop) and node.parallel and not node.array_expression and not node.is_elsewhere:
            if not any(loop.parallel for loop in loops_of(around)):
                yield node


# -- elements ---------------------------------------------------------------------------------------
def _remedy(store: Access, loop: Loop) -> str:
    nodes = {node.id: node for node in leaves(loop.body)}
    if _adds_up(store, nodes):
        return f"add up in a variable, or in an element for each {loop.source_name}"
    if _is_updated(store, nodes.values()) or _is_state(store, loop):
        return f"use an element of its own for each {loop.source_name}"
    return "make {} in the loop"


def _of_elements(context: RuleContext, loop: Loop, remedy: str, stores: Mapping[str, Access]) -> Finding:
    """At the first store or, where a called function stores, at the loop."""
    kernel, first = context.kernel, next(iter(stores.values()))
    changed = ", ".join(element(kernel, store) for store in stores.values())
    what = remedy.format(", ".join(stores))
    message = shortest(
        [
            f"{context.name}: race, all threads change {changed}; {what}",
            f"{context.name}: race, all threads change {', '.join(stores)}; {remedy.format('them')}",
        ]
    )
    is_own = kernel.line <= first.line <= kernel.end_line
    line, column = (first.line, first.column) if is_own else (loop.line, 0)
    return context.at(CODE.id, line, column, message, Subject("array", tuple(stores)))


def _shared_stores(kernel: Kernel, loop: Loop) -> Iterator[Access]:
    """Stores to elements that are the same in every iteration, of values that are not."""
    nodes = {node.id: node for node in leaves(loop.body)}
    for node, around in walk_with_blocks(loop.body):
        if isinstance(node, Access) and node.write and node.regular and _is_same(kernel, loop, node, around):
            if _varies(node, nodes, loop.var) or _is_state(node, loop):
                yield node


def _is_same(kernel: Kernel, loop: Loop, store: Access, around: tuple[Block, ...]) -> bool:
    array, inner = kernel.array(store.array), {each.var: each for each in loops_of(around)}
    moved = frozenset[str]().union(*(e.symbols for e in store.index if e is not None))
    made_here = array.is_made and (
        loop.var in (*array.fresh_in, *array.made_in) or loop.line <= array.line <= loop.end_line
    )
    if (
        loop.var in moved
        or made_here
        or any(e.array_expression and (e.callee or _is_reduction(store, loop)) for e in inner.values())
    ):
        return False
    if any(loop.var in condition.expr.symbols for condition in conditions_of(around)):
        return False
    by_data = {s.name for s in kernel.symbols if s.kind in DATA}
    return all(
        each.start.symbols.isdisjoint({loop.var, *inner}) and each.stop.symbols.isdisjoint(by_data) and not each.state
        for var, each in inner.items()
        if var in moved
    )


def _reduced(loop: Loop) -> Iterator[str]:
    """Arrays that a statement adds a whole array to: each thread has its own, and so has what adds to one element."""
    for node, around in walk_with_blocks(loop.body):
        inside = any(each.array_expression and not each.callee for each in loops_of(around))
        if isinstance(node, Access) and node.write and inside and _is_reduction(node, loop):
            yield node.array


def _is_reduction(store: Access, loop: Loop) -> bool:
    """Whether it is of a whole array, which each thread may have for itself; of a slice it is not."""
    return not store.written and _is_updated(store, leaves(loop.body))


def _is_updated(store: Access, nodes: Iterable[Leaf]) -> bool:
    """Whether the same statement reads the element."""
    place = (store.array, store.index, store.line)
    return any(isinstance(n, Access) and not n.write and (n.array, n.index, n.line) == place for n in nodes)


def _adds_up(store: Access, nodes: Mapping[int, Leaf]) -> bool:
    """Whether a statement adds to the element, or multiplies it: threads may do a part each. A generator of random
    numbers also computes the next element from the last."""
    made = (nodes.get(number) for number in store.inputs)
    operands = {i for node in made if isinstance(node, Operation) and node.kind in REDUCTIONS for i in node.inputs}
    return _is_updated(store, (nodes[i] for i in operands & nodes.keys()))


def _varies(store: Access, nodes: Mapping[int, Leaf], var: str) -> bool:
    """Whether the value that is stored comes from what the iteration reads, or from the element itself."""
    if _is_updated(store, nodes.values()):
        return True
    reads = (node for node in _made_of(store, nodes, ()) if isinstance(node, Access))
    return any(not read.regular or any(e and var in e.symbols for e in read.index) for read in reads)


def _is_state(store: Access, loop: Loop) -> bool:
    """Whether the value that is stored is computed from the element, as that of a generator of random numbers."""
    nodes = {node.id: node for node in leaves(loop.body)}
    made_of = [*_made_of(store, nodes, [each for inner in loops(loop.body) for each in inner.carried])]
    own = any(isinstance(n, Access) and (n.array, n.index) == (store.array, store.index) for n in made_of)
    return store.regular and own and any(isinstance(n, Operation) for n in made_of)


def _made_of(store: Access, nodes: Mapping[int, Leaf], carried: Iterable[Carried]) -> Iterator[Leaf]:
    """What the value that is stored comes from, through the variables that inner loops carry."""
    return (nodes[number] for number in _sources(store.inputs, nodes, carried) if number in nodes)


def _sources(made: Iterable[int], nodes: Mapping[int, Leaf], carried: Iterable[Carried]) -> Iterator[int]:
    """The values that others come from, and these."""
    through = {each.entry: (each.exit, *each.others, *filter(None, (each.initial,))) for each in carried}
    open_, seen = list(made), set[int]()
    while open_:
        number = open_.pop()
        if number in seen:
            continue
        seen.add(number)
        yield number
        open_.extend(through.get(number, ()))
        if number in nodes:
            open_.extend(nodes[number].inputs)


# -- variables --------------------------------------------------------------------------------------
def _private(loop: Loop) -> Iterator[tuple[str, str]]:
    """Variables that a branch replaces where a comparison with them fails, and sums that are stored on the way, each
    with what to do, for its name."""
    nodes = {node.id: node for node in leaves(loop.body)}
    compared = {i for n in nodes.values() if isinstance(n, Operation) and n.kind == "compare" for i in n.inputs}
    stored = {i for n in nodes.values() if isinstance(n, Access) and n.write for i in n.inputs}
    inner = [each for x in loops(loop.body) for each in x.carried]
    for carried in loop.carried:
        updated = isinstance(nodes.get(carried.exit), Operation)
        if carried.entry in compared and carried.exit != carried.entry and not updated:
            yield carried.name, "write {name} = max({name}, ...), or min"
        elif updated and carried.exit in stored and carried.entry in _sources((carried.exit,), nodes, inner):
            yield carried.name, "for a running sum write range"
