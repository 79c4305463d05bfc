"""Ring buffers: a counter that starts again where it reaches the end."""

import numpy as np
from numba import njit


@njit
def ring_if(x, out, delay, feedback):
    buf = np.zeros(delay)
    pos = 0
    for i in range(len(x)):
        d = buf[pos]
        buf[pos] = x[i] + feedback * d
        out[i] = x[i] + d
        pos += 1
        if pos >= delay:
            pos = 0
# oracle x=f8[3000] out=f8[3000] delay=64 feedback=0.5


@njit
def ring_mod(x, out, win):
    ring = np.zeros(win)
    acc = 0.0
    head = 0
    for i in range(x.size):
        acc += x[i] - ring[head]
        ring[head] = x[i]
        head = (head + 1) % win
        out[i] = acc
# oracle x=f8[2000] out=f8[2000] win=128


@njit
def ring_eq(x, out, n):
    buf = np.zeros(n)
    k = n - 1
    for i in range(x.size):
        out[i] = buf[k]
        buf[k] = x[i]
        if k == 0:
            k = n - 1
        else:
            k -= 1
# oracle x=f8[2000] out=f8[2000] n=100


@njit
def ring_taps(x, h, out):
    n = h.size
    z = np.zeros(n)
    p = 0
    for i in range(x.size):
        z[p] = x[i]
        acc = 0.0
        q = p
        for k in range(n):
            acc += h[k] * z[q]
            q -= 1
            if q < 0:
                q = n - 1
        out[i] = acc
        p += 1
        if p == n:
            p = 0
# oracle x=f8[400] h=f8[32] out=f8[400]


@njit
def ring_rows(frames, out, depth):
    ring = np.zeros((depth, frames.shape[1]))
    slot = 0
    for t in range(frames.shape[0]):
        for j in range(frames.shape[1]):
            out[t, j] = frames[t, j] - ring[slot, j]
            ring[slot, j] = frames[t, j]
        slot = (slot + 1) % depth
# oracle frames=f8[40,64] out=f8[40,64] depth=5


STEPS = np.array([0, 1, 0, -1])


@njit
def ring_by_two_tests(f, g):
    """Each end has a test of its own, and the new place is a number: it wraps around all the same."""
    n, q = f.shape
    for i in range(n):
        for k in range(q):
            j = i + STEPS[k]
            if j < 0:
                j = n - 1
            elif j >= n:
                j = 0
            g[j, k] = f[i, k]
# oracle f=f8[200,4] g=f8[200,4]
# oracle f=f8[30,4] g=f8[30,4]


@njit
def ring_by_tests_in_turn(f, g):
    n = f.shape[0]
    for i in range(n):
        for k in range(-1, 2):
            j = i + k
            if j >= n:
                j = 0
            if j < 0:
                j = n - 1
            g[i] += f[j]
# oracle f=f8[200] g=f8[200]


@njit
def end_that_is_never_passed(f, g):
    """Both ends are tested; one is never passed."""
    n = f.shape[0]
    for i in range(n):
        j = i + 1
        if j < 0:
            j = n - 1
        elif j >= n:
            j = 0
        g[j] = f[i]
# oracle f=f8[200] g=f8[200]


@njit
def mirrored_and_clamped_edges(f, g):
    """Mirrored at one pair of edges, clamped at the other, by numbers."""
    h, w = f.shape
    for y in range(h):
        for x in range(w):
            c = 0.0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    yy = y + dy
                    xx = x + dx
                    if yy < 0:
                        yy = 1
                    elif yy >= h:
                        yy = h - 2
                    if xx < 0:
                        xx = 0
                    elif xx >= w:
                        xx = w - 1
                    c += f[yy, xx]
            g[y, x] = c
# oracle f=f8[20,32] g=f8[20,32]


@njit
def oldest_first(x, h, y):
    """A circular buffer is read from the oldest sample on."""
    n = len(x)
    m = len(h)
    buf = np.zeros(m)
    head = 0
    for i in range(n):
        buf[head] = x[i]
        head += 1
        if head >= m:
            head = 0
        k = head
        acc = 0.0
        for j in range(m):
            acc += h[m - 1 - j] * buf[k]
            k += 1
            if k == m:
                k = 0
        y[i] = acc
# oracle x=f8[400] h=f8[24] y=f8[400]


@njit
def down_not_ring(x, w):
    k = len(x) - 1
    s = 0.0
    for i in range(len(x)):
        s += x[k]
        k -= 1
        if k < 5:
            k = w - 1
    return s
# oracle x=f8[400] w=64


@njit
def halves_exchanged(a, out):
    """The quarters of an image change places: the shifts are floors, too."""
    h, w = a.shape
    for i in range(h):
        for j in range(w):
            out[(i + h // 2) % h, (j + w // 2) % w] = a[i, j]
# oracle a=f8[24,128] out=f8[24,128]
# oracle a=f8[27,101] out=f8[27,101]
