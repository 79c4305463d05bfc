"""Every option, once: what the command line, pyproject.toml, flake8 and the cache's key are made of. To add one, add a
row, and a field to :class:`roofscan.config.options.Options` where an analysis needs it. flake8 reads this at every
start: standard library only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

from roofscan.config import values
from roofscan.config.defaults import DEFAULT_MACHINE, MAX_BYTES

Command = Literal["check", "report"]
BOTH: tuple[Command, ...] = ("report", "check")


class Option(NamedTuple):
    """One option. ``field`` is what it sets in ``Options``, or, where it is one command's alone, in the arguments."""

    key: str  # of [tool.roofscan]; --KEY on the command line, --roofscan-KEY for flake8
    field: str
    read: Callable[[object], object]  # a value of TOML or a text; ValueError says what is wrong
    help: str
    metavar: str = ""  # of the value; "": a flag
    choices: tuple[str, ...] = ()
    repeatable: bool = False
    commands: tuple[Command, ...] = BOTH
    argument_field: str = ""  # the field that the command line sets, where that is another one
    flake8: str = ""  # its help for flake8; "": flake8 does not offer it
    is_path: bool = False  # relative to the config file that names it
    in_cache_key: bool = False  # findings depend on it

    @property
    def argument(self) -> str:
        return self.key.replace("-", "_")


OPTIONS = (
    Option(
        "machine", "machines", values.texts,
        f"use this machine: a name from `roofscan machine list`, or a TOML file (default: {DEFAULT_MACHINE})",
        "NAME|FILE.toml", repeatable=True,
        flake8=f"the target machine (default: {DEFAULT_MACHINE})", is_path=True,
    ),
    Option(
        "kernels", "kernels", values.kernels,
        "analyze decorated functions and those with a pragma, or plain functions too", "decorated|all",
        choices=get_args(values.KernelChoice), in_cache_key=True,
        flake8="decorated functions and those with a pragma, or plain ones too",
    ),
    Option(
        "bind", "default_bind", values.text,
        "give types and sizes of arrays, and scalars, as in 'A=f8[1000,1000] n=1000 alpha=1.5'", "FACTS",
        repeatable=True,
        argument_field="bind", in_cache_key=True,
    ),
    Option(
        "cache", "caches", values.sizes, "use a cache of this size instead of a machine (repeatable)", "BYTES",
        repeatable=True, in_cache_key=True,
    ),
    Option(
        "line", "line", values.line_size, "set the line size of --cache (default: 64)", "BYTES",
        in_cache_key=True,
    ),
    Option(
        "cold", "cold", values.flag, "give times of a first call, with cold caches (default: of repeated calls)",
        in_cache_key=True,
    ),
    Option(
        "nodes", "nodes", values.nodes, "distribute the work over N machines (needs [network] in the machine file)",
        "N", in_cache_key=True,
    ),
    Option(
        "threads", "threads", values.threads, "run parallel kernels on N cores (default: all of the machine)", "N",
        in_cache_key=True,
    ),
    Option("jobs", "jobs", values.jobs, "read files in N processes (default: one per core)", "N"),
    Option(
        "executor", "executor", values.executor,
        "analyze files in processes here (default), or on a Dask cluster",
        "processes|dask:ADDRESS",
    ),
    Option(
        "exclude", "exclude", values.texts, "skip these paths in folders (repeatable)", "GLOB", repeatable=True
    ),
    Option(
        "max-bytes", "max_bytes", values.size, f"skip larger files (default: {MAX_BYTES})", "BYTES",
        flake8="skip larger files (default: 2 MB)",
    ),
    Option(
        "select", "select", values.codes, "report only these codes (or beginnings, such as RFL1)", "CODES",
        repeatable=True, commands=("check",), flake8="report only these codes (or beginnings, such as RFL1)",
    ),
    Option(
        "ignore", "ignore", values.codes, "do not report these codes", "CODES", repeatable=True, commands=("check",),
        flake8="report all but these codes",
    ),
    Option(
        "extend-select", "extend_select", values.codes,
        "report these codes too, such as RFL001, which is off by default",
        "CODES", repeatable=True, commands=("check",), flake8="report these too, though they are off by default",
    ),
    Option(
        "per-file-ignores", "per_file_ignores", values.codes_by_path, "do not report codes in these files (repeatable)",
        "GLOB:CODES", repeatable=True, commands=("check",),
    ),
    Option(
        "min-gain", "min_gain", values.gain, "report only findings with at least this gain, such as 1.5", "FACTOR",
        commands=("check",), flake8="report only findings with at least this gain, such as 1.5 (default: 1)",
    ),
    Option(
        "baseline", "baseline", values.text, "report only findings that this file does not hold", "FILE",
        commands=("check",), flake8="report only findings that this file does not hold (see roofscan check --baseline)",
        is_path=True,
    ),
    Option(
        "cache-dir", "cache_dir", values.text,
        "keep findings for the next run in this folder (default: .roofscan_cache)", "FOLDER",
        commands=("check",), flake8="folder that keeps findings for the next run (default: .roofscan_cache)",
        is_path=True,
    ),
    Option(
        "no-cache", "no_cache", values.flag, "analyze everything again, and write no cache", commands=("check",),
        flake8="analyze everything again, and write no cache",
    ),
)  # fmt: skip
"""The options of an analysis: keys of ``[tool.roofscan]``, in the order of ``--help``."""

