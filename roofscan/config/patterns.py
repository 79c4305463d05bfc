"""Glob patterns of paths, as ``exclude`` and ``per-file-ignores`` take them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatch


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Whether a pattern fits the path, an end of it that begins at a folder, or its last part."""
    posix = os.path.normpath(path).replace(os.sep, "/")
    return any(_fits(posix, pattern.removeprefix("./").rstrip("/")) for pattern in patterns)


def _fits(path: str, pattern: str) -> bool:
    return fnmatch(path, pattern) or fnmatch(path, f"*/{pattern}")
