"""Windows that share elements: views that slide, slices of a comprehension; loops over x.flat."""

import numpy as np
from numba import njit
from numpy.lib.stride_tricks import sliding_window_view


def root_mean_squares(x, w=16):
    """Squares of a view: a temporary of all windows."""
    return np.sqrt((sliding_window_view(x, w) ** 2).mean(axis=-1))
# oracle x=f8[400]
# oracle x=f8[900] w=5


def largest_of_windows(x, w=4):
    """A reduction of the view itself."""
    return np.lib.stride_tricks.sliding_window_view(x, w).max(axis=1)
# oracle x=f8[400]
# oracle x=f8[900] w=50


def means_of_squares_of_pixels(img, k):
    """Windows of two dimensions."""
    win = sliding_window_view(img, (k, k))
    return win.mean(axis=(2, 3))
# oracle img=f8[30,40] k=3
# oracle img=f8[64,100] k=5


def windows_along_rows(x, w):
    """Windows along one axis, by loops."""
    win = sliding_window_view(x, w, axis=1)
    out = np.empty(win.shape[:2])
    for i in range(win.shape[0]):
        for j in range(win.shape[1]):
            s = 0.0
            for k in range(w):
                s += win[i, j, k]
            out[i, j] = s
    return out
# oracle x=f8[30,40] w=3
# oracle x=f8[10,200] w=20


def filter_by_product(x, taps):
    """A product with a vector."""
    win = sliding_window_view(x, len(taps))
    return win @ taps
# oracle x=f8[400] taps=f8[8]


def shifted_slices_in_columns(x, w):
    """Slices of a comprehension, stacked as columns."""
    k = w.shape[0]
    n = x.shape[0] - k + 1
    cols = np.stack([x[i:i + n] for i in range(k)], axis=1)
    return cols @ w
# oracle x=f8[200] w=f8[5]
# oracle x=f8[600] w=f8[20]


def mean_of_shifted_slices(x, k):
    """An array of such slices."""
    n = x.shape[0] - k + 1
    return np.array([x[i:i + n] for i in range(k)]).mean(axis=0)
# oracle x=f8[200] k=5


def squares_of_columns(x, k):
    """Columns of such slices."""
    n = x.shape[0] - k
    return np.column_stack([x[i:i + n] for i in range(k)]) ** 2
# oracle x=f8[200] k=4


def overlapping_rows(A, k):
    """Rows that overlap, one behind the other."""
    return np.concatenate([A[i:i + 4] for i in range(k)])
# oracle A=f8[20,16] k=5


def weighted_shifts(x, w):
    """A loop over such slices."""
    n = len(x) - len(w) + 1
    y = np.zeros(n)
    for j, part in enumerate([x[i:i + n] for i in range(len(w))]):
        y += w[j] * part
    return y
# oracle x=f8[200] w=f8[5]


def stacked_columns(A, k):
    """Columns that share nothing."""
    return np.stack([A[:, i] for i in range(k)]) * 2.0
# oracle A=f8[20,16] k=5


@njit
def least_and_largest(img):
    """The least and the largest of an image, by its flat iterator."""
    lo = 255
    hi = 0
    for v in img.flat:
        if v < lo:
            lo = v
        if v > hi:
            hi = v
    return lo, hi
# oracle img=u1[40,60]
# oracle img=u1[128,128]


@njit
def numbered_elements(a):
    """The same with numbers."""
    s = 0.0
    for i, v in enumerate(a.flat):
        s += v * i
    return s
# oracle a=f8[40,60]


def differences_of_rows(u):
    """Differences along the first axis."""
    return np.diff(u, axis=0)[:, 1:-1] * 0.5
# oracle u=f8[40,30]


def unit_rows(X):
    """Norms that keep their axis."""
    return X / np.linalg.norm(X, axis=1, keepdims=True)
# oracle X=f8[40,30]
