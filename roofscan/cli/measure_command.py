"""``roofscan measure PATH::FUNCTION``: runs a kernel, and prints its times beside the expected ones. The only command
that runs what it reads, because its user says so."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from roofscan.cli import output, run_options
from roofscan.cli.errors import UsageError
from roofscan.cli.report_command import analyze, refuse_bad_facts
from roofscan.cli.targets import split
from roofscan.config import values
from roofscan.config.table import MEASURE_FORMATS

if TYPE_CHECKING:
    from roofscan.config.options import Options
    from roofscan.report.measured import MeasuredCall
    from roofscan.roofline.model import KernelReport

STEPS = 7  # sizes of a range
LIMIT = 60.0  # seconds that a kernel may run

_RANGE = re.compile(r"(?P<name>[\w.\[\]]+)=(?P<first>[-+\d][^\s:]*):(?P<last>[^\s:]*)(?P<how>:\S*)?")

_NUMBER = re.compile(r"\d+(\.\d+)?(e\d\d?)?")


def run(arguments: argparse.Namespace) -> int:
    from roofscan.errors import AnalysisError

    path, function = split(arguments.path)
    if function is None:
        raise UsageError(f"measure runs one function: write {path}::FUNCTION")
    config = run_options.config_for([path])
    options = run_options.merge(arguments, config.options)
    output.write(sys.stderr, f"roofscan: measure runs {function} of {path} (check and report never run anything)\n")
    try:
        from roofscan.cli.progress import progress

        texts, rows = list(bindings(options.bind)), []
        with progress(len(texts)) as step:
            for binding in texts:
                step(f"measuring {function} {binding}")
                rows.append(_measured(path, function, binding, options, arguments))
    except AnalysisError as error:
        raise UsageError(str(error)) from None
    output.emit(_rendered(rows, arguments), arguments.output)
    return 0


def _rendered(rows: Sequence[MeasuredCall], arguments: argparse.Namespace) -> str:
    from roofscan.report import measured

    ending = (arguments.output or "").rpartition(".")[2]
    form = arguments.format or (ending if ending in MEASURE_FORMATS else "text")
    render = {"csv": measured.render_csv, "json": measured.render_json, "text": measured.render_measured}
    return render[form](rows)


def bindings(text: str) -> Iterator[str]:
    """The binding at each size of its ranges ``n=100:10000:log``, which go up together; the text itself where it has
    none."""
    ranges = list(_RANGE.finditer(text))
    for found in ranges:
        first, last = _ends(found)
        if not 0 < first < last or found["how"] not in (None, ":log"):
            said = "write a range as NAME=FIRST:LAST or NAME=FIRST:LAST:log, with 0 < FIRST < LAST"
            raise UsageError(f"{values.plain(found[0])}: {said}")
    for step in range(STEPS if ranges else 1):
        yield _RANGE.sub(partial(_size, step / (STEPS - 1)), text)


def _ends(found: re.Match[str]) -> tuple[int, int]:
    """The ends of a range; 0 where one is not an integer."""
    first, last = (float(text) if _NUMBER.fullmatch(text) else 0.0 for text in found.group("first", "last"))
    return int(first) if first == first // 1 else 0, int(last) if last == last // 1 else 0


def _size(share: float, found: re.Match[str]) -> str:
    first, last = _ends(found)
    size = first * (last / first) ** share if found["how"] else first + (last - first) * share
    return f"{found['name']}={round(size)}"


def _measured(path: str, function: str, binding: str, options: Options, arguments: argparse.Namespace) -> MeasuredCall:
    from roofscan.measuring.arguments import arguments_of
    from roofscan.measuring.run_kernel import run_kernel
    from roofscan.report.measured import MeasuredCall

    limit = arguments.limit or LIMIT
    if arguments.setup:
        return _with_setup(path, function, binding, options, arguments.setup, limit)
    bound = replace(options, bind=binding)
    report = _report(path, function, bound)
    name = report.cost.kernel.name
    made = arguments_of(report.cost, run_options.load(bound).facts)
    time = run_kernel(path, name, made, limit)
    return MeasuredCall(name, binding, report, time.least, time.median, time.runs)


def _with_setup(path: str, function: str, binding: str, options: Options, setup: str, limit: float) -> MeasuredCall:
    """The sizes are those of the arguments that were made. ``binding`` has what they do not tell, and numbers for the
    function that makes them."""
    from roofscan.measuring.run_kernel import Setup, run_kernel
    from roofscan.parse.reader.facts import words
    from roofscan.report.measured import MeasuredCall

    scalars = run_options.load(replace(options, bind=binding)).facts.scalars
    given = {n: float(s.number) if s.is_float else int(s.number) for n, s in scalars.items() if s.number is not None}
    name = _report(path, function, replace(options, bind="")).cost.kernel.name
    time = run_kernel(path, name, [], limit, Setup(setup, given))
    made = {word.partition("=")[0] for word in words(time.binding)}
    others = [word for word in words(binding) if word.partition("=")[0] not in time.taken]
    if twice := [word for word in others if word.partition("=")[0] in made]:
        raise UsageError(f"--setup {setup} makes {twice[0].partition('=')[0]}; take it out of --bind")
    known = " ".join([*words(time.binding), *others])
    report = _report(path, function, replace(options, bind=known))
    return MeasuredCall(name, known, report, time.least, time.median, time.runs)


def _report(path: str, function: str, options: Options) -> KernelReport:
    [file] = analyze([f"{path}::{function}"], replace(options, kernels="all"))
    if not file.kernels:
        raise UsageError(f"{path}::{function} is not a kernel that roofscan can read; see roofscan report {path}")
    refuse_bad_facts(options, file.kernels)
    return file.kernels[0].reports[0]
