"""Values of unknown type: a count of their operations is no bound, because they may be integers or arrays."""

import numpy as np


def masked_number(x):
    """A mask makes an array of a number."""
    p = np.sum(x) / 4.0
    p = p[p > 0.0]
    return np.sum(p * np.log(p))
# expect bound status = bounded
# oracle x=f8[8]


def from_a_dict(n):
    """The integers of a dict are no floating-point work."""
    levels = {}
    levels[0] = 0
    top = 0
    for i in range(n):
        top = max(top, levels[0] + 1)
    return top
# expect bound status = bounded
# oracle n=5


def total_variation(image):
    """Along an axis that is not known: the differences may be of integers, whose sum is no floating-point work."""
    return sum(np.sum(np.abs(np.diff(image, axis=i))) for i in range(image.ndim))
# expect bound status = bounded
# oracle image=i8[8,2]
# oracle image=f8[8,2]
