"""A place gets one finding of a code, and kernels that only look for something get none."""

from __future__ import annotations

from pathlib import Path

from roofscan.api import Options, analyze_file, analyze_source, check_source, findings_of
from roofscan.roofline.strides import is_row_of_few, strided_accesses

HEAD = "from numba import njit\n\n"


def test_a_location_in_a_helper_is_reported_once() -> None:
    source = (
        HEAD
        + """
@njit
def column(A, j):
    s = 0.0
    for i in range(A.shape[0]):
        s += A[i, j]
    return s


@njit
def one(A, out):
    for j in range(A.shape[1]):
        out[j] = column(A, j)


@njit
def other(B, out):
    for j in range(B.shape[1]):
        out[j] = column(B, j) * 2.0
"""
    )
    every = [f for kernel in analyze_source(source).kernels for f in kernel.findings if f.code == "RFL202"]
    assert {f.kernel for f in every} == {"one", "other"}
    [finding] = check_source(source, options=Options(select=("RFL202",)))
    assert finding.line == source.splitlines().index("    for i in range(A.shape[0]):") + 1


def test_a_search_with_a_little_arithmetic_is_no_finding() -> None:
    source = (
        HEAD
        + """
@njit
def longest(keys, starts, weights, out):
    for i in range(len(starts)):
        best = 0
        for j in range(len(keys)):
            if keys[j] == starts[i]:
                best = j
        out[i] = weights[best] * 2.0
"""
    )
    words = "keys=i8[k] starts=i8[n] weights=f8[k] out=f8[n]"
    assert not check_source(source, options=Options(bind=words))


def test_a_few_elements_of_long_arrays_are_no_finding() -> None:
    source = (
        HEAD
        + """
@njit
def block(matrix, middle, right, vector, at):
    for k in range(5):
        vector[k + at] = right[k] * 2.0
    for m in range(1, 5):
        for k in range(m + 1):
            matrix[k + at + 5 * m] = middle[k + 5 * m] * 2.0
"""
    )
    assert not check_source(source)


def test_what_is_about_balanced_is_no_finding() -> None:
    """Nine tenths of the ridge at compulsory traffic: the model is not more precise than that."""
    source = (
        HEAD
        + """
@njit(fastmath=True)
def work(x, y):
    for i in range(x.shape[0]):
        y[i] = {}
"""
    )
    half, nearly = (" + ".join(f"x[i] * {k}.5" for k in range(terms)) for terms in (16, 33))
    assert [f.code for f in check_source(source.format(half))] == ["RFL102"]
    assert not check_source(source.format(nearly))


def test_a_comparison_widens_nothing() -> None:
    source = (
        HEAD
        + """
@njit("void(f4[:], f4[:])")
def positive(x, y):
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            y[i] = x[i] * x[i]
"""
    )
    assert not [f for f in check_source(source) if f.code == "RFL401"]
    always = source.replace("if x[i] > 0.0:", "for k in range(1):").replace("x[i] * x[i]", "x[i] / 3")
    [finding] = [f for f in check_source(always) if f.code == "RFL401"]
    assert finding.line == source.splitlines().index("            y[i] = x[i] * x[i]") + 1


def test_three_quarters_of_a_ridge_that_divisions_make_are_near_it() -> None:
    """What a division takes depends on the processor and on the numbers."""
    source = (
        HEAD
        + """
@njit(fastmath=True)
def work(x, y, z, u, v, w, a):
    for i in range(x.shape[0]):
        y[i] = {}
"""
    )
    plain, divided = " + ".join(f"x[i] * {k}.5" for k in range(26)), "x[i] / a + z[i] / a + u[i] / a + v[i] / a + w[i]"
    for value, codes in ((plain, ["RFL102"]), (divided, [])):
        (kernel,) = analyze_source(source.format(value)).kernels
        level = kernel.reports[0].levels[-1]
        assert level.ridge and level.intensity
        flops, moved = (e.evaluate({"x_shape_0": 1000}) for e in (level.intensity.flops, level.intensity.bytes))
        share = flops / moved / level.ridge
        assert 0.7 < share < 0.8
        assert [f.code for f in check_source(source.format(value))] == codes


def test_a_window_is_not_as_long_as_what_it_slides_over() -> None:
    """With w = n one iteration would be left, with the traffic of a stream; with w = n / 2 it is compute-bound."""
    source = (
        HEAD
        + """
import numpy as np

@njit
def rolling(a, w):
    out = np.empty(a.shape[0] - w + 1)
    for i in range(a.shape[0] - w + 1):
        s = 0.0
        for k in range(w):
            s += a[i + k] * a[i + k]
        out[i] = s
    return out
"""
    )
    options = Options(select=("RFL1",))
    assert not check_source(source, options=options)
    assert not check_source(source.replace("- w + 1", "- w // 2 * 2"), options=options)


