"""Kinds of kernels: stencils, vectorized functions, transforms, random numbers, sparse matrices, parallel drivers."""

import math

import numpy as np
import numba as nb
from numba import float32, float64, int64, njit, prange, stencil, vectorize


@stencil
def around(a):
    return 0.25 * (a[0, -1] + a[0, 1] + a[-1, 0] + a[1, 0])


@njit
def smooth_once(a):
    """A stencil called from a compiled function: once for each inner element."""
    return around(a)
# oracle a=f8[20,32]


@njit
def smooth_often(a, steps):
    for _ in range(steps):
        a = around(a)
    return a
# oracle a=f8[20,32] steps=3


@stencil
def three(a, w):
    return w * (a[-1] + a[0] + a[1])


@njit
def smooth_line(a, w, out):
    b = three(a, w)
    for i in range(len(a)):
        out[i] = a[i] - b[i]
# oracle a=f8[300] w=0.3 out=f8[300]


@vectorize([float64(float64, float64)])
def relu(x, slope):
    return max(x, 0.0) + slope * min(x, 0.0)


@njit
def relu_layer(x, bias, out):
    """A vectorized function in a loop: one element."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = relu(x[i, j] + bias[j], 0.1)
# oracle x=f8[20,32] bias=f8[32] out=f8[20,32]


@njit
def relu_array(x):
    """A vectorized function of an array: one loop."""
    return relu(x, 0.1)
# oracle x=f8[300]


@njit
def relu_two(x, y):
    return relu(x, 0.1) - relu(y, 0.2)
# oracle x=f8[300] y=f8[300]


@njit
def bit_reverse(x, out):
    """The order of an FFT's input."""
    n = len(x)
    bits = 0
    while (1 << bits) < n:
        bits += 1
    for i in range(n):
        r = 0
        k = i
        for _ in range(bits):
            r = (r << 1) | (k & 1)
            k >>= 1
        out[r] = x[i]
# oracle x=c16[64] out=c16[64]


@njit
def fft(x, twiddle):
    """All stages of a complex FFT, radix 2, in place."""
    n = len(x)
    half = 1
    while half < n:
        stride = n // (2 * half)
        for start in range(0, n, 2 * half):
            for k in range(half):
                t = twiddle[k * stride] * x[start + k + half]
                u = x[start + k]
                x[start + k] = u + t
                x[start + k + half] = u - t
        half *= 2
# oracle x=c16[64] twiddle=c16[32]


@njit
def filter_spectrum(x: complex, keep):
    """
    Parameters
    ----------
    x : ndarray of complex128, shape (n,)
    keep : int
    """
    for k in range(keep, len(x)):
        x[k] = x[k] * 0.5
# oracle x=c16[300] keep=20


@njit
def goertzel(x, freq):
    """One frequency of a transform: a recurrence of scalars."""
    c = 2.0 * math.cos(2.0 * math.pi * freq)
    s1 = 0.0
    s2 = 0.0
    for v in x:
        s0 = v + c * s1 - s2
        s2 = s1
        s1 = s0
    return s1 * s1 + s2 * s2 - c * s1 * s2
# oracle x=f8[300] freq=0.1


@njit
def monte_carlo_pi(n):
    """Random numbers of NumPy's module; the share that hits depends on them."""
    hits = 0
    for _ in range(n):
        x = np.random.random()
        y = np.random.random()
        if x * x + y * y < 1.0:
            hits += 1
    return 4.0 * hits / n
# oracle n=200


@njit
def random_walks(n, steps, sigma, out):
    for i in range(n):
        x = 0.0
        for _ in range(steps):
            x += sigma * np.random.normal()
        out[i] = x
# oracle n=20 steps=15 sigma=0.3 out=f8[20]


@njit
def bootstrap(x, means):
    """Resampling: the subscript is a random number."""
    n = len(x)
    for b in range(len(means)):
        s = 0.0
        for _ in range(n):
            s += x[np.random.randint(0, n)]
        means[b] = s / n
# oracle x=f8[40] means=f8[20]


