"""A session of thousands of edits keeps nothing of each; ``benchmarks/editor.py`` measures the process."""

from __future__ import annotations

import asyncio
import functools
import gc
import io
import os
import sys
import weakref
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types

from roofscan.config.options import Options
from roofscan.lsp.features import make_server
from roofscan.lsp.open_file import OpenFile
from roofscan.pipeline import driver

EDITED = """\
from numba import njit


@njit
def kernel{n}(x, y{n}):
    a{n} = {n}.5
    for i{n} in range(1, y{n}.size):
        x[i{n}] = y{n}[i{n} - 1] * a{n} + {n}.25
"""
MAX_ENTRIES = 1 << 14  # of a cache


def caches() -> Iterator[tuple[str, functools._lru_cache_wrapper[object]]]:
    for found in gc.get_objects():
        if type(found) is functools._lru_cache_wrapper and str(found.__module__).startswith("roofscan."):
            yield f"{found.__module__}.{found.__qualname__}", found


def kept() -> dict[str, int]:
    """The lengths of what modules of roofscan hold, and of its caches without a limit."""
    found = {
        f"{name}.{attribute}": len(value)
        for name, module in list(sys.modules.items())
        if name.startswith("roofscan.")
        for attribute, value in list(vars(module).items())
        if issubclass(type(value), (dict, list, set, deque)) and not attribute.startswith("__")
    }
    return found | {name: c.cache_info().currsize for name, c in caches() if c.cache_info().maxsize is None}


def test_modules_keep_nothing_of_an_edit() -> None:
    file = OpenFile("a.py", on_disk=False)

    def edit(number: int) -> None:
        text = EDITED.format(n=number)
        file.findings(text, Options())
        file.findings(text + "broken = (\n", Options())
        file.notes(text, Options(), range(1, 9))

    for number in range(2):
        edit(number)
    before = kept()
    for number in range(2, 5):
        edit(number)
    assert {name: count for name, count in kept().items() if count > before.get(name, 0)} == {}


class Cycle:
    """What only Python's cyclic collector frees."""

    def __init__(self) -> None:
        self.me = self


def test_a_long_session_frees_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    """An analysis takes what is alive after it out of the counts by which Python decides to look."""
    monkeypatch.setattr(driver, "COLLECT_EVERY", 1)
    left = weakref.ref(Cycle())
    assert left() is not None
    OpenFile("a.py", on_disk=False).findings(EDITED.format(n=1), Options())
    assert left() is None


def test_caches_have_limits() -> None:
    limits = {name: cache.cache_info().maxsize or 0 for name, cache in caches()}
    assert limits and max(limits.values()) <= MAX_ENTRIES


def test_no_message_is_kept() -> None:
    """Nor are the futures of its handlers, which pygls holds until a response is sent: a notification has none."""
    uri, capabilities = "untitled:a", types.ClientCapabilities()

    async def session() -> int:
        server = make_server()
        protocol = server.protocol
        protocol.set_writer(io.BytesIO())
        protocol._handle_request(1, types.INITIALIZE, types.InitializeParams(capabilities=capabilities))
        await asyncio.sleep(0)
        opened = types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 0, ""))
        protocol._handle_notification(types.TEXT_DOCUMENT_DID_OPEN, opened)
        for version in range(1, 9):
            document = types.VersionedTextDocumentIdentifier(version, uri)
            whole = types.TextDocumentContentChangeWholeDocument(f"x = {version}\n")
            changed = types.DidChangeTextDocumentParams(document, [whole])
            protocol._handle_notification(types.TEXT_DOCUMENT_DID_CHANGE, changed)
            await asyncio.sleep(0)
        assert server.text(uri).source == "x = 8\n"
        protocol._handle_notification(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(document))
        server.end()
        return len(protocol._request_futures)

    assert asyncio.run(session()) == 0


def test_of_a_saved_helper_the_last_version_is_kept(tmp_path: Path) -> None:
    helper = tmp_path / "h.py"
    text = EDITED.format(n=0).replace("@njit", "from h import f\n\n\n@njit").replace("* a0", "* f(a0)")
    file = OpenFile(str(tmp_path / "a.py"), on_disk=True)

    def saved(number: int) -> None:
        helper.write_text(
            f"from numba import njit\n\n\n@njit\ndef f(a):\n    return a * {number}.5\n", encoding="utf-8"
        )
        os.utime(helper, ns=(number, number))
        file.findings(text.replace("y0", f"y{number}"), Options())

    saved(1)
    before = sum(cache.cache_info().currsize for name, cache in caches() if ".reader.package." in name)
    for number in range(2, 5):
        saved(number)
    assert sum(cache.cache_info().currsize for name, cache in caches() if ".reader.package." in name) == before > 0
