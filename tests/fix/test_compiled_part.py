"""``roofscan fix --unsafe``: whole-array statements of a plain function become a function of their own, compiled."""

from __future__ import annotations

import numpy as np
import pytest

from roofscan.fix.array_loops.compiled_part import compiled_part
from tests.fix.test_interchange import HEAD, fix
from tests.fix.test_one_loop import IMPORTS, fixes_of
from tests.oracle.run import run_target

PRAGMA = "# roofscan: x=f8[n] y=f8[n] U=f8[n,m] c=f8[m] s=2.0\n"
DEF = PRAGMA + "def f(x, y, U, c, s):\n"


def parts(body: str, head: str = IMPORTS) -> list[str]:
    return [made.module.code for made in fixes_of(head + DEF + body, [compiled_part])]


def test_numpy_makes_the_result_and_a_loop_of_its_own_fills_it() -> None:
    [made] = {*parts('    """Curvature."""\n    # inside\n    return U[:-2, 1:-1] + U[2:, 1:-1] - s * U[1:-1, 1:-1]\n')}
    assert made == IMPORTS + (
        "@njit\ndef _f_loop(U, s, result):\n    for i in range(U.shape[0] - 2):\n"
        "        for j in range(U.shape[1] - 2):\n"
        "            result[i, j] = U[i, j + 1] + U[i + 2, j + 1] - s * U[i + 1, j + 1]\n\n\n"
        f"{DEF}"
        '    """Curvature."""\n    # inside\n    result = np.empty_like(U[:-2, 1:-1])\n    _f_loop(U, s, result)\n'
        "    return result\n"
    )


def test_what_is_no_elementwise_statement_stays() -> None:
    body = "    m = np.mean(U, axis=0)\n    t = U - m\n    w = t * t + s\n    w[0] = 0.0\n    return w, m\n"
    made = next(text for text in parts(body) if "w = np.empty_like" in text)
    assert "def _f_loop(U, m, s, w):\n" in made and "            t = U[i, j] - m[j]\n" in made
    assert made.endswith(
        "    m = np.mean(U, axis=0)\n    w = np.empty_like(U)\n    _f_loop(U, m, s, w)\n"
        "    w[0] = 0.0\n    return w, m\n"
    )


def test_stores_in_a_loop_of_python_become_a_call() -> None:
    stores = "        y[1:-1] = x[2:] - s * x[1:-1] + x[:-2]\n        np.sqrt(y + s, out=x)\n"
    body = f"    for t in range(10):\n{stores}    return x\n"
    [first, last] = dict.fromkeys(parts(body))
    assert "        _f_loop(y, x, s)\n        np.sqrt(y + s, out=x)\n" in first
    assert "x[i] = np.sqrt(y[i] + s)\n" in last and "        _f_loop(x, y, s)\n    return x\n" in last


def test_a_choice_of_elements_needs_no_mask() -> None:
    body = "    a = abs(x)\n    return np.where((a < s) & (y != 0.0), 0.5 * x * x, s * (a - 0.5 * s)).sum() / len(x)\n"
    *_, made = parts(body)
    assert '@njit(fastmath={"reassoc", "nsz"})\ndef _f_loop(y, x, s):\n    total = 0.0\n' in made
    assert (
        "total += (0.5 * x[i] * x[i] if (a < s) and (y[i] != 0.0) else s * (a - 0.5 * s))\n    return total\n" in made
    )
    assert made.endswith("    return _f_loop(y, x, s) / len(x)\n")
    x, y = np.random.default_rng(1).normal(0.0, 3.0, (2, 1001))
    before, after = (run_target(text, "f")(x, y, None, None, 2.0) for text in (IMPORTS + DEF + body, made))
    assert np.isclose(before, after, 1e-12)


def test_limits_are_a_maximum_and_a_minimum() -> None:
    *_, made = parts("    return np.clip(x * y - s, 0.0, 1.0) * y\n")
    assert "result[i] = np.minimum(np.maximum(x[i] * y[i] - s, 0.0), 1.0) * y[i]\n" in made


def test_a_file_without_numba_imports_it_and_all_kernels_have_their_turn() -> None:
    two = "def f(x, y):\n    return x * y - 2.0 * x\n\n\ndef g(x, y):\n    x[:] = y * x + y - 1.0\n"
    pragma = "# roofscan: x=f8[n] y=f8[n]\n"
    text = f"import numpy as np\n\nN = 3\n\n\n{pragma}{two.replace('def g', pragma + 'def g')}"
    found = fix(text, unsafe=True)
    after = found.after.decode()
    assert after.startswith("import numpy as np\nfrom numba import njit\n\nN = 3\n\n\n@njit\ndef _f_loop(")
    assert after.count("@njit\n") == 2 and after.count("import njit") == 1
    assert sum("the file needs Numba" in text for text in found.fixes) == 1
    assert fix(after, unsafe=True).after.decode() == after


