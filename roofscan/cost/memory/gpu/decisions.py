"""Where a number of the model holds: what was decided at the sample point on the way to it. A decision goes with the
number that it led to, so that the decisions of a result are found in what the result is made of."""

from __future__ import annotations

from collections.abc import Iterable

from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, units_of
from roofscan.frozen import dataclass
from roofscan.ir.kinds import BlockGroup


@dataclass(frozen=True, eq=False)
class Decision:
    """``margin`` is at least 0 where the decision is the same. Of a layer condition: ``what`` ``needs`` a cache of so
    many bytes; ``loop``: the variable of the loop whose iterations touch it again."""

    margin: Num
    what: BlockGroup | None = None
    loop: str = ""
    needs: Num = 0


def given(number: Num, *decisions: Decision) -> Num:
    """The number, with what it depends on."""
    open_ = tuple(d for d in decisions if isinstance(d.margin, SampledExpr))
    return SampledExpr(units_of(number), "given", number, open_) if open_ else number


def least(a: Num, b: Num) -> Num:
    """The smaller of two numbers at the sample point."""
    return given(a, Decision(b - a)) if a <= b else given(b, Decision(a - b))


def most(a: Num, b: Num) -> Num:
    """The larger of two numbers at the sample point."""
    return given(a, Decision(a - b)) if a >= b else given(b, Decision(b - a))


def decisions_of(numbers: Iterable[Num]) -> list[Decision]:
    """All that the numbers depend on, each once."""
    found: dict[int, Decision] = {}
    seen: set[int] = set()
    pending: list[object] = list(numbers)
    while pending:
        number = pending.pop()
        if not isinstance(number, SampledExpr) or id(number) in seen:
            continue
        seen.add(id(number))
        if number.op == "given" and isinstance(number.right, tuple):
            for decision in number.right:
                found[id(decision)] = decision
                pending.append(decision.margin)
        pending.extend(number.left if isinstance(number.left, tuple) else (number.left, number.right))
    return list(found.values())
