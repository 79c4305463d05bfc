"""Arrays that iterations exchange: in ``while`` loops, step by step, by what a helper returns, by an index that turns."""

from numba import njit


@njit
def until_it_converges(u, v, tol, most):
    sweeps = 0
    change = 2.0 * tol
    while change > tol and sweeps < most:
        change = 0.0
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
            change = max(change, abs(v[i] - u[i]))
        u, v = v, u
        sweeps += 1
    return sweeps
# oracle u=f8[400] v=f8[400] tol=1e-9 most=6


@njit
def counted(u, v, steps):
    t = 0
    while t < steps:
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
        t += 1
# oracle u=f8[400] v=f8[400] steps=5
# oracle u=f8[400] v=f8[400] steps=6


@njit
def forever(u, v, steps):
    t = 0
    while True:
        for i in range(1, len(u) - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, v = v, u
        t += 1
        if t >= steps:
            break
# oracle u=f8[400] v=f8[400] steps=6


@njit
def nested(u, v, sweeps, steps):
    for t in range(steps):
        k = 0
        while k < sweeps:
            for i in range(1, len(u) - 1):
                v[i] = 0.5 * (u[i - 1] + u[i + 1])
            u, v = v, u
            k += 1
# oracle u=f8[400] v=f8[400] sweeps=3 steps=3


@njit
def doubling(x, y, n):
    shift = 1
    src = x
    dst = y
    while shift < n:
        for i in range(n):
            dst[i] = src[i] + (src[i - shift] if i >= shift else 0.0)
        src, dst = dst, src
        shift *= 2
# oracle x=f8[256] y=f8[256] n=256


@njit
def three_levels(old, now, new, steps):
    t = 0
    while t < steps:
        for i in range(1, len(now) - 1):
            new[i] = 2.0 * now[i] - old[i] + 0.1 * (now[i - 1] + now[i + 1])
        spare = old
        old = now
        now = new
        new = spare
        t += 1
# oracle old=f8[400] now=f8[400] new=f8[400] steps=6


@njit
def step(u, v):
    for i in range(1, len(u) - 1):
        v[i] = 0.5 * (u[i - 1] + u[i + 1])
    return v, u


@njit
def by_a_helper(u, v, steps):
    for t in range(steps):
        u, v = step(u, v)
    return u
# oracle u=f8[400] v=f8[400] steps=6
# oracle u=f8[400] v=f8[400] steps=5


@njit
def by_an_index(levels, steps):
    now = 0
    for t in range(steps):
        for i in range(1, levels.shape[1] - 1):
            levels[1 - now, i] = 0.5 * (levels[now, i - 1] + levels[now, i + 1])
        now = 1 - now
    return now
# oracle levels=f8[2,400] steps=6
# oracle levels=f8[2,400] steps=5


@njit
def by_an_index_in_a_while(levels, steps):
    now = 1
    t = 0
    while t < steps:
        then = 1 - now
        for i in range(1, levels.shape[1] - 1):
            levels[then, i] = 0.5 * (levels[now, i - 1] + levels[now, i + 1])
        now = then
        t += 1
    return levels[now, 0]
# oracle levels=f8[2,400] steps=6
# oracle levels=f8[2,400] steps=5


@njit
def signs(x, out):
    sign = 1
    for i in range(len(x)):
        out[i] = sign * x[i]
        sign = -sign
# oracle x=f8[100] out=f8[100]


@njit
def row_before(A, first, total):
    """Each pass reads the row that the one before left behind."""
    n, m = A.shape
    last = first
    for i in range(n):
        for j in range(m):
            total[j] += last[j]
        last = A[i]
# oracle A=f8[40,16] first=f8[16] total=f8[16]


@njit
def second_after_first(x, y, n):
    """One vector in the first pass, another in all others."""
    s = 0.0
    for t in range(n):
        for j in range(x.shape[0]):
            s += x[j]
        x = y
    return s
# known traffic: an array that an iteration rebinds is counted as in later iterations
# oracle x=f8[1000] y=f8[1000] n=4
# oracle x=f8[8] y=f8[1002] n=4


@njit
def exchanged_in_a_list(a, b, n):
    """The two buffers of a list change places."""
    buffers = [a, b]
    for t in range(n):
        buffers[0][1:] = buffers[1][:-1] * 2.0
        buffers[0], buffers[1] = buffers[1], buffers[0]
# oracle a=f8[1000] b=f8[1000] n=7


@njit
def list_made_anew(a, b, n):
    """Each pass makes the list of buffers in the other order."""
    buffers = [a, b]
    for t in range(n):
        buffers[0][1:] = buffers[1][:-1] * 2.0
        buffers = [buffers[1], buffers[0]]
# oracle a=f8[1000] b=f8[1000] n=8


@njit
def changes_of_rows(A, out):
    """Each pass compares a row with the one before, which it was handed."""
    n, m = A.shape
    last = A[0]
    for i in range(1, n):
        row = A[i]
        for j in range(m):
            out[i, j] = row[j] - last[j]
        last = row
# oracle A=f8[40,16] out=f8[40,16]


@njit
def second_differences(A, out):
    """Two names lag behind, by one row and by two."""
    n, m = A.shape
    last, before = A[1], A[0]
    for i in range(2, n):
        for j in range(m):
            out[i, j] = A[i, j] - 2.0 * last[j] + before[j]
        before = last
        last = A[i]
# oracle A=f8[40,16] out=f8[40,16]
