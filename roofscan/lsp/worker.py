"""One thread that analyzes, so that the server answers while it does; work that is no longer wanted is cancelled, and
what a user waits for comes before the findings of files."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import TypeVar

from roofscan.budget import Budget, Cancelled

Result = TypeVar("Result")


class Worker:
    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "analysis")
        self._closed = Event()
        self._busy = False
        self._urgent: deque[asyncio.Future[None]] = deque()  # those who wait for the thread
        self._others: deque[asyncio.Future[None]] = deque()
        self._awaited = 0

    async def run(self, work: Callable[[], Result], urgent: bool = False) -> Result:
        """The result of ``work``, which runs after all of its urgency that was ordered before. To cancel the caller
        ends it."""
        unwanted, loop = Event(), asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()

        def cancelled() -> bool:
            return unwanted.is_set() or self._closed.is_set()

        def guarded() -> Result | None:
            try:
                with Budget(cancelled=cancelled).in_force():
                    return None if cancelled() else work()
            except Cancelled:
                return None

        try:
            with self._counted(urgent):
                (self._urgent if urgent else self._others).append(turn)
                self._start_next()
                await turn
            if self._closed.is_set():
                raise asyncio.CancelledError
            result = await loop.run_in_executor(self._thread, guarded)
        except asyncio.CancelledError:
            unwanted.set()
            raise
        finally:
            if not turn.cancelled():
                self._busy = False
                self._start_next()
        if cancelled():
            raise asyncio.CancelledError
        return result  # type: ignore[return-value]

    def is_awaited(self) -> bool:
        """Whether a user waits for the thread."""
        return self._awaited > 0

    def close(self) -> None:
        self._closed.set()
        self._thread.shutdown(wait=False, cancel_futures=True)

    @contextmanager
    def _counted(self, urgent: bool) -> Iterator[None]:
        self._awaited += urgent
        try:
            yield
        finally:
            self._awaited -= urgent

    def _start_next(self) -> None:
        while not self._busy and (self._urgent or self._others):
            turn = (self._urgent or self._others).popleft()
            if not turn.cancelled():
                self._busy = True
                turn.set_result(None)
