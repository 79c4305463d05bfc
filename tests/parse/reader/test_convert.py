"""Source to syntax nodes: each form's node, its location, and that no form crashes."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from libcst.metadata import MetadataWrapper, PositionProvider

from roofscan.parse.reader.convert import convert_expression, convert_lines
from roofscan.parse.reader.converters.cursor import LostPlaceError, SourceCursor
from roofscan.parse.reader.converters.statements import convert_text
from roofscan.parse.reader.module import read_module
from roofscan.parse.reader.source import SourceError, read_source
from roofscan.parse.syntax import Expression, Function, Literal, Other, Place, Statement
from roofscan.parse.syntax_walk import walk_all

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures").rglob("*.py"))


def statement(text: str) -> Statement:
    lines = text.split("\n")
    [node] = convert_lines(lines, 1, len(lines), "a.py")
    return node


LEFT_OUT = ("binds", "names")


def shown(node: Any) -> Any:
    """A node as nested tuples without places, and without the lists of names that are empty, to compare with."""
    if isinstance(node, tuple):
        return tuple(shown(item) for item in node)
    if not hasattr(node, "__dataclass_fields__"):
        return node
    names = [name for name in node.__dataclass_fields__ if name not in ("place", "first_line")]
    values = [getattr(node, name) for name in names if name not in LEFT_OUT or getattr(node, name)]
    return (type(node).__name__, *(shown(value) for value in values))


A, B, I, J = (("Name", name) for name in "ABij")  # noqa: E741


def lit(value: object) -> tuple[str, object]:
    return ("Literal", value)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("A[i, j]", ("Subscript", A, (I, J))),
        ("A[(i, j)]", ("Subscript", A, (I, J))),
        ("A[i]", ("Subscript", A, (I,))),
        ("A[i][j]", ("Subscript", ("Subscript", A, (I,)), (J,))),
        ("A[1:i:2]", ("Subscript", A, (("Slice", lit(1), I, lit(2)),))),
        ("A[:, ...]", ("Subscript", A, (("Slice", None, None, None), lit(...)))),
        ("A[*i]", ("Subscript", A, (("Starred", I),))),
        ("A.T", ("Attribute", A, "T")),
        ("A @ B", ("Binary", "@", A, B)),
        ("A // B % i", ("Binary", "%", ("Binary", "//", A, B), I)),
        ("-A ** 2", ("Unary", "-", ("Binary", "**", A, lit(2)))),
        ("not A", ("Unary", "not", A)),
        ("A and B or i", ("Boolean", "or", ("Boolean", "and", A, B), I)),
        ("A < B <= i", ("Compare", (A, B, I), ("<", "<="))),
        ("A is not None", ("Compare", (A, lit(None)), ("is not",))),
        ("i not in A", ("Compare", (I, A), ("not in",))),
        ("A if i else B", ("Conditional", I, A, B)),
        ("(i, *j)", ("Sequence", "tuple", (I, ("Starred", J)))),
        ("[i]", ("Sequence", "list", (I,))),
        ("{i}", ("Sequence", "set", (I,))),
        ("()", ("Sequence", "tuple", ())),
        ("A(i, *j, k=B, **i)", (
            "Call", A, (I, ("Starred", J)), (("Keyword", "k", B), ("Keyword", None, I)), True,
        )),
        ("[A for i in B if j]", ("Comprehension", "list", A, I, B, (J,))),
        ("(A for i in B)", ("Comprehension", "generator", A, I, B, ())),
        ("lambda i, j=1: A", ("Lambda", (
            ("Parameter", "i", None, None, ""), ("Parameter", "j", None, lit(1), ""),
        ), A)),
        ("{i: j}", ("Other", "a dict display", (I, J))),
        ("{**A}", ("Other", "a dict display", ())),
        ("(i := j)", ("Named", I, J)),
        ("f'{i} {A:{j}}'", ("Formatted", (I, A))),
        ("[A for i in B for j in A]", ("Other", "a comprehension of several loops", ())),
        ("{i: j for i in A}", ("Other", "a dict comprehension", ())),
    ],
)  # fmt: skip
def test_expressions(text: str, expected: object) -> None:
    assert shown(convert_expression(text)) == expected


@pytest.mark.parametrize(
    "text, value",
    [
        ("1", 1), ("1_000", 1000), ("0x10", 16), ("0b11", 3), ("00", 0), ("1.5", 1.5), ("1e-3", 1e-3),
        ("1.", 1.0), ("2j", 2j), ("True", True), ("None", None), ("...", ...), ("'a'", "a"), ("'a' 'b'", "ab"),
        ("b'a'", b"a"), (r"'\n'", "\n"), (r"r'\n'", "\\n"), (r"'\d'", "\\d"), ("'''a\nb'''", "a\nb"),
    ],
)  # fmt: skip
def test_literals(text: str, value: object) -> None:
    node = convert_expression(text)
    assert isinstance(node, Literal)
    assert node.value == value and type(node.value) is type(value)


@pytest.mark.parametrize("text", ["1e999", "9" * 5000])
def test_numbers_out_of_range(text: str) -> None:
    assert isinstance(convert_expression(text), Other)


@pytest.mark.parametrize("text", ["", "x = 1", "f(", "(", "x y", "import os", "1; 2", "'", ")(", "\\"])
def test_text_that_is_no_expression(text: str) -> None:
    with pytest.raises(SourceError):
        convert_expression(text)


@pytest.mark.parametrize(
    "text, expected",
    [
        ("A = B = i", ("Assign", (A, B), I, None)),
        ("A: B = i", ("Assign", (A,), I, B)),
        ("A: B", ("Assign", (A,), None, B)),
        ("A[i] += j", ("AugAssign", ("Subscript", A, (I,)), "+", J)),
        ("A //= i", ("AugAssign", A, "//", I)),
        ("A @= i", ("AugAssign", A, "@", I)),
        ("return", ("Return", None)),
        ("return A", ("Return", A)),
        ("pass", ("Simple", "pass")),
        ("del A, B[i]", ("Simple", "del", ("A", "B"))),
        ("global A, B", ("Simple", "global", ("A", "B"))),
        ("assert A", ("If", ("Unary", "not", A), (("Simple", "raise"),), ())),
        ("import numpy as np, os.path", ("Import", "", 0, (("numpy", "np"), ("os.path", "os")))),
        ("from numba import njit as j, jit", ("Import", "numba", 0, (("njit", "j"), ("jit", "jit")))),
        ("from ..a.b import c", ("Import", "a.b", 2, (("c", "c"),))),
        ("from . import c", ("Import", "", 1, (("c", "c"),))),
        ("from a import *", ("Import", "a", 0, (("*", "*"),))),
        ("for i in A:\n    j\nelse:\n    pass", (
            "For", I, A, (("ExpressionStatement", J),), (("Simple", "pass"),),
        )),
        ("while A: break", ("While", A, (("Simple", "break"),), ())),
        ("if A: i\nelif B: j\nelse: pass", (
            "If", A, (("ExpressionStatement", I),),
            (("If", B, (("ExpressionStatement", J),), (("Simple", "pass"),)),),
        )),
        ("with A as i, B:\n    pass", ("With", (A, B), (("Simple", "pass"),), ("i",))),
        ("try:\n  i\nexcept A:\n  j\nfinally:\n  pass", (
            "Try", (("ExpressionStatement", I),), ((("ExpressionStatement", J),),), (), (("Simple", "pass"),),
        )),
        ("class i(A): pass", ("Class", "i", (), (A,), (("Simple", "pass"),))),
        ("match A:\n  case 1: pass", ("Other", "a match statement", ())),
        ("match A:\n  case [i, j]: B = 1", ("Other", "a match statement", (), ("i", "j", "B"))),
        ("async def f(): pass", ("Other", "an async function", ())),
        ("type A = int", ("Other", "a type alias", ())),
    ],
)  # fmt: skip
def test_statements(text: str, expected: object) -> None:
    assert shown(statement(text)) == expected


def test_parameters_in_source_order() -> None:
    node = statement("def f(a, /, b: A = 1, *c, d, e=2, **g) -> B: pass")
    assert isinstance(node, Function)
    assert [(p.star, p.name) for p in node.parameters] == [
        ("", "a"), ("", "b"), ("*", "c"), ("", "d"), ("", "e"), ("**", "g"),
    ]  # fmt: skip
    assert shown(node.parameters[1]) == ("Parameter", "b", A, lit(1), "")
    assert shown(node.returns) == B


def test_small_statements_of_one_line() -> None:
    nodes = convert_lines(["a = 1; b = 2; c"], 1, 1, "a.py")
    assert [type(node).__name__ for node in nodes] == ["Assign", "Assign", "ExpressionStatement"]


# -- places -----------------------------------------------------------------------------------
UNICODE = """\
class Ω:
    def größe(self, α):  # Länge: ü
        s = "äöü"; x = α[1] + 2
        return (x *
                α)
