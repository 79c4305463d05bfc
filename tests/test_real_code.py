"""Functions of the kinds that packages hold, against runs of the same source, and helpers in other files."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from roofscan.api import FileReport, analyze_file, analyze_source
from tests.oracle import run
from tests.oracle.analysis import counted

HEAD = "import math\nimport numpy as np\nfrom numba import njit, prange\n\n"
RNG = np.random.default_rng(5)


@pytest.mark.parametrize(
    "definition",
    [
        'Pair = namedtuple("Pair", "x, y")',
        'Pair = NamedTuple("Pair", [("x", float), ("y", float)])',
        "class Pair(NamedTuple):\n    x: float\n    y: float = 3.0",
    ],
)
def test_a_named_tuple_is_its_items(definition: str) -> None:
    """Its items are evaluated once."""
    report = kernel_of(
        "from collections import namedtuple\nfrom typing import NamedTuple\nfrom numba import njit\n\n"
        f"{definition}\n\n@njit\ndef kernel(a, b):\n    p = Pair(a * 2.0, y=b)\n    return p.x * p.y + p.x\n"
    )
    assert (report.status, report.flops) == ("exact", 3)


def test_a_callable_of_a_factory_costs_a_symbol() -> None:
    report = kernel_of(
        "from numba import njit\n\ndef make(f):\n    @njit\n    def kernel(x):\n        total = 0.0\n"
        "        for i in range(x.shape[0]):\n            total += f(x[i])\n        return total\n    return kernel\n",
    )
    assert report.status == "parametric"
    assert str(report.flops) == "cost_f*x_shape_0 + x_shape_0"


def test_a_long_chain_of_tests_on_data_has_few_terms() -> None:
    arms = "".join(f"        elif x[i] < {k}.5:\n            s += x[i] * {k}.0\n" for k in range(1, 24))
    report = kernel_of(
        "from numba import njit\n\n@njit\ndef kernel(x):\n    s = 0.0\n    for i in range(x.shape[0]):\n"
        f"        if x[i] < 0.5:\n            s += 1.0\n{arms}    return s\n"
    )
    assert report.status == "parametric"
    assert len(report.flops.terms) < 500


# -- helpers in other files -----------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose kernel calls a helper two re-exports away."""
    files = {
        "__init__.py": "",
        "kernels.py": "from numba import njit\nfrom .tools import norm2\nfrom pack.sizes import WIDTH\n"
        "from . import tools\n\n"
        "@njit\ndef kernel(x, out):\n    for i in range(x.shape[0]):\n        for k in range(WIDTH):\n"
        "            out[i] += tools.norm2(x[i], x[i])\n    return norm2(1.0, out[0])\n",
        "sizes.py": "WIDTH = 3\n",
        "tools/__init__.py": "from .metrics import norm2\n",
        "tools/metrics.py": "import math\nfrom numba import njit\nfrom ..sizes import WIDTH\n\n\n"
        "@njit\ndef norm2(a, b):\n    if a > b:\n        return math.sqrt(a * a + b * b)\n    return a + WIDTH * b\n",
    }
    for name, text in files.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "pack"


def test_a_helper_of_another_file_is_counted(package: Path) -> None:
    cost = cost_of(analyze_file(str(package / "kernels.py")))
    assert cost.status == "parametric"
    shares = [s for s in cost.kernel.symbols if s.kind == "share"]
    values = {"x_shape_0": 10, **{s.name: 1 for s in shares}}
    assert cost.flops.evaluate(values) == 10 * 3 * (4 + 1) + 4
    assert cost.flops.evaluate({**values, **{s.name: 0 for s in shares}}) == 10 * 3 * (2 + 1) + 2


STARS = "from .first import *\nfrom .second import *\n"


@pytest.mark.parametrize(
    "imports, init",
    [
        ("from .shop import twice", STARS),
        (STARS.replace("from .", "from .shop."), ""),
        ("from .shop import twice", "from .second import double\ntwice, other = double, 3\n"),
        ("from .shop import twice", "from .second import double\ntwice = double\n"),
    ],
)
def test_names_of_star_imports_and_aliases_are_followed(package: Path, imports: str, init: str) -> None:
    files = {
        "__init__.py": init,
        "first.py": "def once(a):\n    return a\n",
        "second.py": "def double(a):\n    return a * 2.0\n\ndef twice(a):\n    return a * 2.0\n",
    }
    (package / "shop").mkdir()
    for name, text in files.items():
        (package / "shop" / name).write_text(text)
    path = package / "user.py"
    path.write_text(f"from numba import njit\n{imports}\n\n@njit\ndef kernel(a):\n    return twice(a) + 1.0\n")
    cost = cost_of(analyze_file(str(path)))
    assert (cost.status, str(cost.flops)) == ("exact", "2")


def test_a_named_tuple_of_another_file_is_its_items(package: Path) -> None:
    kinds, path = package / "kinds.py", package / "vectors.py"
    kinds.write_text("from typing import NamedTuple\n\nclass V(NamedTuple):\n    x: float\n    y: float\n")
    path.write_text(
        "from numba import njit\nfrom .kinds import V\n\n"
        "@njit\ndef kernel(a):\n    v = V(a, 2.0)\n    return v.x * v.y\n"
    )
    cost = cost_of(analyze_file(str(path)))
    assert (cost.status, str(cost.flops)) == ("exact", "1")


def test_lines_are_those_of_the_analysed_file(package: Path) -> None:
    cost = cost_of(analyze_file(str(package / "kernels.py")))
    kernel = cost.kernel
    assert all(kernel.line <= r.line <= kernel.end_line for r in kernel.reasons)
    assert any("line 8 of metrics.py" in s.meaning for s in kernel.symbols)


