"""Scalars and reductions: what functions of the math module take is a number; Monte Carlo; whole-array reductions."""

import math
from math import exp, sqrt

import numpy as np
from numba import njit, prange, vectorize

WEIGHTS = np.array([0.2, 0.5, 0.3])
OFFSETS = np.array([0, 1, 2])
LEVELS = np.float64((0.5, 1.5, 2.5, 4.0))


def twice(function):
    """A factory: what it returns is not its argument."""
    @njit
    def both(x):
        return function(x) + function(x)
    return both


@njit
def halved(x):
    """A helper."""
    return 0.5 * x
# oracle x=2.0


scaled = twice(halved)


@njit
def option_price_np(S0, K, r, sigma, T, z):
    """The same with NumPy's functions."""
    n = len(z)
    drift = (r - 0.5 * sigma ** 2) * T
    vol = sigma * np.sqrt(T)
    acc = 0.0
    for i in range(n):
        ST = S0 * np.exp(drift + vol * z[i])
        acc += max(ST - K, 0.0)
    return np.exp(-r * T) * acc / n
# oracle S0=100.0 K=105.0 r=0.05 sigma=0.2 T=1.0 z=f8[300]


@njit
def total(a):
    """A reduction that Numba compiles to a loop."""
    return a.sum()
# oracle a=f8[512]


@njit
def mean_and_std(a):
    """Two reductions of one array."""
    return a.mean(), a.std()
# oracle a=f8[512]


@njit
def row_sums(a, out):
    """A reduction of a row at a time."""
    for i in range(a.shape[0]):
        out[i] = a[i].sum()
# oracle a=f8[20,48] out=f8[20]


@njit
def row_norms(a, out):
    """A dot product of a row with itself."""
    for i in range(a.shape[0]):
        out[i] = np.sqrt(np.dot(a[i], a[i]))
# oracle a=f8[20,48] out=f8[20]


@njit
def weighted(x, out):
    """A table of the module."""
    for i in range(len(x) - 2):
        out[i] = WEIGHTS[0] * x[i] + WEIGHTS[1] * x[i + 1] + WEIGHTS[2] * x[i + 2]
# oracle x=f8[300] out=f8[300]


@njit
def stencil_table(x, out):
    """A table of offsets of the module."""
    for i in range(len(x) - 2):
        s = 0.0
        for k in range(len(OFFSETS)):
            s += WEIGHTS[k] * x[i + OFFSETS[k]]
        out[i] = s
# oracle x=f8[300] out=f8[300]


@njit
def running_max(x):
    """A maximum by a test."""
    best = x[0]
    where = 0
    for i in range(1, len(x)):
        if x[i] > best:
            best = x[i]
            where = i
    return best, where
# oracle x=f8[512]


@njit
def layer_norm(x, gamma, beta, out, eps=1e-5):
    """Mean and variance of a row, then a scale."""
    n, d = x.shape
    for i in range(n):
        mu = 0.0
        for j in range(d):
            mu += x[i, j]
        mu /= d
        var = 0.0
        for j in range(d):
            var += (x[i, j] - mu) ** 2
        inv = 1.0 / math.sqrt(var / d + eps)
        for j in range(d):
            out[i, j] = (x[i, j] - mu) * inv * gamma[j] + beta[j]
# oracle x=f8[20,48] gamma=f8[48] beta=f8[48] out=f8[20,48]


@njit
def count_above(x, level):
    """Integers from tests on data."""
    n = 0
    for i in range(len(x)):
        if x[i] > level:
            n += 1
    return n / len(x)
# oracle x=f8[512] level=1.0


@njit(parallel=True)
def pi_leibniz(n):
    """A reduction on all cores without arrays."""
    s = 0.0
    for k in prange(n):
        s += (1.0 - 2.0 * (k % 2)) / (2.0 * k + 1.0)
    return 4.0 * s
# oracle n=300


@njit
def legendre(x, n):
    """A recurrence in scalars."""
    p0 = 1.0
    p1 = x
    for k in range(2, n + 1):
        p2 = ((2.0 * k - 1.0) * x * p1 - (k - 1.0) * p0) / k
        p0 = p1
        p1 = p2
    return p1
# oracle x=0.3 n=30


@njit
def dot_at(w, x, b):
    """A product of vectors with a bias."""
    return w @ x + b
# oracle w=f8[300] x=f8[300] b=1.0


@njit
def predict(X, w, out):
    """A product for each row."""
    for i in range(X.shape[0]):
        out[i] = 1.0 / (1.0 + np.exp(-np.dot(X[i], w)))
# oracle X=f8[20,48] w=f8[48] out=f8[20]


@njit
def sgd(X, y, w, lr, epochs):
    """A gradient step a row."""
    n, d = X.shape
    for e in range(epochs):
        for i in range(n):
            pred = 0.0
            for j in range(d):
                pred += X[i, j] * w[j]
            err = pred - y[i]
            for j in range(d):
                w[j] -= lr * err * X[i, j]
# oracle X=f8[20,16] y=f8[20] w=f8[16] lr=0.01 epochs=2


@njit
def with_factory(x):
    """A helper that a factory makes."""
    s = 0.0
    for i in range(len(x)):
        s += scaled(x[i])
    return s
# oracle x=f8[20]


@njit
def scalar_constructor(x, a, b):
    """Arrays that a scalar type makes of tuples."""
    own = np.float64((a, 2.0 * a, b))
    s = 0.0
    for i in range(4):
        s += LEVELS[i] * x[i]
    return own * s
# oracle x=f8[4] a=1.5 b=0.5


@njit
def of_unknown_types(a, b, c):
    """Whole numbers cost nothing here."""
    return (a + b) * c - a
# oracle a=1 b=2 c=3
# oracle a=1.5 b=2 c=3


@njit
def with_defaults(x, scale=2.0, phase=0.5 + 0.5j):
    """Defaults tell types."""
    return (scale + scale) * x[0] + phase
# oracle x=f8[3]
# oracle x=f8[3] scale=3


def factorials(p):
    """Functions of integers."""
    for i in range(len(p)):
        p[i] *= np.sqrt(2 * math.factorial(i) / math.factorial(i + 1)) + 3 * math.gcd(i, 4)
# oracle p=f8[10]


@njit
def sum_of_rows(x, w):
    """The shape of the rest tells a rank."""
    out = np.zeros(x.shape[1:])
    for i in range(len(w)):
        out += x[i] * w[i]
    return out
# oracle x=f8[9] w=f8[9]
# oracle x=f8[9,16] w=f8[9]


@njit
def largest(x):
    """Python's own maximum: one comparison less than elements."""
    return max(x)
# oracle x=f8[20]
