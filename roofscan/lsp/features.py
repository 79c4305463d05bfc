"""What the server answers to each method of the protocol."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from roofscan.errors import OptionError
from roofscan.lsp.actions import action, as_command, workspace_edit
from roofscan.lsp.server import RoofscanServer
from roofscan.lsp.settings import read_settings
from roofscan.machine.files import shipped_names

OPEN_REPORT, CHOOSE_MACHINE, MACHINES = "roofscan.openReport", "roofscan.chooseMachine", "roofscan.machines"
APPLY = "roofscan.applyFix"
WATCHED, WATCHER = ("**/*.py", "**/*.toml"), "roofscan.files"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.roofscan"


def make_server() -> RoofscanServer:
    server = RoofscanServer()
    for register in (_texts, _settings, _hover, _hints, _lenses, _actions, _commands):
        register(server)
    return server


def _texts(server: RoofscanServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        server.opened(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        server.saved(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_watched_files(params: types.DidChangeWatchedFilesParams) -> None:
        server.saved(*(change.uri for change in params.changes))

    @server.feature(types.SHUTDOWN)
    def shutdown(params: None) -> None:
        server.end()


def _settings(server: RoofscanServer) -> None:
    def take(table: object) -> None:
        settings, problems = read_settings(table, server.settings.machine)
        server.set(settings)
        server.tell(problems)

    async def ask() -> None:
        """Of clients that say only that something changed."""
        asked = server.client_capabilities.workspace
        if asked and asked.configuration:
            item = types.ConfigurationItem(section="roofscan")
            with suppress(JsonRpcException):  # of a client that says that it can, and cannot
                found = await server.workspace_configuration_async(types.ConfigurationParams([item]))
                if found and isinstance(found[0], Mapping):
                    take(found[0])

    async def watch() -> None:
        """What other programs change: another branch, the configuration."""
        asked = server.client_capabilities.workspace
        watched = asked.did_change_watched_files if asked else None
        if watched and watched.dynamic_registration:
            options = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher(p) for p in WATCHED])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            register = types.RegistrationParams([types.Registration(WATCHER, method, options)])
            with suppress(JsonRpcException):  # likewise
                await server.client_register_capability_async(register)

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        settings, problems = read_settings(params.initialization_options)
        server.settings = settings
        server.tell(problems)

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        await ask()
        await watch()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        if params.settings:
            take(params.settings)
        else:
            await ask()


def _hover(server: RoofscanServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        uri, line = params.text_document.uri, params.position.line + 1
        if not server.is_open(uri):
            return None
        places, notes = await server.notes(uri, range(line, line + 1), with_lines=True)
        text = next((note.hover for note in notes if note.line == line), "")
        content = types.MarkupContent(types.MarkupKind.Markdown, text)
        return types.Hover(content, places.line(line)) if text else None


def _hints(server: RoofscanServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hint(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        if not server.settings.inlay_hints or not server.is_open(uri):
            return []
        lines = range(params.range.start.line + 1, params.range.end.line + 2)
        places, notes = await server.notes(uri, lines, with_lines=False)
        shown = (note for note in notes if note.label and note.line in lines)
        return [types.InlayHint(places.end_of(note.line), note.label, padding_left=True) for note in shown]


def _lenses(server: RoofscanServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def code_lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        if not server.settings.code_lens or not server.is_open(uri):
            return []
        places, kernels = await server.kernels(uri)
        return [
            types.CodeLens(places.line(line), types.Command("open report", OPEN_REPORT, arguments=[uri, name]))
            for name, line in kernels
        ]


def _actions(server: RoofscanServer) -> None:
    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, FIX_ALL]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(code_action_kinds=kinds))
    async def code_action(params: types.CodeActionParams) -> list[types.CodeAction | types.Command]:
        uri, only = params.text_document.uri, params.context.only
        if not server.is_open(uri):
            return []
        identifier = types.OptionalVersionedTextDocumentIdentifier(uri, server.text(uri).version)
        asked = server.client_capabilities.workspace
        versioned = bool(asked and asked.workspace_edit and asked.workspace_edit.document_changes)
        found: list[types.CodeAction] = []
        if only is None or any(_is_asked(only, kind) for kind in kinds[:2]):
            lines = range(params.range.start.line + 1, params.range.end.line + 2)
            source, fixes = await server.fixes(uri, lines)
            places = server.places(uri, source)
            found += [action(fix, source, places, identifier, versioned) for fix in fixes]
        if only is not None and _is_asked(only, FIX_ALL):
            source, after = await server.all_fixed(uri)
            places = server.places(uri, source)
            edit = workspace_edit(source, after, places, identifier, versioned)
            found += [types.CodeAction("roofscan: make all safe fixes", FIX_ALL, edit=edit)] * (after != source)
        wanted = [each for each in found if only is None or (each.kind and _is_asked(only, each.kind))]
        return [*wanted] if _takes_actions(server) else [as_command(each, APPLY) for each in wanted]


def _takes_actions(server: RoofscanServer) -> bool:
    """Clients of the protocol before its version 3.8 know commands alone."""
    asked = server.client_capabilities.text_document
    return bool(asked and asked.code_action and asked.code_action.code_action_literal_support)


def _is_asked(only: Sequence[types.CodeActionKind | str], kind: types.CodeActionKind | str) -> bool:
    """Whether a kind, or one that it is of, is among those that the client asks for."""
    name = _name(kind)
    return any(name == _name(asked) or name.startswith(f"{_name(asked)}.") for asked in only)


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind


def _commands(server: RoofscanServer) -> None:
    @server.command(OPEN_REPORT)
    async def open_report(uri: str, kernel: str) -> str:
        try:
            address = await server.report(uri, kernel)
        except (LookupError, OSError) as error:
            server.say(str(error))
            return ""
        if not await _shown(server, address):
            server.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"The report is at {address}"))
        return address

    @server.command(APPLY)
    async def apply_fix(title: str, edit: types.WorkspaceEdit) -> None:
        await server.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, title))

    @server.command(MACHINES)
    def machines() -> list[str]:
        return shipped_names()

    @server.command(CHOOSE_MACHINE)
    async def choose_machine(*arguments: str) -> str:
        """By name; "" is the one of the settings. Without an argument, the user is asked."""
        name = str((arguments or (await _asked_for_machine(server),))[0])
        try:
            server.set(server.settings.on(name))
        except OptionError as error:
            server.say(str(error))
        return server.settings.machine


async def _shown(server: RoofscanServer, address: str) -> bool:
    """Whether the client opens a page; over a terminal, say, it has no browser."""
    asked = server.client_capabilities.window
    if not (asked and asked.show_document and asked.show_document.support):
        return False
    with suppress(JsonRpcException):
        shown = await server.window_show_document_async(types.ShowDocumentParams(address, external=True))
        return bool(shown and shown.success)
    return False


async def _asked_for_machine(server: RoofscanServer) -> str:
    choices = [types.MessageActionItem(name) for name in shipped_names()]
    question = types.ShowMessageRequestParams(types.MessageType.Info, "The target machine", choices)
    chosen = await server.window_show_message_request_async(question)
    return chosen.title if chosen else server.settings.machine


def serve() -> None:
    """Until the client ends the session, over the standard streams; pygls closes the one that it writes to."""
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as stream:
        make_server().start_io(stdout=stream)
