"""``roofscan explain [CODE]``."""

from __future__ import annotations

import argparse
import sys

from roofscan.cli import output
from roofscan.cli.errors import UsageError
from roofscan.cli.machine_command import aligned
from roofscan.config import values
from roofscan.suggestions import among


def run(arguments: argparse.Namespace) -> int:
    from roofscan.rules import codes
    from roofscan.rules.rule import WIDTH

    if arguments.code is None:
        rows = [(code.id, code.location, code.title) for code in codes.CODES.values()]
        output.write(sys.stdout, aligned(rows) + "\n`roofscan explain CODE` says more.\n")
        return 0
    code = arguments.code.strip().upper()
    if code not in codes.CODES:
        said = among(code, codes.CODES)
        raise UsageError(f"{values.shown(arguments.code)} is not a code; {said} `roofscan explain` lists all")
    width = min(output.width(sys.stdout, None), WIDTH)
    output.write(sys.stdout, codes.CODES[code].page(width).rstrip() + "\n")
    return 0
