"""Work on many files by the workers of a Dask cluster. Each file travels as bytes, with those of its package that it
may read, so that workers need no disk in common. Results come back in order; a dead worker costs its files a retry."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from roofscan import files
from roofscan.cli.errors import UsageError

if TYPE_CHECKING:
    from distributed import Client

Item = TypeVar("Item")
Result = TypeVar("Result")

PATIENCE = 4.0  # seconds that a scheduler has to answer, and then that it has to have a worker
AHEAD = 4  # files under way for each thread of the workers


def on_cluster(
    address: str,
    work: Callable[[Item], Result],
    items: Sequence[Item],
    name: Callable[[Item], str],
    contents: Callable[[Item], Mapping[str, bytes]],
) -> Iterator[Result]:
    """``work`` of every item, in order. ``contents``: the files that the work on an item may read."""
    from distributed import KilledWorker

    client = _connected(address)
    try:
        window = AHEAD * sum(client.nthreads().values())
        waiting, left = deque[tuple[Item, Any]](), iter(items)
        for _ in items:
            for item in islice(left, window - len(waiting)):
                waiting.append((item, client.submit(_with_files, work, item, contents(item), pure=False)))
            item, future = waiting.popleft()
            try:
                yield future.result()
            except KilledWorker:
                raise UsageError(f"{name(item)}: workers died on it; leave it out with --exclude") from None
            except OSError as error:
                raise UsageError(f"the cluster at {address} does not answer any more: {error}") from None
    finally:
        client.close()


def _with_files(work: Callable[[Item], Result], item: Item, contents: Mapping[str, bytes]) -> Result:
    with files.at_hand(contents):
        return work(item)


def _connected(address: str) -> Client:
    """A client of a cluster whose workers run this roofscan. UsageError otherwise, within ten seconds."""
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("--executor dask needs Dask: pip install 'roofscan[dask]'") from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError, TimeoutError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {address} ({error}); start one, or correct --executor"
        ) from None
    try:
        _refuse_other_workers(client, address)
    except UsageError:
        client.close()
        raise
    return client


def _refuse_other_workers(client: Client, address: str) -> None:
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
        theirs = client.run(program)
    except TimeoutError:
        raise UsageError(
            f"the scheduler at {address} has no workers; start some with `dask worker {address}`"
        ) from None
    except (ImportError, AttributeError, TypeError, OSError) as error:  # the worker lacks this module, or this function
        raise UsageError(f"a worker at {address} cannot run this roofscan ({error}); install it there") from None
    others = sorted(worker for worker, version in theirs.items() if version != program())
    if others:
        raise UsageError(f"the worker {others[0]} has another version of roofscan; install this one there")


@cache
def program() -> str:
    """Stands for the source of the installed roofscan."""
    package = Path(__file__).parents[1]
    digest = sha256()
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


def package_files(path: str, machines: Sequence[str]) -> dict[str, bytes]:
    """A source file, what it imports from its package, and so on; and the machine files."""
    from roofscan.parse.reader.package import imported_files

    return {os.path.normpath(name): files.read_bytes(name) for name in (*imported_files(path), *_existing(machines))}


def _existing(names: Sequence[str]) -> list[str]:
    return [name for name in names if os.path.isfile(name)]