def test_windows_do_not_grow_with_the_data() -> None:
    source = (
        HEAD
        + """
@njit(fastmath=True)
def slide(A, B, out):
    m, d = B.shape
    for i in range(A.shape[0] - m + 1):
        for j in range(m):
            for k in range(d):
                out[i, k] += A[i + j, k] * B[j, k]
"""
    )
    (kernel,) = analyze_source(source).kernels
    assert "m is 5 in verdicts (typical of a filter)" in kernel.reports[0].cost.kernel.assumptions
    [finding] = check_source(source)
    assert finding.code == "RFL102" and "; memory-bound (AI " in finding.message


def test_tables_do_not_grow_with_the_data() -> None:
    """A histogram has some hundred bins, which stay in the first cache; an array that is nothing else grows."""
    source = (
        HEAD
        + """
@njit
def count(x, hist, lo, inv_width):
    for i in range(len(x)):
        hist[int((x[i] - lo) * inv_width)] += 1.0

@njit
def total(hist):
    s = 0.0
    for i in range(len(hist)):
        s += hist[i]
    return s
"""
    )
    count, total = analyze_source(source).kernels
    assert "hist_shape_0 is 256 in verdicts (typical of bins)" in count.reports[0].cost.kernel.assumptions
    near = count.reports[0].levels[1]
    assert near.judged is not None and near.judged.low > 0.7 * 3 / 8  # three operations for eight bytes of x
    assert "hist_shape_0" in total.reports[0].verdict.sizes


STEPS = """
@njit(fastmath=True)
def steps(x, y, turns):
    for t in range(turns):
        for i in range(1, len(x) - 1):
            y[i] = 0.25 * (x[i - 1] + x[i] + x[i + 1])
        for i in range(1, len(x) - 1):
            x[i] = y[i]
"""

PAIRS = """
@njit(fastmath=True)
def pull(X, Y, G):
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            for k in range(X.shape[1]):
                G[i, k] += 2.0 * (X[i, k] - Y[j, k])
"""


def test_blocks_are_advised_only_where_loops_may_be_blocked() -> None:
    """Not where an iteration of the loop that carries the reuse needs all of the iteration before."""
    [finding] = check_source(HEAD + STEPS)
    assert finding.code == "RFL103"
    assert "x by using float32 or, if legal, temporal blocking over t" in finding.message
    [finding] = check_source(HEAD + PAIRS)
    assert finding.code == "RFL103"
    assert " to keep " in finding.message


def test_shrinking_iterations_may_share_a_block() -> None:
    source = (
        HEAD
        + """
@njit
def lu(A):
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
"""
    )
    [finding] = [f for f in check_source(source, options=Options(machines=("teaching-vector",))) if f.code == "RFL103"]
    assert "use float32 or, if legal, temporal blocking over k; " in finding.message


def test_sizes_that_take_more_than_a_minute_are_not_assumed() -> None:
    """All pairs of 2 million points: 4e12 iterations, before they outgrow L3; those of 131,064 outgrow L2."""
    pairs = """
@njit(fastmath=True)
def pull(x, y, g):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            g[i] += y[j]
"""
    [finding] = check_source(HEAD + pairs)
    assert "memory-bound at L3 for x_shape_0 >= 131064 " in finding.message


def test_a_diagonal_is_not_a_strided_access() -> None:
    trace = """
@njit
def trace(A, d, j):
    for i in range(A.shape[0]):
        d[0] += A[i, {}]
"""
    assert "RFL201" not in {f.code for f in check_source(HEAD + trace.format("i"))}
    assert "RFL201" in {f.code for f in check_source(HEAD + trace.format("j"))}


def test_a_loop_over_threads_is_not_to_go_inside() -> None:
    source = """
from numba import njit, prange

@njit(parallel=True)
def decay(A, c):
    for j in prange(A.shape[1]):
        level = 0.0
        for i in range(A.shape[0]):
            level = c * level + A[i, j]
            A[i, j] = level
"""
    [finding] = [f for f in check_source(source) if f.code == "RFL201"]
    assert " what it uses of " in finding.message
    [finding] = [f for f in check_source(source.replace("prange(", "range(")) if f.code == "RFL201"]
    assert " j the innermost loop, if legal; " in finding.message


