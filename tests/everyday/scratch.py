"""Small scratch arrays, small matrices, complex numbers, helpers that make arrays."""

import numpy as np
from numba import njit


@njit
def differences(pos, out):
    """A scratch vector in the inner loop."""
    n = pos.shape[0]
    for i in range(n):
        for j in range(n):
            d = np.zeros(3)
            for k in range(3):
                d[k] = pos[i, k] - pos[j, k]
            out[i, j] = np.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
# oracle pos=f8[24,3] out=f8[24,24]


@njit
def rotate(points, angles, out):
    """A small matrix a point."""
    for i in range(len(angles)):
        m = np.empty((2, 2))
        c = np.cos(angles[i])
        s = np.sin(angles[i])
        m[0, 0] = c
        m[0, 1] = -s
        m[1, 0] = s
        m[1, 1] = c
        for a in range(2):
            t = 0.0
            for b in range(2):
                t += m[a, b] * points[i, b]
            out[i, a] = t
# oracle points=f8[80,2] angles=f8[80] out=f8[80,2]


@njit
def midpoint(a, b):
    """A helper that makes a small array."""
    r = np.empty(2)
    r[0] = 0.5 * (a[0] + b[0])
    r[1] = 0.5 * (a[1] + b[1])
    return r
# oracle a=f8[2] b=f8[2]


@njit
def midpoints(p, out):
    """The helper in a loop."""
    for i in range(p.shape[0] - 1):
        m = midpoint(p[i], p[i + 1])
        out[i, 0] = m[0]
        out[i, 1] = m[1]
# oracle p=f8[80,2] out=f8[80,2]


@njit
def local_hist(x, out, k):
    """Scratch whose size is a parameter."""
    n, m = x.shape
    for i in range(n):
        h = np.zeros(k)
        for j in range(m):
            h[int(x[i, j])] += 1.0
        for b in range(k):
            out[i, b] = h[b] / m
# oracle x=f8[20,32] out=f8[20,4] k=4


@njit
def complex_mul(a, b, out):
    """Complex numbers element by element."""
    for i in range(len(a)):
        out[i] = a[i] * b[i]
# oracle a=c16[300] b=c16[300] out=c16[300]


@njit
def dft(x, out):
    """A discrete Fourier transform by its definition."""
    n = len(x)
    for k in range(n):
        s = 0.0 + 0.0j
        for t in range(n):
            s += x[t] * np.exp(-2j * np.pi * k * t / n)
        out[k] = s
# oracle x=c16[24] out=c16[24]


@njit
def fft_stage(x, tw, half):
    """One stage of a butterfly."""
    n = len(x)
    for start in range(0, n, 2 * half):
        for k in range(half):
            a = x[start + k]
            b = x[start + k + half] * tw[k]
            x[start + k] = a + b
            x[start + k + half] = a - b
# oracle x=c16[256] tw=c16[8] half=8


@njit
def power_spectrum(z, out):
    """Real and imaginary parts."""
    for i in range(len(z)):
        out[i] = z[i].real * z[i].real + z[i].imag * z[i].imag
# oracle z=c16[300] out=f8[300]


@njit
def phase_rotate(z, phase):
    """A complex scalar in place."""
    for i in range(z.shape[0]):
        z[i] *= phase
# oracle z=c16[300] phase=2.0


@njit
def wave(psi, v, dt):
    """A step of a quantum state."""
    n = len(psi)
    new = np.zeros(n, dtype=np.complex128)
    for i in range(1, n - 1):
        lap = psi[i - 1] - 2.0 * psi[i] + psi[i + 1]
        new[i] = psi[i] - 1j * dt * (v[i] * psi[i] - 0.5 * lap)
    for i in range(n):
        psi[i] = new[i]
# oracle psi=c16[200] v=f8[200] dt=0.01


@njit
def cholesky_small(a, l):
    """A factorization of many small matrices."""
    for b in range(a.shape[0]):
        for i in range(3):
            for j in range(i + 1):
                s = a[b, i, j]
                for k in range(j):
                    s -= l[b, i, k] * l[b, j, k]
                if i == j:
                    l[b, i, j] = np.sqrt(s)
                else:
                    l[b, i, j] = s / l[b, j, j]
