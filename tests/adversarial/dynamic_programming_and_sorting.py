"""Tables of dynamic programming, and sorts."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def merge_count(n, m, a, b, c):
    i = j = k = 0
    while i < n and j < m:
        if a[i] <= b[j]:
            c[k] = a[i]
            i += 1
        else:
            c[k] = b[j]
            j += 1
        k += 1
    while i < n:
        c[k] = a[i]
        i += 1
        k += 1
    while j < m:
        c[k] = b[j]
        j += 1
        k += 1
# expect bound status = exact
# oracle n=8 m=6 a=f8[8] b=f8[6] c=f8[14]


@njit
def insertion_sort(n, a):
    for i in range(1, n):
        v = a[i]
        j = i - 1
        while j >= 0 and a[j] > v:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = v
    return a[0] * 2.0
# expect bound status = exact
# oracle n=8 a=f8[8]


@njit
def bubble_sort_swaps(n, a):
    for i in range(n):
        done = True
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                done = False
        if done:
            break
    return a[0] + a[1]
# expect bound status = exact
# oracle n=8 a=f8[8]


@njit
def dynamic_time_warping_band(n, m, w, a, b, D):
    for i in range(1, n + 1):
        for j in range(max(1, i - w), min(m, i + w) + 1):
            c = abs(a[i - 1] - b[j - 1])
            D[i, j] = c + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]
# expect bound status = exact
# oracle n=8 m=9 w=3 a=f8[8] b=f8[9] D=f8[9,10]


@njit
def matrix_chain(n, p, M):
    for L in range(2, n + 1):
        for i in range(n - L + 1):
            j = i + L - 1
            M[i, j] = np.inf
            for k in range(i, j):
                q = M[i, k] + M[k + 1, j] + p[i] * p[k + 1] * p[j + 1]
                if q < M[i, j]:
                    M[i, j] = q
# expect bound status = exact
# oracle n=7 p=f8[8] M=f8[7,7]


@njit
def pascal_triangle(n, C):
    for i in range(n):
        C[i, 0] = C[i, i] = 1.0
        for j in range(1, i):
            C[i, j] = C[i - 1, j - 1] + C[i - 1, j]
# expect bound status = exact
# oracle n=8 C=f8[8,8]
