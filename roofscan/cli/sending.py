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


class Sender:
    """What the work on a file needs. A folder is a mapping of names to bytes that a worker makes: the cluster makes it
    again where that worker dies, and gives it up with the last file that needs it."""

    def __init__(self, client: Client, options: Options) -> None:
        self._client = client
        self._options = options
        self._folders_read = cache(folders_read)
        self._sent: WeakValueDictionary[tuple[str, bool], Future] = WeakValueDictionary()

    def files(self, target: Target) -> tuple[dict[str, bytes], list[Future]]:
        """The file itself with the machine files, by their names, and the folders that it may lead into."""
        own = _contents([target.path, *self._options.machines])
        text = own.get(normpath(target.path), b"").decode("latin-1")
        if self._options.kernels != "all" and not target.functions and not may_hold_kernels(text):
            return own, []
        return own, [self._folder(*folder) for folder in self._folders_read(dirname(target.path))]

    def _folder(self, folder: str, below: bool) -> Future:
        future = self._sent.get((folder, below))
        if future is None:
            names = python_files(folder, below, sys.maxsize)
            packed = zlib.compress(pickle.dumps(_contents(names, MAX_BYTES + 1)), 1)
            unzipped = self._client.submit(zlib.decompress, packed, pure=False)
            future = self._sent[folder, below] = self._client.submit(pickle.loads, unzipped, pure=False)
        return future


def _contents(names: Iterable[str], most: int = -1) -> dict[str, bytes]:
    """The files that can be read."""
    found = {}
    for name in names:
        with suppress(OSError, ValueError):
            found[normpath(name)] = read_bytes(name, most)
    return found
