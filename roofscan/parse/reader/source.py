"""Source text: encodings, sizes, nesting, and the quick word filter. Standard library only."""

from __future__ import annotations

import io
import re
import tokenize

from roofscan.files import is_file, read_bytes

MAX_BYTES = 2_000_000  # the largest file that is read, in bytes: generated tables are larger, written kernels are not
MARK = "roofscan:"  # the start of a comment that marks a function as a kernel and may give its sizes

KERNEL_WORDS = ("numba", "jit", "vectorize", "stencil", "scan:")
"""A file without any of these words has no decorated and no marked kernel (guvectorize contains vectorize). The last of
them is in most misspelt marks, too."""

LIKE_A_MARK = re.compile(r"#[ \t]*([A-Za-z][\w-]{5,10})[ \t]*:")
"""The start of a comment that may be a misspelt mark."""


_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


class SourceError(Exception):
    """Source that cannot be read or parsed: ``path``, 1-based ``line`` (0: the whole file), ``message``."""

    def __init__(self, path: str, line: int, message: str, too_large: bool = False) -> None:
        super().__init__(f"{path}:{line}: {message}" if line else f"{path}: {message}")
        self.path = path
        self.line = line
        self.message = message
        self.too_large = too_large

    def __reduce__(self) -> tuple[type[SourceError], tuple[str, int, str, bool]]:
        """Pickles the arguments: ``Exception`` would pickle the formatted text alone."""
        return SourceError, (self.path, self.line, self.message, self.too_large)


class UnparsableText(ValueError):
    """A text that LibCST cannot parse."""


def read_source(path: str, max_bytes: int = MAX_BYTES) -> str:
    """The text of a Python file as Python reads it (PEP 263), with ``\n`` for every line end. Raises SourceError where
    the file is missing, not a regular file, larger than ``max_bytes`` or not decodable."""
    try:
        if not is_file(path):
            raise SourceError(path, 0, "is not a file")
        data = read_bytes(path, max_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a null byte in the path
        raise SourceError(path, 0, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > max_bytes:
        raise SourceError(path, 0, f"is larger than {max_bytes} bytes", too_large=True)
    return source_from(data, path)


def source_from(data: bytes, path: str) -> str:
    return clean(_decode(path, data), path)


def clean(text: str, path: str) -> str:
    """``text`` without a byte-order mark and with ``\\n`` line ends; SourceError for a null byte."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    null = text.find("\0")
    if null >= 0:
        raise SourceError(path, text.count("\n", 0, null) + 1, "contains a null byte")
    return text


def split_lines(text: str) -> list[str]:
    """The lines of ``text`` as Python and editors count them, with their ends. ``str.splitlines`` also ends
    lines at form feeds and at Unicode's separators, which comments and strings may hold."""
    return _LINES.findall(text)


def may_hold_kernels(text: str) -> bool:
    """Whether ``text`` contains one of :data:`KERNEL_WORDS`."""
    return any(word in text for word in KERNEL_WORDS)


_PLAINER = {
    "invalid or missing encoding declaration": "it is not UTF-8, and declares no encoding",
    "encoding problem: utf-8": "its byte order mark says UTF-8, and it declares another encoding",
}
"""What Python's messages mean."""


def _decode(path: str, data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SourceError(path, line, f"is not valid {error.encoding}; declare its encoding") from None
    except (SyntaxError, LookupError, ValueError) as error:
        why = _PLAINER.get(one_line(error), one_line(error))
        raise SourceError(path, 1, f"cannot be decoded: {why}") from None


def one_line(error: BaseException) -> str:
    """The first line of an exception's message, or its type where it has none."""
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return (str(text).strip().splitlines() or [type(error).__name__])[0]


_LINKS = frozenset(("not", "lambda", "if", "and", "or", "await", "in", "is"))


def nesting(text: str) -> int:
    """An upper bound on the depth: the open brackets and the operators of the chains in them, or the ``elif``s. Text
    that cannot be tokenized is measured up to the error, where a parser stops too."""
    deepest, elifs = 0, 0
    links = [0]  # of the chain so far, inside each open bracket
    total = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            word = token.string
            if token.type == tokenize.NEWLINE:
                links, total = [0], 0
            elif word in (",", ";"):
                total -= links[-1]
                links[-1] = 0
            elif token.type in (tokenize.OP, tokenize.STRING) or word in _LINKS:
                links[-1] += 1
                total += 1
                if word in ("(", "[", "{"):
                    links.append(0)
                elif word in (")", "]", "}") and len(links) > 1:
                    total -= links.pop()
            elif word == "elif":
                elifs += 1
            deepest = max(deepest, total)
    except (tokenize.TokenError, SyntaxError):
        pass
    return max(deepest, elifs)
