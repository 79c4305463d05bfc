"""Machine learning by hand: clusters, attention, convolutions, neighbours."""

import math

import numpy as np
from numba import njit


@njit
def kmeans_step(X, C, labels):
    """Assignment then new centres."""
    n, d = X.shape
    k = C.shape[0]
    new = np.zeros((k, d))
    cnt = np.zeros(k, np.int64)
    for i in range(n):
        best = 1e300
        bi = 0
        for c in range(k):
            s = 0.0
            for j in range(d):
                t = X[i, j] - C[c, j]
                s += t * t
            if s < best:
                best = s
                bi = c
        labels[i] = bi
        cnt[bi] += 1
        for j in range(d):
            new[bi, j] += X[i, j]
    for c in range(k):
        if cnt[c] > 0:
            for j in range(d):
                C[c, j] = new[c, j] / cnt[c]


# oracle X=f8[100,8] C=f8[5,8] labels=i8[100]


@njit
def softmax_rows(x, out=None):
    """An optional out argument."""
    n, m = x.shape
    if out is None:
        out = np.empty_like(x)
    for i in range(n):
        mx = x[i, 0]
        for j in range(1, m):
            if x[i, j] > mx:
                mx = x[i, j]
        s = 0.0
        for j in range(m):
            e = math.exp(x[i, j] - mx)
            out[i, j] = e
            s += e
        for j in range(m):
            out[i, j] /= s
    return out


# oracle x=f8[20,64]
# oracle x=f8[20,64] out=f8[20,64]


@njit
def attention_row(q, K, V, out, causal=False, pos=0):
    """One query against all keys."""
    n, d = K.shape
    last = pos + 1 if causal else n
    scores = np.empty(last)
    scale = 1.0 / math.sqrt(d)
    mx = -1e30
    for t in range(last):
        s = 0.0
        for j in range(d):
            s += q[j] * K[t, j]
        s *= scale
        scores[t] = s
        mx = max(mx, s)
    z = 0.0
    for t in range(last):
        scores[t] = math.exp(scores[t] - mx)
        z += scores[t]
    for j in range(d):
        out[j] = 0.0
    for t in range(last):
        p = scores[t] / z
        for j in range(d):
            out[j] += p * V[t, j]


# oracle q=f4[32] K=f4[100,32] V=f4[100,32] out=f4[32]
# oracle q=f4[32] K=f4[100,32] V=f4[100,32] out=f4[32] causal=1 pos=49


@njit
def conv2d_nchw(x, w, b, stride=1, padding=0):
    """Stride and padding options, guards in the inner loops."""
    N, C, H, W = x.shape
    F, _, KH, KW = w.shape
    OH = (H + 2 * padding - KH) // stride + 1
    OW = (W + 2 * padding - KW) // stride + 1
    y = np.zeros((N, F, OH, OW), x.dtype)
    for n in range(N):
        for f in range(F):
            for i in range(OH):
                for j in range(OW):
                    acc = b[f]
                    for c in range(C):
                        for u in range(KH):
                            for v in range(KW):
                                ii = i * stride + u - padding
                                jj = j * stride + v - padding
                                if 0 <= ii < H and 0 <= jj < W:
                                    acc += x[n, c, ii, jj] * w[f, c, u, v]
                    y[n, f, i, j] = acc
    return y


# oracle x=f4[1,2,12,16] w=f4[3,2,3,3] b=f4[3]
# oracle x=f4[1,2,12,16] w=f4[3,2,3,3] b=f4[3] stride=1 padding=1
# oracle x=f4[1,2,12,16] w=f4[3,2,3,3] b=f4[3] stride=2 padding=1


@njit
def max_pool(x, size=2, stride=None):
    """stride None means size."""
    if stride is None:
        stride = size
    h, w = x.shape
    oh = (h - size) // stride + 1
    ow = (w - size) // stride + 1
    out = np.empty((oh, ow), x.dtype)
    for i in range(oh):
        for j in range(ow):
            m = -np.inf
            for a in range(size):
                for b in range(size):
                    m = max(m, x[i * stride + a, j * stride + b])
            out[i, j] = m
    return out


# oracle x=f4[32,48]
# oracle x=f4[33,48] size=3 stride=2


@njit
def avg_pool_slices(x, k=2):
    """Windows as slices."""
    h, w = x.shape
    out = np.zeros((h // k, w // k))
    for i in range(h // k):
        for j in range(w // k):
            out[i, j] = np.mean(x[i * k : (i + 1) * k, j * k : (j + 1) * k])
    return out


# known traffic: windows beside each other share lines
# oracle x=f8[32,48]
# oracle x=f8[33,49] k=4


@njit
def batch_norm(x, gamma, beta, eps=1e-5):
    """Per channel, three passes."""
    n, c = x.shape
    out = np.empty_like(x)
    for j in range(c):
        m = 0.0
        for i in range(n):
            m += x[i, j]
        m /= n
        v = 0.0
        for i in range(n):
            v += (x[i, j] - m) ** 2
        v /= n
        inv = 1.0 / np.sqrt(v + eps)
        for i in range(n):
            out[i, j] = gamma[j] * (x[i, j] - m) * inv + beta[j]
    return out


# oracle x=f8[64,24] gamma=f8[24] beta=f8[24]


@njit
def knn_classify(X, y, Q, k=5, n_classes=3):
    """Insertion into a short sorted list."""
    n, d = X.shape
    m = Q.shape[0]
    pred = np.zeros(m, np.int64)
    for q in range(m):
        bd = np.full(k, np.inf)
        bl = np.zeros(k, np.int64)
        for i in range(n):
            s = 0.0
            for j in range(d):
                s += (X[i, j] - Q[q, j]) ** 2
            if s < bd[k - 1]:
                p = k - 1
                while p > 0 and bd[p - 1] > s:
                    bd[p] = bd[p - 1]
                    bl[p] = bl[p - 1]
                    p -= 1
                bd[p] = s
                bl[p] = y[i]
        votes = np.zeros(n_classes, np.int64)
        for t in range(k):
            votes[bl[t]] += 1
        pred[q] = np.argmax(votes)
    return pred


# oracle X=f8[80,6] y=i8[80]<3 Q=f8[10,6]


@njit
def tree_predict(X, feature, threshold, left, right, value, out):
    """Traversal of a decision tree."""
    for i in range(X.shape[0]):
        node = 0
        while left[node] != right[node]:
            if X[i, feature[node]] <= threshold[node]:
                node = left[node]
            else:
                node = right[node]
        out[i] = value[node]


# oracle X=f8[40,4] feature=i8[9]<4 threshold=f8[9] left=i8[9]<1 right=i8[9]<1 value=f8[9] out=f8[40]
