"""Random walks, risk, tests of strategies."""

import random
from math import exp, log, sqrt

import numpy as np
from numba import njit, prange


@njit
def random_walk(n_steps, p=0.5):
    """An integer walk that is recorded."""
    x = 0
    path = np.zeros(n_steps, np.int64)
    for t in range(n_steps):
        if random.random() < p:
            x += 1
        else:
            x -= 1
        path[t] = x
    return path


# oracle n_steps=600


@njit
def backtest(close, signal, fee=0.001, cash=1000.0):
    """A position that opens and closes."""
    n = len(close)
    equity = np.zeros(n)
    pos = 0.0
    entry = 0.0
    trades = 0
    for i in range(n):
        if signal[i] == 1 and pos == 0.0:
            pos = cash * (1.0 - fee) / close[i]
            cash = 0.0
            entry = close[i]
            trades += 1
        elif signal[i] == 2 and pos > 0.0:
            cash = pos * close[i] * (1.0 - fee)
            pos = 0.0
        equity[i] = cash + pos * close[i]
    return equity, trades


# oracle close=f8[500] signal=i8[500]<6


@njit(parallel=True)
def heston(n, m, S0, v0, kappa, theta, xi, rho, r, T):
    """Full truncation Euler, prange over paths."""
    dt = T / m
    sq = sqrt(dt)
    c = sqrt(1.0 - rho * rho)
    res = np.empty(n)
    for i in prange(n):
        s = S0
        v = v0
        for j in range(m):
            z1 = np.random.normal(0.0, 1.0)
            z2 = rho * z1 + c * np.random.normal(0.0, 1.0)
            vp = max(v, 0.0)
            s *= exp((r - 0.5 * vp) * dt + sqrt(vp) * sq * z1)
            v += kappa * (theta - vp) * dt + xi * sqrt(vp) * sq * z2
        res[i] = s
    return res


# oracle n=40 m=20 S0=100.0 v0=0.04 kappa=2.0 theta=0.04 xi=0.3 rho=-0.7 r=0.02 T=1.0


@njit
def metropolis(n, step=0.5, burn=100):
    """A chain with accept and reject."""
    samples = np.empty(n)
    x = 0.0
    lp = -0.5 * x * x
    acc = 0
    for i in range(-burn, n):
        y = x + np.random.uniform(-step, step)
        lq = -0.5 * y * y
        if log(np.random.rand()) < lq - lp:
            x = y
            lp = lq
            acc += 1
        if i >= 0:
            samples[i] = x
    return samples, acc / (n + burn)


# oracle n=400


def mc_numpy(S0, K, r, sigma, T, n=1000):
    """Vectorised plain NumPy."""
    z = np.random.standard_normal(n)
    ST = S0 * np.exp((r - 0.5 * sigma**2) * T + sigma * np.sqrt(T) * z)
    payoff = np.maximum(ST - K, 0.0)
    return np.exp(-r * T) * payoff.mean()


# oracle S0=100.0 K=100.0 r=0.05 sigma=0.2 T=1.0


@njit
def loan_schedule(principal, rate, months, extra=0.0):
    """while True with a counter."""
    pay = principal * rate / (1.0 - (1.0 + rate) ** -months)
    bal = principal
    interest = 0.0
    m = 0
    while True:
        i = bal * rate
        interest += i
        bal = bal + i - pay - extra
        m += 1
        if bal <= 0.0 or m >= months:
            break
    return interest, m


# oracle principal=10000.0 rate=0.01 months=60
