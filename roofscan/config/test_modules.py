"""Modules of tests: their kernels run on small data, and for a test alone. Advice on speed is off there."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatch

PATTERNS = ("test_*.py", "*_test.py")  # pytest's ``python_files``
_TEST = re.compile(r"^(?:class Test|[ \t]*(?:async )?def test)", re.MULTILINE)
_OF_SPEED = ("RFL101", "RFL102", "RFL103", "RFL2", "RFL3", "RFL4", "RFL5", "RFL602", "RFL603", "RFL7")


def is_test_module(path: str, text: str) -> bool:
    """Whether pytest takes a file for a module of tests, and finds some in it."""
    name = os.path.basename(path)
    return any(fnmatch(name, pattern) for pattern in PATTERNS) and _TEST.search(text) is not None


def is_on(code: str, default: bool, in_tests: bool) -> bool:
    """Whether a code is reported where nothing selects or ignores it."""
    return default and not (in_tests and code.startswith(_OF_SPEED))
