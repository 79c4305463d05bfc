"""``[KERNEL[@CALLS]=]FILE``: the measurements of a file, in the format that its content has."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from roofscan.counters import likwid, nsight, perf, plain, saved
from roofscan.counters.table import MeasuredText
from roofscan.errors import OptionError
from roofscan.frozen import dataclass
from roofscan.measurement import Measurement

MAX_BYTES = 64 << 20
_ASSIGNED = re.compile(r"(?P<kernel>[A-Za-z_][\w.]*)(?:@(?P<calls>[1-9]\d*))?=(?P<path>.+)")


class Kind(NamedTuple):
    applies: Callable[[MeasuredText], bool]
    read: Callable[[MeasuredText], list[Measurement]]


KINDS = (
    Kind(saved.is_saved, saved.read),
    Kind(nsight.is_nsight, nsight.read),
    Kind(likwid.is_likwid, likwid.read),
    Kind(plain.is_plain, plain.read),
    Kind(perf.is_perf, perf.read),
)
_EXPECTED = (
    "is not the output of ncu --csv, likwid-perfctr -O, perf stat -x, or roofscan measure, nor a CSV with the columns "
    "kernel, seconds, flops and levels; write one of these"
)


@dataclass(frozen=True)
class MeasuredFile:
    path: str
    measurements: tuple[Measurement, ...]


def read_measured(word: str) -> MeasuredFile:
    """The measurements of a file. OptionError with file, line and remedy where it cannot be read."""
    assigned = _ASSIGNED.fullmatch(word)
    path = assigned["path"] if assigned else word
    file = MeasuredText(path, _text(path))
    kind = next((kind for kind in KINDS if kind.applies(file)), None)
    if kind is None:
        raise file.wrong(1, _EXPECTED)
    found = kind.read(file)
    if assigned:
        calls = int(assigned["calls"] or 1)
        found = [replace(_a_call(m, calls), kernel=assigned["kernel"]) for m in found]
    return MeasuredFile(path, tuple(found))


def _a_call(m: Measurement, calls: int) -> Measurement:
    """The figures of one call, from those of ``calls`` calls."""
    if calls == 1:
        return m
    moved = {level: number / calls for level, number in m.bytes.items()}
    seconds, flops = (None if figure is None else figure / calls for figure in (m.seconds, m.flops))
    return replace(m, seconds=seconds, flops=flops, bytes=moved, calls=m.calls * calls)


def _text(path: str) -> str:
    try:
        if Path(path).stat().st_size > MAX_BYTES:
            raise OptionError(f"{path}:1: is larger than {MAX_BYTES} bytes; write fewer metrics")
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise OptionError(f"{path}:1: is not text in UTF-8; export it as CSV") from None
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or error}; name a file that can be read") from None
