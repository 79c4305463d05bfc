"""Walks that begin where data say: windows, segments, crops, and indices that are an element and more."""

from numba import njit


@njit
def knapsack(weights, values, cap, dp):
    """The items of a knapsack: capacities run down, each reads one that is an item's weight below it."""
    n = len(weights)
    for i in range(n):
        w = weights[i]
        v = values[i]
        for c in range(cap, w - 1, -1):
            t = dp[c - w] + v
            if t > dp[c]:
                dp[c] = t
    return dp[cap]


# oracle weights=i8[20]<30 values=i8[20] cap=200 dp=i8[201]


@njit
def crops(x, starts, out):
    """Windows that begin where data say, copied one by one."""
    n, m = out.shape
    for i in range(n):
        s = starts[i]
        for k in range(m):
            out[i, k] = x[s + k]


# oracle x=f8[2000] starts=i8[40]<1900 out=f8[40,48]


@njit
def crop_slices(x, starts, out, m):
    """The same as slices."""
    for i in range(len(starts)):
        s = starts[i]
        out[i] = x[s : s + m].sum()


# oracle x=f8[2000] starts=i8[40]<1900 out=f8[40] m=64


@njit
def patch_at(img, ys, xs, out):
    """Patches of an image about points."""
    n, p, _ = out.shape
    for i in range(n):
        y0 = ys[i]
        x0 = xs[i]
        for a in range(p):
            for b in range(p):
                out[i, a, b] = img[y0 + a, x0 + b]


# oracle img=f8[64,128] ys=i8[20]<20 xs=i8[20]<20 out=f8[20,16,16]


@njit
def spread_kernel(x, q, grid, w, dx):
    """Each particle spreads over the cells about it."""
    k = len(w)
    for p in range(len(x)):
        i = int(x[p] / dx)
        for j in range(k):
            grid[i + j] += q * w[j]


# oracle x=f8[60] q=1.0 grid=f8[400] w=f8[24] dx=0.01


@njit
def butterflies(re, n):
    """Walsh-Hadamard: the half length doubles."""
    h = 1
    while h < n:
        for i in range(0, n, 2 * h):
            for k in range(h):
                a = re[i + k]
                b = re[i + k + h]
                re[i + k] = a + b
                re[i + k + h] = a - b
        h *= 2


# oracle re=f8[128] n=128


@njit
def window_means(x, centers, out, h):
    """A loop from one number of the data to another that is a window away."""
    for i in range(len(centers)):
        c = centers[i]
        s = 0.0
        for k in range(c - h, c + h + 1):
            s += x[k]
        out[i] = s / (2 * h + 1)


# oracle x=f8[2000] centers=i8[40]<1900 out=f8[40] h=0


@njit
def segment_sums(x, lo, hi, out):
    """Segments between numbers of the data."""
    for i in range(len(lo)):
        s = 0.0
        for k in range(lo[i], hi[i]):
            s += x[k]
        out[i] = s


# oracle x=f8[2000] lo=i8[30]<100 hi=i8[30]<1900 out=f8[30]
