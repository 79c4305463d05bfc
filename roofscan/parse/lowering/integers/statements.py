"""The integer work of an iteration of a loop, read from its statements: what LLVM makes of sums, comparisons and
selections of integers from data. Arithmetic on loop counters alone is part of addresses, and is not counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from roofscan.ir.dtypes import I8
from roofscan.ir.integers import NO_INTEGERS, IntegerChain, IntegerKind, IntegerOperations, IntegerWork
from roofscan.ir.tree import Loop
from roofscan.parse import syntax
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.integers.expressions import IntegerExpressions, compares_text
from roofscan.parse.lowering.integers.part import FLOATING, IntegerPart, PathLatency, longer_by
from roofscan.parse.lowering.subscript_ranges import MARK
from roofscan.parse.lowering.values import Scalar, Value
from roofscan.parse.syntax_walk import assigned_names, dotted_path, target_names, walk
from roofscan.parse.unparse import unparse
from roofscan.symbolic.expr import ONE, Expr

SPECULATED = 4  # operations of an arm that LLVM makes in any case, to select from
MOST_WRITTEN = 64  # as ``unrolled_loops.FEW_ITERATIONS``
MOST_OPERATIONS = 2_000  # of an iteration, before its reading is given up
HALF = Expr.of(1) / 2  # of the decisions, where nothing is known of them


def integer_work(
    cx: Context, loop: Loop, statements: tuple[syntax.Statement, ...], before: Mapping[str, Value], state: bool
) -> IntegerWork:
    """Of compiled code; nothing where no integers are data, nor texts. ``state``: iterations pass integers on."""
    has_integers = state or any(array.dtype.kind != "float" for array in cx.builder.arrays.values())
    tests = tuple(statement for statement in statements if isinstance(statement, syntax.If))
    if not cx.compiled or loop.array_expression or not (has_integers or any(map(compares_text, walk(tests)))):
        return NO_INTEGERS
    reader = _Reader(cx, loop, statements, before)
    reader.block(statements)
    work = reader.work()
    return work if has_integers else IntegerWork(tuple(o for o in work.operations if o.kind == "text"))


class _Reader(IntegerExpressions):
    """Runs the statements of an iteration once, with the ways of integers through it."""

    def __init__(
        self, cx: Context, loop: Loop, statements: tuple[syntax.Statement, ...], before: Mapping[str, Value]
    ) -> None:
        super().__init__(cx, loop)
        self.before = before
        self.written = 1  # iterations of inner loops that are unrolled
        self.guesses: list[Expr] = []
        self.narrowed: list[tuple[int, int]] = []  # operations, and the bytes of the elements that they end in
        self.stored = dict(self._stores(statements))
        for name in assigned_names(statements):
            old = before.get(name)
            self.names[name] = self._carried(name, old) if isinstance(old, Scalar) else FLOATING

    def _carried(self, name: str, old: Scalar) -> IntegerPart:
        new = self.cx.frame.names.get(name)
        if not old.is_integer or (isinstance(new, Scalar) and not new.is_integer):
            return FLOATING
        return IntegerPart(I8, open=True, paths={name: {}})

    @staticmethod
    def _stores(statements: tuple[syntax.Statement, ...]) -> Iterator[tuple[str, tuple[syntax.Expression, ...]]]:
        """The places that an iteration stores to, by array: their subscripts."""
        for node in walk(statements):
            targets = node.targets if isinstance(node, syntax.Assign) else ()
            targets = (node.target,) if isinstance(node, syntax.AugAssign) else targets
            for target in targets:
                if isinstance(target, syntax.Subscript) and (name := dotted_path(target.base)):
                    yield name, target.items

    # -- the result -----------------------------------------------------------------------------
    def work(self) -> IntegerWork:
        for number, size in self.narrowed:
            if number not in self.needed_in_full:
                self.found[number].size = min(self.found[number].size, size)
        for number in self.long:
            self.found[number].size = I8.size
        tally = Counter((found.kind, found.size, found.share) for found in self.found if found.size > found.held)
        made = tuple(IntegerOperations(kind, size, n, share) for (kind, size, share), n in _in_order(tally))
        return IntegerWork(made, tuple(self._chains()), tuple(self.guesses), self.unknown)

    def _chains(self) -> Iterator[IntegerChain]:
        ends = {name: part for name, part in self.names.items() if part.open and part.paths}
        for name, part in ends.items():
            own = part.paths.get(name)
            others = [n for n, other in ends.items() if n != name and name in other.paths]
            if own and any(own.values()) and (others or not self._is_reduction(name, part)):
                yield self._chain(name, own, 1)
            for other in others:
                back = part.paths.get(other)
                if other > name and back is not None:
                    there = ends[other].paths[name]
                    yield self._chain(name, longer_by(there, back), 2)

    def _is_reduction(self, name: str, part: IntegerPart) -> bool:
        """Whether nothing else reads what it accumulates. Of elements, those of one place are kept in a register where
        no branch is around."""
        alone = part.reducing is not None and part.used == self.reads[name]
        distance = name.partition("@")[2]
        return alone and (
            not distance or (distance == "0" and self.chain_shares.get(name) == ONE and len(self.stored) == 1)
        )

    def _chain(self, name: str, path: PathLatency, iterations: int) -> IntegerChain:
        array, _, distance = name.partition("@")
        shared = iterations * (int(distance or 1) or 1)  # each iteration waits for one that came so long before
        latencies = tuple((kind, n / shared) for kind, n in sorted(path.items()) if n)
        moves, share = bool(distance) and not path.get("memory"), self.chain_shares.get(name, ONE)
        continues = not distance and self._is_passed_on(name)
        return IntegerChain(array, self.loop.line, latencies, moves, name in self.guessed, share, continues)

    def _is_passed_on(self, name: str) -> bool:
        """Whether the loop begins with what its last run left, which the loop around passes on."""
        old = self.before.get(name)
        begun = old.expr.symbols if isinstance(old, Scalar) and old.expr is not None else ()
        return any(symbol.partition(MARK)[:2] == (name, MARK) for symbol in begun)

    # -- statements -------------------------------------------------------------------------------
    def block(self, statements: Iterable[syntax.Statement]) -> None:
        for statement in statements:
            if len(self.found) > MOST_OPERATIONS:
                self.unknown = "so many statements"
                return
            if self._is_left_out(statement):
                continue
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
                self.names.update((name, IntegerPart(I8, open=True)) for name in inner)

    def _is_left_out(self, statement: syntax.Statement) -> bool:
        """Whether a compiler drops it, because nothing reads the name that it assigns."""
        if not isinstance(statement, (syntax.Assign, syntax.AugAssign)):
            return False
        [target, *others] = statement.targets if isinstance(statement, syntax.Assign) else (statement.target,)
        return not others and isinstance(target, syntax.Name) and target.id in self.cx.frame.only_updated

    def _trips(self, node: syntax.For) -> int:
        """Of a loop that LLVM unrolls into this one; 0: none."""
        call = node.iterable
        if not (isinstance(call, syntax.Call) and dotted_path(call.function) == "range"):
            return len(call.items) if isinstance(call, syntax.Sequence) else 0
        ends = [self.value(argument).number for argument in call.args]
        if None in ends or not 1 <= len(ends) <= 3:
            return 0
        start, stop, step = {1: (0, *ends, 1), 2: (*ends, 1), 3: tuple(ends)}[len(ends)]
        trips = max(0, -((int(start or 0) - int(stop or 0)) // int(step))) if step else 0
        return trips if trips * self.written <= MOST_WRITTEN else 0

    def _written_out(self, node: syntax.For, trips: int) -> None:
        self.written *= trips
        self.names.update((name, IntegerPart(I8)) for name in target_names(node.target))
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
                self.names.update((name, IntegerPart(I8, open=True)) for name in target_names(target))
            else:
                self._store(target, self.value(value))

    def _store(self, target: syntax.Expression, value: IntegerPart) -> None:
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
        self.narrowed += [(number, array.dtype.size) for number in value.narrow]
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


def _in_order(tally: Counter[tuple[IntegerKind, int, Expr]]) -> Iterator[tuple[tuple[IntegerKind, int, Expr], int]]:
    yield from sorted(tally.items(), key=lambda item: (item[0][0], item[0][1], str(item[0][2])))