def test_a_file_that_may_lack_numba_stays_as_it_is() -> None:
    text = "try:\n    import numba\nexcept ImportError:\n    numba = None\n"
    body = "    return x * y - s\n"
    assert not parts(body, "import numpy as np\n" + text) and parts(body, "import numpy as np\n")


def test_a_method_gets_its_loop_before_the_class() -> None:
    text = HEAD.removesuffix("@njit\n") + (
        "class Grid:\n    # roofscan: x=f8[n] y=f8[n]\n    def f(self, x, y):\n        return x * y - 2.0 * x\n"
    )
    [made] = {made.module.code for made in fixes_of(text, [compiled_part])}
    assert made.index("def _f_loop(x, y, result)") < made.index("class Grid")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("    return np.exp(x) * y\n", "NumPy's exponential is faster"),
        ("    return np.where(x > y, 1, 0)\n", "an array of integers"),
        ("    return np.where(x > y, s, s)\n", "perhaps one"),
        ("    return np.where(x > y > s, x, y)\n", "no comparison of arrays"),
        ("    return x.reshape(-1, 1) * y\n", "no element of x"),
        ("    x[1:] = x[:-1] + y[1:]\n", "an iteration would read what another one stored"),
        ("    global t\n    t = x * y + s\n    y[:] = t * x\n", "a global name"),
        ("    c = np.zeros(3)\n    return x * y + c\n", "an array of another size"),
        ("    return x - y.mean()\n", "one operation: NumPy makes one pass, too"),
        ("    return x[y > 0] * s\n", "a selection by a mask"),
        ("    yield x * y + s\n", "a generator"),
    ],
)
def test_statements_that_stay_as_they_are(body: str, why: str) -> None:
    assert not parts(body), why


@pytest.mark.parametrize(
    "text",
    [
        DEF.replace("x=f8[n] y=f8[n]", "x=f4[n] y=f4[n]") + "    return x * y + s\n",
        DEF.replace("def", "@njit\ndef") + "    return x * y + s\n",
        DEF.replace("def", "@cached\ndef") + "    return x * y + s\n",
        "def outer():\n" + (DEF + "    return x * y + s\n").replace("\n", "\n    ") + "return f\n",
    ],
)
def test_functions_that_stay_as_they_are(text: str) -> None:
    assert not fixes_of(IMPORTS + text, [compiled_part])


def test_arrays_of_which_one_may_be_a_number_stay_with_numpy() -> None:
    """``blend(a, b, 0.3)`` is as likely as three arrays."""
    text = "import numpy as np\nfrom numba import njit\n\n\ndef blend(a, b, t):\n"
    body = "    mixed = (1.0 - t) * a + t * b\n    return np.clip(mixed, 0.0, 255.0)\n"
    assert not fix(text + body, unsafe=True).fixes
    assert fix(text.replace("def", "# roofscan: a=f8[n] b=f8[n] t=0.3\ndef") + body, unsafe=True).fixes


@pytest.mark.parametrize("x", [np.array([[0.5, 0.25], [0.75, 0.0]]), 0.5, 2])
def test_the_only_array_of_a_sum_may_be_a_number(x: object) -> None:
    text = "import numpy as np\n\n\ndef f(x, y):\n    n = np.sqrt(np.sum(x * x - x + 2.0))\n"
    text += "    x = np.abs(x)\n    return x, n\n"
    after = fix(text, unsafe=True).after.decode()
    assert "_f_loop(np.ravel(x))" in after
    (_, one), (_, other) = (run_target(source, "f")(x, 1.0) for source in (text, after))
    assert np.isclose(one, other, 1e-12)


def test_each_axis_has_its_own_length() -> None:
    text = "import numpy as np\nfrom numba import njit\n\n\ndef f(x):\n    up = np.roll(x, 1, axis=0)\n"
    text += "    down = np.roll(x, -1, axis=0)\n    return x + 0.5 * (2.0 * x - up - down)\n"
    after = fix(text, unsafe=True).after.decode()
    assert "for i in range(x.shape[0]):\n        for j in range(x.shape[1]):\n" in after
    x = np.random.default_rng(1).random((2, 5))
    assert np.allclose(run_target(text, "f")(x), run_target(after, "f")(x), 1e-12)
