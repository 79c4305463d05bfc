"""What nobody would change code for gets no finding: a small gain, data that are always small."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source, check_source

HEAD = "import numpy as np\nfrom numba import njit\n\n\n"

MATCHES = (
    HEAD
    + """@njit(fastmath=True)
def matches(x, y):
    found = 0.0
    for i in range(x.shape[0]):
        found += (x[i] != 0) and (y[i] != 0)
    return found == np.sum(x != 0)
"""
)
PAIRS = """

@njit
def pairs(rows, out):
    for i in range(rows.shape[0]):
        out[i] = matches(rows[i], rows[0])
"""

KERNELS = (
    HEAD
    + """@njit("f8[:, :](f8[:, :], f8)")
def kernels(X, v):
    n, m = X.shape
    K = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = np.exp(-v * np.sum(np.square(X[i] - X[j])))
    return K
"""
)

AROUND = (
    HEAD
    + """@njit
def near(image, r):
    h, w, _ = image.shape
    out = np.zeros(h * w * (2 * r + 1))
    k = 0
    for y in range(h):
        for x in range(w):
            for dy in range(-r, r + 1):
                y2 = max(0, min(h - 1, y + dy))
                out[k] = np.sum(np.abs(image[y, x] - image[y2, x]))
                k += 1
    return out
"""
)

TRANSPOSED = (
    HEAD
    + """@njit
def add(A, B, C):
    n = A.shape[0]
    for i in range(n):
        for j in range(n):
            C[i, j] = A[i, j] + B[j, i]
"""
)


def test_rows_of_a_helper_stay_in_a_cache() -> None:
    """Where others call it for row after row, one pass in place of two spares no bytes at memory."""
    fusions = Options(select=("RFL301", "RFL302", "RFL303"))
    assert [f.code for f in check_source(MATCHES, options=fusions)] == ["RFL302"]
    assert not check_source(MATCHES + PAIRS, options=fusions)


def test_short_rows_want_a_loop_over_elements_first() -> None:
    """Measured with nine rows of four elements: the loop is 2.6 times as fast, ``[::1]`` with fastmath 0.93."""
    assert [f.code for f in check_source(KERNELS)] == ["RFL504"]


def test_what_is_around_a_place_does_not_grow_with_the_image() -> None:
    [kernel] = analyze_source(AROUND).kernels
    held = [str(a) for a in kernel.reports[0].cost.kernel.assumptions]
    assert "r is 3 in verdicts (typical of a radius)" in held
    assert "image_shape_2 is 3 in verdicts (typical of channels)" in held
    assert [f.code for f in kernel.findings] == ["RFL504"], "which asks for the loop that RFL301 would ask for"


def test_blocks_of_a_transposition_say_how_they_are_written() -> None:
    [finding] = check_source(
        TRANSPOSED + "            C[i, j] = A[i, j] + B[j, i]\n", options=Options(select=("RFL201",))
    )
    assert "by tiling j by 32 over views, with its blocks outside i, if legal" in finding.message
    assert finding.gain is not None and finding.gain >= 1.4


def test_a_loop_that_breaks_adds_up_in_order() -> None:
    """LLVM makes scalar code of it, also under fastmath: measured 0.94 to 1.01."""
    text = (
        HEAD + "@njit\ndef lagged(x, k):\n    s = 0.0\n    for i in range(len(x)):\n{}        s += x[i]\n    return s\n"
    )
    sums = Options(select=("RFL501",))
    assert [f.code for f in check_source(text.format(""), options=sums)] == ["RFL501"]
    assert not check_source(text.format("        if i + k >= len(x):\n            break\n"), options=sums)


def test_a_loop_that_fastmath_would_gather_keeps_the_order_of_all() -> None:
    """Forward and back substitution: measured 0.9 to 1.4 times under fastmath, which gathers the elements of one."""
    text = HEAD + "@njit\ndef solve(L, y, b):\n    for i in range(len(b)):\n        s = b[i]\n"
    text += "        for j in range({}):\n            s -= L[i, j] * y[j]\n        y[i] = s\n"
    back = "    for i in range(len(b) - 1, -1, -1):\n        s = y[i]\n        for j in range(i + 1, len(b)):\n"
    back += "            s -= L[i, j] * b[j]\n        b[i] = s\n"
    sums = Options(select=("RFL501",))
    assert [f.code for f in check_source(text.format("i"), options=sums)] == ["RFL501"]
    assert not check_source(text.format("i") + back, options=sums)


def test_a_number_of_no_known_type_may_be_an_integer() -> None:
    """``tmp * (n + j)`` waits for no addition where ``n`` is an integer, and nothing says that it is not."""
    text = HEAD + "@njit\ndef terms(n, d):\n    out = 1\n    for i in range(d):\n        tmp = 1\n"
    text += (
        "        for j in range(i + 1):\n            tmp *= n + j{}\n        out += tmp // (i + 1)\n    return out\n"
    )
    sums = Options(select=("RFL501",))
    assert not check_source(text.format(""), options=sums)
    assert [f.code for f in check_source(text.format(" + np.exp(n)"), options=sums)] == ["RFL501"]


def test_the_layout_that_is_written_for_views_stays() -> None:
    text = "from numba import njit, types\n\n\n@njit({})\ndef scale(x, y):\n    for i in range(len(x)):\n"
    text += "        y[i] = 2.0 * x[i] + y[i]\n"
    chosen = '(types.Array(types.float64, 1, "A"), types.Array(types.float64, 1, "A"))'
    strides = Options(select=("RFL505",))
    assert [f.code for f in check_source(text.format('"void(f8[:], f8[:])"'), options=strides)] == ["RFL505"]
    assert not check_source(text.format(chosen), options=strides)


def test_what_is_inlined_into_its_callers_is_of_rows() -> None:
    text = HEAD + "@njit({})\ndef centred(x, y):\n    a = x - np.mean(x)\n    b = y - np.mean(y)\n"
    text += "    return np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))\n"
    fusions = Options(select=("RFL301", "RFL302", "RFL303"))
    assert check_source(text.format(""), options=fusions)
    assert not check_source(text.format('inline="always"'), options=fusions)


def test_the_first_extents_of_a_shape_have_names() -> None:
    """So three channels are known: a norm of three numbers makes no vector code, but sets up views and an array."""
    [kernel] = analyze_source(AROUND.replace("h, w, _ = image.shape", "h, w = image.shape[:2]")).kernels
    held = [str(a) for a in kernel.reports[0].cost.kernel.assumptions]
    assert "image_shape_2 is 3 in verdicts (typical of channels)" in held
    assert [f.code for f in kernel.findings] == ["RFL504"]


DIVERGENCE = """

