"""Plain functions without a word about their arguments: what is said to be exact is what a run does on natural data.

The files in ``free`` hold blocks ``### name | words`` (words of an oracle line; several separated by ``|``) and a
function ``kernel``, analysed without facts; the symbols get the values of their meanings for the arguments.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

from roofscan.ir.kernel import Symbol
from roofscan.symbolic.expr import Number
from tests.oracle import run
from tests.oracle.analysis import counted
from tests.oracle.words import read_words

HEAD = "import math\nimport numpy as np\n\n"


def _blocks() -> Iterator[tuple[str, str, str]]:
    for path in sorted((Path(__file__).parent / "unannotated").glob("*.txt")):
        for block in re.split(r"(?m)^### ", path.read_text(encoding="utf-8"))[1:]:
            title, _, source = block.partition("\n")
            name, _, words = title.partition("|")
            yield f"{path.stem}: {name.strip()}", words, source


BLOCKS = {name: (words, source) for name, words, source in _blocks()}


@pytest.mark.parametrize("name", BLOCKS)
def test_exact_without_facts_is_what_a_run_does(name: str) -> None:
    lines, source = BLOCKS[name]
    analysis = counted(HEAD + source, "kernel", "")
    assert analysis.cost.status == "exact"
    for line in lines.split("|"):
        arguments = read_words(line, _parameters(source)).arguments
        trace = run(HEAD + source, "kernel", arguments)
        symbols = {s.name: _value(s, arguments) for s in analysis.kernel.symbols}
        assert analysis.flops(symbols) == trace.flops, line


def _parameters(source: str) -> tuple[str, ...]:
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    return tuple(arg.arg for node in functions if node.name == "kernel" for arg in node.args.args)


def _value(symbol: Symbol, arguments: Mapping[str, object]) -> Number:
    """What a symbol means in Python: ``A.shape[0]``, ``np.size(r)``, ``the parameter n``."""
    return int(eval(symbol.meaning.removeprefix("the parameter "), {"np": np}, dict(arguments)))


@pytest.mark.parametrize(
    ("expression", "flops"),
    {
        "np.exp(-0.5 * r * t)": "r_size + 2*r_t_size",
        "r[1:-1] * (2.0 * t)": "r_row_size*r_shape_0 - 2*r_row_size + 1",  # t: a number, as parts tell
        "math.exp(t) * 2.0": "2",
        "2.0 * t if t > 1.0 else 0.0": "p1",
    }.items(),
)
def test_a_parameter_counts_for_as_many_elements_as_it_has(expression: str, flops: str) -> None:
    cost = counted(HEAD + f"def f(r, t):\n    return {expression}\n", "f", "").cost
    assert str(cost.flops) == flops


def test_the_traffic_of_what_may_be_a_number_is_an_estimate() -> None:
    source = HEAD + "def f(r, t):\n    return np.exp(r * t)\n"
    cost = counted(source, "f", "").cost
    assert cost.registers.status == "estimate"
    assert "r is number or array (the source leaves it open)" in cost.kernel.assumptions
    assert counted(source, "f", "r=0.5 t=f8[9]").cost.registers.status == "exact"
