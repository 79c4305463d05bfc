"""The editor server with clients that can less than Visual Studio Code, or say it otherwise."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.lsp.conftest import MATMUL, TOTAL, Editor, offset, session

pytestmark = pytest.mark.asyncio(loop_scope="module")
SQUARES = "\U0001f7e5\U0001f7e5"
URIS = ("untitled:Untitled-1", "file:///no/such%20folder/100%25.py", "file:///tmp/%C3%BC%2B.py", "inmemory://model/1")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def plain_client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LanguageClient]:
    """It knows commands, not code actions; it counts columns in characters."""
    general = types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf32])
    workspace = types.WorkspaceClientCapabilities(configuration=True)  # and no handler: its answer is an error
    known = types.ClientCapabilities(general=general, workspace=workspace)
    async for client in session(tmp_path_factory.mktemp("none"), capabilities=known):
        yield client


@pytest.fixture
def plain_editor(plain_client: LanguageClient, tmp_path: Path) -> Editor:
    return Editor(plain_client, tmp_path)


@pytest.mark.parametrize("uri", URIS)
async def test_a_text_needs_no_file(plain_editor: Editor, uri: str) -> None:
    plain_editor.open_at(uri, MATMUL)
    assert {d.code for d in await plain_editor.published(uri)} == {"RFL102", "RFL202"}
    assert (await plain_editor.hover(uri, 6)).startswith("**matmul**")


async def test_columns_are_counted_as_agreed(plain_editor: Editor) -> None:
    text = MATMUL.replace("C[i, j] +=", f'"{SQUARES}"; C[i, j] +=')
    found = await plain_editor.published(plain_editor.open("a.py", text))
    assert next(d for d in found if d.code == "RFL202").range.end == types.Position(10, len(text.split("\n")[10]))


async def test_a_client_without_code_actions_gets_commands(plain_editor: Editor) -> None:
    applied: list[types.ApplyWorkspaceEditParams] = []

    @plain_editor.client.feature(types.WORKSPACE_APPLY_EDIT)
    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        applied.append(params)
        return types.ApplyWorkspaceEditResult(True)

    uri = plain_editor.open("a.py", TOTAL)
    await plain_editor.published(uri)
    asked = types.CodeActionParams(
        types.TextDocumentIdentifier(uri),
        types.Range(types.Position(6, 0), types.Position(6, 0)),
        types.CodeActionContext([]),
    )
    (command,) = await plain_editor.client.text_document_code_action_async(asked) or []
    assert isinstance(command, types.Command) and command.title.startswith("RFL501: ")
    order = types.ExecuteCommandParams(command.command, command.arguments)
    await plain_editor.client.workspace_execute_command_async(order)
    assert applied[0].label == command.title and applied[0].edit.changes
    (edit,) = applied[0].edit.changes[uri]
    assert "fastmath" in edit.new_text and edit.range.start.line == 3


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_a_text_with_a_byte_order_mark(editor: Editor, end: str) -> None:
    text = "\ufeff" + MATMUL.replace("\n", end)
    uri = editor.open("a.py", text)
    await editor.published(uri)
    (action,) = await editor.actions(uri, 1, types.CodeActionKind.SourceFixAll)
    fixed = editor.applied(uri, action)
    assert fixed.startswith(text[: offset(text, types.Position(6, 0))]) and fixed != text
    assert fixed.count("\n") == fixed.count(end)
