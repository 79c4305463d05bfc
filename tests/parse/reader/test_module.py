"""Outlines, imports, constants, functions and the resolving of names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import roofscan
from roofscan.parse.definitions import Definition
from roofscan.parse.reader.convert import convert_expression
from roofscan.parse.reader.module import Module, read_module
from roofscan.parse.reader.outline import outline
from roofscan.parse.reader.outline_by_libcst import outline_by_libcst
from roofscan.parse.reader.source import SourceError
from roofscan.parse.syntax import Literal, Other, Sequence

SOURCES = [
    path
    for path in sorted(Path(str(roofscan.__file__)).parent.rglob("*.py"))[::3]
    if "async def" not in path.read_text(encoding="utf-8")  # a function that only Python's outline looks into
]

TEXT = '''\
"""Doc."""
import numpy as np
import os.path
from math import sqrt as root
from .pkg.mod import helper
from . import near
from .. import far as away
try:
    from numba import njit, prange
except ImportError:
    def njit(f):
        return f
    prange = range
if True:
    import scipy.linalg as la

TILE = 64
PAIR: tuple = (1, 2)
TWICE = 1
TWICE = 2
if np:
    MAYBE = 3
GROWN = 1
GROWN += 1
TABLE = [1, 2]
TABLE[0] = 5
LIST = [1]
LIST.append(2)
a = 1; b = (
    2)
x, y = 1, 2
for i in range(3):
    EACH = i
SET = 1
sqrt = np.sqrt
norm = np.linalg.norm
loop = loop

@njit
def top(x):
    return x

class Box:
    size = 3
    def put(self, x):
        return x
    class Lid:
        @staticmethod
        def lift(x):
            return x

def outer(n):
    global SET
    import cupy as cp
    if n:
        def inner(x):
            return x
    else:
        def inner(y):
            return -y
    return inner

async def later():
    pass
'''


@pytest.fixture(scope="module")
def module() -> Module:
    return read_module(TEXT, "a.py")


def test_imports(module: Module) -> None:
    assert module.imports == {
        "np": "numpy", "os": "os", "root": "math.sqrt", "helper": ".pkg.mod.helper", "near": ".near",
        "away": "..far", "njit": "numba.njit", "prange": "numba.prange", "la": "scipy.linalg",
    }  # fmt: skip


def test_constants_are_assigned_once_and_surely(module: Module) -> None:
    assert set(module.constants) == {"TILE", "PAIR", "a", "b", "x", "y", "sqrt", "norm", "loop"}
    assert isinstance(module.constants["PAIR"], Sequence)
    values = [module.constants[name] for name in ("TILE", "a", "b", "x", "y")]
    assert [v.value for v in values if isinstance(v, Literal)] == [64, 1, 2, 1, 2]
    for name in ("TWICE", "MAYBE", "GROWN", "TABLE", "LIST", "EACH", "SET", "np", "none"):
        assert name not in module.constants and module.constants.get(name) is None


def test_functions(module: Module) -> None:
    assert module.functions == (
        "njit", "top", "Box.put", "Box.Lid.lift", "outer", "outer.inner", "later",
    )  # fmt: skip
    for name, line in {"top": 40, "Box.put": 45, "Box.Lid.lift": 49, "outer": 52}.items():
        function = module.function(name)
        assert function is not None and function.name == name.rpartition(".")[2]
        assert function.place.line == line
        assert TEXT.split("\n")[line - 1][function.place.column :].startswith("def ")
    assert module.function("none") is None and module.function("Box") is None


def test_of_two_conditional_definitions_the_first_is_meant() -> None:
    text = "if x:\n    def f(a): pass\nelse:\n    def f(b): pass\n"
    function = read_module(text, "a.py").function("f")
    assert function is not None and function.parameters[0].name == "a"


def test_of_two_definitions_the_last_is_meant() -> None:
    function = read_module("def f(a): pass\ndef f(b): pass\n", "a.py").function("f")
    assert function is not None and function.parameters[0].name == "b"


def test_a_function_that_cannot_be_converted_is_reported(module: Module) -> None:
    function = module.function("later")
    assert function is not None and isinstance(function.body[0], Other)
    assert function.body[0].kind == "an async function"


@pytest.mark.parametrize(
    "text, origin",
    [
        ("np.linalg.norm", "numpy.linalg.norm"),
        ("norm", "numpy.linalg.norm"),
        ("sqrt", "numpy.sqrt"),
        ("root", "math.sqrt"),
        ("os.path.join", "os.path.join"),
        ("la.solve", "scipy.linalg.solve"),
        ("helper", ".pkg.mod.helper"),
        ("away.f", "..far.f"),
        ("njit", "numba.njit"),  # the definition only stands in for it
        ("prange", "numba.prange"),
        ("range", "builtins.range"),
        ("top", "self:top"),
        ("Box.put", "self:Box.put"),
        ("cp.sum", "cupy.sum"),
        ("TILE", None),
        ("loop", None),
        ("unknown", None),
        ("unknown.x", None),
        ("f(x)", None),
        ("np.random.rand().T", None),
    ],
)
def test_resolving(module: Module, text: str, origin: str | None) -> None:
    assert module.resolve(convert_expression(text)) == origin


def test_star_imports_answer_for_unbound_names() -> None:
    one = read_module("from numpy import *\nN = 3\n", "a.py")
    assert one.resolve_name("sqrt") == "numpy.sqrt"
    assert (one.resolve_name("N"), one.resolve_name("sum")) == (None, "builtins.sum")
    two = read_module("from numpy import *\nfrom math import *\n", "a.py")
    assert two.resolve_name("sqrt") is None


def test_definitions_shadow_imports_and_builtins() -> None:
    module = read_module("from m import f\ndef f(x): pass\ndef range(n): pass\n", "a.py")
    assert (module.resolve_name("f"), module.resolve_name("range")) == ("self:f", "self:range")


NEWER = """\
import numpy as np
from numba import njit

