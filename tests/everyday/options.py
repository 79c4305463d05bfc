"""Options: paths, trees, closed forms in helpers."""

import random
from math import exp, log, sqrt

import numpy as np
from numba import njit


@njit
def barrier_call(S0, K, B, r, sigma, T, n_paths=200, n_steps=50):
    """Down-and-out call: a path stops at the barrier."""
    dt = T / n_steps
    drift = (r - 0.5 * sigma**2) * dt
    vol = sigma * sqrt(dt)
    total = 0.0
    for p in range(n_paths):
        S = S0
        alive = True
        for t in range(n_steps):
            S *= exp(drift + vol * np.random.normal())
            if S <= B:
                alive = False
                break
        if alive:
            total += max(S - K, 0.0)
    return exp(-r * T) * total / n_paths


# oracle S0=100.0 K=100.0 B=90.0 r=0.05 sigma=0.2 T=1.0
# oracle S0=100.0 K=100.0 B=90.0 r=0.05 sigma=0.2 T=1.0 n_paths=100 n_steps=20


@njit
def gbm_paths(s0, mu, sigma, dt, n_paths, n_steps):
    """All the paths, steps inside."""
    paths = np.empty((n_paths, n_steps + 1))
    paths[:, 0] = s0
    c = (mu - 0.5 * sigma * sigma) * dt
    v = sigma * np.sqrt(dt)
    for i in range(n_paths):
        for t in range(1, n_steps + 1):
            z = np.random.standard_normal()
            paths[i, t] = paths[i, t - 1] * np.exp(c + v * z)
    return paths


# oracle s0=100.0 mu=0.05 sigma=0.2 dt=0.01 n_paths=40 n_steps=31


@njit
def asian_arith(S0, K, r, sigma, T, Z):
    """Normals given in an array."""
    n_paths, n_steps = Z.shape
    dt = T / n_steps
    disc = exp(-r * T)
    payoff = np.zeros(n_paths)
    for i in range(n_paths):
        s = S0
        acc = 0.0
        for j in range(n_steps):
            s = s * exp((r - 0.5 * sigma**2) * dt + sigma * sqrt(dt) * Z[i, j])
            acc += s
        payoff[i] = max(acc / n_steps - K, 0.0)
    return disc * payoff.mean(), payoff.std() / sqrt(n_paths)


# oracle S0=100.0 K=95.0 r=0.03 sigma=0.25 T=0.5 Z=f8[60,40]


@njit
def norm_cdf(x):
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    c = 1.0 - exp(-0.5 * x * x) / sqrt(2.0 * 3.141592653589793) * poly
    if x < 0:
        return 1.0 - c
    return c


@njit
def bs_price(S, K, r, sigma, T, kind):
    d1 = (log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * sqrt(T))
    d2 = d1 - sigma * sqrt(T)
    if kind == 0:
        return S * norm_cdf(d1) - K * exp(-r * T) * norm_cdf(d2)
    return K * exp(-r * T) * norm_cdf(-d2) - S * norm_cdf(-d1)


@njit
def price_book(S, K, T, r, sigma, kind, out):
    """Scalar helpers inlined two deep."""
    for i in range(len(S)):
        out[i] = bs_price(S[i], K[i], r, sigma, T[i], kind)


# oracle S=f8[200] K=f8[200] T=f8[200] r=0.03 sigma=0.2 kind=0 out=f8[200]
# oracle S=f8[200] K=f8[200] T=f8[200] r=0.03 sigma=0.2 kind=1 out=f8[200]


@njit
def crr_american(S, K, T, r, sigma, n=100, put=True):
    """A binomial tree, early exercise, backwards."""
    dt = T / n
    u = exp(sigma * sqrt(dt))
    d = 1.0 / u
    p = (exp(r * dt) - d) / (u - d)
    disc = exp(-r * dt)
    v = np.zeros(n + 1)
    for i in range(n + 1):
        s = S * u ** (n - i) * d**i
        if put:
            v[i] = max(K - s, 0.0)
        else:
            v[i] = max(s - K, 0.0)
    for step in range(n - 1, -1, -1):
        for i in range(step + 1):
            cont = disc * (p * v[i] + (1 - p) * v[i + 1])
            s = S * u ** (step - i) * d**i
            if put:
                ex = K - s
            else:
                ex = s - K
            v[i] = max(cont, ex)
    return v[0]


# oracle S=100.0 K=100.0 T=1.0 r=0.05 sigma=0.2
# oracle S=100.0 K=100.0 T=1.0 r=0.05 sigma=0.2 n=40 put=0


@njit
def pi_monte_carlo(n):
    """Points in a circle."""
    inside = 0
    for i in range(n):
        x = random.random()
        y = random.random()
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


# oracle n=500


@njit
def implied_vol(price, S, K, r, T, tol=1e-8, max_iter=50):
    """Newton with an early return."""
    sigma = 0.2
    for it in range(max_iter):
        diff = bs_price(S, K, r, sigma, T, 0) - price
        if abs(diff) < tol:
            return sigma
        d1 = (log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * sqrt(T))
        vega = S * sqrt(T) * exp(-0.5 * d1 * d1) / sqrt(2.0 * np.pi)
        sigma -= diff / vega
    return sigma


# oracle price=10.0 S=100.0 K=100.0 r=0.03 T=1.0


@njit
def rotate_about(pts, angle, center=(0.0, 0.0)):
    """A default that is a tuple of numbers: no array."""
    c, s = np.cos(angle), np.sin(angle)
    for i in range(pts.shape[0]):
        dx = pts[i, 0] - center[0]
        dy = pts[i, 1] - center[1]
        pts[i, 0] = c * dx - s * dy + center[0]
        pts[i, 1] = s * dx + c * dy + center[1]
# oracle pts=f8[300,2] angle=0.3


@njit
def box_of_window(x, window=(3, 5)):
    """A default that is a tuple of sizes."""
    h, w = x.shape
    kh, kw = window
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(h - kh + 1):
        for j in range(w - kw + 1):
            for a in range(kh):
                for b in range(kw):
                    out[i, j] += x[i + a, j + b]
    return out
# oracle x=f8[20,30]
