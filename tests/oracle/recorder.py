"""The recorder: the rewritten source calls it for every operator, subscript and call."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tests.oracle import rules
from tests.oracle.arrays import ALIGNMENT, Buffer, TracedArray, Unsupported, c_strides, element_at, is_fancy, locate
from tests.oracle.records import field_of, is_record, record_at, store_record
from tests.oracle.scratch import Size, Turns, is_literal, measured, plain_number
from tests.oracle.threads import Parallel
from tests.oracle.trace import Trace

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<<": operator.lshift, ">>": operator.rshift, "==": operator.eq, "!=": operator.ne, "<": operator.lt,
    "<=": operator.le, ">": operator.gt, ">=": operator.ge, "@": operator.matmul,
}  # fmt: skip
_ARITHMETIC = frozenset(["+", "-", "*", "/", "//", "%"])


Signature = tuple[str, ...]
"""The kinds of the arguments of a call: compiled code is made for each anew."""

Variable = tuple[int, Signature, str]
"""The line of a function, what it is compiled for, and a name in it."""

Kinds = Mapping[Variable, str]


class TooLong(Exception):
    """The run records more than its limit."""


class Recorder:
    """Counts operations and accesses into a :class:`Trace`.

    ``compiled``: types follow Numba (a Python float is float64); otherwise NumPy, where it is weak.
    """

    def __init__(self, limit: int, kinds: Kinds) -> None:
        self.trace = Trace()
        self.kinds: dict[Variable, str] = {}  # of the names that compiled code gives one type
        self.mixed = False  # whether such a name had values of several kinds
        self._known = kinds
        self.compiled = False
        self.signature: Signature = ()  # of the function that runs
        self.line = 0
        self.turns = Turns(self.trace)
        self.operands: tuple[Any, ...] = ()  # of the operation or call that runs
        self._limit = limit
        self._next_base = 0
        self._inside_parallel = False
        from tests.oracle import functions, whole_arrays  # they know the recorder, so it meets them late

        self.functions: Any = functions
        self.whole_arrays: Any = whole_arrays

    # -- memory ---------------------------------------------------------------------------------
    def allocate(
        self, elements: np.ndarray[Any, Any], name: str, order: str = "C", shape: tuple[int, ...] = ()
    ) -> TracedArray:
        """A traced array with these values, in memory of its own. Nothing is recorded.

        ``shape`` tells which of its extents are literal; without it all are if those of all operands are.
        """
        flat = np.array(elements.ravel(order="F" if order == "F" else "C"))
        shape = shape or (elements.shape if is_literal(self.operands) else tuple(map(Size, elements.shape)))
        strides = c_strides(shape[::-1])[::-1] if order == "F" else c_strides(shape)
        buffer = Buffer(flat, self._next_base, len(self.trace.names))
        self._next_base += ALIGNMENT * (1 + flat.nbytes // ALIGNMENT)
        self.trace.names.append(name)
        self.trace.itemsizes.append(flat.itemsize)
        self.trace.bases.append(buffer.base)
        if is_literal(shape):
            self.turns.note(buffer.index, flat.nbytes, self.line)
        return TracedArray(self, buffer, 0, shape, strides)

    def named(self, name: str, function: int, value: Any, line: int) -> Any:
        """Gives a fresh array the name of the first variable that holds it, and a number the type of its variable."""
        if function and self.compiled:
            value = self._unified((function, self.signature, name), value)
        if type(value) is TracedArray and not self.trace.names[value.buffer.index]:
            for buffer in (value.buffer, *value.buffer.fields.values()):
                self.trace.names[buffer.index] = name
        return value

    def chosen(self, name: str, function: int, value: Any, line: int) -> Any:
        """Either arm of ``a if c else b``, in compiled code of one type."""
        return self._unified((function, self.signature, f"{name} {line}"), value) if self.compiled else value

    def listed(self, items: list[Any], line: int) -> list[Any]:
        """The items of a list, in compiled code of one type."""
        kinds = {rules.kind_of(item) for item in items}
        if not self.compiled or len(kinds) < 2 or not kinds <= set(rules.WIDER):
            return items
        return list(map(rules.CONVERTED[max(kinds, key=rules.WIDER.index)], items))

    def _unified(self, variable: Variable, value: Any) -> Any:
        """The value in the widest type that the variable had in the runs before this one."""
        kind = rules.kind_of(value)
        if not kind or kind not in rules.WIDER:
            return value
        given = rules.wider(kind, self._known.get(variable, kind))
        before = self.kinds.get(variable, given)
        self.mixed |= given != before
        self.kinds[variable] = rules.wider(given, before)
        return value if given == kind else rules.CONVERTED[given](value)

    def adopted(self, value: Any, line: int) -> Any:
        """An array that NumPy made (``np.mgrid[0:4]``, ``np.indices``) is written afresh; all else passes. What has no
        dimension (``np.squeeze(x)`` of a number) is a number, which stays in its register."""
        if type(value) is tuple and any(isinstance(part, np.ndarray) for part in value):
            return tuple(self.adopted(part, line) for part in value)
        if not isinstance(value, np.ndarray):
            return value
        if not value.ndim:
            return value[()]
        self.line = line
        return self.whole_arrays.written(self, value)

    def touch(self, array: TracedArray, place: int, write: bool, line: int) -> None:
        buffer, trace = array.buffer, self.trace
        trace.addresses.append(buffer.base + place * buffer.pitch)
        trace.owners.append(2 * buffer.index + write)
        trace.lines.append(line)
        if len(trace.addresses) > self._limit:
            raise TooLong(f"more than {self._limit} accesses")

    def load(self, base: Any, index: Any, line: int) -> Any:
        if type(base) is not TracedArray:
            return self.adopted(base[index], line)
        self.line = line
        element = element_at(base, index)
        if element is not None and not base.buffer.of_records:
            self.touch(base, element, False, line)
            return base.buffer.elements[element]
        if type(index) is str:
            base, index = field_of(base, index), ()
            if base.ndim or is_record(base):
                return base
        if is_fancy(index):
            return self.whole_arrays.gather(self, base, index)
        place = locate(base, index)
        if isinstance(place, TracedArray):
            return place
        if is_record(base):
            return record_at(base, place)
        self.touch(base, place, False, line)
        return base.buffer.elements[place]

    def store(self, value: Any, base: Any, index: Any, line: int) -> None:
        if type(base) is not TracedArray:
            base[index] = value
            return
        self.line = line
        element = element_at(base, index)
        if element is not None and not base.buffer.of_records:
            self.touch(base, element, True, line)
            base.buffer.elements[element] = value
            return
        if type(index) is str:
            base, index = field_of(base, index), ... if field_of(base, index).ndim else ()
        if is_fancy(index):
            self.whole_arrays.scatter(self, base, index, value)
            return
        place = locate(base, index)
        if isinstance(place, TracedArray):
            self.whole_arrays.assign(self, place, value)
            return
        if is_record(base):
            store_record(record_at(base, place), value, line)
            return
        self.touch(base, place, True, line)
        base.buffer.elements[place] = value

    def augment_item(self, op: str, base: Any, index: Any, value: Callable[[], Any], literal: bool, line: int) -> None:
        if type(base) is TracedArray and type(index) is str:
            base, index = field_of(base, index), ... if field_of(base, index).ndim else ()
        if type(base) is TracedArray and element_at(base, index) is None and not is_fancy(index):
            place = locate(base, index)
            if isinstance(place, TracedArray):
                self.augment(op, place, value(), literal, line)
                return
        old = self.load(base, index, line)
        self.store(self.binary(op, old, value(), literal, line), base, index, line)

    def set_attribute(self, value: Any, owner: Any, name: str, line: int) -> None:
        if is_record(owner):
            self.store(value, owner, name, line)
        else:
            setattr(owner, name, value)

    def augment_attribute(self, op: str, owner: Any, name: str, value: Callable[[], Any], lit: bool, line: int) -> None:
        if is_record(owner):
            self.augment_item(op, owner, name, value, lit, line)
        else:
            setattr(owner, name, self.augment(op, getattr(owner, name), value(), lit, line))

    # -- operations -----------------------------------------------------------------------------
    def count(self, counts: rules.Counts, precision: str, times: int = 1) -> None:
        for kind, number in counts.items():
            self.trace.operations[kind, precision] += number * times

    def binary(self, op: str, left: Any, right: Any, literal: bool, line: int) -> Any:
        if type(left) is TracedArray or type(right) is TracedArray:
            self.line, self.operands = line, tuple(x for x in (left, right) if type(x) is TracedArray)
            if op == "@":
                return self.whole_arrays.matmul(self, left, right)
            return self.whole_arrays.binary(self, op, left, right, literal)
        rule = _scalar_rule(op, type(left), type(right), self.compiled)
        if rule.sized:
            left, right = plain_number(left), plain_number(right)
        if rule.power:
            result = self.power(left, right, literal)
        else:
            result = rule.operator(_strong(left), _strong(right)) if rule.strong else rule.operator(left, right)
            if rule.counts:
                self.count(rule.counts, rules.precision_of(result))
        return measured(result) if rule.sized else result

    def power(self, base: Any, exponent: Any, literal: bool) -> Any:
        spelled = exponent if literal else None
        counts = rules.power(rules.kind_of(base), rules.kind_of(exponent), spelled)
        whole = literal and exponent == int(exponent) and isinstance(exponent, (int, float))
        if self.compiled and not whole:
            base, exponent = self.as_compiled(base, exponent)
        result = base**exponent
        if self.compiled and isinstance(result, complex) and "c" not in rules.kind_of(base) + rules.kind_of(exponent):
            result = math.nan
        self.count(counts, rules.precision_of(result))
        return result

    def as_compiled(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Python's numbers as Numba types them: float64 and int64, where the other operand is narrower."""
        if isinstance(left, np.generic) != isinstance(right, np.generic):
            return _strong(left), _strong(right)
        return left, right

    def augment(self, op: str, old: Any, value: Any, literal: bool, line: int) -> Any:
        if type(old) is TracedArray:
            self.line = line
            return self.whole_arrays.augment(self, op, old, value, literal)
        return self.binary(op, old, value, literal, line)

    def negate(self, value: Any, line: int) -> Any:
        if type(value) is TracedArray:
            self.line = line
            return self.whole_arrays.unary(self, np.negative, value)
        if kind := rules.kind_of(value):
            self.count(rules.negation(kind), rules.precision_of(value))
        return -value

    def invert(self, value: Any, line: int) -> Any:
        self.line = line
        return self.whole_arrays.unary(self, np.invert, value) if type(value) is TracedArray else ~value

    def compare(self, op: str, left: Any, right: Any, line: int) -> Any:
        if type(left) is TracedArray or type(right) is TracedArray:
            self.line = line
            return self.whole_arrays.binary(self, op, left, right, False)
        kinds = rules.kind_of(left) + rules.kind_of(right)
        if len(kinds) == 2:
            self.count(rules.comparison(kinds), rules.precision_of(left))
        return OPERATORS[op](left, right)

    def compare_chain(self, ops: list[str], parts: list[Callable[[], Any]], line: int) -> Any:
        left = parts[0]()
        outcome: Any = True
        for op, part in zip(ops, parts[1:], strict=True):
            right = part()
            outcome = self.compare(op, left, right, line)
            if not outcome:
                return outcome
            left = right
        return outcome

    def contains(self, value: Any, container: Any, line: int) -> bool:
        """``value in container``: the items of a tuple one by one, until one is equal."""
        if type(container) is TracedArray:
            raise Unsupported("whether an array holds a value")
        if not isinstance(container, (tuple, list)):
            return value in container
        return any(item is value or bool(self.compare("==", value, item, line)) for item in container)

    # -- control and calls ----------------------------------------------------------------------
    def iterate(self, iterable: Iterable[Any], line: int) -> Iterable[Any]:
        self.line = line
        self.trace.entered[line] += 1
        return self.turns.over(self._parallel(iterable) if isinstance(iterable, Parallel) else iterable, line)

    def _parallel(self, iterable: Parallel) -> Iterable[int]:
        """Notes where iterations begin, those of the outermost parallel loop."""
        inside, self._inside_parallel = self._inside_parallel, True
        starts = [len(self.trace.addresses)]
        for value in iterable:
            yield Size(value)
            starts.append(len(self.trace.addresses))
        if not inside:
            self.trace.parallel.append(starts)
        self._inside_parallel = inside

    def comprehend(self, iterable: Iterable[Any], line: int) -> Iterator[Any]:
        self.line = line
        self.trace.entered[line] += 1
        for item in iterable:
            self.iteration(line)
            yield measured(item) if type(iterable) is range else item

    def enter(self, line: int) -> int:
        self.trace.entered[line] += 1
        return self.turns.depth

    def iteration(self, line: int) -> None:
        self.trace.iterations[line] += 1

    def again(self, depth: int, line: int) -> None:
        """A turn of a ``while`` loop that was entered at this depth of turns."""
        self.iteration(line)
        self.turns.begin(line, depth)

    def leave(self, depth: int, line: int) -> None:
        self.trace.tested[line] += 1
        self.turns.end(depth)

    def passed(self, line: int) -> None:
        """A loop ended in the way after which the statements behind it run, or its ``else``."""
        self.trace.passed[line] += 1

    def last_test(self, test: Any, line: int) -> bool:
        """The last part of a test; a share of the ends of the loop are those at which it fails."""
        holds = bool(test)
        self.trace.taken[line] += not holds
        return holds

    def branch(self, test: Any, line: int) -> bool:
        taken = bool(test)
        self.trace.taken[line] += taken
        self.trace.tested[line] += 1
        return taken

    def call(self, line: int, literal: tuple[bool, ...], function: Any, *args: Any, **keywords: Any) -> Any:
        self.line, self.operands = line, (*args, *keywords.values())
        if type(keywords.get("dtype")) is TracedArray:
            raise TypeError("an array is no element type")
        handler = self.functions.handler(function, args)
        if handler is not None:
            return handler(self, literal, *args, **keywords)
        depth, outside = self.turns.depth, self.signature
        self.signature = tuple(_kind_of(a) for a in self.operands)
        result = function(*args, **keywords)
        self.signature = outside
        self.turns.end(depth)
        return self.adopted(result, line)

    def method(self, array: TracedArray, name: str) -> Callable[..., Any]:
        handler = self.functions.METHODS.get(name)
        if handler is None:
            raise AttributeError(f"an array's {name} is not known to the oracle")

        def bound(*args: Any, **keywords: Any) -> Any:
            self.operands = (array, *args, *keywords.values())
            return handler(self, (), array, *args, **keywords)

        return bound


