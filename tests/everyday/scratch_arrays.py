"""Arrays that loops make: which are one buffer, and which live longer than the iteration that makes them."""

import numpy as np
from numba import njit, prange


@njit
def carried(a, out):
    prev = np.zeros(3)
    for i in range(a.shape[0]):
        cur = np.empty(3)
        for k in range(3):
            cur[k] = a[i, k] + prev[k]
        out[i] = cur[0] * cur[1] * cur[2]
        prev = cur
# oracle a=f8[80,3] out=f8[80]


@njit
def kept(a):
    rows = []
    for i in range(a.shape[0]):
        d = np.empty(3)
        for k in range(3):
            d[k] = a[i, k] * 2.0
        rows.append(d)
    return rows
# oracle a=f8[80,3]


@njit
def last(a):
    d = np.zeros(3)
    for i in range(a.shape[0]):
        d = np.empty(3)
        for k in range(3):
            d[k] = a[i, k] * 2.0
    return d
# oracle a=f8[80,3]


def temporaries(a, b, out):
    for i in range(a.shape[0]):
        d = a[i, :3] - b[i, :3]
        out[i] = np.sum(d * d)
# oracle a=f8[80,3] b=f8[80,3] out=f8[80]


@njit
def literal_row(a, out):
    w = np.array([0.25, 0.5, 0.25])
    for i in range(a.shape[0]):
        d = a[i] * w
        out[i] = d[0] + d[1] + d[2]
# oracle a=f8[80,3] out=f8[80]


@njit
def stored_row(a, out):
    for i in range(a.shape[0]):
        out[i] = np.array([a[i] * 2.0, a[i] * 3.0, a[i] + 1.0])
# oracle a=f8[80] out=f8[80,3]


@njit
def stored_part(a, out):
    for i in range(a.shape[0]):
        d = np.empty(3)
        d[0] = a[i]
        d[1] = a[i] * 2.0
        d[2] = a[i] * 3.0
        out[i, :] = d
# oracle a=f8[80] out=f8[80,3]


@njit
def guarded(a, out):
    for i in range(a.shape[0]):
        cur = np.empty(2)
        cur[0] = a[i] * 2.0
        cur[1] = a[i] + 2.0
        if i > 0:
            out[i] = cur[0] * prev[1]
        prev = cur
# oracle a=f8[80] out=f8[80]


@njit
def triangle(i, a):
    t = np.zeros((2, 3))
    for r in range(2):
        for c in range(3):
            t[r, c] = a[i, c] * (r + 1)
    return t


@njit
def triangles(a, out):
    for i in range(a.shape[0]):
        t = triangle(i, a)
        s = 0.0
        for r in range(2):
            for c in range(3):
                s += t[r, c]
        out[i] = s
# oracle a=f8[80,3] out=f8[80]


@njit
def flat(a, out):
    for i in range(a.shape[0]):
        m = np.empty((2, 2))
        m[0, 0] = a[i]
        m[0, 1] = a[i] * 2.0
        m[1, 0] = a[i] * 3.0
        m[1, 1] = a[i] * 4.0
        f = m.reshape(4)
        out[i] = f[0] + f[3]
# oracle a=f8[80] out=f8[80]


@njit
def sized(a, out, k):
    for i in range(a.shape[0]):
        m = np.empty((k, 2))
        for r in range(k):
            m[r, 0] = a[i]
            m[r, 1] = a[i] * 2.0
        f = m.reshape(2 * k)
        out[i] = f[0] + f[3]
# oracle a=f8[80] out=f8[80] k=4


@njit
def in_turn(x, out):
    best = np.zeros(4)
    for i in range(x.shape[0]):
        trial = np.empty(4)
        for k in range(4):
            trial[k] = x[i] * (k + 1)
        if trial[3] > best[3]:
            best = trial
    for k in range(4):
        out[k] = best[k]
# oracle x=f8[80] out=f8[4]


@njit
def conditional(x, out):
    for i in range(x.shape[0]):
        if x[i] > 0.5:
            d = np.empty(3)
            for k in range(3):
                d[k] = x[i] * (k + 1)
            out[i] = d[0] + d[2]
# oracle x=f8[80] out=f8[80]


@njit
def while_scratch(x, out):
    i = 0
    while i < x.shape[0]:
        d = np.zeros(3)
        for k in range(3):
            d[k] += x[i] * (k + 1)
        out[i] = d[0] + d[2]
        i += 1
# oracle x=f8[80] out=f8[80]


@njit
def after_inner(x, out):
    n, m = x.shape
    for i in range(n):
        for j in range(m):
            d = np.zeros(2)
            d[0] = x[i, j]
            d[1] = d[0] * 2.0
        out[i] = d[0] + d[1]
# oracle x=f8[20,20] out=f8[20]


@njit
def rows_of(i, n):
    return np.zeros(n)


@njit
def helper_literal(x, out):
    for i in range(x.shape[0]):
        t = rows_of(i, 3)
        for k in range(3):
            t[k] = x[i] * k
        out[i] = t[2] + t[1]
# oracle x=f8[80] out=f8[80]


@njit
def like(x, out):
    w = np.array([1.0, 2.0, 1.0])
    for i in range(x.shape[0]):
        t = np.empty_like(w)
        for k in range(3):
            t[k] = x[i] * w[k]
        u = t.copy()
        out[i] = u[2] + u[1]
# oracle x=f8[80] out=f8[80]


def plain(pos, vel, dt):
    g = np.array([0.0, 0.0, -9.81])
    for i in range(pos.shape[0]):
        v = vel[i] + g * dt
        pos[i] = pos[i] + v * dt
        vel[i] = v
# oracle pos=f8[80,3] vel=f8[80,3] dt=0.1


