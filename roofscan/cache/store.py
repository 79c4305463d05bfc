"""A folder of small JSON files, one for each analyzed source file. Any number of processes may use it, and any of them
may be killed at any moment: a file is written under another name and renamed, and carries a checksum. What cannot be
read is not there, and what cannot be written is not kept. Standard library only."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

FOLDER_NAME = ".roofscan_cache"
MAX_FOLDER_BYTES = 64 * 2**20  # of a folder; the files unused for longest go first
MAX_FILE_BYTES = 2**20  # bytes of one file
_DAY = 86_400.0

_OURS = re.compile(r"[0-9a-f]{32}\.json|\.[0-9a-f]{32}\.\d+\.\d+\.tmp")
_MARKS = {
    ".gitignore": "# Made by roofscan.\n*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n# Made by roofscan: see https://bford.info/cachedir/\n",
}


_prepared: set[str] = set()  # the folders that this process has made, and tidied, by their absolute paths


class Store:
    """The records in a folder, which is made with the first of them."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def read(self, name: str) -> dict[str, Any] | None:
        """The record of that name (32 hexadecimal digits), None where there is none, or it is damaged."""
        path = os.path.join(self.folder, f"{name}.json")
        try:
            with open(path, "rb") as file:
                checksum, _, body = file.read(MAX_FILE_BYTES + 100).partition(b"\n")
            if checksum.decode() != sha256(body).hexdigest():
                return None
            record = json.loads(body)
            if time.time() - os.stat(path).st_mtime > _DAY:
                os.utime(path)  # in use: `_tidy` is to leave it
        except (OSError, ValueError, RecursionError):
            return None
        return record if isinstance(record, dict) else None

    def write(self, name: str, record: dict[str, Any]) -> None:
        body = json.dumps(record, separators=(",", ":")).encode()
        if len(body) > MAX_FILE_BYTES:
            return
        try:
            self._prepare()
            self._replace(f"{name}.json", sha256(body).hexdigest().encode() + b"\n" + body, f".{name}")
        except (OSError, ValueError):  # a folder that may only be read, a full disk, a name that no folder can have
            return

    def _prepare(self) -> None:
        """Makes the folder, marks it as a cache that no tool needs to look into, and tidies it, once a process."""
        place = os.path.abspath(self.folder)
        if place in _prepared and os.path.isdir(place):
            return
        if os.path.islink(self.folder):
            raise OSError(f"{self.folder} is a link")  # whoever laid it there may mean another folder
        os.makedirs(self.folder, exist_ok=True)
        if not any(name not in _MARKS for name in os.listdir(self.folder)):  # a folder of our own
            for name, text in _MARKS.items():
                self._replace(name, text.encode(), f".{sha256(name.encode()).hexdigest()[:32]}")
        self._tidy()
        _prepared.add(place)

    def _replace(self, name: str, data: bytes, stem: str) -> None:
        temporary = os.path.join(self.folder, f"{stem}.{os.getpid()}.{time.monotonic_ns()}.tmp")
        try:
            with open(temporary, "xb") as file:
                file.write(data)
            os.replace(temporary, os.path.join(self.folder, name))
        except OSError:
            _remove(temporary)
            raise

    def _tidy(self) -> None:
        """Removes what a killed process left behind, and the records unused for longest beyond MAX_FOLDER_BYTES."""
        total, now = 0, time.time()
        for status, path in sorted(self._files(), key=lambda file: -file[0].st_mtime):
            total += status.st_size
            if total > MAX_FOLDER_BYTES or (path.endswith(".tmp") and now - status.st_mtime > _DAY):
                _remove(path)

    def _files(self) -> Iterator[tuple[os.stat_result, str]]:
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if _OURS.fullmatch(entry.name):
                    try:
                        yield entry.stat(follow_symlinks=False), entry.path
                    except OSError:  # another process was faster
                        continue


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        pass


class SentRecord(Store):
    """Keeps the one record that is written, for the store of another computer."""

    def __init__(self, folder: str) -> None:
        super().__init__(folder)
        self.record: dict[str, Any] | None = None

    def read(self, name: str) -> dict[str, Any] | None:
        return None

    def write(self, name: str, record: dict[str, Any]) -> None:
        self.record = record
