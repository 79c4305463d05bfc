"""CPU time of each kernel of a folder from source text to verdict, in a process that has everything imported.

Run by plugin.py in a process of its own: prints one JSON list of [file::kernel, seconds]. What is done once a file
(reading it, finding its kernels) is shared out evenly among its kernels.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import sources

from roofscan.api import analyze_source, load_run_config
from roofscan.config.options import Options
from roofscan.parse.reader.find import find_candidates
from roofscan.parse.reader.module import read_module
from roofscan.pipeline.driver import Setting, analyze_kernel


def main(folder: Path) -> None:
    options = Options(kernels="all")
    analyze_source(sources.with_ten_kernels(), options=options)  # loads modules, tables and the machine
    setting = load_run_config(options)
    print(json.dumps([row for path in sorted(folder.rglob("*.py")) for row in _times(path, setting)]))


def _times(path: Path, setting: Setting) -> Iterator[tuple[str, float]]:
    text = path.read_text(encoding="utf-8")
    start = process_time()
    module = read_module(text, str(path))
    candidates = find_candidates(module, plain=True).candidates
    share = (process_time() - start) / max(1, len(candidates))
    for candidate in candidates:
        start = process_time()
        result = analyze_kernel(module, candidate, setting)
        seconds = process_time() - start + share
        if any(finding.code == "RFL999" for finding in result.findings):
            print(f"{path.name}::{candidate.name} failed and is left out", file=sys.stderr)
        else:
            yield f"{path.name}::{candidate.name}", seconds


if __name__ == "__main__":
    main(Path(sys.argv[1]))
