"""What the rules share that promise a shorter time for the same loops and the same traffic."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from roofscan.advice.loop_code import WORTHWHILE, CodeChange, core_gain, speedup
from roofscan.advice.modest_sizes import pays_at_modest_sizes
from roofscan.cost.compiled.compiled_loop import tested_divisions
from roofscan.cost.loop_body import reads_of_written_rows
from roofscan.cost.result import KernelCost
from roofscan.finding import Finding, Subject
from roofscan.ir.kernel import Kernel
from roofscan.ir.kinds import ScalarReason
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses, loops
from roofscan.remedy import Remedy, all_of, compile_with, do
from roofscan.roofline.left_of_ridge import in_source_symbols
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule_context import RuleContext
from roofscan.rules.sentence import sentence, with_times
from roofscan.symbolic.expr import Expr

WIDTH = 20  # characters of an element or a start in a message

VIEWS = "views from 0"
NUMPY_ERRORS = 'error_model="numpy"'

FindChange = Callable[[KernelCost], CodeChange | None]
Words = Callable[[Kernel, CodeChange], tuple[Remedy, str]]  # what to do, and why


def may_be_faster(find_change: FindChange, has_fault: Callable[[Kernel], bool]) -> Callable[[RuleContext], bool]:
    """``has_fault``: whether a loop may have the fault, by the source alone."""

    def may_apply(context: RuleContext) -> bool:
        kernel, counts = context.kernel, context.counts
        if not kernel.decorator.compiled or kernel.on_gpu or context.hardware.kind == "gpu":
            return False
        if not has_roofline(context):
            return False
        if counts is None:
            return has_fault(kernel)
        change = find_change(counts)
        return change is not None and core_gain(counts, context.hardware, change) >= WORTHWHILE

    return may_apply


def faster(
    code: str, find_change: FindChange, words: Words, at_best: float = WORTHWHILE, at_modest: float = 0.0
) -> Callable[[RuleContext], Iterator[Finding]]:
    """The ``find`` of a rule: one finding a kernel, at the loop with most iterations of those that it is about.
    ``at_best``, ``at_modest``: the least gains where sizes are free, at the best of them and at modest ones."""

    def find(context: RuleContext) -> Iterator[Finding]:
        point = context.point
        change = find_change(point.cost)
        found = change and speedup(point, change, at_best if point.evaluation.path.symbol else WORTHWHILE)
        if change and found and (not at_modest or pays_at_modest_sizes(point, change, at_modest)):
            named = tuple(sorted({loop.line for loop in change.loops}))
            about = Subject("loop", tuple(dict.fromkeys(loop.source_name for loop in change.loops)))
            remedy, why = words(point.cost.kernel, change)
            message = sentence(context.name, found, remedy, *with_times(why, found))
            lines = named if len(named) > 1 else ()
            line, more = change.loops[0].line, found.sizes
            yield context.at(code, line, 0, message, about, found.figures, lines, more)

    return find


def remedies(kernel: Kernel, change: CodeChange, first: ScalarReason) -> Remedy:
    """``copy A[i, k] to a scalar before the loop over j and compile with error_model="numpy"``: what removes each
    fault of the loops, ``first`` before the others."""
    found: dict[ScalarReason, Remedy] = {}
    if "overlap" in change.faults:
        found["overlap"] = _copy(kernel, change)
    if change.faults & {"index test", "rows"}:
        found["index test"] = do("walk", f"{VIEWS} {_variable(change)}" if first == "index test" else VIEWS)
    if "division" in change.faults:
        found["division"] = _divisors_before(kernel, change) or error_model(kernel, change)
    return all_of(found[fault] for fault in sorted(found, key=lambda fault: fault != first))


def _copy(kernel: Kernel, change: CodeChange) -> Remedy:
    loop = change.loops[0]
    reads = tuple(reads_of_written_rows(tuple(accesses(loop.body)), loop.var))
    names = dict.fromkeys(element(kernel, read) for read in reads)
    legal = "" if all(_is_outside(loop, read.index[-1]) for read in reads) else " (if legal)"
    return do("copy", f"{' and '.join(names)} to a scalar{legal} before {over(change)}")


def _divisors_before(kernel: Kernel, change: CodeChange) -> Remedy | None:
    """``compute the divisor before the loop over j``, where the tested divisors are powers that stay the same."""
    if any(tested_divisions(kernel, loop, powers=False) for loop in change.loops):
        return None
    return do("compute", f"the divisor before {over(change)}")


def error_model(kernel: Kernel, change: CodeChange) -> Remedy:
    """``compile with error_model="numpy"``, where the divisions are in called functions with their names."""
    by = {op.tested_by for loop in change.loops for op in tested_divisions(kernel, loop)}
    called = sorted("it" if name == kernel.name else name.rpartition(".")[2] for name in by)
    if by == {kernel.name}:
        return compile_with(NUMPY_ERRORS)
    return do("compile", f"{' and '.join(called)} with {NUMPY_ERRORS}")


def _is_outside(loop: Loop, subscript: Expr | None) -> bool:
    """Whether it is before or behind all that a loop runs through."""
    if subscript is None:
        return False
    before, behind = (loop.start - subscript).constant, (subscript - loop.stop).constant
    return (before is not None and before > 0) or (behind is not None and behind >= 0)


def over(change: CodeChange) -> str:
    """``the loop over j``, ``the loops over j (lines 12, 15)``"""
    return f"the loop{'s' if len({loop.line for loop in change.loops}) > 1 else ''} {_variable(change)}"


def _variable(change: CodeChange) -> str:
    """``over j``, ``over j (lines 12, 15)``"""
    lines = sorted({loop.line for loop in change.loops})
    more = f" (lines {', '.join(map(str, lines))})" if len(lines) > 1 else ""
    return f"over {change.loops[0].source_name}{more}"


def element(kernel: Kernel, access: Access) -> str:
    """``A[i, k]`` as in the source, or the array alone where that is long or not known."""
    subscripts = [None if e is None else _in_source(kernel, e) for e in access.index]
    text = f"{access.array}[{', '.join(map(str, subscripts))}]"
    return access.array if None in subscripts or len(text) > WIDTH else text


def _in_source(kernel: Kernel, expr: Expr) -> str | None:
    """An expression with the names of the source; None where a symbol has none."""
    names = {loop.var: Expr.of(loop.source_name) for loop in loops(kernel.body) if loop.source_name}
    rest = expr.subs(dict.fromkeys(names.keys() & expr.symbols, Expr()))
    text = str(expr.subs({var: name for var, name in names.items() if var in expr.symbols}))
    return text if in_source_symbols(kernel, rest) and not expr.atoms else None
