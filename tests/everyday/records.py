"""Arrays of records: particles, cells, trades and sensor readings, by fields, by elements and whole."""

import numba
import numpy as np
from numba import float64, int64, njit, void

particle = np.dtype([("x", "f8"), ("v", "f8"), ("m", np.float32), ("id", "i4"), ("pos", "f8", 3), ("vel", "f8", (3,))])
reading = np.dtype({"names": ["t", "value", "flag"], "formats": ["i8", "f4", "u1"]})
padded = np.dtype([("flag", "u1"), ("value", "f8"), ("count", "i2")], align=True)
vector = np.dtype([("x", "f8"), ("y", "f8"), ("z", "f8")])
body = np.dtype([("at", vector), ("by", vector), ("mass", "f8")])
trade = np.dtype([("price", "f8"), ("volume", "i8")])
wave = np.dtype([("on", "i4"), ("amp", "c16")], align=True)
placed = np.dtype({"names": ["a", "b"], "formats": ["f8", "f4"], "offsets": [16, 40], "itemsize": 64})
point = np.dtype([("x", "f8"), ("y", "f8")])
nested = np.dtype([("a", point, 2), ("k", "i4")])
weight = np.dtype([("w", "f8")])
triple = np.dtype([("at", "f8", 3)])
particle_type = numba.from_dtype(particle)


@njit
def push(p, dt):
    """One field of each record moves by another."""
    for i in range(p.shape[0]):
        p[i].x += dt * p[i].v
# oracle p=particle[200] dt=0.1


@njit
def kinetic_energy(p):
    """Fields by name as subscripts, before and after the index."""
    e = 0.0
    for i in range(len(p)):
        e += 0.5 * p[i]["m"] * p["v"][i] ** 2
    return e
# oracle p=particle[150]


@njit
def drift(p, dt):
    """A field that is an array, element by element."""
    for i in range(len(p)):
        for k in range(3):
            p[i].pos[k] += dt * p[i].vel[k]
# oracle p=particle[90] dt=0.1


@njit
def kick(p, dt, g):
    """A record by a name of its own: a reference, so stores reach the array."""
    for i in range(len(p)):
        q = p[i]
        q.v += dt * g
        q.x += dt * q.v
# oracle p=particle[130] dt=0.1 g=9.81


@njit
def heaviest(p):
    """A loop over the records themselves."""
    best = 0.0
    for q in p:
        best = max(best, q.m * q.v)
    return best
# oracle p=particle[170]


@njit(void(particle_type[:], float64))
def decay(p, rate):
    """The type by a signature."""
    for i in range(p.size):
        p[i].v *= rate
# oracle p=particle[100] rate=0.5


def momentum(p):
    """Vector forms: strided views of one field each."""
    return np.sum(p["m"] * p["v"])
# oracle p=particle[300]


def scale(p, a):
    """A field changed in place, and one stored."""
    p["x"] *= a
    p["v"] = p["x"] * 2.0
# oracle p=particle[120] a=1.5


@njit
def mean_value(r):
    """A packed record of 13 bytes: fields straddle lines."""
    total = 0.0
    for i in range(len(r)):
        if r[i].flag == 0:
            total += r[i].value
    return total / len(r)
# oracle r=reading[500]


@njit
def last_time(r):
    """One field of a packed record alone."""
    latest = 0
    for i in range(len(r)):
        latest = max(latest, r[i].t)
    return latest
# oracle r=reading[400]


@njit
def aligned_sum(r):
    """Fields at aligned places: 24 bytes a record."""
    total = 0.0
    for i in range(len(r)):
        total += r[i].value
    return total
# oracle r=padded[300]


@njit
def gravity(b, dt):
    """Records in records."""
    for i in range(len(b)):
        b[i].at.x += dt * b[i].by.x
        b[i].at.y += dt * b[i].by.y
        b[i].at.z += dt * b[i].by.z
# oracle b=body[100] dt=0.1


