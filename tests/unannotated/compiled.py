"""Compiled functions without annotations: what is a number, what is an array."""

from math import exp, log
from math import sqrt as root

import numpy as np
from numba import njit


@njit
def names_from_math(S0, K, r, sigma, T, z):
    drift = (r - 0.5 * sigma ** 2) * T
    vol = sigma * root(T)
    acc = 0.0
    for i in range(len(z)):
        ST = S0 * exp(drift + vol * z[i])
        acc += max(ST - K, 0.0)
    return exp(-r * T) * acc / len(z)
# expect status = exact
# oracle S0=100.0 K=105.0 r=0.05 sigma=0.2 T=1.0 z=f8[30]


@njit
def functions_of_numpy_in_a_sum(S0, r, sigma, T, n):
    drift = (r - 0.5 * sigma ** 2) * T
    vol = sigma * np.sqrt(T)
    acc = 0.0
    for i in range(n):
        acc += S0 * np.exp(drift + vol * i)
    return np.exp(-r * T) * acc / n
# expect status = exact
# oracle S0=100.0 r=0.05 sigma=0.2 T=1.0 n=30


@njit
def beside_functions_of_math(a, b, n):
    s = np.exp(a) * log(b)
    t = np.sqrt(s + a)
    acc = 0.0
    for i in range(n):
        acc = acc + t
    return acc
# expect status = exact
# oracle a=1.5 b=2.5 n=30


@njit
def two_numbers(a, b):
    return 2.0 * a + b
# expect status = exact
# oracle a=1.5 b=2.5


@njit
def updates_of_arrays(x, v, a, dt, steps):
    for t in range(steps):
        v += dt * a
        x += dt * v
# expect status = exact
# oracle x=f8[32] v=f8[32] a=f8[32] dt=0.1 steps=3
# oracle x=f8[32] v=f8[32] a=2.0 dt=0.1 steps=3


SHIFTS = np.array([-1, 0, 1])
FACTORS = np.array([[0.25, 0.5, 0.25], [1.0, -2.0, 1.0]])


@njit
def tables_of_the_module(x, out):
    for i in range(1, len(x) - 1):
        for f in range(FACTORS.shape[0]):
            s = 0.0
            for k in range(len(SHIFTS)):
                s += FACTORS[f, k] * x[i + SHIFTS[k]]
            out[f, i] = s
# expect status = exact
# oracle x=f8[30] out=f8[2,30]


@njit
def whole_default(x, out, scale=2, shift=-1):
    for i in range(len(x)):
        out[i] = x[i] + scale * shift
# expect status = exact
# oracle x=f8[30] out=f8[30] scale=2 shift=-1


@njit
def window_by_default(x, out, window=5):
    for i in range(len(x) - window):
        s = 0.0
        for k in range(window):
            s += x[i + k]
        out[i] = s / window
# expect status = exact
# oracle x=f8[30] out=f8[30] window=5


@njit
def dot_product(w, x, b):
    return w @ x + b
# expect status = exact
# oracle w=f8[30] x=f8[30] b=1.0


@njit
def dot_of_names(a, b):
    s = np.dot(a, b)
    return s * 2.0
# expect status = exact
# oracle a=f8[30] b=f8[30]


@njit
def rows_unpacked(q, out):
    for i in range(q.shape[0]):
        a, b, c, d = q[i]
        out[i] = np.sqrt(a * a + b * b + c * c + d * d)
# expect status = exact
# oracle q=f8[30,4] out=f8[30]
