"""Indices that are reflected at the ends of an array, or start again at its other end."""

from numba import njit


@njit
def mirror_blur(img, out):
    """A 3x3 mean, reflected at the edges by tests that exclude each other."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            s = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    y = i + di
                    x = j + dj
                    if y < 0:
                        y = -y
                    elif y >= h:
                        y = 2 * h - 2 - y
                    if x < 0:
                        x = -x
                    elif x >= w:
                        x = 2 * w - 2 - x
                    s += img[y, x]
            out[i, j] = s / 9.0


# oracle img=f8[24,40] out=f8[24,40]


@njit
def symmetric_edge(x, out, r):
    """A window reflected about the edges themselves."""
    n = len(x)
    for i in range(n):
        s = 0.0
        for k in range(-r, r + 1):
            j = i + k
            if j < 0:
                j = -j - 1
            if j > n - 1:
                j = 2 * n - j - 1
            s += x[j]
        out[i] = s


# oracle x=f8[200] out=f8[200] r=3


@njit
def wrap_if(x, out, r):
    """A window on a ring, by two tests."""
    n = len(x)
    for i in range(n):
        s = 0.0
        for k in range(-r, r + 1):
            j = i + k
            if j < 0:
                j += n
            if j >= n:
                j -= n
            s += x[j]
        out[i] = s


# oracle x=f8[200] out=f8[200] r=3


@njit
def wrap_if_2d(u, out):
    """A 3x3 sum on a torus, by tests."""
    h, w = u.shape
    for i in range(h):
        for j in range(w):
            s = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    y = i + di
                    x = j + dj
                    if y < 0:
                        y += h
                    elif y >= h:
                        y -= h
                    if x < 0:
                        x += w
                    elif x >= w:
                        x -= w
                    s += u[y, x]
            out[i, j] = s


# oracle u=f8[24,40] out=f8[24,40]
# known traffic: the rows of a window that wraps around, at a distance near the capacity


@njit
def abs_mirror(u, out):
    """Neighbours reflected by absolute values."""
    n = len(u)
    for i in range(n):
        out[i] = u[abs(i - 1)] + u[n - 1 - abs(n - 2 - i)]


# oracle u=f8[200] out=f8[200]


@njit
def replicate(img, out, r):
    """A column window clamped by tests."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            s = 0.0
            for di in range(-r, r + 1):
                y = i + di
                if y < 0:
                    y = 0
                if y > h - 1:
                    y = h - 1
                s += img[y, j]
            out[i, j] = s


# oracle img=f8[24,40] out=f8[24,40] r=2


@njit
def window_symmetric(w, x, out):
    """Half a window, read from its middle outwards."""
    n = len(x)
    c = n // 2
    for i in range(n):
        out[i] = x[i] * w[abs(i - c)]


# oracle w=f8[101] x=f8[200] out=f8[200]


@njit
def mirror_radius(img, out, r):
    """A square window, reflected by absolute values and tests."""
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            s = 0.0
            for di in range(-r, r + 1):
                for dj in range(-r, r + 1):
                    y = abs(i + di)
                    x = abs(j + dj)
                    if y >= h:
                        y = 2 * h - 2 - y
                    if x >= w:
                        x = 2 * w - 2 - x
                    s += img[y, x]
            out[i, j] = s


# oracle img=f8[24,40] out=f8[24,40] r=1


@njit
def band_work(x, out):
    """Loops as long as a distance."""
    n = len(x)
    for i in range(n):
        for j in range(n):
            d = i - j
            if d < 0:
                d = -d
            s = 0.0
            for k in range(d):
                s += x[k]
            out[i] += s


# oracle x=f8[30] out=f8[30]


@njit
def toeplitz_abs(t, x, y):
    """A symmetric Toeplitz matrix by its first column."""
    n = len(x)
    for i in range(n):
        s = 0.0
        for j in range(n):
            s += t[abs(i - j)] * x[j]
        y[i] = s


# oracle t=f8[100] x=f8[100] y=f8[100]


@njit
def wrap_q(u, out):
    """Three directions on a ring of rows, each in a field of its own."""
    n, m, q = u.shape
    for i in range(n):
        for j in range(m):
            out[(i + 1) % n, j, 0] = u[i, j, 0]
            out[(i - 1) % n, j, 1] = u[i, j, 1]
            out[i, j, 2] = u[i, j, 2]


# oracle u=f8[12,16,3] out=f8[12,16,3]


@njit
def wrap_q9(u, out):
    """The same among nine fields."""
    n, m, q = u.shape
    for i in range(n):
        for j in range(m):
            out[(i + 1) % n, j, 0] = u[i, j, 0]
            out[(i - 1) % n, j, 1] = u[i, j, 1]
            out[i, j, 2] = u[i, j, 2]


# oracle u=f8[12,16,9] out=f8[12,16,9]


@njit
def wrap_both(u, out):
    """Two diagonal directions on a torus."""
    n, m = u.shape
    for i in range(n):
        for j in range(m):
            out[(i + 1) % n, (j + 1) % m] = u[i, j]
            out[(i - 1) % n, (j - 1) % m] = u[i, j]
            out[i, j] = u[i, j]


# oracle u=f8[12,64] out=f8[12,64]


@njit
def savgol(x, coef, out, mode):
    """Savitzky-Golay with edges by mode."""
    n = len(x)
    m = len(coef)
    h = m // 2
    for i in range(n):
        s = 0.0
        for k in range(m):
            p = i + k - h
            if mode == 0:
                p = min(max(p, 0), n - 1)
            elif mode == 1:
                if p < 0:
                    p = -p
                if p >= n:
                    p = 2 * n - 2 - p
            s += coef[k] * x[p]
        out[i] = s


# oracle x=f8[200] coef=f8[5] out=f8[200] mode=0
# oracle x=f8[200] coef=f8[5] out=f8[200] mode=1


@njit
def _mirrored(i, n):
    if i < 0:
        return -i
    if i >= n:
        return 2 * n - 2 - i
    return i


@njit
def mirror_by_helper(img, tmp, out, ker):
    """A filter along rows, then along columns, with an index that a helper reflects."""
    h, w = img.shape
    r = ker.size // 2
    for i in range(h):
        for j in range(w):
            s = 0.0
            for k in range(-r, r + 1):
                s += ker[k + r] * img[i, _mirrored(j + k, w)]
            tmp[i, j] = s
    for i in range(h):
        for j in range(w):
            s = 0.0
            for k in range(-r, r + 1):
                s += ker[k + r] * tmp[_mirrored(i + k, h), j]
            out[i, j] = s


# oracle img=f8[24,30] tmp=f8[24,30] out=f8[24,30] ker=f8[5]


@njit
def _on_ring(i, n):
    if n < 1:
        raise ValueError("an empty ring")
    if i < 0:
        return i + n
    elif i >= n:
        return i - n
    return i


@njit
def ring_by_helper(x, out):
    n = len(x)
    for j in range(n):
        s = 0.0
        for k in range(-2, 3):
            s += x[_on_ring(j + k, n)]
        out[j] = s


# oracle x=f8[300] out=f8[300]
