import numpy as np
from numba import njit


@njit
def scale_001(x, a):
    try:
        for i in range(len(x)):
            if x[i] == 0.0:
                raise ValueError
            x[i] = a / x[i]
    except ValueError:
        x[:] = 0.0


@njit
def matmul_101(A, B, C):
    n, m = A.shape
    p = B.shape[1]
    for j in range(p):
        for k in range(m):
            for i in range(n):
                C[i, j] += A[i, k] * B[k, j]


@njit
def axpy_102(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]


# roofscan: x=f8[b,4096] W=f8[4096,4096]
@njit
def layer_103(x, W):
    return x @ W


@njit
def decay_201(A, c):
    n, m = A.shape
    for j in range(m):
        level = 0.0
        for i in range(n):
            level = c * level + A[i, j]
            A[i, j] = level


@njit
def scale_202(A, B):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            B[i, j] = 2.0 * A[i, j]


@njit
def kinetic_203(particles, e):  # x y z vx vy vz
    for i in range(len(e)):
        e[i] = 0.5 * particles[i, 3] * particles[i, 5]


# roofscan: a=f8[n] b=f8[n] c=f8[n]
def blend_301(a, b, c):
    return 0.5 * a + 0.25 * b - a * c


@njit
def step_302(x, v, a):
    for i in range(len(x)):
        v[i] += 0.5 * a[i]
    for i in range(len(x)):
        x[i] += 0.1 * v[i]


# roofscan: x=f8[n]
def moments_303(x):
    return np.mean(x), np.var(x)


# roofscan: x=f4[n]
@njit
def halves_401(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = 0.5 * x[i]
    return y


# roofscan: A=f9[n,
@njit
def total_901(A):
    s = 0.0
    for i in range(len(A)):
        s += A[i]
    return s


@njit
def columns(A_1, B):
    for j in range(A_1.shape[1]):
        for i in range(A_1.shape[0]):
            A_1[i, j] += 1.0
    for q in range(B.shape[1]):
        for i in range(B.shape[0]):
            B[i, q] *= 2.0


@njit
def decay_two(A, B, c):
    n, m = A.shape
    for j in range(m):
        level = 0.0
        for i in range(n):
            level = c * level + A[i, j] * B[i, j]
            A[i, j] = level
            B[i, j] = level
