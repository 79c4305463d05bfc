"""``python -m benchmarks.hardware.limits [--machine FILE]``: whether the binding resource is the one that binds.

Each kernel of ``limit_kernels.py`` is timed beside one that relieves a resource: smaller data for a level, fastmath for
a chain, a start at 0 for the test of subscripts, shorter columns for translations, a product for a function or a
division. The model is right where it names that resource and the relief gains, or where it does neither.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

from benchmarks.hardware.__main__ import measured_here, row
from roofscan.roofline.time.prediction import TimePrediction

KERNELS = Path(__file__).with_name("limit_kernels.py")
GAIN = 1.25  # times faster, a point
_PAIR = re.compile(
    r"# limit: (?P<resource>\w+) \| (?P<binding>[^|\n]+) \| (?P<other>\w+): (?P<relieved>[^\n]+)\n"
    r"@njit[^\n]*\ndef (?P<name>\w+)"
)
_SIZE = re.compile(r"\b[nm]=(\d+)")


@dataclass(frozen=True)
class Experiment:
    resource: str
    name: str
    binding: str
    other: str
    relieved: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--machine", help="a machine file of this computer; none: measure it now")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = arguments.machine or measured_here(folder)
        right = [_is_right(experiment, machine) for experiment in experiments()]
    print(f"{sum(right)} of {len(right)} limits are right")


def experiments() -> Iterator[Experiment]:
    for found in _PAIR.finditer(KERNELS.read_text(encoding="utf-8")):
        yield Experiment(*(found[key].strip() for key in ("resource", "name", "binding", "other", "relieved")))


def _is_right(experiment: Experiment, machine: str) -> bool:
    bound = row(str(KERNELS), experiment.name, experiment.binding, machine)
    free = row(str(KERNELS), experiment.other, experiment.relieved, machine)
    assert bound is not None and free is not None
    gain = bound.measured / _points(experiment.binding) / (free.measured / _points(experiment.relieved))
    limit = bound.time.limit if isinstance(bound.time, TimePrediction) else "–"
    right = (limit == experiment.resource) == (gain >= GAIN)
    verdict = "right" if right else "wrong"
    print(f"{experiment.name:22} limit {limit:9} relief of {experiment.resource:9} gains {gain:5.1f}  {verdict}")
    return right


def _points(binding: str) -> int:
    return prod(int(size) for size in _SIZE.findall(binding))


if __name__ == "__main__":
    main()
