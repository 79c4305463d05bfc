"""Code actions: the fixes of ``roofscan fix``, each with its edit."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable

from lsprotocol import types

from roofscan.cli.run import unsilenced
from roofscan.config.options import Options
from roofscan.fix.model import Fix
from roofscan.fix.offers import Choice, fixed, offered
from roofscan.lsp.places import Places, edits


class FixFinder:
    """The fixes of one file, remembered as long as its text stays as it is. Used by the worker's thread alone."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._of: tuple[str, Options] | None = None
        self._found: dict[str, tuple[Fix, ...]] = {}

    def of(self, text: str, options: Options, kernels: Iterable[str]) -> list[Fix]:
        if self._of != (text, options):
            self._of, self._found = (text, options), {}
        return [fix for kernel in kernels for fix in self._fixes(text, options, kernel)]

    def all_safe(self, text: str, options: Options) -> str:
        """The text with every safe fix."""
        return _decoded(fixed(self._path, _encoded(text), options, Choice(), unsilenced).after, text)

    def _fixes(self, text: str, options: Options, kernel: str) -> tuple[Fix, ...]:
        if kernel not in self._found:
            self._found[kernel] = tuple(offered(self._path, _encoded(text), options, unsilenced, (kernel,)))
        return self._found[kernel]


def action(
    fix: Fix, text: str, places: Places, document: types.OptionalVersionedTextDocumentIdentifier, versioned: bool
) -> types.CodeAction:
    safe = fix.safety == "safe"
    notes = "; ".join([*([] if safe else [f"unsafe: {fix.why_unsafe}"]), *(f"assumes {a}" for a in fix.assumptions)])
    return types.CodeAction(
        title=f"{fix.site.finding.code}: {fix.what}" + (f" ({notes})" if notes else ""),
        kind=types.CodeActionKind.QuickFix if safe else types.CodeActionKind.RefactorRewrite,
        is_preferred=safe and not fix.assumptions,
        edit=workspace_edit(text, _decoded(fix.module.bytes, text), places, document, versioned),
    )


def workspace_edit(
    before: str, after: str, places: Places, document: types.OptionalVersionedTextDocumentIdentifier, versioned: bool
) -> types.WorkspaceEdit:
    made = edits(before, after, places)
    if versioned:
        return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, list(made))])
    return types.WorkspaceEdit(changes={document.uri: made})


def as_command(action: types.CodeAction, command: str) -> types.Command:
    return types.Command(action.title, command, arguments=[action.title, action.edit])


def _encoding(text: str) -> str:
    """That the text declares: LibCST reads bytes. UTF-8 where that one lacks some of its letters, and where the text
    begins with a byte-order mark, which is a letter of it here."""
    try:
        declared = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)[0]
        text.encode(declared)
    except (SyntaxError, UnicodeError):
        return "utf-8"
    return "utf-8" if declared == "utf-8-sig" else declared


def _encoded(text: str) -> bytes:
    return text.encode(_encoding(text))


def _decoded(data: bytes, text: str) -> str:
    return data.decode(_encoding(text))
