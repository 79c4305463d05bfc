"""Texts and config values into checked ones. A ValueError says what is wrong and what would be right."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Literal, get_args

KernelChoice = Literal["decorated", "all"]
ReportFormat = Literal["text", "json", "markdown", "html", "svg", "graph-json", "graph-dot", "graph-svg", "parquet"]
FailOn = Literal["warning", "note", "never"]
CheckFormat = Literal["text", "json", "github", "sarif"]
MeasureFormat = Literal["text", "csv", "json"]
Chart = Literal["roofline", "intensity"]
SortKey = Literal["gain", "time", "intensity", "name", "place"]
OnlyChoice = Literal["memory", "compute", "unsupported"]
PROCESSES, DASK = "processes", "dask:"
LARGEST = 2**62  # bytes: beyond it no cache or file is
_UNITS = {"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "kb": 10**3, "mb": 10**6, "gb": 10**9}
_SIZE = re.compile(r"([0-9]{1,18})\s*([A-Za-z]{0,3})")
_CODE = re.compile(r"RFL[0-9]{0,3}")


def size(value: object) -> int:
    """A number of bytes above 0: ``32768``, ``"32768"`` or ``"32KiB"``."""
    match = _SIZE.fullmatch(str(value).strip()) if isinstance(value, (str, int)) and value is not True else None
    unit = _UNITS.get(match[2].lower()) if match else None
    number = int(match[1]) * unit if match and unit else 0
    if not 0 < number <= LARGEST:
        raise ValueError(f"{shown(value)} is not a size in bytes; write an integer above 0 such as 32768 or 32KiB")
    return number


def line_size(value: object) -> int:
    number = size(value)
    if number & (number - 1) or not 16 <= number <= 4096:
        raise ValueError(f"{shown(value)} is not a cache line size; write a power of two from 16 to 4096, such as 64")
    return number


def codes(value: object) -> tuple[str, ...]:
    words = [w for part in texts(value) for w in part.replace(",", " ").split()]
    for word in words:
        if not _CODE.fullmatch(word.upper()):
            raise ValueError(f"{shown(word)} is not a code; write codes such as RFL102, or beginnings such as RFL1")
    return tuple(word.upper() for word in words)


def one_of(choices: Sequence[str]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if value not in choices:
            named = f"neither {choices[0]} nor {choices[1]}" if len(choices) == 2 else f"none of {', '.join(choices)}"
            raise ValueError(f"{shown(value)} is {named}")
        return str(value)

    return read


kernels = one_of(get_args(KernelChoice))


def codes_by_path(value: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Patterns of paths, each with codes: a table, or texts such as ``"tests/*:RFL1,RFL201 old.py:RFL"``."""
    if isinstance(value, Mapping):
        return tuple((text(pattern), codes(named)) for pattern, named in value.items())
    pairs = []
    for word in (word for part in texts(value) for word in part.split()):
        pattern, colon, named = word.rpartition(":")
        if not (pattern and colon):
            raise ValueError(f"{shown(word)} is not a pattern with codes; write for example tests/*:RFL1,RFL201")
        pairs.append((pattern, codes(named)))
    return tuple(pairs)


def jobs(value: object) -> int:
    match = re.fullmatch(r"[1-9][0-9]{0,3}", str(value).strip())
    if not match or value is True:
        raise ValueError(f"{shown(value)} is not a number of processes; write an integer above 0 such as 4")
    return int(match[0])


def executor(value: object) -> str:
    word = text(value)
    if word != PROCESSES and not (word.startswith(DASK) and word.removeprefix(DASK).strip("/")):
        raise ValueError(f"{shown(value)} is not an executor; write {PROCESSES}, or {DASK}ADDRESS of a Dask scheduler")
    return word


def nodes(value: object) -> int:
    return _number_of("machines", value)


def rows(value: object) -> int:
    return _number_of("kernels", value)


def gain(value: object) -> float:
    """``1.5`` or ``1.5x``."""
    try:
        number = float(str(value).removesuffix("x"))
    except ValueError:
        number = inf
    if not 0 <= number < inf:
        raise ValueError(f"{shown(value)} is not a gain; write how many times faster, such as 1.5")
    return number


def threads(value: object) -> int:
    return _number_of("threads", value)


def _number_of(what: str, value: object) -> int:
    match = re.fullmatch(r"[1-9][0-9]{0,6}", str(value).strip())
    if not match or value is True:
        raise ValueError(f"{shown(value)} is not a number of {what}; write an integer above 0 such as 16")
    return int(match[0])


def seconds(value: object) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = 0.0
    if not 0 < number < inf:
        raise ValueError(f"{shown(value)} is not a time; write seconds above 0 such as 60")
    return number


def setup(value: object) -> str:
    """``FILE.py:FUNCTION``, of a file that is there."""
    path, _, function = (found := text(value)).rpartition(":")
    if not path or not function:
        raise ValueError(f"{shown(found)} is not FILE.py:FUNCTION; name the function that makes the arguments")
    if not Path(path).is_file():
        raise ValueError(f"there is no file {shown(path)}; write FILE.py:FUNCTION")
    return found


def flag(value: object) -> bool:
    if value not in (True, False, "true", "false"):
        raise ValueError(f"{shown(value)} is neither true nor false")
    return value in (True, "true")


def text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{shown(value)} is not a string; put it in quotes")
    return value


def texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"{shown(value)} is neither a string nor a list of strings")
    return tuple(text(item) for item in value)


def sizes(value: object) -> tuple[int, ...]:
    return tuple(size(item) for item in (value if isinstance(value, (list, tuple)) else [value]))


def plain(text: str) -> str:
    """The path, with escapes for characters that would break or hide a line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shown(value: object) -> str:
    """A value for a message: short, on one line, whatever it holds."""
    if isinstance(value, int) and abs(value) >= 10**18:
        return "a number of more than 18 digits"
    line = " ".join(str(value).split())
    plain = "".join(c if c.isprintable() else "?" for c in line)
    return f'"{plain[:57]}..."' if len(plain) > 60 else f'"{plain}"'
