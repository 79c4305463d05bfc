"""The text report: its contents, that it is stable, and that nothing in it is taken for markup."""

from __future__ import annotations

import pickle
from dataclasses import replace
from fractions import Fraction

import pytest
from rich.text import Text

import roofscan
from roofscan import units
from roofscan.api import Options, analyze_file, analyze_source
from roofscan.ir.assumption import Assumption
from roofscan.report import formatting
from roofscan.report.text import SCREEN, Block, brief, render_text
from roofscan.roofline.model import Advice, Finding, KernelReport, Ratio, Span, SymbolRanges
from roofscan.symbolic.expr import Expr, apply, symbol
from roofscan.symbolic.floors import floor_div
from tests.support.handmade_reports import LARGE, TOY, N, axpy_report, cache_report, unsupported_report

ESCAPE = "\x1b["


def text_of(*reports: KernelReport, width: int = 110, colour: bool = False) -> str:
    return render_text([reports], width, colour)


AXPY = """\
axpy  fixtures/streams.py:12  exact · fp64 · one core

  FLOPs               2*n
  operations          add n, mul n
  footprint           16*n B
  compulsory traffic  24*n B

   interface        cache  traffic [B]  FLOP/B  ridge  bound    by roofline
   ────────────────────────────────────────────────────────────────────────
   L1 → registers       –  24*n         0.0833  0.240  memory  16.7 GFLOP/s
   L2 → L1         32 KiB  24*n         0.0833  0.600  memory  6.67 GFLOP/s
   DRAM → L2        1 MiB  ~ 24*n       0.0833   3.00  memory  1.33 GFLOP/s

  RFL102 axpy is memory-bound on toy at every size: AI 0.083 FLOP/B, ridge 3; fuse it

   array  L2 → L1  DRAM → L2
   ─────────────────────────
   y         16*n     ~ 16*n
   x          8*n      ~ 8*n

  where      n = x.shape[0]
  assuming   x is float64 (default)
  note       a made-up note

On toy, a toy core. Others: --machine NAME (roofscan machine list).
"""


def test_axpy() -> None:
    assert text_of(axpy_report()) == AXPY


def test_a_brief_report_says_what_it_leaves_out() -> None:
    many = tuple(f"note {n} of some length, which says what few people read on the first day" for n in range(20))
    text = render_text([[replace(axpy_report(), notes=many)]], 80, False, full=False)
    assert text.count("\n") <= SCREEN
    assert text.endswith("On toy; --machine NAME chooses another. --full adds notes.\n")
    assert "RFL102 axpy" in text and "where      n = x.shape[0]" in text


KERNELS = (
    "arrays.py::diffuse",
    "networks.py::small_network",
    "dense.py::gemm_rows",
    "stencils.py::jacobi2d",
    "sparse.py::conjugate_gradients",
)


@pytest.fixture(scope="module")
def kernels() -> list[KernelReport]:
    found = [word.split("::") for word in KERNELS]
    options = Options(kernels="all", layers=True)
    files = [analyze_file(f"fixtures/{path}", options, [name]) for path, name in found]
    return [kernel.reports[0] for file in files for kernel in file.kernels]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("full", [True, False])
def test_words_stay_whole_at_every_width(kernels: list[KernelReport], width: int, full: bool) -> None:
    for report in kernels:
        text, wide = (render_text([[report]], w, False, full=full) for w in (width, 400))
        assert max(map(len, text.splitlines())) <= width
        assert full or text.count("\n") <= SCREEN
        whole = set(render_text([[report]], 400, False).split())
        assert {word for word in text.split() if word.isalpha()} <= {*whole, *wide.split(), *BRIEF_WORDS}


MANY_NAMES = """
from numba import njit

@njit
def a_kernel_whose_name_leaves_no_room_for_the_status(x, y, z):
    s = 0.0
    for i in range(x.shape[0]):
        if x[i] > y[i] and y[i] > z[i]:
            s += x[i] * y[i]
        if x[i] > 0.5 * z[i] or z[i] > 0.25 * y[i]:
            s += x[i] / z[i] + y[i]
        if (x[i] + y[i] + z[i]) / 3.0 > 0.125:
            s -= z[i]
        k = i
        while k > 0 and x[k] > z[k]:
            s += x[k] * z[k]
            k -= 1
    return s
"""


