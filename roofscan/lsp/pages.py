"""Pages that the editor opens: what a code means, and the report of a kernel, as files of this session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from roofscan.cache.fingerprint import digest
from roofscan.rules.codes import CODES


class Pages:
    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="roofscan-", ignore_cleanup_errors=True)

    def of_code(self, code: str) -> str:
        """The address of the page of a code."""
        return self._file(f"{code}.txt", CODES[code].page)

    def report(self, uri: str, name: str, page: str) -> str:
        """The address of the page of a kernel of a file."""
        path = Path(self._folder.name, f"{name}-{digest(uri)[:8]}.html")
        path.write_text(page, encoding="utf-8")
        return path.as_uri()

    def close(self) -> None:
        self._folder.cleanup()

    def _file(self, name: str, content: Callable[[], str]) -> str:
        path = Path(self._folder.name, name)
        if not path.exists():
            path.write_text(content(), encoding="utf-8")
        return path.as_uri()