@njit(fastmath=True)
def divergence(arr, out):
    for i in range(1, len(out) + 1):
        out[i - 1] = (arr[i + 1] - arr[i - 1]) * 0.5 + arr[i] / RADII[i - 1]{}
"""


@pytest.mark.parametrize(
    ("radii", "more", "told"),
    [
        ("measured()", "", False),
        ("np.ones(1024)", "", False),
        ("np.ones(1026)", "", True),
        ("measured()", " ** 2", True),
    ],
)
def test_a_constant_array_of_few_elements_keeps_no_zero_test(radii: str, more: str, told: bool) -> None:
    """Measured: 1.00 with 128 to 1,024 radii, 2.5 with 1,026, and 1.6 where each is multiplied before."""
    text = f"{HEAD}RADII = {radii}{DIVERGENCE.format(more)}"
    found = check_source(text, options=Options(select=("RFL523",)))
    assert [f.code for f in found] == ["RFL523"] * told


MERGED = """@njit
def merged(j, k, attributes, share):
    for a in range(len(attributes)):
        attributes[a, k] = attributes[a, k] * share + attributes[a, j]
"""
PAIRS_OF = """

@njit
def collide(pairs, attributes, share):
    for i in range(len(pairs)):
        merged(pairs[i, 0], pairs[i, 1], attributes, share)
