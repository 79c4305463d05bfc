"""No finding rests on sizes that no source tells, or on changes that nobody could make."""

from __future__ import annotations

from roofscan.api import Options, analyze_source, check_source

HEAD = "import numpy as np\nfrom numba import njit, prange\n\n\n"

COLUMN = """@njit
def column(X, groups, place, out):
    for i in range(X.shape[0]):
        out[groups[i]] += X[i, place]
"""

SEGMENTS = """@njit(parallel=True)
def invert(symbols, length, window, stride, mid):
    n_cases, n_channels, n_windows, n_segments = symbols.shape
    out = np.zeros((n_cases, n_channels, length))
    for i in prange(n_cases):
        for c in range(n_channels):
            for w in range(n_windows):
                for t in range(window):
                    seg = min((t * n_segments) // window, n_segments - 1)
                    out[i, c, w * stride + t] += mid[symbols[i, c, w, seg]]
    return out
"""

STEPS = """@njit
def steps(g, f0, f1):
    points, segments = g.shape
    for r in range(segments - 1):
        g[0, r + 1] = g[0, r] * f0 + g[1, r] * f1
        for k in range(1, points - 1):
            g[k, r + 1] = g[k, r] * f0 + (g[k - 1, r] + g[k + 1, r]) * f1
"""

PAIRS = """@njit(parallel=True, fastmath=True)
def pairs(X):
    n = X.shape[0]
    D = np.zeros((n, n))
    for i in prange(n):
        for j in range(i + 1, n):
            d = 0.0
            for k in range(X.shape[1]):
                d += (X[i, k] - X[j, k]) ** 2
            D[i, j] = d
            D[j, i] = D[i, j]
    return D
"""

SORTED = """@njit
def order(v):
    n = len(v)
    for i in range(n):
        for j in range(i + 1, n):
            a, b = v[i], v[j]
            if b < a:
                v[i], v[j] = b, a
"""

WRAPPED = """@njit
def wrapped(d, tol):
    keep = np.zeros(3)
    for i in range(3):
        if abs(abs(d[i]) - 1.0) < tol:
            keep[i] = 1.0
    d -= np.round(d)
    v = np.round(d / tol)
    for i in range(3):
        if keep[i] != 0:
            v[i] = keep[i]
    return v
"""

DEVIATION = """@njit(fastmath=True)
def deviation(a, size):
    m = np.mean(a[:size])
    return np.sqrt(np.sum((a[:size] - m) ** 2) / (size - 1))
"""

FORMER = """@njit(parallel=True)
def squares(X, mask, out):
    n = X.shape[0]
    for i in range(12):
        if not mask[i]:
            for r in range(2):
                val = 0.0
                for k in range(5):
                    val += X[i, r, k] * X[i, r, k]
                out[i, r] = val
    for i in prange(12, n):
        if not mask[i]:
            for r in range(2):
                val = 0.0
                for k in range(6):
                    val += X[i, r, k] * X[i, r, k]
                out[i, r] = val
"""

CELLS = """@njit(parallel=True)
def cells(x, y):
    nt, nx, ny = x.shape
    out = np.zeros((nt, nx - 1, ny - 1))
    for k in prange(nt * (nx - 1)):
        t = k // (nx - 1)
        i = k - t * (nx - 1)
        for j in range(ny - 1):
            out[t, i, j] += y[t, i, j] * x[t, i + 1, j] - x[t, i, j] * y[t, i + 1, j]
    return out
"""


def _codes(text: str, *codes: str) -> list[str]:
    return [f.code for f in check_source(HEAD + text, options=Options(select=codes))]


def test_a_row_of_which_one_place_is_taken_may_be_short() -> None:
    """Points of three coordinates: nobody stores those by columns for the sake of one."""
    assert not _codes(COLUMN, "RFL521")


def test_a_loop_that_walks_a_row_by_quotients_covers_it() -> None:
    """``(t * n) // w`` moves by no one number, and yet from the first place of the row to the last."""
    assert not _codes(SEGMENTS, "RFL521")


def test_steps_that_need_their_neighbours_stay_outside() -> None:
    [finding] = check_source(HEAD + STEPS, options=Options(select=("RFL201",)))
    assert "by storing g (or a copy) with axis 0 last" in finding.message


def test_rows_that_are_compared_with_each_other_are_no_steps_in_time() -> None:
    assert not _codes(PAIRS, "RFL103")


def test_an_element_that_the_loop_swaps_is_no_scalar() -> None:
    assert not _codes(SORTED, "RFL525")


def test_a_vector_whose_elements_are_taken_one_by_one_is_short() -> None:
    [kernel] = analyze_source(HEAD + WRAPPED).kernels
    assumptions = [str(a) for a in kernel.reports[0].cost.kernel.assumptions]
    assert any(
        a.endswith("3 in verdicts (typical of a vector whose elements are taken one by one)") for a in assumptions
    )
    assert not _codes(WRAPPED, "RFL301", "RFL302")
    longer = WRAPPED.replace("for i in range(3):\n        if keep", "for i in range(len(d)):\n        if keep")
    assert _codes(longer, "RFL301", "RFL302")


def test_two_passes_of_a_deviation_stay() -> None:
    """One pass would lose digits, for 1.3 times."""
    assert not _codes(DEVIATION, "RFL303")


def test_a_variable_of_a_former_loop_is_no_running_sum() -> None:
    assert not _codes(FORMER, "RFL601")
    assert _codes(FORMER.replace("val = 0.0\n                for k in range(6)", "for k in range(6)"), "RFL601")


def test_rows_of_cells_are_analysed() -> None:
    """A loop over all of them divides by a sum, ``nx - 1``."""
    assert not _codes(CELLS, "RFL999")


NEAR = """@njit
def density(arr, floats, px=1):
    M, N = arr.shape
    near = 0
    for y in range(0, M):
        for x in range(0, N):
            found = 0
            for i in range(max(0, y - px), min(y + px + 1, M)):
                for j in range(max(0, x - px), min(x + px + 1, N)):
                    if (floats and not np.isnan(arr[i, j])) or (not floats and arr[i, j] != 0):
                        found += 1
            if found > 1:
                near += 1
    return near / (M * N)
"""


def test_three_places_around_each_fill_no_vectors() -> None:
    """Also where a test of a parameter makes several bodies of one loop: their iterations are added up."""
    assert not _codes(NEAR, "RFL520")


BLEND = """@njit
def blend(front, back, alpha, out):
    h, w, c = front.shape
    for k in range(c):
        for i in range(h):
            for j in range(w):
                out[i, j, k] = alpha[i, j] * front[i, j, k] + (1.0 - alpha[i, j]) * back[i, j, k]
"""


def test_a_loop_over_channels_stays_outside() -> None:
    """As the innermost loop, three channels took up to 1.7 times as long."""
    for names in ("h, w, c", "rows, cols, ch"):
        text = BLEND.replace("h, w, c", names)
        for old, new in zip("hwc", names.split(", "), strict=True):
            text = text.replace(f"range({old})", f"range({new})")
        findings = check_source(HEAD + text, options=Options())
        assert not any("k the innermost" in finding.message for finding in findings)
    [result] = analyze_source(HEAD + BLEND, "k.py", Options()).kernels
    assert result.kernel.guesses == {"c": 3}
