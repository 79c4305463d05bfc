"""The overview of many kernels: what it shows, in what order, at every width."""

from __future__ import annotations

import cProfile
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from roofscan.api import Options, analyze_source
from roofscan.config.values import SortKey
from roofscan.counters.profiles import Profile, ProfiledLines, read_profile
from roofscan.errors import OptionError
from roofscan.report.columns import Column, shortened
from roofscan.report.overview.selection import KEYS, OverviewChoice, folded
from roofscan.report.overview.summary import KernelSummary, summary_of
from roofscan.report.overview.table import render_overview
from tests.cli.conftest import AXPY, OUTSIDE, Command, roofscan
from tests.support.handmade_reports import axpy_report, unsupported_report

__all__ = ["roofscan"]

MATMUL = """\
from numba import njit

@njit
def matmul(A, B, C):
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]

@njit
def half(x):
    return 0.5 * x

@njit
def halves(x, y):
    for i in range(len(x)):
        y[i] = half(x[i])
"""


def a_summary(**changes: Any) -> KernelSummary:
    return replace(summary_of(axpy_report()), **changes)


def shown(
    *summaries: KernelSummary, width: int = 80, choice: OverviewChoice | None = None, colour: bool = False
) -> str:
    return render_overview([summaries], choice or OverviewChoice(), {"RFL102": "fuse"}, "", width, colour)


def names(*summaries: KernelSummary, choice: OverviewChoice) -> list[str]:
    return [s.name for s in choice.of(summaries)]


def test_a_narrow_place_has_the_file_where_there_are_several() -> None:
    one, other = (a_summary(path=f"a/folder/{name}.py", line=7) for name in ("dense", "particles"))
    assert "dense:7" in shown(one, other, width=60) and "particles:7" in shown(one, other, width=60)
    alone = shown(one, one, width=60)
    assert " :7 " in alone and "dense:" not in alone and "Places are lines of a/folder/dense.py." in alone


def test_a_place_is_shortened_before_a_name_is_cut() -> None:
    name, path = "a_kernel_with_a_long_name", "folder/a_module_of_a_project.py"
    one = a_summary(name=name, path=path, gain=4.0)
    assert name in shown(one, one, width=72) and " :12 " in shown(one, one, width=72)
    several = shown(one, replace(one, path="folder/other.py"), width=90)
    assert name in several and "a_module_of_a_project:12" in several and "…" not in several
    assert "Places are names of files without folder and ending." in several


def test_the_side_of_the_ridge_is_no_bound() -> None:
    """``≥`` is the sign of a bound; an intensity right of the ridge is larger."""
    right = a_summary(intensity=4.0, ridge=3.0, sureness="≥")
    assert "≥4 > 3" in shown(right, width=110) and "≥4>3" in shown(right) and "~0.083<3" in shown(a_summary())


def test_the_legend_has_the_statuses_that_are_shown() -> None:
    assert "Last column: e exact." in shown(a_summary())
    both = shown(a_summary(), replace(summary_of(unsupported_report()), name="odd"))
    assert "Last column: e exact, u unsupported." in both


def test_loops_that_python_runs_are_to_be_compiled() -> None:
    source = "def pair(x, y):\n    s = 0.0\n    for i in range(len(x)):\n        s += x[i] * y[i]\n    return s\n"
    [kernel] = analyze_source(source, options=Options(kernels="all")).kernels
    summary = summary_of(kernel.reports[0])
    assert (summary.limit, summary.bound) == ("interpreter", None)
    text = " ".join(shown(summary).split())
    assert "compile it" in text and "limit: interpreter, loops that Python runs, whose time is not predicted." in text


def test_why_kernels_have_no_verdict_is_said_once() -> None:
    one = a_summary(bound=None, reason="a GPU kernel: choose a GPU")
    said = shown(one, one, a_summary(), width=110)
    assert said.count("No verdict for 2: a GPU kernel: choose a GPU.") == 1


def test_several_machines_share_a_legend() -> None:
    two = render_overview([[a_summary()], [a_summary(machine="other")]], OverviewChoice(), {}, "", 110, False)
    assert two.count("AI: FLOP/byte") == two.count("Details:") == 1 and two.count("1 kernel in 1 file") == 2


