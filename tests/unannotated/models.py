"""Models with helpers, layers and sweeps."""

import math

import numpy as np

# isolated: each kernel below is a file of its own


def scale(v, s):
    t = v * s
    return t - t.min()


def helper_with_locals(a, b):
    c = scale(a, 2.0)
    d = scale(b, 3.0)
    return (c * d).sum()
# expect status = exact
# oracle a=f8[4,5] b=f8[4,5]


def sum_of_a_local(x, y):
    z = x * y
    w = z + x
    return np.sum(w * w)
# expect status = exact
# oracle x=f8[4,5] y=f8[4,5]


def mean_over_the_first_axis(x, y):
    z = x - y
    return np.mean(z * z, axis=0)
# expect status = exact
# oracle x=f8[4,5] y=f8[4,5]


def softmax_over_rows(x):
    e = np.exp(x - np.max(x, axis=1)[:, None])
    return e / np.sum(e, axis=1)[:, None]
# expect status = exact
# oracle x=f8[4,5]


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))
# expect status = exact
# oracle x=f8[4,5]


def projection(P, K):
    q = P @ K.T
    return q[:, :2] / q[:, 2:3]
# expect status = exact
# oracle P=f8[6,3] K=f8[3,3]


def bounding_box(P):
    lo = P.min(axis=0)
    hi = P.max(axis=0)
    return (lo + hi) * 0.5, np.prod(hi - lo)
# expect status = exact
# oracle P=f8[6,3]


def center_of_mass(m, r):
    return np.sum(m[:, None] * r, axis=0) / np.sum(m)
# expect status = exact
# oracle m=f8[6] r=f8[6,3]


def inertia_tensor(m, r):
    r2 = np.sum(r**2, axis=1)
    return np.sum(m * r2) * np.eye(3) - (m[:, None] * r).T @ r
# expect status = exact
# oracle m=f8[6] r=f8[6,3]


def kinetic_energy(m, v):
    return 0.5 * np.sum(m * np.sum(v**2, axis=1))
# expect status = exact
# oracle m=f8[6] v=f8[6,3]


def pair_distances_by_loops(X):
    n = X.shape[0]
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            d = np.sqrt(np.sum((X[i] - X[j]) ** 2))
            D[i, j] = d
            D[j, i] = d
    return D
# expect status = exact
# oracle X=f8[6,3]


def nearest_neighbours_of_a_row(X, q):
    return np.argmin(np.sum((X - q) ** 2, axis=1))
# expect status = exact
# oracle X=f8[6,3] q=f8[3]


def gaussian_mixture(x, w, mu, s):
    out = np.zeros_like(x)
    for k in range(len(w)):
        out += w[k] * np.exp(-0.5 * ((x - mu[k]) / s[k]) ** 2)
    return out
# expect status = exact
# oracle x=f8[9] w=f8[3] mu=f8[3] s=f8[3]


def radial_basis_kernel(X, Y, g):
    d2 = np.sum((X[:, None, :] - Y[None, :, :]) ** 2, axis=2)
    return np.exp(-g * d2)
# expect status = exact
# oracle X=f8[5,3] Y=f8[4,3] g=0.5


def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - s.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)) @ v
# expect status = exact
# oracle q=f8[4,3] k=f8[5,3] v=f8[5,3]


def recurrent_cell(X, Wx, Wh, b):
    h = np.zeros(Wh.shape[0])
    for t in range(X.shape[0]):
        h = np.tanh(X[t] @ Wx + h @ Wh + b)
    return h
# expect status = exact
# oracle X=f8[6,4] Wx=f8[4,5] Wh=f8[5,5] b=f8[5]


def implicit_heat_step(u, a, steps):
    n = len(u)
    c = np.zeros(n)
    d = np.zeros(n)
    for _ in range(steps):
        c[0] = -a / (1 + 2 * a)
        d[0] = u[0] / (1 + 2 * a)
        for i in range(1, n):
            m = 1 + 2 * a + a * c[i - 1]
            c[i] = -a / m
            d[i] = (u[i] + a * d[i - 1]) / m
        u[n - 1] = d[n - 1]
        for i in range(n - 2, -1, -1):
            u[i] = d[i] - c[i] * u[i + 1]
    return u
# expect status = exact
# oracle u=f8[7] a=0.2 steps=3


def advection_in_two_dimensions(q, u, dt, dx):
    f = u * q
    qn = q.copy()
    qn[:, 1:] = q[:, 1:] - dt / dx * (f[:, 1:] - f[:, :-1])
    return qn
# expect status = exact
# oracle q=f8[6,7] u=f8[6,7] dt=0.1 dx=0.2


