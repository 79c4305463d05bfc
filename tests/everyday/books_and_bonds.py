"""Prices, lattices and books of orders: an option by a helper, a volatility that feeds itself."""

import math

import numpy as np
from numba import njit


@njit
def bond_price(coupons, rates, face, freq=2):
    n = coupons.size
    out = np.zeros(n)
    for b in range(n):
        pv = 0.0
        disc = 1.0
        for t in range(rates.size):
            disc /= 1.0 + rates[t] / freq
            pv += coupons[b] / freq * disc
        out[b] = pv + face * disc
    return out
# oracle coupons=f8[50] rates=f8[60] face=100.0


@njit
def _payoff(s, k, kind):
    if kind == 0:
        p = s - k
    else:
        p = k - s
    if p < 0.0:
        p = 0.0
    return p


@njit
def american_lattice(s0, k, r, sigma, dt, n, values, kind=1):
    u = math.exp(sigma * math.sqrt(dt))
    d = 1.0 / u
    p = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    for j in range(n + 1):
        values[j] = _payoff(s0 * u ** j * d ** (n - j), k, kind)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            hold = disc * (p * values[j + 1] + (1.0 - p) * values[j])
            values[j] = max(hold, _payoff(s0 * u ** j * d ** (i - j), k, kind))
    return values[0]
# oracle s0=100.0 k=95.0 r=0.01 sigma=0.2 dt=0.01 n=40 values=f8[41]


@njit
def garch_likelihood(ret, omega, alpha, beta, sig2, start=1):
    ll = 0.0
    sig2[0] = omega / (1.0 - alpha - beta)
    for t in range(start, ret.size):
        sig2[t] = omega + alpha * ret[t - 1] ** 2 + beta * sig2[t - 1]
        ll -= 0.5 * (math.log(sig2[t]) + ret[t] * ret[t] / sig2[t])
    return ll
# oracle ret=f8[1000] omega=0.1 alpha=0.1 beta=0.8 sig2=f8[1000]


@njit
def order_book(prices, sizes, side, bids, asks, tick):
    for k in range(prices.size):
        lvl = int(prices[k] / tick) % bids.size
        if side[k] == 0:
            bids[lvl] += sizes[k]
        elif side[k] == 1:
            asks[lvl] += sizes[k]
        else:
            m = min(bids[lvl], asks[lvl])
            bids[lvl] -= m
            asks[lvl] -= m
# oracle prices=f8[900] sizes=f8[900] side=u1[900]<3 bids=f8[64] asks=f8[64] tick=0.01


@njit
def apply_events(t_ev, amt, balance, times, out):
    k = 0
    b = balance
    for i in range(times.size):
        while k < t_ev.size and t_ev[k] <= times[i]:
            b += amt[k]
            k += 1
        out[i] = b
    return b
# oracle t_ev=i8[400]^3000 amt=f8[400] balance=10.0 times=i8[700]^3000 out=f8[700]
