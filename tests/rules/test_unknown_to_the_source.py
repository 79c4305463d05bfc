"""No finding rests on options, types or memory that the source does not tell, or on loops that would be slower."""

from __future__ import annotations

import pytest

from roofscan.api import Options, check_source

HEAD = "import numpy as np\nfrom numba import guvectorize, njit, prange\nfrom settings import options\n\n\n"

SCALED = """@njit(**options)
def scaled(x, norm, out):
    for i in range(x.shape[0]):
        out[i] = (x[i] * x[i] + 2.0 * x[i]) / norm
"""

RATIO = """@njit(**options)
def ratio(x, y, z):
    for i in range(len(x)):
        z[i] = x[i] / y[i]
"""

TOTAL = """@njit(**options)
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * x[i]
    return s
"""

GRAVITY = """@njit(**options)
def gravity(x, out):
    for i in range(len(out)):
        s = 0.0
        for j in range(len(x)):
            s += 1.0 / np.sqrt(1.0 + (x[i] - x[j]) ** 2)
        out[i] = s
"""


@pytest.mark.parametrize(
    ("text", "code"), [(SCALED, "RFL503"), (RATIO, "RFL523"), (TOTAL, "RFL501"), (GRAVITY, "RFL603")]
)
def test_options_that_are_not_known_may_say_so_already(text: str, code: str) -> None:
    """They may include ``fastmath``, ``error_model`` or ``parallel``."""
    assert not _codes(text, code)
    assert _codes(text.replace("(**options)", ""), code) == [code]


SLOPE = """@guvectorize(["void(f8[:], f8[:])"], "(n)->(n)", {options})
def slope(x, kernel):
    length = len(kernel)
    kernel[:] = (x * length) - (np.ones(length) * 3.0)
    kernel[:] /= length
"""


@pytest.mark.parametrize("options", ["forceobj=True", "**options(forceobj=True)"])
def test_object_mode_compiles_nothing(options: str) -> None:
    assert not _codes(SLOPE.format(options=options))
    assert _codes(SLOPE.format(options="cache=True"))


VOTES = """@njit(parallel=True)
def votes(x, out, n):
    def doubled(row, n):
        best, order = np.zeros(n), np.array([0, 1, 2])
        for j in range(n):
            best[j] = row[j] * 2.0
            if row[order[0]] > row[order[2]]:
                order[2], order[0] = order[0], order[2]
        return best[order[0]]

    for i in prange(x.shape[0]):
        out[i] = doubled(x[i], n)
"""


def test_an_array_that_a_nested_function_makes_is_of_one_thread() -> None:
    assert not _codes(VOTES, "RFL601")
    made = "        best, order = np.zeros(n), np.array([0, 1, 2])\n"
    head = "    def doubled(row, n):\n"
    shared = VOTES.replace(head + made, made[4:] + head)
    assert _codes(shared, "RFL601")


RAVEL = """@njit
def ravel({inds}, {shape}):
    place = 0
    for k in range(len({inds})):
        place += {inds}[k] * {shape}[k]
    return place
"""


def test_indices_and_sizes_wait_for_no_chain() -> None:
    assert not _codes(RAVEL.format(inds="inds", shape="shape"), "RFL501")
    assert not _codes(RAVEL.format(inds="x", shape="group_lens"), "RFL501")
    floats = RAVEL.replace("place = 0", "place = 0.0")
    assert _codes(floats.format(inds="x", shape="weights"), "RFL501")
    assert not _codes(floats.format(inds="inds", shape="shape"), "RFL501")


DIFFERENCE = """@njit
def difference(x, n):
    out = np.empty_like(x)
    out[:n] = np.nan
    out[n:] = x[n:] - x[:-n]
    return out
"""


def test_a_loop_behind_an_offset_with_a_name_walks_views() -> None:
    """``x[i - n]`` is tested for being negative: measured 0.3 to 1.0 times, over views 1.4 to 4."""
    [finding] = check_source(HEAD + DIFFERENCE, options=Options(select=("RFL301",)))
    assert "by writing the loop over views of its slices" in finding.message
    [finding] = check_source(HEAD + DIFFERENCE.replace("n:]", "1:]").replace("-n]", "-1]").replace(":n]", ":1]"),
                             options=Options(select=("RFL301",)))  # fmt: skip
    assert "by writing the loop;" in finding.message


WINDOW = """@njit(fastmath=True)
def outside(data, width, dy):
    chi2 = np.zeros(len(data) - width + 1)
    chi2[0] = np.sum(((1 - data) ** 2) * dy) - np.sum(((1 - data[:width]) ** 2) * dy[:width])
    for i in range(1, len(data) - width + 1):
        left = (1 - data[i - 1]) ** 2 * dy[i - 1]
        right = (1 - data[i - 1 + width]) ** 2 * dy[i - 1 + width]
        chi2[i] = chi2[i - 1] + left - right
    return chi2
"""


def test_vectors_that_gain_little_at_memory_must_gain_in_a_cache() -> None:
    """Also where no size is known at which the second cache holds them (measured 1.0 up to 100,000 elements)."""
    assert not _codes(WINDOW, "RFL301")


ROTATED = """@njit
def rotated(q):
    out = np.zeros_like(q)
    for i in range(q.shape[0]):
        out[i] = one(q[i])
    return out


@njit
def one(q):
    out = np.zeros(4)
    norm = np.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    out[0] = q[0] / norm
    out[1] = q[1] / norm
    out[2] = q[2] / norm
    out[3] = q[3] / norm
    return out
"""


def test_an_array_of_a_called_function_is_named_by_its_line() -> None:
    """Both functions call theirs ``out``."""
    [finding] = check_source(HEAD + ROTATED, options=Options(select=("RFL504",)))
    assert "by making out (line 16) before the loop" in finding.message


LOTS = """@njit
def lots(x, lot, out):
    for i in range(len(x)):
        out[i] = {round}((x[i] * x[i] + 2.0 * x[i]) / lot)
"""


def test_a_quotient_that_is_rounded_is_left_alone() -> None:
    """The last digit of ``x / lot`` may decide which whole number it is."""
    assert _codes(LOTS.format(round=""), "RFL503")
    assert not _codes(LOTS.format(round="np.round"), "RFL503")
    assert not _codes(LOTS.format(round="np.floor"), "RFL503")


SUMS = """@njit
def sums(real, timeperiod, out):
    n = real.shape[0]
    if timeperiod > n:
        return
    lookback = timeperiod - 1
    trailing = 0
    total = 0.0
    i = 0
    while i < lookback:
        total += real[i]
        i += 1
    while i < n:
        total += real[i]
        out[i] = total
        total -= real[trailing]
        trailing += 1
        i += 1
"""


def test_a_period_is_short_beside_a_series() -> None:
    """The loop that fills the first window is not what takes the time."""
    assert not _codes(SUMS, "RFL501")
    assert _codes(SUMS.replace("timeperiod", "q").replace("lookback", "last"), "RFL501")


COLUMNS = """@njit
def deviations(X, w):
    T, N = X.shape
    out = np.empty((T, N))
    for n in range(N):
        S = 0.0
        for t in range(T):
            S += X[t, n] - (X[t - w, n] if t >= w else 0.0)
            out[t, n] = np.sqrt(S / w)
    return out
"""


def test_columns_one_after_the_other_are_no_steps_in_time() -> None:
    assert "temporal blocking" not in "".join(f.message for f in check_source(HEAD + COLUMNS))


def _codes(text: str, *codes: str) -> list[str]:
    return [f.code for f in check_source(HEAD + text, options=Options(select=codes))]