@pytest.mark.parametrize("width", [50, 60, 80])
def test_a_screen_holds_a_kernel_of_many_names(width: int) -> None:
    [kernel] = analyze_source(MANY_NAMES).kernels
    text = render_text([kernel.reports], width, False, full=False)
    assert text.startswith(kernel.kernel.name + ("\n" if width < 80 else "") + "  parametric")
    assert text.count("\n") <= SCREEN and max(map(len, text.splitlines())) <= width
    assert width == 80 or " …\n" in text


BRIEF_WORDS = {
    "level", "chooses", "adds", "the", "rest", "layer", "conditions", "by", "ranges", "temporaries", "assumptions",
    "notes", "sizes", "of", "reasons", "and", "more",
}  # fmt: skip


LEAST = """
from numba import njit

@njit
def shifted(tableau, least, m):
    for i in range(m):
        for j in range(m):
            tableau[i, j] = 2.0 * tableau[i, j] - least[j]
            if tableau[i, j] < least[j]:
                least[j] = tableau[i, j]
    for j in range(m):
        least[j] -= 1.0
"""


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_each_label_of_a_brief_report_stands_once(width: int) -> None:
    for source in (MANY_NAMES, LEAST):
        kernel = analyze_source(source).kernels[-1]
        lines = render_text([kernel.reports], width, False, full=False).splitlines()
        assert sum(line.startswith("  where ") for line in lines) == 1


def test_what_follows_a_line_with_its_label_does_not_stand_without_it() -> None:
    long, short = Block((Text("because 1"), Text("of much")), 1, "because"), Block((Text("line 2"),), 1, "because")
    assert brief([long, short], 3) == [long, short]
    assert brief([long, short], 1) == []
    assert brief([replace(long, kind="finding"), replace(short, kind="finding")], 1) == [replace(short, kind="finding")]


ONE_ROW = """
from numba import njit

@njit
def margin(data, plane, point):
    total = 0.0
    for d in range(data.shape[1]):
        total += plane[d] * data[point, d]
    return total
"""


def test_a_size_that_no_count_depends_on_is_not_named() -> None:
    [kernel] = analyze_source(ONE_ROW).kernels
    text = render_text([kernel.reports], 100, False, full=False)
    assert "N = data.shape[1]" in text and "data.shape[0]" not in text
    assert list(kernel.reports[0].verdict.sizes) == ["data_shape_1"]
    assert roofscan.analyze(ONE_ROW).predict(data_shape_1=1000).seconds > 0


def test_long_names_of_sizes_are_short_and_explained(kernels: list[KernelReport]) -> None:
    text = render_text([[kernels[0]]], 80, False, full=False)
    assert "u_shape_0" not in text
    assert "N = u.shape[0]; N1 = u.shape[1]" in text


GATHER = """
from numba import cuda

@cuda.jit
def gather(idx, x, y):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = 2.0 * x[idx[i]]
"""


def test_a_note_names_sizes_as_the_table_does() -> None:
    """Only the note has the size of x: no expression has it."""
    [kernel] = analyze_source(GATHER, options=Options(machines=("h100-sxm",))).kernels
    shown = " ".join(text_of(*kernel.reports).split())
    assert "shares of random elements are those at N = 2.86e9, N1 = 2.86e9, N2 = 2.86e9" in shown
    assert "x_shape_0" not in shown and "N1 = x.shape[0]" in shown


def test_layer_conditions_of_address_translations_count_pages() -> None:
    results = analyze_file("fixtures/stencils.py", Options(layers=True)).kernels
    [result] = [found for found in results if found.kernel.name == "jacobi2d_columns"]
    shown = " ".join(text_of(*result.reports).split())
    assert "fit in first TLB while ny ≤ 32, in TLB while ny ≤ 767: 1/256 pages per iteration" in shown