def test_the_row_of_a_kernel() -> None:
    row = shown(a_summary(), width=110).splitlines()[2]
    assert row.split() == ["axpy", "fixtures/streams.py:12", "DRAM", "~0.083", "<", "3", "1.33", "GF/s", "–", "fuse",
                           "RFL102", "exact"]  # fmt: skip


def test_an_unsupported_kernel_shows_its_reason() -> None:
    text = shown(a_summary(), replace(summary_of(unsupported_report()), name="odd"), width=110)
    assert "a call of an unknown function" in text
    assert "2 kernels in 1 file: 1 memory-bound, 1 unsupported." in text


def test_the_order_is_by_what_is_gained() -> None:
    slow, mild, none = (a_summary(name=n, gain=g) for n, g in [("slow", 9.0), ("mild", 1.6), ("none", None)])
    assert names(none, mild, slow, choice=OverviewChoice()) == ["slow", "mild", "none"]
    used = replace(mild, profiled=100.0)
    assert names(none, slow, used, choice=OverviewChoice()) == ["mild", "slow", "none"]
    assert used.saved == pytest.approx(37.5)
    assert names(none, mild, slow, choice=OverviewChoice(sort="name", top=2)) == ["mild", "none"]
    assert names(none, mild, slow, choice=OverviewChoice(min_gain=2.0)) == ["slow"]
    assert names(none, replace(slow, bound="compute"), choice=OverviewChoice(only="compute")) == ["slow"]


def test_every_sort_key_has_an_order() -> None:
    assert set(KEYS) == set(get_args(SortKey))


def test_scalar_helpers_stand_under_their_callers() -> None:
    helper = a_summary(name="half", moves=False, callers=("axpy",))
    rows = folded([a_summary(), helper])
    assert [(s.name, s.helpers) for s in rows] == [("axpy", ("half",))]
    assert "axpy +1" in shown(a_summary(), helper)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_a_profile_fits_and_breaks_no_row(width: int) -> None:
    long = replace(a_summary(name="a_long_name_of_a_kernel", gain=12.0), profiled=0.457, limit="divider", seconds=0.151)
    lines = shown(long, replace(a_summary(), profiled=0.058), width=width).splitlines()
    assert max(map(len, lines)) <= width and lines[4] == "" and not any("…" in line[:1] for line in lines)
    assert ("time:" in "\n".join(lines)) == (width >= 80)


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_every_line_fits_and_only_names_are_cut(width: int) -> None:
    long = a_summary(name="a_kernel_with_quite_a_long_name_of_its_own", path="some/deep/folder/of/a/project/module.py")
    text = shown(long, a_summary(gain=4.0), width=width)
    assert max(map(len, text.splitlines())) <= width
    for word in ("DRAM", "fuse", "4.0x"):
        assert word in text
    assert "..." not in text


def test_places_lose_a_common_folder_before_they_are_cut() -> None:
    paths = "some/deep/folder/of/a/project/one.py", "some/deep/folder/of/a/project/two.py"
    rows = [a_summary(name="a_kernel_with_a_long_name", path=path) for path in paths]
    text = shown(*rows, width=100)
    assert "one.py:" in text and "two.py:" in text and "…" not in text
    assert "Places are in some/deep/folder/of/a/project/." in text
    assert "Places" not in shown(*rows, width=140)


def test_texts_are_cut_where_they_say_least() -> None:
    assert shortened("fixtures/dense.py:31", 12, "start") == "…dense.py:31"
    assert shortened("a/fixtures/dense.py:31", 19, "start") == "…/dense.py:31"
    assert shortened("fixtures/known_traffic.py:31", 12, "start") == "known_tr…:31"
    assert shortened("fixtures/known_traffic.py:31", 6, "start") == "…:31"
    assert shortened("conjugate_gradients", 10, "middle") == "conjug…nts"
    assert shortened("a long reason", 8, "end") == "a long …"
    assert shortened("a long reason", 10, "end") == "a long …"
    pages = Column("traffic [B]", ("~ n**3 + 15*n**2/8 + …",), cut="end", units=(" pages",))
    assert pages.cell(0, 26).rstrip() == "~ n**3 + … pages"
    assert shortened("144*height*inputs*width + 2", 24, "end") == "144*height*inputs*…"
    assert shortened("~ 16*k**2*floor(N/2)*floor(N1/2)", 26, "end") == "~ 16*k**2*floor(N/2)*…"
    assert shortened("unsplittable", 6, "end") == "unspl…"


