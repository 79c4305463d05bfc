"""What a result depends on besides the source: roofscan itself, Python, the options, the machine files."""

from __future__ import annotations

import os
import sys
from functools import cache
from hashlib import sha256

from roofscan import __version__
from roofscan.config.defaults import DEFAULT_MACHINE
from roofscan.config.options import Options
from roofscan.config.table import OPTIONS
from roofscan.files import python_files, read_bytes, state
from roofscan.parse.reader.resolver import MAX_FILES


def run_digest(options: Options, follow: bool) -> str:
    """A digest of all that two runs must share, besides the source, to share results."""
    rows = [option for option in OPTIONS if option.in_cache_key]
    fields = {name for row in rows for name in (row.field, row.argument_field or row.field)}
    chosen = [(name, getattr(options, name)) for name in sorted(fields)]
    machines = [(name, content_digest(name)) for name in options.machines or (DEFAULT_MACHINE,)]
    return digest(repr((_program(), sys.version_info[:2], follow, chosen, machines)))


def digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]


def content_digest(path: str, asker: str = "") -> str:
    """A digest of a file's content, or of the Python files of a folder without the ``asker``; "" for what cannot be
    read, such as the name of a machine that comes with roofscan."""
    try:
        if os.path.isdir(path):
            names = (os.path.abspath(name) for name in python_files(path, below=True, most=MAX_FILES))
            return digest(repr([(name, state(name)) for name in names if name != os.path.abspath(asker)]))
        return sha256(read_bytes(path)).hexdigest()[:32]
    except (OSError, ValueError):
        return ""


@cache
def _program() -> str:
    """A text that stands for this version of roofscan: the list of its files with their checksums where it is
    installed, else the times of its files."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    try:
        with open(os.path.join(os.path.dirname(package), f"roofscan-{__version__}.dist-info", "RECORD"), "rb") as file:
            return sha256(file.read()).hexdigest()
    except OSError:
        return digest(repr(sorted(_files(package))))


def _files(folder: str) -> list[tuple[str, int, int]]:
    found = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and entry.name != "__pycache__":
                found += _files(entry.path)
            elif entry.name.endswith((".py", ".toml")):
                status = entry.stat()
                found.append((entry.path, status.st_size, status.st_mtime_ns))
    return found
