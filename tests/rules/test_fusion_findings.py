"""Temporaries, neighbouring loops, repeated passes, widened precision: who has the finding, and who does not."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from roofscan.api import analyze_source, check_source
from roofscan.config.options import Options
from roofscan.cost.transform.fuse_expressions import temporaries
from roofscan.roofline.model import KernelReport
from roofscan.rules.codes import CODES
from tests.fixture_files import expected_findings

HEAD = "import numpy as np\nfrom numba import njit\nfrom math import exp, sin\n"
FUSION = ("RFL301", "RFL302", "RFL303", "RFL401")


def found(source: str) -> list[tuple[str, int]]:
    """The findings of this family, by code and line of the source as given."""
    text = HEAD + dedent(source).strip("\n") + "\n"
    return [(code, line - HEAD.count("\n")) for line, code in places(text, "f.py")]


def places(text: str, path: str) -> list[tuple[int, str]]:
    """Each code by itself: of two that name one change, only the first is reported."""
    each = (check_source(text, path, Options(kernels="all", select=(code,))) for code in FUSION)
    return sorted((finding.line, finding.code) for findings in each for finding in findings)


def report_of(source: str, **options: object) -> KernelReport:
    file = analyze_source(HEAD + dedent(source).strip("\n") + "\n", "f.py", Options(kernels="all", **options))
    return file.kernels[0].reports[0]


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[1] / "fusion").glob("*.py")), ids=lambda path: path.stem
)
def test_findings_are_on_the_lines_that_expect_them(path: Path) -> None:
    assert places(path.read_text(encoding="utf-8"), path.name) == sorted(expected_findings(path))


@pytest.mark.parametrize("code", FUSION)
def test_the_examples_of_the_pages(code: str) -> None:
    good, bad = (
        [f.code for f in check_source(dedent(text), "f.py", Options(kernels="all"))]
        for text in (CODES[code].good, CODES[code].bad)
    )
    assert bad.count(code) == 1 and code not in good


PLAIN = """
# roofscan: a=f8[{n}] b=f8[{n}] c=f8[{n}]
def f(a, b, c):
    return {expression}
