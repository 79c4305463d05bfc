"""The command line's grammar."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from roofscan import __version__
from roofscan.cli import (
    check_command,
    diff_command,
    explain_command,
    fix_command,
    lsp_command,
    machine_command,
    measure_command,
    report_command,
)
from roofscan.cli.errors import UsageError
from roofscan.config.table import COMMAND_OPTIONS, MEASURE_OPTIONS, OPTIONS, Command, Option


class _Parser(argparse.ArgumentParser):
    """argparse, with errors as one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{_one_line(message)}; `{self.prog} --help` lists what there is")


def parse_arguments(argv: Sequence[str]) -> argparse.Namespace:
    words = argparse.Namespace(words=shlex.join(["roofscan", *argv]))
    return _build().parse_args(list(argv), words)


def _build() -> _Parser:
    parser = _Parser(
        prog="roofscan",
        description="FLOPs, memory traffic and rooflines of NumPy and Numba kernels, from their source.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"roofscan {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)
    _add_report(commands)
    _add_check(commands)
    _add_fix(commands)
    _add_diff(commands)
    _add_explain(commands)
    _add_machine(commands)
    _add_measure(commands)
    server = _command(commands, "lsp", lsp_command.run, "serve editors (Language Server Protocol) until they close it")
    server.add_argument(
        "--stdio", action="store_true", help="use the standard streams (it always does; some editors pass this)"
    )
    return parser


def _add_report(commands: Any) -> None:
    parser = _command(
        commands, "report", report_command.run, "print what limits kernels: an overview, or the report of one"
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH[::FUNCTION]", help="files, folders, notebooks, or one function"
    )
    _add_options(parser, "report")
    parser.set_defaults(command="report", default_kernels="all")


def _add_check(commands: Any) -> None:
    parser = _command(
        commands, "check", check_command.run, "print one line per finding; exit code 1 if there are warnings"
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders or notebooks; - is standard input")
    _add_options(parser, "check")
    _add_name_of_input(parser)
    parser.add_argument(
        "--update-baseline", action="store_true", help="write the findings to the baseline; exit code 0"
    )
    parser.add_argument("--fix", action="store_true", help="make the safe changes of `roofscan fix` first")
    parser.set_defaults(command="check", default_kernels="decorated")


def _add_fix(commands: Any) -> None:
    meaning = "print the changes that findings suggest as a diff, or make them; exit code 1 if there is a diff"
    parser = _command(commands, "fix", fix_command.run, meaning)
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files or folders; - is standard input")
    keys = (
        "machine",
        "kernels",
        "bind",
        "jobs",
        "exclude",
        "max-bytes",
        "select",
        "ignore",
        "extend-select",
        "min-gain",
        "cache-dir",
        "no-cache",
    )
    _add_each(parser, (o for o in OPTIONS if o.key in keys))
    _add_name_of_input(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--diff", action="store_true", help="print the changes as a diff (the default)")
    form.add_argument("--write", action="store_true", help="write each file atomically, and print what changed")
    parser.add_argument(
        "--exit-non-zero-on-fix", action="store_true", help="end with exit code 1 if --write changes a file"
    )
    unsafe = "also make changes that may alter rounding, errors, threads or the interface"
    parser.add_argument("--unsafe", action="store_true", help=unsafe)
    assume = "skip changes that assume that arguments do not overlap, or have certain types"
    parser.add_argument("--no-assume", action="store_true", help=assume)
    parser.add_argument("--no-fastmath", action="store_true", help="write four accumulators in place of fastmath")
    parser.set_defaults(command="fix", default_kernels="decorated", cache=None)


def _add_name_of_input(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stdin-filename", metavar="FILE", help="use this name for standard input in messages; .ipynb marks a notebook"
    )


def _add_options(parser: argparse.ArgumentParser, command: Command) -> None:
    _add_each(parser, (*COMMAND_OPTIONS[command], *(o for o in OPTIONS if command in o.commands)))


def _add_each(parser: argparse.ArgumentParser, options: Iterable[Option]) -> None:
    for option in options:
        more: dict[str, Any] = {"action": "store_true"}
        if option.choices:
            more = {"choices": option.choices}
        elif option.metavar:
            action = "append" if option.repeatable else "store"
            more = {"metavar": option.metavar, "type": _checked(option.read), "action": action}
        parser.add_argument(f"--{option.key}", help=option.help, **more)


def _add_diff(commands: Any) -> None:
    parser = _command(
        commands, "diff", diff_command.run, "compare two JSON reports, and print what got better or worse (Markdown)"
    )
    for name in ("old", "new"):
        parser.add_argument(name, metavar=f"{name.upper()}.json", help="written by `roofscan report --format json`")
    parser.add_argument("--fail-on", choices=("worse",), help="end with exit code 1 if a kernel got worse")
    parser.add_argument("--output", metavar="FILE", help="write the output to this file")


def _add_explain(commands: Any) -> None:
    parser = _command(
        commands, "explain", explain_command.run, "explain a code and what to do about it; without a code, list all"
    )
    parser.add_argument(
        "code", metavar="CODE", nargs="?", help="the code to explain, such as RFL102; RFL1 lists all that begin so"
    )


def _add_machine(commands: Any) -> None:
    parser = _command(commands, "machine", machine_command.run_list, "list, show, detect or measure machines")
    actions = parser.add_subparsers(metavar="list|show|detect|measure", required=True, parser_class=_Parser)
    _command(actions, "list", machine_command.run_list, "list the names and descriptions of all machines")
    show = _command(
        actions,
        "show",
        machine_command.run_show,
        "print the levels, roofs, ridges of a machine and the sources of its numbers",
    )
    show.add_argument("name", metavar="NAME|FILE.toml", help="a name of `roofscan machine list`, or a TOML file")
    said = "write a machine file of this computer from its nameplate figures"
    detect = _command(actions, "detect", machine_command.run_detect, said)
    measured = "measure this computer with small Numba kernels (under a minute), and write its machine file"
    measure = _command(actions, "measure", machine_command.run_measure, measured)
    measure.add_argument("--gpu", action="store_true", help="measure the CUDA device instead, if there is one")
    for writes in (detect, measure):
        writes.add_argument("--output", metavar="FILE", help="write the output to this file")


def _add_measure(commands: Any) -> None:
    meaning = "run a kernel, and print its times beside the expected ones (the only command that runs code)"
    parser = _command(commands, "measure", measure_command.run, meaning)
    parser.add_argument("path", metavar="PATH::FUNCTION", help="the function to run")
    _add_each(parser, (*(o for o in OPTIONS if o.key in ("bind", "machine")), *MEASURE_OPTIONS))
    parser.set_defaults(command="measure", default_kernels="all", kernels=None, cache=None)


def _command(
    commands: Any, name: str, run: Callable[[argparse.Namespace], int], meaning: str
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=meaning, description=meaning, allow_abbrev=False)
    parser.set_defaults(run=run)
    return parser


def _checked(read: Callable[[object], Any]) -> Callable[[str], Any]:
    """argparse's ``type`` whose error message is the reader's own."""

    def convert(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return line if len(line) <= 300 else line[:297] + "..."
