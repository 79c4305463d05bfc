"""Reads one TOML table key by key, so that every complaint names the file, the key and the remedy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NoReturn

from roofscan.machine.model import MachineError, Sourced, nearest

_FIGURE_KEYS = ("nameplate", "achieved", "source")


class TableReader:
    """A TOML table and its place in its file. Begin with :meth:`only`, then take its keys."""

    def __init__(self, table: Mapping[str, Any], file: str, place: str = "", source: str = "") -> None:
        self._table = table
        self._file = file
        self._place = place
        self.source = self.text("source", default=source)

    def only(self, *known: str) -> None:
        """MachineError where the table has a key other than these and ``source``."""
        for key in self._table:
            if key not in (*known, "source"):
                self.fail(key, f"unknown key{nearest(key, known)}")

    def __contains__(self, key: str) -> bool:
        return key in self._table

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key in self._table if key != "source")

    def fail(self, key: str, problem: str) -> NoReturn:
        """MachineError: file, full key, problem."""
        raise MachineError(f"{self._file}: {self._full(key)}: {problem}")

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key, "a string in quotes", default)
        if not isinstance(value, str):
            self.fail(key, f"expected a string in quotes, found {value!r}")
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        value = self._take(key, "true or false", default)
        if not isinstance(value, bool):
            self.fail(key, f"expected true or false, found {value!r}")
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        """An integer of at least 1."""
        value = self._take(key, "an integer", default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.fail(key, f"expected an integer of at least 1, found {value!r}")
        return value

    def figure(self, key: str) -> Sourced | None:
        """A number with its source, or None where the key is missing. Either a bare number (a nameplate value, covered
        by the ``source`` of its table) or a table with ``nameplate``, ``achieved`` or both, and its own ``source``."""
        if key not in self._table:
            return None
        value = self._take(key, "a number")
        if not isinstance(value, dict):
            return Sourced(self._positive(key, value), None, self._sourced(key, self.source))
        for part in value:
            if part not in _FIGURE_KEYS:
                self.fail(f"{key}.{part}", f"unknown key, expected {', '.join(_FIGURE_KEYS)}")
        nameplate, achieved = (
            self._positive(f"{key}.{part}", value[part]) if part in value else None for part in _FIGURE_KEYS[:2]
        )
        if nameplate is None and achieved is None:
            self.fail(key, "give nameplate, achieved or both")
        source = value.get("source", self.source)
        if not isinstance(source, str):
            self.fail(f"{key}.source", f"expected a string in quotes, found {source!r}")
        return Sourced(nameplate, achieved, self._sourced(key, source))

    def required(self, key: str, hint: str) -> Sourced:
        """A figure that must be there; ``hint`` says how to get it."""
        figure = self.figure(key)
        if figure is None:
            self.fail(key, f"missing: {hint}")
        return figure

    def table(self, key: str) -> TableReader:
        """A table inside this one (empty where missing); it inherits the source."""
        value = self._take(key, "a table", {})
        if not isinstance(value, dict):
            self.fail(key, f"expected a table, found {value!r}")
        return TableReader(value, self._file, self._full(key), self.source)

    def tables(self, key: str) -> list[TableReader]:
        """A list of tables, written ``[[key]]``."""
        value = self._take(key, "a list of tables", [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(key, f"expected tables that start with [[{self._full(key)}]]")
        return [
            TableReader(item, self._file, f"{self._full(key)}[{number}]", self.source)
            for number, item in enumerate(value, start=1)
        ]

    def _full(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def _take(self, key: str, what: str, default: Any = None) -> Any:
        value = self._table.get(key, default)
        if value is None:
            self.fail(key, f"missing; write {what}")
        return value

    def _positive(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.fail(key, f"expected a number, found {value!r}")
        try:
            number = float(value)
        except OverflowError:
            self.fail(key, "the number is too large")
        if not math.isfinite(number) or number <= 0:
            self.fail(key, f"expected a number above 0, found {value!r}")
        return number

    def _sourced(self, key: str, source: str) -> str:
        if not source:
            self.fail(key, 'has no source: add source = "where the number comes from" to its table')
        return source
