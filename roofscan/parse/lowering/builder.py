"""Collects the kernel while its source is walked: nodes, numbers, symbols, arrays, reasons."""

from __future__ import annotations

import re
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from roofscan.ir.dtypes import DType
from roofscan.ir.kernel import Access, Array, Branch, Condition, Loop, Node, Operation, Reason, Symbol, When
from roofscan.ir.kinds import OperationKind, ReasonEffect, SymbolKind
from roofscan.parse.lowering.broadcast_sizes import BroadcastSizes, Names
from roofscan.parse.lowering.subscript_ranges import without_hole
from roofscan.symbolic.expr import ONE, Expr, NotEvaluable, Number, symbol

MAX_NODES = 40_000
MAX_SECONDS = 1.4
MANY_NODES = 2_000
MAX_LOOP_DEPTH = 64


class Unsupported(Exception):
    """The kernel is outside the model; ``line`` and the reason go to the report."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Builder:
    """The kernel under construction. ``body`` is the innermost open body."""

    def __init__(self) -> None:
        self.body: list[Node] = []
        self.arrays: dict[str, Array] = {}
        self.symbols: dict[str, Symbol] = {}
        self.reasons: dict[tuple[str, str], Reason] = {}
        self.assumptions: dict[str, None] = {}
        self.loops: list[Loop] = []  # open loops, outermost first, still without their bodies
        self.guards: list[Condition] = []  # open index conditions
        self.branches: list[Expr] = []  # open data branches
        self.loop_names: dict[str, int] = {}
        self.shares: dict[tuple[object, ...], Expr] = {}
        self.float_names: dict[tuple[str, int], set[str]] = {}  # names that a loop turns into floats
        self.equal: dict[str, Expr] = {}  # sizes that turned out to be other sizes
        self.names: dict[str, str] = {}  # temporaries by the names that the source gives them
        self.given_names: dict[str, str] = {}  # the same, the other way round
        self.extents: set[str] = set()  # symbols that are nothing but an extent of an array
        self.named_extents: set[str] = set()  # those that the source has a name for
        self.row_totals: dict[str, tuple[Expr, str]] = {}  # mean length of a row -> all rows together, over a loop
        self.row_spans: dict[tuple[str, str], tuple[str, Expr, Expr]] = {}  # total, mean -> array, from, to
        self.values: dict[str, Number] = {}  # sizes that facts give
        self.given: dict[str, Any] = {}  # the values of scalar parameters, by name, as they come in
        self.broadcast_sizes = BroadcastSizes()
        self._numbered: dict[str, int] = {}  # how many arrays asked for a name
        self.elsewhere: tuple[str, int] | None = None  # another file, and the line that calls into it
        self._next_id = 0
        self._nodes = 0
        self._deadline = time.thread_time() + MAX_SECONDS

    # -- nodes --------------------------------------------------------------------------------
    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def add(self, node: Node) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES or (self._nodes % 64 == 0 and time.thread_time() > self._deadline):
            raise Unsupported(self.line(node.line), "budget: the kernel is too large to analyse; split it")
        if self.elsewhere and node.line != self.elsewhere[1]:
            node = replace(node, line=self.elsewhere[1])
        if self.elsewhere and isinstance(node, Access) and node.column:
            node = replace(node, column=0)
        if self.elsewhere and isinstance(node, Loop):
            node = replace(node, file=self.elsewhere[0], end_line=self.elsewhere[1])
        self.body.append(node)

    @property
    def is_large(self) -> bool:
        """Whether cases are no longer kept apart, since each would copy what follows it."""
        return self._nodes > MANY_NODES

    # -- lines --------------------------------------------------------------------------------
    @contextmanager
    def lines_of(self, file: str | None, call: int) -> Iterator[None]:
        """Lines are those of another file from here on: the kernel's nodes get the line of the call into it.

        ``file`` None: the analysed file's own again.
        """
        outer = self.elsewhere
        self.elsewhere = None if file is None else (file, self.line(call))
        try:
            yield
        finally:
            self.elsewhere = outer

    def line(self, line: int) -> int:
        """The line of the analysed file that stands for ``line``."""
        return self.elsewhere[1] if self.elsewhere else line

    def _of_file(self, text: str, line: int) -> str:
        return f"{text} (line {line} of {self.elsewhere[0]})" if self.elsewhere else text

    def operation(
        self,
        kind: OperationKind,
        dtype: DType,
        line: int,
        inputs: tuple[int | None, ...],
        count: Expr = ONE,
        library: str = "",
    ) -> int:
        """Add ``count`` operations for each element of the operands; the id of what they make."""
        broadcast_sizes = self.broadcast_sizes
        names = broadcast_sizes.sources(inputs)
        if names is None and not self.in_array_expression:
            broadcast_sizes.mark_scalars(broadcast_sizes.open_sources(inputs))
        known = tuple(i for i in inputs if i is not None and i > 0)
        each = self.broadcast_size(names, line)
        if names and self.in_array_expression:
            each = each / self.broadcast_size(broadcast_sizes.common, line)
        node = Operation(self.new_id(), kind, dtype, self.line(line), known, count * each, library)
        self.add(node)
        if names is not None:
            broadcast_sizes.of[node.id] = names
        return node.id

    @property
    def in_array_expression(self) -> bool:
        """Whether what is added is done for the elements of an array, one by one."""
        return bool(self.loops) and self.loops[-1].array_expression

    def broadcast_size(self, names: Names | None, line: int) -> Expr:
        """How many elements the parameters broadcast to: a symbol, 1 for numbers."""
        if not names:
            return ONE
        if names not in self.broadcast_sizes.sizes:
            wanted, meaning = self.broadcast_sizes.called(names)
            size = self.symbol(wanted, "size" if self.broadcast_sizes.common else "open", meaning, line)
            self.broadcast_sizes.sizes[names] = next(iter(size.symbols))
        return symbol(self.broadcast_sizes.sizes[names])

    @contextmanager
    def inside(self) -> Iterator[list[Node]]:
        """A fresh body: what is added goes into the list that this yields."""
        outer, self.body = self.body, []
        try:
            yield self.body
        finally:
            self.body = outer

    @contextmanager
    def in_loop(self, loop: Loop) -> Iterator[list[Node]]:
        if len(self.loops) >= MAX_LOOP_DEPTH:
            raise Unsupported(loop.line, f"more than {MAX_LOOP_DEPTH} loops inside each other; split the kernel")
        self.loops.append(loop)
        try:
            with self.inside() as body:
                yield body
        finally:
            self.loops.pop()

    @contextmanager
    def when(self, conditions: tuple[Condition, ...], share: Expr, line: int) -> Iterator[None]:
        """What is added goes under the conditions, and under a data branch of ``share`` if that is not 1."""
        depth, branches = len(self.guards), len(self.branches)
        conditions = tuple(without_hole(condition, self.loops, self.guards) for condition in conditions)
        self.guards.extend(conditions)
        if share != ONE:
            self.branches.append(share)
        try:
            with self.inside() as body:
                yield
        finally:
            del self.guards[depth:]
            del self.branches[branches:]
        nodes = tuple(body)
        if nodes and share != ONE:
            nodes = (Branch(share, nodes, line),)
        if nodes and conditions:
            nodes = (When(conditions, nodes, line),)
        for node in nodes:
            self.add(node)

    def snapshot(self) -> tuple[dict[Any, Any], ...]:
        """What :meth:`restore` needs to forget all that is added from here on."""
        return tuple(dict(table) for table in self._tables())

    def restore(self, state: tuple[dict[Any, Any], ...]) -> None:
        for table, saved in zip(self._tables(), state, strict=True):
            table.clear()
            table.update(saved)

    def _tables(self) -> tuple[dict[Any, Any], ...]:
        return (
            self.arrays, self.symbols, self.reasons, self.assumptions, self.loop_names, self.shares, self._numbered,
            self.names, self.given_names, self.equal, self.row_totals, self.row_spans,
            self.broadcast_sizes.sizes, self.broadcast_sizes.numbers, self.broadcast_sizes.met,
        )  # fmt: skip

    # -- names --------------------------------------------------------------------------------
    def loop_variable(self, name: str) -> str:
        """A name for a loop variable that no symbol and no other loop has."""
        self.loop_names[name] = self.loop_names.get(name, 0) + 1
        return f"{name}#{self.loop_names[name]}"

    def symbol(self, wanted: str, kind: SymbolKind, meaning: str, line: int) -> Expr:
        """A new symbol, by the wanted name if that is free."""
        name = self.free_name(wanted)
        self.symbols[name] = Symbol(name, kind, self._of_file(meaning, line), self.line(line))
        return symbol(name)

    def free_name(self, wanted: str) -> str:
        base = re.sub(r"\W+", "_", wanted).strip("_") or "s"
        if base[0].isdigit():
            base = f"s{base}"
        name, count = base, 1
        while name in self.symbols or name in _RESERVED:
            count += 1
            name = f"{base}_{count}"
        return name

    def resolve(self, expr: Expr) -> Expr:
        """``expr`` with sizes that are known to equal others replaced by these."""
        for _ in range(8):
            replaced = expr.subs(self.equal)
            if replaced == expr:
                break
            expr = replaced
        return expr

    def may_equate(self, name: str) -> bool:
        """Whether a symbol is an extent that may be replaced by what it must equal."""
        return name in self.extents

    def known_value(self, expr: Expr) -> Number | None:
        """The number that an expression is: a constant, or one by the sizes that facts give."""
        if expr.constant is not None:
            return expr.constant
        if not self.values or not expr.symbols <= self.values.keys():
            return None
        try:
            return expr.evaluate(self.values)
        except NotEvaluable:
            return None

    def row_total(self, extent: Expr) -> tuple[Expr, str] | None:
        """The total of a row's length over the open loop that walks the rows, where the extent is such a length."""
        name = next(iter(extent.symbols)) if len(extent.symbols) == 1 else ""
        rows = self.row_totals.get(name)
        if rows is None or extent != symbol(name) or rows[1] not in self.open_variables:
            return None
        return rows

    def share(self, key: tuple[object, ...], meaning: str, line: int, kind: SymbolKind = "share") -> Expr:
        """The symbol for the share of executions that take a branch; equal tests share it."""
        if self.elsewhere:
            key = (*key, self.elsewhere[0])
        if key not in self.shares:
            number = sum(1 for s in self.symbols.values() if s.kind in ("share", "flag")) + 1
            self.shares[key] = self.symbol(f"p{number}", kind, meaning, line)
        return self.shares[key]

    # -- words --------------------------------------------------------------------------------
    def reason(self, line: int, message: str, effect: ReasonEffect) -> None:
        message = self._of_file(message, line)
        self.reasons.setdefault((message, effect), Reason(self.line(line), message, effect))

    def assume(self, text: str) -> None:
        self.assumptions[text] = None

    # -- arrays -------------------------------------------------------------------------------
    def array(self, array: Array) -> Array:
        array = replace(array, name=self.unused_name(array.name), line=self.line(array.line))
        self.arrays[array.name] = array
        return array

    def unused_name(self, wanted: str, *, taken: Container[str] = ()) -> str:
        """``wanted``, or ``wanted_2`` …: a name that no array has, and that ``taken`` does not hold."""
        name, count = wanted, self._numbered.get(wanted, 1)
        while name in self.arrays or name in taken or (name == wanted and count > 1):
            count += 1
            name = f"{wanted}_{count}"
        self._numbered[wanted] = count
        return name

    def access(self, access: Access) -> int:
        self.add(access)
        return access.id

    @property
    def open_variables(self) -> tuple[str, ...]:
        return tuple(loop.var for loop in self.loops)


_RESERVED = frozenset(
    "Min Max floor ceiling log Sum and or not if else for in is lambda None True False "
    "def class return import from as with while try pass del global assert raise yield break continue".split()
)
"""Names that an expression's own functions and Python's grammar take; any other is a symbol where ``locals`` say so."""


def c_strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Elements per step of each subscript, rows last to first (C order)."""
    strides: list[Expr] = []
    step = ONE
    for extent in reversed(shape):
        strides.append(step)
        step = step * extent
    return tuple(reversed(strides))


def f_strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The same in Fortran order."""
    return tuple(reversed(c_strides(tuple(reversed(shape)))))
