"""The integer work of an iteration of a loop, read from its statements: what LLVM makes of sums, comparisons and
selections of integers from data. Arithmetic on loop counters alone is part of addresses, and is not counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from fractions import Fraction
from itertools import pairwise

from roofscan.frozen import dataclass
from roofscan.ir.dtypes import B1, F8, I8, DType, lookup
from roofscan.ir.integers import (
    NO_INTEGERS,
    IntegerChain,
    IntegerKind,
    IntegerOperations,
    IntegerWork,
    LatencyKind,
)
from roofscan.ir.kernel import Loop
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.values import DTypeValue, FunctionRef, Scalar, Value, View
from roofscan.parse.syntax_walk import assigned_names, dotted_path, target_names, walk
from roofscan.parse.unparse import unparse
from roofscan.symbolic.expr import ONE, Expr

SPECULATED = 4  # operations of an arm that LLVM makes in any case, to select from
TEST = 2  # cycles of Numba's test of a subscript for a negative value
MOST_CALLS = 3  # functions that call one another
MOST_WRITTEN = 64  # as ``unrolled_loops.FEW_ITERATIONS``
HALF = Expr.of(1) / 2  # of the decisions, where nothing is known of them
LATENCY: Mapping[LatencyKind, float] = {"plain": 1, "mul": 3, "load": 5, "memory": 5, "division": 15}
"""Cycles, to tell the longest of several ways; the time has a machine's own."""
SUMS, LOGIC, SHIFTS, DIVISIONS = ("+", "-"), ("&", "|", "^"), ("<<", ">>"), ("//", "%")
LOW_BITS = ("+", "-", "*", "&", "|", "^", "<<")  # of these the low bits of operands make those of the result
REDUCING = {"+": "+", "-": "+", **dict.fromkeys(("*", "&", "|", "^", "min", "max"), "")}  # LLVM reorders these
STEPS: Mapping[IntegerKind, tuple[tuple[LatencyKind, int], ...]] = {
    "mul": (("mul", 1),),
    "minmax": (("plain", 2),),
    "quotient": (("mul", 1), ("plain", 4)),
    "remainder": (("mul", 2), ("plain", 4)),
    "division": (("division", 1),),
}
"""What operations of more than a cycle add to a way; those with a constant multiply by its reciprocal."""
Way = Mapping[LatencyKind, float]
Range = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """The value of an expression. ``open``: of data, else of loop counters and parameters. ``ways`` lead to it from
    integers at the start of the iteration; ``narrow``: operations of which a narrow store needs the low bits alone;
    ``kept``: operations on counters, which count where their result meets data."""

    dtype: DType
    open: bool = False
    bounds: Range | None = None
    ways: Mapping[str, Way] = field(default_factory=dict)
    narrow: tuple[int, ...] = ()
    kept: tuple[tuple[IntegerKind, int], ...] = ()
    fresh: bool = False  # loaded in this iteration
    number: int | None = None
    held: int = 0  # bytes of the register that holds it; 0: a constant's, or not known
    tested: int = 0  # of a comparison: bytes of what it compares
    used: int = 0  # how many reads of names on its ways led to it
    reducing: str | None = ""  # the operation on its ways, which may be reordered; "": none yet; None: several

    @property
    def is_integer(self) -> bool:
        return self.dtype.kind in ("int", "bool")

    @property
    def size(self) -> int:
        """Bytes that hold the value."""
        if self.bounds is None:
            return self.dtype.size if self.dtype.kind == "int" else 1
        low, high = self.bounds
        return next((s for s in (1, 2, 4) if _fits(low, high, s)), 8)


def _fits(low: int, high: int, size: int) -> bool:
    signed, unsigned = 1 << (8 * size - 1), 1 << (8 * size)
    return (-signed <= low and high < signed) or (low >= 0 and high < unsigned)


@dataclass
class _Counted:
    """An operation; of numbers made wider: bytes that they are ``held`` in, in which case it is none."""

    kind: IntegerKind
    size: int
    share: Expr
    held: int = 0


FLOATING = Part(F8)


