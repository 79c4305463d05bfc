"""Work on many files by the workers of a Dask cluster. Files travel as bytes, with those of their package, so that
workers need no disk in common. Results come back in order; a dead worker costs its files a retry.

Whoever does not answer within PATIENCE is asked no more: the scheduler before the first file and while a result is
late, the workers for their version. A worker that is busy then, or comes later, tells its version with its results.
Nothing that travels needs roofscan to be read: the scheduler may lack it, and a worker without it says so."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from itertools import chain, cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roofscan import files
from roofscan.cli.errors import UsageError
from roofscan.cli.sending import Sender
from roofscan.cli.targets import Target
from roofscan.config.options import Options

if TYPE_CHECKING:
    from distributed import Client, Future

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 3.0  # seconds
AHEAD = 8  # files under way for each thread of the workers
LATE = (TimeoutError, asyncio.TimeoutError)  # they are one from Python 3.11 on


class OtherVersion(Exception):
    """A worker has another version of roofscan or Python; the message is its address."""


def on_cluster(
    address: str,
    work: Callable[[Item], Result],
    items: Sequence[Item],
    target: Callable[[Item], Target],
    options: Options,
) -> Iterator[Result]:
    """``work`` of every item, in order. ``target``: the file of an item."""
    client = _connected(address)
    with _answering(address):
        try:
            threads = [worker for worker, threads in client.nthreads().items() for _ in range(threads)]
            if not threads:
                raise _deserted(address)
            window, turns = AHEAD * len(threads), cycle(threads)
            waiting, left = deque[tuple[Item, Any, Any]](), iter(items)
            sent = Sender(client, options)
            for _ in items:
                for item in islice(left, window - len(waiting)):
                    own, folders = sent.files(target(item))
                    packed, worker = pickle.dumps((work, item, own)), next(turns)
                    others = [folder.on(worker) for folder in folders]
                    task = client.submit(_there, "work_on", program(), packed, *others, pure=False)
                    waiting.append((item, task, folders))
                item, task, _ = waiting.popleft()
                yield _awaited(task, address, target(item).path)
        finally:
            _close(client)


@contextmanager
def _answering(address: str) -> Iterator[None]:
    """UsageError where a client loses the scheduler."""
    from distributed import CancelledError

    try:
        yield
    except (CancelledError, OSError):
        raise UsageError(f"the scheduler at {address} has stopped; start it and its workers again") from None


def _there(function: str, *arguments: Any) -> Any:
    """On a worker, a function of this module."""
    from importlib import import_module

    return getattr(import_module("roofscan.cli.cluster"), function)(*arguments)


_there.__module__ = "__main__"  # so that it travels by its code: who cannot import what he reads breaks off


def work_on(sender: str, packed: bytes, *others: Mapping[str, bytes]) -> Any:
    """Runs on a worker. The ``program`` of the sender tells whether its version can be unpacked. ``others``: further
    files."""
    if program() != sender:
        from distributed import get_worker

        raise OtherVersion(get_worker().address)
    work, item, own = pickle.loads(packed)
    with files.at_hand(dict(chain.from_iterable(each.items() for each in (*others, own)))):
        return work(item)


def _awaited(future: Future, address: str, name: str) -> Any:
    from distributed import KilledWorker

    while True:
        try:
            return future.result(timeout=PATIENCE)
        except LATE:
            if not _workers(address):
                raise _deserted(address) from None
        except KilledWorker:
            raise UsageError(f"{name}: workers died on it; skip it with --exclude") from None
        except OtherVersion as error:
            raise UsageError(_other(str(error))) from None
        except ImportError as error:
            raise UsageError(f"a worker cannot run this roofscan ({error}); install it there") from None


def _connected(address: str) -> Client:
    """A client of a cluster whose workers run this roofscan. UsageError otherwise, within ten seconds."""
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--executor dask needs Dask: pip install 'roofscan[dask]'") from None
    _workers(address)
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, *LATE) as error:
        raise UsageError(f"the scheduler at {address} refuses a client ({error}); see its log") from None
    try:
        with _answering(address):
            _refuse_other_workers(client, address)
    except UsageError:
        _close(client)
        raise
    return client


def _workers(address: str) -> Mapping[str, object]:
    """The workers by their addresses. UsageError where no Dask scheduler answers."""
    try:
        identity = asyncio.run(asyncio.wait_for(_identity(address), PATIENCE))
        return {str(worker): about for worker, about in identity["workers"].items()}
    except LATE:
        why = f"no answer within {PATIENCE:g} seconds"
    except (OSError, ValueError, TypeError, ImportError, KeyError) as error:  # of addresses that are none, too
        why = str(error)
    except (MemoryError, OverflowError, EOFError):  # of a server of another kind, whose bytes are read as lengths
        why = "the server that answers is not a scheduler"
    raise UsageError(f"no Dask scheduler answers at {address} ({why}); start one, or correct --executor")


async def _identity(address: str) -> Any:
    from distributed import Security
    from distributed.core import rpc

    async with rpc(address, connection_args=Security().get_connection_args("client")) as scheduler:
        return await scheduler.identity()


def _refuse_other_workers(client: Client, address: str) -> None:
    from distributed import wait

    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except LATE:
        raise UsageError(
            f"the scheduler at {address} has no workers; start some with `dask worker {address}`"
        ) from None
    asked = {worker: client.submit(_there, "program", workers=[worker], pure=False) for worker in client.nthreads()}
    with suppress(*LATE), client.as_current():
        wait(list(asked.values()), timeout=PATIENCE)
    for worker, future in sorted(asked.items()):
        if future.status == "error":  # the worker has no roofscan, or one without this module
            raise UsageError(f"the worker {worker} cannot run this roofscan ({future.exception()}); install it there")
        if future.status == "finished" and _version(future) not in (program(), None):
            raise UsageError(_other(worker))


def _version(future: Future) -> str | None:
    """The version that a worker has answered; None where it died since, and no other may answer for it."""
    try:
        return str(future.result(timeout=PATIENCE))
    except LATE:
        return None


def _deserted(address: str) -> UsageError:
    return UsageError(f"no worker is left on the scheduler at {address}; start some again")


def _other(worker: str) -> str:
    return f"the worker {worker} has another version of roofscan or Python; install the same versions there"


def _close(client: Client) -> None:
    with suppress(*LATE):
        client.close(timeout=PATIENCE)


@cache
def program() -> str:
    """A digest of the files of the installed roofscan, and the version of Python."""
    package = Path(__file__).parents[1]
    digest = sha256(repr(sys.version_info[:2]).encode())
    for path in sorted(path for path in package.rglob("*") if path.suffix in (".py", ".toml")):
        if path.name != "_version.py":
            digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()
