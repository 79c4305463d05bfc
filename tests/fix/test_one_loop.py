"""``roofscan fix --unsafe``: whole-array expressions as one loop give the same numbers, or are not offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofscan.finding import Finding
from roofscan.fix.array_loops.compiled_function import compiled_function
from roofscan.fix.array_loops.compiled_part import compiled_part
from roofscan.fix.array_loops.new_results import new_array, summed
from roofscan.fix.array_loops.one_loop import one_loop
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import SourceTree
from roofscan.parse.lowering.lower import lower
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from tests.fix.test_interchange import HEAD, THOROUGHNESS, fix
from tests.oracle.run import run_target

IMPORTS = HEAD.removesuffix("@njit\n")
PARAMETERS = ("x", "y", "z", "U", "V", "alpha", "k")
PRAGMA = "# roofscan: x=f8[n] y=f8[n] z=f8[n] U=f8[n,n] V=f8[n,n] alpha=0.5\n"
ODD = (np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -2.5)

GROUPS = (
    (("x", "y", "x[:]", "z[...]", "alpha", "t"), ("z[:]", "x[:]", "z[...]")),
    (("y[1:-1]", "x[2:]", "y[:-2]", "beta"), ("z[1:-1]", "z[2:]", "y[:-2]")),
    (("U", "V", "alpha", "3", "t", "x", "V[:]"), ("V[:]", "V[...]", "U[:, :]")),
    (
        ("U[k, 1:]", "V[k + 1, 1:]", "U[0, 1:]", "x[k]", "U[k, k]", "V[k, :-1]"),
        ("V[k, 1:]", "V[k + 1, 1:]", "U[0, 1:]"),
    ),
    (("U[1:-1, 1:-1]", "V[2:, 1:-1]", "V[1:-1, :-2]", "beta"), ("V[1:-1, 1:-1]", "U[2:, 1:-1]")),
    (
        ("x", "y[1:]", "x[:-1]", "U[0]", "U[:, 0]", "V[k]", "alpha", "2.0", "t", "U[1:, :]", "x[::2]", "U[:, k]"),
        ("z[1:]", "z", "x[k]", "U[0]", "V[k, :]", "V[1:, :]", "U[:-1]", "V[:, 1:]", "z[:]", "V[:]"),
    ),
)
FORMS = (
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "{} / {}",
    "-{} * {}",
    "np.sqrt({}) + {}",
    "np.minimum({}, {})",
    "{} ** 2 + {}",
    "np.where({0} > {1}, {0}, {1} + 1.0)",
    "np.abs({}) * {}",
    "np.clip({}, -1.0, 2.0) + {}",
)


@st.composite
def functions(draw: st.DrawFn) -> str:
    compiled, (reads, stores) = draw(st.booleans()), draw(st.sampled_from(GROUPS))

    def expression() -> str:
        one = draw(st.sampled_from(FORMS)).format(*(draw(st.sampled_from(reads)) for _ in range(2)))
        return f"({one}) * {draw(st.sampled_from(reads))}" if draw(st.booleans()) else one

    first = draw(st.sampled_from(("t = 1.5", "t = x[0]", "t = np.sum(x)", "t = x * y", "t = U[0]", "t = U - V")))
    lines = ["beta = alpha * 2.0", first]
    lines += [f"t = {expression()}"] * draw(st.integers(0, 1))
    lines += [f"t += {expression()}"] * draw(st.integers(0, 1))
    for _ in range(draw(st.integers(1, 2))):
        lines.append(f"{draw(st.sampled_from(stores))} {draw(st.sampled_from(('=', '+=')))} {expression()}")
    if draw(st.booleans()):
        lines.append(f"{draw(st.sampled_from('xyzUV'))} {draw(st.sampled_from(('+=', '*=')))} {expression()}")
    head = PRAGMA + ("@njit\n" if compiled else "") + f"def f({', '.join(PARAMETERS)}):\n"
    return IMPORTS + head + "".join(f"    {line}\n" for line in lines)


WRITERS = (one_loop, compiled_function, summed, new_array)


def fixes_of(text: str, writers: Sequence[Callable[[Site], Fix | None]] = WRITERS) -> list[Fix]:
    module = read_module(text, "k.py")
    [kernel] = [lower(module, c) for c in find_candidates(module, True).candidates]
    source = SourceTree(text.encode())
    function = source.function_at(kernel.line)
    assert function is not None
    compiles_all = not kernel.decorator.compiled and compiled_part not in writers
    rows = [kernel.line] if compiles_all else range(kernel.line + 1, text.count("\n") + 1)
    sites = (Site(Finding("RFL301", "k.py", row, 0, "", "f"), kernel, source, function) for row in rows)
    return [made for site in sites for write in writers if (made := write(site))]


def arguments(n: int, seed: int, shared: tuple[str, str] | None) -> dict[str, object]:
    random = np.random.default_rng(seed)
    vectors = {name: random.choice(ODD, n) + random.random(n) * (seed % 2) for name in "xyz"}
    matrices = {name: random.choice(ODD, (n, n)) for name in "UV"}
    every = {**vectors, **matrices}
    return {**every, **({shared[0]: every[shared[1]]} if shared else {}), "alpha": 0.5, "k": 0}


def outcome(code: str, given_: dict[str, object]) -> list[object] | None:
    """What a call returns and leaves, with one memory for arguments of one name; None where it raises."""
    try:
        with np.errstate(all="ignore"):
            return [run_target(code, "f")(**given_), *given_.values()]
    except (ValueError, IndexError, TypeError, AttributeError):  # a number is summed, or subscripted
        return None


def test_a_number_that_becomes_an_array_is_no_array_to_store_into() -> None:
    head = f"{IMPORTS}{PRAGMA}@njit\ndef f({', '.join(PARAMETERS)}):\n"
    made = fixes_of(f"{head}    t = 1.5\n    t += x + x\n    z[:] = x + x\n")
    assert made and not any("t[i]" in fix.module.code for fix in made)


@settings(max_examples=40 * THOROUGHNESS, deadline=None)
@given(functions(), st.sampled_from((0, 1, 2, 5, 7)), st.integers(0, 20))
def test_one_loop_gives_the_same_numbers(text: str, n: int, seed: int) -> None:
    parts = fixes_of(text, [compiled_part]) if n != 1 else []  # arrays of one element are broadcast
    for made in (*fixes_of(text), *parts):
        for pair in (None, *permutations("xyz", 2), ("U", "V")):
            words = " and ".join(sorted(pair or ())) + " do not overlap"
            shared = pair if pair and words not in made.assumptions else None
            before = outcome(text, arguments(n, seed, shared))
            if before is not None:
                after = outcome(made.module.code, arguments(n, seed, shared))
                assert after is not None, made.module.code
                for one, other in zip(before, after, strict=True):
                    if one is not None:
                        np.testing.assert_array_equal(one, other, made.module.code)


def test_a_stencil_becomes_a_loop_with_its_comments() -> None:
    text = "def f(u, v):\n    # the inner part\n    v[1:-1, 1:-1] = 0.5 * (u[2:, 1:-1] + u[:-2, 1:-1])  # means\n"
    after = fix(HEAD + text, unsafe=True).after.decode().removeprefix(HEAD)
    assert after == (
        "def f(u, v):\n    # the inner part\n    # means\n    for i in range(v.shape[0] - 2):\n"
        "        for j in range(v.shape[1] - 2):\n            v[i + 1, j + 1] = 0.5 * (u[i + 2, j + 1] + u[i, j + 1])\n"
    )


def test_statements_of_one_shape_become_one_loop() -> None:
    head = "# roofscan: x=f8[n] y=f8[n] v=f8[n] w=f8[n]\n@njit\ndef f(x, y, v, w):\n"
    text = "    # moments\n    t = x - y  # apart\n    w[:] = t * t\n    v[:] += t\n    return v\n"
    [*_, made] = fixes_of(IMPORTS + head + text)
    assert made.what == "write lines 9, 10 and 11 as one loop" and "v and w do not overlap" in made.assumptions
    assert made.module.code.endswith(
        "    # moments\n    # apart\n    for i in range(len(v)):\n        t = x[i] - y[i]\n        w[i] = t * t\n"
        "        v[i] += t\n    return v\n"
    )


def test_row_views_become_a_loop_over_the_elements_of_the_row() -> None:
    text = (
        "def f(u, v, r, w):\n    n, m = u.shape\n    for i in range(1, n - 1):\n"
        "        v[i, 1 : m - 1] = r[i] * (u[i - 1, 1 : m - 1] + u[i + 1, 1:-1]) - w[i] * u[i, : m - 2]\n"
    )
    after = fix(HEAD + text, unsafe=True).after.decode().removeprefix(HEAD)
    assert after == (
        "def f(u, v, r, w):\n    n, m = u.shape\n    for i in range(1, n - 1):\n"
        "        r_element = r[i]\n        w_element = w[i]\n        for j in range(m - 2):\n"
        "            v[i, j + 1] = r_element * (u[i - 1, j + 1] + u[i + 1, j + 1]) - w_element * u[i, j]\n"
    )


ROW = "# roofscan: u=f8[n,n] v=f8[n,n] w=f8[n]\n@njit\ndef f(u, v, w):\n"


@pytest.mark.parametrize(
    ("text", "is_one_loop"),
    [
        ("for i in range(1, len(u)):\n    u[i, 1:] = u[i - 1, 1:] * w[i]", True),  # the same columns of another row
        ("for i in range(1, len(u)):\n    u[i, 1:] = u[i - 1, :-1] * w[i]", False),  # other columns
        ("for i in range(1, len(u)):\n    u[i, :] = u[i, :] * u[i, i]", False),  # the loop stores the factor
        ("n, m = v.shape\nfor i in range(n):\n    u[i, 1 : m - 1] = w[1:-1] * 2.0", False),  # v need not be as wide
        ("n, m = u.shape\nfor i in range(n):\n    u[i, : m - 3] = w[3:] * 2.0", False),  # of 2 columns takes 1
        ("n, m = u.shape\nm = 3\nfor i in range(n):\n    u[i, : m - 1] = w[1:] * 2.0", False),  # m is another number
    ],
)
def test_rows_that_one_loop_may_update(text: str, is_one_loop: bool) -> None:
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    assert bool(fixes_of(IMPORTS + ROW + lines)) == is_one_loop


def test_arguments_that_are_updated_in_place() -> None:
    text = PRAGMA + "@njit\ndef f(x, y, z):\n    for s in range(8):\n        y += 0.1 * z\n        x += 0.1 * y\n"
    [made] = {fix.module.code for fix in fixes_of(IMPORTS + text)}
    assert made.endswith(
        "        for i in range(len(x)):\n            y[i] += 0.1 * z[i]\n            x[i] += 0.1 * y[i]\n"
    )
    renamed = fixes_of(IMPORTS + text.replace("for s in range(8)", "x = 2.0 * y\n    if True"))
    assert not any("x[i]" in fix.module.code for fix in renamed), "x is another array by then"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("t = x - y; w[:] = t * t; return t", "the array is returned"),
        ("t = x - y; w[:] = t * t; t[0] = 1.0", "it is stored into"),
        ("t = x - y; w[:] = 2.0 * y", "nothing says that it has the shape of w"),
        ("w[:] = x; k[:] = 2.0 * y", "arrays of two shapes"),
        ("w[1:] = 2.0 * y[1:]; v[1:] = w[:-1] - y[:-1]", "it reads what other iterations store"),
        ("w[:] = 2.0 * y; v[0] = 1.0; v[:] = x + w", "a store in between"),
    ],
)
def test_statements_that_stay_apart(text: str, why: str) -> None:
    head = "# roofscan: x=f8[n] y=f8[n] v=f8[n] w=f8[n] k=f8[m]\n@njit\ndef f(x, y, v, w, k):\n"
    body = "".join(f"    {line}\n" for line in text.split("; "))
    assert not any("as one loop" in made.what for made in fixes_of(IMPORTS + head + body)), why


PLAIN = '''# roofscan: x=f8[n] y=f8[n] r=f8[n]
def f(x, y, r):
    """Doc."""
    c = 2.0
    d = x - y
    r[:] = np.sqrt(d * d + y) / c
'''


def test_a_plain_function_is_compiled() -> None:
    made = fix(IMPORTS.replace("njit", "prange") + PLAIN, unsafe=True)
    after = made.after.decode()
    assert (
        "from numba import prange, njit\n" in after
        and '@njit(error_model="numpy")\ndef f(x, y, r):\n    """Doc' in after
    )
    assert (
        "    c = 2.0\n    for i in range(len(r)):\n        d = x[i] - y[i]\n        r[i] = np.sqrt(d * d + y[i]) / c\n"
        in after
    )
    assert (
        "unsafe: shapes and subscripts are not checked, 1/0 gives inf instead of an error, Numba rounds"
        in made.fixes[0]
    )
    assert "assumes r, x and y match in shape; assumes x, y and r are float64" in made.fixes[0]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("x - y", "np.exp(x) - y"), "NumPy's exponential is faster"),
        (("    r[:]", "    print(d)\n    r[:]"), "a call has an effect"),
        (("def f(x, y, r):", "def f(x, y, r, *more):"), "Numba may not take the parameters"),
        (("d = x - y", "d = x"), "a name of the argument itself"),
        (("d = x - y", "x = x - y"), "the argument gets another meaning"),
        (("/ c", "/ c\n    return d"), "the temporary is returned"),
        (("r[:] =", "r ="), "nothing is stored"),
        (("c = 2.0", "c = np.zeros(3)"), "an array of another size"),
        (("c = 2.0", "c = OFFSETS"), "a global name may be an array"),
        (("x - y", "x[1:] - y[:-1]"), "the shapes differ"),
        (("c = 2.0", "c = 2 ** len(x)"), "an integer of any size"),
        (("c = 2.0", "c = math.log(x[0])"), "Python's math raises"),
        (("c = 2.0", "c = int(x[0])"), "NaN raises"),
        (("c = 2.0", "c = 2.0\n    r[:] = np.exp(x)"), "a store is no number"),
        (("x - y", "x * 10 ** 20 - y"), "an integer of more than 64 bits"),
        (("x - y", "x * 100000000000000000000 - y"), "likewise"),
        (("r[:] =", "r[:] //="), "0 // 0 raises"),
        (("r[:] =", "r[:] %="), "0 % 0 raises"),
        (("x - y", "x - G"), "to Numba a global array is a constant"),
        (("    r[:] = np.sqrt(d * d + y)", "    r[:-2] = r[1:-1] + r[1:-1]"), "it reads what other iterations store"),
    ],
)
def test_functions_that_stay_as_they_are(change: tuple[str, str], why: str) -> None:
    text = IMPORTS + "G = np.ones(5)\n\n\n" + PLAIN.replace(*change)
    assert "with njit, as one loop" not in "".join(fix(text, unsafe=True).fixes), why