"""


@pytest.mark.parametrize(
    ("expression", "n", "expected"),
    [
        ("a * b + c", "n", True),
        ("a * b + c", "50_000_000".replace("_", ""), True),
        ("a * b + c", "1000", False),  # stays in a cache
        ("a * b", "n", False),  # its result must be written
        ("np.sum(a * b)", "n", True),
        ("np.where(a > 0.0, 2.0 * b, c)", "n", True),
        ("np.where(a > 0.0, b, c)", "n", False),  # no floating-point work
        ("np.sin(a) + 1.0", "n", False),  # the sine takes longer than the bytes
        ("a @ b + 1.0", "n", False),
    ],
)
def test_temporaries_of_an_expression(expression: str, n: str, expected: bool) -> None:
    assert found(PLAIN.format(expression=expression, n=n)) == ([("RFL301", 3)] if expected else [])


def test_both_intensities_and_the_bytes() -> None:
    """Three loops over 8-byte elements that allocate on write: 24 + 24 + 32 bytes; one loop: 3 loads and 16."""
    report = report_of(PLAIN.format(expression="0.5 * a + b", n="n"))
    [advice] = [a for a in report.advice if a.kind == "fuse"]
    assert advice.message == (
        "1 temporary (t1 = 0.5 * a) moves 24*n of 56*n B at DRAM: AI 0.0357; write one loop (Numba, numexpr or out=): "
        "AI 0.0625, 1.6x faster (6.16 s to 3.74 s)"
    )
    assert advice.intensity is not None and str(advice.intensity.bytes) == "32*n" and advice.speedup_bound == 1.75


def test_temporaries_are_named_by_their_source() -> None:
    """Slices, keywords and helpers too; a temporary stands for the text that made it, in parentheses or not."""
    report = report_of(
        "def g(u):\n    return u - u.mean(axis=0)\n"
        "# roofscan: a=f8[n,m]\ndef f(a):\n    return (a[1:, ::2] + a[:-1, ::2]) * 0.5 - g(a)[1:, ::2]\n"
    )
    texts = [t.made_of for t in temporaries(report.cost.kernel).values()]
    assert texts[:2] == ["a[1:, ::2] + a[:-1, ::2]", "t1 * 0.5"] and "u - t3" in texts and "u.mean(axis=0)" in texts
    assert next(iter(temporaries(report.cost.kernel).values())).shown(14) == "t1 = a[1:, ::…"


def test_numba_fuses_operators_by_itself() -> None:
    compiled = "@njit\ndef f(a, b, c):\n    n, = a.shape\n    m, = b.shape\n    k, = c.shape\n"
    assert found(compiled + "    return 0.5 * a + b * c - a\n") == []
    assert found(compiled + "    c[:] = 0.5 * a + b * c\n") == [("RFL301", 6)]  # its result is copied


def test_a_compiled_function_has_the_verdict_of_the_loop_that_numba_makes() -> None:
    body = "def f(a, b, c):\n    return 0.5 * a + b * c - a\n"
    pragma = "# roofscan: a=f8[n] b=f8[n] c=f8[n]\n"
    plain, compiled = report_of(pragma + body), report_of(pragma + "@njit\n" + body)
    written, fused = plain.levels[-1], compiled.levels[-1]
    assert written.fused is None and fused.fused is not None
    assert written.traffic.total == fused.traffic.total
    assert str(fused.fused.load) == "24*n" and str(fused.fused.writeback) == str(fused.fused.fill) == "8*n"
    assert fused.intensity is not None and fused.intensity.bytes == 40 * fused.intensity.flops / 4
    assert compiled.verdict.attainable > 2 * plain.verdict.attainable
    assert any("Numba runs the operators" in note for note in compiled.notes)


def test_what_may_be_numbers_is_left_alone_where_it_is_compiled() -> None:
    """A compiled helper whose parameters may be numbers or arrays moves no arrays by assumption."""
    body = "def f(e, n, u):\n    d = np.sqrt(e**2 + n**2 + u**2)\n    return 3 * e * u / d**5 - n / d**3 + u\n"
    assert found(body) != [] and found("@njit\n" + body) == []


def test_neighbours_by_numba_and_by_numpy() -> None:
    loops = """
        @njit
        def f(a, b, c):
            for i in range(len(a)):
                b[i] = 2.0 * a[i]
            for i in range(len(a)):
                c[i] = a[i] + b[{}]
        """
    assert found(loops.format("i")) == [("RFL302", 5)]
    assert found(loops.format("i + 1")) == []
    statements = "# roofscan: a=f8[n] b=f8[n]\ndef f(a, b):\n    c = a + b\n    return c, a * b\n"
    assert found(statements) == [("RFL302", 4)]


def test_numba_fuses_parallel_loops_by_itself() -> None:
    body = "    c[:] = 2.0 * a + b - a / 3.0\n    b[:] = a + c\n"
    loops = "# roofscan: a=f8[n] b=f8[n] c=f8[n]\n{}\ndef f(a, b, c):\n" + body
    assert {code for code, _ in found(loops.format("@njit"))} == {"RFL301", "RFL302"}
    assert found(loops.format("@njit(parallel=True)")) == []


def test_calls_of_kernels_of_the_module() -> None:
    source = """
        @njit
        def axpy(x, y):
            for i in range(len(x)):
                y[i] += 2.0 * x[i]

        @njit
        def scale(y):
            for i in range(len(y)):
                y[i] *= 0.5

        # roofscan: x=f8[n] y=f8[n]
        @njit
        def both(x, y):
            axpy(x, y)
            scale(y)
        """
    assert found(source) == [("RFL302", 8)]


def test_mean_then_variance_then_normalise() -> None:
    source = """
        # roofscan: x=f8[n]
        def f(x):
            mean = x.mean()
            spread = np.sqrt(x.var())
            return (x - mean) / spread
        """
    assert [f for f in found(source) if f[0] == "RFL303"] == [("RFL303", 4)]
    assert found("# roofscan: x=f8[n]\ndef f(x):\n    return x.std()\n") == []


WIDENED = {
    "a literal under Numba": ("@njit", "y[:] = x * 0.5", True),
    "a literal in NumPy": ("", "y[:] = x * 0.5", False),
    "a float32 constant": ("@njit", "y[:] = x * np.float32(0.5)", False),
    "an array without a dtype": ("", "t = np.ones(len(x))\n    y[:] = x * t", True),
    "an array with a dtype": ("", "t = np.ones(len(x), dtype=np.float32)\n    y[:] = x * t", False),
    "a sum kept in float64": ("@njit", "t = 0.0\n    for i in range(len(x)):\n        t += x[i]\n    y[0] = t", False),
    "a sum whose dtype is said": ("", "y[0] = x.sum(dtype=np.float64)", False),
    "a number made of numbers": ("", "half = x[0] * 0 + 0.5\n    y[:] = x * (1.0 - 2.0 ** 0.5)", False),
    "whole numbers": ("", "t = np.arange(len(x))\n    y[:] = x * t", True),
    "said so": ("@njit", "for i in range(len(x)):\n        y[i] = np.float64(x[i]) * 0.5", False),
}


@pytest.mark.parametrize(("decorator", "body", "expected"), WIDENED.values(), ids=WIDENED)
def test_widening(decorator: str, body: str, expected: bool) -> None:
    source = f"# roofscan: x=f4[n] y=f4[n]\n{decorator or '# here'}\ndef f(x, y):\n    {body}\n"
    assert [code for code, _ in found(source)].count("RFL401") == expected


def test_float64_inputs_are_no_float32_kernel() -> None:
    assert found("# roofscan: x=f4[n] y=f8[n]\n@njit\ndef f(x, y):\n    return x * y * 0.5\n") == []


GATHERED = """# roofscan: x=f4[n,3] k=i8[m] y=f4[m]
@njit
def f(x, k, y):
    for i in range(k.shape[0]):
        d, e = x[k[i], 0] - x[k[i], 1], x[k[i], 1] - x[k[i], 2]
        y[i] = (d * d + e * e) / (d + e + 1e-5)
