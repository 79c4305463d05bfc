"""How soon an editor has its answer: ``python -m benchmarks.editor [--rounds N] [--long N] [--typing SECONDS]``.

Opens a file of 500 lines with ten kernels in ``roofscan lsp`` and, beside it, in pylsp with pyflakes alone, edits one
kernel after the other, and prints the times from each edit to its diagnostics. pylsp waits half a second for further
keystrokes; that pause is printed apart. Exits with 1 if the median of ours is over its limit.

``--long N`` edits a file of three kernels N times instead, each time otherwise (constants, names, parameters, loops,
broken source), and prints the memory of the server. Exits with 1 if it grows by more than its limit after the first
thousand edits.

``--typing SECONDS`` types into one kernel for that long, a key each 30 ms, in a file of 500 lines with ten kernels and
in one of 5,000 with a hundred, of which the first findings are shown only, and asks for a hover every half second: how
long it takes, and how soon after the last key the hover and the findings of the whole final text are there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from benchmarks.sources import with_hundred_kernels, with_kernels, with_ten_kernels

LIMIT = 0.150
SETTLED, GROWTH = 1000, 1.0  # edits after which the caches are full, and megabytes that later ones may add
PAUSE_OF_PYLSP = 0.5
KEY = 0.03  # seconds between two keys
OURS, THEIRS = (sys.executable, "-m", "roofscan", "lsp"), (sys.executable, "-m", "pylsp")
OTHERS = ("pycodestyle", "mccabe", "pylint", "autopep8", "yapf", "flake8", "jedi_completion", "rope_completion")
PYFLAKES_ALONE = {"pyflakes": {"enabled": True}, **{name: {"enabled": False} for name in OTHERS}}


class Session:
    """One server, and one file that is open in it."""

    def __init__(self, command: tuple[str, ...], folder: Path) -> None:
        self.server = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._received: Queue[dict[str, Any]] = Queue()
        self._uri = (folder / "kernels.py").as_uri()
        self._version, self._shown, self._asked = 0, -1, 1
        Thread(target=self._receive, daemon=True).start()
        self._send("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}}, number=1)
        self._send("initialized", {})
        self._send("workspace/didChangeConfiguration", {"settings": {"pylsp": {"plugins": PYFLAKES_ALONE}}})

    def open(self, text: str) -> float:
        document = {"uri": self._uri, "languageId": "python", "version": 0, "text": text}
        return self._seconds_to_diagnostics("textDocument/didOpen", {"textDocument": document})

    def edit(self, text: str) -> float:
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        changed = {"textDocument": document, "contentChanges": [{"text": text}]}
        return self._seconds_to_diagnostics("textDocument/didChange", changed)

    def type(self, text: str) -> None:
        """An edit whose findings nobody waits for."""
        self._version += 1
        document = {"uri": self._uri, "version": self._version}
        self._send("textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]})

    def hover(self, line: int) -> float:
        """Seconds to what is shown of a line (from 0); findings that come in between are passed over."""
        place = {"textDocument": {"uri": self._uri}, "position": {"line": line, "character": 4}}
        self._asked += 1
        started = time.perf_counter()
        self._send("textDocument/hover", place, number=self._asked)
        while (answer := self._received.get(timeout=120)).get("id") != self._asked:
            self._shown = max(self._shown, _version_shown(answer))
        assert answer["result"]
        return time.perf_counter() - started

    def findings(self) -> None:
        """Waits for those of the text as it is."""
        while self._shown < self._version:
            self._shown = max(self._shown, _version_shown(self._received.get(timeout=120)))

    def memory(self) -> float:
        """Megabytes that the server holds (Linux)."""
        pages = int(Path(f"/proc/{self.server.pid}/statm").read_text().split()[1])
        return pages * 4096 / 1e6

    def end(self) -> None:
        self.server.kill()
        self.server.wait()

    def _seconds_to_diagnostics(self, method: str, parameters: dict[str, Any]) -> float:
        started = time.perf_counter()
        self._send(method, parameters)
        while self._received.get(timeout=120).get("method") != "textDocument/publishDiagnostics":
            pass
        return time.perf_counter() - started

    def _send(self, method: str, parameters: dict[str, Any], number: int | None = None) -> None:
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        body = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert self.server.stdin
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def _receive(self) -> None:
        stream = self.server.stdout
        assert stream
        while header := stream.readline():
            length = int(header.split(b":")[1])
            while stream.readline().strip():
                pass
            self._received.put(json.loads(stream.read(length)))


def _version_shown(message: dict[str, Any]) -> int:
    found = message.get("params", {}) if message.get("method") == "textDocument/publishDiagnostics" else {}
    return int(found.get("version", -1))


def edits(text: str, rounds: int) -> Iterator[tuple[str, str]]:
    """The name of a kernel, and the text with another first statement in it; each kernel in turn."""
    lines = text.split("\n")
    kernels = [n for n, line in enumerate(lines) if line.startswith("def ") and lines[n - 1].startswith("@njit")]
    for number in range(rounds):
        for line in kernels:
            name = lines[line].partition("(")[0].removeprefix("def ")
            yield name, "\n".join([*lines[: line + 1], f"    edited = {number}.5", *lines[line + 1 :]])


def varied_edits(text: str, number: int) -> Iterator[str]:
    """The text with one kernel changed, each time in another of six ways."""
    lines = text.split("\n")
    kernels = [n for n, line in enumerate(lines) if line.startswith("def ") and lines[n - 1].startswith("@njit")]
    for n in range(number):
        at = kernels[n // 6 % len(kernels)]
        head, first, (name, _, rest) = lines[:at], lines[at], lines[at].partition("(")
        changed, inside = (
            (first, [f"    edited = {n}.5"]),
            (first, [f"    name_{n} = 1.0", f"    other_{n} = name_{n} * 2.5"]),
            (first, [f"    broken_{n} = ("]),
            (f"{name}(p{n}, {rest}", [f"    for q{n} in range(len(p{n})):", f"        p{n}[q{n}] *= {n}.25"]),
            (f"{name}_{n}({rest}", []),
            (first, [f"    # comment {n}"]),
        )[n % 6]
        yield "\n".join([*head, changed, *inside, *lines[at + 1 :]])


def memory_of(edits: int) -> int:
    """Prints the server's memory in a long session."""
    text = with_kernels(3)
    with TemporaryDirectory() as name:
        session = Session(OURS, Path(name))
        try:
            session.open(text)
            settled = last = 0.0
            for number, edited in enumerate(varied_edits(text, edits), start=1):
                session.edit(edited)
                if number in (100, SETTLED, edits) or number % SETTLED == 0:
                    last = session.memory()
                    settled = settled or last * (number >= SETTLED)
                    print(f"after {number:5} edits: {last:.1f} MB", flush=True)
        finally:
            session.end()
    return int(last - settled > GROWTH)


