"""``roofscan fix``: the changes that findings ask for, as a diff or written to the files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, unified_diff
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from roofscan.cli import output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.parallel import in_order
from roofscan.cli.run import fixable, unsilenced
from roofscan.cli.targets import Target, find_targets, split, standard_input
from roofscan.config import values
from roofscan.files import is_file, is_notebook, is_piped, read_bytes
from roofscan.finding import Edit, FileChange, Finding
from roofscan.parse.reader.source import split_lines
from roofscan.pipeline.failures import guarded

if TYPE_CHECKING:
    from roofscan.config.options import Options
    from roofscan.fix.model import Fix
    from roofscan.fix.offers import Choice, FixedFile


def run(arguments: argparse.Namespace) -> int:
    """1 where a diff is printed, a file cannot be read, or, with --exit-non-zero-on-fix, one is written; else 0."""
    with standard_input(arguments.paths, arguments.stdin_filename) as paths:
        return _run(arguments, paths)


def _run(arguments: argparse.Namespace, paths: Sequence[str]) -> int:
    from roofscan.fix.offers import Choice

    if any(split(word)[1] for word in paths):
        raise UsageError("fix takes files and folders; name the file, and read the diff")
    config = run_options.config_for(paths)
    run_options.refuse_problems(config)
    options = run_options.merge(arguments, config.options)
    run_options.load(options)
    choice = Choice(arguments.unsafe, not arguments.no_assume, not arguments.no_fastmath)
    files = fix_files(paths, options, choice, arguments.write)
    changed = [file for file in files if file.fixes]
    if arguments.write:
        _say_written(files)
    else:
        output.write_bytes(sys.stdout, "".join(map(diff, changed)).encode("utf-8", "surrogateescape"))
    if changed or not all(file.problem for file in files):
        output.write(sys.stderr, _summary(files, arguments.write) + _hint(files, options, "--unsafe") + "\n")
    fails = arguments.exit_non_zero_on_fix if arguments.write else True
    return int(any(file.problem for file in files) or bool(changed and fails))


def _say_written(files: Sequence[FixedFile]) -> None:
    """The changes, one per line. Fixed standard input goes to standard output, its changes to standard error."""
    piped = [file for file in files if is_piped(file.path)]
    for file in piped:
        output.write_bytes(sys.stdout, file.after)
    said = "".join(f"{line}\n" for file in files for line in file.fixes)
    output.write(sys.stderr if piped else sys.stdout, said)


def fix_files(paths: Sequence[str], options: Options, choice: Choice, write: bool) -> list[FixedFile]:
    """The files with all fixes that are wanted; with ``write``, they are replaced."""
    from roofscan.fix.offers import FixedFile

    targets = _files([t.path for t in find_targets(paths, options.exclude)])
    sources = [path for path in targets if not is_notebook(path)]
    on_disk = [path for path in sources if not is_piped(path)]
    files = list(in_order(partial(_fixed, options=options, choice=choice), on_disk, Target, options))
    files += [_fixed(path, options, choice) for path in sources if is_piped(path)]
    files += [FixedFile(p, b"", b"", problem="fix does not change notebooks") for p in paths if is_notebook(p)]
    if write:
        files = [_written(file) if file.fixes and not is_piped(file.path) else file for file in files]
    for file in (file for file in files if file.problem):
        output.write(sys.stderr, f"roofscan: {values.plain(file.path)}: {file.problem}; it stays as it is\n")
    return files


def _files(paths: Sequence[str]) -> list[str]:
    """The paths without further names of the same files: links."""
    named: dict[str, str] = {}
    for path in sorted(paths, key=os.path.islink):
        named.setdefault(os.path.realpath(path) if is_file(path) else path, path)
    kept = {*named.values()}
    return [path for path in paths if path in kept]


def fix_first(paths: Sequence[str], options: Options) -> None:
    """``check --fix``: makes the safe changes; ``check`` then reports the remaining findings."""
    from roofscan.fix.offers import Choice

    if any(map(is_piped, paths)):
        raise UsageError("--fix changes files; pipe the source through `roofscan fix --write -` first")
    files = fix_files(paths, options, Choice(), True)
    output.write(sys.stderr, _summary(files, True) + _hint(files, options, "`roofscan fix --unsafe`") + "\n")


def changes_of(findings: Sequence[Finding], options: Options) -> dict[Finding, list[FileChange]]:
    """The fixes of findings, as text that replaces lines of their files."""
    found: dict[Finding, list[FileChange]] = {}
    for path in dict.fromkeys(finding.path for finding in findings):
        mine = {_place(finding): finding for finding in findings if finding.path == path}
        kernels = tuple(dict.fromkeys(finding.kernel for finding in mine.values() if finding.kernel))
        data = read_bytes(path) if kernels and is_file(path) else b""
        for fix in _offered(path, data, options, kernels) if data else ():
            finding = mine.get(_place(fix.site.finding))
            if finding is not None:
                change = FileChange(
                    fix.describes.partition(f"{finding.kernel}: ")[2], tuple(_edits(data, fix.module.bytes))
                )
                found.setdefault(finding, []).append(change)
    return found


def _offered(path: str, data: bytes, options: Options, kernels: tuple[str, ...]) -> Sequence[Fix]:
    from roofscan.fix.offers import offered

    made = guarded(lambda: offered(path, data, options, unsilenced, kernels), path)
    if isinstance(made, Finding):
        output.write(sys.stderr, f"roofscan: {values.plain(path)}: {made.message}\n")
        return ()
    return made


def _place(finding: Finding) -> tuple[object, ...]:
    return finding.code, finding.line, finding.kernel, finding.subject


def _edits(before: bytes, after: bytes) -> Iterator[Edit]:
    old, new = map(_lines, (before, after))
    for kind, first, end, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield Edit(first + 1, end + 1, "".join(new[c:d]))


def _fixed(path: str, options: Options, choice: Choice) -> FixedFile:
    from roofscan.fix.offers import FixedFile
    from roofscan.parse.reader.source import SourceError, may_hold_kernels, read_source

    try:
        text, data = read_source(path, options.max_bytes), read_bytes(path)
    except (SourceError, OSError) as error:
        return FixedFile(path, b"", b"", problem=getattr(error, "message", str(error)))
    if options.kernels != "all" and not may_hold_kernels(text):
        return FixedFile(path, data, data)
    made = guarded(lambda: _analyzed(path, data, options, choice), path)
    return FixedFile(path, data, data, problem=made.message) if isinstance(made, Finding) else made


def _analyzed(path: str, data: bytes, options: Options, choice: Choice) -> FixedFile:
    from roofscan.fix.offers import FIXES, FixedFile, fixed

    first = None if is_piped(path) else fixable(path, options, FIXES)
    return FixedFile(path, data, data) if first == () else fixed(path, data, options, choice, unsilenced, first=first)


def diff(file: FixedFile) -> str:
    """A unified diff below a comment for each fix; ``patch`` passes over the comments."""
    before, after = map(_lines, (file.before, file.after))
    name = _name(file.path)
    lines = unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join([*(f"# {line}\n" for line in file.fixes), *map(_ended, lines)])


def _name(path: str) -> str:
    """As ``patch -p1`` and ``git apply`` take it: no path leads upwards, from elsewhere it is that from the root, a
    name with blanks ends with a tab, and a link is the file that it leads to."""
    normal = os.path.relpath(os.path.realpath(path)) if os.path.islink(path) else os.path.normpath(path)
    name = os.path.abspath(path) if normal.startswith(os.pardir + os.sep) else normal
    return name.lstrip(os.sep) + "\t" * (" " in name)


def _lines(data: bytes) -> list[str]:
    return split_lines(data.decode("utf-8", "surrogateescape"))


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _written(file: FixedFile) -> FixedFile:
    """The file after it was replaced, or with the reason why it was not."""
    try:
        if not output.is_writable(file.path):
            return replace(file, fixes=(), problem="is read-only")
        now = Path(file.path).read_bytes()
        if now == file.after:  # by another of its names
            return replace(file, fixes=())
        if now != file.before:
            return replace(file, fixes=(), problem="it has changed in the meantime")
        output.replace_file(file.path, file.after)
    except OSError as error:
        return replace(file, fixes=(), problem=f"cannot be written: {error.strerror}")
    return file


def _summary(files: Iterable[FixedFile], written: bool) -> str:
    fixes = [len(file.fixes) for file in files if file.fixes]
    if not fixes:
        return "roofscan: nothing to fix"
    count, number = sum(fixes), len(fixes)
    said = f"{count} {'fix' if count == 1 else 'fixes'} in {number} {'file' if number == 1 else 'files'}"
    return f"roofscan: {said} written" if written else f"roofscan: {said}; --write makes the change{'s' * (count > 1)}"


def _hint(files: Sequence[FixedFile], options: Options, unsafe: str) -> str:
    """What else may be done: the findings that need unsafe changes, or, on a terminal, the functions that were left
    out."""
    held_back = sum(file.held_back for file in files)
    if held_back:
        return f"; {held_back} more {'finding needs' if held_back == 1 else 'findings need'} {unsafe}"
    if any(file.fixes for file in files) or options.kernels == "all" or not sys.stderr.isatty():
        return ""
    from roofscan.cli.check_sources import plain_functions
    from roofscan.report.findings_text import left_out

    return left_out(plain_functions([file.path for file in files if not is_piped(file.path)], options))