@pytest.mark.parametrize("line", ["v[:] /= u + 1.0", "v[:] = u / 0", "v[:] = (u + v) ** -1"])
def test_divisions_that_raise_are_told(line: str) -> None:
    text = IMPORTS + f"# roofscan: u=f8[m] v=f8[m]\n@njit\ndef f(u, v, n):\n    {line}\n"
    [made] = fixes_of(text)
    assert "1/0" in made.why_unsafe and '@njit(error_model="numpy")' in made.module.code
    assert made.assumptions == ("u and v do not overlap", "u and v match in shape", "u and v are float64")


def test_numbers_that_a_plain_function_divides_are_told() -> None:
    text = IMPORTS + PLAIN.replace("c = 2.0", "c = 1.0 / x[0]").replace("/ c", "* c")
    [made] = fixes_of(text)
    assert "1/0" in made.why_unsafe and '@njit(error_model="numpy")' in made.module.code


def test_complex_divisions_by_zero_raise_in_any_error_model() -> None:
    assert not fixes_of(IMPORTS + PLAIN.replace("f8", "c16"))
    assert fixes_of(IMPORTS + PLAIN.replace("f8", "c16").replace("/ c", "* c"))


def test_the_type_of_a_local_array_rests_on_those_of_arguments() -> None:
    head = "# roofscan: x=f8[n] r=f8[n]\n@njit\ndef f(x, r):\n    t = np.empty_like(x)\n"
    [made] = fixes_of(IMPORTS + f"{head}    r[:] = t * t + 1.0\n")
    assert made.assumptions[-1] == "x and r are float64"


