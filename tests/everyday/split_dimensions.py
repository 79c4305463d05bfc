"""Reshapes that split the dimensions of a part or a transpose: the same memory."""

import numpy as np
from numba import njit


def block_means(img, k=2):
    """Blocks of an image cut to a multiple of them."""
    h, w = img.shape
    return img[: h // k * k, : w // k * k].reshape(h // k, k, w // k, k).mean(axis=(1, 3))
# oracle img=f8[24,32] k=2
# oracle img=f8[25,33] k=2
# oracle img=f8[26,64] k=4


def split_transpose(A):
    """Groups of columns."""
    return A.T.reshape(A.shape[1], 5, A.shape[0] // 5).sum(axis=2)
# oracle A=f8[20,30]


def split_columns(A):
    """The first columns in groups."""
    return A[:, :16].reshape(A.shape[0], 4, 4).sum(axis=1)
# oracle A=f8[20,30]


def joined_transpose(A):
    """Joining dimensions that do not lie one behind the other copies."""
    return A.T.reshape(-1).sum()
# oracle A=f8[20,30]
