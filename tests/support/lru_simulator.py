"""Brute force: interprets a kernel's tree at bound sizes and runs every access through a fully associative LRU cache.

The reference for the reuse model: write-allocate, write-back, each memory starts on a line of its
own, everything starts cold and dirty lines are flushed at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.kernel import Kernel
from roofscan.ir.tree import Access, Branch, Loop, Node, When
from roofscan.symbolic.expr import Expr, Number

Env = dict[str, Number]
Touch = tuple[str, int, bool]  # memory, line number in it, write


@dataclass
class Count:
    """Bytes that one array moves across the interface."""

    load: int = 0
    fill: int = 0
    writeback: int = 0


@dataclass
class Result:
    """Bytes that all arrays move."""

    arrays: dict[str, Count] = field(default_factory=dict)

    def sum_of(self, part: str) -> int:
        return sum(getattr(count, part) for count in self.arrays.values())

    @property
    def without_allocation(self) -> int:
        return self.sum_of("load") + self.sum_of("writeback")

    @property
    def with_allocation(self) -> int:
        return self.without_allocation + self.sum_of("fill")


class Tracer:
    """Lists the touched lines of a kernel in order."""

    def __init__(self, kernel: Kernel, sizes: Mapping[str, Number], line: int = 64) -> None:
        self._arrays = {a.name: a for a in kernel.arrays}
        self._kernel = kernel
        self._sizes = sizes
        self._line = line
        self._strides = {a.name: [int(s.evaluate(sizes)) * a.dtype.size for s in a.strides] for a in kernel.arrays}

    def trace(self) -> list[Touch]:
        return list(self._body(self._kernel.body, dict(self._sizes)))

    def _body(self, body: tuple[Node, ...], env: Env) -> Iterator[Touch]:
        for node in body:
            if isinstance(node, Access):
                yield self._touch(node, env)
            elif isinstance(node, Loop):
                yield from self._loop(node, env)
            elif isinstance(node, When):
                if all(_holds(c, env) for c in node.conditions):
                    yield from self._body(node.body, env)
            elif isinstance(node, Branch):
                raise ValueError("the oracle cannot know data")

    def _loop(self, loop: Loop, env: Env) -> Iterator[Touch]:
        start, stop, step = (int(_value(e)(env)) for e in (loop.start, loop.stop, loop.step))
        for x in range(start, stop, step):
            env[loop.var] = x
            yield from self._body(loop.body, env)

    def _touch(self, access: Access, env: Env) -> Touch:
        offset = 0
        for subscript, stride in zip(access.index, self._strides[access.array]):
            assert subscript is not None, "the oracle needs regular subscripts"
            offset += int(_value(subscript)(env)) * stride
        return self._memory(self._arrays[access.array], env), offset // self._line, access.write

    def _memory(self, array: Array, env: Env) -> str:
        fresh = ",".join(str(env[v]) for v in array.fresh_in)
        return f"{array.memory}@{fresh}" if fresh else array.memory


_COMPILED: dict[Expr, Callable[[Env], Number]] = {}


def _value(expr: Expr) -> Callable[[Env], Number]:
    """A fast evaluator: sums of coefficient*symbol without the general machinery."""
    if expr not in _COMPILED:
        _COMPILED[expr] = _linear(expr) or expr.evaluate
    return _COMPILED[expr]


def _linear(expr: Expr) -> Callable[[Env], Number] | None:
    terms: list[tuple[str, Number]] = []
    for monomial, c in expr.terms.items():
        if monomial and (len(monomial) > 1 or monomial[0][1] != 1 or not isinstance(monomial[0][0], str)):
            return None
        if monomial:
            terms.append((str(monomial[0][0]), c))
    base = expr.constant_term
    return lambda env: base + sum(c * env[name] for name, c in terms)


def _holds(condition: Condition, env: Env) -> bool:
    value = _value(condition.expr)(env)
    if condition.modulus:
        value %= condition.modulus
    return {"ge": value >= 0, "eq": value == 0, "ne": value != 0}[condition.relation]


def simulate(trace: list[Touch], capacity: int, line: int = 64) -> Result:
    """Runs a trace through a cache of ``capacity`` bytes."""
    room = capacity // line
    cache: dict[tuple[str, int], bool] = {}  # in order of last touch; True: dirty
    result = Result()
    last: Touch | None = None
    for touch in trace:
        if touch == last:
            continue
        last = touch
        memory, number, write = touch
        place = (memory, number)
        dirty = cache.pop(place, None)
        if dirty is None:
            count = result.arrays.setdefault(memory.partition("@")[0], Count())
            if write:
                count.fill += line
            else:
                count.load += line
            if len(cache) >= room:
                oldest = next(iter(cache))
                _flush(result, oldest[0], cache.pop(oldest), line)
        cache[place] = bool(dirty) or write
    for (memory, _), is_dirty in cache.items():
        _flush(result, memory, is_dirty, line)
    return result


def _flush(result: Result, memory: str, dirty: bool, line: int) -> None:
    if dirty:
        result.arrays[memory.partition("@")[0]].writeback += line


def truth_range(trace: list[Touch], capacity: int, line: int = 64) -> tuple[tuple[float, float], tuple[float, float]]:
    """The accepted range without and with write-allocation: between 0.8 and 1.25 times the capacity, widened
    by 5 % and two lines (a reuse distance close to the capacity is not an error)."""
    held = len({touch[:2] for touch in trace}) + 1  # all caches that hold every line are one
    rooms = {min(max(1, int(capacity * f) // line), held) for f in (0.8, 1.0, 1.25)}
    results = [simulate(trace, room * line, line) for room in rooms]
    plain = [r.without_allocation for r in results]
    allocating = [r.with_allocation for r in results]
    return _widened(plain), _widened(allocating)


def _widened(values: list[int]) -> tuple[float, float]:
    return min(values) * 0.95 - 128, max(values) * 1.05 + 128
