"""Images: windows, resampling, error diffusion, options."""

import math

import numpy as np
from numba import njit


@njit
def debayer_rggb(raw, rgb):
    """2x2 superpixels at half resolution."""
    h, w = raw.shape
    for y in range(0, h - 1, 2):
        for x in range(0, w - 1, 2):
            rgb[y // 2, x // 2, 0] = raw[y, x]
            rgb[y // 2, x // 2, 1] = (int(raw[y, x + 1]) + int(raw[y + 1, x])) >> 1
            rgb[y // 2, x // 2, 2] = raw[y + 1, x + 1]


# oracle raw=u2[24,40]<1000 rgb=u2[12,20,3]
# oracle raw=u2[26,42]<1000 rgb=u2[13,21,3]


@njit
def bayer_green(raw, out):
    """Interpolates green where the mosaic has none."""
    H, W = raw.shape
    for y in range(1, H - 1):
        for x in range(1, W - 1):
            if (y + x) % 2 == 0:
                out[y, x] = (raw[y - 1, x] + raw[y + 1, x] + raw[y, x - 1] + raw[y, x + 1]) / 4.0
            else:
                out[y, x] = raw[y, x]


# oracle raw=f4[24,40] out=f4[24,40]
# oracle raw=f4[25,41] out=f4[25,41]


@njit
def erode(img, k=3):
    """A minimum over a k x k window, clamped."""
    h, w = img.shape
    r = k // 2
    out = np.zeros_like(img)
    for y in range(h):
        for x in range(w):
            m = 255
            for yy in range(max(0, y - r), min(h, y + r + 1)):
                for xx in range(max(0, x - r), min(w, x + r + 1)):
                    if img[yy, xx] < m:
                        m = img[yy, xx]
            out[y, x] = m
    return out


# oracle img=u1[24,40]<250
# oracle img=u1[24,40]<250 k=5


@njit
def opening_rows(img, width):
    """Erosion then dilation along rows, slices with clamped ends."""
    h, w = img.shape
    tmp = np.empty_like(img)
    out = np.empty_like(img)
    for y in range(h):
        for x in range(w):
            tmp[y, x] = img[y, max(0, x - width) : min(w, x + width + 1)].min()
        for x in range(w):
            out[y, x] = tmp[y, max(0, x - width) : min(w, x + width + 1)].max()
    return out


# oracle img=u1[12,64]<250 width=2


@njit
def resize_nearest(src, nh, nw):
    """Nearest neighbour by ratio."""
    h, w, c = src.shape
    out = np.zeros((nh, nw, c), dtype=src.dtype)
    for y in range(nh):
        sy = y * h // nh
        for x in range(nw):
            sx = x * w // nw
            for k in range(c):
                out[y, x, k] = src[sy, sx, k]
    return out


# known traffic: the rows of every other pixel share their lines' ends
# oracle src=u1[24,32,3]<250 nh=12 nw=16
# oracle src=u1[24,32,3]<250 nh=48 nw=64


@njit
def floyd_steinberg(img):
    """Error diffusion with guards at the borders."""
    h, w = img.shape
    buf = img.astype(np.float32)
    for y in range(h):
        for x in range(w):
            old = buf[y, x]
            new = 255.0 if old > 127 else 0.0
            buf[y, x] = new
            err = old - new
            if x + 1 < w:
                buf[y, x + 1] += err * 7 / 16
            if y + 1 < h:
                if x > 0:
                    buf[y + 1, x - 1] += err * 3 / 16
                buf[y + 1, x] += err * 5 / 16
                if x + 1 < w:
                    buf[y + 1, x + 1] += err * 1 / 16
    return buf.astype(np.uint8)


# oracle img=u1[24,40]<250


@njit
def pad_and_convolve(img, kernel, mode="same"):
    """A string as mode; odd kernel."""
    kh, kw = kernel.shape
    ph, pw = kh // 2, kw // 2
    h, w = img.shape
    padded = np.zeros((h + 2 * ph, w + 2 * pw))
    padded[ph : ph + h, pw : pw + w] = img
    if mode == "same":
        out = np.zeros((h, w))
        oy, ox = 0, 0
    else:
        out = np.zeros((h - 2 * ph, w - 2 * pw))
        oy, ox = ph, pw
    for y in range(out.shape[0]):
        for x in range(out.shape[1]):
            s = 0.0
            for i in range(kh):
                for j in range(kw):
                    s += padded[y + oy + i, x + ox + j] * kernel[i, j]
            out[y, x] = s
    return out


# oracle img=f8[24,40] kernel=f8[3,3]
# oracle img=f8[24,40] kernel=f8[5,5]


@njit
def bilateral(img, out, radius=2, sigma_s=2.0, sigma_r=0.1):
    """Weights from exp, clamped coordinates."""
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            num = 0.0
            den = 0.0
            c = img[y, x]
            for dy in range(-radius, radius + 1):
                yy = y + dy
                if yy < 0 or yy >= h:
                    continue
                for dx in range(-radius, radius + 1):
                    xx = x + dx
                    if xx < 0 or xx >= w:
                        continue
                    v = img[yy, xx]
                    g = math.exp(-(dx * dx + dy * dy) / (2.0 * sigma_s * sigma_s))
                    g *= math.exp(-((v - c) ** 2) / (2.0 * sigma_r * sigma_r))
                    num += g * v
                    den += g
            out[y, x] = num / den


# known traffic: a window meets two lines in a share of its places
# oracle img=f4[20,32] out=f4[20,32]
# oracle img=f4[20,32] out=f4[20,32] radius=1 sigma_s=1.0 sigma_r=0.2


@njit
def count_neighbors(mask, out):
    """A boolean image, 8-neighbours, wrap in x only."""
    h, w = mask.shape
    for y in range(h):
        for x in range(w):
            left = x - 1 if x > 0 else w - 1
            right = x + 1 if x < w - 1 else 0
            n = int(mask[y, left]) + int(mask[y, right])
            if y > 0:
                n += int(mask[y - 1, left]) + int(mask[y - 1, x]) + int(mask[y - 1, right])
            if y < h - 1:
                n += int(mask[y + 1, left]) + int(mask[y + 1, x]) + int(mask[y + 1, right])
            out[y, x] = n


# oracle mask=u1[24,40]<2 out=u1[24,40]


def normalize_image(img):
    """Plain NumPy: floats between 0 and 1."""
    x = img.astype(np.float32)
    lo = x.min()
    hi = x.max()
    if hi == lo:
        return np.zeros_like(x)
    return (x - lo) / (hi - lo)


# oracle img=u1[40,64]<250


@njit
def rotate90(img):
    """A transposing copy."""
    h, w = img.shape
    out = np.empty((w, h), img.dtype)
    for i in range(h):
        for j in range(w):
            out[j, h - 1 - i] = img[i, j]
    return out


# oracle img=u1[48,80]<250


@njit
def sobel_mag(img, ksize=3, normalize=False):
    """An option that adds a second pass."""
    h, w = img.shape
    out = np.zeros((h, w), np.float32)
    peak = 0.0
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            gx = (
                img[y - 1, x + 1]
                + 2 * img[y, x + 1]
                + img[y + 1, x + 1]
                - img[y - 1, x - 1]
                - 2 * img[y, x - 1]
                - img[y + 1, x - 1]
            )
            gy = (
                img[y + 1, x - 1]
                + 2 * img[y + 1, x]
                + img[y + 1, x + 1]
                - img[y - 1, x - 1]
                - 2 * img[y - 1, x]
                - img[y - 1, x + 1]
            )
            m = math.sqrt(gx * gx + gy * gy)
            out[y, x] = m
            if m > peak:
                peak = m
    if normalize and peak > 0:
        for y in range(h):
            for x in range(w):
                out[y, x] = out[y, x] / peak
    return out


# oracle img=f4[24,40]
# oracle img=f4[24,40] normalize=1
