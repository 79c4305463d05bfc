"""Plain functions without a fact about their arguments (``unannotated/*.py``): exact counts are those of a run.

Each kernel is analysed without ``--bind``, and its symbols get the values that their meanings have for the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from roofscan.ir.symbols import Symbol
from roofscan.symbolic.expr import Number
from tests.fixture_files import fixtures_of
from tests.oracle import run
from tests.oracle.analysis import counted
from tests.oracle.words import read_words

HEAD = "import math\nimport numpy as np\n\n"
KERNELS = {fixture.id: fixture for fixture in fixtures_of(Path(__file__).parent / "unannotated")}


@pytest.mark.parametrize("name", KERNELS)
def test_exact_without_facts_is_what_a_run_does(name: str) -> None:
    kernel = KERNELS[name]
    analysis = counted(kernel.source, kernel.name, "")
    assert analysis.cost.status == kernel.expected["status"]
    for line in kernel.oracle:
        arguments = read_words(line, kernel.parameters).arguments
        trace = run(kernel.source, kernel.name, arguments)
        symbols = {s.name: value_of(s, arguments) for s in analysis.kernel.symbols}
        assert analysis.flops(symbols) == trace.flops, line


def value_of(symbol: Symbol, arguments: Mapping[str, object]) -> Number:
    """The value of a symbol's meaning, which is Python: ``A.shape[0]``, ``np.size(r)``, ``the parameter n``."""
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
    assert "r is a scalar or an array (the source leaves it open)" in cost.kernel.assumptions
    assert counted(source, "f", "r=0.5 t=f8[9]").cost.registers.status == "exact"
