"""One loop over all elements, with rows and columns worked out of its counter."""

from numba import njit


@njit
def rows_of_a_flat_counter(a, out):
    n, m = a.shape
    for k in range(n * m):
        i = k // m
        j = k % m
        out[i, j] = 2.0 * a[i, j]
# expect bound status = exact
# oracle a=f8[20,32] out=f8[20,32]
# oracle a=f8[21,35] out=f8[21,35]
# oracle a=f8[1,7] out=f8[1,7]


@njit
def a_flat_transposition(a, out):
    n, m = a.shape
    for k in range(a.size):
        i = k // m
        j = k - i * m
        out[j, i] = 2.0 * a[i, j]
# expect bound status = exact
# oracle a=f8[24,32] out=f8[32,24]


@njit
def planes_of_a_flat_counter(a, out):
    n, m, p = a.shape
    for k in range(n * m * p):
        i = k // (m * p)
        r = k % (m * p)
        j = r // p
        l = r % p
        out[i, j, l] = a[i, j, l] + a[i, j, 0]
# expect bound status = exact
# oracle a=f8[6,7,16] out=f8[6,7,16]


@njit
def all_pairs_of_a_flat_counter(x, f):
    n = len(x)
    for k in range(n * n):
        i = k // n
        j = k % n
        f[i] += x[j] - x[i]
# expect bound status = exact
# oracle x=f8[64] f=f8[64]