def test_bound_sizes_show_their_values() -> None:
    text = text_of(axpy_report(1_000_000))
    assert "2*n = 2.00 M" in text
    assert "~ 24.0 MB" in text


def test_machines_are_side_by_side() -> None:
    other = replace(TOY, name="other")
    text = text_of(axpy_report(), axpy_report(machine=other))
    assert text.count("DRAM → L2") == 2
    assert "on toy at every size" in text
    assert "on other at every size" in text
    assert text.count("footprint") == 1


def test_an_unsupported_kernel_gives_the_reason() -> None:
    text = text_of(unsupported_report())
    assert "odd  fixtures/streams.py:30  unsupported" in text
    assert "no verdict: a call of an unknown function (line 31)" in text
    assert text.count("a call of an unknown function") == 1
    assert "FLOPs" not in text


def test_caches_are_named_by_their_size() -> None:
    text = text_of(cache_report(100))
    assert "memory → cache of 32 KiB" in text
    assert "no ridge and no verdict" in text


def test_no_kernels() -> None:
    assert "No kernel found" in render_text([], 100, False)


def test_findings_and_advice_are_shown_once() -> None:
    report = axpy_report()
    strided = Finding("RFL201", "f.py", 13, 4, "x is walked with a stride: 12.5 % of each line used")
    advice = Advice("tile", 13, "tile k by 64: AI 8")
    text = text_of(replace(report, findings=(*report.findings, strided, strided), advice=(advice,)))
    assert text.count("RFL201 x is walked") == 1
    assert text.count("RFL102") == 1
    assert "line 13: tile k by 64: AI 8" in text


def test_colour_only_where_asked() -> None:
    assert ESCAPE not in text_of(axpy_report())
    assert ESCAPE in text_of(axpy_report(), colour=True)


@pytest.mark.parametrize("width", [60, 80, 110, 140])
def test_no_line_is_wider_than_the_width(width: int) -> None:
    text = text_of(axpy_report(10**6), axpy_report(10**6, replace(TOY, name="a-long-machine-name")), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_markup_in_names_is_text() -> None:
    hostile = "[bold red]x[/] [link=http://e.vil]y[/link] :smile:"
    assert hostile in text_of(unsupported_report(hostile))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (999, "999"),
        (2000, "2000"),
        (12_345, "12.3 k"),
        (2e9, "2.00 G"),
        (9.87e14, "987 T"),
        (0.5, "0.500"),
        (1e30, "1.00e6 Y"),
    ],
)
def test_si(number: float, text: str) -> None:
    assert units.si(number) == text if number != 1e30 else formatting.si(number).endswith("Y")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0"), (512, "512 B"), (32768, "32 KiB"), (37486592, "35.8 MiB"), (2**30, "1 GiB")]
)
def test_capacity(size: int, text: str) -> None:
    assert units.capacity(size) == text


@pytest.mark.parametrize(
    ("ranges", "text"),
    [
        (((1, None),), "every n"),
        (((1, 97), (362, None)), "n ≤ 97 or n ≥ 362"),
        (((5, 5),), "n = 5"),
        (((5, 9),), "5 ≤ n ≤ 9"),
        ((), "no n"),
    ],
)
def test_ranges(ranges: tuple[tuple[int, int | None], ...], text: str) -> None:
    assert formatting.ranges(SymbolRanges("n", ranges)) == text


def test_a_condition_on_a_remainder_is_said_in_words() -> None:
    whole = floor_div(N, Expr.of(32)) * 32 - N
    assert formatting.sizes((whole,)) == "n a multiple of 32" and formatting.conditions((whole,)) == [
        "n a multiple of 32"
    ]
    assert formatting.sizes((whole + 31,)) != formatting.sizes((whole,))


def test_a_long_expression_is_cut_to_its_leading_terms() -> None:
    long = sum((symbol(f"size_{k}") ** (k % 4 + 1) for k in range(20)), Expr())
    large = {f"size_{k}": 100 for k in range(20)}
    text = formatting.brief(long, large)
    assert len(text) <= formatting.EXPRESSION_WIDTH
    assert text.startswith("size_11**4 + ")
    assert text.endswith(" + …")
    assert formatting.brief(2 * N**3, LARGE) == "2*n**3"


