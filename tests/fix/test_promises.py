"""What a finding promises is what the analysis of the fixed source says, at the same sizes."""

from __future__ import annotations

import pytest

from roofscan.api import Options, analyze_source
from roofscan.fix.offers import Choice, fixed
from roofscan.roofline.time.prediction import TimePrediction
from tests.fix.test_decorator import RATIO, SUM
from tests.fix.test_from_zero import BLOCKS, SMOOTH
from tests.fix.test_interchange import HEAD, MATMUL
from tests.fix.test_scalars import LU, SCALE, SCALED

QUOTIENT = "@njit\ndef f(x, y, c):\n    for i in range(len(x)):\n        y[i] = x[i] / c\n"

SLOPE = "@njit\ndef f(u, v):\n    v[1:-1] = (u[2:] - u[:-2]) * 0.5\n"
STEPS = "@njit\ndef f(p, q, r):\n    s = p * q\n    t = s + r\n    r[:] = t * 0.5 - p\n"
ROWS = "@njit\ndef f(A, B):\n    for i in range(A.shape[0]):\n        B[i] = A[i] * 3.0 - 1.0\n"
IN_PLACE = "@njit\ndef f(x, v, a):\n    for s in range(8):\n        v += 0.1 * a\n        x += 0.1 * v\n"
SCALED_ROWS = "@njit\ndef f(A, w):\n    for i in range(A.shape[0]):\n        A[i] *= w\n"
DISTANCE = "@njit\ndef f(x, y):\n    d = x - y\n    return np.sum(d * d)\n"
PLAIN_DISTANCE = DISTANCE.removeprefix("@njit\n")
BLEND = "@njit\ndef f(x, y, z):\n    t = x * y\n    u = t + z\n    return 0.5 * u - x\n"
ALONG = {"RFL505": ("RFL501",), "RFL525": ("RFL520",)}  # codes whose remedy takes another one's along
BOTH = "@njit\ndef f(x, y):\n    t = x * y\n    w = t * t + y\n    return w\n"

ANY_STRIDES = SUM.replace("def", '@njit("f8(f8[:])")\ndef')

PROMISES = (
    ("RFL202", MATMUL, "A=f8[400,400] B=f8[400,400] C=f8[400,400]"),
    ("RFL301", SLOPE, "u=f8[10000000] v=f8[10000000]"),
    ("RFL302", STEPS, "p=f8[10000000] q=f8[10000000] r=f8[10000000]"),
    ("RFL302", DISTANCE, "x=f8[10000000] y=f8[10000000]"),
    ("RFL302", PLAIN_DISTANCE, "x=f8[10000000] y=f8[10000000]"),
    ("RFL302", BLEND, "x=f8[10000000] y=f8[10000000] z=f8[10000000]"),
    ("RFL302", BOTH, "x=f8[10000000] y=f8[10000000]"),
    ("RFL302", IN_PLACE, "x=f8[10000000] v=f8[10000000] a=f8[10000000]"),
    ("RFL501", SUM, "x=f8[60000]"),
    ("RFL503", QUOTIENT, "x=f8[1500] y=f8[1500]"),
    ("RFL504", ROWS, "A=f8[100000,12] B=f8[100000,12]"),
    ("RFL504", SCALED_ROWS, "A=f8[100000,8] w=f8[8]"),
    ("RFL505", ANY_STRIDES, "x=f8[60000]"),
    ("RFL520", SMOOTH, "x=f8[60000] y=f8[60000]"),
    ("RFL520", BLOCKS, "A=f8[256,256] B=f8[256,256] C=f8[256,256] size=64"),
    ("RFL523", RATIO, "x=f8[60000] y=f8[60000] z=f8[60000]"),
    ("RFL523", SCALE, "A=f8[256,256] x=f8[256]"),
    ("RFL524", SCALED, "x=f8[60000] y=f8[60000] total=f8[1]"),
    ("RFL525", LU, "A=f8[256,256]"),
)


@pytest.mark.parametrize(("code", "text", "bind"), PROMISES, ids=[f"{code}-{len(text)}" for code, text, _ in PROMISES])
def test_the_fixed_source_keeps_the_promise(code: str, text: str, bind: str) -> None:
    written = (HEAD.removesuffix("@njit\n") if text.startswith("@njit") else HEAD) + text
    wanted = Options(select=(code, *ALONG.get(code, ())), bind=bind)
    made = fixed("k.py", written.encode(), wanted, Choice(unsafe=True), lambda found, _: found)
    options = Options(bind=bind)
    [before], [after] = (analyze_source(t, "k.py", options).kernels for t in (written, made.after.decode()))
    times = [kernel.reports[0].time for kernel in (before, after)]
    assert made.fixes and all(isinstance(time, TimePrediction) for time in times)
    [gain] = [f.gain for f in before.findings if f.code == code]
    one, other = (float(time.expected) for time in times if isinstance(time, TimePrediction))
    assert gain == pytest.approx(one / other, rel=0.15)
    assert code not in {f.code for f in after.findings}
