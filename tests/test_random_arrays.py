"""Random whole-array programs: shapes and types as NumPy makes them, operations and accesses as a run does them."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from roofscan.ir.dtypes import lookup
from tests.oracle import run
from tests.oracle.analysis import counted
from tests.support.random_arrays import RandomArrays, array_programs

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(array_programs())
def test_shapes_and_types_are_those_of_numpy(program: RandomArrays) -> None:
    kernel = counted(program.source, "kernel", program.words.bind).kernel
    made = kernel.array("result")
    assert tuple(e.evaluate(program.words.symbols) for e in made.shape) == program.result.shape
    assert made.dtype == lookup(program.result.dtype.str[1:])


@quick
@given(array_programs())
def test_operations_and_accesses_are_those_of_a_run(program: RandomArrays) -> None:
    analysis = counted(program.source, "kernel", program.words.bind)
    trace = run(program.source, "kernel", program.words.arguments)
    assert analysis.cost.status == "exact"
    assert analysis.by_class(program.words.symbols) == trace.by_class
    total = trace.cache(0).total
    moved = analysis.moved(analysis.cost.registers, program.words.symbols)
    assert moved == (total.load, total.fill, total.writeback)
