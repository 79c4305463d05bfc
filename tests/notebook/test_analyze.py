"""``roofscan.analyze``: paths, texts and live functions; what a report tells; errors that name what is right."""

from __future__ import annotations

import functools
import inspect
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import roofscan
from tests.cli.conftest import AXPY, OUTSIDE
from tests.report.test_overview import MATMUL

SCALED = """\
from numba import njit


@njit
def scaled(x, n):
    for i in range(n):
        x[i] *= 2.0
"""


def plain_product(A, B, C):  # type: ignore[no-untyped-def]
    raise AssertionError("it is read, not called")
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]


def scaled(x, y):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        y[i] = 2.0 * x[i]


class Dispatcher:
    """What Numba makes of a function, as far as its source goes."""

    py_func = staticmethod(scaled)

    def __call__(self) -> None:
        raise AssertionError("it is read, not called")


def test_a_live_function_and_a_dispatcher_are_read() -> None:
    for live in (scaled, Dispatcher()):
        report = roofscan.analyze(live)
        assert (report.name, Path(report.path).name) == ("scaled", "test_analyze.py")
        assert str(report.flops) == "x_shape_0" or report.symbols


def test_a_function_of_a_session_brings_its_context() -> None:
    from roofscan.notebook.live_source import with_context

    text = "@njit\ndef f(x):\n    for i in range(len(x)):\n        x[i] = g(x[i]) * SCALE\n"
    import math

    session = {"njit": type("njit", (), {"__module__": "numba"}), "g": math.sqrt, "SCALE": 2.0, "unused": math}
    made = with_context(text, session)
    assert made.startswith(text)
    assert "from numba import njit as njit" in made and "from math import sqrt as g" in made
    assert "SCALE = 2.0" in made and "unused" not in made
    assert roofscan.analyze(made).to_dict()["compiled"] == "njit"


def test_paths_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(MATMUL)
    several = roofscan.analyze(path)
    assert [r.name for r in several] == ["matmul", "half", "halves"] and len(several) == 3
    assert several["matmul"].name == roofscan.analyze(f"{path}::matmul").name == several[0].name
    assert roofscan.analyze(str(path), function="halves").name == "halves"
    assert roofscan.analyze(AXPY).name == "axpy"
    assert repr(several) == "<3 reports: matmul, half, halves>"
    assert "<td>matmul</td>" in several._repr_html_()
    assert [r.name for r in several[1:]] == ["half", "halves"]
    document = json.loads(several.to_json())
    assert [k["name"] for k in document["kernels"]] == [r.name for r in several]
    assert document["machine"]["name"] == several[0].machine and document["schema"] == "roofscan/1"


def test_what_a_report_tells() -> None:
    report = roofscan.analyze(f"{MATMUL}", function="matmul", machine="xeon-6248r")
    memory = report.levels["DRAM"]
    assert memory is report.levels[-1] or memory.name == "DRAM"
    assert memory.traffic is not None and report.intensity is not None
    assert {f.code for f in report.findings} and report.advice and report.machine == "xeon-6248r"
    assert repr(report).startswith(
        "<Report matmul: exact, memory-bound by address translations, "
    ) and "\n" not in repr(report)
    assert re.search(
        r" address translations, [\d.]+ (s|min) at A_shape_0 = A_shape_1 = B_shape_1 = \d+, ", repr(report)
    )
    assert re.search(r"-bound, [\d.]+ µs, ", repr(report.at(A_shape_0=20, A_shape_1=20, B_shape_1=20)))
    assert json.loads(report.to_json())["name"] == "matmul"
    html = report._repr_html_()
    assert len(html) < 5000 and "matmul" in html


def test_a_kernel_outside_the_model_has_no_flops() -> None:
    assert "FLOPs" not in repr(roofscan.analyze(OUTSIDE)) and roofscan.analyze(OUTSIDE).flops is None


SCALED_ON_A_GPU = """\
from numba import cuda


@cuda.jit
def scaled(x, a):
    i = cuda.grid(1)
    if i < x.size:
        s = x[i]
        for _ in range(500):
            s = a * s + a
        x[i] = s
"""


TWO = """
import numba


@numba.njit
def axpy(x, y, a):
    for i in range(x.size):
        y[i] += a * x[i]


@numba.njit
def scale(x, a):
    for i in range(x.size):
        x[i] *= a
"""
COPIES = TWO.replace("+= a * x[i]", "= x[i]").replace("x[i] *= a", "x[i] = a")


def test_a_prediction_on_a_gpu_has_the_gpu_s_words() -> None:
    scaled = roofscan.analyze(SCALED_ON_A_GPU, machine="h200", bind="a=f8 grid=8192 block=256")
    predicted = scaled.predict(x_shape_0=8192 * 256)
    assert repr(predicted).endswith((" limited by floating-point units>", " limited by instructions of warps>"))
    bound = roofscan.analyze(SCALED_ON_A_GPU, machine="h200", bind=f"a=f8 x=f8[{8192 * 256}] grid=8192 block=256")
    assert bound.predict() == predicted


