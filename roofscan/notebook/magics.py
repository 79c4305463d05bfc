"""``%load_ext roofscan``: ``%roofscan f`` reports a function of the session, ``%%roofscan`` the functions of a cell."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from typing import Any, NoReturn

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class

import roofscan
from roofscan.errors import AnalysisError
from roofscan.notebook.live_source import with_context
from roofscan.suggestions import among


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%roofscan: {message}")


def _parser() -> _Arguments:
    parser = _Arguments(prog="%roofscan", add_help=False)
    parser.add_argument("function", nargs="?")
    parser.add_argument("--machine", action="append")
    parser.add_argument("--bind", default="")
    return parser


@magics_class
class RoofscanMagics(Magics):
    @line_cell_magic
    def roofscan(self, line: str, cell: str | None = None) -> Any:
        """``%roofscan FUNCTION [--machine NAME] [--bind 'n=1000']``; over a cell: its kernels, after IPython ran it."""
        shell: Any = self.shell
        given = _parser().parse_args(shlex.split(line))
        try:
            if cell is not None:
                if not shell.run_cell(cell).success:
                    return None
                obj: Any = with_context(cell, shell.user_ns)
            else:
                obj = _named(given.function, shell.user_ns)
            return roofscan.analyze(obj, machine=given.machine, bind=given.bind)
        except AnalysisError as error:
            raise UsageError(f"%roofscan: {error}") from None


def _named(name: str | None, namespace: Mapping[str, Any]) -> Any:
    functions = {n for n, value in namespace.items() if callable(value) and not n.startswith("_")}
    if name is None:
        raise UsageError("%roofscan needs a function: %roofscan f")
    if name not in functions:
        raise UsageError(f"%roofscan: the session has no function {name}; {among(name, functions)}")
    return namespace[name]
