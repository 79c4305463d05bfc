"""A real client over the standard streams of a server of its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

TOTAL = """\
from numba import njit


@njit
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s
"""
MATMUL = """\
import numpy as np
from numba import njit


@njit
def matmul(A, B, C):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]


@njit
def scale(x, a):
    for i in range(x.size):
        x[i] *= a
"""


@dataclass
class Editor:
    """What an editor does with its server, in the tests' words."""

    client: LanguageClient
    folder: Path
    texts: dict[str, str] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)

    def open(self, name: str, text: str) -> str:
        return self.open_at((self.folder / name).as_uri(), text)

    def open_at(self, uri: str, text: str) -> str:
        self.texts[uri], self.versions[uri] = text, 1
        document = types.TextDocumentItem(uri, "python", 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return uri

    def change(self, uri: str, text: str) -> None:
        self.texts[uri] = text
        self.versions[uri] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[uri], uri)
        whole = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    async def published(self, uri: str) -> list[types.Diagnostic]:
        """The diagnostics of the text as it is now."""
        while True:
            found = await self.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
            if found.uri == uri and found.version == self.versions[uri]:
                return list(found.diagnostics)

    async def hover(self, uri: str, line: int) -> str:
        place = types.Position(line - 1, 2)
        found = await self.client.text_document_hover_async(types.HoverParams(types.TextDocumentIdentifier(uri), place))
        return found.contents.value if found else ""

    async def hints(self, uri: str) -> dict[int, str]:
        whole = types.Range(types.Position(0, 0), types.Position(len(self.texts[uri].split("\n")), 0))
        asked = types.InlayHintParams(types.TextDocumentIdentifier(uri), whole)
        found = await self.client.text_document_inlay_hint_async(asked)
        return {hint.position.line + 1: str(hint.label) for hint in found or []}

    async def actions(self, uri: str, line: int, *only: types.CodeActionKind | str) -> list[types.CodeAction]:
        place = types.Range(types.Position(line - 1, 0), types.Position(line - 1, 0))
        context = types.CodeActionContext([], list(only) or None)
        asked = types.CodeActionParams(types.TextDocumentIdentifier(uri), place, context)
        return list(await self.client.text_document_code_action_async(asked) or [])

    def applied(self, uri: str, action: types.CodeAction) -> str:
        """The text after an action, by the protocol's rules: UTF-16 columns, edits from the last to the first."""
        text = self.texts[uri]
        assert action.edit and action.edit.document_changes
        (change,) = action.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit) and change.text_document.version == self.versions[uri]
        for edit in sorted(change.edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            assert isinstance(edit, types.TextEdit)
            text = text[: offset(text, edit.range.start)] + edit.new_text + text[offset(text, edit.range.end) :]
        return text


def offset(text: str, place: types.Position) -> int:
    """Where a UTF-16 position is in a text."""
    lines = text.split("\n")
    line = lines[place.line] if place.line < len(lines) else ""
    column = len(line.encode("utf-16-le")[: 2 * place.character].decode("utf-16-le"))
    return min(len(text), sum(len(line) + 1 for line in lines[: place.line]) + column)


async def session(
    folder: Path, options: object = None, capabilities: types.ClientCapabilities | None = None
) -> AsyncIterator[LanguageClient]:
    """Without ``capabilities``: as Visual Studio Code, in the folder; with them, in none."""
    client = make_test_lsp_client()

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def agree(_: LanguageClient, params: object) -> None: ...

    await client.start_io(sys.executable, "-m", "roofscan", "lsp", "--stdio")
    root = None if capabilities else folder.as_uri()
    known = capabilities or client_capabilities("visual-studio-code")
    await client.initialize_session(
        types.InitializeParams(capabilities=known, root_uri=root, initialization_options=options)
    )
    yield client
    await client.shutdown_session()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LanguageClient]:
    async for client in session(tmp_path_factory.mktemp("project")):
        yield client


@pytest.fixture
def editor(shared_client: LanguageClient, tmp_path: Path) -> Editor:
    """On a server with the default settings, which the tests share."""
    return Editor(shared_client, tmp_path)


@pytest_asyncio.fixture(loop_scope="module")
async def own_editor(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Editor]:
    """On a server of its own; ``request.param``: its initialization options."""
    async for client in session(tmp_path, getattr(request, "param", None)):
        yield Editor(client, tmp_path)