@njit
def metropolis(x, steps, width):
    """A proposal is taken or not."""
    taken = 0
    energy = 0.5 * x * x
    for _ in range(steps):
        y = x + width * (np.random.random() - 0.5)
        e = 0.5 * y * y
        if np.random.random() < math.exp(energy - e):
            x = y
            energy = e
            taken += 1
    return taken / steps
# oracle x=0.3 steps=200 width=1.5


@njit
def gray_of(img, out):
    """Luminance.

    Parameters
    ----------
    img : ndarray of uint8, shape (H, W, 3)
    out : ndarray of float32, shape (H, W)
    """
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = 0.299 * img[i, j, 0] + 0.587 * img[i, j, 1] + 0.114 * img[i, j, 2]
# oracle img=u1[20,32,3] out=f4[20,32]


@njit
def label_sums(labels, out):
    """
    labels : array of int64
        The class of each point.
    out : array of int64
    """
    total = 0
    for i in range(len(labels)):
        total += labels[i] * 2
        out[i] = total
# oracle labels=i8[300] out=i8[300]


@njit(int64(int64[:], int64))
def checksum(a, modulus):
    """The signature says that all numbers are integers."""
    s = 0
    for i in range(len(a)):
        s = (s * 31 + a[i]) % modulus
    return s
# oracle a=i8[300] modulus=97


@njit(parallel=True)
def advance_parallel(u, v, c):
    for i in prange(1, u.shape[0] - 1):
        for j in range(1, u.shape[1] - 1):
            v[i, j] = u[i, j] + c * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j])


@njit(parallel=True)
def copy_parallel(u, v):
    for i in prange(u.shape[0]):
        for j in range(u.shape[1]):
            u[i, j] = v[i, j]


@njit
def run_parallel(u, v, c, steps):
    """A driver of two parallel kernels."""
    for _ in range(steps):
        advance_parallel(u, v, c)
        copy_parallel(u, v)
# oracle u=f8[20,32] v=f8[20,32] c=0.1 steps=3


@njit
def swap_parallel(u, v, c, steps):
    """The arrays change places in each step."""
    for _ in range(steps):
        advance_parallel(u, v, c)
        u, v = v, u
    return u
# oracle u=f8[20,32] v=f8[20,32] c=0.1 steps=4


@njit
def csr_guarded(indptr, indices, data, x, y, alpha):
    """A sparse product under guards: nothing for alpha = 0, and empty rows are skipped."""
    if alpha == 0.0:
        return
    for i in range(len(indptr) - 1):
        if indptr[i] == indptr[i + 1]:
            continue
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] += alpha * s
# known flops: the rows that a guard skips have fewer elements than the mean row
# oracle rows=40 nnz=200 indptr=i8[rows+1]^nnz indices=i8[nnz]<rows data=f8[nnz] x=f8[rows] y=f8[rows] alpha=2.0


@njit
def csr_transposed(indptr, indices, data, x, y):
    """The transposed product scatters."""
    for j in range(len(y)):
        y[j] = 0.0
    for i in range(len(indptr) - 1):
        xi = x[i]
        for k in range(indptr[i], indptr[i + 1]):
            y[indices[k]] += data[k] * xi
# oracle rows=40 nnz=200 indptr=i8[rows+1]^nnz indices=i8[nnz]<rows data=f8[nnz] x=f8[rows] y=f8[rows]


@njit
def csr_diagonal(indptr, indices, data, diag):
    """A search in each row that ends at the diagonal."""
    for i in range(len(diag)):
        diag[i] = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            if indices[k] == i:
                diag[i] = data[k] * 2.0
                break
# known flops: a loop that a break ends runs all its iterations
# oracle rows=40 nnz=200 indptr=i8[rows+1]^nnz indices=i8[nnz]<rows data=f8[nnz] diag=f8[rows]


