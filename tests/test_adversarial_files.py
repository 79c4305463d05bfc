"""Odd but legal kernels (``adversarial/*.txt``): what is said of each is true, or says that it is not all.

A block is a line ``### title | status | words | words …`` and a source with a function ``kernel``; the words are
those of ``tests.oracle.words``, one run each. ``status`` is that of the first run's binding.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from roofscan.symbolic.expr import Number
from tests.oracle import Trace, run
from tests.oracle.analysis import Analysis, analyzed, counted
from tests.oracle.trace import FLOP_WEIGHT
from tests.oracle.words import Words, read_words

HEAD = "import math\nimport numpy as np\nfrom numba import njit, prange\n\n"
FOLDER = Path(__file__).parent / "adversarial"
CAPACITIES = (512, 2048, 1 << 40)


@dataclass(frozen=True)
class Attack:
    title: str
    status: str
    lines: tuple[str, ...]
    source: str

    def words(self) -> Iterator[Words]:
        functions = [n for n in ast.parse(self.source).body if isinstance(n, ast.FunctionDef) and n.name == "kernel"]
        names = functions[-1].args
        parameters = tuple(a.arg for a in (*names.posonlyargs, *names.args, *names.kwonlyargs))
        return (read_words(line, parameters) for line in self.lines)


def attacks() -> Iterator[Attack]:
    for path in sorted(FOLDER.glob("*.txt")):
        for block in re.split(r"^### ", path.read_text(), flags=re.MULTILINE)[1:]:
            head, _, source = block.partition("\n")
            title, status, *lines = (part.strip() for part in head.split("|"))
            yield Attack(title, status, tuple(lines), HEAD + source)


ATTACKS = list(attacks())


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.title)
def test_what_is_said_is_true(attack: Attack) -> None:
    for position, words in enumerate(attack.words()):
        trace = run(attack.source, "kernel", words.arguments)
        bound = analyzed(attack.source, "kernel", words.bind)
        if position == 0:
            assert bound.cost.status == attack.status
        operations_are_true(bound, trace, words)
        if bound.cost.status == "exact" and bound.cost.reuse is not None:
            traffic_is_true(bound, trace, words)
        operations_are_true(counted(attack.source, "kernel", types(words)), trace, words)


def test_most_of_them_are_counted() -> None:
    counted_ones = [a for a in ATTACKS if a.status in ("exact", "parametric")]
    assert len(counted_ones) > 0.8 * len(ATTACKS)


def types(words: Words) -> str:
    """The types of the arguments, with the sizes left free."""
    arrays = (
        f"{name}={array.dtype.str[1:]}[{','.join(f'{name}_shape_{k}' for k in range(array.ndim))}]"
        for name, array in words.arrays.items()
    )
    floats = (f"{name}={value}" for name, value in words.scalars.items() if isinstance(value, float))
    return " ".join((*arrays, *floats))


def operations_are_true(analysis: Analysis, trace: Trace, words: Words) -> None:
    """Exact counts are those of the run, bounds are bounds; only where the sizes are those that are spoken of."""
    symbols: dict[str, Number] = {name: size for name, size in words.symbols.items() if size > 0}
    symbols |= {k: 0 for k, size in words.symbols.items() if not size and k in analysis.kernel.values}
    status, kernel, known = analysis.cost.status, analysis.cost.kernel, analysis.values(symbols).keys()
    if not analysis.cost.flops.symbols <= known or not analysis.holds_at(symbols):
        return
    effects = {reason.effect for reason in kernel.reasons}
    if status == "exact":
        assert analysis.flops(symbols) == trace.flops
        if {s for e in analysis.cost.operations.values() for s in e.symbols} <= known:
            assert analysis.by_class(symbols) == trace.by_class
    elif status == "bounded" and not {"lower", "upper"} <= effects:
        weighed = sum(FLOP_WEIGHT[kind] * n for kind, n in trace.by_class.items())
        assert (analysis.flops(symbols) <= weighed) == ("lower" in effects) or analysis.flops(symbols) == weighed
    registers, total = analysis.cost.registers, trace.cache(0).total
    moved = registers.total.load + registers.total.writeback
    if moved.symbols <= known and status == "exact":
        mine, truth = sum(analysis.moved(registers, symbols)), total.load + total.writeback
        assert registers.status not in ("exact", "lower_bound") or mine <= truth
        assert registers.status not in ("exact", "upper_bound") or mine >= truth


def traffic_is_true(analysis: Analysis, trace: Trace, words: Words) -> None:
    """Levels that are said to be exact are so to the byte, and bounds are bounds (5 % and two lines apart)."""
    assert analysis.cost.reuse is not None
    for capacity in CAPACITIES:
        said, ran = analysis.cost.reuse.traffic(capacity), trace.cache(capacity).total
        parts = (said.total.load, said.total.fill, said.total.writeback)
        if not {s for part in parts for s in part.symbols} <= analysis.values(words.symbols).keys():
            continue
        truth = (ran.load, ran.fill, ran.writeback)
        mine = analysis.moved(said, words.symbols)
        assert said.status != "exact" or mine == truth
        assert said.status != "lower_bound" or sum(mine) <= sum(truth) * 1.05 + 128
        assert said.status != "upper_bound" or sum(mine) >= sum(truth) * 0.95 - 128