def test_a_verdict_that_refers_to_a_strided_access_is_not_reported_beside_it() -> None:
    source = (
        HEAD
        + """
@njit
def decay(A, c):
    for j in range(A.shape[1]):
        level = 0.0
        for i in range(A.shape[0]):
            level = c * level + A[i, j]
            A[i, j] = level
"""
    )
    [verdict] = [f for f in analyze_source(source).kernels[0].findings if f.code < "RFL2"]
    assert "traverse its arrays along their cache lines first; " in verdict.message
    assert [f.code for f in check_source(source)] == ["RFL201"]
    assert [f.code for f in check_source(source, options=Options(ignore=("RFL201",)))] == [verdict.code]


def test_a_finding_in_a_helper_of_another_file_is_reported_there(tmp_path: Path) -> None:
    helper = "from numba import njit\n\n\n@njit\ndef decay(A, c):\n    for j in range(A.shape[1]):\n" + (
        "        level = 0.0\n        for i in range(A.shape[0]):\n"
        "            level = c * level + A[i, j]\n            A[i, j] = level\n"
    )
    caller = "from numba import njit\n\nfrom .steps import decay\n\n\n@njit\ndef run(A):\n    decay(A, 0.5)\n"
    for name, text in (("__init__.py", ""), ("steps.py", helper), ("main.py", caller)):
        (tmp_path / name).write_text(text)
    codes = {name: findings_of(analyze_file(str(tmp_path / name)), Options()) for name in ("steps.py", "main.py")}
    assert [f.code for f in codes["steps.py"]] == ["RFL201"] and not codes["main.py"]


def test_what_may_be_a_number_is_no_stream() -> None:
    """np.sqrt takes arrays and numbers; other uses of its result may decide."""
    source = (
        "import numpy as np\n"
        + HEAD
        + """
@njit
def points(x, k, a, kernel):
    t = (a * x + np.sqrt(a * a * 2.0 + x * k)) / (a + 3.0)
    s = t * k + a
    return {}
"""
    )
    [closed] = analyze_source(source.format("np.array([t, x * s])")).kernels
    assert not closed.findings and closed.reports[0].cost.status == "exact" and not closed.reports[0].cost.flops.symbols
    [open_] = analyze_source(source.format("kernel(s) + t")).kernels
    assert not open_.findings and open_.reports[0].cost.status == "bounded"


def test_passes_without_floating_work_have_no_intensity() -> None:
    source = (
        "import numpy as np\n"
        + HEAD
        + """
@njit
def ranges(a, b, out):
    for i in range(len(a)):
        out[i] = a[i] + b[i]
    for i in range(len(a)):
        out[i] = out[i] * b[i]
    s = 0.0
    for i in range(len(a)):
        s += 0.5
    return s
"""
    )
    words = "a=i8[n] b=i8[n] out=i8[n]"
    [finding] = [f for f in check_source(source, options=Options(bind=words)) if f.code == "RFL302"]
    assert "AI" not in finding.message
    assert " by fusing lines " in finding.message or ": fuse lines " in finding.message


def test_a_long_name_is_shortened_to_its_last_part() -> None:
    source = (
        HEAD
        + """
class TheDistanceOfSeries:
    def a_factory_of_alignment_paths(self):
        @njit
        def axpy(a, x, y):
            for i in range(len(x)):
                y[i] += a * x[i]
        return axpy
"""
    )
    [finding] = check_source(source)
    assert finding.kernel == "TheDistanceOfSeries.a_factory_of_alignment_paths.axpy"
    assert finding.message.startswith("axpy: it streams")


def test_appends_keep_their_order() -> None:
    """The last statement of the loops has no access of its own; in another order the list would be another."""
    source = (
        HEAD
        + """
@njit
def inside(a, b):
    found = []
    for i in range(a.shape[0]):
        for j in range(b.shape[0]):
            x = a[i] % 360.0
            if b[j, 0] < x < b[j, 1]:
                found.append((i, j))
    return found
"""
    )
    assert not check_source(source)


def test_a_transposition_is_strided_in_any_order() -> None:
    source = (
        HEAD
        + """
@njit
def turned(A, B):
    for j in range(A.shape[0]):
        for i in range(A.shape[1]):
            B[i, j] = A[j, i] * 2.0
"""
    )
    [finding] = check_source(source)
    assert finding.code == "RFL201"
    assert " tiling i by 32 over views, with its blocks outside j, if legal; " in finding.message