def typing(text: str, seconds: float) -> None:
    """Types into the last kernel."""
    lines = text.split("\n")
    last = max(n for n, line in enumerate(lines) if line.startswith("def ") and lines[n - 1].startswith("@njit"))
    with TemporaryDirectory() as name:
        session, hovers = Session(OURS, Path(name)), list[float]()
        try:
            print(f"{len(lines)} lines: first findings after {session.open(text):.2f} s, with the start")
            end, key = time.perf_counter() + seconds, 0
            while time.perf_counter() < end:
                key += 1
                typed = "    edited = 1.25 * 3.5"[: 4 + key % 20]
                session.type("\n".join([*lines[: last + 1], typed, *lines[last + 1 :]]))
                if key % 16 == 0:
                    hovers.append(session.hover(last))
                time.sleep(KEY)
            session.type("\n".join([*lines[: last + 1], "    edited = 1.25", *lines[last + 1 :]]))
            started = time.perf_counter()
            after = session.hover(last)
            session.findings()
            found = time.perf_counter() - started
        finally:
            session.end()
    print(f"{key} keys; hover: median {1e3 * median(hovers):.0f} ms, longest {1e3 * max(hovers):.0f} ms")
    print(f"after the last key: hover {1e3 * after:.0f} ms, findings {1e3 * found:.0f} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="edits of each kernel (default: 5)")
    parser.add_argument("--long", type=int, metavar="N", help="edit N times, and print the server's memory")
    parser.add_argument("--typing", type=float, metavar="SECONDS", help="type fast, and print how long a hover takes")
    arguments = parser.parse_args()
    if arguments.typing:
        for text in (with_ten_kernels(), with_hundred_kernels()):
            typing(text, arguments.typing)
        return 0
    if arguments.long:
        return memory_of(arguments.long)
    rounds, text = arguments.rounds, with_ten_kernels()
    with TemporaryDirectory() as name:
        ours, theirs = Session(OURS, Path(name)), Session(THEIRS, Path(name))
        try:
            print(f"opening: roofscan {ours.open(text):.2f} s, pylsp {theirs.open(text):.2f} s, both with their start")
            found = [(kernel, ours.edit(edited), theirs.edit(edited)) for kernel, edited in edits(text, rounds)]
            memory = ours.memory()
        finally:
            ours.end()
            theirs.end()
    for kernel in dict.fromkeys(kernel for kernel, _, _ in found):
        print(f"{kernel:24} {1e3 * median(own for name, own, _ in found if name == kernel):6.0f} ms")
    middle, other = median(own for _, own, _ in found), median(their for _, _, their in found)
    print(f"median of {len(found)} edits: {1e3 * middle:.0f} ms (limit {1e3 * LIMIT:.0f})")
    print(f"pylsp's pyflakes: {1e3 * other:.0f} ms, of which it waits {1e3 * PAUSE_OF_PYLSP:.0f}")
    print(f"memory of the server: {memory:.0f} MB")
    return int(middle > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