def sor_sweep(u, f, h, w):
    n = u.shape[0]
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            r = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j] - h * h * f[i, j]
            u[i, j] += 0.25 * w * r
# expect status = exact
# oracle u=f8[6,6] f=f8[6,6] h=0.1 w=1.5


def poisson_residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = (
        f[1:-1, 1:-1] - (4.0 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]) / h**2
    )
    return np.sqrt(np.sum(r**2))
# expect status = exact
# oracle u=f8[6,6] f=f8[6,6] h=0.1


def multigrid_restriction(r):
    return 0.25 * (r[::2, ::2] + r[1::2, ::2][:4, :4].mean())
# expect status = exact
# oracle r=f8[9,9]


def coarse_grid(x):
    return 0.5 * (x[0::2] + x[1::2])
# expect status = exact
# oracle x=f8[8]


def haar_wavelet(x):
    n = len(x)
    a = (x[0:n:2] + x[1:n:2]) / np.sqrt(2.0)
    d = (x[0:n:2] - x[1:n:2]) / np.sqrt(2.0)
    return np.concatenate((a, d))
# expect status = exact
# oracle x=f8[8]


def fir_filter(x, h):
    y = np.zeros_like(x)
    for k in range(len(h)):
        y[k:] += h[k] * x[: len(x) - k]
    return y
# expect status = exact
# oracle x=f8[12] h=f8[4]


def iir_filter(x, b0, a1):
    y = np.zeros(len(x))
    y[0] = b0 * x[0]
    for n in range(1, len(x)):
        y[n] = b0 * x[n] - a1 * y[n - 1]
    return y
# expect status = exact
# oracle x=f8[12] b0=0.2 a1=0.5


def cosine_transform(x):
    N = len(x)
    n = np.arange(N)
    X = np.zeros(N)
    for k in range(N):
        X[k] = np.sum(x * np.cos(np.pi * k * (2 * n + 1) / (2 * N)))
    return X
# expect status = exact
# oracle x=f8[6]


def dft_matrix(x):
    N = x.shape[0]
    n = np.arange(N)
    M = np.exp(-2j * np.pi * n[:, None] * n[None, :] / N)
    return M @ x
# expect status = exact
# oracle x=f8[6]


def coo_product(row, col, val, x):
    y = np.zeros(len(x))
    for k in range(len(val)):
        y[row[k]] += val[k] * x[col[k]]
    return y
# expect status = exact
# oracle row=i4[20]<6 col=i4[20]<6 val=f8[20] x=f8[6]


def graph_degrees(A):
    d = A.sum(axis=1)
    return A / np.sqrt(np.outer(d, d))
# expect status = exact
# oracle A=f8[6,6]


def graph_convolution(A, X, W):
    d = 1.0 / np.sqrt(A.sum(axis=1))
    return np.maximum((d[:, None] * A * d[None, :]) @ X @ W, 0.0)
# expect status = exact
# oracle A=f8[6,6] X=f8[6,4] W=f8[4,3]


def lstm_cell(x, h, c, W):
    z = np.concatenate([x, h], axis=1) @ W
    n = h.shape[1]
    i = 1 / (1 + np.exp(-z[:, :n]))
    f = 1 / (1 + np.exp(-z[:, n : 2 * n]))
    g = np.tanh(z[:, 2 * n : 3 * n])
    o = 1 / (1 + np.exp(-z[:, 3 * n :]))
    c = f * c + i * g
    return o * np.tanh(c), c
# expect status = exact
# oracle x=f8[4,5] h=f8[4,6] c=f8[4,6] W=f8[11,24]


def option_paths(S0, mu, sig, Z, dt):
    S = np.zeros((Z.shape[0], Z.shape[1] + 1))
    S[:, 0] = S0
    for t in range(Z.shape[1]):
        S[:, t + 1] = S[:, t] * np.exp((mu - 0.5 * sig**2) * dt + sig * np.sqrt(dt) * Z[:, t])
    return S
# expect status = exact
# oracle S0=100.0 mu=0.1 sig=0.2 Z=f8[6,4] dt=0.1


def outer_product_update(A, x, y, a):
    A += a * np.outer(x, y)
# expect status = exact
# oracle A=f8[5,6] x=f8[5] y=f8[6] a=0.5


def outer_product_update_by_newaxis(A, x, y, a):
    A += a * x[:, None] * y[None, :]
# expect status = exact
# oracle A=f8[5,6] x=f8[5] y=f8[6] a=0.5


def vandermonde_columns(x, n):
    V = np.ones((len(x), n))
    for k in range(1, n):
        V[:, k] = V[:, k - 1] * x
    return V
# expect status = exact
# oracle x=f8[5] n=4
