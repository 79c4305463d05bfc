"""The files that an analysis on another computer may read. Those of a package are sent once for all of its files that
are under way at a time."""

from __future__ import annotations

import pickle
import sys
import zlib
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from os.path import dirname, normpath
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from roofscan.cli.targets import Target
from roofscan.config.options import Options
from roofscan.files import python_files, read_bytes
from roofscan.parse.reader.package import folders_read
from roofscan.parse.reader.source import MAX_BYTES, may_hold_kernels

if TYPE_CHECKING:
    from distributed import Client, Future


class Folder:
    """Python files as a mapping of names to bytes, which each worker that needs it unpacks once. All of it is computed
    on the cluster, which makes it again where a worker dies."""

    def __init__(self, client: Client, names: Iterable[str]) -> None:
        packed = zlib.compress(pickle.dumps(_contents(names, MAX_BYTES + 1)), 1)
        self._client = client
        self._pickled = client.submit(zlib.decompress, packed, pure=False)
        self._copies: dict[str, Future] = {}

    def on(self, worker: str) -> Future:
        """A copy on a worker: Dask sends work to where its data are."""
        if worker not in self._copies:
            self._copies[worker] = self._client.submit(
                pickle.loads, self._pickled, workers=[worker], allow_other_workers=True, pure=False
            )
        return self._copies[worker]


class Sender:
    """What a worker needs to analyze a file."""

    def __init__(self, client: Client, options: Options) -> None:
        self._client = client
        self._options = options
        self._folders_read = cache(folders_read)
        self._sent: WeakValueDictionary[tuple[str, bool], Folder] = WeakValueDictionary()

    def files(self, target: Target) -> tuple[dict[str, bytes], list[Folder]]:
        """The file itself with the machine files, by their names, and the folders that it may lead into. These stay on
        the cluster as long as the caller keeps them."""
        own = _contents([target.path, *self._options.machines])
        text = own.get(normpath(target.path), b"").decode("latin-1")
        if self._options.kernels != "all" and not target.functions and not may_hold_kernels(text):
            return own, []
        return own, [self._folder(*folder) for folder in self._folders_read(dirname(target.path))]

    def _folder(self, path: str, below: bool) -> Folder:
        folder = self._sent.get((path, below)) or Folder(self._client, python_files(path, below, sys.maxsize))
        self._sent[path, below] = folder
        return folder


def _contents(names: Iterable[str], most: int = -1) -> dict[str, bytes]:
    """The contents of the files that can be read."""
    found = {}
    for name in names:
        with suppress(OSError, ValueError):
            found[normpath(name)] = read_bytes(name, most)
    return found
