"""CPU time of each kernel of a folder from source text to verdict, in a process that has everything imported.

Run by plugin.py in a process of its own: prints one JSON list of [file::kernel, seconds].
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time

import sources

from roofscan.api import analyze_source
from roofscan.options import Options


def main(folder: Path) -> None:
    options = Options(kernels="all")
    analyze_source(sources.with_ten_kernels(), options=options)  # loads modules, tables and the machine
    rows = []
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        names = [each.kernel.name for each in analyze_source(text, str(path), options).kernels]
        rows += [(f"{path.name}::{name}", _seconds(text, path, options, name)) for name in names]
    print(json.dumps(rows))


def _seconds(text: str, path: Path, options: Options, name: str) -> float:
    start = process_time()
    analyze_source(text, str(path), options, functions=[name])
    return process_time() - start


if __name__ == "__main__":
    main(Path(sys.argv[1]))
