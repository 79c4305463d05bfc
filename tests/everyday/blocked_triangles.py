"""Blocks of a triangle: what all of them reach ends where a block does."""

from numba import njit


@njit
def below_the_blocks(A, nb=8):
    n = A.shape[0]
    for k0 in range(0, n, nb):
        for i in range(k0 + nb, n):
            for k in range(k0, k0 + nb):
                A[i, k] *= 2.0
# oracle A=f8[32,32]


@njit
def right_of_the_blocks(A, nb=8):
    n = A.shape[0]
    for k0 in range(0, n, nb):
        for k in range(k0, k0 + nb):
            for j in range(k0 + nb, n):
                A[k, j] += 1.0
# oracle A=f8[32,32]


@njit
def panels(A, nb=8):
    """The panels of an LU factorization; the last one may be cut short."""
    n = A.shape[0]
    for k0 in range(0, n, nb):
        k1 = min(k0 + nb, n)
        for k in range(k0, k1):
            for i in range(k + 1, n):
                A[i, k] /= A[k, k]
                for j in range(k + 1, k1):
                    A[i, j] -= A[i, k] * A[k, j]
# oracle A=f8[37,37]
# oracle A=f8[40,40]


@njit
def updates(A, B, nb=8):
    n = A.shape[0]
    for k0 in range(0, n, nb):
        for i in range(k0 + nb, n):
            for k in range(k0, k0 + nb):
                for j in range(k0 + nb, n):
                    A[i, j] += B[k, j]
# oracle A=f8[32,32] B=f8[32,32]
