"""The pages of ``docs/`` as tests: files that a page shows are written, commands and snippets are run, and what they
print is compared with the page. ``python -m tests.docs.pages`` writes what they print into the pages.

A ``python``, ``toml`` or ``yaml`` block with ``title="NAME"`` is a file; ``console`` blocks hold commands (``$ …``) and
their output; ``pycon`` blocks are sessions of one interpreter a page; ``sh`` and ``text`` blocks are not run."""

from __future__ import annotations

import code
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from roofscan.cli import main

DOCS = Path(__file__).parents[2] / "docs"
COLUMNS = "100"
BLOCK = re.compile(r"^```(?P<kind>\w+)(?P<head>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r'title="([^"]+)"')
FILES = ("python", "toml", "yaml")


@dataclass(frozen=True)
class Printed:
    """What a block holds, and what it should hold."""

    line: int
    written: str
    actual: str


def pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def printed(page: Path) -> Iterator[Printed]:
    """Every block of a page whose output can be told, run in the order of the page in one folder."""
    text, session = page.read_text(encoding="utf-8"), Session()
    with TemporaryDirectory() as folder, _inside(Path(folder)):
        for block in BLOCK.finditer(text):
            kind, body = block["kind"], block["body"]
            title = TITLE.search(block["head"])
            line = text.count("\n", 0, block.start()) + 1
            if title and kind in FILES:
                Path(title[1]).parent.mkdir(parents=True, exist_ok=True)
                Path(title[1]).write_text(body, encoding="utf-8")
            elif kind == "console":
                yield Printed(line, body, "".join(map(_run, _commands(body))))
            elif kind == "pycon":
                yield Printed(line, body, session.run(body))


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before, columns = Path.cwd(), os.environ.get("COLUMNS")
    os.chdir(folder)
    os.environ["COLUMNS"] = COLUMNS
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.pop("COLUMNS") if columns is None else os.environ.update(COLUMNS=columns)


def _commands(body: str) -> list[str]:
    """The commands of a block; a line that ends with a backslash goes on in the next."""
    lines, found = iter(body.splitlines()), []
    for line in lines:
        if line.startswith("$ "):
            command = line
            while command.endswith("\\"):
                command += "\n" + next(lines)
            found.append(command)
    return found


def _run(line: str) -> str:
    """A command as it stands, and what it prints."""
    words = shlex.split(line[2:].replace("\\\n", " "))
    if words[0] == "roofscan":
        with contextlib.redirect_stdout(io.StringIO()) as out:
            if main(words[1:]) == 2:
                raise ValueError(f"a usage error: {line}")
        found = out.getvalue()
    elif words[0] in ("flake8", "python"):
        command = [sys.executable, *(["-m", "flake8", *words[1:]] if words[0] == "flake8" else words[1:])]
        found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    elif words[0] == "cat":
        found = "".join(Path(name).read_text(encoding="utf-8") for name in words[1:])
    else:
        raise ValueError(f"the pages may run roofscan, flake8, python and cat, not {words[0]!r}")
    return f"{line}\n{found.strip(chr(10))}\n" if found.strip() else f"{line}\n"


class Session:
    """An interpreter: statements after ``>>>`` and ``...``, with what they print."""

    def __init__(self) -> None:
        self._console = code.InteractiveConsole({"__name__": "__main__"})

    def run(self, body: str) -> str:
        lines = [line for line in body.splitlines() if line.startswith((">>> ", "... ", "..."))]
        found = []
        for line in lines:
            with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
                self._console.push(line[4:])
            found.append(f"{line}\n{out.getvalue()}")
        return "".join(found)


def update(page: Path) -> None:
    """Writes what its blocks print into a page."""
    text = page.read_text(encoding="utf-8")
    for block in printed(page):
        text = text.replace(block.written, block.actual, 1)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or map(str, pages()):
        update(Path(name).resolve())