def test_an_axis_of_which_three_are_asked_for_is_short() -> None:
    """image[y, x, 0..2]: colours, though the source calls their number d."""
    source = (
        HEAD
        + """
@njit
def sums(image, c, r):
    h, w, d = image.shape
    for y in range(h):
        for x in range(r, w - r):
            for k in range({}):
                s = 0.0
                for dx in range(2 * r):
                    s += image[y, x + dx - r, k]
                if s > 0.0:
                    c[y, x, k] = s
"""
    )
    for colours, short in (("3", True), ("d", False)):
        kernel = analyze_source(source.format(colours)).kernels[0].reports[0].cost.kernel
        [walk] = (walk for walk in strided_accesses(kernel) if walk.array.name == "image")
        assert is_row_of_few(walk, kernel) is short


def test_a_product_with_what_is_no_array_is_not_known() -> None:
    """@ takes no numbers: the operand is an array of unknown shape."""
    source = (
        "from .others import kernel_of\n"
        + HEAD
        + """
@njit
def error(K, a, y):
    u = 1.0 / (kernel_of(K) @ a)
    v = K.T @ u
    s = 0.0
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            s += v[i, j] * y[i, j]
    return s
"""
    )
    assert not check_source(source)


def test_iteration_counts_that_are_a_power_of_a_size_have_no_value() -> None:
    source = (
        HEAD
        + """
@njit
def states(x, y, n, m):
    for i in range(2**n - m):
        x[i] += 0.5 * y[i]
"""
    )
    [kernel] = analyze_source(source).kernels
    assert not [f for f in kernel.findings if f.code == "RFL999"] and kernel.reports


def test_loops_that_are_vector_code_or_can_not_be_have_no_finding() -> None:
    """Each as fast as the other form, measured under Numba 0.68 (factors of 0.9 to 1.1)."""
    source = (
        HEAD
        + """
import numpy as np
from numba import prange


@njit
def unsigned(x, y, k):
    for i in range(np.uint64(k), np.uint64(len(x))):
        y[i] = x[i] * 2.0


@njit
def cast(x, y, k):
    for i in range(k, len(x)):
        j = np.uint64(i)
        y[j] = x[j] * 2.0


@njit
def recurrence(x, y, a, b):
    for i in range(2, len(x)):
        y[i] = x[i] - a * y[i - 1] - b * y[i - 2]


@njit
def guarded(x, y, z):
    for i in range(len(x)):
        if y[i] != 0.0:
            z[i] = x[i] / y[i]
        else:
            z[i] = 0.0


@njit
def in_register(A, B, C):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                C[i, j] += A[i, k] * B[j, k]


@njit
def two_of_a_row(x, force):
    n = x.shape[0]
    for i in range(n):
        for j in range(n):
            dx = x[i, 0] - x[j, 0]
            dy = x[i, 1] - x[j, 1]
            force[i, 0] += dx * dy
            force[i, 1] += dy


@njit
def depth(keys):
    stack = np.empty(64)
    stack[0] = keys
    return stack[0] + 1.0


@njit(parallel=True)
def depths(keys, out):
    for t in prange(len(keys)):
        out[t] = depth(keys[t])


@njit
def own_rows(A, x):
    for t in range(x.shape[1] - 1):
        for i in range(x.shape[0]):
            for j in range(x.shape[0]):
                x[i, t + 1] += A[i, j] * x[j, t]


@njit(error_model="numpy")
def part(a, b):
    return a / b


@njit
def parts(x, y, z):
    for i in range(len(x)):
        z[i] = part(x[i], y[i])
"""
    )
    found = [f for f in check_source(source) if f.code.startswith(("RFL5", "RFL6", "RFL9"))]
    in_register, columns = ("RFL501", "in_register"), ("RFL521", "own_rows")
    assert [(f.code, f.kernel) for f in found] == [in_register, columns]  # the first measured: 5.8 to 6.5 times


def test_the_rows_of_a_loop_that_counts_down_are_no_filter() -> None:
    source = "@njit\ndef f(A):\n    m, n = A.shape\n    for j in range(n):\n        for i in range(m - 1, j, -1):\n"
    source += "            A[i, j] -= 0.5 * A[i - 1, j]\n"
    [kernel] = analyze_source("from numba import njit\n" + source).kernels
    assert not kernel.kernel.guesses


PAIR = """
@njit
def scale(a, x):
    for i in range(len(x)):
        x[i] *= a


@njit
def axpy(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]


def run(x, y, z):
    for t in range(100):
        scale(2.0, x)
        axpy(3.0, {}, y)
"""


