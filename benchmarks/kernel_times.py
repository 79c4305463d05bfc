"""CPU time of each kernel from source text to verdict, in a process that has everything imported.

Run by path in an environment of its own, so that it measures any tree of roofscan: reads a JSON object of texts by
name from standard input and prints the seconds by name. A text on which roofscan fails (RFL999) is left out.
"""

from __future__ import annotations

import json
import sys
from time import process_time

from roofscan.api import Options, analyze_source


def main() -> None:
    texts: dict[str, str] = json.load(sys.stdin)
    options = Options(kernels="all")
    for text in list(texts.values())[:10]:
        analyze_source(text, options=options)  # loads modules, tables and the machine
    seconds = {name: timed(name, text, options) for name, text in texts.items()}
    print(json.dumps({name: value for name, value in seconds.items() if value is not None}))


def timed(name: str, text: str, options: Options) -> float | None:
    start = process_time()
    report = analyze_source(text, options=options)
    seconds = process_time() - start
    if any(finding.code == "RFL999" for kernel in report.kernels for finding in kernel.findings):
        print(f"{name} failed and is left out", file=sys.stderr)
        return None
    return seconds


if __name__ == "__main__":
    main()
