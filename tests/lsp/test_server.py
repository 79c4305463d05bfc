"""The editor server, with a real client: what it publishes, and what it answers."""

from __future__ import annotations

from pathlib import Path
from urllib.request import url2pathname

import pytest
from lsprotocol import types

from roofscan.cli import main
from tests.lsp.conftest import MATMUL, TOTAL, Editor

pytestmark = pytest.mark.asyncio(loop_scope="module")
RED_SQUARE = "\U0001f7e5"
COLUMNS = f"""\
from numba import njit  # {RED_SQUARE}


@njit
def columns(A):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            A[i, j] *= 2.0
"""


async def test_an_opened_file_gets_diagnostics(editor: Editor) -> None:
    found = await editor.published(editor.open("a.py", MATMUL))
    interchange = next(d for d in found if d.code == "RFL202")
    assert interchange.source == "roofscan"
    assert interchange.severity == types.DiagnosticSeverity.Warning
    assert interchange.range.start == types.Position(9, 12)
    assert interchange.range.end > interchange.range.start
    assert interchange.code_description is not None
    page = Path(url2pathname(interchange.code_description.href.removeprefix("file://")))
    assert page.read_text(encoding="utf-8").startswith("RFL202: ")
    streaming = next(d for d in found if d.code == "RFL102")
    assert streaming.range == types.Range(types.Position(14, 0), types.Position(14, len("def scale(x, a):")))


async def test_columns_count_utf16_units(editor: Editor) -> None:
    text = MATMUL.replace("C[i, j] +=", f'"{RED_SQUARE}{RED_SQUARE}"; C[i, j] +=')
    found = await editor.published(editor.open("a.py", text))
    line = text.split("\n")[10]
    interchange = next(d for d in found if d.code == "RFL202")
    assert interchange.range.end == types.Position(10, len(line) + 2)  # each square is two units


async def test_a_change_is_followed(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL)
    await editor.published(uri)
    editor.change(uri, MATMUL.replace("for j in range(m):\n            for k", "for k in range(m):\n            for j"))
    assert "RFL202" not in {d.code for d in await editor.published(uri)}
    editor.change(uri, "# a line more\n" + MATMUL)
    assert next(d for d in await editor.published(uri) if d.code == "RFL202").range.start.line == 10


async def test_a_closed_file_has_no_diagnostics(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL)
    await editor.published(uri)
    document = types.TextDocumentIdentifier(uri)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    closed = await editor.client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert (closed.uri, list(closed.diagnostics)) == (uri, [])


async def test_broken_source_keeps_what_was_known(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL)
    before = await editor.published(uri)
    known = await editor.hover(uri, 6)
    editor.change(uri, MATMUL.replace("\n\n@njit\ndef scale(", "\n\nx = (\n\n@njit\ndef scale("))
    after = await editor.published(uri)
    assert [d.code for d in after] == [d.code for d in before]
    assert [d.range.start.line - d2.range.start.line for d, d2 in zip(after, before)][-1] == 2
    assert await editor.hover(uri, 6) == known
    assert (await editor.hover(uri, 17)).startswith("**scale**")


async def test_hover_tells_a_kernel_and_its_loops(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL)
    kernel, loop = await editor.hover(uri, 6), await editor.hover(uri, 10)
    assert kernel.startswith("**matmul** · exact · fp64 · one core")
    assert "`2*m**2*n` FLOPs" in kernel and "| DRAM → L3 |" in kernel
    assert loop.startswith("**the loop over k** in matmul") and "- FLOPs: `2*m**2*n`" in loop
    assert "each iteration waits for C" in loop
    assert max(text.count("\n") for text in (kernel, loop)) < 15
    assert await editor.hover(uri, 11) == ""  # a statement
    assert await editor.hover(uri, 400) == ""


def fixed_by_command(file: Path, text: str) -> str:
    file.write_text(text, encoding="utf-8")
    assert main(["fix", "--write", str(file)]) == 0
    return file.read_text(encoding="utf-8")


