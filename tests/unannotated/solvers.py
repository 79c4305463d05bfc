"""Time steps, iterations and factorizations."""

import math

import numpy as np

# isolated: each kernel below is a file of its own


def f(y, k):
    return -k * y + y**2


def runge_kutta_4(y, h, k):
    k1 = f(y, k)
    k2 = f(y + 0.5 * h * k1, k)
    k3 = f(y + 0.5 * h * k2, k)
    k4 = f(y + h * k3, k)
    return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
# expect status = exact
# oracle y=f8[7] h=0.1 k=2.0


def lorenz_step(s, dt):
    x, y, z = s[0], s[1], s[2]
    dx = 10.0 * (y - x)
    dy = x * (28.0 - z) - y
    dz = x * y - 8.0 / 3.0 * z
    return np.array([x + dt * dx, y + dt * dy, z + dt * dz])
# expect status = exact
# oracle s=f8[3] dt=0.01


def rotate(pts, theta):
    c, s = np.cos(theta), np.sin(theta)
    R = np.array([[c, -s], [s, c]])
    return pts @ R.T
# expect status = exact
# oracle pts=f8[6,2] theta=0.3


def diffusion_with_coefficients(u, D, dt):
    flux = D[1:, :] * (u[1:, :] - u[:-1, :])
    u[1:-1, :] += dt * (flux[1:, :] - flux[:-1, :])
# expect status = exact
# oracle u=f8[6,7] D=f8[6,7] dt=0.1


def shallow_water(h, u, g, dt, dx):
    un = u.copy()
    u[1:-1, :] -= g * dt / (2.0 * dx) * (h[2:, :] - h[:-2, :])
    h[1:-1, :] -= dt / (2.0 * dx) * (h[1:-1, :] * (un[2:, :] - un[:-2, :]))
# expect status = exact
# oracle h=f8[6,7] u=f8[6,7] g=9.8 dt=0.1 dx=0.5


def spin_energy(s, J, B):
    nb = np.roll(s, 1, axis=0) + np.roll(s, 1, axis=1)
    return -J * np.sum(s * nb) - B * np.sum(s)
# expect status = exact
# oracle s=f8[6,6] J=1.0 B=0.2


def coulomb(q, r):
    n = len(q)
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = r[i] - r[j]
            e += q[i] * q[j] / np.sqrt(np.dot(d, d))
    return e
# expect status = exact
# oracle q=f8[6] r=f8[6,3]


def coulomb_by_loops(q, r):
    n = len(q)
    e = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = np.linalg.norm(r[i] - r[j])
            e += q[i] * q[j] / d
    return e
# expect status = exact
# oracle q=f8[6] r=f8[6,3]


def forces_of_a_row(x, m, G):
    n = x.shape[0]
    f = np.zeros_like(x)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = x[j] - x[i]
                r = np.sqrt(np.sum(d * d)) + 0.01
                f[i] += G * m[i] * m[j] * d / r**3
    return f
# expect status = exact
# oracle x=f8[6,3] m=f8[6] G=1.0


def verlet_step(x, v, a, dt, n):
    for _ in range(n):
        x = x + v * dt + 0.5 * a * dt * dt
        anew = -x
        v = v + 0.5 * (a + anew) * dt
        a = anew
    return x, v
# expect status = exact
# oracle x=f8[6,3] v=f8[6,3] a=f8[6,3] dt=0.1 n=4


def power_law(x, a, b):
    return a * np.power(x, b)
# expect status = exact
# oracle x=f8[9] a=1.5 b=0.7


def givens_rotation(A, i, j, c, s):
    ri = A[i].copy()
    rj = A[j].copy()
    A[i] = c * ri + s * rj
    A[j] = -s * ri + c * rj
# expect status = exact
# oracle A=f8[5,5] i=1 j=3 c=0.8 s=0.6


def gram_schmidt(A):
    m, n = A.shape
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    for j in range(n):
        v = A[:, j].copy()
        for k in range(j):
            R[k, j] = Q[:, k] @ v
            v -= R[k, j] * Q[:, k]
        R[j, j] = np.linalg.norm(v)
        Q[:, j] = v / R[j, j]
    return Q, R
# expect status = exact
# oracle A=f8[6,4]


def back_substitution(U, b):
    n = len(b)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - U[i, i + 1 :] @ x[i + 1 :]) / U[i, i]
    return x
# expect status = exact
# oracle U=f8[5,5] b=f8[5]


def crank_nicolson(u, r):
    n = u.size
    rhs = np.zeros(n)
    rhs[1:-1] = r * u[:-2] + (1 - 2 * r) * u[1:-1] + r * u[2:]
    return rhs
# expect status = exact
# oracle u=f8[8] r=0.3


def julia(xn, yn, c, it):
    x = np.linspace(-1.5, 1.5, xn)
    y = np.linspace(-1.0, 1.0, yn)
    z = x[None, :] + 1j * y[:, None]
    for _ in range(it):
        z = z * z + c
    return np.abs(z)
# expect status = exact
# oracle xn=6 yn=5 c=0.3 it=3


def cholesky_update(L, x):
    n = len(x)
    for k in range(n):
        r = np.sqrt(L[k, k] ** 2 + x[k] ** 2)
        c = r / L[k, k]
        s = x[k] / L[k, k]
        L[k, k] = r
        if k + 1 < n:
            L[k + 1 :, k] = (L[k + 1 :, k] + s * x[k + 1 :]) / c
            x[k + 1 :] = c * x[k + 1 :] - s * L[k + 1 :, k]
    return L
# expect status = exact
# oracle L=f8[5,5] x=f8[5]


def trapezoids_in_two_dimensions(f, h):
    return h * (0.5 * f[0] + np.sum(f[1:-1]) + 0.5 * f[-1])
# expect status = exact
# oracle f=f8[7] h=0.1


def simpson(f, h):
    return h / 3.0 * (f[0] + 4.0 * np.sum(f[1:-1:2]) + 2.0 * np.sum(f[2:-1:2]) + f[-1])
# expect status = exact
# oracle f=f8[9] h=0.1


def periodic_stencil_by_roll(u, c):
    return u + c * (np.roll(u, 1) - 2.0 * u)
# expect status = exact
# oracle u=f8[6,7] c=0.3
