"""Triangles, blocks and own elements that look as if they could be turned round."""

import numpy as np
from numba import njit, prange


@njit
def two_halves_of_one(A):
    """Each element needs its mirror image, which another iteration has changed."""
    n = A.shape[0]
    for j in range(n):
        for i in range(j):
            A[i, j] = A[j, i] + 1.0


@njit
def mirror_after(A):
    n = A.shape[0]
    for j in range(n):
        for i in range(j + 1, n):
            A[i, j] = A[j, i] * 2.0
            A[j, i] = 0.5


@njit
def through_a_view(A, B):
    V = A.T
    n = A.shape[0]
    for j in range(n):
        for i in range(j):
            A[i, j] += V[i, j] * B[i, j]


@njit
def downwards(A, n):
    for j in range(n - 1, -1, -1):
        for i in range(j):
            A[i, j] = A[i, j] * 0.5 + A[i + 1, j]


@njit
def below_the_start(A, n):
    for j in range(n):
        for i in range(j - 2, j):
            A[i, j] += 1.0


@njit
def stop_falls(A, n, m):
    for j in range(m):
        for i in range(j, n):
            A[i, j] += A[i, j]


@njit
def until_the_diagonal(A, n, w):
    for j in range(n):
        for i in range(j + 1):
            if i == j and A[i, j] < 0.0:
                break
            A[i, j] *= w


@njit
def leaves_its_index(A, n):
    i = -1
    for j in range(n):
        for i in range(j):
            A[i, j] += 1.0
    return i


@njit
def counts(A, n):
    c = 0
    for j in range(n):
        for i in range(j, n):
            A[i, j] += c
            c += 1
    return c


@njit
def changes_its_range(A, n):
    for j in range(n):
        for i in range(j, n):
            A[i, j] += 1.0
        n = n - 1


@njit
def own_twice(A, B, C, n):
    for i in range(n):
        for j in range(n):
            t = C[i, j]
            u = C[i, j]
            for k in range(n):
                t += A[i, k] * B[k, j] + u
            C[i, j] = t


@njit
def own_of_another(A, B, C, n):
    for i in range(n):
        for j in range(n):
            t = C[j, i]
            for k in range(n):
                t += A[i, k] * B[k, j]
            C[i, j] = t


@njit
def own_in_two_places(A, B, C, n):
    for i in range(n):
        for j in range(n):
            t = C[i, j]
            for k in range(n):
                t += A[i, k] * B[k, j]
            C[i, j] = t
            B[i, j] = t


@njit
def own_without_a_name(A, B, C, n):
    for i in range(n):
        for j in range(n):
            t = C[i, j]
            for k in range(n):
                t = t * 0.5 + A[i, k] * B[k, j]
            C[i, j] = -t


@njit
def own_row(A, B, x, n):
    for i in range(n):
        for j in range(n):
            t = x[j]
            for k in range(n):
                t += A[i, k] * B[k, j]
            x[j] = t


@njit
def own_in_a_view(A, B, C, n):
    R = C[1:]
    for i in range(n):
        for j in range(n):
            t = R[i, j]
            for k in range(n):
                t += A[i, k] * C[k, j]
            R[i, j] = t


@njit
def blocks_that_overlap(A, B, n):
    for ii in range(0, n, 2):
        for j in range(n):
            for i in range(ii, min(ii + 3, n)):
                A[i, j] = A[i, j] * 0.5 + B[i, j]


@njit
def blocks_of_sums(A, B, C, n):
    for kk in range(0, n, 2):
        for i in range(n):
            for j in range(n):
                s = C[i, j]
                for k in range(kk, min(kk + 2, n)):
                    s = s * 0.5 + A[i, k] * B[k, j]
                C[i, j] = s


@njit(parallel=True)
def shared_triangle(A, n):
    for j in prange(n):
        for i in range(j):
            A[i, j] *= 2.0


@njit
def divides(A, x, n):
    for j in range(n):
        for i in range(j):
            A[i, j] = A[i, j] / x[i]


@njit
def raises_late(A, x, n):
    for j in range(n + 2):
        for i in range(j, n + 2):
            A[i, j] += x[i]


@njit
def negative_places(A, n):
    for j in range(n):
        for i in range(j + 1, n):
            A[i - n, j - 2] += 1.0


@njit
def a_triangle_in_a_box(A, B, C, n):
    for j in range(n):
        for k in range(j):
            for i in range(n):
                C[i, j] += A[i, k] * B[k, j]


@njit
def a_triangle_of_triangles(A, n):
    for k in range(n):
        for j in range(k + 1, n):
            for i in range(j, n):
                A[i, j] -= A[i, k] * A[j, k]


@njit
def by_name_and_length(A, n):
    for j in range(len(A)):
        for i in range(j, A.shape[0]):
            A[i, j] += 1.0


@njit
def steps_many_times(A, B, w, n):
    for s in range(n):
        for j in range(n):
            for i in range(n):
                A[i, j] = A[i, j] + w * B[j, i]