type Vector = np.ndarray

class Stack[T]:
    def push(self, x: T) -> None: ...

@njit(
    cache=True)
def dot[T](x: T, y: T) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s
label = f'{NEWER['a']}'
SIZE = 4
"""


def test_newer_grammar_is_read_with_libcst() -> None:
    error = SourceError("a.py", 4, "said Python")
    module = Module("a.py", NEWER, outline_by_libcst(NEWER, "a.py", error))
    assert module.functions == ("Stack.push", "dot")
    function = module.function("dot")
    assert function is not None and (function.first_line, function.place.line) == (9, 11)
    assert module.imports == {"np": "numpy", "njit": "numba.njit"}
    assert "SIZE" in module.constants
    assert read_module(NEWER, "a.py").functions == module.functions


def test_what_neither_parser_takes_gets_pythons_message() -> None:
    error = SourceError("a.py", 2, "said Python")
    with pytest.raises(SourceError, match="said Python"):
        outline_by_libcst("type X = int\nx = = 2\n", "a.py", error)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_both_outlines_agree(path: Path) -> None:
    """LibCST's outline of code that Python parses is Python's."""
    text = path.read_text(encoding="utf-8")
    ours = outline_by_libcst(text, "a.py", SourceError("a.py", 0, "unreadable"))
    theirs = outline(text, "a.py")
    assert list(_told(ours)) == list(_told(theirs))
    assert set(Module("a.py", text, ours).constants) == set(Module("a.py", text, theirs).constants)


def _told(pieces: tuple[Definition, ...], around: str = "") -> Iterator[tuple[object, ...]]:
    for piece in pieces:
        if piece.kind != "other":
            lines = (piece.first_line, piece.line, piece.end_line, piece.header_end)
            yield (piece.kind, around + piece.name, lines, piece.bound, piece.applied, piece.conditional)
        yield from _told(piece.children, f"{around}{piece.name}.")


def test_a_ready_tree_is_used() -> None:
    tree = ast.parse("def g(x):\n    return x\n")
    assert read_module("def g(x):\n    return x\n", "a.py", tree).functions == ("g",)


def test_windows_line_ends_and_form_feeds() -> None:
    module = read_module("def f(x):\r\n    return x\r\n\f\ndef g(x):\r\n\treturn x\r\n", "a.py")
    assert [module.function(name).place.line for name in ("f", "g")] == [1, 4]  # type: ignore[union-attr]
