"""Snapshots every so many steps, and counters in loops that exchange buffers."""

from numba import njit


@njit
def frames_of_one(u, nsteps, every, frames):
    """A slice into a row that a counter chooses."""
    frame = 0
    for step in range(nsteps):
        for i in range(len(u)):
            u[i] = 1.5 * u[i]
        if step % every == 0:
            frames[frame, :] = u
            frame += 1
    return frame
# oracle u=f8[300] nsteps=12 every=4 frames=f8[3,300]


@njit
def frames_of_two(u, v, nsteps, every, frames):
    """The same with two buffers that change places."""
    frame = 0
    n = u.shape[0]
    for step in range(nsteps):
        for i in range(n):
            v[i] = 1.5 * u[i]
        u, v = v, u
        if step % every == 0:
            frames[frame, :] = u
            frame += 1
    return frame
# oracle u=f8[300] v=f8[300] nsteps=12 every=4 frames=f8[3,300]


@njit
def frames_by_loop(u, v, nsteps, every, frames):
    """The same with a loop."""
    frame = 0
    n = u.shape[0]
    for step in range(nsteps):
        for i in range(n):
            v[i] = 1.5 * u[i]
        u, v = v, u
        if step % every == 0:
            for i in range(n):
                frames[frame, i] = u[i]
            frame += 1
    return frame
# oracle u=f8[300] v=f8[300] nsteps=12 every=4 frames=f8[3,300]


@njit
def frames_by_quotient(u, v, nsteps, every, frames):
    """The row by a quotient."""
    n = u.shape[0]
    for step in range(nsteps):
        for i in range(n):
            v[i] = 1.5 * u[i]
        u, v = v, u
        if step % every == 0:
            frames[step // every] = u
# oracle u=f8[300] v=f8[300] nsteps=12 every=4 frames=f8[3,300]


@njit
def count_swaps(u, v, nsteps, out):
    """A counter in a loop that exchanges buffers."""
    k = 0
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            v[i] = 2.0 * u[i]
        u, v = v, u
        k += 1
    for i in range(k):
        out[i] = 3.0 * out[i]
# oracle u=f8[30] v=f8[30] nsteps=6 out=f8[20]
# oracle u=f8[30] v=f8[30] nsteps=7 out=f8[20]


@njit
def count_even_steps(u, v, nsteps, out):
    """It counts every other step."""
    k = 0
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            v[i] = 2.0 * u[i]
        u, v = v, u
        if t % 2 == 0:
            k += 1
    for i in range(k):
        out[i] = 3.0 * out[i]
# oracle u=f8[30] v=f8[30] nsteps=6 out=f8[20]
# oracle u=f8[30] v=f8[30] nsteps=7 out=f8[20]


@njit
def literal_with_counter(u, nsteps, out):
    """A period that is a number."""
    k = 0
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            u[i] = 2.0 * u[i]
        if t % 5 == 0:
            for i in range(n):
                out[k, i] = u[i]
            k += 1
    return k
# oracle u=f8[300] nsteps=20 out=f8[4,300]


@njit
def literal_with_quotient(u, nsteps, out):
    """The same with a quotient."""
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            u[i] = 2.0 * u[i]
        if t % 5 == 0:
            for i in range(n):
                out[t // 5, i] = u[i]
# oracle u=f8[300] nsteps=20 out=f8[4,300]


@njit
def from_one(u, nsteps, every, out):
    """Steps from 1 on."""
    k = 0
    n = len(u)
    for t in range(1, nsteps + 1):
        for i in range(n):
            u[i] = 2.0 * u[i]
        if t % every == 0:
            for i in range(n):
                out[k, i] = u[i]
            k += 1
    for i in range(k):
        out[i, 0] = 3.0 * out[i, 1]
# oracle u=f8[300] nsteps=20 every=4 out=f8[5,300]


@njit
def phase_of_two(u, v, nsteps, every, out):
    """The period and the exchange are out of step."""
    k = 0
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            v[i] = 2.0 * u[i]
        u, v = v, u
        if (t + 1) % every == 0:
            for i in range(n):
                out[k, i] = u[i]
            k += 1
# oracle u=f8[300] v=f8[300] nsteps=20 every=4 out=f8[7,300]
# oracle u=f8[300] v=f8[300] nsteps=20 every=3 out=f8[7,300]
# oracle u=f8[300] v=f8[300] nsteps=19 every=3 out=f8[7,300]


@njit
def literal_and_swap(u, v, nsteps, out):
    """A longer period than exchanges."""
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            v[i] = 2.0 * u[i]
        u, v = v, u
        if t % 10 == 0:
            out[t // 10] = u
# oracle u=f8[300] v=f8[300] nsteps=40 out=f8[4,300]
# oracle u=f8[300] v=f8[300] nsteps=33 out=f8[4,300]


@njit
def literal_slice(u, nsteps, out):
    """A slice every ten steps."""
    n = len(u)
    for t in range(nsteps):
        for i in range(n):
            u[i] = 2.0 * u[i]
        if t % 10 == 0:
            out[t // 10] = u
# oracle u=f8[300] nsteps=40 out=f8[4,300]
# oracle u=f8[300] nsteps=33 out=f8[4,300]


@njit
def every_other_step(u, nsteps, every):
    """A step of two."""
    s = 0.0
    for step in range(0, nsteps, 2):
        if step % every == 0:
            for i in range(len(u)):
                s += u[i]
    return s
# oracle u=f8[300] nsteps=12 every=4
# oracle u=f8[300] nsteps=13 every=3
