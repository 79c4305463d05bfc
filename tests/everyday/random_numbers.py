"""Random numbers: their own work is not counted, and they touch no array."""

import math
import random
import numpy as np
from numba import njit


def noisy(n, sigma, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(n)
    return x * sigma
# oracle n=600 sigma=2.0


@njit
def ising_sweep(spins, beta, J=1.0, field=0.0):
    L = spins.shape[0]
    accepted = 0
    for _ in range(L * L):
        i = np.random.randint(0, L)
        j = np.random.randint(0, L)
        nb = spins[(i + 1) % L, j] + spins[i - 1, j] + spins[i, (j + 1) % L] + spins[i, j - 1]
        dE = 2.0 * spins[i, j] * (J * nb + field)
        if random.random() < math.exp(-beta * dE):
            spins[i, j] = -spins[i, j]
            accepted += 1
    return accepted / (L * L)
# oracle spins=i8[24,24]<2 beta=0.4


@njit
def paths(S0, mu, sigma, dt, out):
    n, m = out.shape
    for i in range(n):
        s = S0
        for t in range(m):
            s *= math.exp((mu - 0.5 * sigma * sigma) * dt + sigma * math.sqrt(dt) * np.random.standard_normal())
            out[i, t] = s
# oracle S0=100.0 mu=0.1 sigma=0.2 dt=0.01 out=f8[20,32]


@njit
def metropolis(x, step, n):
    accepted = 0
    for i in range(1, n):
        trial = x[i - 1] + step * random.gauss(0.0, 1.0)
        if random.random() < math.exp(0.5 * (x[i - 1] ** 2 - trial**2)):
            x[i] = trial
            accepted += 1
        else:
            x[i] = x[i - 1]
    return accepted / n
# oracle x=f8[500] step=0.5 n=500


def marked(h, w, sentinel):
    """Random pixels, three of them marked."""
    rng = np.random.default_rng(seed=1554)
    arr = rng.integers(0, 1000, size=(h, w), dtype=np.uint16)
    arr[0, 0] = sentinel
    arr[5, 7] = sentinel
    arr[-1, -1] = sentinel
    return arr
# oracle h=24 w=24 sentinel=65535