@njit
def energy_of(q):
    return 0.5 * q.m * q.v * q.v


@njit
def total_energy(p):
    """A record given to a helper."""
    e = 0.0
    for i in range(len(p)):
        e += energy_of(p[i])
    return e
# oracle p=particle[140]


@njit
def reverse(p, q):
    """Whole records are copied."""
    n = len(p)
    for i in range(n):
        q[i] = p[n - 1 - i]
# oracle p=particle[80] q=particle[80]


@njit
def started(n):
    """Records that the kernel makes, all of them written once."""
    p = np.zeros(n, dtype=trade)
    for i in range(n):
        p[i].price = 1.5 * i
    return p
# oracle n=500


@njit
def turnover(p):
    """All fields of each record are used."""
    total = 0.0
    for i in range(len(p)):
        total += p[i].price * p[i].volume
    return total
# oracle p=trade[400]


@njit
def binned(p, grid, dx):
    """A field as an index, and a scatter."""
    for i in range(len(p)):
        grid[p[i].id] += p[i].m
# oracle p=particle[200] grid=f8[8] dx=0.5


@njit
def rotate(w):
    """A complex field that is not a multiple of its size away from the next."""
    for i in range(len(w)):
        w[i].amp = w[i].amp * 1j
# oracle w=wave[220]


@njit
def shift(s):
    """Fields at places of their own, with room between."""
    for i in range(len(s)):
        s[i].a = s[i].a + s[i].b
# oracle s=placed[128]


@njit
def distances(p, d):
    """Every pair, by one field of both."""
    n = len(p)
    for i in range(n):
        for j in range(n):
            d[i, j] = p[i].x - p[j].x
# oracle p=particle[60] d=f8[60,60]


@njit
def sweep(field, steps):
    """A grid of records, in time."""
    rows, columns = field.shape
    for t in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                field[i, j].y = 0.25 * (field[i - 1, j].x + field[i + 1, j].x + field[i, j - 1].x + field[i, j + 1].x)
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                field[i, j].x = field[i, j].y
# oracle steps=2 field=vector[20,24]


@njit
def assigned(p, n):
    """A record written from a tuple."""
    for i in range(n):
        p[i] = (1.0 * i, i)
# oracle n=100 p=trade[100]


@njit
def swapped(p):
    """Whole records within one array."""
    for i in range(len(p) - 1):
        p[i] = p[i + 1]
# oracle p=padded[120]


def largest_gap(p):
    """A slice of a field."""
    return np.max(p["x"][1:] - p["x"][:-1])
# oracle p=vector[200]


@njit
def grid2(p):
    """A grid of records, walked along its columns."""
    n, m = p.shape
    s = 0.0
    for j in range(m):
        for i in range(n):
            s += p[i, j].x
    return s
# oracle p=point[20,30]
# oracle p=point[20,30]F


@njit
def last(p):
    """Records counted from the end."""
    for i in range(1, len(p)):
        p[-i].x = p[i].y
# oracle p=point[50]


@njit
def sliced(p):
    """A slice of the records."""
    s = 0.0
    for q in p[1:-1]:
        s += q.x * q.y
    return s
# oracle p=point[60]


@njit
def alias(p, n):
    """Two neighbours by names of their own."""
    for i in range(n - 1):
        a = p[i]
        b = p[i + 1]
        d = b.x - a.x
        a.v = a.v + d
        b.v -= d
# oracle n=70 p=particle[70]


@njit
def local(n, steps):
    """Records that are made anew in each step."""
    t = 0.0
    for s in range(steps):
        w = np.zeros(n, particle)
        for i in range(n):
            w[i].x = 1.0 * i
            w[i].v = w[i].x * 2.0
        t += w[n - 1].v
    return t
# oracle n=40 steps=3


@njit
def scratch(n):
    """A few records that are scratch."""
    t = 0.0
    for s in range(n):
        w = np.empty(3, point)
        for k in range(3):
            w[k].x = 1.0 * s
        t += w[0].x + w[1].x + w[2].x
    return t
