"""Byte images: histograms, borders, colours, mosaics."""

import numpy as np
from numba import njit, prange


@njit
def equalize_hist(img):
    """Histogram equalisation through a lookup table."""
    h, w = img.shape
    hist = np.zeros(256, np.int64)
    for i in range(h):
        for j in range(w):
            hist[img[i, j]] += 1
    cdf = np.zeros(256, np.int64)
    total = 0
    for k in range(256):
        total += hist[k]
        cdf[k] = total
    cdf_min = 0
    for k in range(256):
        if cdf[k] > 0:
            cdf_min = cdf[k]
            break
    lut = np.zeros(256, np.uint8)
    for k in range(256):
        lut[k] = np.uint8(max(0, (cdf[k] - cdf_min) * 255 // (total - cdf_min)))
    out = np.empty_like(img)
    for i in range(h):
        for j in range(w):
            out[i, j] = lut[img[i, j]]
    return out


# oracle img=u1[24,40]
# oracle img=u1[64,100]<200


@njit
def median3x3(img, out):
    """Nine values, insertion sort, interior only."""
    h, w = img.shape
    buf = np.empty(9, np.uint8)
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            k = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    buf[k] = img[y + dy, x + dx]
                    k += 1
            for a in range(1, 9):
                v = buf[a]
                b = a - 1
                while b >= 0 and buf[b] > v:
                    buf[b + 1] = buf[b]
                    b -= 1
                buf[b + 1] = v
            out[y, x] = buf[4]


# oracle img=u1[20,32]<250 out=u1[20,32]


@njit
def blur_border(img, out, border=0):
    """border: 0 clamp, 1 wrap, 2 reflect."""
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            acc = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    yy = y + dy
                    xx = x + dx
                    if border == 0:
                        yy = min(max(yy, 0), h - 1)
                        xx = min(max(xx, 0), w - 1)
                    elif border == 1:
                        yy = yy % h
                        xx = xx % w
                    else:
                        if yy < 0:
                            yy = -yy
                        elif yy >= h:
                            yy = 2 * h - 2 - yy
                        if xx < 0:
                            xx = -xx
                        elif xx >= w:
                            xx = 2 * w - 2 - xx
                    acc += int(img[yy, xx])
            out[y, x] = acc // 9


# oracle img=u1[24,40]<250 out=u1[24,40]
# oracle img=u1[24,40]<250 out=u1[24,40] border=1
# oracle img=u1[24,40]<250 out=u1[24,40] border=2


@njit
def box_integral(img, r):
    """Box filter by an integral image with clamped windows."""
    h, w = img.shape
    S = np.zeros((h + 1, w + 1), dtype=np.float64)
    for y in range(h):
        for x in range(w):
            S[y + 1, x + 1] = img[y, x] + S[y, x + 1] + S[y + 1, x] - S[y, x]
    out = np.empty((h, w), dtype=np.float64)
    for y in range(h):
        y0 = max(0, y - r)
        y1 = min(h, y + r + 1)
        for x in range(w):
            x0 = max(0, x - r)
            x1 = min(w, x + r + 1)
            area = (y1 - y0) * (x1 - x0)
            out[y, x] = (S[y1, x1] - S[y0, x1] - S[y1, x0] + S[y0, x0]) / area
    return out


# oracle img=u1[24,40]<250 r=2
# oracle img=u1[40,64]<250 r=5


@njit
def otsu(img):
    """Otsu's threshold."""
    hist = np.zeros(256)
    for v in img.ravel():
        hist[v] += 1.0
    n = img.size
    total = 0.0
    for i in range(256):
        total += i * hist[i]
    best, best_t = 0.0, 0
    wb = 0.0
    sb = 0.0
    for t in range(256):
        wb += hist[t]
        if wb == 0.0:
            continue
        wf = n - wb
        if wf == 0.0:
            break
        sb += t * hist[t]
        mb = sb / wb
        mf = (total - sb) / wf
        var = wb * wf * (mb - mf) ** 2
        if var > best:
            best = var
            best_t = t
    return best_t


# oracle img=u1[24,40]<250


@njit
def clip_u8(v):
    if v < 0.0:
        return 0
    if v > 255.0:
        return 255
    return int(v)


@njit
def sharpen(img, amount=1.5):
    """Unsharp mask with a helper that clips."""
    h, w, c = img.shape
    out = img.copy()
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            for k in range(c):
                m = 0.25 * (img[y - 1, x, k] + 0.0 + img[y + 1, x, k] + img[y, x - 1, k] + img[y, x + 1, k])
                out[y, x, k] = clip_u8(img[y, x, k] + amount * (img[y, x, k] - m))
    return out


# oracle img=u1[20,24,3]<60
# oracle img=u1[20,24,3]<60 amount=0.5


@njit(parallel=True)
def rgb2ycbcr(rgb, out):
    """Colour conversion in parallel rows."""
    h = rgb.shape[0]
    w = rgb.shape[1]
    for y in prange(h):
        for x in range(w):
            r = rgb[y, x, 0]
            g = rgb[y, x, 1]
            b = rgb[y, x, 2]
            out[y, x, 0] = 0.299 * r + 0.587 * g + 0.114 * b
            out[y, x, 1] = 128.0 - 0.168736 * r - 0.331264 * g + 0.5 * b
            out[y, x, 2] = 128.0 + 0.5 * r - 0.418688 * g - 0.081312 * b


# oracle rgb=u1[20,24,3]<250 out=f4[20,24,3]


@njit
def rgb_to_hsv(img, out):
    """Branches on the largest channel."""
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            r = img[i, j, 0] / 255.0
            g = img[i, j, 1] / 255.0
            b = img[i, j, 2] / 255.0
            mx = max(r, g, b)
            mn = min(r, g, b)
            d = mx - mn
            if d == 0:
                hue = 0.0
            elif mx == r:
                hue = 60.0 * (((g - b) / d) % 6)
            elif mx == g:
                hue = 60.0 * ((b - r) / d + 2)
            else:
                hue = 60.0 * ((r - g) / d + 4)
            out[i, j, 0] = hue
            out[i, j, 1] = 0.0 if mx == 0 else d / mx
            out[i, j, 2] = mx


# oracle img=u1[20,24,3]<250 out=f8[20,24,3]