def integer_work(
    cx: Context, loop: Loop, statements: tuple[syntax.Statement, ...], before: Mapping[str, Value], state: bool
) -> IntegerWork:
    """Of compiled code; nothing where no integers are data. ``state``: iterations pass integers on."""
    has_integers = state or any(array.dtype.kind != "float" for array in cx.builder.arrays.values())
    if not cx.compiled or loop.array_expression or not has_integers:
        return NO_INTEGERS
    reader = _Reader(cx, loop, statements, before)
    reader.block(statements)
    return reader.work()


class _Reader:
    """Runs the statements of an iteration once, with the ways of integers through it."""

    def __init__(
        self, cx: Context, loop: Loop, statements: tuple[syntax.Statement, ...], before: Mapping[str, Value]
    ) -> None:
        self.cx, self.loop = cx, loop
        self.shares = [ONE]
        self.views: list[Mapping[str, Value]] = []  # arrays that functions were called with
        self.result = FLOATING  # of such a function
        self.unknown = ""  # a function that was not read
        self.written = 1  # iterations of inner loops that are unrolled
        self.found: list[_Counted] = []
        self.guesses: list[Expr] = []
        self.guessed: set[str] = set()  # integers on whose way a comparison with a fresh number decides
        self.reads: Counter[str] = Counter()
        self.chain_shares: dict[str, Expr] = {}  # of elements that one place holds, where a branch is around
        self.names: dict[str, Part] = {}
        self.stored = dict(self._stores(statements))
        for name in assigned_names(statements):
            old = before.get(name)
            self.names[name] = self._carried(name, old) if isinstance(old, Scalar) else FLOATING

    def _carried(self, name: str, old: Scalar) -> Part:
        new = self.cx.frame.names.get(name)
        if not old.is_integer or (isinstance(new, Scalar) and not new.is_integer):
            return FLOATING
        return Part(I8, open=True, ways={name: {}})

    @staticmethod
    def _stores(statements: tuple[syntax.Statement, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The places that an iteration stores to, by array: the texts of their subscripts."""
        for node in walk(statements):
            targets = node.targets if isinstance(node, syntax.Assign) else ()
            targets = (node.target,) if isinstance(node, syntax.AugAssign) else targets
            for target in targets:
                if isinstance(target, syntax.Subscript) and (name := dotted_path(target.base)):
                    yield name, tuple(map(unparse, target.items))

    # -- the result -----------------------------------------------------------------------------
    def work(self) -> IntegerWork:
        tally = Counter((found.kind, found.size, found.share) for found in self.found if found.size > found.held)
        made = tuple(IntegerOperations(kind, size, n, share) for (kind, size, share), n in _in_order(tally))
        return IntegerWork(made, tuple(self._chains()), tuple(self.guesses), self.unknown)

    def _chains(self) -> Iterator[IntegerChain]:
        ends = {name: part for name, part in self.names.items() if part.open and part.ways}
        for name, part in ends.items():
            own = part.ways.get(name)
            others = [n for n, other in ends.items() if n != name and name in other.ways]
            if own and any(own.values()) and (others or not self._is_reduction(name, part)):
                yield self._chain(name, own, 1)
            for other in others:
                back = part.ways.get(other)
                if other > name and back is not None:
                    there = ends[other].ways[name]
                    yield self._chain(name, _longer_by(there, back), 2)

    def _is_reduction(self, name: str, part: Part) -> bool:
        """Whether nothing else reads what it accumulates. Of elements, those of one place are kept in a register where
        no branch is around."""
        alone = part.reducing is not None and part.used == self.reads[name]
        lag = name.partition("@")[2]
        return alone and (not lag or (lag == "0" and self.chain_shares.get(name) == ONE and len(self.stored) == 1))

    def _chain(self, name: str, way: Way, iterations: int) -> IntegerChain:
        lag = int(name.partition("@")[2] or 1) or 1
        latencies = tuple((kind, n / iterations / lag) for kind, n in sorted(way.items()) if n)
        return IntegerChain(
            name.partition("@")[0], self.loop.line, latencies, "@" in name and way.get("memory", 0) == 0,
            name in self.guessed, self.chain_shares.get(name, ONE),
        )  # fmt: skip

    # -- statements -------------------------------------------------------------------------------
    def block(self, statements: Iterable[syntax.Statement]) -> None:
        for statement in statements:
            if isinstance(statement, syntax.Assign) and statement.value is not None:
                self._assign(statement.targets, statement.value)
            elif isinstance(statement, syntax.AugAssign):
                target = statement.target
                value = self._binary(statement.op, self.value(target), self.value(statement.value))
                self._store(target, value)
            elif isinstance(statement, syntax.If):
                self._branch(statement)
            elif isinstance(statement, syntax.Return) and self.views and statement.value is not None:
                self.result = self.value(statement.value)
            elif isinstance(statement, syntax.ExpressionStatement):
                self.value(statement.value)
            elif isinstance(statement, syntax.For) and (trips := self._trips(statement)):
                self._written_out(statement, trips)
            elif isinstance(statement, (syntax.For, syntax.While)):
                inner = (n for n in assigned_names((statement,)) if self.names.get(n, FLOATING).is_integer)
                self.names.update((name, Part(I8, open=True)) for name in inner)

    def _trips(self, node: syntax.For) -> int:
        """Of a loop that LLVM unrolls into this one; 0: none."""
        call = node.iterable
        if not (isinstance(call, syntax.Call) and dotted_path(call.function) == "range"):
            return len(call.items) if isinstance(call, syntax.Sequence) else 0
        ends = [self.value(argument).number for argument in call.args]
        if None in ends or not 1 <= len(ends) <= 3:
            return 0
        trips = len(range(*(int(end) for end in ends if end is not None)))
        return trips if trips * self.written <= MOST_WRITTEN else 0

    def _written_out(self, node: syntax.For, trips: int) -> None:
        self.written *= trips
        self.names.update((name, Part(I8)) for name in target_names(node.target))
        for _ in range(trips):
            self.block(node.body)
        self.written //= trips

    def _assign(self, targets: tuple[syntax.Expression, ...], value: syntax.Expression) -> None:
        for target in targets:
            if isinstance(target, syntax.Sequence) and isinstance(value, syntax.Sequence):
                parts = [self.value(item) for item in value.items]
                for item, part in zip(target.items, parts, strict=False):
                    self._store(item, part)
            elif isinstance(target, syntax.Sequence):
                self.names.update((name, Part(I8, open=True)) for name in target_names(target))
            else:
                self._store(target, self.value(value))

    def _store(self, target: syntax.Expression, value: Part) -> None:
        if isinstance(target, syntax.Name):
            self.names[target.id] = value
            return
        if not isinstance(target, syntax.Subscript):
            return
        value = self._met(value)
        for item in target.items:
            self._subscript(item)
        array = self._array(target)
        if array is None or array.dtype.kind != "int" or not value.is_integer:
            return
        if value.open and not value.narrow and not value.fresh and value.size > array.dtype.size:
            self._count("lanes", value.size)
        for number in value.narrow:
            self.found[number].size = min(self.found[number].size, array.dtype.size)
        for name in [name for name in self.names if name.partition("@")[0] == dotted_path(target.base)]:
            self.names[name] = value
        self.names[f"{dotted_path(target.base)}={tuple(map(unparse, target.items))}"] = replace(value, narrow=())

    def _branch(self, node: syntax.If) -> None:
        test = self._met(self.value(node.test))
        share, before, count = self._share(node), self.names, len(self.found)
        self.names = dict(before)
        arms = (*node.body, *node.orelse)
        chosen = test.open and all(map(_assigns_names, arms))
        self.shares.append(self.shares[-1] * share if test.open else self.shares[-1])
        self.block(node.body)
        self.shares.pop()
        then, self.names = self.names, dict(before)
        self.shares.append(self.shares[-1] * (ONE - share) if test.open else self.shares[-1])
        self.block(node.orelse)
        self.shares.pop()
        made = self.found[count:]
        is_select = chosen and len(made) <= SPECULATED
        if is_select:
            for operation in made:
                operation.share = self.shares[-1]
        elif chosen:
            self.guesses.append(self.shares[-1] * share)
        if test.open and not {n for n in then if "=" in n and n not in before}.isdisjoint(self.names):
            self._count("lanes", max(test.size, test.tested))
        for name in {**then, **self.names}:
            one, other = then.get(name), self.names.get(name)
            if one is not other and one is not None and other is not None and test.open and "=" not in name:
                self.names[name] = self._selected(test, one, other, is_select)
            elif one is not None and other is None:
                self.names[name] = one

    def _share(self, node: syntax.If) -> Expr:
        return self.cx.builder.shares.get(("share", self.cx.frame.dotted, node.place.line), HALF)

    def _selected(self, test: Part, one: Part, other: Part, is_select: bool) -> Part:
        if not (one.is_integer and other.is_integer):
            return one if not one.is_integer else other
        if not is_select:
            ways = _longest(one.ways, other.ways)
            return Part(_wider(one, other), open=True, bounds=_around(one, other), ways=ways, reducing=None)
        self._count("select", max(one.size, other.size))
        self.guessed |= {name for name, way in test.ways.items() if way.get("load") and name in other.ways}
        ways = _longest(_onwards(one.ways), _onwards(other.ways), _onwards(test.ways))
        used, reducing = one.used + other.used + test.used, _common(one, other, test)
        dtype, held = _wider(one, other), max(one.size, other.size)
        return Part(dtype, True, _around(one, other), ways, held=held, used=used, reducing=reducing)

    # -- expressions ------------------------------------------------------------------------------
    def value(self, node: syntax.Expression) -> Part:
        if isinstance(node, syntax.Name):
            return self._name(node)
        if isinstance(node, syntax.Literal):
            return _constant(node.value)
        if isinstance(node, syntax.Subscript):
            return self._element(node)
        if isinstance(node, syntax.Binary):
            return self._binary(node.op, self.value(node.left), self.value(node.right))
        if isinstance(node, syntax.Unary):
            return self._unary(node)
        if isinstance(node, syntax.Compare):
            return self._compare(node)
        if isinstance(node, syntax.Boolean):
            return self._of_two("plain", self.value(node.left), self.value(node.right), B1)
        if isinstance(node, syntax.Conditional):
            test = self._met(self.value(node.test))
            one, other = self.value(node.then), self.value(node.orelse)
            return self._selected(test, one, other, True) if test.open else replace(one, open=True)
        if isinstance(node, syntax.Call):
            return self._call(node)
        return FLOATING

    def _name(self, node: syntax.Name) -> Part:
        name = node.id
        if name in self.names:
            return self._read(self.names[name])
        value = self._known(node)
        if not isinstance(value, Scalar) or not value.is_integer:
            return FLOATING
        number = value.number if value.number is not None else value.expr and value.expr.constant
        if isinstance(number, (int, Fraction)) and number == int(number):
            return _constant(int(number))
        return Part(value.dtype)

    def _known(self, node: syntax.Expression) -> Value | None:
        """What lowering knows of a name: in a function that is called, of its parameters and of its module."""
        name = dotted_path(node) or ""
        if self.views and name in self.views[-1]:
            return self.views[-1][name]
        if name in self.cx.frame.names:
            return self.cx.frame.names[name]
        return self.cx.eval(node) if isinstance(node, syntax.Name) else None

    def _read(self, part: Part) -> Part:
        self.reads.update(part.ways.keys())
        return replace(part, used=part.used + 1) if part.ways else part

    def _array(self, node: syntax.Subscript) -> View | None:
        """The array of an element."""
        value = self._known(node.base)
        return value if isinstance(value, View) and value.ndim == len(node.items) else None

    def _element(self, node: syntax.Subscript) -> Part:
        array, path = self._array(node), dotted_path(node.base)
        indices = [self._subscript(item) for item in node.items]
        if array is None or array.dtype.kind not in ("int", "bool"):
            return Part(array.dtype if array else F8, ways=self._loaded(indices), reducing=None)
        texts = tuple(map(unparse, node.items))
        if f"{path}={texts}" in self.names:
            return self._read(self.names[f"{path}={texts}"])
        bounds = _bounds_of(array.dtype)
        ways = self._loaded(indices)
        reducing = None if ways else ""
        lag = self._lag(path or "", texts)
        if lag is not None:
            name = f"{path}@{lag}"
            self.reads[name] += 1
            self.names.setdefault(name, Part(array.dtype, open=True))
            ways = _longest(ways, {name: {"memory": 1} if lag == 0 else {}})
            if lag == 0:
                self.chain_shares[name] = self.shares[-1]
        fresh, used = lag is None, int(lag is not None)
        return Part(array.dtype, True, bounds, ways, (), (), fresh, None, array.dtype.size, 0, used, reducing)

    def _loaded(self, indices: Iterable[Part]) -> Mapping[str, Way]:
        return _longest(*(_onwards(_onwards(p.ways, "load"), "plain", TEST * _may_wrap(p)) for p in indices))

    def _lag(self, array: str, texts: tuple[str, ...]) -> int | None:
        """How many iterations before this one stored the element; 0: each stores this one."""
        target, variable = self.stored.get(array), self.loop.name
        if target is None or len(target) != len(texts):
            return None
        apart = [(a, b) for a, b in zip(target, texts, strict=True) if a != b]
        if not apart:
            return 0 if not any(_mentions(text, variable) for text in texts) and self._is_fixed(texts) else None
        if len(apart) != 1 or (self.loop.step.constant or 0) < 0:
            return None
        places = [_offset(text, variable) for text in apart[0]]
        if places[0] is None or places[1] is None or places[0] <= places[1]:
            return None
        return places[0] - places[1]

    def _is_fixed(self, texts: tuple[str, ...]) -> bool:
        words = {word for text in texts for word in _words(text)}
        return words.isdisjoint(self.names)

    def _subscript(self, node: syntax.Expression) -> Part:
        """Arithmetic on counters there is the address'."""
        part = self.value(node)
        return self._met(part) if part.open else part

    def _met(self, part: Part) -> Part:
        """The part where its value is needed as data."""
        for kind, size in part.kept:
            self._count(kind, size)
        return replace(part, kept=()) if part.kept else part

    def _count(self, kind: IntegerKind, size: int, held: int = 0) -> int:
        self.found.append(_Counted(kind, size, self.shares[-1], held))
        return len(self.found) - 1

    def _binary(self, op: str, left: Part, right: Part) -> Part:
        if not (left.is_integer and right.is_integer) or op in ("/", "**", "@"):
            for side in (left, right):
                if side.is_integer and side.open and (side.ways or not side.fresh):
                    self._count("plain", 8)  # a conversion; those of elements are known
            return FLOATING
        kind = _kind_of(op, right)
        if not (left.open or right.open):
            number = _folded(op, left.number, right.number)
            costs = kind in ("quotient", "remainder", "division") and number is None
            bounds = None if number is None else (number, number)
            return Part(I8, kept=((kind, 8),) if costs else (), number=number, bounds=bounds)
        return self._of_two(kind, left, right, _result(left, right), op)

    def _of_two(self, kind: IntegerKind, left: Part, right: Part, dtype: DType, op: str = "") -> Part:
        left, right = self._met(left), self._met(right)
        if not (left.open or right.open):
            return Part(dtype)
        bounds = _range(op, left, right) if op else (0, 1) if dtype == B1 else None
        size = max(left.size, right.size, Part(dtype, bounds=bounds).size)
        widened = self._widened(size, left, right)
        number = self._count(kind, size)
        narrow = (*left.narrow, *right.narrow, *widened, number) if op in LOW_BITS else ()
        ways = _longest(left.ways, right.ways)
        for cost, steps in STEPS.get(kind, (("plain", 1),)):
            ways = _onwards(ways, cost, steps)
        used, before, own = left.used + right.used, _common(left, right), REDUCING.get(op, None)
        reducing = (own or op) if own is not None and before in ("", own or op) else None
        reducing = reducing if ways else ""
        return Part(dtype, True, bounds, ways, narrow, held=size, used=used, reducing=reducing)

    def _widened(self, size: int, *parts: Part) -> tuple[int, ...]:
        found = [self._count("lanes", size, part.held) for part in parts if 0 < part.held < size]
        return tuple(found)

    def _unary(self, node: syntax.Unary) -> Part:
        part = self.value(node.operand)
        if not part.is_integer or not part.open:
            return replace(part, number=None if part.number is None else -part.number, bounds=None)
        dtype = B1 if node.op == "not" else part.dtype
        bounds = (-part.bounds[1], -part.bounds[0]) if node.op == "-" and part.bounds else None
        self._count("plain", Part(dtype, bounds=bounds).size)
        return Part(dtype, True, bounds, _onwards(part.ways), held=part.held, used=part.used, reducing=None)

    def _compare(self, node: syntax.Compare) -> Part:
        parts = [self.value(operand) for operand in node.operands]
        if not any(part.open or not part.is_integer for part in parts):
            return Part(B1)
        ways: Mapping[str, Way] = {}
        for left, right in pairwise(parts):
            if left.is_integer and right.is_integer and (left.open or right.open):
                self._met(left), self._met(right)
                size = max(left.size, right.size)
                self._widened(size, left, right)
                self._count("compare", size)
            ways = _longest(ways, _onwards(left.ways), _onwards(right.ways))
        tested = max(part.size if part.is_integer else part.dtype.size for part in parts)
        used = sum(part.used for part in parts)
        return Part(B1, True, (0, 1), ways, tested=tested, used=used, reducing=_common(*parts))

    def _call(self, node: syntax.Call) -> Part:
        name = (dotted_path(node.function) or "").rpartition(".")[2]
        called = self._known(node.function) if isinstance(node.function, syntax.Name) else None
        if isinstance(called, FunctionRef) and isinstance(called.function, syntax.Function):
            return self._called(called.function, node)
        parts = [self.value(argument) for argument in node.args]
        if name in ("min", "max", "minimum", "maximum") and len(parts) > 1:
            return self._extremum("min" if name.startswith("min") else "max", parts)
        if name in ("abs", "absolute") and len(parts) == 1:
            [part] = parts
            if not part.is_integer or not part.open:
                return part
            self._count("abs", part.size)
            bounds = part.bounds and (0, max(map(abs, part.bounds)))
            ways = _onwards(part.ways, "plain", 2)
            return Part(part.dtype, True, bounds, ways, held=part.held, used=part.used, reducing=None)
        dtype = I8 if name in ("int", "len") else B1 if name == "bool" else lookup(name)
        given = self.cx.frame.names.get(name)
        dtype = given.dtype if isinstance(given, DTypeValue) else dtype
        if dtype is None or len(parts) != 1 or dtype.kind not in ("int", "bool"):
            return FLOATING
        [part] = parts
        if not part.is_integer:
            return Part(dtype, open=True)
        fits = part.bounds is not None and _fits(*part.bounds, dtype.size)
        return replace(part, dtype=dtype, bounds=part.bounds if fits else None)

    def _called(self, function: syntax.Function, node: syntax.Call) -> Part:
        """The result of a function of the source, which the compiler inlines."""
        if len(self.views) >= MOST_CALLS or node.keywords or node.starred:
            self.unknown = function.name
            return FLOATING
        names = [parameter.name for parameter in function.parameters]
        values = {n: self._known(a) for n, a in zip(names, node.args, strict=False) if isinstance(a, syntax.Name)}
        views = {n: value for n, value in values.items() if isinstance(value, View)}
        parts = {n: self.value(a) for n, a in zip(names, node.args, strict=False) if n not in views}
        outside, self.names = self.names, parts
        self.views.append(views)
        self.result = FLOATING
        self.block(function.body)
        self.views.pop()
        self.names = outside
        return self.result

    def _extremum(self, op: str, parts: list[Part]) -> Part:
        result = parts[0]
        for part in parts[1:]:
            if not (result.is_integer and part.is_integer):
                return FLOATING
            pair = (result, part)
            for one, other in (pair, pair[::-1]):
                if one.ways and not other.ways:
                    self.guessed |= {name for name, way in one.ways.items()}
            result = self._of_two("minmax", result, part, _result(result, part), op)
        return result


# -- ways -----------------------------------------------------------------------------------------
def _onwards(ways: Mapping[str, Way], kind: LatencyKind = "plain", steps: int = 1) -> Mapping[str, Way]:
    return {name: {**way, kind: way.get(kind, 0) + steps} for name, way in ways.items()} if ways else ways


def _longer_by(one: Way, other: Way) -> Way:
    return {kind: one.get(kind, 0) + other.get(kind, 0) for kind in {**one, **other}}


def _longest(*found: Mapping[str, Way]) -> Mapping[str, Way]:
    longest: dict[str, Way] = {}
    for ways in found:
        for name, way in ways.items():
            if name not in longest or _cycles(way) > _cycles(longest[name]):
                longest[name] = way
    return longest


def _cycles(way: Way) -> float:
    return sum(LATENCY[kind] * n for kind, n in way.items())


def _common(*parts: Part) -> str | None:
    """The one operation on the ways to all of them."""
    found = {part.reducing for part in parts if part.ways} - {""}
    return next(iter(found), "") if len(found) <= 1 else None


def _may_wrap(part: Part) -> bool:
    return not (part.dtype.is_unsigned or (part.bounds is not None and part.bounds[0] >= 0))


# -- numbers --------------------------------------------------------------------------------------
def _constant(value: object) -> Part:
    if isinstance(value, bool) or not isinstance(value, int):
        return Part(B1, bounds=(0, 1)) if isinstance(value, bool) else FLOATING
    return Part(I8, bounds=(value, value), number=value)


def _bounds_of(dtype: DType) -> Range:
    bits = 8 * dtype.size
    if dtype.kind == "bool":
        return 0, 1
    return (0, (1 << bits) - 1) if dtype.is_unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def _wider(one: Part, other: Part) -> DType:
    return one.dtype if one.dtype.size >= other.dtype.size else other.dtype


def _result(left: Part, right: Part) -> DType:
    """Numba computes with integers of 64 bits."""
    return next((side.dtype for side in (left, right) if side.dtype.size == 8), I8)


def _around(one: Part, other: Part) -> Range | None:
    if one.bounds is None or other.bounds is None:
        return None
    return min(one.bounds[0], other.bounds[0]), max(one.bounds[1], other.bounds[1])


def _kind_of(op: str, right: Part) -> IntegerKind:
    if op in DIVISIONS:
        if right.number is None:
            return "division"
        power = right.number > 0 and right.number & (right.number - 1) == 0
        return "plain" if power else "quotient" if op == "//" else "remainder"
    return "mul" if op == "*" else "shift" if op in SHIFTS else "plain"


_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0, ">>": lambda a, b: a >> b if 0 <= b < 64 else 0,
    "min": min, "max": max,
    "//": lambda a, b: a // b if b else 0,
}  # fmt: skip


def _folded(op: str, left: int | None, right: int | None) -> int | None:
    return _ARITHMETIC[op](left, right) if left is not None and right is not None and op in _ARITHMETIC else None


def _range(op: str, left: Part, right: Part) -> Range | None:
    if op == "%" and right.number is not None and right.number > 0:
        return 0, right.number - 1
    masks = [side.bounds[1] for side in (left, right) if op == "&" and side.bounds and side.bounds[0] >= 0]
    if masks:
        return 0, min(masks)
    if left.bounds is None or right.bounds is None:
        return None
    if op in ("|", "^"):
        high = max(left.bounds[1], right.bounds[1])
        return (0, (1 << high.bit_length()) - 1) if min(left.bounds[0], right.bounds[0]) >= 0 else None
    if op not in _ARITHMETIC:
        return None
    ends = [_ARITHMETIC[op](a, b) for a in left.bounds for b in right.bounds]
    return (min(ends), max(ends)) if _fits(min(ends), max(ends), 8) else None


# -- syntax ---------------------------------------------------------------------------------------
def _assigns_names(statement: syntax.Statement) -> bool:
    """Whether it computes numbers alone, from what is in registers."""
    if isinstance(statement, syntax.If):
        return all(map(_assigns_names, (*statement.body, *statement.orelse)))
    if isinstance(statement, syntax.Simple):
        return statement.kind == "pass"
    if not isinstance(statement, (syntax.Assign, syntax.AugAssign)):
        return False
    targets = statement.targets if isinstance(statement, syntax.Assign) else (statement.target,)
    return all(isinstance(target, syntax.Name) for target in targets)


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def _mentions(text: str, name: str) -> bool:
    return name in _words(text)


def _offset(text: str, variable: str) -> int | None:
    """What is added to the variable."""
    head, sign, rest = text.replace(" ", "").partition("+" if "+" in text else "-")
    if head != variable or (sign and not rest.isdigit()):
        return None
    return int(sign + rest) if sign else 0


def _in_order(tally: Counter[tuple[IntegerKind, int, Expr]]) -> Iterator[tuple[tuple[IntegerKind, int, Expr], int]]:
    yield from sorted(tally.items(), key=lambda item: (item[0][0], item[0][1], str(item[0][2])))
