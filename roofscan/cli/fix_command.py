"""``roofscan fix``: the changes that findings ask for, as a diff or written to the files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from difflib import unified_diff
from functools import partial
from typing import TYPE_CHECKING

from roofscan.cli import output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.parallel import in_order
from roofscan.cli.run import unsilenced
from roofscan.cli.targets import find_targets, split

if TYPE_CHECKING:
    from roofscan.config.options import Options
    from roofscan.fix.offers import Choice, FixedFile


def run(arguments: argparse.Namespace) -> int:
    """1 where a diff is printed or a file cannot be read, else 0."""
    from roofscan.fix.offers import Choice

    if any(split(word)[1] for word in arguments.paths):
        raise UsageError("fix takes files and folders; name the file, and read the diff")
    config = run_options.config_for(arguments.paths)
    run_options.refuse_problems(config)
    options = run_options.merge(arguments, config.options)
    run_options.load(options)
    choice = Choice(arguments.unsafe, not arguments.no_assume)
    targets = [target.path for target in find_targets(arguments.paths, options.exclude)]
    work = partial(_fixed, options=options, choice=choice)
    files = list(in_order(work, targets, str, options.jobs))
    for file in files:
        if file.problem:
            output.write(sys.stderr, f"roofscan: {file.path}: {file.problem}; it stays as it is\n")
    changed = [file for file in files if file.after != file.before]
    if arguments.write:
        for file in changed:
            _write(file.path, file.after)
        output.write(sys.stdout, "".join(f"{line}\n" for file in changed for line in file.fixes))
    else:
        output.emit("".join(map(diff, changed)), None)
    output.write(sys.stderr, _summary(changed, arguments.write))
    return int(any(file.problem for file in files) or bool(changed and not arguments.write))


def _fixed(path: str, options: Options, choice: Choice) -> FixedFile:
    from roofscan.fix.offers import FixedFile, fixed
    from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source

    try:
        text = read_source(path, options.max_bytes)
        with open(path, "rb") as file:
            data = file.read()
    except (SourceError, OSError) as error:
        return FixedFile(path, b"", b"", problem=getattr(error, "message", str(error)))
    if options.kernels != "all" and not may_hold_kernels(text):
        return FixedFile(path, data, data)
    return fixed(path, data, options, choice, unsilenced)


def diff(file: FixedFile) -> str:
    """A unified diff below a comment for each fix; ``patch`` passes over the comments."""
    before, after = (
        data.decode("utf-8", "surrogateescape").splitlines(keepends=True) for data in (file.before, file.after)
    )
    name = file.path.lstrip(os.sep)
    lines = unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join([*(f"# {line}\n" for line in file.fixes), *map(_ended, lines)])


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _write(path: str, data: bytes) -> None:
    try:
        output.replace_file(path, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}; check its permissions") from None


def _summary(changed: Iterable[FixedFile], written: bool) -> str:
    fixes = [len(file.fixes) for file in changed]
    if not fixes:
        return "roofscan: nothing to fix\n"
    count, files = sum(fixes), len(fixes)
    said = f"{count} {'fix' if count == 1 else 'fixes'} in {files} {'file' if files == 1 else 'files'}"
    return f"roofscan: {said} written\n" if written else f"roofscan: {said}; write them with --write\n"
