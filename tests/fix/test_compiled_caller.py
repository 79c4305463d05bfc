"""``roofscan fix --unsafe``: the function whose loop calls a kernel is compiled, where Numba takes all of it."""

from __future__ import annotations

import pytest

from roofscan.api import Options
from roofscan.fix.offers import Choice, FixedFile, fixed
from tests.rules.test_calls_from_python import HEAD

LOOP = "    for i in range(len(z)):\n        z[i] = blend(x[i], y[i])\n"


def made(text: str, unsafe: bool = True) -> FixedFile:
    options = Options(select=("RFL502",))
    return fixed("k.py", text.encode(), options, Choice(unsafe=unsafe), lambda found, _: found)


@pytest.mark.parametrize(
    "head, end",
    [
        ("def run(x, y, z):\n", ""),
        ("# why\ndef run(x, y, z=None):  # how\n    'All of it.'\n", "    return z\n"),
        (
            "def run(x, y):\n    n = len(x)\n    z = np.empty(n)\n    c = 2.0 * math.pi\n",
            "    z[0] = c\n    return z, n\n",
        ),
        ("def run(x, y):\n    z = np.zeros_like(x)\n", "    return z.shape[0]\n"),
    ],
)
def test_a_function_that_numba_takes(head: str, end: str) -> None:
    text = HEAD + head + LOOP + end
    found = made(text)
    assert found.after.decode() == text.replace("def run", "@njit\ndef run")
    assert [fix.split(": ", 2)[-1] for fix in found.fixes] == [
        "compile run (unsafe: it then takes arrays and numbers alone, and its integers have 64 bits)"
    ]
    assert not made(text, unsafe=False).fixes and not made(found.after.decode()).fixes


@pytest.mark.parametrize(
    "text",
    [
        "def run(x, y, z):\n    print(len(z))\n" + LOOP,
        "def run(x, y, z):\n" + LOOP + "    return [z]\n",
        "def run(x, y, z):\n    x = np.array(x)\n" + LOOP,
        "def run(x, y, z):\n    y = y[1:]\n" + LOOP,
        "def run(x, y, n):\n    z = np.zeros(n, dtype=object)\n" + LOOP,
        "x = np.zeros(9)\ndef run(y, z):\n" + LOOP,
        "def run(x, y, z):\n    if len(x) > 9:\n        return None\n" + LOOP,
        "class Solver:\n    def run(self, x, y, z):\n"
        + LOOP.replace("    ", "        ", 1).replace("\n  ", "\n      "),
        "def outer(x, y, z):\n    def run():\n        for i in range(len(z)):\n            z[i] = blend(x[i], y[i])\n"
        "    return run\n",
    ],
)
def test_another_function_stays(text: str) -> None:
    assert not made(HEAD + text).fixes


def test_a_function_before_the_kernel_stays() -> None:
    head, _ = HEAD.split("@njit\ndef blend(a, b):\n    return 0.3 * a + 0.7 * b\n")
    assert not made(
        head + "def run(x, y, z):\n" + LOOP + "\n\n@njit\ndef blend(a, b):\n    return 0.3 * a + 0.7 * b\n"
    ).fixes
