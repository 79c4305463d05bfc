"""``# roofscan:`` comments: where they apply, and the findings on those that cannot be read."""

from __future__ import annotations

import pytest

from roofscan.parse.reader.find import FoundKernels, find_candidates
from roofscan.parse.reader.module import read_module


def found(source: str) -> FoundKernels:
    return find_candidates(read_module(source, "a.py"), plain=False)


@pytest.mark.parametrize(
    "source",
    [
        "# roofscan: n=4\ndef f(x): pass\n",
        "def f(x):  # roofscan: n=4\n    pass\n",
        "def f(x): return x  # roofscan: n=4\n",
        "#roofscan:n=4\ndef f(x): pass\n",
        "def f(x):  # noqa: E501  # roofscan: n=4\n    pass\n",
        "def f(x):  # roofscan: n=4  # noqa\n    pass\n",
        "def f(\n    x,  # roofscan: n=4\n):\n    pass\n",
        "def f(\n    x,\n) -> int:  # roofscan: n=4\n    pass\n",
        "# roofscan: n=4\n@dec\ndef f(x): pass\n",
        "@dec\n# roofscan: n=4\ndef f(x): pass\n",
        "@dec  # roofscan: n=4\ndef f(x): pass\n",
        "# roofscan: n=4\n# another comment\ndef f(x): pass\n",
        "class C:\n    # roofscan: n=4\n    def f(self): pass\n",
        "def g():\n    # roofscan: n=4\n    def f(x): pass\n",
        "if x:\n    # roofscan: n=4\n    def f(x): pass\n",
        "x = '# roofscan: n=5'\n# roofscan: n=4\ndef f(x): pass\n",
    ],
)
def test_places_of_a_pragma(source: str) -> None:
    result = found(source)
    [candidate] = result.candidates
    assert candidate.function.name == "f" and candidate.how == "pragma"
    assert candidate.decorator.kind == "pragma"
    assert candidate.pragma is not None and candidate.pragma.scalars["n"].value == 4
    assert not result.problems


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    '''\n    # roofscan: n=4\n    '''\n",
        "x = '''\n# roofscan: n=4\n'''\ndef f(x): pass\n",
        "x = '''\n# roofscan: n=4 '''\ndef f(x): pass\n",
        "def f(x='# roofscan: n=4'): pass\n",
        "# see roofscan: a tool\ndef f(x): pass\n",
        "# write `# roofscan: n=4` above a def\ndef f(x): pass\n",
        "# roofscan n=4\ndef f(x): pass\n",
    ],
)
def test_text_that_is_no_pragma(source: str) -> None:
    assert found(source) == FoundKernels((), ())


def test_a_pragma_without_words_marks_a_function() -> None:
    [candidate] = found("# roofscan:\ndef f(x): pass\n").candidates
    assert candidate.how == "pragma" and candidate.pragma is not None and not candidate.pragma.scalars


def test_a_pragma_on_a_decorated_function() -> None:
    [candidate] = found("import numba\n# roofscan: A=f4[n,n]\n@numba.njit\ndef f(A): pass\n").candidates
    assert candidate.how == "decorated" and candidate.pragma is not None
    assert set(candidate.pragma.arrays) == {"A"}


def test_several_lines_add_up() -> None:
    [candidate] = found("# roofscan: n=4\n# roofscan: m=5 n=6\ndef f(A): pass\n").candidates
    assert candidate.pragma is not None
    assert {name: fact.value for name, fact in candidate.pragma.scalars.items()} == {"n": 6, "m": 5}


def test_no_pragma_is_none() -> None:
    [candidate] = found("import numba\n@numba.njit\ndef f(A): pass\n").candidates
    assert candidate.pragma is None


@pytest.mark.parametrize(
    "source, line, column, word",
    [
        ("# roofscan: A=f9[\ndef f(x): pass\n", 1, 0, "'A=f9['"),
        ("def f(x):  # roofscan: A=f8[-1]\n    pass\n", 1, 11, "'-1'"),
        ("x = 'äöü'\ndef f(ü):  # roofscan: n=nan\n    pass\n", 2, 11, "finite"),
        ("# roofscan: n=4\n\nx = 1\ndef f(x): pass\n", 1, 0, "belongs to no function"),
        ("def f(x):\n    # roofscan: n=4\n    return x\n", 2, 4, "belongs to no function"),
        ("def f(x):\n    y = 1  # roofscan: n=4\n    return x\n", 2, 11, "belongs to no function"),
    ],
)
def test_problems_have_their_place(source: str, line: int, column: int, word: str) -> None:
    [problem] = found(source).problems
    assert problem[:2] == (line, column)
    assert word in problem[2] and "\n" not in problem[2]


def test_a_bad_pragma_still_marks_its_function() -> None:
    [candidate] = found("# roofscan: A=f9[\ndef f(x): pass\n").candidates
    assert candidate.how == "pragma" and candidate.pragma is not None


def test_one_pragma_of_an_inner_function_is_not_its_outers() -> None:
    result = found("def outer():\n    @dec  # roofscan: n=4\n    def inner(x): pass\n")
    assert [c.name for c in result.candidates] == ["outer.inner"] and not result.problems
