"""Machine learning by hand: training steps, distances, layers, tables."""

import math

import numpy as np
from numba import njit


@njit
def sigmoid(z):
    if z >= 0:
        return 1.0 / (1.0 + math.exp(-z))
    e = math.exp(z)
    return e / (1.0 + e)


@njit
def logreg_fit(X, y, lr=0.1, n_iter=20, tol=1e-4):
    """Gradient descent with an early stop."""
    n, d = X.shape
    w = np.zeros(d)
    b = 0.0
    prev = 1e18
    for it in range(n_iter):
        gw = np.zeros(d)
        gb = 0.0
        loss = 0.0
        for i in range(n):
            z = b
            for j in range(d):
                z += w[j] * X[i, j]
            p = sigmoid(z)
            e = p - y[i]
            for j in range(d):
                gw[j] += e * X[i, j]
            gb += e
            loss -= y[i] * math.log(p + 1e-12) + (1 - y[i]) * math.log(1 - p + 1e-12)
        for j in range(d):
            w[j] -= lr * gw[j] / n
        b -= lr * gb / n
        if abs(prev - loss) < tol:
            break
        prev = loss
    return w, b


# oracle X=f8[60,5] y=f8[60]


@njit
def adam_step(w, g, m, v, t, lr=1e-3, beta1=0.9, beta2=0.999, eps=1e-8):
    """In place update of four arrays."""
    c1 = 1.0 - beta1**t
    c2 = 1.0 - beta2**t
    for i in range(w.size):
        m[i] = beta1 * m[i] + (1.0 - beta1) * g[i]
        v[i] = beta2 * v[i] + (1.0 - beta2) * g[i] * g[i]
        w[i] -= lr * (m[i] / c1) / (np.sqrt(v[i] / c2) + eps)


# oracle w=f8[1000] g=f8[1000] m=f8[1000] v=f8[1000] t=3


@njit
def pairwise(X, metric="euclidean"):
    """A string as mode."""
    n, d = X.shape
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1, n):
            s = 0.0
            for k in range(d):
                diff = X[i, k] - X[j, k]
                if metric == "euclidean":
                    s += diff * diff
                else:
                    s += abs(diff)
            if metric == "euclidean":
                s = np.sqrt(s)
            D[i, j] = s
            D[j, i] = s
    return D


# oracle X=f8[48,6]


def relu(x):
    """Boolean mask, NumPy."""
    y = x.copy()
    y[y < 0] = 0
    return y


# oracle x=f8[40,50]


def mlp_forward(x, W1, b1, W2, b2):
    """Two dense layers, NumPy."""
    h = np.maximum(x @ W1 + b1, 0.0)
    z = h @ W2 + b2
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# oracle x=f8[32,16] W1=f8[16,24] b1=f8[24] W2=f8[24,10] b2=f8[10]


@njit
def layer_norm(x, g, b, eps=1e-6):
    """Rows by NumPy reductions inside njit."""
    for i in range(x.shape[0]):
        mu = np.mean(x[i])
        sd = np.std(x[i])
        for j in range(x.shape[1]):
            x[i, j] = (x[i, j] - mu) / (sd + eps) * g[j] + b[j]
    return x


# oracle x=f8[24,64] g=f8[64] b=f8[64]


@njit
def confusion(y_true, y_pred, n_classes):
    """A guard that raises."""
    if len(y_true) != len(y_pred):
        raise ValueError("length mismatch")
    cm = np.zeros((n_classes, n_classes), dtype=np.int64)
    for t, p in zip(y_true, y_pred):
        cm[t, p] += 1
    correct = 0
    for i in range(n_classes):
        correct += cm[i, i]
    return cm, correct / len(y_true)


# oracle y_true=i8[300]<4 y_pred=i8[300]<4 n_classes=4


@njit
def embedding_bag(table, idx, offsets, out, mode=0):
    """mode 0: sum, 1: mean."""
    n_bags = len(offsets) - 1
    d = table.shape[1]
    for b in range(n_bags):
        s, e = offsets[b], offsets[b + 1]
        for k in range(d):
            out[b, k] = 0.0
        for p in range(s, e):
            row = idx[p]
            for k in range(d):
                out[b, k] += table[row, k]
        if mode == 1 and e > s:
            for k in range(d):
                out[b, k] /= e - s


# oracle table=f4[50,16] nnz=120 idx=i8[nnz]<50 offsets=i8[21]^nnz out=f4[20,16]
# oracle table=f4[50,16] nnz=120 idx=i8[nnz]<50 offsets=i8[21]^nnz out=f4[20,16] mode=1


@njit
def im2col(img, k, stride, cols):
    """Patches as rows."""
    h, w = img.shape
    r = 0
    for i in range(0, h - k + 1, stride):
        for j in range(0, w - k + 1, stride):
            for a in range(k):
                for b in range(k):
                    cols[r, a * k + b] = img[i + a, j + b]
            r += 1


# oracle img=f8[16,24] k=3 stride=1 cols=f8[308,9]
# oracle img=f8[16,24] k=4 stride=4 cols=f8[24,16]
