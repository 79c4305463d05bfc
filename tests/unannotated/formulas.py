"""Formulas of one line, of physics, finance and statistics."""

import math

import numpy as np

# isolated: each kernel below is a file of its own


def axpy(a, x, y):
    return a * x + y
# expect status = exact
# oracle a=2.0 x=f8[7] y=f8[7]


def axpy_inplace(a, x, y):
    y += a * x
# expect status = exact
# oracle a=2.0 x=f8[7] y=f8[7]


def hypotenuse(x, y):
    return np.sqrt(x * x + y * y)
# expect status = exact
# oracle x=f8[7] y=f8[7]
# oracle x=f8[3,4] y=f8[3,4]


def black_scholes(S, K, r, sigma, T):
    d1 = (np.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    return S * d1 - K * np.exp(-r * T) * d2
# expect status = exact
# oracle S=f8[9] K=f8[9] r=0.05 sigma=0.2 T=f8[9]
# oracle S=f8[9] K=100.0 r=0.05 sigma=0.2 T=1.0


def discount(r, t, c):
    return np.sum(c * np.exp(-r * t))
# expect status = exact
# oracle r=0.05 t=f8[9] c=f8[9]


def discount_by_half_years(r, t):
    return np.exp(-0.5 * r * t)
# expect status = exact
# oracle r=0.05 t=f8[9]


def planck(wav, T):
    h = 6.6e-34
    c = 3e8
    k = 1.38e-23
    b = h * c / (wav * k * T)
    a = 2.0 * h * c**2
    return a / (wav**5 * (np.exp(b) - 1.0))
# expect status = exact
# oracle wav=f8[8] T=5000.0


def gaussian(x, mu, sigma):
    z = (x - mu) / sigma
    return np.exp(-0.5 * z * z) / (sigma * np.sqrt(2.0 * np.pi))
# expect status = exact
# oracle x=f8[8] mu=0.3 sigma=1.2
# oracle x=f8[3,5] mu=0.3 sigma=1.2


def lennard_jones(r, eps, sig):
    sr6 = (sig / r) ** 6
    return 4.0 * eps * (sr6**2 - sr6)
# expect status = exact
# oracle r=f8[8] eps=1.5 sig=1.2


def michaelis_menten(s, vmax, km):
    return vmax * s / (km + s)
# expect status = exact
# oracle s=f8[8] vmax=3.0 km=0.5


def logistic(t, k, t0, L):
    return L / (1.0 + np.exp(-k * (t - t0)))
# expect status = exact
# oracle t=f8[8] k=3.0 t0=0.5 L=2.0


def damped_oscillation(t, A, w, g):
    return A * np.exp(-g * t / 2.0) * np.cos(np.sqrt(w**2 - g**2 / 4.0) * t)
# expect status = exact
# oracle t=f8[8] A=3.0 w=0.5 g=2.0


def haversine(lat1, lon1, lat2, lon2):
    dlat = np.radians(lat2 - lat1)
    dlon = np.radians(lon2 - lon1)
    a = np.sin(dlat / 2.0) ** 2 + np.cos(np.radians(lat1)) * np.cos(np.radians(lat2)) * np.sin(dlon / 2.0) ** 2
    return 2.0 * 6371.0 * np.arcsin(np.sqrt(a))
# expect status = exact
# oracle lat1=f8[9] lon1=f8[9] lat2=f8[9] lon2=f8[9]


def linear_regression_step(X, y, w, lr, epochs):
    n = X.shape[0]
    for _ in range(epochs):
        g = X.T @ (X @ w - y) / n
        w = w - lr * g
    return w
# expect status = exact
# oracle X=f8[9,4] y=f8[9] w=f8[4] lr=0.1 epochs=3


def logistic_regression_step(X, y, w, lr, epochs):
    for _ in range(epochs):
        p = 1.0 / (1.0 + np.exp(-(X @ w)))
        w -= lr * (X.T @ (p - y)) / len(y)
    return w
# expect status = exact
# oracle X=f8[9,4] y=f8[9] w=f8[4] lr=0.1 epochs=3


def sq(v):
    return v * v


def helper_square(x, y):
    return np.sqrt(sq(x) + sq(y)).sum()
# expect status = exact
# oracle x=f8[4,5] y=f8[4,5]


def min_max_scaling(x):
    lo = x.min()
    hi = x.max()
    return (x - lo) / (hi - lo)
# expect status = exact
# oracle x=f8[4,5]


def mean_squared_error(p, t):
    return np.mean((p - t) ** 2)
# expect status = exact
# oracle p=f8[4,5] t=f8[4,5]


def adam_step(w, g, m, v, lr, b1, b2, eps):
    m[:] = b1 * m + (1.0 - b1) * g
    v[:] = b2 * v + (1.0 - b2) * g**2
    w -= lr * m / (np.sqrt(v) + eps)
# expect status = exact
# oracle w=f8[4,5] g=f8[4,5] m=f8[4,5] v=f8[4,5] lr=0.1 b1=0.9 b2=0.99 eps=0.001


def momentum_step(w, g, v, lr, mu):
    v *= mu
    v -= lr * g
    w += v
# expect status = exact
# oracle w=f8[4,5] g=f8[4,5] v=f8[4,5] lr=0.1 mu=0.9


def leapfrog(pos, vel, acc, dt):
    vel += acc * dt / 2.0
    pos += vel * dt
# expect status = exact
# oracle pos=f8[6,3] vel=f8[6,3] acc=f8[6,3] dt=0.1


def leapfrog_of_two_bodies(pos, vel, acc, dt):
    pos += vel * dt + 0.5 * dt**2 * acc
    vel += 0.5 * dt * acc
# expect status = exact
# oracle pos=f8[6,3] vel=f8[6,3] acc=f8[6,3] dt=0.1


def wave_step(u, v, c, dt, dx, steps):
    r = (c * dt / dx) ** 2
    for _ in range(steps):
        w = 2.0 * u - v
        w[1:-1, 1:-1] += r * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1])
        v = u
        u = w
    return u
# expect status = exact
# oracle u=f8[6,7] v=f8[6,7] c=1.5 dt=0.1 dx=0.2 steps=3


def gray_scott_step(U, V, Du, Dv, F, k):
    u = U[1:-1, 1:-1]
    v = V[1:-1, 1:-1]
    Lu = U[:-2, 1:-1] + U[1:-1, :-2] - 4 * u + U[1:-1, 2:] + U[2:, 1:-1]
    Lv = V[:-2, 1:-1] + V[1:-1, :-2] - 4 * v + V[1:-1, 2:] + V[2:, 1:-1]
    uvv = u * v * v
    u += Du * Lu - uvv + F * (1 - u)
    v += Dv * Lv + uvv - (F + k) * v
# expect status = exact
# oracle U=f8[6,7] V=f8[6,7] Du=0.1 Dv=0.05 F=0.03 k=0.06


def burgers_step(u, nu, dx, dt, nt):
    for n in range(nt):
        un = u.copy()
        u[1:-1] = (
            un[1:-1] - un[1:-1] * dt / dx * (un[1:-1] - un[:-2]) + nu * dt / dx**2 * (un[2:] - 2 * un[1:-1] + un[:-2])
        )
    return u
# expect status = exact
# oracle u=f8[9] nu=0.1 dx=0.1 dt=0.01 nt=3