# oracle a=f8[20,3,3] l=f8[20,3,3]


@njit
def determinant3(m, out):
    """Unpacked rows."""
    for b in range(m.shape[0]):
        p, q, r = m[b, 0]
        s, t, u = m[b, 1]
        v, w, x = m[b, 2]
        out[b] = p * (t * x - u * w) - q * (s * x - u * v) + r * (s * w - t * v)
# oracle m=f8[40,3,3] out=f8[40]


@njit
def quaternion(q, out):
    """A row unpacked into four."""
    for i in range(q.shape[0]):
        a, b, c, d = q[i]
        norm = a * a + b * b + c * c + d * d
        out[i] = np.sqrt(norm)
# oracle q=f8[80,4] out=f8[80]


@njit
def buffer_rows(a, out):
    """A scratch row, filled and used for each row."""
    n, m = a.shape
    row = np.empty(m)
    for i in range(n):
        for j in range(m):
            row[j] = a[i, j] * 2.0
        for j in range(m):
            out[i, j] = row[m - 1 - j]
# oracle a=f8[20,48] out=f8[20,48]


@njit
def tuple_helper(x, y):
    """Two results."""
    return x * x + y * y, x * y
# oracle x=1.5 y=2.5


@njit
def use_tuple(a, b, out):
    """A helper with two results."""
    for i in range(len(a)):
        s, p = tuple_helper(a[i], b[i])
        out[i] = s - 2.0 * p
# oracle a=f8[300] b=f8[300] out=f8[300]


@njit
def three_rounds(A, x, u):
    """A loop of three iterations, whose rest tells them apart: its array has one block in all of them."""
    for i in range(len(u)):
        for j in range(3):
            p = j % 3
            w = np.zeros(400)
            for k in range(400):
                w[k] = x[i] + A[i, p]
            u[i] += w[0]
# oracle A=f8[6,6] x=f8[6] u=f8[6]


@njit
def starts_that_a_list_names(x, s):
    """A loop over a list, whose iterations are counted one by one: they share one buffer."""
    for k in [2, 3, 5]:
        t = np.zeros(5)
        for i in range(k):
            t[i] = x[i + k] * k
        s += t[k - 1]
    return s
# oracle x=f8[40] s=1.0


def weights_that_a_tuple_names(x, s):
    """So is a temporary of four elements."""
    for w in (1.0, 2.0, 3.0):
        t = x[:4] * w
        s += t.sum()
    return s
# oracle x=f8[40] s=1.0


def longer_by_one(x, n):
    """Each array lives on in the next iteration: it has a block of its own. The factor has one for all."""
    y = x[:1]
    for i in range(1, n):
        y = np.concatenate([y, y[-1:] * x[i]])
    return y
# oracle x=f8[10] n=6
# oracle x=f8[10] n=2


def the_last_of_three(x):
    """The last one is returned: there is no buffer for all."""
    for w in (1.0, 2.0, 3.0):
        t = x[:4] * w
    return t
# oracle x=f8[40]


def windows_times_weights(x, n):
    """Four elements, as the ends of a slice tell: no literal, so whether the product is one buffer is a convention."""
    s = 0.0
    for i in range(n - 4):
        u = x[i:i + 4] * 2.0
        s += u[0]
    return s
# expect status = exact
# expect levels = estimate
# known traffic: by the oracle's convention each product is fresh memory
# oracle x=f8[12] n=12


def one_weight(X, y, w, n):
    """An extent of 1 that an argument has is no literal: the arrays that follow it are fresh memory."""
    for e in range(n):
        p = X @ w
        w = w - 0.1 * (X.T @ (p - y))
    return w
# oracle X=f8[1,1] y=f8[1] w=f8[1] n=4
# oracle X=f8[5,1] y=f8[5] w=f8[1] n=4


def one_element_left(x):
    """What a slice leaves of 5 elements is one: no scratch array of literal size."""
    y = np.zeros_like(x)
    for k in range(5):
        y[2:-2] += 0.5 * x[k : x.size - 4 + k]
    return y
# oracle x=f8[5]
# oracle x=f8[6]
