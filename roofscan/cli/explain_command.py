"""``roofscan explain [CODE]``: the page of a code, or a list of all codes, or of those that begin with some letters."""

from __future__ import annotations

import argparse
import sys

from roofscan.cli import output
from roofscan.cli.errors import UsageError
from roofscan.cli.machine_command import aligned
from roofscan.config import values
from roofscan.suggestions import among

LENGTH = 6  # of a code; what is shorter names all codes that begin so


def run(arguments: argparse.Namespace) -> int:
    from roofscan.rules import codes
    from roofscan.rules.rule import WIDTH

    code = (arguments.code or "").strip().upper()
    several = [each for each in codes.CODES.values() if each.id.startswith(code)] if len(code) < LENGTH else []
    if several:
        rows = [(each.id, each.location, each.title) for each in several]
        output.write(sys.stdout, aligned(rows) + "\n`roofscan explain CODE` says more.\n")
        return 0
    if code not in codes.CODES:
        said = among(code, codes.CODES)
        raise UsageError(f"{values.shown(arguments.code)} is not a code; {said} `roofscan explain` lists all")
    width = min(output.width(sys.stdout, None), WIDTH)
    output.write(sys.stdout, codes.CODES[code].page(width).rstrip() + "\n")
    return 0