def test_predictions() -> None:
    axpy = roofscan.analyze(AXPY)
    [size] = axpy.symbols
    small, large = (axpy.predict(**{size: n}) for n in (10**5, 10**8))
    assert 0 < small.at_least <= small.seconds < large.seconds
    assert large.limit == large.level == "DRAM" and large.bytes_per_second > 0
    assert "limited by DRAM" in repr(large)
    assert axpy.predict(N=10**5) == small, "the report calls the size N"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: roofscan.analyze(AXPY, machines="a100"), "did you mean machine"),
        (lambda: roofscan.analyze(AXPY, bind="m=3"), "no kernel has m"),
        (lambda: roofscan.analyze(AXPY, bind={"x": "q["}), r"^bind: 'x=q\['"),
        (lambda: roofscan.analyze(AXPY, machine="a10"), "a100"),
        (lambda: roofscan.analyze(AXPY, function="axpi"), "did you mean axpy"),
        (lambda: roofscan.analyze(AXPY).levels["RAM"], "DRAM"),
        (lambda: roofscan.analyze(AXPY).predict(), "predict needs "),
        (lambda: roofscan.analyze(AXPY).predict(x_shape=3), "did you mean x_shape_0"),
        (lambda: roofscan.analyze(AXPY).predict(x_shape_0=-1), "x_shape_0=-1 is not a size"),
        (lambda: roofscan.analyze(AXPY).predict(x_shape_0="a"), "x_shape_0='a' is not a number"),
        (lambda: roofscan.analyze(AXPY, threads="two"), "two"),
        (lambda: roofscan.analyze(SCALED, bind={"n": 2000}).predict(n=1000), "n is bound to 2000; leave it"),
        (lambda: roofscan.analyze(""), "the source text is empty"),
        (lambda: roofscan.analyze(lambda x: x), "a lambda has no name"),
        (lambda: roofscan.analyze(3), "not a Python function"),
        (lambda: roofscan.analyze(len), "not a Python function"),
        (lambda: roofscan.analyze(Path), "Path is a class; pass one of its methods"),
        (lambda: roofscan.analyze(np.sum), "numpy.sum is NumPy's own; pass a function that calls it: def f"),
        (lambda: roofscan.analyze(AXPY).plot("ax"), "takes Axes of matplotlib"),
        (lambda: roofscan.analyze("missing.py"), 'there is no file "missing.py"; check the path'),
        (lambda: roofscan.analyze("x = 1\n"), "has no kernel, and no function either"),
        (lambda: roofscan.analyze("def f(a):\n    return a\n"), "function='f' reports one"),
        (lambda: roofscan.analyze(AXPY, bind=3), "a string such as .* or a dict, not int"),
        (lambda: roofscan.analyze(AXPY, machine=3), "^machine is a name or a list of names, not 3; "),
        (lambda: roofscan.analyze(AXPY, cold="no"), "^cold is True or False, not 'no'"),
        (lambda: roofscan.analyze(scaled, function="other"), "leave it out for a live function"),
        (lambda: roofscan.analyze(str(Path(__file__).parent)), "is a folder; name one of its files"),
        (lambda: roofscan.analyze_file(Path(__file__).parent), "is a folder; name one of its files"),
        (
            lambda: roofscan.analyze(SCALED, bind={"n": 2.5}),
            r"bind: n=2.5: n is an index, a size or a bound; write an integer, as n=1000 \(kernel scaled, line 5\)",
        ),
        (lambda: roofscan.analyze(SCALED, bind={"n": "big"}), "bind: 'big' is not an element type"),
        (lambda: roofscan.analyze(AXPY, machine=[]), "machine is an empty list; leave it out"),
        (lambda: roofscan.analyze(AXPY).predict(100), r"sizes by name; write predict\(x_shape_0=100\)"),
        (lambda: roofscan.analyze(AXPY).predict(x_shape_0=2.5), "x_shape_0=2.5 is not an integer; write x_shape_0=2"),
        (lambda: roofscan.analyze(AXPY).predict(n=3), r"axpy has no n; there is x_shape_0 \(N\)"),
        (lambda: roofscan.analyze(AXPY).levels[9], "9 is out of range: there are 4 levels, from 0 to 3"),
        (lambda: roofscan.analyze(TWO)[2], "2 is out of range: there are 2 reports, from 0 to 1"),
        (
            lambda: roofscan.analyze(TWO).predict(n=1),
            r"predict belongs to one report, and there are 2 here; write reports\['axpy'\]",
        ),
        (lambda: roofscan.analyze(TWO).flop, "'Reports' has no attribute 'flop'"),
        (lambda: roofscan.analyze(TWO).plot("ax"), "takes Axes of matplotlib"),
        (lambda: roofscan.analyze_source(3), "takes the text of a source, not 3"),  # type: ignore[arg-type]
        (lambda: roofscan.analyze_source(AXPY, options={}), "options is a roofscan.Options, not dict"),  # type: ignore[arg-type]
        (lambda: roofscan.analyze_file(3), "takes a path, not 3"),  # type: ignore[arg-type]
        (lambda: roofscan.analyze_file("missing.py"), "there is no file missing.py; check the path"),
    ],
)
def test_errors_say_what_is_right(call, said: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((roofscan.AnalysisError, AttributeError, IndexError, TypeError), match=said):
        call()


class Sums:
    def squares(self, x):  # type: ignore[no-untyped-def]
        total = 0.0
        for i in range(x.size):
            total += x[i] * x[i]
        return total


def twice(x):  # type: ignore[no-untyped-def]
    for i in range(x.size):
        x[i] = 2.0 * x[i]


first_twice = twice


@functools.cache
def twice(x):  # type: ignore[no-untyped-def]
    for i in range(x.size):
        x[i] = x[i] + x[i] + 1.0


def test_of_two_functions_of_a_name_the_one_given_is_read() -> None:
    assert [str(roofscan.analyze(f).flops) for f in (first_twice, twice)] == ["x_shape_0", "2*x_shape_0"]


def test_a_bound_method_and_a_partial_are_their_functions() -> None:
    reports = [roofscan.analyze(f) for f in (Sums.squares, Sums().squares, functools.partial(Sums.squares, Sums()))]
    assert {str(report.flops) for report in reports} == {"2*x_shape_0"}


def test_an_array_of_numpy_binds_its_type_and_sizes() -> None:
    numpy = pytest.importorskip("numpy")
    report = roofscan.analyze(AXPY, bind={"x": numpy.zeros(100, "f4"), "y": numpy.zeros(100)})
    assert report.to_json() == roofscan.analyze(AXPY, bind="x=f4[100] y=f8[100]").to_json()


def test_sizes_may_be_whole_floats() -> None:
    report = roofscan.analyze(AXPY)
    assert report.predict(x_shape_0=1e6) == report.predict(x_shape_0=10**6)


def test_a_stencil_of_numba_is_the_function_of_its_code() -> None:
    class Stencil:
        kernel_ir = SimpleNamespace(func_id=SimpleNamespace(func=scaled))

    assert roofscan.analyze(Stencil()).name == "scaled"  # type: ignore[call-overload]


def test_public_members_of_a_report_say_what_they_are() -> None:
    members = {name: member for name, member in vars(roofscan.Report).items() if not name.startswith("_")}
    assert not [name for name, member in members.items() if not inspect.getdoc(member)]


def test_frames_and_axes() -> None:
    pandas, plt = pytest.importorskip("pandas"), pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    report = roofscan.analyze(AXPY)
    frame = report.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and list(frame["level"]) == [level.name for level in report.levels]
    figure, axes = plt.subplots()
    assert report.plot(axes) is axes and axes.get_xscale() == "log"
    assert len(axes.lines) == 2 * len(report.levels) + 1
    plt.close(figure)


def test_points_of_many_kernels_are_told_apart() -> None:
    """Their legend hid the roofs, and all were of one colour."""
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    one = "@njit\ndef f{0}(x, y):\n    for i in range(len(x)):\n        y[i] = y[i] + {0}.0 * x[i]\n"
    axes = roofscan.analyze("from numba import njit\n" + "\n".join(map(one.format, range(1, 20)))).plot()
    points = [line for line in axes.lines if len(line.get_xdata()) == 1]
    assert len({(line.get_marker(), line.get_color()) for line in points}) == len(points) == 19
    axes.figure.canvas.draw()
    legend, frame = (part.get_window_extent() for part in (axes.get_legend(), axes))
    assert legend.x0 >= frame.x1 and legend.x1 <= axes.figure.bbox.x1 and legend.y0 >= 0
    plt.close(axes.figure)


def test_many_reports_are_points_of_one_roofline() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("agg")
    reports = roofscan.analyze(TWO)
    figure, axes = plt.subplots()
    assert reports.plot(axes) is axes and axes.get_yscale() == "log"
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert {"axpy", "scale"} <= {*labels} and any(label.startswith("DRAM ") for label in labels)
    speed = {line.get_label(): line.get_ydata()[0] for line in axes.lines}
    assert speed["axpy"] == pytest.approx(reports["axpy"].verdict.attainable)
    plt.close(figure)
    with pytest.raises(roofscan.AnalysisError, match="none of 2 kernels has a place on a roofline"):
        roofscan.analyze(COPIES).plot()
