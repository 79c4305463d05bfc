"""roofscan's analysis of a function, for comparison with a run: the stages one by one, without machine or report."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from unittest.mock import patch

from roofscan.cost.analyze import cost_kernel
from roofscan.cost.memory.base import Traffic
from roofscan.cost.result import KernelCost
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.parse.inference.call_constraints import Helpers
from roofscan.parse.inference.collect import type_facts_of
from roofscan.parse.lowering.lower import lower
from roofscan.parse.lowering.numpy.library_calls import TABLE
from roofscan.parse.reader.facts import parse_facts
from roofscan.parse.reader.find import candidates_named
from roofscan.parse.reader.module import Module, read_module
from roofscan.symbolic.chamber import condition_text
from roofscan.symbolic.expr import NotEvaluable, Number
from tests.oracle.trace import FLOP_WEIGHT, Trace
from tests.oracle.words import read_expression

Moved = tuple[Number, Number, Number]
"""Bytes: load, fill, writeback."""


@dataclass(frozen=True)
class Analysis:
    """One function, lowered and costed with the facts of ``bind``."""

    kernel: Kernel
    cost: KernelCost
    source: str = ""
    name: str = ""

    @property
    def integers(self) -> frozenset[str]:
        """The names that the function's uses of them make integers."""
        module = _module(self.source)
        [candidate] = candidates_named(module, self.name)
        return frozenset(type_facts_of(candidate.function, TABLE, module, Helpers(module)).integers)

    def values(self, symbols: Mapping[str, Number]) -> dict[str, Number]:
        """The symbols' values, with those that facts give."""
        known = {name: value.evaluate(symbols) for name, value in self.kernel.values.items()}
        return {**symbols, **known}

    def measured(self, trace: Trace) -> dict[str, Number]:
        """The run's values of the symbols that depend on data: shares of branches, mean trip counts."""
        values: dict[str, Number] = {}
        for symbol in self.kernel.symbols:
            if symbol.meaning.startswith("share of executions where the loop in line"):
                values[symbol.name] = trace.share_past(symbol.line)
            elif symbol.kind == "share":
                values[symbol.name] = trace.share(symbol.line)
            elif symbol.kind in ("trips", "length"):
                values[symbol.name] = trace.mean_trips(symbol.line)
        return values

    def flops(self, symbols: Mapping[str, Number]) -> Number:
        return self.cost.flops.evaluate(self.values(symbols))

    def by_class(self, symbols: Mapping[str, Number]) -> dict[str, Number]:
        """The classes that count and occur."""
        totals: dict[str, Number] = {}
        values = self.values(symbols)
        for (kind, _), executions in self.cost.operations.items():
            if kind in FLOP_WEIGHT:
                totals[kind] = totals.get(kind, 0) + executions.evaluate(values)
        return {kind: count for kind, count in sorted(totals.items()) if count}

    def moved(self, traffic: Traffic, symbols: Mapping[str, Number]) -> Moved:
        values, total = self.values(symbols), traffic.total
        return total.load.evaluate(values), total.fill.evaluate(values), total.writeback.evaluate(values)

    def moved_by_array(self, traffic: Traffic, symbols: Mapping[str, Number]) -> dict[str, Moved]:
        values = self.values(symbols)
        return {
            name: (m.load.evaluate(values), m.fill.evaluate(values), m.writeback.evaluate(values))
            for name, m in traffic.arrays.items()
        }

    def holds_at(self, symbols: Mapping[str, Number]) -> bool:
        """Whether the conditions of the figures hold there; one that cannot be read does not hold."""
        values = self.values(symbols)
        return all(condition_holds(condition_text(g), values) for g in self.cost.conditions)


def lowered(source: str, name: str, bind: str) -> tuple[Kernel, Facts]:
    [candidate] = candidates_named(_module(source), name)
    facts = parse_facts(bind)
    return lower(_module(source), candidate, facts), facts


@lru_cache(maxsize=4)
def _module(source: str) -> Module:
    """One for all kernels of a file, as in an analysis of the file."""
    return read_module(source, "kernel.py")


@lru_cache(maxsize=256)
def counted(source: str, name: str, bind: str) -> Analysis:
    """Without the cache model, which takes most of the time and is tested on its own."""
    with patch("roofscan.cost.analyze.memory_model", return_value=None):
        kernel, facts = lowered(source, name, bind)
        return Analysis(kernel, cost_kernel(kernel, facts), source, name)


@lru_cache(maxsize=256)
def analyzed(source: str, name: str, bind: str, line: int = 64) -> Analysis:
    kernel, facts = lowered(source, name, bind)
    return Analysis(kernel, cost_kernel(kernel, facts, line=line), source, name)


def condition_holds(text: str, values: Mapping[str, Number]) -> bool:
    """``n >= 3``, ``8 <= n < 64``: chains of comparisons between expressions of sizes."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return False
    if not isinstance(node, ast.Compare):
        return False
    try:
        sides = [read_expression(ast.unparse(side)).evaluate(values) for side in (node.left, *node.comparators)]
    except (ValueError, NotEvaluable):
        return False
    return all(_compare(op, left, right) for op, left, right in zip(node.ops, sides, sides[1:], strict=False))


def _compare(op: ast.cmpop, left: Number, right: Number) -> bool:
    if isinstance(op, ast.Lt):
        return left < right
    if isinstance(op, ast.LtE):
        return left <= right
    if isinstance(op, ast.Gt):
        return left > right
    if isinstance(op, ast.GtE):
        return left >= right
    return (left == right) if isinstance(op, ast.Eq) else left != right
