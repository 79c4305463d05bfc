"""What real editors show and do: ``python -m benchmarks.editors [--neovim PROGRAM] [--emacs PROGRAM] …``.

Sets up Neovim and Emacs (eglot) as ``docs/editors.md`` says, word for word, opens a file of kernels without a screen,
and compares: findings with ``roofscan check``, the file after "make all safe fixes" with ``roofscan fix --write``. The
folder's name has spaces, a percent sign and a letter that is not ASCII; one file ends its lines as Windows does, one
begins with a byte-order mark. Exits with 1 if an editor shows anything else. An editor that is not there is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "editors.md"
KERNEL = "columns"
TEXT = """\
import numpy as np
from numba import njit


@njit
def columns(A):
    n, m = A.shape
    for j in range(m):
        for i in range(n):
            A[i, j] *= 2.0  # gr\u00f6\u00dfer \U0001f7e5


@njit
def matmul(A, B, C):
    n, m = A.shape
    for i in range(n):
        for j in range(m):
            for k in range(m):
                C[i, j] += A[i, k] * B[k, j]


@njit
def total(x):
    s = 0.0
    for i in range(x.size):
        s += x[i]
    return s
"""
FILES = {
    "plain": TEXT,
    "windows": TEXT.replace("\n", "\r\n"),
    "mark": "\ufeff" + TEXT,
}
LINE = 1 + TEXT[: TEXT.index(f"def {KERNEL}")].count("\n")


@dataclass(frozen=True)
class Shown:
    """What an editor said of one file, and what it left on the disk."""

    answers: Mapping[str, Any]
    output: str
    after: bytes


def blocks(kind: str) -> list[str]:
    """The blocks of the page that set an editor up."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def neovim(program: str, home: Path, file: Path) -> list[str]:
    return _neovim(program, home, file, 0)


def older_neovim(program: str, home: Path, file: Path) -> list[str]:
    return _neovim(program, home, file, 1)


def _neovim(program: str, home: Path, file: Path, block: int) -> list[str]:
    (home / "init.lua").write_text(blocks("lua")[block], encoding="utf-8")
    return [program, "--headless", "-u", str(home / "init.lua"), str(file), "-c", f"luafile {HERE / 'neovim.lua'}"]


def emacs(program: str, home: Path, file: Path) -> list[str]:
    (home / ".emacs").write_text("\n".join(blocks("elisp")), encoding="utf-8")
    return [program, "--batch", "-l", str(HERE / "eglot.el")]


EDITORS = {"neovim": ("nvim", neovim), "older-neovim": ("nvim", older_neovim), "emacs": ("emacs", emacs)}
"""By name: the program, and what sets it up (Neovim by either block of the page)."""


def shown(name: str, program: str, folder: Path, text: str) -> Shown:
    file, home = folder / "kernels.py", folder / "home"
    home.mkdir(parents=True)
    file.write_bytes(text.encode())
    (folder / "pyproject.toml").touch()
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    known = {"HOME": str(home), "PATH": beside, "LINE": str(LINE), "FILE": str(file), "XDG_CONFIG_HOME": str(home)}
    command = EDITORS[name][1](program, home, file)
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **known}, capture_output=True, text=True, timeout=120, check=False
    )
    said = re.findall(r"^@(\w+) (.*?)\r?$", done.stdout + done.stderr, re.MULTILINE)
    return Shown({key: json.loads(value) for key, value in said}, done.stdout + done.stderr, file.read_bytes())


def expected(folder: Path, text: str) -> tuple[list[list[Any]], bytes]:
    """What the command finds, and what it makes of the file."""
    folder.mkdir()
    file = folder / "kernels.py"
    file.write_bytes(text.encode())
    command = [sys.executable, "-m", "roofscan"]
    checked = subprocess.run([*command, "check", str(file)], capture_output=True, text=True, check=False).stdout
    found = [[int(line), code] for line, code in re.findall(r":(\d+):\d+: (RFL\d+)", checked)]
    subprocess.run([*command, "fix", "--write", str(file)], capture_output=True, check=True)
    return found, file.read_bytes()


def faults(seen: Shown, found: list[list[Any]], after: bytes) -> Iterator[str]:
    answers = seen.answers
    if sorted(answers.get("found", [])) != sorted(found):
        yield f"finds {answers.get('found')} instead of {found}"
    if not str(answers.get("hover", "")).startswith(f"**{KERNEL}**"):
        yield f"hover {answers.get('hover')!r}"
    if answers.get("hints") != 9 or answers.get("lenses") != 3:
        yield f"{answers.get('hints')} hints and {answers.get('lenses')} lenses instead of 9 and 3"
    if seen.after != after:
        yield "the file is not what `roofscan fix` makes of it"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, (program, _) in EDITORS.items():
        parser.add_argument(f"--{name}", default=program, metavar="PROGRAM")
    arguments = vars(parser.parse_args())
    failed = False
    for name in EDITORS:
        program = shutil.which(arguments[name.replace("-", "_")])
        if program is None:
            print(f"{name:12} is not installed")
            continue
        with TemporaryDirectory() as made:
            for kind, text in FILES.items():
                seen = shown(name, program, Path(made, f"a folder 100% \u00fc {kind}"), text)
                wrong = list(faults(seen, *expected(Path(made, kind), text)))
                failed |= bool(wrong)
                seconds = seen.answers.get("seconds")
                when = f"findings after {seconds:.2f} s" if seconds else "no findings"
                print(f"{name:12} {kind:8} {when}; {'; '.join(wrong) or 'as the command'}")
                if wrong:
                    print(seen.output[-3000:])
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