_OUTPUT = Option("output", "output", values.text, "write the output to this file", "FILE", is_path=True)
_CHOSEN = "choose the output format (default: text)"
FAIL_ON = get_args(values.FailOn)
CHECK_FORMATS, REPORT_FORMATS = get_args(values.CheckFormat), get_args(values.ReportFormat)
CHARTS = get_args(values.Chart)
SORT_KEYS, ONLY_CHOICES = get_args(values.SortKey), get_args(values.OnlyChoice)
MEASURE_FORMATS = get_args(values.MeasureFormat)

COMMAND_OPTIONS: dict[Command, tuple[Option, ...]] = {
    "check": (
        Option("format", "format", values.one_of(CHECK_FORMATS), _CHOSEN, choices=CHECK_FORMATS),
        Option("statistics", "statistics", values.flag, "print the number of findings per code"),
        Option(
            "fail-on", "fail_on", values.one_of(FAIL_ON),
            "end with exit code 1 from this severity on (default: warning)", choices=FAIL_ON,
        ),
        _OUTPUT,
    ),
    "report": (
        Option("format", "format", values.one_of(REPORT_FORMATS), _CHOSEN, choices=REPORT_FORMATS),
        Option("advice", "advice", values.flag, "print the code to write for each change (text, markdown)"),
        Option(
            "chart", "chart", values.one_of(CHARTS), "choose what --format svg draws (default: roofline)",
            choices=CHARTS,
        ),
        Option(
            "measured", "measured", values.texts,
            "show figures measured by ncu, likwid-perfctr, perf stat, roofscan measure or in a CSV beside ours",
            "[KERNEL[@CALLS]=]FILE", repeatable=True,
        ),
        Option("full", "full", values.flag, "print all that is known about each kernel, not an overview or a summary"),
        Option(
            "sort", "sort", values.one_of(SORT_KEYS),
            "sort the kernels (default: by gain in an overview, else by place)",
            choices=SORT_KEYS,
        ),
        Option("top", "top", values.rows, "show only the first N kernels of that order", "N"),
        Option(
            "only", "only", values.one_of(ONLY_CHOICES), "show only kernels with this bound, or unsupported ones",
            choices=ONLY_CHOICES,
        ),
        Option("min-gain", "min_gain", values.gain, "show only kernels with at least this gain, such as 1.5", "FACTOR"),
        Option(
            "profile", "profile", values.text,
            "weight kernels by the time an application spends in them (a cProfile file or scalene JSON)",
            "FILE", is_path=True,
        ),
        Option("chart-symbol", "chart_symbol", values.text, "with --chart intensity: vary only this symbol", "NAME"),
        Option("no-source", "no_source", values.flag, "omit the source from an HTML page"),
        _OUTPUT,
    ),
}  # fmt: skip
"""The options of one command alone: keys of ``[tool.roofscan.check]`` and ``[tool.roofscan.report]``."""

MEASURE_OPTIONS = (
    Option(
        "setup", "setup", values.setup, "make the arguments with this function, which returns a tuple or a dict",
        "FILE.py:FUNCTION",
    ),
    Option("limit", "limit", values.seconds, "stop after so many seconds (default: 60)", "SECONDS"),
    Option(
        "format", "format", values.one_of(MEASURE_FORMATS),
        "choose the output format (default: by the extension of --output, else text)",
        choices=MEASURE_FORMATS,
    ),
    _OUTPUT,
)  # fmt: skip
"""The options of ``measure`` beside those of an analysis; no config holds them."""
