"""Passes: rows by a helper of two values, buffers that change places, rings, bands, blocks and steps."""

import math

import numpy as np
from numba import njit


@njit
def minmax(x):
    lo = x[0]
    hi = x[0]
    for v in x[1:]:
        if v < lo:
            lo = v
        elif v > hi:
            hi = v
    return lo, hi


@njit
def normalise_rows(A, out):
    for i in range(A.shape[0]):
        lo, hi = minmax(A[i])
        span = hi - lo
        if span == 0.0:
            out[i, :] = 0.0
        else:
            for j in range(A.shape[1]):
                out[i, j] = (A[i, j] - lo) / span
# oracle A=f8[20,40] out=f8[20,40]


@njit
def jacobi_pair(u, v, f, h2, maxit=50, tol=0.0):
    n = u.size
    for it in range(maxit):
        err = 0.0
        for i in range(1, n - 1):
            v[i] = 0.5 * (u[i - 1] + u[i + 1] - h2 * f[i])
            err = max(err, abs(v[i] - u[i]))
        u, v = v, u
        if err < tol:
            break
    return u, it
# oracle u=f8[200] v=f8[200] f=f8[200] h2=0.01 maxit=6 tol=0.0


@njit
def runge_kutta_orbits(state, dt, steps, mu=1.0):
    n = state.shape[0]
    k = np.empty((4, 4))
    tmp = np.empty(4)
    for _ in range(steps):
        for p in range(n):
            for s in range(4):
                c = 0.0 if s == 0 else (1.0 if s == 3 else 0.5)
                for d in range(4):
                    tmp[d] = state[p, d] + (c * dt * k[s - 1, d] if s > 0 else 0.0)
                r2 = tmp[0] ** 2 + tmp[1] ** 2
                r3 = r2 * math.sqrt(r2)
                k[s, 0] = tmp[2]
                k[s, 1] = tmp[3]
                k[s, 2] = -mu * tmp[0] / r3
                k[s, 3] = -mu * tmp[1] / r3
            for d in range(4):
                state[p, d] += dt / 6.0 * (k[0, d] + 2.0 * k[1, d] + 2.0 * k[2, d] + k[3, d])
# oracle state=f8[60,4] dt=0.01 steps=4


@njit
def block_average(img, out, b):
    h, w = img.shape
    for i in range(0, h - b + 1, b):
        for j in range(0, w - b + 1, b):
            acc = np.uint32(0)
            for y in range(i, i + b):
                for x in range(j, j + b):
                    acc += img[y, x]
            out[i // b, j // b] = acc // (b * b)
# oracle img=u1[48,64]<256 out=u1[12,16] b=4


@njit
def dither_rows(img, out, err):
    h, w = img.shape
    for i in range(h):
        cur = i % 2
        nxt = 1 - cur
        for j in range(w + 2):
            err[nxt, j] = 0.0
        for j in range(w):
            v = img[i, j] + err[cur, j + 1]
            q = 255.0 if v > 127.0 else 0.0
            out[i, j] = q
            e = v - q
            err[cur, j + 2] += e * 7.0 / 16.0
            err[nxt, j] += e * 3.0 / 16.0
            err[nxt, j + 1] += e * 5.0 / 16.0
            err[nxt, j + 2] += e / 16.0
# oracle img=u1[30,50]<256 out=u1[30,50] err=f8[2,52]


@njit
def banded_dtw(a, b, D, w):
    n, m = a.size, b.size
    D[:] = np.inf
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        lo = max(1, i - w)
        hi = min(m, i + w)
        for j in range(lo, hi + 1):
            c = abs(a[i - 1] - b[j - 1])
            D[i, j] = c + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]
# oracle a=f8[50] b=f8[50] D=f8[51,51] w=6


@njit
def tridiagonal_ring(a, b, c, r, x, bb, u, z):
    n = b.size
    gamma = -b[0]
    for i in range(n):
        bb[i] = b[i]
        u[i] = 0.0
    bb[0] = b[0] - gamma
    u[0] = gamma
    for i in range(1, n):
        m = a[i] / bb[i - 1]
        bb[i] -= m * c[i - 1]
        r[i] -= m * r[i - 1]
        u[i] -= m * u[i - 1]
    x[n - 1] = r[n - 1] / bb[n - 1]
    z[n - 1] = u[n - 1] / bb[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (r[i] - c[i] * x[i + 1]) / bb[i]
        z[i] = (u[i] - c[i] * z[i + 1]) / bb[i]
    f = (x[0] + x[n - 1]) / (1.0 + z[0] + z[n - 1])
    for i in range(n):
        x[i] -= f * z[i]
# oracle a=f8[200] b=f8[200] c=f8[200] r=f8[200] x=f8[200] bb=f8[200] u=f8[200] z=f8[200]


@njit
def two_level(coarse, fine, ratio=4):
    nc = coarse.size
    for i in range(nc):
        left = coarse[i - 1] if i > 0 else coarse[0]
        right = coarse[i + 1] if i + 1 < nc else coarse[nc - 1]
        slope = 0.5 * (right - left)
        for k in range(ratio):
            fine[i * ratio + k] = coarse[i] + slope * ((k + 0.5) / ratio - 0.5)
# oracle coarse=f8[100] fine=f8[400]


@njit
def crop_growth(temp, par, lai, bio, stage, params):
    for d in range(temp.size):
        tt = max(0.0, temp[d] - params[0])
        stage += tt / params[1]
        if stage < 1.0:
            lai += params[2] * tt
        elif stage < 2.0:
            lai -= params[3] * tt
            if lai < 0.0:
                lai = 0.0
        else:
            break
        bio[d] = params[4] * par[d] * (1.0 - math.exp(-0.65 * lai))
    return stage, lai
# oracle temp=f8[200] par=f8[200] lai=0.1 bio=f8[200] stage=0.0 params=f8[5]


@njit
def erode_until(mask, tmp, n):
    h, w = mask.shape
    for _ in range(n):
        for i in range(h):
            for j in range(w):
                keep = mask[i, j]
                if keep and (i == 0 or i == h - 1 or j == 0 or j == w - 1):
                    keep = 0
                elif keep:
                    keep = mask[i - 1, j] & mask[i + 1, j] & mask[i, j - 1] & mask[i, j + 1]
                tmp[i, j] = keep
        mask[:] = tmp
    return mask.sum()
# oracle mask=b1[24,30] tmp=b1[24,30] n=3


def numpy_gradient_descent(X, y, w, lr=0.1, epochs=3):
    n = X.shape[0]
    for _ in range(epochs):
        p = 1.0 / (1.0 + np.exp(-(X @ w)))
        g = X.T @ (p - y) / n
        w -= lr * g
    return w
# oracle X=f8[80,6] y=f8[80] w=f8[6]


def numpy_life(grid):
    n = np.zeros_like(grid)
    for di in (-1, 0, 1):
        for dj in (-1, 0, 1):
            if di or dj:
                n += np.roll(np.roll(grid, di, axis=0), dj, axis=1)
    return ((n == 3) | ((grid == 1) & (n == 2))).astype(grid.dtype)
# oracle grid=i4[20,30]<2
