"""Rows that an array of shifts moves, as velocities do in lattice Boltzmann methods: each goes on by one element."""

from numba import njit


@njit
def streamed(f, g, cx, cy):
    """A plane for each velocity, one after another."""
    q, ny, nx = f.shape
    for k in range(q):
        for y in range(ny):
            for x in range(nx):
                g[k, (y + cy[k]) % ny, (x + cx[k]) % nx] = f[k, y, x]
# oracle f=f8[9,20,64] g=f8[9,20,64] cx=i8[9]<2 cy=i8[9]<2
# oracle f=f8[4,10,61] g=f8[4,10,61] cx=i8[4]<40 cy=i8[4]<9


@njit
def pulled(f, g, cx, cy):
    """All velocities at each place, from where they come."""
    q, ny, nx = f.shape
    for y in range(ny):
        for x in range(nx):
            for k in range(q):
                ys = (y - cy[k]) % ny
                xs = (x - cx[k]) % nx
                g[k, y, x] = f[k, ys, xs]
# oracle f=f8[9,20,64] g=f8[9,20,64] cx=i8[9]<2 cy=i8[9]<2
# oracle f=f8[3,9,53] g=f8[3,9,53] cx=i8[3]<50 cy=i8[3]<9


@njit
def shifted_without_a_ring(f, g, shifts, n):
    q = f.shape[0]
    for x in range(n):
        for k in range(q):
            g[k, x] = f[k, x + shifts[k]]
# oracle f=f8[5,400] g=f8[5,400] shifts=i8[5]<9 n=390


@njit
def more_often_than_the_ring(f, g, shifts, turns):
    """The loop goes round several times, backwards."""
    q, n = f.shape
    for x in range(turns * n - 1, -1, -1):
        for k in range(q):
            g[k] += f[k, (x + shifts[k]) % n]
# oracle f=f8[6,100] g=f8[6] shifts=i8[6]<100 turns=3


@njit
def shifts_that_change(f, g, shifts):
    """An element that the loop along the row changes takes every access elsewhere."""
    q, n = f.shape
    for x in range(n):
        for k in range(q):
            g[k] += f[k, (x + shifts[k]) % n]
            shifts[k] += 17
# oracle f=f8[4,300] g=f8[4] shifts=i8[4]<300


@njit
def seldom_in_its_row(f, g, shifts, mask):
    """What a branch leaves out comes back late."""
    q, n = f.shape
    for x in range(n):
        for k in range(q):
            if mask[x] > 0.5:
                g[k] += f[k, (x + shifts[k]) % n]
# oracle f=f8[4,300] g=f8[4] shifts=i8[4]<300 mask=f8[300]


@njit
def fewer_and_fewer(f, g, shifts):
    """Later iterations leave more of the rows out."""
    q, n = f.shape
    for x in range(n):
        for k in range(x % q, q):
            g[k] += f[k, (x + shifts[k]) % n]
        for k in range(min(x, q)):
            g[k] -= f[k, (x + shifts[k]) % n]
# oracle f=f8[8,300] g=f8[8] shifts=i8[8]<300


@njit
def shifts_of_each_place(f, g, shifts):
    """Every place has a shift of its own: no row."""
    n = f.shape[0]
    for t in range(3):
        for x in range(n):
            g[x] += f[(x + shifts[x]) % n]
# oracle f=f8[600] g=f8[600] shifts=i8[600]<600
