"""The time that an application spends in its functions: a profile of cProfile (``pstats``), or scalene's JSON."""

from __future__ import annotations

import json
import marshal
import re
from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Any

from roofscan.errors import OptionError
from roofscan.frozen import dataclass

_CALL = re.compile(r"((?:\w+\.)*)(\w+)\s*\(")
_WRONG = "is neither a profile of cProfile (python -m cProfile -o FILE) nor scalene's JSON; write one of these"


@dataclass(frozen=True)
class ProfiledLines:
    """Seconds spent in lines of a file. ``function`` is "" where a profile is by line, not by function; then ``text``
    is that line."""

    path: str
    line: int
    function: str
    seconds: float
    text: str = ""


@dataclass(frozen=True)
class Profile:
    rows: tuple[ProfiledLines, ...]

    def seconds_in(self, path: str, name: str, lines: range) -> float | None:
        """Seconds in the function of that dotted name, from its first decorator to its last line; None where it was not
        seen. Scalene sees no lines of compiled functions: their time is in the lines that call them."""
        owner, _, last = name.rpartition(".")
        owners = {"", PurePath(path).stem, *((owner.rpartition(".")[2], "self", "cls") if owner else ())}
        own = [row.seconds for row in self._of_file(path) if row.line in lines and row.function in (last, "")]
        own = own or [row.seconds for row in self.rows if any(_calls(row.text, last, each) for each in owners)]
        return sum(own) if own else None

    def _of_file(self, path: str) -> Iterable[ProfiledLines]:
        """The rows whose path ends like this one: a profile may have been taken in another folder."""
        wanted = PurePath(path).parts
        found = [row for row in self.rows if PurePath(row.path).name == wanted[-1]]
        shared = [_shared(wanted, PurePath(row.path).parts) for row in found]
        return (row for row, n in zip(found, shared, strict=True) if n == max(shared))


def read_profile(path: str) -> Profile:
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise OptionError(f"{path}: {error.strerror or error}; name a file that can be read") from None
    try:
        rows = _scalene(json.loads(data)) if data.lstrip()[:1] == b"{" and b'"files"' in data else _stats(data)
        return Profile(tuple(rows))
    except (ValueError, EOFError, TypeError, KeyError, AttributeError):
        raise OptionError(f"{path}: {_WRONG}") from None


def _stats(data: bytes) -> list[ProfiledLines]:
    """A file of cProfile maps (path, line, function) to calls, own time and cumulative time in seconds. Numba's
    functions are among them."""
    table: Any = marshal.loads(data)
    return [
        ProfiledLines(path, int(line), function, float(figures[3]))
        for (path, line, function), figures in table.items()
        if line and not path.startswith(("<", "~"))
    ]


def _scalene(document: Any) -> list[ProfiledLines]:
    """A file of scalene gives percentages of the elapsed time by line."""
    elapsed = float(document["elapsed_time_sec"])
    kinds = ("n_cpu_percent_python", "n_cpu_percent_c", "n_sys_percent", "n_gpu_percent")
    return [
        ProfiledLines(path, int(line["lineno"]), "", elapsed * share / 100, str(line.get("line", "")))
        for path, file in document["files"].items()
        for line in file["lines"]
        if (share := sum(float(line.get(kind) or 0) for kind in kinds)) > 0
    ]


def _calls(text: str, name: str, owner: str) -> bool:
    """Whether a line, other than a ``def``, calls ``name`` alone (``owner`` is "") or as an attribute of ``owner``."""
    calls = (match.groups() for match in _CALL.finditer(text))
    return not text.lstrip().startswith("def ") and any(
        (before.rstrip(".").rpartition(".")[2], called) == (owner, name) for before, called in calls
    )


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """The number of equal last parts of two paths."""
    pairs = zip(reversed(one), reversed(other))
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
