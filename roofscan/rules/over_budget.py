"""RFL104: a kernel computes or moves more than its pragma grants it."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from roofscan.finding import Finding
from roofscan.frozen import dataclass
from roofscan.ir.kernel import ABOVE
from roofscan.rules.conditions import has_roofline
from roofscan.rules.rule import Code
from roofscan.rules.rule_context import RuleContext
from roofscan.symbolic.expr import Expr
from roofscan.units import figure, si

WIDTH = 30  # characters of an expression in a message

CODE = Code(
    id="RFL104",
    title="a kernel exceeds its budget",
    location="kernel",
    meaning="""
        The pragma of the kernel has a budget: "expect dram<=16*n flops<=7*n" allows 16*n bytes across the memory
        interface and 7*n FLOPs. The kernel exceeds it at the sizes of its verdict. Bytes may exceed a budget by two
        cache lines per array, because an array may end within a line. Where the figure is only an upper bound, the
        budget cannot be checked, and a note says so.""",
    why="""
        A budget states what a kernel was designed for. A change that adds a temporary, a pass over the data or an
        operation then fails the check at once, not in the next benchmark.""",
    action="""
        Revert the change that raised the cost, or raise the budget. Budgets name flops and the levels of the machine
        (dram, l3, l2, l1). Expressions consist of numbers, the names of sizes as in the report, + - * / ** and
        parentheses.""",
    bad="""
        from numba import njit

        # roofscan: x=f8[n] y=f8[n] expect dram<=16*n flops<=2*n
        @njit
        def axpy(a, x, y):
            for i in range(len(x)):
                y[i] += a * x[i]
        """,
    good="""
        from numba import njit

        # roofscan: x=f8[n] y=f8[n] expect dram<=24*n flops<=2*n
        @njit
        def axpy(a, x, y):
            for i in range(len(x)):
                y[i] += a * x[i]
        """,
    remedy="cut or raise",
)


def may_apply(context: RuleContext) -> bool:
    return bool(context.kernel.budgets) and has_roofline(context)


def find(context: RuleContext) -> Iterator[Finding]:
    for budget in context.kernel.budgets:
        if not budget.most.symbols <= {symbol.name for symbol in context.kernel.symbols}:
            continue  # RFL901 says so
        spent, granted = _spent(context, budget.name), context.point.evaluation.value_or_none(budget.most)
        if spent is None:
            names = ", ".join(["flops", *(i.name.lower() for i in context.point.interfaces)])
            message = f"{context.name}: {budget.name} is none of {names}; write one of these in its budget"
            yield context.at_def(CODE.id, message)  # a warning: nothing checks this budget
        elif spent.amount is None or granted is None:
            yield _note(context, f"{budget.name} is not known; take it out of its budget, or bind the sizes")
        elif spent.amount > granted + spent.slack:
            if spent.is_at_most:
                yield _note(
                    context, f"{budget.name} is at most {_shown(spent)}; take it out of its budget, or raise it"
                )
            else:
                factor = f"{figure(float(spent.amount / granted), 2)}x " if granted > 0 else ""
                what = f"{_shown(spent)}, {factor}its budget of {_text(budget.most)}{spent.unit}"
                figures = (("spent", float(spent.amount)), ("granted", float(granted)))
                message = f"{context.name}: {budget.name} takes {what}; cut it, or raise the budget"
                yield context.at_def(CODE.id, message, figures)


@dataclass(frozen=True)
class _Spent:
    expr: Expr
    amount: Fraction | None  # where the kernel is judged
    is_at_most: bool
    unit: str = ""
    slack: int = 0


def _spent(context: RuleContext, name: str) -> _Spent | None:
    """None for a name that is neither flops nor a level's."""
    point = context.point
    if name == "flops":
        upper = any(reason.effect in ABOVE for reason in point.cost.kernel.reasons)
        return _Spent(point.cost.flops, point.evaluation.value_or_none(point.cost.flops), upper)
    lines = 2 * len(point.cost.kernel.arrays) * context.line
    for interface in point.interfaces:
        if interface.name.lower() == name:
            upper = interface.traffic.status == "upper_bound"
            moved = interface.curves.traffic_model.bytes(interface.capacity)
            return _Spent(moved, interface.moved, upper, " B", lines if interface.capacity else 0)
    return None


def _shown(spent: _Spent) -> str:
    text = str(spent.expr)
    number = "" if spent.amount is None else si(float(spent.amount))
    return f"{text if len(text) <= WIDTH else number}{spent.unit}"


def _text(expr: Expr) -> str:
    text = str(expr)
    return text if len(text) <= WIDTH else f"{text[:WIDTH]}.."


def _note(context: RuleContext, message: str) -> Finding:
    return context.at_def(CODE.id, f"{context.name}: {message}", (("gain", 1.0),))