def test_a_text_alone_follows_nothing(package: Path) -> None:
    path = package / "kernels.py"
    cost = cost_of(analyze_source(path.read_text(encoding="utf-8"), str(path)))
    assert cost.status == "bounded"
    assert any("norm2 is not known" in r.message for r in cost.kernel.reasons)


@pytest.mark.parametrize(
    "origin", ["from ...outside import norm2", "from numpy import norm2", "from ghost import norm2"]
)
def test_an_import_may_not_leave_the_package(package: Path, origin: str) -> None:
    (package.parent / "outside.py").write_text("def norm2(a, b):\n    return a * b\n", encoding="utf-8")
    (package.parent / "ghost.py").write_text("def norm2(a, b):\n    return a * b\n", encoding="utf-8")
    path = package / "tools" / "user.py"
    path.write_text(
        f"from numba import njit\n{origin}\n\n@njit\ndef kernel(a):\n    return norm2(a, a)\n",
        encoding="utf-8",
    )
    assert cost_of(analyze_file(str(path))).status == "bounded"


def test_files_that_import_each_other_end(package: Path) -> None:
    (package / "a.py").write_text(
        "from .b import f\nfrom numba import njit\n\n@njit\ndef g(x):\n    return f(x) * 2.0\n"
    )
    (package / "b.py").write_text("from .a import g\nfrom .b import h\n\ndef f(x):\n    return g(x) + h(x)\n")
    cost = cost_of(analyze_file(str(package / "a.py")))
    assert cost.status == "bounded"


def kernel_of(text: str):  # type: ignore[no-untyped-def]
    return cost_of(analyze_source(text, "a.py"))


def cost_of(report: FileReport, name: str = ""):  # type: ignore[no-untyped-def]
    assert report.error is None
    [kernel] = [
        k for k in report.kernels if k.kernel.name == name or (not name and k.kernel.name.endswith(("kernel", "g")))
    ]
    assert not kernel.findings or all(f.code != "RFL999" for f in kernel.findings), kernel.findings
    return kernel.reports[0].cost


def test_methods_of_an_object_share_its_fields() -> None:
    cost = cost_of(analyze_source(METHODS, "a.py"), "Grid.total")
    assert cost.status == "exact"
    assert cost.flops == cost_of(analyze_source(METHODS, "a.py"), "Grid.flat").flops
    assert [a.name for a in cost.kernel.arrays] == ["self.u"]


METHODS = """
from numba import float64, int64
from numba.experimental import jitclass


@jitclass([("u", float64[:, :]), ("n", int64)])
class Grid:
    def row(self, i):
        s = 0.0
        for j in range(self.n):
            s += self.u[i, j]
        return s

    @property
    def half(self):
        return 0.5

    def total(self):
        s = 0.0
        for i in range(self.n):
            s += self.row(i) * self.half
        return s

    def flat(self):
        s = 0.0
        for i in range(self.n):
            r = 0.0
            for j in range(self.n):
                r += self.u[i, j]
            s += r * 0.5
        return s
"""


def test_a_function_that_calls_itself_often_is_a_lower_bound() -> None:
    report = kernel_of(
        "from numba import njit\n\n@njit\ndef kernel(x):\n    if x < 1.0:\n        return kernel(x + 1.0) / x\n"
        "    return x * x\n"
    )
    assert report.status == "bounded"
    assert "calls itself" in report.kernel.reasons[-1].message


def test_a_function_that_calls_itself_once() -> None:
    source = (
        HEAD
        + """
@njit
def normal(z):
    if z < 0.0:
        return 1.0 - normal(-z)
    t = 1.0 / (1.0 + z * 0.5)
    return t * math.exp(-z * z)

@njit
def kernel(x):
    for i in range(len(x)):
        x[i] = normal(x[i])
"""
    )
    x = RNG.random(12) - 0.5
    cost = counted(source, "kernel", "").cost
    assert (cost.status, str(cost.flops)) == ("parametric", "p1*x_shape_0 + 6*x_shape_0")
    assert (
        cost.flops.evaluate({"x_shape_0": 12, "p1": Fraction(int(sum(x < 0)), 12)})
        == run(source, "kernel", {"x": x}).flops
    )


def test_points_that_are_unpacked_into_arrays() -> None:
    report = kernel_of(
        "from numba import njit\n\n@njit\ndef kernel(points, out):\n    x, y = points\n"
        "    for i in range(x.size):\n        out[i] = x[i] * y[i]\n"
    )
    assert (report.status, str(report.flops)) == ("exact", "points_shape_1")


def test_a_heap_does_no_arithmetic_and_its_accesses_are_not_seen() -> None:
    [kernel] = analyze_source(
        "import heapq\nfrom numba import njit\n\n@njit\ndef kernel(x):\n    heap = [x[0]]\n"
        "    for i in range(len(x)):\n        heapq.heappush(heap, x[i] * 2.0)\n    return heap\n"
    ).kernels
    cost = kernel.reports[0].cost
    assert (cost.status, str(cost.flops), cost.registers.status) == ("exact", "x_shape_0", "lower_bound")


def test_two_extents_from_data_are_two_symbols() -> None:
    [kernel] = analyze_source(
        "import numpy as np\nfrom numba import njit\n\n@njit\ndef kernel(k, x):\n"
        "    a = np.ones((k[0], k[1]))\n    return a * x\n"
    ).kernels
    assert len(kernel.reports[0].cost.flops.symbols) == 2
