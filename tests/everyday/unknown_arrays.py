"""Arrays of which nothing is known: no figure says exact."""

import numpy as np
from numba import njit


def roots_of_frames(x, k, hop):
    """A join of frames that the end of the signal may cut."""
    frames = np.vstack([x[i * hop:i * hop + k] for i in range(8)])
    return np.sqrt(frames)
# oracle x=f8[200] k=32 hop=16


def frames_in_place(x, k, hop):
    """In place."""
    frames = np.vstack([x[i * hop:i * hop + k] for i in range(8)])
    frames -= 1.0
    return -frames
# oracle x=f8[200] k=32 hop=16


def first_frame(x, k, hop):
    """A part of it."""
    frames = np.vstack([x[i * hop:i * hop + k] for i in range(8)])
    return frames[0] * 2.0
# oracle x=f8[200] k=32 hop=16


def squares_of_a_grown_list(x):
    """A list that a loop fills."""
    out = []
    for v in x:
        out.append(v * 2.0)
    return np.array(out) ** 2
# oracle x=f8[20]
# expect status = bounded


def scaled_above_one(x):
    """Under a condition."""
    out = []
    for i in range(len(x)):
        if x[i] > 1.0:
            out.append(x[i])
    y = np.array(out)
    return y * 2.0 + 1.0
# oracle x=f8[20]
# expect status = bounded
# known traffic: an array made of a list that grows


def exponentials_of_parts(x):
    """Parts of different lengths."""
    rows = []
    for i in range(4):
        rows.append(x[i:])
    y = np.concatenate(rows)
    return np.exp(y)
# oracle x=f8[20]
# expect status = bounded
