"""Compiled functions whose types only stores, operators and docstrings tell."""

import numpy as np
from numba import njit


@njit
def stored_complex(psi, v, dt):
    new = np.zeros(len(psi), dtype=np.complex128)
    for i in range(1, len(psi) - 1):
        new[i] = psi[i] - 1j * dt * (v[i] * psi[i])
    for i in range(len(psi)):
        psi[i] = new[i]
# expect status = exact
# oracle psi=c16[30] v=f8[30] dt=0.1


@njit
def stored_through_a_name(z, w, theta):
    for i in range(len(z)):
        turn = np.exp(1j * theta)
        z[i] = turn * w[i]
        w[i] = abs(turn) * 2.0
# expect status = exact
# oracle z=c16[30] w=f8[30] theta=0.5


@njit
def rotated(z, phase):
    """Rotate complex numbers.

    Parameters
    ----------
    z : ndarray of complex128
        Changed in place.
    phase : float
    """
    for i in range(len(z)):
        z[i] = z[i] * z[i] * phase
# expect status = exact
# oracle z=c16[30] phase=0.5


@njit
def halved(img, out):
    """Halve the values of img (uint8, shape (H, W, 3)) as integers; out is uint8."""
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            for c in range(3):
                out[i, j, c] = img[i, j, c] // 2 + 1
# expect status = exact
# oracle img=u1[4,5,3] out=u1[4,5,3]


@njit
def brightness(img, weights):
    """The weighted sum of an image.

    img : (H, W, 3) array of float32
    weights : float32 vector
    """
    total = 0.0
    for row in img:
        for pixel in row:
            total += (pixel * weights).sum()
    return total
# expect status = exact
# oracle img=f4[4,5,3] weights=f4[3]
