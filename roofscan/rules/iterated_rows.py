"""RFL506: rows and elements that iteration or unpacking gives, of which Numba knows no stride."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from roofscan.advice.gain import counted
from roofscan.advice.loop_code import CodeChange, default_floats, speedup
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Leaf, Loop
from roofscan.ir.visitor import accesses, loops_of, map_leaves, walk_with_blocks
from roofscan.remedy import all_of, compile_with, do
from roofscan.rules.any_strides import FASTMATH
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times

MAX_NAMED = 2  # arrays that a message names

CODE = Code(
    id="RFL506",
    title="what a loop iterates over has any strides",
    remedy="subscripts",
    location="loop",
    meaning="""
        Iteration over an array of several axes (for row in X, enumerate, zip) and unpacking of it (a, b = X) give
        views that Numba types for any strides, although X is in C order. The compiler does not know that neighbouring
        elements of such a row are neighbours in memory, so loops over them are scalar code. So is a loop over the
        elements of an array (for v in x). What a subscript takes, X[i], keeps the layout.""",
    why="""
        Measured under Numba 0.68 with fastmath, on 200 rows of 100 elements: the sum of each row is 6.6 times as fast
        by subscript, the products of rows of two arrays 5.3 times, and x.sum() of each row 5.4 times; with 30 elements
        2.6, 3.7 and 2.9 times. With for v in x, a sum of 1,000 elements takes 4.4 times as long as with x[i], and
        out[i] = 2*v + 1 takes 1.7 times as long, without fastmath 1.6 times.""",
    action="""
        Write for i in range(len(X)) with row = X[i], and a, b = X[0], X[1] in place of a, b = X. The result is the
        same. A chain of additions also needs fastmath={"reassoc", "nsz"}.""",
    bad="""
        from numba import njit

        @njit(fastmath=True)
        def sums(X, y, out):
            for k, row in enumerate(X):
                s = 0.0
                for j in range(len(row)):
                    s += row[j] * y[j]
                out[k] = s
        """,
    good="""
        from numba import njit

        @njit(fastmath=True)
        def sums(X, y, out):
            for k in range(len(X)):
                row = X[k]
                s = 0.0
                for j in range(len(row)):
                    s += row[j] * y[j]
                out[k] = s
        """,
)
YIELDS_TO = ("RFL202", "RFL504")


def may_apply(context: RuleContext) -> bool:
    kernel = context.kernel
    if not kernel.decorator.compiled or kernel.on_gpu or context.hardware.kind == "gpu":
        return False
    return has_roofline(context) and any(access.any_stride for access in accesses(kernel.body))


def find(context: RuleContext) -> Iterator[Finding]:
    point = context.point
    kernel = point.cost.kernel
    taken = dict(_taken(kernel))
    if not taken:
        return
    for changed in _by_subscript(kernel, taken):
        found = speedup(point, CodeChange((), frozenset(), counted(point, changed).cost.nests))
        if found:
            by_subscript = f"{_what(kernel, tuple(taken))} by subscript"
            if changed.decorator.fastmath and not kernel.decorator.fastmath:
                remedy = all_of([do("take", by_subscript), compile_with(FASTMATH)])
            else:
                remedy = do("take", f"{by_subscript}, as {_shown(tuple(taken))}")
            message = sentence(context.name, found, remedy, *with_times("iteration allows any strides", found))
            line, about = min(taken.values()), Subject("array", tuple(taken))
            yield context.at(CODE.id, line, 0, message, about, found.figures, more=found.sizes)
            return


def _what(kernel: Kernel, names: tuple[str, ...]) -> str:
    """``rows of X``"""
    kind = "elements" if all(len(kernel.array(name).shape) == 1 for name in names) else "rows"
    return f"{kind} of {' and '.join(names) if len(names) <= MAX_NAMED else 'its arrays'}"


def _shown(names: tuple[str, ...]) -> str:
    return f"{names[0]}[i]"


def _taken(kernel: Kernel) -> Iterator[tuple[str, int]]:
    """The arrays whose rows the function itself takes, and the lines of the loops that do (else its own)."""
    for access, around in walk_with_blocks(kernel.body):
        if isinstance(access, Access) and access.any_stride and not kernel.array(access.array).any_stride:
            every = loops_of(around)
            over = next((loop for loop in every if loop.over_items), None)
            if over is not None and not over.is_elsewhere:
                yield access.array, over.line
            elif over is None and not any(map(_is_elsewhere, every)):
                yield access.array, kernel.line


def _is_elsewhere(loop: Loop) -> bool:
    return loop.is_elsewhere


def _by_subscript(kernel: Kernel, taken: Collection[str]) -> Iterator[Kernel]:
    """The kernel with rows of known strides, then with sums along rows in any order too: not of a vector of which
    nothing tells the type, whose items may as well be the integers of a shape."""
    found = replace(kernel, body=map_leaves(kernel.body, _with_strides))
    yield found
    unknown = default_floats(kernel)
    if not kernel.decorator.fastmath and any(len(kernel.array(n).shape) > 1 or n not in unknown for n in taken):
        yield replace(found, decorator=replace(kernel.decorator, fastmath=True))


def _with_strides(leaf: Leaf) -> Leaf:
    return replace(leaf, any_stride=False) if isinstance(leaf, Access) else leaf
