"""One thread that analyzes, so that the server answers while it does; work that is no longer wanted is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TypeVar

from roofscan.budget import Budget, Cancelled

Result = TypeVar("Result")


class Worker:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._closed = Event()

    async def run(self, work: Callable[[], Result]) -> Result:
        """The result of ``work``, which runs after all that was ordered before. To cancel the caller ends it."""
        unwanted = Event()

        def cancelled() -> bool:
            return unwanted.is_set() or self._closed.is_set()

        def guarded() -> Result | None:
            try:
                with Budget(cancelled=cancelled).in_force():
                    return None if cancelled() else work()
            except Cancelled:
                return None

        try:
            result = await asyncio.get_running_loop().run_in_executor(self._thread, guarded)
        except asyncio.CancelledError:
            unwanted.set()
            raise
        if cancelled():
            raise asyncio.CancelledError
        return result  # type: ignore[return-value]

    def close(self) -> None:
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)
