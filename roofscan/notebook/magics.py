"""``%load_ext roofscan``: ``%roofscan f`` reports a function of the session, ``%%roofscan`` the functions of a cell."""

from __future__ import annotations

import argparse
import shlex
from functools import reduce
from inspect import getattr_static
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

import roofscan
from roofscan.errors import AnalysisError
from roofscan.notebook.live_source import with_context
from roofscan.suggestions import among


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%roofscan: {message}; it takes FUNCTION, --machine, --bind, --threads and --cold")


def _parser() -> _Arguments:
    parser = _Arguments(prog="%roofscan", add_help=False)
    parser.add_argument("function", nargs="?")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--bind", default="")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--cold", action="store_true")
    return parser


def _arguments(line: str) -> argparse.Namespace:
    parser = _parser()
    try:
        return parser.parse_args(shlex.split(line))
    except ValueError:
        parser.error(f"a quotation mark of {line.strip()} is not closed")


@magics_class
class RoofscanMagics(Magics):
    @line_cell_magic
    def roofscan(self, line: str, cell: str | None = None) -> Any:
        """``%roofscan FUNCTION [--machine NAME] [--bind 'n=1000'] [--threads N] [--cold]``; over a cell, without a
        function: its kernels, after IPython ran it."""
        shell: Any = self.shell
        given = _arguments(line)
        try:
            if cell is not None:
                if not shell.run_cell(cell).success:
                    return None
                obj: Any = with_context(cell, shell.user_ns)
            else:
                obj = _named(given.function, shell)
            return roofscan.analyze(obj, machine=given.machine, bind=given.bind, threads=given.threads, cold=given.cold)
        except AnalysisError as error:
            raise UsageError(f"%roofscan: {error}") from None


def _named(name: str | None, shell: Any) -> Any:
    """What a name, or a dotted one, stands for in the session; no property runs."""
    if name is None:
        raise UsageError("%roofscan needs a function: %roofscan f")
    first, *rest = name.split(".")
    try:
        return reduce(getattr_static, rest, shell.user_ns[first])
    except (KeyError, AttributeError):
        functions = {n for n, value in shell.user_ns.items() if callable(value) and n not in shell.user_ns_hidden}
        raise UsageError(f"%roofscan: the session has no {name}; {among(name, functions)}") from None
