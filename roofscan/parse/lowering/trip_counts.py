"""Trip counts that depend on data: one symbol a loop, and the total over the rows of a CSR structure."""

from __future__ import annotations

from collections.abc import Sequence

from roofscan.ir.conditions import Condition
from roofscan.ir.tree import Loop
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import loop_variables
from roofscan.parse.lowering.values import Scalar
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol


def rows_total(cx: Context, start: Scalar, stop: Scalar, line: int) -> tuple[Expr, str, Expr] | None:
    """``p[i]`` and ``p[i + 1]`` in a loop over i: the rows of a CSR structure, whose lengths add up. The total, the
    loop over the rows, and the mean length of a row."""
    a, b = start.loaded_from, stop.loaded_from
    if a is None or b is None or a[0] != b[0] or len(a[1]) != 1 or len(b[1]) != 1:
        return None
    first, last = a[1][0], b[1][0]
    if first is None or last is None or last - first != ONE:
        return None
    for loop in reversed(cx.builder.loops):
        walks = _walks(loop, cx.builder.loops)
        if first.is_linear_in([loop.var]) and first.coefficient(loop.var) == ONE and walks is not None:
            low, high = (loop.stop + 1, loop.start + 1) if loop.step == -ONE else (loop.start, loop.stop)
            low = low if walks == ONE else ZERO
            rows = first.subs({loop.var: ZERO})
            guards = tuple(c for c in cx.builder.guards if loop.var in c.expr.symbols)
            end = _guarded(high, loop.var, guards)
            span = f"{a[0]}[{rows + end}] - {a[0]}[{rows + low}]: " if end is not None else ""
            key = (a[0], loop.var, guards)
            meaning = f"{span}all rows of {a[0]} together" if span else f"all rows of {a[0]} that the loop visits"
            total = cx.builder.once(("total", *key), "nnz", "total", meaning, line)
            mean = cx.builder.once(("mean", *key), f"{total}_per_row", "trips", f"{total} over the rows", line)
            cx.builder.reason(line, f"the rows of {a[0]} have lengths that depend on data", "parametric")
            cx.builder.row_totals.update(dict.fromkeys(mean.symbols, (total, loop.var)))
            if end is not None:
                cx.builder.row_spans[str(total), str(mean)] = (a[0], rows + low, rows + end)
            return total / walks, loop.var, mean
    return None


def _walks(loop: Loop, around: Sequence[Loop]) -> Expr | None:
    """How many walks of a loop visit all of its rows together: one, or as many as its steps are wide, where another
    loop gives each walk its start. None of other loops."""
    if loop.step in (ONE, -ONE):
        return ONE
    starts = [outer for outer in around if loop.start == symbol(outer.var) and outer.step == ONE]
    return loop.step if starts and starts[0].start == ZERO and starts[0].stop == loop.step else None


def _guarded(high: Expr, var: str, guards: Sequence[Condition]) -> Expr | None:
    """The end of a loop that a guard ``var < end`` cuts; None where guards leave out other iterations."""
    if not guards:
        return high
    ends = [guard.expr + symbol(var) + 1 for guard in guards]
    plain = all(guard.relation == "ge" and not guard.modulus for guard in guards)
    return ends[0] if plain and len(ends) == 1 and not loop_variables(ends[0]) else None


def trip_symbol(cx: Context, line: int, name: str, meaning: str) -> Expr:
    """The symbol for the trips of the loop of that line (one, however often the loop is lowered)."""
    return cx.builder.once(("trips", cx.frame.dotted, line, name), name or f"trips_{line}", "trips", meaning, line)


def is_averaged(cx: Context, count: Expr) -> bool:
    """Whether data change a number of iterations from one execution of the loop to the next, and it is not linear in
    means: half of a mean number, rounded, or as many as the iterations so far of a loop that data end."""
    if not cx.builder.loops or count.constant is not None:
        return False
    means = cx.builder.means_in(count)
    return not count.is_linear_in(means) or not count.symbols.isdisjoint(cx.builder.data_placeholders)