def test_a_stream_names_the_kernel_beside_it() -> None:
    one, other = check_source(HEAD + PAIR.format("x"))
    assert one.message.startswith("scale: fuse it with axpy, which run calls beside it (line 19); memory-bound ")
    assert other.message.startswith("axpy: fuse it with scale, which run calls beside it (line 19); memory-bound ")
    assert one.severity == "note" and one.lines == (19,)


def test_kernels_that_share_no_array_are_no_neighbours() -> None:
    assert all(": it streams, nothing to gain; " in f.message for f in check_source(HEAD + PAIR.format("z")))


def test_a_helper_that_only_a_kernel_names_is_judged_there() -> None:
    caller = "\n@njit\ndef both(x, y):\n    scale(2.0, x)\n    scale(2.0, y)\n"
    source = HEAD + PAIR.split("@njit\ndef axpy")[0]
    assert {f.kernel for f in check_source(source)} == {"scale"}
    assert "scale" not in {f.kernel for f in check_source(source + caller)}


def test_the_extent_of_small_matrices_is_nobodys_choice() -> None:
    source = """import numpy as np
from numba import njit

@njit
def root(C):
    made = C.copy()
    s = np.sqrt(C[0, 0] * C[1, 1] - C[1, 0] * C[0, 1])
    made[0, 0] += s
    made[1, 1] += s
    made /= np.sqrt(C[0, 0] + C[1, 1] + 2.0 * s)
    return made

@njit
def distance(m1, C1, m2, C2):
    one = np.ascontiguousarray(root(C2))
    both = C1 + C2 - 2.0 * root(one @ C1 @ one)
    return np.sum((m1 - m2) ** 2) + both[0, 0] + both[1, 1]

@njit
def pairs(means, spreads):
    n = means.shape[0]
    out = np.zeros((n, n), dtype=np.float32)
    for i in range(n):
        for j in range(i + 1, n):
            out[i, j] = distance(means[i], spreads[i], means[j], spreads[j])
            out[j, i] = out[i, j]
    return out
"""
    assert "RFL103" not in {f.code for f in check_source(source)}


def test_numbers_of_unknown_type_may_be_integers() -> None:
    source = (
        HEAD
        + """
@njit
def size(n, rank, world):
    return n // world + int(rank < n % world)


@njit
def start(n, rank, world):
    first = 0
    for below in range(rank):
        first += size(n, below, world)
    return first
"""
    )
    assert check_source(source) == []


def test_what_goes_into_integers_is_of_integers() -> None:
    source = """
@njit
def spans(x):
    out = np.empty(len(x), dtype={})
    for i in range(len(x) - 1):
        out[i] = np.prod(x[i + 1 :])
    return out
"""
    integers, floats = (check_source("import numpy as np\n" + HEAD + source.format(t)) for t in ("np.intp", "float"))
    assert ("RFL501" in {f.code for f in integers}, "RFL501" in {f.code for f in floats}) == (False, True)


def test_a_sum_beside_bits_that_each_iteration_shifts_stays_scalar() -> None:
    """Measured on Zen 4: 1.0 times with fastmath; with ``if i < k``, which moves no bits, 6.9 times."""
    source = """
# roofscan: x=f8[100000] k=50000
@njit
def chosen(x, bits, k):
    s = 0.0
    for i in range(x.shape[0]):
        if {}:
            s += x[i]
        bits = bits >> 1
    return s
"""
    shifted, counted = (check_source(HEAD + source.format(test)) for test in ("(bits & 1) == 1", "i < k"))
    assert ("RFL501" in {f.code for f in shifted}, "RFL501" in {f.code for f in counted}) == (False, True)


def test_one_loop_over_elements_is_advised_once() -> None:
    source = """import numpy as np
from numba import njit

@njit(fastmath=True)
def project(vectors, bases):
    result = np.zeros_like(vectors)
    for i in range(result.shape[0]):
        normal = bases[i] / np.sqrt(np.sum(bases[i] ** 2))
        scale = vectors[i] @ normal
        result[i] = vectors[i] - (scale * normal)
    return result
"""
    assert [f.code for f in check_source(source)] == ["RFL504"], "RFL301 names a part of it"


def test_long_names_leave_no_room_for_the_machine() -> None:
    source = (
        HEAD
        + "@njit\ndef a_name_of_twenty_eight_letters(x, y):\n"
        + "    for i in range(len(x) - 1):\n        y[i] = x[i + 1] - x[i]\n"
    )
    [finding] = check_source(source)
    assert len(f"{finding.code} {finding.message}") <= 120 < len(f"{finding.code} {finding.detail}")
