"""Random structured types and random uses of their fields: what roofscan says of the bytes is what a run moves."""

from __future__ import annotations

from dataclasses import dataclass

import hypothesis.strategies as st
from hypothesis import given

from roofscan.ir.records import RecordType
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.type_expressions import element_type
from roofscan.parse.syntax import Name, Place
from tests.oracle import run
from tests.oracle.analysis import analyzed
from tests.oracle.compare import CAPACITIES, TWO_LINES, flops_disagree, traffic_disagrees
from tests.oracle.run import record_types
from tests.oracle.words import read_words
from tests.test_random_kernels import slowly

SLACK = 0.1
"""Of an estimate: records whose fields are touched in part straddle lines."""

KINDS = ("f8", "f4", "i4", "i2", "u1", "c16", "c8")
FORMS = ("p[i].{f}", 'p[i]["{f}"]', 'p["{f}"][i]', "p.{f}[i]", "q.{f}")


@dataclass(frozen=True)
class Drawn:
    """A module with a structured type and a kernel over its records, and the number of these."""

    source: str
    records: int

    @property
    def words(self) -> str:
        return f"p=kind[{self.records}] out=c16[{self.records}]"


@st.composite
def types(draw: st.DrawFn) -> tuple[str, list[tuple[str, tuple[int, ...]]]]:
    """The text of a structured type, and its fields with their shapes."""
    shapes = st.sampled_from([(), (), (), (2,), (3,)])
    kinds = draw(st.lists(st.tuples(st.sampled_from(KINDS), shapes), min_size=1, max_size=6))
    parts = [f'("f{n}", "{kind}"{f", {shape}" if shape else ""})' for n, (kind, shape) in enumerate(kinds)]
    text = f"np.dtype([{', '.join(parts)}], align={draw(st.booleans())})"
    return text, [(f"f{n}", shape) for n, (_, shape) in enumerate(kinds)]


@st.composite
def kernels(draw: st.DrawFn) -> Drawn:
    text, fields = draw(types())

    def element() -> str:
        name, shape = draw(st.sampled_from(fields))
        place = f"[{draw(st.integers(0, shape[0] - 1))}]" if shape else ""
        return draw(st.sampled_from(FORMS)).format(f=name) + place

    reads = [element() for _ in range(draw(st.integers(1, 3)))]
    lines = ["q = p[i]", f"out[i] = {' + '.join(reads)}"]
    if draw(st.booleans()):
        target = element()
        lines.append(f"{target} = {target}")
    if draw(st.booleans()):
        lines.append("p[i] = p[i - 1]")
    header = draw(st.sampled_from(["range(1, len(p))", "range(len(p) - 1, 0, -1)", "range(1, len(p), 2)"]))
    nest = [f"for t in range({draw(st.integers(2, 3))}):", f"    for i in {header}:", *(f"        {x}" for x in lines)]
    if draw(st.booleans()):
        nest = [line[4:] for line in nest[1:]]
    whole = [name for name, shape in fields if not shape]
    if whole and draw(st.booleans()):
        nest.append(f'out[1:] = out[1:] + p["{draw(st.sampled_from(whole))}"][1:]')
    head = f"import numpy as np\nfrom numba import njit\n\nkind = {text}\n\n\n@njit\ndef kernel(p, out):\n"
    source = head + "".join(f"    {line}\n" for line in nest)
    return Drawn(source, draw(st.sampled_from([1, 2, 7, 64, 100])))


@slowly(60)
@given(kernels())
def test_bytes_of_fields_are_those_of_a_run(drawn: Drawn) -> None:
    words = read_words(drawn.words, ("p", "out"), record_types(drawn.source))
    trace = run(drawn.source, "kernel", words.arguments)
    bound = analyzed(drawn.source, "kernel", words.bind)
    assert not [*flops_disagree(bound, words, trace)]
    assert not [wrong for wrong in traffic_disagrees(bound, words, trace) if wrong.claim]
    for capacity in CAPACITIES:
        assert bound.cost.reuse is not None
        most, least = (sum(vars(run.total).values()) for run in trace.cache_range(capacity))
        mine = sum(bound.moved(bound.cost.reuse.traffic(capacity), words.symbols))
        assert least * (1 - SLACK) - TWO_LINES <= mine <= most * (1 + SLACK) + TWO_LINES
    moved, truth = bound.moved(bound.cost.registers, words.symbols), trace.cache(0).total
    assert moved == (truth.load, truth.fill, truth.writeback)


@slowly(100)
@given(types())
def test_types_are_laid_out_as_numpy_does(drawn: tuple[str, object]) -> None:
    source = f"import numpy as np\nkind = {drawn[0]}\n"
    read = element_type(Name(Place(2, 0, 2, 0), "kind"), read_module(source, "types.py"))
    truth = record_types(source)["kind"]
    assert isinstance(read, RecordType)
    assert read.size == truth.itemsize
    assert [(f.name, f.offset, f.shape, f.dtype.code) for f in read.fields] == [
        (name, truth.fields[name][1], truth[name].shape, truth[name].base.str.lstrip("<|")) for name in truth.names
    ]
    assert sum(f.size for f in read.all_bytes) == read.size
