"""Array statements of image processing, statistics, learning and physics."""

import numpy as np


# roofscan: img=f4[h,w]
def contrast(img):
    lo = img.min()
    hi = img.max()  # expect RFL303
    return (img - lo) / (hi - lo)  # expect RFL301


# roofscan: rgb=f4[h,w,3]
def luminance(rgb):
    return 0.2126 * rgb[:, :, 0] + 0.7152 * rgb[:, :, 1] + 0.0722 * rgb[:, :, 2]  # expect RFL301


# roofscan: img=f8[h,w]
def sobel(img):
    gx = img[:-2, 2:] + 2 * img[1:-1, 2:] + img[2:, 2:] - img[:-2, :-2] - 2 * img[1:-1, :-2]  # expect RFL301
    gy = img[2:, :-2] + 2 * img[2:, 1:-1] + img[2:, 2:] - img[:-2, :-2] - 2 * img[:-2, 1:-1]  # expect RFL301 RFL302
    return np.sqrt(gx * gx + gy * gy)  # expect RFL301


# roofscan: img=f8[h,w]
def gamma(img, g):
    return np.clip(img, 0.0, 1.0) ** g


# roofscan: img=f8[h,w]
def threshold(img, t):
    return np.where(img > t, 1.0, 0.0)


# roofscan: x=f8[n] y=f8[n]
def correlation(x, y):
    mx = x.mean()
    my = y.mean()
    sx = x.std()
    sy = y.std()
    return ((x - mx) * (y - my)).mean() / (sx * sy)  # expect RFL301 RFL303


# roofscan: x=f8[n,d]
def zscore(x):
    return (x - x.mean(axis=0)) / x.std(axis=0)  # expect RFL301 RFL303


# roofscan: x=f8[n,d]
def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# roofscan: x=f4[n,d] g=f4[d] b=f4[d]
def layer_norm(x, g, b):
    mu = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)  # expect RFL302
    return g * (x - mu) / np.sqrt(var + 1e-5) + b  # expect RFL301


# roofscan: x=f4[n,d]
def gelu(x):
    return 0.5 * x * (1.0 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))  # silent: Numba's tangent takes six times what NumPy's does


# roofscan: x=f4[n,d] w=f4[d,k] b=f4[k]
def dense_relu(x, w, b):
    return np.maximum(x @ w + b, 0.0)


# roofscan: p=f8[n] g=f8[n] m=f8[n] v=f8[n]
def adam(p, g, m, v, lr, b1, b2, eps):
    m[:] = b1 * m + (1 - b1) * g  # expect RFL301
    v[:] = b2 * v + (1 - b2) * g * g  # expect RFL301 RFL302
    p -= lr * m / (np.sqrt(v) + eps)  # expect RFL301


# roofscan: u=f8[n,m]
def laplace(u):
    return u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]  # expect RFL301


# roofscan: u=f8[n,m] v=f8[n,m]
def jacobi_sweeps(u, v, steps):
    for _ in range(steps):
        v[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])  # expect RFL301
        u[1:-1, 1:-1] = 0.25 * (v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:])  # expect RFL301


# roofscan: u=f8[n,m] f=f8[n,m]
def residual_norm(u, f):
    r = f[1:-1, 1:-1] - (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1])  # expect RFL301
    return np.sqrt(np.sum(r * r))  # expect RFL301 RFL302


# roofscan: x=f8[n] y=f8[n]
def axpy_in_place(a, x, y):
    y += a * x  # expect RFL301


# roofscan: x=f8[n] y=f8[n] out=f8[n]
def with_out(x, y, out):
    np.multiply(x, y, out=out)
    np.add(out, x, out=out)  # expect RFL302
    return out


# roofscan: x=f8[n]
def rms(x):
    return np.sqrt(np.mean(x**2))  # expect RFL301


# roofscan: a=f8[n] b=f8[n]
def distance(a, b):
    return np.linalg.norm(a - b)  # expect RFL301


# roofscan: a=f8[n] b=f8[n]
def cosine(a, b):
    return np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b))


# roofscan: x=f8[n] y=f8[n]
def mse(x, y):
    return np.mean((x - y) ** 2)  # expect RFL301


# roofscan: x=f8[n]
def stats(x):
    return x.min(), x.max(), x.mean(), x.std()  # expect RFL303


# roofscan: x=f8[n]
def normalise(x):
    return x / np.sum(x)


# roofscan: x=f8[n]
def minmax_in_place(x):
    x -= x.min()
    x /= x.max()  # expect RFL302


# roofscan: x=f8[n] y=f8[n]
def two_results(x, y):
    s = x + y
    d = x - y  # expect RFL302
    return s, d


# roofscan: q=f8[3,n] r=f8[3,n]
def kinetic(q, r):
    v2 = r[0] ** 2 + r[1] ** 2 + r[2] ** 2  # expect RFL301
    return 0.5 * v2.sum()  # expect RFL302


# roofscan: rho=f8[n] u=f8[n] p=f8[n]
def euler_flux(rho, u, p):
    e = p / 0.4 + 0.5 * rho * u * u  # expect RFL301
    f0 = rho * u  # expect RFL302
    f1 = rho * u * u + p  # expect RFL301
    f2 = (e + p) * u
    return f0, f1, f2


# roofscan: s=f8[n]
def black_scholes(s, k, r, v, t):
    d1 = (np.log(s / k) + (r + 0.5 * v * v) * t) / (v * np.sqrt(t))  # expect RFL301
    d2 = d1 - v * np.sqrt(t)
    return s * d1 - k * np.exp(-r * t) * d2  # expect RFL301


# roofscan: x=f8[n]
def chain_of_names(x):
    a = x * 2.0
    b = a + 1.0  # expect RFL302
    c = b * b
    return c - x


# roofscan: x=f8[n] y=f8[n]
def scale_then_dot(x, y):
    z = 2.0 * x
    return z @ y


# roofscan: x=f8[n,n] y=f8[n,n]
def transposed_add(x, y):
    return x + y.T + x  # expect RFL301


# roofscan: x=f8[n]
def prefix(x):
    c = np.cumsum(x)
    return c / c[-1]


# roofscan: x=f8[n]
def sorted_gap(x):
    s = np.sort(x)
    return s[1:] - s[:-1]


# roofscan: x=f8[n] idx=i8[m]
def gathered(x, idx):
    return 2.0 * x[idx] + 1.0


# roofscan: x=f8[n] y=f8[n]
def shifted(x, y):
    y[1:] = 2.0 * x[1:]  # expect RFL301
    x[:-1] = y[1:] + x[1:]  # expect RFL302


# roofscan: x=f8[n] y=f8[n]
def overlap(x):
    x[1:] = 0.5 * (x[1:] + x[:-1])  # expect RFL301


# roofscan: x=c16[n]
def power_spectrum(x):
    return x.real**2 + x.imag**2  # expect RFL301


# roofscan: a=f4[n] b=f4[n]
def blend32(a, b, t):
    return a * (1 - t) + b * t  # expect RFL301


# roofscan: a=f8[1000] b=f8[1000]
def small(a, b):
    return a * b + a


# roofscan: a=f8[n] b=f8[n] mask=b1[n]
def masked(a, b, mask):
    a[mask] = 2.0 * b[mask]
    return a.sum()