"""
OF_ROWS = """# roofscan: x=f4[n,n] y=f4[n,n] w=f4[n]
@njit
def f(x, y, w):
    for i in range(x.shape[0]):
        h = 0.5 * w[i]
        for j in range(x.shape[1]):
            for k in range(x.shape[1]):
                if x[i, k] > x[i, j]:
                    y[i, j] += x[i, k] * x[i, j] * h
"""


@pytest.mark.parametrize("source", [GATHERED, OF_ROWS])
def test_widening_that_costs_little_is_not_said(source: str) -> None:
    """Like what packages hold: promised 1.1 times, or nothing for a constant outside the loops that take the time."""
    assert "RFL401" not in [code for code, _ in found(source)]


@pytest.mark.parametrize(("bind", "expected"), [("", False), ("# roofscan: N=f8[n,3] c=f8[3]\n", True)])
def test_little_is_promised_for_products_of_assumed_ranks(bind: str, expected: bool) -> None:
    """``N @ c`` is one number, if ``N`` has one dimension."""
    body = "    u = np.array([px, py, pz])\n    d = -(N @ c)\n    p = (N @ u) + d\n    return p >= 0\n"
    source = f"{bind}@njit\ndef f(c, px, py, pz, N):\n{body}"
    assert ("RFL302" in [code for code, _ in found(source)]) is expected


def test_advice_of_a_smaller_type_gives_its_gain() -> None:
    source = "# roofscan: x=f4[n]\ndef f(x):\n    t = np.zeros(len(x))\n    t += x\n    return t\n"
    [advice] = [a for a in report_of(source).advice if a.kind == "precision"]
    assert advice.message == (
        "float32 data are promoted to float64 here: t is a float64 array (line 6), AI 0.0278; "
        "give it dtype=np.float32: AI 0.05, 1.7x faster (9.26 s to 5.35 s)"
    )
    assert advice.speedup_bound is not None and 1.5 < advice.speedup_bound <= 2


def test_outputs_name_every_temporary() -> None:
    from roofscan.report.json_ import kernel_json
    from roofscan.report.kernel_view.view import view_of

    report = report_of("# roofscan: a=f8[n] b=f8[n]\ndef f(a, b):\n    return np.sqrt(a * b + 1.0)\n")
    assert kernel_json((report,))["temporaries"] == [
        {"name": "t1", "is": "a * b", "line": 6},
        {"name": "t2", "is": "t1 + 1.0", "line": 6},
        {"name": "t3", "is": "np.sqrt(t2)", "line": 6},
    ]
    assert ("temporary", "t1 = a * b (line 6)") in view_of((report,)).remarks


def test_a_temporary_that_a_reduction_makes_is_named_after_it() -> None:
    from roofscan.report.kernel_view.view import view_of

    body = "    e = np.exp(z - z.max(axis=-1, keepdims=True))\n    return e / e.sum(axis=-1, keepdims=True)\n"
    remarks = view_of((report_of(f"# roofscan: z=f8[m,n]\ndef f(z):\n{body}"),)).remarks
    made = [text.rpartition(" (")[0] for kind, text in remarks if kind == "temporary"]
    assert made == [
        "t1 = z.max(axis=-1, keepdims=True)", "t2 = z - t1", "t3 = e.sum(axis=-1, keepdims=True)", "t4 = e / t3",
    ]  # fmt: skip


def test_of_two_codes_that_name_one_change_the_one_that_promises_more_is_reported() -> None:
    """One loop for both statements also takes their temporaries along."""
    body = "    c[:] = 2.0 * a + b - a / 3.0\n    b[:] = a + c\n"
    source = HEAD + "# roofscan: a=f8[n] b=f8[n] c=f8[n]\n@njit\ndef f(a, b, c):\n" + body
    [wide] = [f for f in check_source(source) if f.code.startswith("RFL3")]
    narrow = [f.gain or 0 for f in check_source(source, options=Options(select=("RFL301",)))]
    assert wide.code == "RFL302" and (wide.gain or 0) > max(narrow) > 1


def test_integers_are_converted_where_they_are_read() -> None:
    source = """from numba import njit

# roofscan: x=f4[100000] k=i4[100000] y=f4[100000]
@njit
def fractions(x, k, y):
    for i in range(x.shape[0]):
        y[i] = x[i] - k[i]
"""
    [message] = [f.message for f in check_source(source) if f.code == "RFL401"]
    assert "convert elements of k with np.float32(...)" in message
