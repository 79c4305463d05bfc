"""The files that are measured, made on the spot: 500 lines without a kernel, 500 with ten loop kernels."""

from __future__ import annotations

import re
from itertools import count
from pathlib import Path

LINES = 500

HEAD = '"""Made for a benchmark."""\n\nimport numpy as np\nfrom numba import njit, prange\n'
PLAIN_HEAD = '"""Made for a benchmark."""\n\nimport numpy as np\n'

# Ordinary numerical code around kernels: {n} makes each copy a different one.
PLAIN = '''

class Settings{n}:
    """Reads a few settings and answers questions about them."""

    def __init__(self, path, limit={n}):
        self.path = path
        self.limit = limit
        self.values = {{}}

    def load(self):
        with open(self.path, encoding="utf-8") as file:
            for line in file:
                key, _, value = line.strip().partition("=")
                if key and not key.startswith("#"):
                    self.values[key] = float(value)
        return self

    def within(self, name):
        value = self.values.get(name, 0.0)
        return 0 <= value < self.limit


def summary_{n}(settings, samples):
    """Mean and spread of the samples within the limit, as text."""
    kept = [s for s in samples if settings.within(s.name)]
    if not kept:
        raise ValueError(f"nothing within {{settings.limit}}")
    table = np.array([s.value for s in kept])
    centre, spread = table.mean(), table.std()
    return "%s: %.3g +- %.3g" % (settings.path, centre, spread)
'''

KERNELS = (
    '''

@njit
def axpy(a, x, y):
    """y += a x"""
    n = x.shape[0]
    for i in range(n):
        y[i] = a * x[i] + y[i]
''',
    """

@njit(fastmath=True)
def dot(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total
""",
    """

@njit
def matmul(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for i in range(n):
        for j in range(p):
            s = 0.0
            for k in range(m):
                s += A[i, k] * B[k, j]
            C[i, j] = s
""",
    """

@njit(parallel=True)
def matvec(A, x, y):
    n, m = A.shape
    for i in prange(n):
        s = 0.0
        for j in range(m):
            s += A[i, j] * x[j]
        y[i] = s
""",
    """

@njit
def jacobi_2d(u, v):
    n, m = u.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            v[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
""",
    """

@njit
def laplacian_3d(u, v, h):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                around = u[i - 1, j, k] + u[i + 1, j, k] + u[i, j - 1, k] + u[i, j + 1, k]
                around += u[i, j, k - 1] + u[i, j, k + 1]
                v[i, j, k] = (around - 6.0 * u[i, j, k]) / (h * h)
""",
    """

@njit
def forward_substitution(L, b, x):
    n = L.shape[0]
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= L[i, j] * x[j]
        x[i] = s / L[i, i]
""",
    """

@njit
def transpose(A, B):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            B[j, i] = A[i, j]
""",
    """

@njit
def smooth(x, w, y):
    n, r = x.shape[0], w.shape[0]
    for i in range(n - r):
        s = 0.0
        for k in range(r):
            s += w[k] * x[i + k]
        y[i] = s
""",
    """

@njit
def pair_energy(p, cutoff):
    n = p.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = p[i, 0] - p[j, 0]
            dy = p[i, 1] - p[j, 1]
            r2 = dx * dx + dy * dy
            if r2 < cutoff:
                energy += 1.0 / r2
    return energy
""",
)


def write(folder: Path) -> None:
    """Writes both files: ``plain.py`` and ``kernels.py``."""
    (folder / "plain.py").write_text(without_kernels(), encoding="utf-8")
    (folder / "kernels.py").write_text(with_ten_kernels(), encoding="utf-8")


def without_kernels() -> str:
    return _filled(PLAIN_HEAD, ())


def with_ten_kernels() -> str:
    return _filled(HEAD, KERNELS)


def with_kernels(number: int) -> str:
    """The first kernels alone."""
    return HEAD + "".join(KERNELS[:number])


def with_hundred_kernels() -> str:
    """Each kernel ten times, by other names, in ten times as many lines."""
    copies = (re.sub(r"(@njit.*\ndef \w+)", rf"\1_{n}", "".join(KERNELS)) for n in range(10))
    text, more = HEAD + "".join(copies), (PLAIN.format(n=n) for n in count(1))
    while text.count("\n") < 10 * LINES:
        text += next(more)
    return text


def _filled(head: str, kernels: tuple[str, ...]) -> str:
    """Kernels with ordinary code around them, padded to exactly LINES lines."""
    text, more = head, (PLAIN.format(n=n) for n in count(1))
    for number, kernel in enumerate(kernels):
        text += kernel if number % 2 else next(more) + kernel
    while text.count("\n") + PLAIN.count("\n") <= LINES:
        text += next(more)
    return text + "# padding\n" * (LINES - text.count("\n"))
