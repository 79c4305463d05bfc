"""Layers, filters and estimates."""

import math

import numpy as np

# isolated: each kernel below is a file of its own


def sigmoid_layer(x, W, b):
    z = np.dot(x, W) + b
    return 1.0 / (1.0 + np.exp(-z))
# expect status = exact
# oracle x=f8[4,5] W=f8[5,6] b=f8[6]


def gated_recurrent_unit(x, h, Wz, Uz, Wh, Uh):
    z = 1.0 / (1.0 + np.exp(-(x @ Wz + h @ Uz)))
    c = np.tanh(x @ Wh + (z * h) @ Uh)
    return (1.0 - z) * h + z * c
# expect status = exact
# oracle x=f8[4,5] h=f8[4,6] Wz=f8[5,6] Uz=f8[6,6] Wh=f8[5,6] Uh=f8[6,6]


def rms_norm(x, g):
    return x / np.sqrt(np.mean(x**2, axis=-1, keepdims=True) + 1e-6) * g
# expect status = exact
# oracle x=f8[4,5] g=f8[5]


def layer_norm(x, g, b):
    mu = x.mean(-1, keepdims=True)
    v = ((x - mu) ** 2).mean(-1, keepdims=True)
    return g * (x - mu) / np.sqrt(v + 1e-5) + b
# expect status = exact
# oracle x=f8[4,5] g=f8[5] b=f8[5]


def dropout(x, mask, p):
    return x * mask / (1.0 - p)
# expect status = exact
# oracle x=f8[4,5] mask=f8[4,5] p=0.3


def huber(r, d):
    a = np.abs(r)
    return np.sum(np.where(a <= d, 0.5 * r**2, d * (a - 0.5 * d)))
# expect status = exact
# oracle r=f8[9] d=1.0


def cosine_similarity(A, B):
    na = np.linalg.norm(A, axis=1)
    nb = np.linalg.norm(B, axis=1)
    return (A @ B.T) / (na[:, None] * nb[None, :])
# expect status = exact
# oracle A=f8[4,5] B=f8[6,5]


def mahalanobis(x, mu, P):
    d = x - mu
    return np.sqrt(d @ P @ d)
# expect status = exact
# oracle x=f8[5] mu=f8[5] P=f8[5,5]


def kalman_predict(x, P, F, Q):
    x = F @ x
    P = F @ P @ F.T + Q
    return x, P
# expect status = exact
# oracle x=f8[4] P=f8[4,4] F=f8[4,4] Q=f8[4,4]


def autocorrelation(x, L):
    m = x.mean()
    out = np.zeros(L)
    for k in range(L):
        out[k] = np.sum((x[: len(x) - k] - m) * (x[k:] - m))
    return out
# expect status = exact
# oracle x=f8[9] L=4


def exponential_moving_average(x, a):
    out = np.empty_like(x)
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = a * x[i] + (1 - a) * out[i - 1]
    return out
# expect status = exact
# oracle x=f8[9] a=0.3


def linear_interpolation(x, y, t):
    return (1.0 - t) * x + t * y
# expect status = exact
# oracle x=f8[9] y=f8[9] t=0.3


def blend_along_an_axis(X, w):
    return (w[:, None] * X).sum(axis=0) / w.sum()
# expect status = exact
# oracle X=f8[4,5] w=f8[4]


def weighted_covariance(X, w):
    W = w / w.sum()
    mu = W @ X
    d = X - mu
    return (d * W[:, None]).T @ d
# expect status = exact
# oracle X=f8[7,3] w=f8[7]


def pagerank(M, d, it):
    n = M.shape[0]
    r = np.ones(n) / n
    for _ in range(it):
        r = d * (M @ r) + (1 - d) / n
    return r
# expect status = exact
# oracle M=f8[6,6] d=0.85 it=3


def viterbi(A, B, pi, obs):
    T = len(obs)
    d = np.zeros((T, A.shape[0]))
    d[0] = np.log(pi) + np.log(B[:, obs[0]])
    for t in range(1, T):
        d[t] = np.max(d[t - 1][:, None] + np.log(A), axis=0) + np.log(B[:, obs[t]])
    return d
# expect status = exact
# oracle A=f8[3,3] B=f8[3,5] pi=f8[3] obs=i8[7]


def dynamic_time_warping(x, y):
    n, m = len(x), len(y)
    D = np.full((n + 1, m + 1), np.inf)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = abs(x[i - 1] - y[j - 1])
            D[i, j] = c + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]
# expect status = exact
# oracle x=f8[6] y=f8[5]


def leaky_relu(x, a):
    return np.where(x > 0, x, a * x)
# expect status = exact
# oracle x=f8[4,5] a=0.1


def exponential_linear_unit(x, a):
    return np.where(x > 0, x, a * (np.exp(x) - 1.0))
# expect status = exact
# oracle x=f8[4,5] a=0.1


def gaussian_error_linear_unit(x):
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))
# expect status = exact
# oracle x=f8[4,5]


def positional_encoding(n, d):
    pos = np.arange(n)[:, None]
    i = np.arange(d)[None, :]
    ang = pos / np.power(10000.0, 2 * (i // 2) / d)
    return np.sin(ang)
# expect status = exact
# oracle n=6 d=4


def polynomial_fit_and_value(c, x):
    s = np.zeros_like(x)
    for k in range(len(c)):
        s = s * x + c[k]
    return s
# expect status = exact
# oracle c=f8[4] x=f8[9]


def svm_gradient(X, y, w, C):
    margin = 1.0 - y * (X @ w)
    active = (margin > 0).astype(np.float64)
    return w - C * (X.T @ (active * y))
# expect status = exact
# oracle X=f8[7,3] y=f8[7] w=f8[3] C=0.5


def batch_outer(a, b):
    return a[:, :, None] * b[:, None, :]
# expect status = exact
# oracle a=f8[4,5] b=f8[4,6]


def bilinear_form(x, W, y):
    return x @ W @ y
# expect status = exact
# oracle x=f8[4] W=f8[4,5] y=f8[5]


def scaling_to_unit_range(img):
    lo = img.min(axis=(0, 1))
    hi = img.max(axis=(0, 1))
    return (img - lo) / (hi - lo)
# expect status = exact
# oracle img=f8[4,5,3]


def gray_levels(img):
    return 0.299 * img[..., 0] + 0.587 * img[..., 1] + 0.114 * img[..., 2]
# expect status = exact
# oracle img=f8[4,5,3]


def sobel(img):
    gx = img[:-2, 2:] + 2.0 * img[1:-1, 2:] + img[2:, 2:] - img[:-2, :-2] - 2.0 * img[1:-1, :-2] - img[2:, :-2]
    gy = img[2:, :-2] + 2.0 * img[2:, 1:-1] + img[2:, 2:] - img[:-2, :-2] - 2.0 * img[:-2, 1:-1] - img[:-2, 2:]
    return np.hypot(gx, gy)
# expect status = exact
# oracle img=f8[6,7]
