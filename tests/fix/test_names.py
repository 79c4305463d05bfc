"""What names of the source stand for: fixes write ``min`` and ``np`` only where these are what they think."""

from __future__ import annotations

import pytest

from tests.fix.test_interchange import HEAD, MATMUL, fix
from tests.fix.test_overwritten import fix_of
from tests.fix.test_tiling import PRODUCT

IMPORTS = "import numpy as np\nfrom numba import njit\n"
BLENDED = """def blend(x, y):  # roofscan: x=f8[n] y=f8[n]
    d = x - y
    return d * d + 0.5 * d * x
"""


@pytest.mark.parametrize(
    "line",
    ["def min(a, b):\n    return a", "from helpers import min", "from helpers import *", "min = np.minimum",
     "import fast.min as min", "class min:\n    pass"],
)  # fmt: skip
def test_a_file_with_a_min_of_its_own_gets_no_blocks(line: str) -> None:
    assert fix(HEAD + PRODUCT).fixes
    assert not fix(f"{line}\n{HEAD}{PRODUCT}").fixes


@pytest.mark.parametrize("line", ["min = max", "def min(a, b): return b", "from helpers import min"])
def test_nor_does_a_function_with_one(line: str) -> None:
    head, _, rest = PRODUCT.partition("\n")
    assert not fix(f"{HEAD}{head}\n    {line}\n{rest}").fixes


@pytest.mark.parametrize(
    "line",
    ["from numba import *", "from math import *", "from six.moves import range", "def f(min):\n    return min",
     "def f():\n    min = 3\n    return min", "x.min = 3", "from helpers import *"],
)  # fmt: skip
def test_names_that_are_of_no_account(line: str) -> None:
    text = (
        PRODUCT if "helpers" not in line else PRODUCT.replace("C[i, j] +=", "C[j, i] +=").replace("B[k, j]", "B[j, k]")
    )
    assert fix(f"{line}\n{HEAD}{text}", unsafe="helpers" in line).fixes


def test_numba_is_imported_before_it_is_used() -> None:
    assert "@njit\ndef _blend_loop" in fix(f"{IMPORTS}\n\n{BLENDED}", unsafe=True).after.decode()
    late = f"import numpy as np\n\n\n{BLENDED}\n\nfrom numba import njit\n"
    assert not fix(late, unsafe=True).fixes


def test_numpy_is_what_the_whole_file_imports_by_that_name() -> None:
    text = f"import numpy as np\n{HEAD}def scaled(a, b):  # roofscan: a=f4[n] b=f4[n]\n"
    text += "    for i in range(len(a)):\n        a[i] = 0.5 * b[i]\n"
    assert "np.float32(0.5)" in fix(text, unsafe=True).after.decode()
    elsewhere = text.replace("import numpy as np\n", "", 2) + "\n\ndef g():\n    import numpy as xp\n    return xp.pi\n"
    assert not fix(elsewhere, unsafe=True).fixes
    either = text.replace(
        "import numpy as np\n", "try:\n    import cupy as np\nexcept ImportError:\n    import numpy as np\n", 1
    )
    assert not fix(either, unsafe=True).fixes


def test_a_function_in_the_function_may_hold_the_array() -> None:
    text = "import numpy as np\n\n\n# roofscan: x=f8[n] w=f8[n] a=0.5\ndef f(x, w, a):\n{}    y = x - w\n"
    text += "    old = seen()\n    y = y * x\n    return old, y\n"
    assert fix_of(text.format("")) is not None
    assert fix_of(text.format("    def seen():\n        return y\n")) is None


@pytest.mark.parametrize(
    ("options", "safety"),
    [
        ('locals={"acc": float32}', ""), ("locals=dict(acc=float32)", ""), ("**FAST", "unsafe: with fastmath"),
        ("boundscheck=True", "unsafe: a subscript"), ("debug=True", "unsafe: a subscript"),
        ("**options()", "unsafe: not all options"), ("boundscheck=False, cache=True", "safe; assumes"),
    ],
)  # fmt: skip
def test_options_of_the_decorator_that_make_it_unsafe(options: str, safety: str) -> None:
    head = HEAD.replace("@njit", f'FAST = {{"fastmath": True}}\n\n\n@njit({options})')
    fixes = fix(head + MATMUL, unsafe=True).fixes
    assert all(f"({safety}" in text for text in fixes) and bool(fixes) == bool(safety)


@pytest.mark.parametrize(
    ("head", "one", "other", "is_tuple"),
    [
        ("", "t[0][j, i]", "t[1][j, i]", True), ("a, b = t", "a[j, i]", "b[j, i]", True),
        ("", "t[0, j, i]", "t[1, j, i]", False), ("n = t.shape[1]", "t[0][j, i]", "t[1][j, i]", False),
        ("", "t[n][j, i]", "t[n][j, i + 1]", False),
    ],
)  # fmt: skip
def test_the_parts_of_a_tuple_may_overlap(head: str, one: str, other: str, is_tuple: bool) -> None:
    text = f"{HEAD}def f(t, n):\n    {head or 'pass'}\n    for i in range(n):\n        for j in range(n):\n"
    [said] = fix(f"{text}            {one} = 2.0 * {other}\n").fixes
    assert ("the parts of t do not overlap" in said) == is_tuple
