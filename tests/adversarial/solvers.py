"""Linear algebra and differential equations."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


def normal_equations(X, y):
    A = X.T @ X
    b = X.T @ y
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    w = np.zeros(n)
    for i in range(n - 1, -1, -1):
        w[i] = (b[i] - A[i, i + 1 :] @ w[i + 1 :]) / A[i, i]
    return w
# expect bound status = exact
# oracle X=f8[20,4] y=f8[20]


def conjugate_gradients(A, b, it):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for k in range(it):
        Ap = A @ p
        al = rs / (p @ Ap)
        x += al * p
        r -= al * Ap
        rn = r @ r
        p = r + rn / rs * p
        rs = rn
    return x
# expect bound status = exact
# oracle A=f8[12,12] b=f8[12] it=4


def lanczos_iteration(A, v, m):
    n = len(v)
    V = np.zeros((m + 1, n))
    a = np.zeros(m)
    b = np.zeros(m)
    V[0] = v / np.linalg.norm(v)
    for j in range(m):
        w = A @ V[j]
        if j > 0:
            w -= b[j - 1] * V[j - 1]
        a[j] = w @ V[j]
        w -= a[j] * V[j]
        b[j] = np.linalg.norm(w)
        V[j + 1] = w / b[j]
    return a, b
# expect bound status = exact
# oracle A=f8[12,12] v=f8[12] m=4


def arnoldi_iteration(A, v, m):
    Q = np.zeros((10, m + 1))
    H = np.zeros((m + 1, m))
    Q[:, 0] = v / np.sqrt(v @ v)
    for k in range(m):
        w = A @ Q[:, k]
        for j in range(k + 1):
            H[j, k] = Q[:, j] @ w
            w = w - H[j, k] * Q[:, j]
        H[k + 1, k] = np.linalg.norm(w)
        Q[:, k + 1] = w / H[k + 1, k]
    return H
# expect bound status = exact
# oracle A=f8[10,10] v=f8[10] m=4


def householder_qr(A):
    m, n = A.shape
    Q = np.eye(m)
    for k in range(n):
        x = A[k:, k]
        e = np.zeros_like(x)
        e[0] = np.sqrt((x**2).sum())
        u = x + e
        u = u / np.linalg.norm(u)
        A[k:] -= 2.0 * np.outer(u, u @ A[k:])
        Q[:, k:] -= 2.0 * np.outer(Q[:, k:] @ u, u)
    return Q, A
# expect bound status = exact
# oracle A=f8[8,5]


def sor_sweep_by_slices(u, f, w):
    for k in range(3):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] += w * 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j] - f[i, j])
# expect bound status = exact
# oracle u=f8[10,12] f=f8[10,12] w=1.5


@njit
def multigrid_restrict(n, f, c):
    for i in range(1, n):
        for j in range(1, n):
            c[i, j] = (
                4 * f[2 * i, 2 * j]
                + 2 * (f[2 * i - 1, 2 * j] + f[2 * i + 1, 2 * j] + f[2 * i, 2 * j - 1] + f[2 * i, 2 * j + 1])
                + f[2 * i - 1, 2 * j - 1]
                + f[2 * i + 1, 2 * j + 1]
                + f[2 * i - 1, 2 * j + 1]
                + f[2 * i + 1, 2 * j - 1]
            ) / 16
# expect bound status = exact
# oracle n=4 f=f8[9,9] c=f8[5,5]


@njit
def lattice_boltzmann_collision(n, m, f, w, ex, ey):
    for i in range(n):
        for j in range(m):
            rho = 0.0
            ux = 0.0
            uy = 0.0
            for q in range(9):
                rho += f[q, i, j]
                ux += ex[q] * f[q, i, j]
                uy += ey[q] * f[q, i, j]
            ux /= rho
            uy /= rho
            u2 = ux * ux + uy * uy
            for q in range(9):
                cu = ex[q] * ux + ey[q] * uy
                f[q, i, j] += 0.6 * (w[q] * rho * (1 + 3 * cu + 4.5 * cu**2 - 1.5 * u2) - f[q, i, j])
# expect bound status = exact
# oracle n=5 m=6 f=f8[9,5,6] w=f8[9] ex=i8[9]<2 ey=i8[9]<2


@njit
def maccormack_scheme(n, u, p, c):
    for i in range(n - 1):
        p[i] = u[i] - c * (u[i + 1] ** 2 / 2 - u[i] ** 2 / 2)
    for i in range(1, n - 1):
        u[i] = 0.5 * (u[i] + p[i] - c * (p[i] ** 2 / 2 - p[i - 1] ** 2 / 2))
# expect bound status = exact
# oracle n=20 u=f8[20] p=f8[20] c=0.4


@njit
def minmod_limiter(n, u, f):
    for i in range(1, n - 2):
        a = u[i] - u[i - 1]
        b = u[i + 1] - u[i]
        s = 0.5 * (np.sign(a) + np.sign(b)) * min(abs(a), abs(b))
        f[i] = u[i] + 0.5 * s
# expect bound status = exact
# oracle n=20 u=f8[20] f=f8[20]


@njit
def upwind_by_sign(n, u, v):
    for i in range(1, n - 1):
        if v[i] > 0:
            u[i] -= v[i] * (u[i] - u[i - 1])
        else:
            u[i] -= v[i] * (u[i + 1] - u[i])
# expect bound status = exact
# oracle n=20 u=f8[20] v=f8[20]


def kalman_filter(P, F, Q, H, R, x, z):
    for v in z:
        x = F @ x
        P = F @ P @ F.T + Q
        S = H @ P @ H.T + R
        K = P @ H.T / S
        x = x + K * (v - H @ x)
        P = P - K @ H @ P
    return x
# expect bound status = exact
# oracle P=f8[2,2] F=f8[2,2] Q=f8[2,2] H=f8[1,2] R=f8[1,1] x=f8[2,1] z=f8[6]


@njit
def newton_divided_differences(n, x, c):
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (x[i] - x[i - j])
# expect bound status = exact
# oracle n=8 x=f8[8] c=f8[8]


@njit
def uniform_spline(n, m, c, t, y):
    for k in range(m):
        u = t[k] - int(t[k])
        i = int(t[k])
        u2 = u * u
        y[k] = ((1 - u) ** 3 * c[i] + (3 * u2 * u - 6 * u2 + 4) * c[i + 1] + u**3 * c[i + 3]) / 6
# expect bound status = exact
# oracle n=8 m=6 c=f8[8] t=f8[6] y=f8[6]


@njit
def legendre_table(n, m, x, P):
    for k in range(m):
        P[0, k] = 1.0
        P[1, k] = x[k]
        for l in range(1, n - 1):
            P[l + 1, k] = ((2 * l + 1) * x[k] * P[l, k] - l * P[l - 1, k]) / (l + 1)
# expect bound status = exact
# oracle n=6 m=5 x=f8[5] P=f8[6,5]


@njit
def finite_element_assembly(n, K, h):
    for e in range(n):
        for a in range(2):
            for b in range(2):
                K[e + a, e + b] += (1.0 if a == b else -1.0) / h
# expect bound status = exact
# oracle n=8 K=f8[9,9] h=0.1


@njit
def spectral_element_apply(E, p, D, u, v):
    for e in range(E):
        for i in range(p):
            for j in range(p):
                s = 0.0
                for k in range(p):
                    s += D[i, k] * u[e, k, j] + D[j, k] * u[e, i, k]
                v[e, i, j] = s
# expect bound status = exact
# oracle E=2 p=4 D=f8[4,4] u=f8[2,4,4] v=f8[2,4,4]


@njit
def discontinuous_galerkin_fluxes(nf, own, nei, u, r):
    for f in range(nf):
        a = own[f]
        b = nei[f]
        fl = 0.5 * (u[a] + u[b]) - 0.5 * abs(u[a] - u[b])
        r[a] -= fl
        r[b] += fl
# expect bound status = exact
# oracle nf=6 own=i8[6]<5 nei=i8[6]<5 u=f8[5] r=f8[5]


@njit
def romberg_integration(n, R, x):
    h = 1.0
    for i in range(n):
        h *= 0.5
        s = 0.0
        for k in range(1, 2**i + 1):
            s += x[k]
        R[i, 0] = 0.5 * R[i - 1, 0] + h * s
        for j in range(1, i + 1):
            R[i, j] = R[i, j - 1] + (R[i, j - 1] - R[i - 1, j - 1]) / (4**j - 1)
    return R[n - 1, n - 1]
# expect bound status = exact
# oracle n=5 R=f8[5,5] x=f8[40]


@njit
def f(t, y):
    return -2.0 * y + t**2


@njit
def runge_kutta_with_a_function(n, h):
    t = 0.0
    y = 1.0
    for i in range(n):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h * k1 / 2)
        k3 = f(t + h / 2, y + h * k2 / 2)
        k4 = f(t + h, y + h * k3)
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y
# expect bound status = exact
# oracle n=5 h=0.1


@njit
def gauss_jordan(n, A, b):
    for k in range(n):
        p = 1.0 / A[k, k]
        for j in range(k, n):
            A[k, j] *= p
        b[k] *= p
        for i in range(n):
            if i != k:
                f = A[i, k]
                for j in range(k, n):
                    A[i, j] -= f * A[k, j]
                b[i] -= f * b[k]
# expect bound status = exact
# oracle n=6 A=f8[6,6] b=f8[6]


@njit
def jacobi_eigen_sweep(n, A):
    for p in range(n - 1):
        for q in range(p + 1, n):
            if abs(A[p, q]) > 1e-12:
                t = (A[q, q] - A[p, p]) / (2.0 * A[p, q])
                c = 1.0 / math.sqrt(t * t + 1.0)
                for k in range(n):
                    A[p, k], A[q, k] = c * A[p, k] - t * A[q, k], t * A[p, k] + c * A[q, k]
# expect bound status = parametric
# expect measured flops = exact
# oracle n=5 A=f8[5,5]


def blocks_by_a_helper(n, A, B):
    a, b, c, d = A[:n, :n], A[:n, n:], A[n:, :n], A[n:, n:]
    e, f, g, h = B[:n, :n], B[:n, n:], B[n:, :n], B[n:, n:]
    p1 = a @ (f - h)
    p2 = (a + b) @ h
    p3 = (c + d) @ e
    p4 = d @ (g - e)
    p5 = (a + d) @ (e + h)
    C = np.empty((2 * n, 2 * n))
    C[:n, :n] = p5 + p4 - p2
    C[:n, n:] = p1 + p2
    return C
# expect bound status = exact
# oracle n=4 A=f8[8,8] B=f8[8,8]


def gray_scott(u, v):
    def lap(a):
        return np.roll(a, 1, 0) + np.roll(a, -1, 0) + np.roll(a, 1, 1) + np.roll(a, -1, 1) - 4 * a

    uvv = u * v * v
    u += 0.16 * lap(u) - uvv + 0.06 * (1 - u)
    v += 0.08 * lap(v) + uvv - 0.1 * v
    return u, v
# expect bound status = exact
# oracle u=f8[8,9] v=f8[8,9]


@njit
def givens_qr(A, m, n):
    for j in range(n):
        for i in range(m - 1, j, -1):
            a = A[i - 1, j]
            b = A[i, j]
            r = math.hypot(a, b)
            c = a / r
            s = b / r
            for k in range(j, n):
                t = c * A[i - 1, k] + s * A[i, k]
                A[i, k] = c * A[i, k] - s * A[i - 1, k]
                A[i - 1, k] = t
# expect bound status = exact
# oracle n=5 m=6 A=f8[6,5]


def householder_slices(A, m, n):
    for j in range(n):
        v = A[j:, j].copy()
        v[0] += np.linalg.norm(v)
        v /= np.linalg.norm(v)
        A[j:, j:] -= 2.0 * np.outer(v, v @ A[j:, j:])
    return A
# expect bound status = exact
# oracle n=4 m=6 A=f8[6,4]
