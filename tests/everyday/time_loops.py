"""Time loops: buffers that swap, snapshots every so many steps, loops that end early, drivers of kernels."""

import numpy as np
from numba import njit, prange


@njit
def ping_pong(u, v, steps):
    """The buffers by a conditional expression."""
    n = len(u)
    for it in range(steps):
        src, dst = (u, v) if it % 2 == 0 else (v, u)
        for i in range(1, n - 1):
            dst[i] = 0.5 * (src[i - 1] + src[i + 1])
# oracle u=f8[300] v=f8[300] steps=5


@njit
def copy_slice(u, v, steps):
    """The same with a slice."""
    n = len(u)
    for t in range(steps):
        for i in range(1, n - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u[:] = v
# oracle u=f8[300] v=f8[300] steps=5


@njit
def snapshots(u, out, steps, every):
    """A copy now and then, with a counter of its own."""
    n = len(u)
    k = 0
    for t in range(steps):
        for i in range(n):
            u[i] = 1.01 * u[i]
        if t % every == 0:
            for i in range(n):
                out[k, i] = u[i]
            k += 1
# oracle u=f8[256] out=f8[4,256] steps=12 every=3


@njit
def find_first(x, value):
    """A loop that data ends."""
    for i in range(len(x)):
        if x[i] * 2.0 > value:
            return i
    return -1
# oracle x=f8[512] value=99.0


@njit
def jacobi_until(u, v, tol, max_iter):
    """A loop that a residual ends."""
    n = len(u)
    for it in range(max_iter):
        err = 0.0
        for i in range(1, n - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
            d = abs(v[i] - u[i])
            if d > err:
                err = d
        for i in range(1, n - 1):
            u[i] = v[i]
        if err < tol:
            break
    return it
# oracle u=f8[100] v=f8[100] tol=0.0001 max_iter=7


@njit
def newton(a, tol):
    """A while loop on data."""
    x = a
    while abs(x * x - a) > tol:
        x = 0.5 * (x + a / x)
    return x
# oracle a=2.0 tol=0.000001


@njit
def while_true(x, out):
    """while True with a counter and a break."""
    i = 0
    n = x.shape[0]
    while True:
        if i >= n:
            break
        out[i] = 3.0 * x[i]
        i += 1
# oracle x=f8[512] out=f8[512]


@njit
def euler_arrays(x, v, a, dt, steps):
    """Whole-array updates in a time loop."""
    for t in range(steps):
        v += dt * a
        x += dt * v
# oracle x=f8[256] v=f8[256] a=f8[256] dt=0.1 steps=3


@njit
def frames(u, out, steps, every):
    """A copy now and then, in the row that the step says."""
    n = len(u)
    for t in range(steps):
        for i in range(n):
            u[i] = 0.5 * u[i]
        if t % every == 0:
            out[t // every, :] = u
# oracle u=f8[512] out=f8[4,512] steps=12 every=3
# oracle u=f8[512] out=f8[3,512] steps=5 every=2


@njit
def every_few(x, out, every):
    """One element of a few."""
    for i in range(2, len(x)):
        if i % every != 0:
            out[i] = 2.0 * x[i]
        else:
            out[i] = 0.0
# oracle x=f8[200] out=f8[200] every=3
# oracle x=f8[200] out=f8[200] every=20


@njit
def two_searches(x, tol):
    """Two loops on data over one array: which one goes further is not known."""
    i = 0
    while x[i] < tol:
        i += 1
    j = 0
    while x[j] < 2.0 * tol:
        j += 1
    return i + j
# oracle x=f8[64] tol=0.45
# oracle x=f8[64] tol=0.2


@njit
def drain(x, y, tol):
    """Two loops that breaks end early."""
    n = len(x)
    s = 0.0
    for i in range(n):
        s += x[i]
        if s > tol:
            break
    for i in range(n):
        s -= x[i]
        y[i] = s
        if s < 0.0:
            break
    return s
# oracle x=f8[320] y=f8[320] tol=5.0
# oracle x=f8[320] y=f8[320] tol=900.0


@njit
def escape(out, limit):
    """The limit first."""
    h, w = out.shape
    for i in range(h):
        for j in range(w):
            x = y = 0.0
            k = 0
            while k < limit and x * x + y * y < 4.0:
                x, y = x * x - y * y + 0.1 * j, 2.0 * x * y + 0.1 * i
                k += 1
            out[i, j] = k
# oracle out=i8[12,16] limit=20


@njit
def escape_last(out, limit):
    """The limit last."""
    h, w = out.shape
    for i in range(h):
        for j in range(w):
            x = y = 0.0
            k = 0
            while x * x + y * y < 4.0 and k < limit:
                x, y = x * x - y * y + 0.1 * j, 2.0 * x * y + 0.1 * i
                k += 1
            out[i, j] = k
# oracle out=i8[12,16] limit=20


@njit
def either(x, y, n):
    """One test or the other."""
    k = 0
    s = 0.0
    while k < 5 or s * y < x:
        s += 1.5
        k += 1
    return s
# oracle x=20.0 y=1.0 n=3


@njit
def sweeps_in_turn(c, u, v, first=0):
    """Rows, then columns, then rows: what one sweep leaves in a cache meets the next one."""
    n, m = c.shape
    for s in range(3):
        if (first + s) % 2 == 0:
            for y in range(n):
                for x in range(m):
                    c[y, x] += u[y, x]
        else:
            for x in range(m):
                for y in range(n):
                    c[y, x] += v[y, x]
# oracle c=f8[20,32] u=f8[20,32] v=f8[20,32]
# oracle c=f8[20,32] u=f8[20,32] v=f8[20,32] first=1


@njit
def new_memory_in_turn(c, u, v, first=0):
    """Memory that every iteration allocates, filled from one of two arrays."""
    for s in range(2):
        if (first + s) % 2 == 0:
            for i in range(c.size):
                c[i] += u[i]
        else:
            for i in range(c.size):
                c[i] -= v[i]
        c[:] = np.clip(c, 0.0, 1.0)
# known traffic: nests of every other iteration count half in both, where each has new memory
# oracle c=f8[640] u=f8[640] v=f8[640]
