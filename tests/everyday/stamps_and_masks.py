"""Images by neighbourhoods: clamped windows, two arrays of stamps, passes there and back, shades in threads."""

import math

import numpy as np
from numba import njit, prange

LUM = (77, 150, 29)


@njit
def luminance(img, out, gamma=False):
    h, w, _ = img.shape
    for y in range(h):
        for x in range(w):
            acc = 0
            for c in range(3):
                acc += LUM[c] * img[y, x, c]
            v = acc >> 8
            if gamma:
                v = int(255.0 * math.sqrt(v / 255.0))
            out[y, x] = v
# oracle img=u1[40,60,3] out=u1[40,60]
# oracle img=u1[40,60,3] out=u1[40,60] gamma=1


@njit
def grey_open(img, r, tmp, out):
    h, w = img.shape
    for i in range(h):
        for j in range(w):
            m = 255
            for a in range(max(i - r, 0), min(i + r, h - 1) + 1):
                for b in range(max(j - r, 0), min(j + r, w - 1) + 1):
                    if img[a, b] < m:
                        m = img[a, b]
            tmp[i, j] = m
    for i in range(h):
        for j in range(w):
            m = 0
            for a in range(max(i - r, 0), min(i + r, h - 1) + 1):
                for b in range(max(j - r, 0), min(j + r, w - 1) + 1):
                    if tmp[a, b] > m:
                        m = tmp[a, b]
            out[i, j] = m
# oracle img=u1[24,30]<256 r=1 tmp=u1[24,30] out=u1[24,30]


@njit
def hit_or_miss(img, fg, bg, out):
    H, W = img.shape
    kh, kw = fg.shape
    for y in range(H - kh + 1):
        for x in range(W - kw + 1):
            ok = True
            for j in range(kh):
                for i in range(kw):
                    p = img[y + j, x + i]
                    if fg[j, i] and not p:
                        ok = False
                    if bg[j, i] and p:
                        ok = False
            out[y + kh // 2, x + kw // 2] = 255 if ok else 0
# oracle img=u1[30,40]<2 fg=u1[3,3]<2 bg=u1[3,3]<2 out=u1[30,40]


@njit
def distance_two_pass(mask, d):
    h, w = mask.shape
    inf = h + w
    for i in range(h):
        for j in range(w):
            if mask[i, j] == 0:
                d[i, j] = 0
            else:
                v = inf
                if i > 0:
                    v = min(v, d[i - 1, j] + 1)
                if j > 0:
                    v = min(v, d[i, j - 1] + 1)
                d[i, j] = v
    for i in range(h - 1, -1, -1):
        for j in range(w - 1, -1, -1):
            if i < h - 1 and d[i + 1, j] + 1 < d[i, j]:
                d[i, j] = d[i + 1, j] + 1
            if j < w - 1 and d[i, j + 1] + 1 < d[i, j]:
                d[i, j] = d[i, j + 1] + 1
# oracle mask=u1[30,40]<2 d=i4[30,40]


@njit(parallel=True)
def terrain_shade(dem, out, az, alt, cell=30.0):
    h, w = dem.shape
    sa = math.sin(alt)
    ca = math.cos(alt)
    for i in prange(1, h - 1):
        for j in range(1, w - 1):
            dzdx = (dem[i, j + 1] - dem[i, j - 1]) / (2 * cell)
            dzdy = (dem[i + 1, j] - dem[i - 1, j]) / (2 * cell)
            slope = math.atan(math.hypot(dzdx, dzdy))
            aspect = math.atan2(dzdy, -dzdx)
            v = sa * math.cos(slope) + ca * math.sin(slope) * math.cos(az - aspect)
            out[i, j] = np.uint8(255 * max(v, 0.0))
# oracle dem=f4[30,40] out=u1[30,40] az=1.0 alt=0.8


@njit
def strided_volume(vol, out, step=2):
    nz, ny, nx, nc = vol.shape
    for k in range(0, nz, step):
        for j in range(0, ny, step):
            for i in range(0, nx, step):
                for c in range(nc):
                    out[k // step, j // step, i // step, c] = vol[k, j, i, c]
# oracle vol=f4[8,20,24,3] out=f4[4,10,12,3] step=2