# -- the command ------------------------------------------------------------------------------------
def test_several_kernels_are_an_overview_and_one_is_a_report(roofscan: Command) -> None:
    roofscan.write("k.py", MATMUL)
    many = roofscan("report", "k.py").out
    assert many.index("matmul") < many.index("halves +1")
    assert "3 kernels in 1 file" in many and "FLOPs  " not in many
    assert "FLOPs  " in roofscan("report", "k.py::matmul").out
    assert "FLOPs  " in roofscan("report", "k.py", "--full").out


def test_the_choice_holds_for_every_format(roofscan: Command) -> None:
    roofscan.write("k.py", MATMUL)
    roofscan.write("outside.py", OUTSIDE)
    assert list(roofscan("report", ".", "--only", "unsupported", "--format", "json").kernels) == ["outside"]
    full = roofscan("report", ".", "--full", "--sort", "gain", "--top", "1").out
    assert full.startswith("matmul") and "halves" not in full
    assert roofscan("report", ".", "--min-gain", "fast").code == 2
    assert "Shown: 1 of 3 rows." in roofscan("report", ".", "--min-gain", "2").out


def test_a_profile_of_cprofile_weighs_the_kernels(roofscan: Command, tmp_path: Path) -> None:
    roofscan.write("k.py", MATMUL.replace("from numba import njit", "njit = lambda f: f"))
    scope: dict[str, Any] = {}
    exec(compile((tmp_path / "k.py").read_text(), str(tmp_path / "k.py"), "exec"), scope)
    profiler = cProfile.Profile()
    profiler.runcall(scope["halves"], [1.0] * 2000, [0.0] * 2000)
    profiler.dump_stats("run.prof")
    roofscan.write("k.py", MATMUL)
    out = roofscan("report", "k.py", "--profile", "run.prof", "--sort", "time").out
    assert "spent" in out and out.index("halves") < out.index("matmul")
    roofscan.write("other.py", AXPY)
    missed = roofscan("report", "other.py", "--profile", "run.prof", "--top", "1").error_line
    assert missed == "roofscan: --profile: run.prof has none of these kernels; profile a run that calls them"


def test_a_profile_of_scalene_is_by_lines(tmp_path: Path) -> None:
    lines = [{"lineno": 5, "n_cpu_percent_c": 50.0, "n_cpu_percent_python": 10}, {"lineno": 99, "n_cpu_percent_c": 1}]
    file = tmp_path / "scalene.json"
    file.write_text(json.dumps({"elapsed_time_sec": 20.0, "files": {"src/k.py": {"functions": [], "lines": lines}}}))
    profile = read_profile(str(file))
    assert profile.seconds_in("/elsewhere/src/k.py", "axpy", range(4, 7)) == pytest.approx(12.0)
    assert profile.seconds_in("/elsewhere/src/k.py", "other", range(7, 10)) is None


def test_scalene_sees_compiled_functions_where_they_are_called(tmp_path: Path) -> None:
    texts = ["k.axpy(2.0, x, y)", "def axpy(a, x, y):", "axpy(1.0, x, y); np.dot(x, y)", "a.step()", "saxpy(x)"]
    lines = [{"lineno": n, "n_cpu_percent_c": 10.0, "line": f"  {text}\n"} for n, text in enumerate(texts, 1)]
    file = tmp_path / "scalene.json"
    file.write_text(json.dumps({"elapsed_time_sec": 20.0, "files": {"src/app.py": {"lines": lines}}}))
    profile = read_profile(str(file))
    assert profile.seconds_in("src/k.py", "axpy", range(4, 7)) == pytest.approx(4.0)
    assert [profile.seconds_in("src/k.py", name, range(4, 7)) for name in ("dot", "A.step")] == [None, None]


def test_methods_of_a_name_have_the_time_of_their_own_lines() -> None:
    profile = Profile(tuple(ProfiledLines("k.py", line, "step", seconds) for line, seconds in ((3, 1.0), (9, 4.0))))
    assert [
        profile.seconds_in("k.py", name, lines) for name, lines in (("A.step", range(3, 7)), ("B.step", range(8, 14)))
    ] == [1.0, 4.0]


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"files": 3}', b"\x00\x01", AXPY.encode()])
def test_what_is_no_profile_is_said(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "odd"
    file.write_bytes(data)
    with pytest.raises(OptionError, match="cProfile"):
        read_profile(str(file))
