"""Ranks that only subscripts, axes and products tell."""

import math

import numpy as np

# isolated: each kernel below is a file of its own


def norm_rows(X):
    return X / np.sqrt((X**2).sum(axis=1))[:, None]
# expect status = exact
# oracle X=f8[5,3]


def pairwise(X):
    d = X[:, None, :] - X[None, :, :]
    return np.sqrt((d**2).sum(axis=-1))
# expect status = exact
# oracle X=f8[6,3]


def pair_distances_of_two_sets(X, Y):
    xx = np.sum(X**2, axis=1)
    yy = np.sum(Y**2, axis=1)
    return xx[:, None] + yy[None, :] - 2.0 * X @ Y.T
# expect status = exact
# oracle X=f8[6,3] Y=f8[4,3]


def shape_known_by_slices_alone(x):
    return x[1:] - x[:-1]
# expect status = exact
# oracle x=f8[9]
# oracle x=f8[5,4]


def shape_known_by_two_slices(u, dt):
    u[1:-1] = u[1:-1] + dt * (u[2:] - 2.0 * u[1:-1] + u[:-2])
# expect status = exact
# oracle u=f8[9] dt=0.1
# oracle u=f8[5,4] dt=0.1


def interior_rows(u):
    un = u.copy()
    u[1:-1] = 0.5 * (un[2:] + un[:-2])
    return u.sum(axis=1)
# expect status = exact
# oracle u=f8[6,5]


def row_sums(A):
    out = np.zeros(len(A))
    for i in range(len(A)):
        out[i] = A[i].sum()
    return out
# expect status = exact
# oracle A=f8[6,5]


def iteration_over_rows(A):
    s = 0.0
    for row in A:
        s += np.sum(row * row)
    return s
# expect status = exact
# oracle A=f8[6,5]


def kmeans_step(X, C):
    d = np.zeros((X.shape[0], C.shape[0]))
    for k in range(C.shape[0]):
        d[:, k] = np.sum((X - C[k]) ** 2, axis=1)
    return np.argmin(d, axis=1)
# expect status = exact
# oracle X=f8[9,3] C=f8[4,3]


def prefix_sums(x, w):
    c = np.cumsum(x)
    return (c[w:] - c[:-w]) / w
# expect status = exact
# oracle x=f8[12] w=4


def trapezoids(x, y):
    return np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1])) / 2.0
# expect status = exact
# oracle x=f8[9] y=f8[9]


def center(v):
    return v - v.mean(axis=0)


def helper_with_an_axis(x):
    c = center(x)
    return c.T @ c
# expect status = exact
# oracle x=f8[4,5]


def cross_entropy(p, t):
    return -np.sum(t * np.log(p + 1e-9)) / p.shape[0]
# expect status = exact
# oracle p=f8[4,5] t=f8[4,5]


def upwind(u, c, dx, dt, nt):
    for n in range(nt):
        u[1:] = u[1:] - c * dt / dx * (u[1:] - u[:-1])
# expect status = exact
# oracle u=f8[9] c=0.1 dx=0.1 dt=0.01 nt=3


def n_body_by_differences(mass, pos):
    d = pos[None, :, :] - pos[:, None, :]
    r2 = (d**2).sum(axis=2) + 1e-3
    w = mass[None, :] / (r2 * np.sqrt(r2))
    return (w[:, :, None] * d).sum(axis=1)
# expect status = exact
# oracle mass=f8[6] pos=f8[6,3]


def n_body_in_three_dimensions(m, x, G):
    n = x.shape[0]
    a = np.zeros_like(x)
    for i in range(n):
        dx = x - x[i]
        r2 = np.sum(dx**2, axis=1) + 0.01
        a[i] = G * np.sum((m / r2**1.5)[:, None] * dx, axis=0)
    return a
# expect status = exact
# oracle m=f8[6] x=f8[6,3] G=1.0


def upper_triangle_sum(A):
    return np.sum(np.triu(A, 1) * 2.0)
# expect status = exact
# oracle A=f8[5,5]


def self_energy(neigh_idx, dH, G, D, Sigma):
    for k in range(G.shape[0]):
        for E in range(G.shape[1]):
            for q in range(D.shape[0]):
                for w in range(D.shape[1]):
                    for i in range(D.shape[-2]):
                        for j in range(D.shape[-1]):
                            for a in range(neigh_idx.shape[0]):
                                for b in range(neigh_idx.shape[1]):
                                    if E - w >= 0:
                                        dHG = G[k, E - w, neigh_idx[a, b]] @ dH[a, b, i]
                                        dHD = dH[a, b, j] * D[q, w, a, b, i, j]
                                        Sigma[k, E, a] += dHG @ dHD
# expect status = exact
# oracle neigh_idx=i4[4,3]<4 dH=f8[4,3,2,5,5] G=f8[3,4,4,5,5] D=f8[3,2,4,3,2,2] Sigma=f8[3,4,4,5,5]
# oracle neigh_idx=i4[4,3]<4 dH=f8[4,3,2,5,5] G=f8[3,2,4,5,5] D=f8[3,4,4,3,2,2] Sigma=f8[3,2,4,5,5]


def products_whose_results_are_numbers(a, b):
    return np.dot(a, b) + np.dot(b, a)
# expect status = exact
# oracle a=f8[9] b=f8[9]


def chain_of_dot_products(x, y, z):
    return np.dot(x, y) * np.dot(y, z)
# expect status = exact
# oracle x=f8[9] y=f8[9] z=f8[9]


def bilinear_form_in_lower_case(w, cov, v):
    return w @ cov @ v
# expect status = exact
# oracle w=f8[5] cov=f8[5,4] v=f8[4]


def transposed_factor_in_lower_case(x, y):
    return x.T @ y
# expect status = exact
# oracle x=f8[6,3] y=f8[6]


def product_into_an_array(a, b, out):
    np.dot(a, b, out=out)
# expect status = exact
# oracle a=f8[6,3] b=f8[3] out=f8[6]


def power_iteration_in_lower_case(w, x, n):
    for i in range(n):
        x = w @ x
    return x
# expect status = exact
# oracle w=f8[5,5] x=f8[5] n=3


def scaled_rows_and_columns(A, b):
    """What is updated with a column has two dimensions."""
    A -= b[:, None]
    A /= b[None, :]
    A *= 2
# expect status = exact
# oracle A=f8[17,17] b=f8[17]