@njit(parallel=True)
def parallel_scratch(x, out):
    for i in prange(x.shape[0]):
        t = np.zeros(8)
        for k in range(8):
            t[k] = x[i, k] * 2.0
        s = 0.0
        for k in range(8):
            s += t[k]
        out[i] = s
# oracle x=f8[80,8] out=f8[80]


@njit
def large(x, out):
    for i in range(x.shape[0]):
        t = np.zeros(600)
        for k in range(600):
            t[k] = x[i] * k
        out[i] = t[599] + t[1]
# oracle x=f8[10] out=f8[10]


@njit
def listed(x, out):
    kept = [np.zeros(2), np.zeros(2)]
    for i in range(x.shape[0]):
        t = np.zeros(2)
        t[0] = x[i]
        kept[0] = t
    out[0] = kept[0][0] + kept[1][1]
# oracle x=f8[80] out=f8[4]


@njit
def growing(x, out):
    for i in range(x.shape[0]):
        t = np.zeros(i + 1)
        for k in range(i + 1):
            t[k] = x[k] * 2.0
        out[i] = t[i]
# oracle x=f8[40] out=f8[40]


@njit
def small_product(a, out):
    r = np.array([[0.0, 1.0], [1.0, 0.0]])
    for i in range(a.shape[0]):
        v = np.empty(2)
        v[0] = a[i, 0]
        v[1] = a[i, 1]
        w = r @ v
        out[i, 0] = w[0]
        out[i, 1] = w[1]
# oracle a=f8[80,2] out=f8[80,2]


@njit
def cross_rows(a, b, out):
    for i in range(a.shape[0]):
        d = np.empty(3)
        d[0] = a[i, 1] * b[i, 2] - a[i, 2] * b[i, 1]
        d[1] = a[i, 2] * b[i, 0] - a[i, 0] * b[i, 2]
        d[2] = a[i, 0] * b[i, 1] - a[i, 1] * b[i, 0]
        out[i] = d
# oracle a=f8[80,3] b=f8[80,3] out=f8[80,3]


@njit
def half(a):
    r = np.empty(2)
    r[0] = a[0] * 0.5
    r[1] = a[1] * 0.5
    return r


@njit
def helper_row(p, out):
    for i in range(p.shape[0]):
        out[i] = half(p[i])
# oracle p=f8[80,2] out=f8[80,2]


@njit
def stored_slice(a, out):
    for i in range(a.shape[0]):
        d = np.zeros(4)
        d[1:3] = a[i]
        out[i] = d[:2]
# oracle a=f8[80] out=f8[80,2]


@njit
def row_of_zeros(a, out):
    for i in range(a.shape[0]):
        out[i] = np.zeros(3)
        out[i][0] = a[i]
# oracle a=f8[80] out=f8[80,3]


@njit
def sums(a, out):
    for i in range(a.shape[0]):
        row = np.zeros(3)
        row += a[i]
        out[i] += row
# oracle a=f8[80] out=f8[80,3]


@njit
def scalars(a, out):
    for i in range(a.shape[0]):
        d = np.zeros(3)
        d[0] = a[i] * 2.0
        s = np.sum(d)
        out[i] = s
# oracle a=f8[80] out=f8[80]


@njit
def cond_row(a, out):
    for i in range(a.shape[0]):
        if a[i] > 0.5:
            d = np.ones(2)
        else:
            d = np.zeros(2)
        out[i] = d * a[i]
# oracle a=f8[80] out=f8[80,2]


@njit
def minus_row(pos, c, out):
    """A row of literal size on the left."""
    for i in range(pos.shape[0]):
        d = np.zeros(3)
        for k in range(3):
            d[k] = pos[i, k]
        e = d - c
        out[i] = e[0] + e[1]
# oracle pos=f8[40,3] c=f8[3] out=f8[40]


@njit
def row_minus(pos, c, out):
    """The same on the right, and what is made of it."""
    for i in range(pos.shape[0]):
        d = np.zeros(3)
        e = pos[i] - d
        f = e * 2.0
        out[i] = f[0] + f[1]
# oracle pos=f8[40,3] c=f8[3] out=f8[40]


@njit
def unknown_row(pos, c, out):
    """The extent of an argument, though the unpacking tells it."""
    for i in range(pos.shape[0]):
        x, y, z = pos[i]
        e = pos[i] - c
        out[i] = e[0] + e[1] + x
# oracle pos=f8[40,3] c=f8[3] out=f8[40]


@njit
def copied_row(pos, c, out):
    """A copy of a row, and a literal row added to it."""
    out[:] = np.zeros(3)
    for i in range(pos.shape[0]):
        e = pos[i].copy()
        e += np.ones(3)
        out += e
# oracle pos=f8[40,3] c=f8[3] out=f8[3]


@njit
def running_median_w(x, out, w=5):
    """A running median with a sorted scratch window."""
    n = len(x)
    h = w // 2
    buf = np.empty(w)
    for i in range(h, n - h):
        for k in range(w):
            buf[k] = x[i - h + k]
        for k in range(1, w):
            v = buf[k]
            j = k - 1
            while j >= 0 and buf[j] > v:
                buf[j + 1] = buf[j]
                j -= 1
            buf[j + 1] = v
        out[i] = buf[h]
# oracle x=f8[200] out=f8[200] w=5


@njit
def three_steps(state, dt, n):
    """Temporaries of one line are arrays of their own, each with one block in all iterations."""
    for i in range(n):
        k = np.array([state[1], -state[0], state[2]])
        state = state + dt / 6.0 * (k + 2.0 * k)
    return state
# oracle state=f8[3] dt=0.1 n=1
# oracle state=f8[3] dt=0.1 n=6
