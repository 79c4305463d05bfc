"""The cases of a kernel: one body for each way through the tests that a call makes once, on parameters or on data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import islice

from roofscan.cost.decided_tests import implied, with_decided_branches
from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import ParameterTest
from roofscan.ir.tree import Access, Barrier, Block, Body, Branch, Loop, Operation
from roofscan.ir.visitor import loops, loops_of, walk, walk_with_blocks
from roofscan.symbolic.bounded_evaluation import number
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, Number, symbol

MAX_CASES = 8  # the largest number of cases that are modelled one by one


@dataclass(frozen=True)
class WeightedCase:
    """What runs in one case. ``weight`` is a product of outcomes and their complements: 1 in this case, else 0."""

    weight: Expr
    body: Body


def open_flags(kernel: Kernel, body: Body) -> list[str]:
    """The flags that the branches of a body ask for, in the order of the source."""
    flags = {s.name for s in kernel.symbols if s.kind == "flag"}
    if not flags:
        return []
    shares = (node.share for node in walk(body) if isinstance(node, Branch))
    return list(dict.fromkeys(name for share in shares for name in sorted(share.symbols & flags)))


def cases_of(kernel: Kernel) -> list[WeightedCase]:
    """The cases of a kernel: by all tests that a call makes once, else by those on parameters, as far as they are few;
    else the kernel as it stands."""
    on_data = _shares_of_single_tests(kernel.body)
    for tests in (on_data, frozenset[str]()) if on_data else (on_data,):
        found = list(islice(_cases(kernel, kernel.body, tests, {}, ONE), MAX_CASES + 1))
        if len(found) <= MAX_CASES:
            return found
    return [WeightedCase(ONE, kernel.body)]


def _shares_of_single_tests(body: Body) -> frozenset[str]:
    """The symbols of tests on data outside of loops that guard a loop."""
    outside: set[str] = set()
    inside: set[str] = set()
    for node, around in walk_with_blocks(body):
        if isinstance(node, Branch):
            once = not loops_of(around)
            (outside if once else inside).update(node.share.symbols if not once or any(loops(node.body)) else ())
    return frozenset(outside - inside)


def _cases(
    kernel: Kernel, body: Body, tests: frozenset[str], known: Mapping[str, Number], weight: Expr
) -> Iterator[WeightedCase]:
    shares = (node.share for node in walk(body) if isinstance(node, Branch))
    names = open_flags(kernel, body) or [name for share in shares for name in sorted(share.symbols & tests)]
    if not names:
        yield WeightedCase(weight, body)
        return
    for value, factor in ((1, symbol(names[0])), (0, ONE - symbol(names[0]))):
        values = _with(kernel, known, names[0], value)
        yield from _cases(kernel, with_decided_branches(body, values), tests, values, weight * factor)


def _with(kernel: Kernel, known: Mapping[str, Number], name: str, value: Number) -> dict[str, Number]:
    values = {**known, name: value}
    return {**implied(kernel.symbols, values), **values}


# -- the case that is judged ----------------------------------------------------------------------------
def judged_case(kernel: Kernel, sample_point: Mapping[str, Number]) -> dict[str, Number]:
    """A value for each open flag, one after the other: what default arguments say, else that under which more bytes
    are accessed, then that under which more operations are done. A flag that nothing asks for in this case is 0."""
    tests = {s.name: s.test for s in kernel.symbols}
    values: dict[str, Number] = {}
    body = kernel.body
    while flags := open_flags(kernel, body):
        arms = [_with(kernel, values, flags[0], value) for value in _possible(tests[flags[0]])]
        values = max(arms, key=lambda arm: _work(kernel, with_decided_branches(body, arm), sample_point))
        body = with_decided_branches(body, values)
    return {**{s.name: 0 for s in kernel.symbols if s.kind == "flag"}, **values}


def _possible(test: ParameterTest | None) -> tuple[int, ...]:
    """The values of a flag that are compared, the first one before others that are no better."""
    return (1, 0) if test is None or test.by_default is None else (int(test.by_default != test.negated),)


def outcomes(kernel: Kernel, values: Mapping[str, Number]) -> tuple[str, ...]:
    """The case of the open flags at these values, as assumptions."""
    tests = {s.name: s.test for s in kernel.symbols}
    known: dict[str, Number] = {}
    said: list[str] = []
    body = kernel.body
    while flags := open_flags(kernel, body):
        known = _with(kernel, known, flags[0], values[flags[0]])
        test = tests[flags[0]]
        if test is not None:
            said.append(_assumption(test, (known[flags[0]] == 1) != test.negated))
        body = with_decided_branches(body, known)
    return tuple(said)


def _assumption(test: ParameterTest, holds: bool) -> str:
    text = test.text if holds else f"not ({test.text})" if " " in test.text else f"not {test.text}"
    return f"{text} (for the verdict; bind {' and '.join(test.parameters)} to choose)"


def _work(kernel: Kernel, body: Body, values: Mapping[str, Number]) -> tuple[Number, Number]:
    """About the bytes that a body accesses, and the operations that it does."""
    moved: Number = 0
    done: Number = 0
    for node in body:
        if isinstance(node, Access):
            moved += kernel.array(node.array).dtype.size
        elif isinstance(node, Operation):
            done += _value(node.count, values, 1)
        elif not isinstance(node, Barrier):
            times, inside = _times(node, values)
            inner = _work(kernel, node.body, inside) if times > 0 else (0, 0)
            moved, done = moved + times * inner[0], done + times * inner[1]
    return moved, done


def _times(block: Block, values: Mapping[str, Number]) -> tuple[Number, Mapping[str, Number]]:
    """About how often a block runs, and the values inside it: a loop's variable is in the middle of its range."""
    if isinstance(block, Branch):
        return _value(block.share, values, Fraction(1, 2)), values
    if isinstance(block, Loop):
        start, stop = _value(block.start, values, 0), _value(block.stop, values, 1)
        middle = int((start + stop) // 2)  # of integers that no float may hold
        trips = Fraction(stop - start) / (_value(block.step, values, 1) or 1)
        return max(trips, Fraction(0)), {**values, block.var: middle}
    never = any(c.relation == "ge" and _value(c.expr, values, 0) < 0 for c in block.conditions)
    return 0 if never else 1, values


def _value(expr: Expr, values: Mapping[str, Number], otherwise: Number) -> Number:
    try:
        return number(expr, values)
    except NotEvaluable:
        return otherwise
