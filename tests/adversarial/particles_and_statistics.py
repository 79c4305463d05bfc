"""Particles, statistics and learning."""

import math

import numpy as np
from numba import njit, prange

# isolated: each kernel below is a file of its own


@njit
def ising_checkerboard(n, s, J):
    e = 0.0
    for i in range(n):
        for j in range(n):
            nb = s[(i + 1) % n, j] + s[i, (j + 1) % n]
            e -= J * s[i, j] * nb
    return e
# expect bound status = exact
# oracle n=8 s=i8[8,8] J=0.5


@njit
def verlet_cell_list(n, head, nxt, x):
    e = 0.0
    for c in range(4):
        i = head[c]
        k = 0
        while i >= 0 and k < 3:
            e += x[i] * x[i]
            i = nxt[i]
            k += 1
    return e
# expect bound status = parametric
# expect measured flops = exact
# oracle n=10 head=i8[4]<10 nxt=i8[10]<10 x=f8[10]


@njit
def charge_deposition(n, x, rho):
    for p in range(n):
        k = int(x[p])
        w = x[p] - k
        rho[k] += 1.0 - w
        rho[k + 1] += w
# expect bound status = exact
# oracle n=12 x=f8[12] rho=f8[8]


@njit
def ewald_sum(n, K, q, r):
    e = 0.0
    for a in range(-K, K + 1):
        for b in range(-K, K + 1):
            if a == 0 and b == 0:
                continue
            c = 0.0
            s = 0.0
            for i in range(n):
                ph = a * r[i, 0] + b * r[i, 1]
                c += q[i] * math.cos(ph)
                s += q[i] * math.sin(ph)
            e += (c * c + s * s) * math.exp(-(a * a + b * b) / 4.0) / (a * a + b * b)
    return e
# expect bound status = exact
# oracle n=6 K=3 q=f8[6] r=f8[6,3]


@njit
def hash_grid_keys(n, x, key):
    for i in range(n):
        a = int(math.floor(x[i, 0] * 4.0))
        b = int(math.floor(x[i, 1] * 4.0))
        key[i] = (a * 73856093) ^ (b * 19349663)
# expect bound status = exact
# oracle n=12 x=f8[12,3] key=i8[12]


def expectation_maximization(x, mu, sg, pi):
    d = (x[:, None] - mu) / sg
    p = pi * np.exp(-0.5 * d * d) / (sg * np.sqrt(2 * np.pi))
    r = p / p.sum(axis=1, keepdims=True)
    nk = r.sum(axis=0)
    return (r * x[:, None]).sum(axis=0) / nk, nk / len(x)
# expect bound status = exact
# oracle x=f8[20] mu=f8[3] sg=f8[3] pi=f8[3]


@njit
def bootstrap_table(n, B, idx, x, out):
    for b in range(B):
        s = 0.0
        for i in range(n):
            s += x[idx[b, i]]
        out[b] = s / n
# expect bound status = exact
# oracle n=6 B=4 idx=i8[4,6]<6 x=f8[6] out=f8[4]


@njit
def kolmogorov_smirnov(n, m, a, b):
    i = j = 0
    d = 0.0
    while i < n and j < m:
        if a[i] <= b[j]:
            i += 1
        else:
            j += 1
        d = max(d, abs(i / n - j / m))
    return d
# expect bound status = parametric
# expect measured flops = exact
# oracle n=8 m=6 a=f8[8] b=f8[6]


def kmeans_step(X, C):
    d = ((X[:, None] - C) ** 2).sum(-1)
    lab = d.argmin(1)
    return lab
# expect bound status = exact
# oracle X=f8[20,4] C=f8[3,4]


def attention_head(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[-1])
    s -= s.max(-1, keepdims=True)
    p = np.exp(s)
    p /= p.sum(-1, keepdims=True)
    return p @ V
# expect bound status = exact
# oracle Q=f8[5,4] K=f8[6,4] V=f8[6,3]


@njit
def viterbi_path(lp, tr, T, S):
    v = lp[0].copy()
    w = np.empty(S)
    for t in range(1, T):
        for j in range(S):
            m = -1e300
            for i in range(S):
                c = v[i] + tr[i, j]
                if c > m:
                    m = c
            w[j] = m + lp[t, j]
        v, w = w, v
    return v.max()
# expect bound status = exact
# oracle T=5 S=4 lp=f8[5,4] tr=f8[4,4]


def forward_algorithm(A, B, p, o, T):
    a = p * B[:, o[0]]
    for t in range(1, T):
        a = (a @ A) * B[:, o[t]]
        a /= a.sum()
    return a
# expect bound status = exact
# oracle T=5 A=f8[4,4] B=f8[4,6] p=f8[4] o=i8[5]<6