def test_what_is_taken_for_a_number_is_told() -> None:
    head = "# roofscan: x=f8[n] r=f8[n]\n@njit\ndef f(x, r, a, b, m):\n    c = 2.0 * a\n"
    [made] = fixes_of(IMPORTS + f"{head}    for i in range(m):\n        r[:] = c * x + b\n")
    assert made.assumptions[-2:] == ("a is a number", "b is a number")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("u[1:] = u[:-1] + v[1:]", "an iteration would read what the one before stored"),
        ("v[1:-1] = u[2:] + u[:-2]", "of unknown rank"),
        ("v[::2] = u[::2] + 1.0", "a step"),
        ("v[:] //= u + 1.0", "other zeros than those of arrays"),
        ("v[:] %= u + 1.0", "a modulo of 0 raises"),
        ("v[:] **= u + 1.0", "of other types than arrays"),
        ("v[1:n] = u[1:n] + u[:n-1]", "an end that may be cut"),
    ],
)
def test_statements_that_stay_as_they_are(line: str, why: str) -> None:
    known = "" if why == "of unknown rank" else "# roofscan: u=f8[m] v=f8[m]\n"
    text = IMPORTS + f"{known}@njit\ndef f(u, v, n):\n    {line}\n"
    assert not fixes_of(text), why


def test_a_name_that_is_bound_again_is_a_number_all_along() -> None:
    """The store reads what only the statements before it make."""
    head = "# roofscan: x=f8[n] y=f8[n] v=f8[n] w=f8[n]\n@njit\ndef f(x, y, v, w):\n"
    text = IMPORTS + head + "    t = x - y\n    t = 0.5 * (t + w) * t\n    v[:] = t\n    return v\n"
    made = next(made for made in fixes_of(text) if made.what == "write lines 8, 9 and 10 as one loop")
    assert "        t = 0.5 * (t + w[i]) * t\n" in made.module.code
    given_ = {name: np.random.default_rng(n).random(5) for n, name in enumerate("xyvw")}
    fresh = {name: value.copy() for name, value in given_.items()}
    one, other = outcome(text, given_), outcome(made.module.code, fresh)
    assert one is not None and other is not None
    np.testing.assert_array_equal(one[0], other[0])
