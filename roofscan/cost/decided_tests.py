"""What runs for an outcome of the tests on parameters. Such a test has one outcome in a call: its flag is 0 or 1. Where
flags have values, the arms that do not run are gone, and those that do stand without their branch."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.kernel import Kernel, Reason
from roofscan.ir.symbols import ParameterTest, Symbol
from roofscan.ir.tree import Body, Branch, Node
from roofscan.ir.visitor import accesses, allocated_in, expressions, replace_nodes, walk
from roofscan.symbolic.expr import ONE, Number


def with_decided_tests(kernel: Kernel, values: Mapping[str, Number]) -> Kernel:
    """The kernel without the arms that its flags' values rule out, and what only those had: arrays, symbols and
    reasons."""
    flags = {s.name: values[s.name] for s in kernel.symbols if s.kind == "flag" and s.name in values}
    if not flags:
        return kernel
    flags |= implied(kernel.symbols, flags)
    return _without_dead_arms(kernel, with_decided_branches(kernel.body, flags), flags)


def with_decided_branches(body: Body, flags: Mapping[str, Number]) -> Body:
    """The body with the branches that these values decide dropped or unwrapped."""
    return replace_nodes(body, lambda node: _decided_branch(node, flags))


def _decided_branch(node: Node, flags: Mapping[str, Number]) -> Body | None:
    if not isinstance(node, Branch) or node.share.symbols.isdisjoint(flags):
        return None
    share = node.share.subs(flags)
    if not share.terms:
        return ()
    body = with_decided_branches(node.body, flags)
    return body if share == ONE else (replace(node, share=share, body=body),)


# -- what follows from an outcome -----------------------------------------------------------------------
def implied(symbols: Iterable[Symbol], flags: Mapping[str, Number]) -> dict[str, Number]:
    """Other flags that have one value where these have theirs: of the same test, and of tests for another constant."""
    tests = {s.name: s.test for s in symbols if s.test is not None}
    found: dict[str, Number] = {}
    for name, value in flags.items():
        for other, test in tests.items():
            holds = _follows(tests[name], value == 1, test) if other not in flags and name in tests else None
            if holds is not None:
                found[other] = int(holds != test.negated)
    return found


def _follows(known: ParameterTest, flag: bool, other: ParameterTest) -> bool | None:
    """Whether another test holds where the flag of a known one has this value; None where that is open."""
    holds = flag != known.negated
    if other.text == known.text:
        return holds
    constants = (known.equals, other.equals)
    excluded = holds and None not in constants and known.equals != other.equals
    return False if excluded and known.parameters == other.parameters else None


# -- what leaves with an arm ----------------------------------------------------------------------------
def _without_dead_arms(kernel: Kernel, body: Body, flags: Collection[str]) -> Kernel:
    before, after = _used(kernel, kernel.body), _used(kernel, body)
    gone = (before.symbols - after.symbols - kernel.values.keys()) | set(flags)
    dead = before.lines - after.lines
    return replace(
        kernel,
        body=body,
        arrays=allocated_in(body, (a for a in kernel.arrays if a.name not in before.arrays - after.arrays)),
        symbols=tuple(s for s in kernel.symbols if s.name not in gone),
        reasons=tuple(r for r in kernel.reasons if not _leaves(r, gone, dead)),
    )


def _leaves(reason: Reason, symbols: Collection[str], lines: Collection[int]) -> bool:
    return reason.symbol in symbols if reason.symbol else reason.line in lines


@dataclass(frozen=True)
class _Uses:
    arrays: frozenset[str]
    symbols: frozenset[str]
    lines: frozenset[int]


def _used(kernel: Kernel, body: Body) -> _Uses:
    nodes = tuple(walk(body))
    names = {access.array for access in accesses(body)}
    memory = {array.memory for array in kernel.arrays if array.name in names}
    arrays = [array for array in kernel.arrays if array.memory in memory]
    figures = [e for array in arrays for e in (*array.shape, *array.strides)]
    figures += [e for node in nodes for e in expressions(node)]
    return _Uses(
        frozenset(array.name for array in arrays),
        frozenset(name for e in figures for name in e.symbols),
        frozenset(node.line for node in nodes),
    )
