"""python-lsp-server over its standard streams: a file that is opened gets roofscan's diagnostics."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from tests.plugin.conftest import AXPY

Message = dict[str, Any]
OTHER_LINTERS = ("pycodestyle", "pyflakes", "mccabe", "pylint", "autopep8", "yapf")
FLAKE8_ONLY = {"flake8": {"enabled": True}, **{name: {"enabled": False} for name in OTHER_LINTERS}}


class Client:
    """The few words of the language server protocol that an editor needs to see diagnostics."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self.server = server
        self.received: Queue[Message] = Queue()
        Thread(target=self._receive, daemon=True).start()

    def send(self, method: str, parameters: Message, number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.server.stdin
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def wait_for(self, method: str) -> Message:
        while True:
            message = self.received.get(timeout=60)
            if message.get("method") == method:
                return dict(message["params"])

    def _receive(self) -> None:
        stream = self.server.stdout
        assert stream
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self.received.put(json.loads(stream.read(length)))


@pytest.fixture
def client(project: Path) -> Iterator[Client]:
    command = [sys.executable, "-m", "pylsp"]
    with subprocess.Popen(
        command, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        client = Client(server)
        client.send("initialize", {"processId": None, "rootUri": project.as_uri(), "capabilities": {}}, 1)
        client.send("initialized", {})
        client.send("workspace/didChangeConfiguration", {"settings": {"pylsp": {"plugins": FLAKE8_ONLY}}})
        yield client
        server.kill()


def diagnostics_of(client: Client, path: Path, text: str) -> list[Message]:
    document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
    client.send("textDocument/didOpen", {"textDocument": document})
    published = client.wait_for("textDocument/publishDiagnostics")
    assert published["uri"] == path.as_uri()
    return list(published["diagnostics"])


def test_an_unsaved_file_gets_diagnostics(project: Path, client: Client) -> None:
    (project / ".flake8").write_text("[flake8]\nroofscan-machine = xeon-6248r\n")
    (found,) = diagnostics_of(client, project / "unsaved.py", AXPY)
    assert (found["source"], found["code"]) == ("flake8", "RFL102")
    assert found["range"]["start"] == {"line": 4, "character": 0}
    assert "axpy" in found["message"] and "xeon-6248r" in found["message"]


def test_a_kernel_and_another_plugins_finding(project: Path, client: Client) -> None:
    found = diagnostics_of(client, project / "a.py", "import os\n" + AXPY)
    assert [each["code"] for each in found] == ["F401", "RFL102"]
