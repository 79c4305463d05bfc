"""Interleaved walks: the outer variable says where a walk with long steps begins."""

from numba import njit


@njit
def full(x):
    """Each residue of 256 in turn: together all elements."""
    acc = 0.0
    for t in range(256):
        for j in range(t, x.shape[0], 256):
            acc += x[j]
    return acc


# oracle x=f8[8192]
# oracle x=f8[8000]


@njit
def part(x):
    """A quarter of the residues."""
    acc = 0.0
    for t in range(64):
        for j in range(t, x.shape[0], 256):
            acc += x[j]
    return acc


# oracle x=f8[8192]


@njit
def part_product(x):
    """The same, with the place as a product."""
    acc = 0.0
    for t in range(64):
        for k in range(x.shape[0] // 256):
            acc += x[t + 256 * k]
    return acc


# oracle x=f8[8192]


@njit
def symbolic(x, S):
    """The step is a parameter."""
    acc = 0.0
    for t in range(S):
        for j in range(t, x.shape[0], S):
            acc += x[j]
    return acc


# oracle x=f8[8192] S=128
# oracle x=f8[8192] S=100


@njit
def sieve(x):
    """Each element takes from the one that begins its row."""
    for s in range(1, 64):
        for j in range(s, x.shape[0], 64):
            x[j] += x[j - s]


# oracle x=f8[4096]


@njit
def butterfly(x, h):
    """Two halves of each row, as in a transform."""
    for k in range(h):
        for j in range(k, x.shape[0], 2 * h):
            a = x[j]
            b = x[j + h]
            x[j] = a + b
            x[j + h] = a - b


# oracle x=f8[4096] h=64
# known traffic: two walks half a row apart: some reuse is placed at the distance of both halves


@njit
def down(x):
    """The walks go downwards."""
    acc = 0.0
    for t in range(128):
        for j in range(x.shape[0] - 1 - t, -1, -128):
            acc += x[j]
    return acc


# oracle x=f8[8192]


@njit
def rows(A):
    """Rows of a matrix, four at a time."""
    acc = 0.0
    for t in range(4):
        for i in range(t, A.shape[0], 4):
            for j in range(A.shape[1]):
                acc += A[i, j]
    return acc


# oracle A=f8[64,40]


@njit
def columns(A):
    """Elements of a row, 32 apart."""
    acc = 0.0
    for i in range(A.shape[0]):
        for t in range(32):
            for j in range(t, A.shape[1], 32):
                acc += A[i, j]
    return acc


# oracle A=f8[20,512]


@njit
def twice(x):
    """The walks begin two elements apart."""
    for t in range(16):
        for j in range(2 * t, x.shape[0], 32):
            x[j] *= 2.0


# oracle x=f8[2048]


@njit
def copies(x, y):
    """One array is read and another one written."""
    for t in range(64):
        for j in range(t, x.shape[0], 64):
            y[j] = x[j]


# oracle x=f8[4096] y=f8[4096]


@njit
def tiles_cut_at_the_end(x, y, n, width):
    """Blocks of a symbolic width, the last one cut."""
    for b in range((n + width - 1) // width):
        for t in range(width):
            if b * width + t < n:
                y[b * width + t] = 2.0 * x[b * width + t]


# oracle n=100 width=16 x=f8[n] y=f8[n]
# oracle n=96 width=16 x=f8[n] y=f8[n]


@njit
def steps_of_all_workers(x, y, workers, each):
    """Workers in groups; each walks on by as many as there are workers."""
    for b in range(workers):
        for t in range(each):
            for i in range(b * each + t, x.shape[0], workers * each):
                y[i] = 2.0 * x[i]


# oracle workers=4 each=16 x=f8[1000] y=f8[1000]
# oracle workers=4 each=16 x=f8[50] y=f8[50]


@njit
def triangle_by_twos(A):
    """The start walks on by more than a step: a triangle."""
    acc = 0.0
    for i in range(A.shape[0]):
        for j in range(i, A.shape[1], 2):
            acc += A[i, j]
    return acc


# oracle A=f8[40,40]


@njit
def by_step(x, y, step):
    """A while loop whose step is a parameter, from each start in turn."""
    for t in range(step):
        i = t
        while i < x.shape[0]:
            y[i] = 2.0 * x[i]
            i += step
# oracle step=32 x=f8[1000] y=f8[1000]


@njit
def halves(x):
    """A sum in a tree, until nothing is left."""
    k = x.shape[0] // 2
    while k != 0:
        for t in range(k):
            x[t] += x[t + k]
        k = k // 2
# oracle x=f8[128]
# oracle x=f8[100]