"""


def test_a_helper_does_not_choose_how_its_arrays_are_stored() -> None:
    walks = Options(select=("RFL201", "RFL521"))
    assert [f.code for f in check_source(HEAD + MERGED, options=walks)] == ["RFL201"]
    assert not check_source(HEAD + MERGED + PAIRS_OF, options=walks)


def test_a_copied_row_is_no_loop_over_elements() -> None:
    """Measured on rows of 64 and 256: the loop takes 1.3 times as long as the statement."""
    text = HEAD + "# roofscan: x=f8[n] out=f8[150,{0}]\n@njit\ndef rows(x, out):\n    for i in range(out.shape[0]):\n"
    text += "        s = {0} * i\n        out[i, :] = {1}x[s:s + {0}]\n"
    rows = Options(select=("RFL504",))
    assert not check_source(text.format(64, ""), options=rows)
    assert [f.code for f in check_source(text.format(8, "2.0 * "), options=rows)] == ["RFL504"]


def test_what_a_function_makes_arrays_of_may_be_numbers() -> None:
    """Its callers have a number or a single row: no arrays that exceed the last cache."""
    text = HEAD + "@njit\ndef turn(angle):\n    angle = {}\n    c, s = np.cos(angle), np.sin(angle)\n"
    text += "    R = np.zeros(angle.shape + (3, 3))\n    R[..., 0, 0] = c\n    R[..., 0, 1] = -s\n"
    text += "    R[..., 1, 0] = s\n    R[..., 1, 1] = c\n    return R\n"
    fusions = Options(select=("RFL301", "RFL302", "RFL303"))
    assert not check_source(text.format("np.asarray(angle)"), options=fusions)
    assert check_source(text.format("angle[:]"), options=fusions)


def test_rows_of_a_guessed_rank_are_not_short() -> None:
    """``x.reshape(n, -1)`` of what is taken for a vector has rows of one element: measured with rows of 200, a loop is
    no faster than BLAS."""
    text = HEAD + "@njit\ndef aggregate(X, Y):\n    n = X.shape[0]\n    A = X.reshape(n, -1)\n"
    text += "    B = Y.reshape(n, -1)\n    out = np.empty(n)\n    for t in range(n):\n"
    text += "        out[t] = A[t, :] @ B[t, :]\n    return out\n"
    assert not check_source(text, options=Options(select=("RFL504",)))


UNIT = """@njit(fastmath=True)
def unit(x):
    s = np.sqrt(np.sum(np.square(x)))
    y = x / s
    return y * y
"""
UNITS = """

@njit(fastmath=True)
def units(X):
    out = np.zeros(X.shape)
    for i in range(X.shape[0]):
        out[i] = unit({})
    return out
"""


def test_what_is_called_with_rows_spares_no_bytes_at_memory() -> None:
    fusions = Options(select=("RFL301", "RFL302", "RFL303"))
    assert check_source(HEAD + UNIT, options=fusions)
    assert not check_source(HEAD + UNIT + UNITS.format("X[i]"), options=fusions)
    assert check_source(HEAD + UNIT + UNITS.format("step(X)"), options=fusions), "a step in time"


HALVES = """@guvectorize([{}], "(n)->(n)")
def halves(x, out):
    for i in range(len(x)):
        out[i] = (x[i] + x[0]) / 2 * 0.1
"""


def test_a_source_for_both_precisions_stays() -> None:
    """``np.float32(0.1)`` would round the constant of the float64 version too."""
    text = "from numba import guvectorize\n\n\n" + HALVES
    upcasts, single, double = Options(select=("RFL401",)), '"void(f4[:], f4[:])"', '"void(f8[:], f8[:])"'
    assert [f.code for f in check_source(text.format(single), options=upcasts)] == ["RFL401"]
    assert not check_source(text.format(f"{single}, {double}"), options=upcasts)


AROUND_A_PLACE = """@njit
def neighbours(a, out, px={}):
    n, m = a.shape
    for y in range(n):
        for x in range(m):
            s = 0.0
            for i in range(max(0, y - px), min(y + px + 1, n)):
                for j in range(max(0, x - px), min(x + px + 1, m)):
                    out[i, j] += a[i, j] * 0.5
"""


def test_a_loop_around_a_place_is_too_short_for_views() -> None:
    """Measured with three iterations: 1.08; with hundreds the views are 2.4 to 3.4 times as fast."""
    tests = Options(select=("RFL520",))
    assert not check_source(HEAD + AROUND_A_PLACE.format(1), options=tests)
    assert check_source(HEAD + AROUND_A_PLACE.format(100), options=tests)


COLUMNS = """@njit
def least(a):
    out = np.empty(a.shape[1])
    for c in range(a.shape[1]):
        out[c] = np.{}(a[:, c])
    return out
