"""Calls of compiled kernels: measured, and watched. Needs Numba."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import roofscan

numba = pytest.importorskip("numba", reason="watching needs Numba: pip install 'roofscan[measure]'")


@numba.njit
def axpy(y, x, a):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        y[i] += a * x[i]


def total(x):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
    return s


def is_watched() -> bool:
    return "__call__" in numba.core.dispatcher.Dispatcher.__dict__


fast_total: Any = numba.njit(fastmath=True)(total)


def test_a_compiled_kernel_has_a_share() -> None:
    found = roofscan.measure(axpy, np.zeros(10_000), np.ones(10_000), 2.0)
    assert found.flops == 20_000 and found.expected and found.at_least and found.limit
    assert found.share == found.at_least / found.least
    assert "of the bound" in repr(found)


def test_calls_are_counted_by_kernel_and_sizes() -> None:
    fast_total(np.ones(3))
    axpy(np.ones(3), np.ones(3), 2.0)
    with roofscan.watch() as watched:
        for n in (100, 1000):
            for a in (0.5, 1.5, 2.5):
                axpy(np.zeros(n), np.ones(n), a)
        assert fast_total(np.ones(50)) == 50.0
    axpy(np.ones(3), np.ones(3), 2.0)
    found = {(call.name, call.flops): call for call in watched.calls}
    assert {key: call.runs for key, call in found.items()} == {("axpy", 200): 3, ("axpy", 2000): 3, ("total", 50): 1}
    assert all(0 < call.least <= call.total for call in watched.calls)
    assert all(call.expected for call in watched.calls) and watched.compiling == 0
    assert "calls" in str(watched) and "fast" not in str(watched)


def test_calls_that_compile_are_kept_apart() -> None:
    @numba.njit
    def once(x):  # type: ignore[no-untyped-def]
        for i in range(x.shape[0]):
            x[i] = 1.0

    with roofscan.watch() as watched:
        once(np.zeros(5))
    assert watched.calls == () and watched.compiling > 0
    assert "Calls that compiled" in str(watched)


def test_watches_nest_and_end() -> None:
    axpy(np.ones(3), np.ones(3), 2.0)
    with roofscan.watch() as outer, roofscan.watch() as inner:
        axpy(np.ones(3), np.ones(3), 2.0)
    assert [w.calls[0].runs for w in (outer, inner)] == [1, 1]
    assert not is_watched()


def test_errors_of_a_kernel_pass_and_the_watch_ends() -> None:
    with pytest.raises(Exception, match=r"argument"), roofscan.watch():
        axpy(1)
    assert not is_watched()


def test_many_sizes_are_told_together() -> None:
    with roofscan.watch() as watched:
        for n in range(1, 60):
            axpy(np.zeros(n), np.ones(n), 1.0)
    assert len(watched.calls) == 33 and sum(call.runs for call in watched.calls) in (58, 59)
