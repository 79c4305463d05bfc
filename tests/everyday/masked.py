"""Elements that a boolean mask selects: NumPy visits them in the order of memory."""

import numpy as np


def lift_low(x):
    """A mask of a comparison, written through."""
    x[x < 0.8] = 0.8
    return x
# oracle x=f8[3000]


def mean_of_valid(x, valid):
    """A mask that the caller has."""
    return x[valid].mean()
# oracle x=f8[3000] valid=b1[3000]


def stretch_high(a):
    """A mask of two dimensions, read and written in passes of their own."""
    m = a > 1.0
    a[m] = a[m] * 2.0 + 1.0
# oracle a=f8[40,50]


def sum_of_kept(a, keep):
    """Rows that a mask keeps."""
    return a[keep].sum(axis=0)
# oracle a=f8[300,6] keep=b1[300]


def blacken(img, m):
    """Two channels of the pixels that a mask selects."""
    img[m, 0] = 0.0
    img[m, 2] = 1.0
# oracle img=f8[30,40,3] m=b1[30,40]


def doubled_often(x, chosen, n):
    """The same mask in each step."""
    for _ in range(n):
        x[chosen] = x[chosen] * 2
# oracle x=f8[900] chosen=b1[900] n=9
# oracle x=c16[900] chosen=b1[900] n=9
# known traffic: a line that a mask leaves out may come back a step later


def drained(x, n):
    """A mask that changes from step to step."""
    s = 0.0
    for _ in range(n):
        y = x[x > 0.9]
        x *= 0.9
        s += y.sum()
    return s
# oracle x=f8[900] n=6
# known traffic: a line that a mask leaves out may come back a step later


def escaped(c, n):
    """The Mandelbrot set by whole arrays: the points that have not escaped move on."""
    z = np.zeros(c.shape, dtype=np.complex128)
    when = np.zeros(c.shape, dtype=np.int64)
    for t in range(n):
        inside = np.abs(z) < 2.0
        when[inside] = t
        z[inside] = z[inside] ** 2 + c[inside]
    return when
# oracle c=c16[17,20] n=6
# known traffic: a line that a mask leaves out may come back a step later