"""


@pytest.mark.parametrize("reduction", ["nanmin", "sum"])
def test_columns_one_by_one_walk_across_lines(reduction: str) -> None:
    """Measured along rows: 4 to 15 times as fast; blocks over columns were advised."""
    [found] = check_source(HEAD + COLUMNS.format(reduction))
    assert found.code == "RFL201" and "by looping over rows with c inside, if legal; " in found.message


CUMULATED = """@njit
def cumulated(r, s):
    out = np.empty_like(r)
    p = 1.0
    for i in range(len(r)):
        p *= r[i] + 1
        out[i] = p
    return out
"""
EACH_ROW = """

@njit
def each_row(r, s):
    out = np.empty_like(r)
    for c in range(r.shape[0]):
        out[c] = cumulated(r[c], s)
    return out
"""


def test_an_array_of_any_length_in_a_called_function_stays() -> None:
    """Measured: 1.1 times as fast without, with 2,000 elements."""
    assert not check_source(HEAD + CUMULATED + EACH_ROW, options=Options(select=("RFL504",)))


RADON = """@njit(fastmath=True)
def radon(X, Y, f, p, h):
    for i in range(Y.shape[0]):
        for k in range(Y.shape[1]):
            for j in range(X.shape[0]):
                Y[i, k] += X[j, k] * {}
"""


def test_another_order_of_what_functions_take_gains_nothing() -> None:
    """Measured with the complex exponential: 1.06."""
    orders = Options(select=("RFL101", "RFL202"))
    exponential = "np.exp(-1j * f[k] * p[j] * h[i])"
    assert not check_source(HEAD + RADON.format(exponential), options=orders)
    assert check_source(HEAD + RADON.format("h[i]"), options=orders)


def test_a_column_that_a_function_made_is_stored_as_it_is() -> None:
    text = CUMULATED + EACH_ROW.replace("r.shape[0]", "r.shape[1]").replace("[c]", "[:, c]")
    assert not check_source(HEAD + text, options=Options(select=("RFL201",)))


WARPED = """@njit
def warped(x, y, cost, total):
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s = 0.0
            for k in range(x.shape[1]):
                d = x[i, k] {} y[j, k]
                s += d * d
            total[i + 1, j + 1] = s
            total[i + 1, j + 1] += min(total[i, j + 1], total[i + 1, j], total[i, j])
"""


def test_points_beside_a_recurrence_have_few_coordinates() -> None:
    """Measured with fastmath: 1.1 times for one to eight coordinates, 1.7 to 2.4 for 16. Without the recurrence it is
    1.3 for four and 2.0 for 16, and rows that are multiplied are rows of matrices."""
    sums, text = Options(select=("RFL501",)), HEAD + WARPED
    assert not check_source(text.format("-"), options=sums)
    assert check_source(text.format("-"), options=Options(select=("RFL501",), bind="x=f8[100,64] y=f8[100,64]"))
    recurrence = "            total[i + 1, j + 1] += min(total[i, j + 1], total[i + 1, j], total[i, j])\n"
    assert check_source(text.format("-").replace(recurrence, ""), options=sums)
    assert check_source(text.format("*"), options=sums)


def test_a_gain_that_large_data_alone_have_is_none() -> None:
    """A call of a few dozen elements makes eight arrays meanwhile. (Measured for a function of profiles: promised 2,
    1.2 for 16 and for 64 of as many elements.)"""
    text = HEAD + "@njit\ndef moments(x, y):\n"
    text += "".join(f"    {name} = np.zeros(2)\n" for name in ("a", "b", "c", "least", "most"))
    text += "    a[0] = np.sum(x)\n    b[0] = np.sum(y)\n    c[0] = np.sum(x * y)\n    d = x - a[0]\n    e = y - b[0]\n"
    text += "    return a, b, c, d, e, least, most\n"
    assert not check_source(text, options=Options(select=("RFL501",)))
    [finding] = check_source(text, options=Options(select=("RFL501",), bind="x=f8[2000] y=f8[2000]"))
    assert finding.gain is not None and finding.gain >= 1.8


NORMALIZED = (
    HEAD
    + """@njit("f4[:, :](f4[:, :], i8)")