def _kind_of(argument: Any) -> str:
    """Of an array, or a list, that of its elements."""
    if isinstance(argument, list) and argument:
        return _kind_of(argument[0])
    return rules.kind_of_dtype(argument.dtype) if type(argument) is TracedArray else rules.kind_of(argument)


class _ScalarRule(NamedTuple):
    """What an operator does with two scalars of these types."""

    operator: Callable[[Any, Any], Any]
    counts: rules.Counts
    power: bool
    sized: bool  # one of them is a Size
    strong: bool  # Python's number gets the type that Numba gives it


@cache
def _scalar_rule(op: str, left: type, right: type, compiled: bool) -> _ScalarRule:
    sized = Size in (left, right)
    left, right = (int if kind is Size else kind for kind in (left, right))
    kinds = rules.kind_of_type(left) + rules.kind_of_type(right)
    counts = rules.arithmetic(op, kinds) if len(kinds) == 2 and op in _ARITHMETIC else {}
    strong = compiled and len(kinds) == 2 and issubclass(left, np.generic) != issubclass(right, np.generic)
    return _ScalarRule(OPERATORS[op], counts, op == "**" and len(kinds) == 2, sized, strong)


def _strong(value: Any) -> Any:
    if isinstance(value, float):
        return np.float64(value)
    if isinstance(value, complex):
        return np.complex128(value)
    return np.int64(value) if type(value) is int and abs(value) < 2**63 else value


__all__ = ["OPERATORS", "Recorder", "TooLong", "Unsupported"]
