"""What a call says of its result: the order of its elements, their type, whether an array may be itself."""

import numpy as np


def raveled_in_columns(x):
    return x.ravel(order="F") * 2.0
# oracle x=f8[24,20]


def reshaped_in_columns(x):
    return np.reshape(x, (12, 40), order="F") + 1.0
# oracle x=f8[24,20]


def flattened_in_columns(x):
    return x.flatten("F")
# oracle x=f8[24,20]


def wanted_in_columns(x):
    """The second is there already."""
    y = np.asarray(x, order="F")
    return np.asarray(y, order="F") * 2.0, np.asfortranarray(y), np.array(x, order="F")
# oracle x=f8[24,20]
# oracle x=f8[24,20]F


def itself_if_it_may(x):
    return x.astype(np.float64, copy=False), np.array(x, copy=False), np.array(x, dtype=np.float64, copy=None)
# oracle x=f8[24,20]


def rows_of_another_type(x):
    return np.array([x[0], x[2]], dtype=np.float32), np.asarray((x, x), dtype="f4")
# oracle x=f8[24,20]


def joined_as(x):
    return np.stack([x, x], dtype=np.float64), np.concatenate([x, x], dtype=np.float64)
# oracle x=f4[24,20]


def diagonal_by_indices(n):
    """An index that is written twice is read twice."""
    A = np.zeros((n, n))
    i = np.arange(n)
    A[i, i] = 2.0
    A[i[:-1], i[1:]] = -1.0
    return A
# oracle n=24


def places_on_the_diagonal(A, i):
    A[i, i] += 1.0
    return A[i, i]
# oracle A=f8[24,24] i=i8[9]<24