def normalized(x, width):
    middle = x.shape[1] // 2
    centre = np.ones((x.shape[0], 1))
    for i in range(x.shape[0]):
        part = x[i, middle - width : middle + width + 1]
        centre[i, 0] = np.sum(part) / part.shape[0]
    out = np.zeros_like(x, dtype=np.float32)
    for i in range(x.shape[0]):
        if centre[i, 0] > 0:
            out[i] = x[i] / centre[i, 0]
    return out
"""
)
MEANS = NORMALIZED.replace(", i8)", ")").replace(", width)", ")").replace("middle - width : middle + width + 1", ":3")


@pytest.mark.parametrize("code, text, sizes", [
    ("RFL401", NORMALIZED, "x=f4[3000,3000] width=1"), ("RFL505", MEANS, "x=f4[100,3000]"),
])  # fmt: skip
def test_types_and_strides_that_matter_for_large_data_alone(code: str, text: str, sizes: str) -> None:
    assert code not in [f.code for f in check_source(text)]
    assert code in [f.code for f in check_source(text, options=Options(bind=sizes))]


def test_a_size_is_longer_than_what_is_held_beside_it() -> None:
    text = HEAD + "@njit\ndef lagged(x, y, nlags):\n    for lag in range(nlags):\n        s = 0.0\n"
    text += "        for i in range(len(x) - lag):\n            s += x[i] * x[i + lag]\n        y[lag] = s\n"
    assert check_source(text, options=Options(select=("RFL501",)))


COLOURS = (
    HEAD
    + """@njit
def distance(a, b):
    s = 0.0
    for i in range(a.shape[0]):
        s += (a[i] - b[i]) ** 2
    return s


@njit
def smooth(F, B, out):
    for y in range(F.shape[0]):
        for x in range(F.shape[1]):
            mean = np.zeros(3)
            for c in range(3):
                mean[c] += B[y, x, c]
            F[y, x] = mean
    for y in range(F.shape[0]):
        for x in range(F.shape[1]):
            mean = F[y, x]
            out[y, x] = mean[0] * distance(F[y, x], F[0, 0])
"""
)


def test_rows_that_callers_hand_over_are_as_long_as_they_say() -> None:
    """Three colours gain nothing in any order: the caller stores a vector of three in such a row."""
    sums = Options(select=("RFL501",))
    assert not check_source(COLOURS, options=sums)
    assert check_source(COLOURS.replace("zeros(3)", "zeros(F.shape[2])"), options=sums)
    unknown = COLOURS.replace("F, B, out", "F, B, out, other").replace(
        "F[y, x] = mean", "F[y, x] = mean\n            F[y, x] = other"
    )
    assert check_source(unknown, options=sums)
    kernel = analyze_source(COLOURS).kernels[0].reports[0].cost.kernel
    assert "a_shape_0 is 3 in verdicts (typical of the rows that its callers hand it)" in map(str, kernel.assumptions)


def test_sums_that_start_at_an_integer_may_be_of_integers() -> None:
    """Measured for the cosine of 1,024 integers: 1.0, and 3.0 for floats."""
    text = HEAD + "@njit\ndef product(u, v):\n    s = {}\n    for i in range(len(u)):\n        s += u[i] * v[i]\n"
    text += "    return s\n"
    sums = Options(select=("RFL501",))
    assert check_source(text.format("0.0"), options=sums)
    assert not check_source(text.format("0"), options=sums)
    assert check_source(text.format("0"), options=Options(select=("RFL501",), bind="u=f8[n] v=f8[n]"))


@pytest.mark.parametrize(
    "body, says",
    [
        ("y[j] += x[k]", False), ("y[j] += x[k] * x[k]", False), ("y[j] += x[k] * (j - k)", True),
        ("y[j] += x[k] * x[j - k]", True), ("y[j] += A[j, k] * x[k]", True),
    ],
)  # fmt: skip
def test_a_sum_that_could_go_on_is_not_made_faster(body: str, says: bool) -> None:
    """Each turn begins anew what the one before has added up: ``np.cumsum`` takes one pass."""
    text = HEAD + "@njit\ndef sums(A, x, y):\n    for j in range(1, len(x)):\n        for k in range(j):\n"
    sums = Options(select=("RFL501",))
    assert [f.code for f in check_source(text + f"            {body}\n", options=sums)] == ["RFL501"] * says
