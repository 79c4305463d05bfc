"""While loops on an integer that doubles or halves, with more in the test than one end."""

from numba import njit


@njit
def haar_inverse(x, tmp):
    """The first condition holds as long as the counter rises."""
    n = x.shape[0]
    m = 2
    while 2 <= m <= n:
        h = m // 2
        for i in range(h):
            tmp[2 * i] = (x[i] + x[h + i]) * 0.70710678
            tmp[2 * i + 1] = (x[i] - x[h + i]) * 0.70710678
        for i in range(m):
            x[i] = tmp[i]
        m = m * 2
# expect status = exact
# oracle x=f8[256] tmp=f8[256]
# oracle x=f8[1000] tmp=f8[1000]
# oracle x=f8[1] tmp=f8[1]


@njit
def haar_forward(x, tmp, levels):
    n = x.shape[0]
    m = n
    while levels <= m <= n and m > 1:
        h = m // 2
        for i in range(h):
            tmp[i] = (x[2 * i] + x[2 * i + 1]) * 0.70710678
            tmp[h + i] = (x[2 * i] - x[2 * i + 1]) * 0.70710678
        for i in range(m):
            x[i] = tmp[i]
        m = m // 2
# oracle x=f8[256] tmp=f8[256] levels=4
# oracle x=f8[1024] tmp=f8[1024] levels=1


@njit
def grown_until(x, y, tol):
    """Data may end the loop: its rounds are those until the end of the arrays."""
    n = x.shape[0]
    m = 2
    while m <= n and y[0] < tol:
        for i in range(m):
            y[i] += x[i]
        m = m * 2
# expect status = parametric
# oracle x=f8[256] y=f8[256] tol=1000000000.0
# oracle x=f8[1024] y=f8[1024] tol=1000000000.0


@njit
def distances_until(x, y, tol):
    n = x.shape[0]
    m = 1
    while m < n:
        for i in range(n - m):
            y[i] += x[i + m]
        if y[0] > tol:
            break
        m = m * 2
# expect status = parametric
# oracle x=f8[256] y=f8[256] tol=1000000000.0
# oracle x=f8[1024] y=f8[1024] tol=1000000000.0
