"""CUDA kernels beside the counters of a GPU: ``python -m benchmarks.gpu PATH``.

PATH holds ``*.py`` with kernels, and for each machine a ``NAME.json`` with the launch, the arguments and counters of
kernels by name: ``grid``, ``block``, ``registers``, ``args`` (a shape and a type, a type alone or with its value, or a
number), ``dram_read``, ``dram_write``, ``l2_read``, ``l2_write``, ``l1_ld``, ``l1_st`` (bytes), ``ncu_seconds``,
``limit``, and where there are atomic updates ``l1_atom``, ``l2_atom`` and ``l2_red``. Prints predicted over measured;
exits with 1 if fewer kernels than are aimed at are within the ranges.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from roofscan.api import Options, analyze_file
from roofscan.machine.files import load_machine
from roofscan.report.json_ import kernel_json

CODES = {"float64": "f8", "float32": "f4", "float16": "f2", "int64": "i8", "int32": "i4", "uint8": "u1"}
CODES |= {"complex128": "c16", "complex64": "c8", "int8": "i1", "int16": "i2", "bool": "b1"}
SMALL = 2e6  # bytes by which a figure may be off in any case
AIMS: Mapping[str, float] = {"DRAM": 1.0, "L2": 0.9, "L1": 1.0, "limit": 0.9, "time": 0.8, "bound": 1.0}
"""The share of kernels that must be right."""
MOST_SECONDS = 0.1  # of the analysis of a kernel


@dataclass(frozen=True)
class Outcome:
    """Predicted over measured, and whether that is near enough, by figure."""

    name: str
    ratios: Mapping[str, float]
    right: Mapping[str, bool]
    limits: tuple[str, str]
    seconds: float  # of CPU time that the analysis took


@dataclass(frozen=True)
class Run:
    """A kernel, its arguments and launch, and what the counters of a machine said."""

    name: str
    path: Path
    parameters: Sequence[str]
    measured: Mapping[str, Any]
    machine: str


def runs(folder: Path) -> Iterator[Run]:
    sources = {name: (path, names) for path in sorted(folder.glob("*.py")) for name, names in _kernels(path)}
    for file in sorted(folder.glob("*.json")):
        for name, measured in json.loads(file.read_text()).items():
            yield Run(name, *sources[name], measured, file.stem)


def _kernels(path: Path) -> Iterator[tuple[str, list[str]]]:
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, [arg.arg for arg in node.args.args]


def binding(parameters: Sequence[str], measured: Mapping[str, Any]) -> str:
    """The launch and the arguments in the words of ``--bind``."""
    words = [f"{name}={_argument(value)}" for name, value in zip(parameters, measured["args"])]
    words += [f"{key}={_tuple(measured[key])}" for key in ("grid", "block")]
    return " ".join((*words, f"registers={measured.get('registers', 32)}"))


def _argument(value: Any) -> str:
    if not isinstance(value, list):
        return str(value)
    if isinstance(value[-1], float):
        return f"{CODES[value[0]]}:{value[1]}"
    *shape, dtype = value
    return CODES[dtype] + (f"[{','.join(map(str, shape))}]" if shape else "")


def _tuple(value: Any) -> str:
    sizes = value if isinstance(value, list) else [value]
    return f"({','.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def outcome(run: Run) -> Outcome:
    """Analyses the kernel and compares."""
    name, measured = run.name, run.measured
    options = Options(machines=(run.machine,), bind=binding(run.parameters, measured), no_cache=True)
    begin = process_time()
    found = analyze_file(str(run.path), options, functions=[name])
    kernel = kernel_json(found.kernels[0].reports)
    seconds = process_time() - begin
    rows, verdict = kernel["levels"], kernel["verdict"]
    bytes_ = [_bytes(row) for row in rows]
    expected, least = (verdict["time_seconds"][key]["value"] for key in ("expected", "at_least"))
    if None in (*bytes_, expected, least):
        return Outcome(name, {}, dict.fromkeys(AIMS, False), ("", measured["limit"]), seconds)
    counted = {
        "L1": (bytes_[0], _sum(measured, "l1_ld", "l1_st", "l1_atom")),
        "L2": (bytes_[-2], _sum(measured, "l2_read", "l2_write", "l2_atom", "l2_red")),
        "DRAM": (bytes_[-1], _sum(measured, "dram_read", "dram_write")),
        "time": (expected, measured["ncu_seconds"]),
        "bound": (least, measured["ncu_seconds"]),
    }
    memory = load_machine(run.machine).levels[-1].name
    limit = "DRAM" if verdict["limit"] == memory else verdict["limit"]
    ratios = {key: a / b for key, (a, b) in counted.items()}
    right = {
        "L1": abs(ratios["L1"] - 1) <= 0.02,
        **{key: abs(ratios[key] - 1) <= 0.15 or _differ(counted[key]) <= SMALL for key in ("L2", "DRAM")},
        "time": abs(1 / ratios["time"] - 1) <= 0.25,
        "bound": ratios["bound"] <= 1.1,
        "limit": limit == measured["limit"],
    }
    return Outcome(name, ratios, right, (limit, measured["limit"]), seconds)


def _sum(measured: Mapping[str, Any], *keys: str) -> float:
    return float(sum(measured.get(key, 0.0) for key in keys))


def _bytes(row: Mapping[str, Any]) -> float | None:
    load, written = row["load"]["value"], row["writeback"]["value"]
    return None if load is None or written is None else load + written


def _differ(pair: tuple[float, float]) -> float:
    return abs(pair[0] - pair[1])


def table(found: Sequence[Outcome]) -> str:
    keys = ("DRAM", "L2", "L1", "time", "bound")
    lines = ["| kernel | " + " | ".join(keys) + " | limit |", "|---|" + "--:|" * len(keys) + "---|"]
    for each in found:
        cells = (f"{each.ratios[k]:.3f}{'' if each.right[k] else ' !'}" if each.ratios else "- !" for k in keys)
        own, measured = each.limits
        lines.append(f"| {each.name} | {' | '.join(cells)} | {own}{'' if own == measured else f' ({measured}) !'} |")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path)
    found = [outcome(run) for run in runs(parser.parse_args(argv).path)]
    print("predicted over measured\n\n" + table(found) + "\n")
    missed = False
    for key, share in AIMS.items():
        right = sum(each.right[key] for each in found)
        wanted = -(-len(found) * share // 1)
        missed |= right < wanted
        print(f"{key}: {right} of {len(found)} right, {wanted:.0f} wanted{'' if right >= wanted else ': MISSED'}")
    median_time = median(each.seconds for each in found) if found else 0.0
    print(f"analysis: {median_time * 1e3:.0f} ms of CPU time a kernel in the median, {MOST_SECONDS * 1e3:.0f} wanted")
    return int(missed or not found or median_time > MOST_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
