"""Whether fixes change results, and keep what they promise: every fix that could be made of a kernel, run un-jitted.

    python -m benchmarks.advice.proof [PATH ...]

Reads the kernels of the fixtures and of `tests/everyday`, or of the files and folders given. Each change that a source
allows is made, whether it pays or not, and both sources run at sizes 0, 1, 2, 3, 5 and 7, bit by bit (within rounding
if the change is unsafe), with aliased arguments where no assumption excludes them. For what `fix --unsafe` makes, the
analysis of the fixed source is held against the gain that the finding promised. Says on standard error how far it is.
Exits with 1 where a result or a promise differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.advice.__main__ import ALONG, ROOT, fix_kernel
from roofscan.api import KernelResult, Options, analyze_source
from roofscan.errors import AnalysisError
from roofscan.fix.offers import FIXES, Choice
from roofscan.ir.facts import Facts
from roofscan.measuring.arguments import Argument, arguments_of
from roofscan.measuring.child import made
from roofscan.roofline.model import KernelReport
from roofscan.roofline.time.prediction import TimePrediction
from tests.fix.every_fix import every_fix
from tests.fix.proof import Proof

SIZES = (0, 1, 2, 3, 5, 7)
NEAR = 0.15  # between the gain that is promised and that of the fixed source
OF_CALLERS = frozenset(("RFL502",))  # codes whose gain is not in the kernel's own time


def arguments(report: KernelReport, size: int, seed: int) -> dict[str, object] | None:
    """Those of a call with all sizes equal; None where it takes what no report describes, such as records."""
    cost = report.cost
    if any(array.record for array in cost.kernel.arrays):
        return None
    values = {s.name: size for s in cost.kernel.symbols if s.kind in ("size", "tile", "int", "total", "length")}
    point = {**cost.sample_point, **values}
    try:
        found = arguments_of(replace(cost, sample_point=point, free=frozenset()), Facts())
    except (AnalysisError, ArithmeticError, KeyError, ValueError):
        return None
    random = np.random.default_rng(seed)
    return {argument.name: _value(argument, size, random) for argument in found}


def _value(argument: Argument, size: int, random: np.random.Generator) -> object:
    if argument.kind != "array":
        return made([argument.data])[0]
    shape = tuple(max(0, extent) for extent in argument.shape)
    if np.dtype(argument.dtype).kind in "iu":
        return random.integers(0, max(1, min(argument.below, size)), shape).astype(argument.dtype)
    return (random.random(shape) + 0.5).astype(argument.dtype, order="F" if argument.fortran else "C")


def prove(proof: Proof, path: Path, text: str, result: KernelResult) -> None:
    kernel = result.kernel
    for fix in every_fix(text, kernel):
        for size in SIZES:
            given = arguments(result.reports[0], size, size)
            if given is not None:
                proof.fixes[fix.what.split()[0]] += size == SIZES[-1]
                proof.kernels.add(f"{path.stem}.{kernel.name}")
                proof.add(text, fix, kernel.name, given)


def broken_promises(path: Path, text: str, result: KernelResult, options: Options) -> Iterator[tuple[str, bool]]:
    """The gain of each finding, and that of the source which `fix` writes, at the sizes where the finding stands."""
    name, bound = result.kernel.name, replace(options, bind=_words(result))
    codes = {finding.code for finding in result.findings} & FIXES.keys() - OF_CALLERS
    before = _analysed(text, path, name, bound) if codes else None
    for finding in before.findings if before else ():
        if finding.code in codes and finding.gain:
            codes.remove(finding.code)
            select = (finding.code, *ALONG.get(finding.code, ()))
            made = fix_kernel(text, path, name, replace(bound, select=select), Choice(unsafe=True))
            after = _analysed(made.after.decode(), path, name, bound) if made.fixes else None
            times = [_expected(kernel) for kernel in (before, after) if kernel]
            if len(times) == 2 and all(times):
                gain = times[0] / times[1]
                said = f"{finding.code} {name}: promised {finding.gain:.2f}, fixed {gain:.2f}"
                yield said, gain >= finding.gain * (1 - NEAR)


def _analysed(text: str, path: Path, name: str, bound: Options) -> KernelResult | None:
    try:
        return next(iter(analyze_source(text, str(path), bound, functions=(name,)).kernels), None)
    except (AnalysisError, ValueError):
        return None


def _expected(result: KernelResult) -> float:
    """In seconds; 0 where it is not known."""
    time = result.reports[0].time if result.reports else None
    return float(time.expected) if isinstance(time, TimePrediction) else 0.0


def prove_file(proof: Proof, path: Path) -> list[tuple[str, bool]]:
    """The proof of all kernels of a file, and what became of their promises."""
    text, options, promises = path.read_bytes().decode(), Options(kernels="decorated"), list[tuple[str, bool]]()
    for result in analyze_source(text, str(path), options, follow=True).kernels:
        if "." not in result.kernel.name and not result.kernel.on_gpu and result.reports:
            prove(proof, path, text, result)
            promises += broken_promises(path, text, result, options)
    return promises


def _words(result: KernelResult) -> str:
    report = result.reports[0]
    point = report.cost.sample_point
    found = []
    for array in (a for a in report.cost.kernel.arrays if a.role == "parameter"):
        extents = ",".join(str(int(e.evaluate(point))) for e in array.shape)
        found.append(f"{array.name}={array.dtype.code}[{extents}]{'F' if array.strides[0].constant == 1 else ''}")
    numbers = (s.name for s in report.cost.kernel.symbols if s.kind in ("int", "size", "tile"))
    found += (f"{name}={int(point[name])}" for name in numbers if name in report.cost.kernel.parameters)
    return " ".join(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, default=[ROOT / "fixtures", ROOT / "tests" / "everyday"])
    paths = parser.parse_args().paths
    proof, promises = Proof(), list[tuple[str, bool]]()
    files = sorted(file for p in paths for file in (p.rglob("*.py") if p.is_dir() else [p]))
    for number, path in enumerate(files, 1):
        known, found = len(proof.wrong), prove_file(proof, path)
        promises += found
        for line in (*proof.wrong[known:], *(said for said, kept in found if not kept)):
            print(line, flush=True)
        made, kept = sum(proof.fixes.values()), sum(kept for _, kept in promises)
        said = f"{made} fixes, {proof.runs} runs, {len(proof.wrong)} differ; {kept} of {len(promises)} promises kept"
        print(f"[{number}/{len(files)}, {time.process_time():.0f} s] {path.name}: {said}", file=sys.stderr, flush=True)
    said = ", ".join(f"{count} {what}" for what, count in proof.fixes.most_common())
    print(f"{sum(proof.fixes.values())} fixes of {len(proof.kernels)} kernels ({said}): {proof.runs} runs")
    print(f"{proof.raised} raise as written; {len(proof.wrong)} differ")
    print(f"{len(promises)} promises, {sum(kept for _, kept in promises)} kept within {NEAR:.0%}")
    return int(bool(proof.wrong) or not all(kept for _, kept in promises))


if __name__ == "__main__":
    sys.exit(main())