# oracle n=50


def copies(p):
    """A copy of all records, and a field stored."""
    q = p.copy()
    q["x"][:] = p["y"]
    return q
# oracle p=point[80]


def like(p):
    """Records like others."""
    q = np.zeros_like(p)
    q["x"] = p["x"] * 2.0
    return q
# oracle p=point[80]


@njit
def total_of(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


@njit
def pass_field(p):
    """Fields given to a helper as arrays."""
    return total_of(p["x"]) + total_of(p.y)
# oracle p=point[90]


@njit
def move(q, dt):
    q.x += dt * q.v
    return q.x


@njit
def pass_record(p, dt):
    """A helper that changes the record it is given."""
    s = 0.0
    for i in range(len(p)):
        s += move(p[i], dt)
    return s
# oracle p=particle[90] dt=0.5


@njit
def nested_arrays(b):
    """A field that is an array of records."""
    s = 0.0
    for i in range(len(b)):
        for k in range(2):
            s += b[i].a[k].x
    return s
# oracle b=nested[64]


@njit
def times(p, steps, dt):
    """Sweeps over records."""
    for t in range(steps):
        for i in range(len(p)):
            p[i].x += dt * p[i].v
# oracle p=particle[100] steps=3 dt=0.1


@njit
def chain(p):
    """A recurrence through a field."""
    for i in range(1, len(p)):
        p[i].x = p[i - 1].x * 0.5 + p[i].y
# oracle p=point[64]


def subfield(p):
    """Parts of a field that is an array."""
    return p["pos"][:, 0] + p["pos"][:, 2]
# oracle p=particle[64]


@njit
def vec_pos(p):
    """A field that is an array, summed."""
    s = 0.0
    for i in range(len(p)):
        s += np.sum(p[i].pos)
    return s
# oracle p=particle[64]


@njit
def set_pos(p):
    """A field that is an array, stored."""
    for i in range(len(p)):
        p[i].pos[:] = 1.0
        p[i]["pos"][1] = p[i].x
# oracle p=particle[64]


def select(p, idx):
    """A field, gathered."""
    return p["x"][idx]
# oracle p=point[64] idx=i8[20]<64


@njit
def make(n):
    """Records that are made, and one field of them returned."""
    p = np.empty(n, dtype=point)
    for i in range(n):
        p[i].x = 0.5 * i
        p[i].y = p[i].x
    return p["x"]
# oracle n=77


@njit
def zipped(p, q):
    """Two arrays of records at once."""
    s = 0.0
    for a, b in zip(p, q):
        s += a.x * b.y
    return s
# oracle p=point[50] q=point[50]


STORE = np.zeros(100, point)


@njit
def of_global(k):
    """Records of the module."""
    s = 0.0
    for i in range(100):
        s += STORE[i].x * k
    return s
# oracle k=2.0


@njit
def row_of_field(p):
    """The only field is contiguous: a reshape shows the memory of the records."""
    s = 0.0
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            s += p[i, j]["w"]
    row = p["w"].reshape(-1)
    for i in range(len(row)):
        s += row[i] * 2.0
    return s
# oracle p=weight[15,8]


@njit
def flat_field(p):
    """A field that is an array, first as one row, then by records."""
    q = p["at"].reshape(-1)
    s = 0.0
    for i in range(len(q)):
        s += q[i]
    for i in range(len(p)):
        p[i]["at"][1] = s
    return s
# oracle p=triple[90]


@njit
def flat_last(p):
    """A field as one row only."""
    q = p["at"].reshape(p.shape[0] * 3)
    s = 0.0
    for i in range(len(q)):
        s += q[i]
    return s
# oracle p=triple[90]


@njit
def row_of_records(p):
    """Records reshaped, then their field."""
    s = p[0, 0]["w"]
    row = p.reshape(-1)
    for i in range(len(row)):
        s += row[i]["w"] * 2.0
    return s
# oracle p=weight[15,8]