async def test_an_action_makes_the_fixed_file(editor: Editor, tmp_path: Path) -> None:
    """The file is what ``roofscan fix --write`` makes of it."""
    uri = editor.open("a.py", COLUMNS)
    await editor.published(uri)
    (action,) = await editor.actions(uri, 5)
    assert action.kind == types.CodeActionKind.QuickFix
    assert editor.applied(uri, action) == fixed_by_command(tmp_path / "a.py", COLUMNS) != COLUMNS


async def test_all_safe_fixes_at_once(editor: Editor, tmp_path: Path) -> None:
    uri = editor.open("a.py", MATMUL)
    await editor.published(uri)
    (action,) = await editor.actions(uri, 1, types.CodeActionKind.SourceFixAll)
    assert editor.applied(uri, action) == fixed_by_command(tmp_path / "a.py", MATMUL) != MATMUL
    assert await editor.actions(uri, 1) == []


async def test_unsafe_changes_are_no_quick_fixes(editor: Editor) -> None:
    uri = editor.open("a.py", TOTAL)
    await editor.published(uri)
    (action,) = await editor.actions(uri, 7)
    assert action.kind == types.CodeActionKind.RefactorRewrite and "unsafe: " in action.title
    assert "fastmath" in editor.applied(uri, action)
    assert await editor.actions(uri, 7, types.CodeActionKind.QuickFix) == []


async def test_hints_are_off_until_asked_for(own_editor: Editor) -> None:
    uri = own_editor.open("a.py", MATMUL)
    await own_editor.published(uri)
    assert await own_editor.hints(uri) == {}
    settings = types.DidChangeConfigurationParams({"roofscan": {"inlayHints": True}})
    own_editor.client.workspace_did_change_configuration(settings)
    hints = await own_editor.hints(uri)
    assert list(hints) == [6, 8, 9, 10, 15, 16]
    assert "AI" in hints[6] and hints[10].endswith("at L1")


@pytest.mark.parametrize("own_editor", [{"machine": "no-such-machine"}], indirect=True)
async def test_a_setting_that_cannot_be_read_is_told_and_the_rest_holds(own_editor: Editor) -> None:
    assert await own_editor.published(own_editor.open("a.py", MATMUL))
    assert ["no-such-machine" in message.message for message in own_editor.client.messages] == [True]


async def test_the_project_configures_the_server(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.roofscan]\nignore = ["RFL1"]\n', encoding="utf-8")
    found = await editor.published(editor.open("a.py", MATMUL))
    assert found and not any(str(d.code).startswith("RFL1") for d in found)


async def test_the_machine_is_chosen_by_command(own_editor: Editor) -> None:
    uri = own_editor.open("a.py", MATMUL)
    await own_editor.published(uri)
    names = await own_editor.client.workspace_execute_command_async(types.ExecuteCommandParams("roofscan.machines"))
    assert "xeon-6248r" in names
    choose = types.ExecuteCommandParams("roofscan.chooseMachine", ["xeon-6248r"])
    await own_editor.client.workspace_execute_command_async(choose)
    assert any("xeon-6248r" in d.message for d in await own_editor.published(uri))


async def test_the_lens_opens_the_report(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL)
    await editor.published(uri)
    asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    lenses = list(await editor.client.text_document_code_lens_async(asked) or [])
    assert [lens.range.start.line + 1 for lens in lenses] == [6, 15]
    command = lenses[0].command
    assert command is not None
    call = types.ExecuteCommandParams(command.command, command.arguments)
    address = await editor.client.workspace_execute_command_async(call)
    page = Path(url2pathname(address.removeprefix("file://"))).read_text(encoding="utf-8")
    assert 'id="kernel:matmul"' in page and 'id="kernel:scale"' not in page


async def test_noqa_silences(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL.replace("def scale(x, a):", "def scale(x, a):  # noqa: RFL102"))
    assert not any(d.range.start.line == 14 for d in await editor.published(uri))


