"""Tests of sizes at the top of a kernel: calls that raise or return at once are of no interest."""

import numpy as np
from numba import njit


@njit
def small_product(A, B):
    n = A.shape[0]
    if n > 1000:
        raise ValueError("use BLAS")
    C = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            s = 0.0
            for k in range(n):
                s += A[i, k] * B[k, j]
            C[i, j] = s
    return C


# expect flops = 2*n**3
# oracle n=24 A=f8[n,n] B=f8[n,n]


@njit
def short_signals(x, y):
    n = len(x)
    if n > 5000 or n < 2:
        return
    for i in range(n):
        y[i] = 2.0 * x[i] + 1.0


# expect flops = 2*n
# oracle n=64 x=f8[n] y=f8[n]


@njit
def small_images(image, out):
    h, w = image.shape
    if h * w > 1_000_000:
        raise ValueError
    for i in range(h):
        for j in range(w):
            out[i, j] = 0.5 * image[i, j]


# expect flops = h*w
# oracle h=16 w=40 image=f8[h,w] out=f8[h,w]