"""


def test_places_count_characters_in_the_file() -> None:
    [node] = convert_lines(UNICODE.split("\n"), 2, 5, "a.py")
    assert isinstance(node, Function)
    assert node.place == Place(2, 4, 5, 18)
    assignment, product = node.body[1], node.body[2]
    assert (assignment.place.line, assignment.place.column) == (3, UNICODE.split("\n")[2].index("x ="))
    assert product.place == Place(4, 8, 5, 18)


def test_the_place_of_a_decorated_function() -> None:
    node = statement("@a\n@b(1,\n   2)\ndef f(x):\n    return x")
    assert isinstance(node, Function)
    assert (node.first_line, node.place.line, node.place.end_line) == (1, 4, 5)


@pytest.mark.parametrize(
    "lines",
    [
        ["    x = (1,", "2)"],
        ["    s = '''", "a", "'''"],
        ["\tx = 1", "\ty = 2"],
        ["    # comment", "# less indented", "    x = 1"],
        ["    x = 1  # ü", "", "  ", "    y = \\", "  2"],
    ],
)
def test_pieces_that_are_not_evenly_indented(lines: list[str]) -> None:
    nodes = convert_lines(["if 1:", *lines], 2, 1 + len(lines), "a.py")
    assert nodes and nodes[0].place.line == 2 + sum("#" in line and "x" not in line for line in lines)


KITCHEN_SINK = (
    UNICODE
    + '''
@dec(1, *a, k=2)
class C(B, metaclass=M):
    x: int = 3
    def f(self, /, a, *, b: "T" = {1: 2}, **k) -> None:
        """Doc."""
        for i, (j, *k) in enumerate(x[::2], 1):
            while not a or b and -c ** 2 <= d < e is not None:
                del a[0], b
                continue
            else:
                y = [z for z in range(3) if z if not z] + list(w for w in v)
        with open(f) as g, (yield): raise E from None
        try:
            global q; q @= lambda t=1, *u: t if u else {**o, "a": {1, 2}}
        except (A, B) as e:
            assert x, f"{y!r:>{w}}" "b"
        else:
            return
        finally:
            import a.b as c, d
            from ..e import (g, h as i)
        return a.b[c, ...](d)[1:2, :, ::3]
'''
)


def spans_of_libcst(text: str) -> set[Place]:
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    spans = wrapper.resolve(PositionProvider).values()
    return {Place(s.start.line, s.start.column, s.end.line, s.end.column) for s in spans}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.name)
def test_places_are_those_of_libcst(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    ours = {node.place for node in walk_all(convert_text(text, 1)) if hasattr(node, "place")}
    assert ours and not ours - spans_of_libcst(text)


def test_places_of_every_form_are_those_of_libcst() -> None:
    ours = {node.place for node in walk_all(convert_text(KITCHEN_SINK, 1)) if hasattr(node, "place")}
    assert len(ours) > 110 and not ours - spans_of_libcst(KITCHEN_SINK)


def test_places_agree_with_ast() -> None:
    lines = KITCHEN_SINK.split("\n")
    ours = {
        (n.place.line, n.place.column, n.place.end_line, n.place.end_column)
        for n in walk_all(convert_lines(lines, 1, len(lines), "a.py"))
        if type(n).__name__ in ("Name", "Call", "Binary", "Attribute", "Subscript")
    }
    theirs = {
        (n.lineno, _characters(lines, n.lineno, n.col_offset), n.end_lineno,
         _characters(lines, n.end_lineno or 0, n.end_col_offset or 0))
        for n in ast.walk(ast.parse(KITCHEN_SINK))
        if isinstance(n, (ast.Call, ast.BinOp, ast.Attribute, ast.Subscript))
    }  # fmt: skip
    assert len(theirs) > 12
    dropped = ("del", "{")  # what is deleted, and what stands in f-strings and dicts, is not kept
    missing = {place for place in theirs - ours if not any(w in lines[place[0] - 1] for w in dropped)}
    assert not missing


def _characters(lines: list[str], line: int, offset: int) -> int:
    return len(lines[line - 1].encode()[:offset].decode())


# -- grammar, old and new ---------------------------------------------------------------------
@pytest.mark.parametrize(
    "text, expected",
    [
        ("def f[T: (int, str), *U, **P = [int]](x: T) -> T: return x", "Function"),
        ("@a . b (\n  1)\n# c\nclass i[T](A, k=B): pass", "Class"),
        ("type A[T] = list[T]", "a type alias"),
        ("try: pass\nexcept* (A, B) as i: j = 1", "a try with except*"),
        ("match A, B:\n  case [1, *_] | {'a': i, **j} if i:  # c\n    pass; pass  # d", "a match statement"),
        ("async def f(a, /, *, b):\n  await a; yield from b", "an async function"),
        ("async def f():\n  async with a as b: pass\n  async for c in d: [e async for e in f]", "an async function"),
        ("with (A as i, B as j,): pass", "With"),
        ("with (A), (B): pass", "With"),
        ("for i in *A, *B: pass", "For"),
        ("while (i := j): continue", "While"),
        ("i = f\"{A['b']!r:>{j}} {B=} {i:%Y}\" 'z{' f'{i:{j}{A}}'", "Assign"),
        ("i = f'{f\"{'A'}\"}'", "Assign"),
        ("i = f'''{\n  A  # c\n}'''", "Assign"),
        ("i = t'{A}'", "Assign"),
        ("i = lambda *a, b=1, **c: (yield)", "Assign"),
        ("i = A[1:, ::2, :, *j]", "Assign"),
        ("i = {**A, 'b': (j), **B}", "Assign"),
        ("i = ((A) and (B)) or (not (j))", "Assign"),
        ("i = A if (B) else (yield)", "Assign"),
        ("i = [A for i in B if j for k in A if i if j]", "Assign"),
        ("i = A(*B, k=1, *j, **A, **B,)", "Assign"),
        ("i, = j; A[i] @= B;", "Assign"),
        ("raise A from B", "Simple"),
        ("from . import (A, B as i,)", "Import"),
    ],
)  # fmt: skip
def test_every_place_is_that_of_libcst(text: str, expected: str) -> None:
    nodes = convert_text(f"{text}\n", 1)
    assert expected in (type(nodes[0]).__name__, getattr(nodes[0], "kind", None))
    ours = {node.place for node in walk_all(nodes) if hasattr(node, "place")}
    assert not ours - spans_of_libcst(f"{text}\n")
    assert nodes[-1].place.end_line == text.count("\n") + 1


def test_a_form_feed_is_a_column() -> None:
    """As for Python's own parser; LibCST's provider loses it."""
    lines = ["\fi = 1", "\f", "j = 2"]
    places = [node.place for node in convert_lines(lines, 1, 3, "a.py")]
    assert places == [Place(1, 1, 1, 6), Place(3, 0, 3, 5)]
    assert [node.col_offset for node in ast.parse("\n".join(lines)).body] == [1, 0]


def test_names_are_compared_as_python_does() -> None:
    assert shown(convert_expression("ﬁeld.ﬁrst")) == ("Attribute", ("Name", "field"), "first")


def test_a_long_text_in_many_lines() -> None:
    node = convert_text("x = (" + "'a'\n" * 900 + ")\n", 1)[0]
    assert shown(node) == ("Assign", (("Name", "x"),), lit("a" * 900), None)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_and_marks_of_a_file(tmp_path: Path, line_end: str) -> None:
    path = tmp_path / "a.py"
    text = line_end.join(["\ufeffdef f(x):", "\tfor i in x:", "\t\ty = 'ü' ; x[i] = y", ""])
    path.write_bytes(text.encode())
    node = read_module(read_source(str(path)), str(path)).function("f")
    [store] = [part for part in walk_all(node) if type(part).__name__ == "Subscript"]
    assert store.place == Place(3, 12, 3, 16)


@pytest.mark.parametrize("line", ["def f(:", "x = = 1", "class A(k=1, *b): pass"])
def test_code_that_cannot_be_parsed_is_one_line(line: str) -> None:
    with pytest.raises(SourceError, match=r"^a\.py:1: code that LibCST cannot parse \(ParserSyntaxError\)$"):
        convert_lines([line], 1, 1, "a.py")


@pytest.mark.parametrize("opening, closing", [
    ("(", ")"), ("[", "]"), ("f(", ")"), ("a[", "]"), ("-", ""), ("not ", ""), ("1 if x else ", ""), ("a + ", ""),
])  # fmt: skip
def test_deep_nesting_is_refused(opening: str, closing: str) -> None:
    assert convert_expression(opening * 40 + "1" + closing * 40)
    for depth in (200, 5_000):
        with pytest.raises(SourceError, match="nested too deeply"):
            convert_expression(opening * depth + "1" + closing * depth)


def test_a_lost_place_is_an_error() -> None:
    """A place that is wrong would be worse than none."""
    cursor = SourceCursor("a + b\n", 1)
    cursor.take("a")
    with pytest.raises(LostPlaceError, match=r"no '\*' found in line 1"):
        cursor.take("*")
    with pytest.raises(LostPlaceError):
        cursor.pass_over("+ b c d")


# -- random code ------------------------------------------------------------------------------
names = st.sampled_from(["a", "b", "größe", "x1"])


def _expressions() -> st.SearchStrategy[str]:
    leaves = names | st.integers(0, 10**6).map(str) | st.floats(0, 1e9).map(repr) | st.just("'text'")

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        some = st.lists(inner, min_size=1, max_size=3)
        operators = st.sampled_from("+ - * / // % ** @ & | ^ << >> < <= == != and or in is".split())
        return st.one_of(
            st.tuples(inner, operators, inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
            st.tuples(st.sampled_from(["-", "~", "not "]), inner).map(lambda t: f"{t[0]}({t[1]})"),
            st.tuples(names, some).map(lambda t: f"{t[0]}[{', '.join(t[1])}]"),
            st.tuples(names, inner, inner).map(lambda t: f"{t[0]}[{t[1]}:{t[2]}]"),
            st.tuples(names, some).map(lambda t: f"{t[0]}.f({', '.join([*t[1], 'k=1'])})"),
            some.map(lambda t: f"[{', '.join(t)}]"),
            st.tuples(inner, inner, inner).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
            st.tuples(inner, names, inner).map(lambda t: f"[{t[0]} for {t[1]} in ({t[2]})]"),
            inner.map(lambda t: f"(lambda a: {t})"),
        )

    return st.recursive(leaves, grown, max_leaves=12)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=60, deadline=None)
@given(_expressions())
def test_random_expressions_convert_in_full(text: str) -> None:
    node = convert_expression(text)
    assert not [part for part in walk_all(node) if isinstance(part, Other)]
    assert _names(node) == sorted(n.id for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Name))


def _names(node: Expression) -> list[str]:
    return sorted(part.id for part in walk_all(node) if type(part).__name__ == "Name")


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=40, deadline=None)
@given(st.lists(_expressions(), min_size=1, max_size=4), st.sampled_from(["", "    ", "\t"]))
def test_random_functions_convert_in_full(parts: list[str], indent: str) -> None:
    body = [f"if {p}:\n    a = {p}\nelse:\n    for b in range(3): a[b] += {p}" for p in parts]
    text = "def f(a, b=1):\n" + "\n".join("    " + line for part in body for line in part.split("\n"))
    lines = [indent + line for line in ast.unparse(ast.parse(text)).split("\n")]
    [node] = convert_lines(lines, 1, len(lines), "a.py")
    assert isinstance(node, Function)
    assert len(node.body) == len(parts)
    assert node.place.column == len(indent)
