"""Structured types as modules write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofscan.ir.facts import ArrayFact, Facts
from roofscan.ir.records import RecordType
from roofscan.parse.reader.facts import parse_facts
from roofscan.parse.reader.module import Module, read_module
from roofscan.parse.reader.resolver import ModuleFinder
from roofscan.parse.reader.type_expressions import element_type, read_type
from roofscan.parse.reader.types import known_facts
from roofscan.parse.syntax import Name, Place

HEAD = "import numba\nimport numpy as np\nfrom numba import types\nN = 3\nvec = np.dtype([('x', 'f8'), ('y', 'f4')])\n"
NAME = Name(Place(1, 0, 1, 0), "kind")


def of(text: str) -> RecordType | None:
    found = element_type(NAME, read_module(f"{HEAD}kind = {text}\n", "types.py"))
    assert found is None or isinstance(found, RecordType)
    return found


FORMS = [
    "np.dtype([('x', 'f8'), ('n', np.int32), ('flag', bool)])",
    "np.dtype([('x', '<f8'), ('z', complex), ('s', 'S7'), ('u', 'U3'), ('t', 'M8[ns]')])",
    "np.dtype([('flag', 'u1'), ('x', 'f8'), ('k', 'i2')], align=True)",
    "np.dtype([('flag', '?'), ('z', 'c16'), ('b', 'b'), ('h', 'h')], True)",
    "np.dtype([('pos', 'f8', 3), ('m', 'f4', (2, N)), ('w', '3f4'), ('v', ('i4', 2))])",
    "np.dtype([('at', vec), ('by', vec, 2), ('in', [('a', 'i1'), ('b', 'f8')])], align=True)",
    "np.dtype({'names': ['a', 'b'], 'formats': ['f8', 'i4']})",
    "np.dtype({'names': ['a', 'b'], 'formats': ['i1', np.float64]}, align=True)",
    "np.dtype({'names': ['a', 'b'], 'formats': ['f8', 'f4'], 'offsets': [16, 4], 'itemsize': 64})",
    "np.dtype('f8, i4, (2,)f4')",
    "np.dtype([(('a title', 'x'), 'f8')])",
]


@pytest.mark.parametrize("text", FORMS)
def test_forms_mean_what_numpy_means(text: str) -> None:
    scope: dict[str, object] = {}
    exec("import numpy as np\nN = 3\nvec = np.dtype([('x', 'f8'), ('y', 'f4')])\nkind = " + text, scope)
    truth = scope["kind"]
    assert isinstance(truth, np.dtype) and truth.names is not None and truth.fields is not None
    found = of(text)
    assert found is not None and found.size == truth.itemsize and found.name == "kind"
    assert [(f.name, f.offset, f.shape, f.dtype.size) for f in found.fields] == [
        (name, truth.fields[name][1], truth[name].shape, truth[name].base.itemsize) for name in truth.names
    ]


@pytest.mark.parametrize(
    "text",
    ["np.dtype('f8')", "np.dtype(np.float32)", "np.dtype([('x', FIELD)])", "make([('x', 'f8')])", "7",
     "np.dtype(kind)", "np.dtype([])"],
)  # fmt: skip
def test_other_values_are_no_records(text: str) -> None:
    found = element_type(NAME, read_module(f"{HEAD}kind = {text}\n", "types.py"))
    assert found is None or found.kind != "record"


def test_of_numba() -> None:
    made, same = (
        of("numba.from_dtype(vec)"),
        of("numba.types.Record.make_c_struct([('n', types.int8), ('x', numba.f8)])"),
    )
    assert made is not None and made.size == 12 and made.name == "vec"
    assert same is not None and [f.offset for f in same.fields] == [0, 8]


def test_in_a_signature() -> None:
    module = read_module(HEAD + "rec = numba.from_dtype(vec)\nsaid = rec[:, ::1]\n", "types.py")
    said = read_type(module.constants["said"], module)
    assert said.kind == "array" and said.ndim == 2 and said.dtype is not None and said.dtype.size == 12
    one = read_type(Name(Place(1, 0, 1, 0), "rec"), module)
    assert one.kind == "scalar" and one.dtype == said.dtype


def test_from_another_file(tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text(HEAD)
    module = read_module("from kinds import vec as kind\n", str(tmp_path / "kernel.py"), finder=ModuleFinder())
    found = element_type(NAME, module)
    assert found is not None and found.size == 12


def test_facts_name_types_of_the_module() -> None:
    module: Module = read_module(HEAD, "types.py")
    facts, problems = known_facts(parse_facts("p=vec[5] q=vec a=f8[2] r=dust[3]"), module)
    assert {name: (fact.dtype.size, fact.shape) for name, fact in facts.arrays.items()} == {
        "p": (12, parse_facts("p=f8[5]").arrays["p"].shape), "q": (12, None), "a": (8, facts.arrays["a"].shape),
    }  # fmt: skip
    assert len(problems) == 1 and "'dust' is not an element type" in problems[0]
    assert known_facts(Facts(), module) == (Facts(), [])
    assert isinstance(facts.arrays["p"], ArrayFact)