async def test_a_request_that_nobody_waits_for_is_given_up(editor: Editor) -> None:
    """A text that is out of date is not analyzed to the end, and the next answer does not wait for it."""
    uri = editor.open("a.py", MATMUL)
    for size in range(40):
        editor.change(uri, MATMUL.replace("*= a", f"*= a + {size}.5"))
    assert {d.code for d in await editor.published(uri)} >= {"RFL202"}


async def test_a_file_that_was_just_closed_has_no_answers(editor: Editor) -> None:
    """Renaming is closing and opening, and questions may be under way; the file may be gone."""
    uri = editor.open("a.py", MATMUL)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert (await editor.hover(uri, 6), await editor.hints(uri), await editor.actions(uri, 10)) == ("", {}, [])
    assert await editor.actions(uri, 1, types.CodeActionKind.SourceFixAll) == []
    asked = types.CodeLensParams(types.TextDocumentIdentifier(uri))
    assert not await editor.client.text_document_code_lens_async(asked)


async def test_a_report_that_cannot_be_made_is_told(editor: Editor) -> None:
    uri = editor.open("a.py", MATMUL)
    told = len(editor.client.messages)
    for name, kernel in ((uri, "matmull"), ((editor.folder / "gone.py").as_uri(), "matmul")):
        call = types.ExecuteCommandParams("roofscan.openReport", [name, kernel])
        assert await editor.client.workspace_execute_command_async(call) == ""
    assert ["no kernel matmull" in m.message or "gone.py" in m.message for m in editor.client.messages[told:]] == [
        True,
        True,
    ]


async def test_reports_of_two_files_are_two_pages(editor: Editor) -> None:
    uris = [editor.open("a.py", TOTAL), editor.open("b.py", TOTAL)]
    calls = [types.ExecuteCommandParams("roofscan.openReport", [uri, "total"]) for uri in uris]
    assert len({await editor.client.workspace_execute_command_async(call) for call in calls}) == 2


async def test_a_machine_that_is_not_known_is_told_and_not_chosen(editor: Editor) -> None:
    told = len(editor.client.messages)
    choose = types.ExecuteCommandParams("roofscan.chooseMachine", ["no-such-machine"])
    assert await editor.client.workspace_execute_command_async(choose) == ""
    assert ["no-such-machine" in m.message for m in editor.client.messages[told:]] == [True]


HELPER = "from numba import njit\n\n\n@njit\ndef f(a):\n    return a * 2.0\n"
CALLER = """\
from numba import njit
from h import f


@njit
def g(x):
    for i in range(x.size):
        x[i] = f(x[i])
"""


async def test_files_that_other_programs_change_are_followed(own_editor: Editor) -> None:
    """Another branch, say, with another helper and another configuration."""

    def told(name: str) -> None:
        event = types.FileEvent((own_editor.folder / name).as_uri(), types.FileChangeType.Changed)
        own_editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    (own_editor.folder / "h.py").write_text(HELPER, encoding="utf-8")
    uri = own_editor.open("g.py", CALLER)
    before, hover = await own_editor.published(uri), await own_editor.hover(uri, 6)
    (own_editor.folder / "h.py").write_text(HELPER.replace("a *", "a / 3.0 + a / 5.0 +"), encoding="utf-8")
    told("h.py")
    assert before and [d.message for d in await own_editor.published(uri)] != [d.message for d in before]
    assert await own_editor.hover(uri, 6) != hover
    (own_editor.folder / "pyproject.toml").write_text('[tool.roofscan]\nselect = ["RFL2"]\n', encoding="utf-8")
    told("pyproject.toml")
    assert await own_editor.published(uri) == []


async def test_letters_that_the_declared_encoding_lacks(editor: Editor) -> None:
    text = "# -*- coding: latin-1 -*-\n" + COLUMNS.replace(RED_SQUARE, "\u20ac")
    uri = editor.open("a.py", text)
    await editor.published(uri)
    (action,) = await editor.actions(uri, 1, types.CodeActionKind.SourceFixAll)
    assert editor.applied(uri, action).startswith("# -*- coding: latin-1 -*-\nfrom numba import njit  # \u20ac\n")
