"""Tables that data look up: checksums, noise, digits of keys, groups, neighbours."""

import math

import numpy as np
from numba import njit

# isolated: each kernel is a file of its own


@njit
def crc32(data, table):
    """Checksum by a table of 256 entries."""
    crc = np.uint32(0xFFFFFFFF)
    for i in range(data.size):
        crc = table[(crc ^ data[i]) & 0xFF] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)
# oracle data=u1[4000]<256 table=u4[256]<1000


@njit
def fade(t):
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0)


@njit
def grad(h, x, y):
    u = x if h & 1 else y
    v = y if h & 1 else x
    return (u if h & 2 == 0 else -u) + (v if h & 4 == 0 else -v)


@njit
def perlin(out, perm, scale):
    """Gradient noise with a permutation table."""
    h, w = out.shape
    for j in range(h):
        for i in range(w):
            x = i * scale
            y = j * scale
            xi = int(x) & 255
            yi = int(y) & 255
            xf = x - int(x)
            yf = y - int(y)
            u = fade(xf)
            v = fade(yf)
            aa = perm[perm[xi] + yi]
            ab = perm[perm[xi] + yi + 1]
            ba = perm[perm[xi + 1] + yi]
            bb = perm[perm[xi + 1] + yi + 1]
            x1 = grad(aa, xf, yf) * (1.0 - u) + grad(ba, xf - 1.0, yf) * u
            x2 = grad(ab, xf, yf - 1.0) * (1.0 - u) + grad(bb, xf - 1.0, yf - 1.0) * u
            out[j, i] = x1 * (1.0 - v) + x2 * v
# oracle out=f8[20,30] perm=i4[513]<255 scale=0.1


@njit
def radix_sort(keys, tmp, counts):
    """Least significant digit first, eight bits a pass."""
    n = keys.shape[0]
    for shift in range(0, 32, 8):
        for d in range(256):
            counts[d] = 0
        for i in range(n):
            counts[(keys[i] >> shift) & 255] += 1
        total = 0
        for d in range(256):
            c = counts[d]
            counts[d] = total
            total += c
        for i in range(n):
            d = (keys[i] >> shift) & 255
            tmp[counts[d]] = keys[i]
            counts[d] += 1
        for i in range(n):
            keys[i] = tmp[i]
# oracle keys=i8[600]<4000000 tmp=i8[600] counts=i8[256]


@njit
def group_stats(keys, values, counts, means, m2):
    """Welford's statistics by group."""
    for g in range(counts.shape[0]):
        counts[g] = 0
        means[g] = 0.0
        m2[g] = 0.0
    for i in range(keys.shape[0]):
        g = keys[i]
        counts[g] += 1
        delta = values[i] - means[g]
        means[g] += delta / counts[g]
        m2[g] += delta * (values[i] - means[g])
    for g in range(counts.shape[0]):
        m2[g] = m2[g] / (counts[g] - 1) if counts[g] > 1 else 0.0
# oracle keys=i8[1200]<50 values=f8[1200] counts=i8[50] means=f8[50] m2=f8[50]


@njit
def sph_density(pos, mass, rho, nbr_start, nbr_list, h):
    """Smoothed densities from a neighbour list."""
    n = pos.shape[0]
    norm = 1.0 / (math.pi * h ** 3)
    for i in range(n):
        s = mass[i] * norm
        for k in range(nbr_start[i], nbr_start[i + 1]):
            j = nbr_list[k]
            r2 = 0.0
            for d in range(3):
                dx = pos[i, d] - pos[j, d]
                r2 += dx * dx
            q = math.sqrt(r2) / h
            if q < 1.0:
                s += mass[j] * norm * (1.0 - 1.5 * q * q + 0.75 * q ** 3)
            elif q < 2.0:
                s += mass[j] * norm * 0.25 * (2.0 - q) ** 3
        rho[i] = s
# oracle pos=f8[100,3] mass=f8[100] rho=f8[100] nbr_start=i8[101]^800 nbr_list=i8[800]<100 h=1.0 nnz=800
