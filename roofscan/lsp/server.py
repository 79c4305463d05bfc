"""The server's state: the open files, their settings, and the analyses that are under way."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.workspace import TextDocument

from roofscan import __version__
from roofscan.api import analyze_source
from roofscan.cli.errors import UsageError
from roofscan.config.options import Options
from roofscan.errors import OptionError
from roofscan.finding import Finding
from roofscan.fix.model import Fix
from roofscan.frozen import dataclass
from roofscan.lsp.actions import FixFinder
from roofscan.lsp.diagnostics import diagnostics
from roofscan.lsp.notes import Note
from roofscan.lsp.open_file import OpenFile
from roofscan.lsp.pages import Pages
from roofscan.lsp.places import Places
from roofscan.lsp.settings import Settings
from roofscan.lsp.worker import Worker
from roofscan.pipeline.failures import guarded
from roofscan.report.page.document import About, render_page

Result = TypeVar("Result")

PAUSE = 0.01  # seconds without a keystroke before a text is analyzed; a newer text cancels the analysis
FIRST_FINDINGS = 0.5  # seconds after which a large file that was just opened shows what is known of it
MANY_UNITS = 20  # that are left of such a file


@dataclass
class _Document:
    """An open file, and the analysis that has been ordered for it."""

    file: OpenFile
    fixes: FixFinder
    task: asyncio.Task[None] | None = None
    findings: tuple[Finding, ...] = ()
    shown: bool = False  # findings of the whole file


class RoofscanServer(LanguageServer):
    def __init__(self) -> None:
        # Whole texts: pygls splits lines at form feeds too, which the protocol does not.
        sync = types.TextDocumentSyncKind.Full
        super().__init__("roofscan", __version__, text_document_sync_kind=sync, protocol_cls=FrugalProtocol)
        self.settings = Settings()
        self.pages = Pages()
        self._worker = Worker()
        self._documents: dict[str, _Document] = {}
        self._told: set[str] = set()

    # -- texts ------------------------------------------------------------------------------------
    def opened(self, uri: str) -> None:
        path = self.text(uri).path
        on_disk = uri.startswith("file:")
        self._documents[uri] = _Document(OpenFile(path, on_disk), FixFinder(path))
        self.changed(uri)

    def changed(self, uri: str) -> None:
        """Orders the findings of the text as it is now; those of the text before are no longer wanted."""
        document = self._documents.get(uri)
        if document is not None:
            self._forget_order(document)
            document.task = asyncio.get_running_loop().create_task(self._publish(uri, document))

    def closed(self, uri: str) -> None:
        document = self._documents.pop(uri, None)
        if document is not None:
            self._forget_order(document)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def saved(self, *uris: str) -> None:
        """Other files may depend on what was saved, and all on their configuration."""
        for other, document in self._documents.items():
            if other not in uris:
                document.file.forget()
                self.changed(other)

    def is_open(self, uri: str) -> bool:
        """Clients ask of files that they have just closed, too."""
        return uri in self._documents

    def _forget_order(self, document: _Document) -> None:
        if document.task is not None:
            document.task.cancel()

    async def _publish(self, uri: str, document: _Document) -> None:
        await asyncio.sleep(PAUSE)
        text, options = self.text(uri), self.options(uri)
        source, version = text.source, text.version
        try:
            async for findings, left in self._in_steps(document, source, options):
                if left == 0 or (left >= MANY_UNITS and not document.shown):
                    document.findings, document.shown = findings, left == 0
                    found = diagnostics(findings, self.places(uri, source), self.pages.of_code)
                    self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))
        except (OptionError, UsageError) as error:
            self.tell((str(error),))

    async def _in_steps(
        self, document: _Document, source: str, options: Options
    ) -> AsyncIterator[tuple[tuple[Finding, ...], int]]:
        """The findings that are known, and how many units are left: the thread is given away between two units where a
        user waits for something else."""
        left = before = sys.maxsize
        while left:
            started = time.monotonic()

            def enough(started: float = started) -> bool:
                late = not document.shown and time.monotonic() - started > FIRST_FINDINGS
                return late or self._worker.is_awaited()

            may_end = enough if left < before or before == sys.maxsize else None  # a unit may not be kept
            work = partial(document.file.findings_until, may_end, source, options)
            before, (findings, left) = left, await self._worker.run(work)
            yield findings, left

    def text(self, uri: str) -> TextDocument:
        return self.workspace.get_text_document(uri)

    def places(self, uri: str, source: str | None = None) -> Places:
        return Places(self.text(uri).source if source is None else source, self.workspace.position_codec)

    # -- settings ---------------------------------------------------------------------------------
    def options(self, uri: str) -> Options:
        options, problems = self.settings.options(self.text(uri).path)
        self.tell(problems)
        return options

    def set(self, settings: Settings) -> None:
        """New settings, for all open files."""
        self.settings = settings
        self._told.clear()
        for uri in self._documents:
            self.changed(uri)
        asked = self.client_capabilities.workspace
        if asked and asked.inlay_hint and asked.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)
        if asked and asked.code_lens and asked.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def tell(self, problems: tuple[str, ...]) -> None:
        """Shows each problem once."""
        for problem in problems:
            if problem not in self._told:
                self._told.add(problem)
                self.say(problem)

    def say(self, problem: str) -> None:
        self.window_show_message(types.ShowMessageParams(types.MessageType.Warning, f"roofscan: {problem}"))

    # -- answers ----------------------------------------------------------------------------------
    async def answered(self, work: Callable[[], Result]) -> Result | None:
        """The result of work that a user waits for, None where roofscan fails. The user is told of a failure once:
        editors show each error of an answer."""
        found = await self._worker.run(partial(guarded, work, ""), urgent=True)
        if isinstance(found, Finding):
            self.tell((found.message,))
            return None
        return found

    async def notes(self, uri: str, lines: range, with_lines: bool) -> tuple[Places, list[Note]]:
        """The notes on these lines, and the places of the text that they are of."""
        file, options, source = self._documents[uri].file, self.options(uri), self.text(uri).source
        found = await self.answered(lambda: file.notes(source, options, lines, with_lines))
        return self.places(uri, source), found or []

    async def fixes(self, uri: str, lines: range) -> tuple[str, list[Fix]]:
        """The fixes of findings on these lines, and the text that they are of."""
        document, options = self._documents[uri], self.options(uri)
        source = self.text(uri).source
        here = [f for f in document.findings if f.line in lines or lines.start in range(f.line, f.end[0] + 1)]
        kernels = tuple(dict.fromkeys(finding.kernel for finding in here if finding.kernel))
        finder = document.fixes
        found = await self.answered(lambda: finder.of(source, options, kernels)) if kernels else []
        named = {(finding.code, finding.line) for finding in here}
        return source, [fix for fix in found or () if (fix.site.finding.code, fix.site.finding.line) in named]

    async def all_fixed(self, uri: str) -> tuple[str, str]:
        """The text, and the text with every safe fix."""
        document, options = self._documents[uri], self.options(uri)
        source = self.text(uri).source
        return source, await self.answered(lambda: document.fixes.all_safe(source, options)) or source

    async def kernels(self, uri: str) -> tuple[Places, list[tuple[str, int]]]:
        """The kernels with the lines of their ``def``, and the places of the text that they are of."""
        file, source = self._documents[uri].file, self.text(uri).source
        found = await self.answered(lambda: file.kernels(source))
        return self.places(uri, source), found or []

    async def report(self, uri: str, kernel: str) -> str:
        """The address of the report of a kernel. LookupError or OSError where it is gone."""
        text, options = self.text(uri), replace(self.options(uri), layers=True)
        source, path = text.source, text.path
        work = partial(analyze_source, source, path, options, functions=(kernel,), follow=True)
        about = About(__version__, sources={path: source.split("\n")})

        def page() -> str:
            found = [result.reports for result in work().kernels]
            if not found:
                raise LookupError(f"there is no kernel {kernel} in {path}")
            return render_page(found, about, forms=True)

        return self.pages.report(uri, kernel, await self._worker.run(page, urgent=True))

    def end(self) -> None:
        self._worker.close()
        self.pages.close()


class FrugalProtocol(LanguageServerProtocol):
    """pygls' side of a session, without what it would keep for ever. pygls holds the future of a handler by the id of
    its message until the response is sent. A notification has no response, and a handler that
    ``textDocument/didChange`` calls in its turn has none of its own: each edit would leave two futures behind."""

    def _execute_handler(self, msg_id: Any, *args: Any, **kwargs: Any) -> None:
        super()._execute_handler(msg_id, *args, **kwargs)
        future = self._request_futures.get(msg_id)
        if future is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))
