"""Source text -> ``syntax`` nodes by LibCST."""

from __future__ import annotations

import libcst as cst

from roofscan.parse.reader.cst_positions import Positions
from roofscan.parse.reader.cst_statements import StatementConverter
from roofscan.parse.syntax import Statement


def convert_newer(text: str, first: int) -> tuple[Statement, ...]:
    """The statements of a text, of which ``first`` is the file's number of the first line; raises what LibCST does."""
    module = cst.parse_module(text)
    return StatementConverter(Positions(module, text, first)).block(module.body)