def test_what_leads_is_what_is_large() -> None:
    m = symbol("m")
    mixed = 1000 * m + N * N * N + 5 * N * m + 7 * N + 9 * m**5
    assert formatting.brief(mixed, {"n": 10_000, "m": 2}, 12) == "n**3 + …"


def test_equal_sentences_are_merged() -> None:
    default, subscripts = "float64 (default)", "n (from its subscripts)"
    said = [Assumption("A", default), Assumption("a.b", subscripts), Assumption("B", default), "no aliases"]
    said.append(Assumption("c.d", subscripts))
    assert formatting.together(pickle.loads(pickle.dumps(said))) == [
        "A, B are float64 (default)",
        "a.b, c.d are n (from their subscripts)",
        "no aliases",
    ]


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (None, "–"),
        (Ratio(2 * N, 8 * N), "0.250"),
        (Ratio(2 * N**3, 24 * N**2), "n/12"),
        (Ratio(2 * N**3, 24 * N**2 + 8 * N**3 + 16 * N), "≈ 0.250"),
    ],
)
def test_intensity(ratio: Ratio | None, text: str) -> None:
    assert formatting.intensity(axpy_report(), ratio) == text


def test_a_long_intensity_is_that_of_the_verdict() -> None:
    long = Ratio(2 * N**3, 24 * N**2 + 8 * N**3 + 16 * N)
    assert formatting.intensity(axpy_report(), long, Span(0.2, 0.2)) == "≈ 0.200"
    assert formatting.intensity(axpy_report(), long, Span(0.1, 0.2)) == "≈ 0.250"
    small = replace(axpy_report(), verdict=replace(axpy_report().verdict, sizes={"n": 1}))
    assert formatting.intensity(small, long) == "≈ 0.0417"


def test_long_fractions_of_estimates_are_rounded() -> None:
    long = N**3 * Fraction(259975, 98304) + N * Fraction(8, 3) + Fraction(115, 2048)
    assert str(formatting.simpler(long)) == "8*n**3/3 + 8*n/3"
    assert str(formatting.simpler(N * Fraction(16605, 1024))) == "16*n"
    assert formatting.simpler(2 * N) == 2 * N
    assert str(formatting.simpler(N * Fraction(31207, 16777216))) == "n/538"


@pytest.mark.parametrize("top, bottom", [(150203167, 56623104), (-65527, 49152), (31207, 16777216), (-82711, 33554432)])
def test_long_fractions_of_bounds_are_rounded_to_their_side(top: int, bottom: int) -> None:
    """``≥ 150203167*n**3/56623104`` is unreadable, and a figure beyond the bound would be none."""
    number = Fraction(top, bottom)
    below, above = (formatting.simpler(N * number, f"{side}_bound").terms for side in ("lower", "upper"))
    [low], [high] = below.values(), above.values()
    assert number * (1 - Fraction(1, 50) * (1 if number > 0 else -1)) <= low <= number <= high
    assert all(len(str(part)) < 5 for each in (low, high) for part in Fraction(each).as_integer_ratio())
    assert formatting.simpler(N * number, "exact") == N * number


def test_a_long_fraction_of_a_layer_is_rounded() -> None:
    """The sentences spoke of ``8589933704*nnz/4294966847 B`` and of ``nnz = 165821*N/61``."""
    assert str(formatting.readable(N * Fraction(8589933704, 4294966847))) == "2*n"
    assert str(formatting.readable(N * Fraction(165821, 61))) == "2718*n"
    assert str(formatting.readable(N * Fraction(257, 256))) == "257*n/256"


def test_what_may_be_negative_keeps_its_factor_in_a_bound() -> None:
    part = N * apply("floor", [N - 5, Expr.of(2)])
    assert formatting.simpler(part * Fraction(65527, 49152), "lower_bound") == part * Fraction(65527, 49152)