@njit
def jacobi_sweep_csr(indptr, indices, data, b, x, new, omega, sweeps):
    for _ in range(sweeps):
        for i in range(len(b)):
            s = b[i]
            d = 1.0
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                if j == i:
                    d = data[k]
                else:
                    s -= data[k] * x[j]
            new[i] = x[i] + omega * (s / d - x[i])
        for i in range(len(b)):
            x[i] = new[i]
# oracle rows=40 nnz=200 indptr=i8[rows+1]^nnz indices=i8[nnz]<rows data=f8[nnz] b=f8[rows] x=f8[rows] new=f8[rows] omega=0.7 sweeps=2


@njit
def gather_or_zero(x, idx, out):
    """A subscript under a guard."""
    for i in range(len(idx)):
        j = idx[i]
        if j >= 0 and j < len(x):
            out[i] = 2.0 * x[j]
        else:
            out[i] = 0.0
# oracle x=f8[60] idx=i8[200]<80 out=f8[200]


@njit
def upwind(u, speed, out, dt, dx):
    """The direction is picked by an expression."""
    n = len(u)
    for i in range(1, n - 1):
        left = u[i] - u[i - 1]
        right = u[i + 1] - u[i]
        out[i] = u[i] - dt / dx * (speed[i] * left if speed[i] > 0.0 else speed[i] * right)
# oracle u=f8[300] speed=f8[300] out=f8[300] dt=0.1 dx=0.5


def relu_plain(x):
    """A vectorized function called from a function that is not compiled."""
    return relu(x, 2.0)
# oracle x=f8[9]


@vectorize(["float32(float32, float32)"])
def narrow_sum(x, y):
    return x * y + 1.0


@njit
def narrow_sums(x, y):
    """The sum is float64; the signature makes the results float32."""
    return narrow_sum(x, y) * narrow_sum(y, x)
# oracle x=f4[300] y=f4[300]


@vectorize([float32(float32, float32), nb.float64(nb.float64, nb.float64)])
def either_sum(x, y):
    if x > 0.0:
        return x * y + 1.0
    return 0.0


@njit
def either_sums(x, y):
    """The first signature that all arguments fit."""
    return either_sum(x, y)
# oracle x=f4[300] y=f4[300]
# oracle x=f8[300] y=f8[300]
# oracle x=f4[300] y=f8[300]
# oracle x=f4[300] y=i8[300]
# oracle x=i2[300] y=f4[300]


@vectorize(["boolean(int64)", "boolean(float64)"])
def is_odd(x):
    return x % 2


@njit
def odd_ones(x):
    """Results of one byte."""
    return is_odd(x)
# oracle x=i8[300]
# oracle x=f4[300]


@vectorize([int64(float64)])
def doubled(x):
    return x * 2.0


@njit
def doubled_all(x):
    return doubled(x)
# oracle x=f4[300]


@vectorize
def weighted(x, y):
    return x * y


@njit
def weighted_all(x, y):
    """No signature: an integer stays one, and makes the product float64."""
    return weighted(x, y)
# oracle x=f4[300] y=i8[300]


@njit
def least_of_integers(x):
    """The limits of an integer type are integers."""
    least = np.iinfo(np.int64).max
    above = np.iinfo(x.dtype).max - 3
    for i in range(x.size):
        if x[i] < above:
            least = min(least, x[i])
    return least
# oracle x=i8[33]


def doubled_where_another_is_large(x, y):
    """A comparison that selects elements is of an array."""
    x[y > 0.5] *= 2.0
# oracle x=f8[33] y=f8[33]


def by_kind(x):
    """The letter of an element type decides."""
    if x.dtype.kind == "f":
        return 2.0 * x
    if x.dtype.kind in "iu":
        x = x.astype(np.float64)
    return x + x * 3.0
# expect status = exact
# oracle x=f8[100]
# oracle x=i4[100]


def by_type(x):
    """So does the type itself."""
    if x.dtype == np.uint8:
        return x / 255.0
    if x.dtype in (np.float32, np.float16) or np.issubdtype(x.dtype, np.complexfloating):
        return 2.0 * x + 1.0
    return 3.0 * x
# oracle x=u1[100]
# oracle x=f4[100]
# oracle x=f8[100]
