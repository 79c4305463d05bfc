"""The facts of pragmas and ``--bind``: ``A=f8[n,1000]F n=1000 c=f4:0.1``. A grammar of their own, never eval."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator
from fractions import Fraction
from math import isfinite, isinf

from roofscan.ir.dtypes import C16, DType, lookup
from roofscan.ir.facts import ArrayFact, Facts, ScalarFact
from roofscan.ir.records import record_type
from roofscan.parse.reader.size_expressions import MAX_DIGITS, ExpressionReader, Unreadable
from roofscan.suggestions import is_like
from roofscan.symbolic.expr import Expr

MAX_DIMS = 32  # as in NumPy
MAX_WORD = 200
FREE = (":", "::1")  # an extent as Numba writes it

_INTEGER = re.compile(r"[+-]?[0-9][0-9_]*")
_FLOAT = re.compile(r"[+-]?([0-9][0-9_]*\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMPLEX = re.compile(rf"\(?(?:{_FLOAT.pattern}(?=[+-]))?{_FLOAT.pattern}[jJ]\)?")
_EXTENT = re.compile(r"([^\W\d]\w*)\.shape\[([0-9]{1,2})\]")
_ARRAY = re.compile(r"([<>=|]?[A-Za-z?][A-Za-z0-9_.]*)(?:\[(.*)\]([CF]?))?", re.DOTALL)
_PLAIN = re.compile(r"(?:[fiucb]|float|int|uint|complex)[0-9]*|void")  # no name of a structured type
_TEXT = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")
_CODE = re.compile(r"RFL[0-9]+,?")
_COMMA = re.compile(r",(?=\s*[^\W\d][\w.\[\]:]*=)")  # before the next fact
_TOKEN = re.compile(r"[0-9]+|[^\W\d]\w*|[-+*()]")
_TOKENS = re.compile(rf"(?:\s*(?:{_TOKEN.pattern}))+")


class FactError(ValueError):
    """A fact that cannot be read. The message is one line: it quotes the fact and says what to write."""


def parse_facts(text: str) -> Facts:
    """The facts in ``text``, separated by blanks; blanks inside ``[…]`` do not count. Raises FactError."""
    facts = Facts()
    given: set[str] = set()
    for word in words(text):
        name, value = _name_and_value(word)
        if name in given:
            raise FactError(f"{_shown(name)} is given twice; keep one")
        given.add(name)
        _add(facts, word, name, value)
    return facts


def _add(facts: Facts, word: str, name: str, value: str) -> None:
    type_name, colon, number = value.partition(":")
    extent = _EXTENT.fullmatch(name)
    if extent:
        facts.extents[extent[1], int(extent[2])] = _size(word, value)
    elif value.startswith("(") and "," in value:
        facts.tuples[name] = _tuple(word, value)
    elif _starts_number(value):
        facts.scalars[name] = _scalar(word, value)
    elif value in ("True", "False"):
        facts.scalars[name] = ScalarFact(int(value == "True"), is_float=False)
    elif value == "None" or _TEXT.fullmatch(value):
        facts.constants[name] = None if value == "None" else value[1:-1]
    elif colon and "[" not in type_name:
        facts.scalars[name] = _typed(word, _dtype(word, type_name), number)
    else:
        facts.arrays[name] = _array(word, value)


def _starts_number(text: str) -> bool:
    return text[:1].isdigit() or text.startswith(("+", "-", ".", "("))


def words(text: str) -> Iterator[str]:
    """The facts one by one, parted by blanks or commas: not inside ``[…]`` or ``(…)``."""
    word, depth = "", 0
    for character in _COMMA.sub(" ", text) + " ":
        if character.isspace() and depth <= 0:
            if word:
                yield word
            word, depth = "", 0
        elif not character.isspace() or word:
            word += character
            depth += {"[": 1, "]": -1}.get(character, 0) if "[" in word else {"(": 1, ")": -1}.get(character, 0)
    if word and "[" in word:
        raise _error(word.strip(), "the [ is never closed; write name=dtype[dims], as A=f8[n,1000]")
    if word:
        raise _error(word.strip(), "the ( is never closed; write name=(integers), as block=(32,8)")


def _name_and_value(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    near = next((meant for meant in ("accept", "expect") if is_like(word, meant)), None)
    if near and not equals:
        raise _error(word, f"that is not a fact; did you mean {near}?")
    if _CODE.fullmatch(word):
        raise _error(word, f"a pragma takes no codes; write # noqa: {word.rstrip(',')} to silence a finding")
    if not equals or not value:
        raise _error(word, "that is not a fact; write name=dtype[dims] or name=number, as A=f8[n,n] n=1000")
    if not (name.isidentifier() or _EXTENT.fullmatch(name)) or keyword.iskeyword(name):
        raise _error(word, f"{_shown(name)} is not a name; write the name of a parameter or of a symbol")
    if len(word) > MAX_WORD:
        raise _error(word, f"it is longer than {MAX_WORD} characters; shorten it")
    return name, value


def _scalar(word: str, text: str) -> ScalarFact:
    if _INTEGER.fullmatch(text):
        digits = text.replace("_", "")
        if len(digits.lstrip("+-")) > MAX_DIGITS:
            raise _error(word, f"the number has more than {MAX_DIGITS} digits; write a smaller one")
        return ScalarFact(int(digits), is_float=False)
    if _FLOAT.fullmatch(text):
        return ScalarFact(_exact(word, text.replace("_", "")), is_float=True)
    if _COMPLEX.fullmatch(text):
        value = complex(text)
        if isfinite(value.real) and isfinite(value.imag):
            return ScalarFact(value, is_float=True, dtype=C16)
        raise _error(word, "the number is outside the range of float64; write one within 1e±308")
    examples = "as grid=(384,1536)" if text == "()" or "," in text else "as n=1000, alpha=1.5e-3 or z=0.5+0.5j"
    raise _error(word, f"{_shown(text)} is not a number; write one, {examples}")


def _typed(word: str, dtype: DType, text: str) -> ScalarFact:
    """The number of a stated type."""
    fact = _scalar(word, text)
    if dtype.kind in ("int", "bool") and not isinstance(fact.value, int):
        raise _error(word, f"{_shown(text)} is not an integer; write one, or a floating type")
    if dtype.kind != "complex" and fact.number is None:
        raise _error(word, f"{_shown(text)} is complex; write a complex type, as c16")
    return ScalarFact(fact.value, dtype.counts, dtype)


def _tuple(word: str, text: str) -> tuple[int, ...]:
    items = [item.strip() for item in text.removeprefix("(").removesuffix(")").split(",")]
    if not items[-1]:
        items.pop()  # (n,) as Python writes it
    if not text.endswith(")") or not items or not all(_INTEGER.fullmatch(item) for item in items):
        raise _error(word, f"{_shown(text)} is not a tuple of integers; write one, as block=(32,8)")
    return tuple(_size(word, item) for item in items)


def _size(word: str, text: str) -> int:
    """An extent that is given by itself."""
    value = _scalar(word, text).value
    if not isinstance(value, int) or value < 0:
        raise _error(word, f"{_shown(text)} is not an extent; write an integer from 0 on")
    return value


def _exact(word: str, text: str) -> int | Fraction:
    """The exact value of a decimal text within the range of float64."""
    rounded = float(text)
    mantissa = text.lower().partition("e")[0]
    if isinf(rounded) or (not rounded and mantissa.strip("+-0.")):
        raise _error(word, "the number is outside the range of float64; write one within 1e±308")
    value = Fraction(text)
    return int(value) if value.denominator == 1 and len(str(value)) <= MAX_DIGITS else value


def _array(word: str, text: str) -> ArrayFact:
    match = _ARRAY.fullmatch(text)
    if match is None:
        if text.count("[") != text.count("]"):
            raise _error(word, "brackets do not match; write name=dtype[dims], as A=f8[n,1000]")
        raise _error(word, "that is not a fact; write name=dtype[dims] or name=number, as A=f8[n,n] n=1000")
    type_name, dims, order = match.groups()
    dtype = _dtype(word, type_name)
    if dims is None:
        return ArrayFact(dtype, None)
    return ArrayFact(dtype, _shape(word, dims), order == "F" or dims.replace(" ", "").startswith("::1,"))


def _dtype(word: str, name: str) -> DType:
    if name.lower() in ("nan", "inf", "infinity"):
        raise _error(word, f"{_shown(name)} is not finite; write a finite number")
    plain = name.removeprefix("np.").removeprefix("numpy.")
    dtype = lookup(plain) if plain != "void" else None
    if dtype is None and (not name.isidentifier() or _PLAIN.fullmatch(name)):
        raise _error(word, no_type(name))
    return dtype or record_type((), 0, name)  # which the module tells: see known_facts


def no_type(name: str) -> str:
    return f"{_shown(name)} is not an element type; write f8, f4, c16, i8, float32 … or the name of a structured one"


def _shape(word: str, text: str) -> tuple[Expr | None, ...]:
    dims = text.split(",")
    if not text.strip():
        raise _error(word, "the dimensions are empty; write them, as A=f8[n,1000], or the type alone, as A=f8")
    if len(dims) > 1 and not dims[-1].strip():
        dims.pop()  # (n,) as Python writes it
    if len(dims) > MAX_DIMS:
        raise _error(word, f"it has {len(dims)} dimensions; NumPy allows {MAX_DIMS}")
    return tuple(None if dim.strip() in FREE else _extent(word, dim) for dim in dims)


def _extent(word: str, text: str) -> Expr:
    """Integers and names under ``+``, ``-``, ``*`` and parentheses."""
    text = text.strip()
    if _TOKENS.fullmatch(text) is None:
        raise _no_extent(word, text)
    reader = ExpressionReader(_TOKEN.findall(text))
    if any(token.isdigit() and len(token) > MAX_DIGITS for token in reader.tokens):
        raise _error(word, f"an extent has more than {MAX_DIGITS} digits; write a smaller one")
    try:
        size = reader.sum()
    except Unreadable:
        raise _no_extent(word, text) from None
    if reader.next() or "**" in reader.tokens:
        raise _no_extent(word, text)
    number = size.constant
    if number is not None and (number < 0 or number >= 10**MAX_DIGITS):
        raise _error(word, f"an extent is {_shown(str(number))}; write one from 0 to 1e18")
    return size


def _no_extent(word: str, text: str) -> FactError:
    return _error(word, f"{_shown(text)} is not an extent; write integers and names with + - *")


def _error(word: str, what: str) -> FactError:
    return FactError(f"{_shown(word)}: {what}")


def _shown(word: str) -> str:
    """A word for a message: quoted, on one line, not too long."""
    text = ascii(word) if not word.isprintable() else f"'{word}'"
    return text if len(text) <= 50 else f"{text[:46]}…'"
