"""Filters over time and space: recursive ones, limited slopes, a Kalman filter, patches that resemble each other."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def lfilter(b, a, x, y, z):
    """Direct form II transposed."""
    order = len(b) - 1
    for n in range(len(x)):
        xn = x[n]
        yn = b[0] * xn + z[0]
        for k in range(1, order):
            z[k - 1] = b[k] * xn + z[k] - a[k] * yn
        z[order - 1] = b[order] * xn - a[order] * yn
        y[n] = yn
# oracle b=f8[7] a=f8[7] x=f8[600] y=f8[600] z=f8[6]


@njit
def minmod(a, b):
    if a * b <= 0.0:
        return 0.0
    return a if abs(a) < abs(b) else b


@njit
def muscl(u, un, flux, c, dt, dx, nt):
    """Second-order advection with limited slopes, periodic ghost cells."""
    n = len(u)
    for t in range(nt):
        u[0] = u[n - 4]
        u[1] = u[n - 3]
        u[n - 2] = u[2]
        u[n - 1] = u[3]
        for i in range(1, n - 2):
            slope = minmod(u[i] - u[i - 1], u[i + 1] - u[i])
            flux[i] = c * (u[i] + 0.5 * (1.0 - c * dt / dx) * slope)
        for i in range(2, n - 2):
            un[i] = u[i] - dt / dx * (flux[i] - flux[i - 1])
        for i in range(2, n - 2):
            u[i] = un[i]
# oracle u=f8[300] un=f8[300] flux=f8[300] c=1.0 dt=0.01 dx=0.02 nt=4


def kalman(z, x0, P0, F, H, Q, R):
    """Linear Kalman filter over a series, in NumPy."""
    n = len(z)
    x = x0
    P = P0
    out = np.zeros((n, len(x0)))
    for t in range(n):
        x = F @ x
        P = F @ P @ F.T + Q
        y = z[t] - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T / S
        x = x + K * y
        P = P - np.outer(K, H @ P)
        out[t] = x
    return out
# oracle z=f8[60] x0=f8[4] P0=f8[4,4] F=f8[4,4] H=f8[4] Q=f8[4,4] R=0.5


@njit
def nl_means(img, out, patch=1, search=3, h=0.1):
    """Non-local means with windows clamped at the border."""
    H, W = img.shape
    for y in range(H):
        for x in range(W):
            total = 0.0
            norm = 0.0
            for v in range(max(patch, y - search), min(H - patch, y + search + 1)):
                for u in range(max(patch, x - search), min(W - patch, x + search + 1)):
                    d = 0.0
                    for j in range(-patch, patch + 1):
                        for i in range(-patch, patch + 1):
                            yy = min(max(y + j, 0), H - 1)
                            xx = min(max(x + i, 0), W - 1)
                            diff = img[yy, xx] - img[v + j, u + i]
                            d += diff * diff
                    w = math.exp(-d / (h * h))
                    total += w * img[v, u]
                    norm += w
            out[y, x] = total / norm
# oracle img=f8[10,20] out=f8[10,20] patch=1 search=2 h=0.5


@njit
def semi_lagrangian(q, q_new, u, v, dt, dx):
    """Advection on a periodic grid: back along the velocity, then bilinear."""
    ny, nx = q.shape
    for j in range(ny):
        for i in range(nx):
            x = i - dt / dx * u[j, i]
            y = j - dt / dx * v[j, i]
            i0 = int(math.floor(x))
            j0 = int(math.floor(y))
            fx = x - i0
            fy = y - j0
            a = q[j0 % ny, i0 % nx]
            b = q[j0 % ny, (i0 + 1) % nx]
            c = q[(j0 + 1) % ny, i0 % nx]
            d = q[(j0 + 1) % ny, (i0 + 1) % nx]
            q_new[j, i] = (a * (1 - fx) + b * fx) * (1 - fy) + (c * (1 - fx) + d * fx) * fy
# oracle q=f8[20,30] q_new=f8[20,30] u=f8[20,30] v=f8[20,30] dt=0.1 dx=1.0


@njit
def systematic_resample(weights, particles, new, u0):
    """Systematic resampling of a particle filter."""
    n = weights.shape[0]
    d = particles.shape[1]
    total = 0.0
    for i in range(n):
        total += weights[i]
    c = weights[0] / total
    i = 0
    for k in range(n):
        u = (u0 + k) / n
        while u > c and i < n - 1:
            i += 1
            c += weights[i] / total
        for j in range(d):
            new[k, j] = particles[i, j]
    for k in range(n):
        weights[k] = 1.0 / n
# oracle weights=f8[500] particles=f8[500,4] new=f8[500,4] u0=0.3


@njit
def resample_poly(x, up, down, h):
    """Rational resampling, taps by phase."""
    n = len(x)
    m = len(h)
    n_out = (n * up) // down
    out = np.zeros(n_out)
    for i in range(n_out):
        t = i * down
        phase = t % up
        base = t // up
        acc = 0.0
        k = phase
        j = base
        while k < m and j >= 0:
            if j < n:
                acc += h[k] * x[j]
            k += up
            j -= 1
        out[i] = acc
    return out
# oracle x=f8[300] up=3 down=2 h=f8[24]
