"""Tests that have a name: under it they are what they were, as long as their parts have not changed."""

from numba import njit


@njit
def along_or_across(u, v, n, first=1):
    """The direction has a name."""
    for s in range(n):
        along = (s + first) % 2 == 1
        if along:
            for i in range(u.size):
                v[i] = u[i] + 1.0
        else:
            for i in range(u.size):
                v[i] = u[i] * u[i] + 2.0
# expect status = exact
# oracle u=f8[100] v=f8[100] n=4
# oracle u=f8[100] v=f8[100] n=5 first=0


@njit
def inside_or_border(u, out):
    """So has the inside of an image, which is asked for its opposite."""
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            inside = i > 0 and i < n - 1 and j > 0 and j < m - 1
            if not inside:
                out[i, j] = 0.0
                continue
            out[i, j] = u[i, j - 1] + u[i, j + 1] + u[i - 1, j] + u[i + 1, j]
# expect status = exact
# oracle u=f8[20,24] out=f8[20,24]


@njit
def from_the_iteration_before(u, n):
    """A test that the next iteration asks is not that of before the loop."""
    flag = n > 3
    s = 0.0
    for i in range(n):
        if flag:
            s += u[i] * 2.0
        flag = i == 3
    return s
# oracle u=f8[100] n=10


@njit
def parts_that_change(u, n):
    """What the test was made of changes before it is asked."""
    s = 0.0
    for i in range(n):
        k = i
        last = k == n - 1
        k = 0
        if last:
            s += u[i] * 3.0 + 1.0
        s += u[k]
    if last:
        s += 1.0
    return s
# oracle u=f8[30] n=20


@njit
def one_of_two_tests(u, n):
    """Data choose which of two tests has the name."""
    s = 0.0
    for i in range(n):
        if u[i] > 0.5:
            early = i < 5
        else:
            early = i < 10
        if early:
            s += u[i] * 3.0
    return s
# oracle u=f8[30] n=20


@njit
def asked_in_a_helper(u, first, k):
    return u * 2.0 if first else u + float(k)


@njit
def passed_on(u, n):
    """A helper has names of its own."""
    s = 0.0
    for i in range(n):
        first = i < 3
        s += asked_in_a_helper(u[i], first, i)
    return s
# oracle u=f8[30] n=20


@njit
def two_directions(u, v, a, order="xy"):
    """A test that is compared with another one, and has a name."""
    n = u.shape[0]
    for sweep in range(2):
        rows_first = order == "xy"
        along_rows = (sweep == 0) == rows_first
        across = not along_rows
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                if across:
                    v[j, i] = u[j, i] + a * (u[j - 1, i] + u[j + 1, i])
                else:
                    v[i, j] = u[i, j] + a * (u[i, j - 1] + u[i, j + 1])
# expect levels = estimate
# oracle u=f8[24,24] v=f8[24,24] a=0.1
