"""The kernel under construction, collected while its source is lowered."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from roofscan.budget import spend
from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import DType
from roofscan.ir.kinds import OperationKind
from roofscan.ir.launch import Launch
from roofscan.ir.loop_names import numbered_variable
from roofscan.ir.tree import Access, Branch, LibraryCall, Loop, Node, Operation, When
from roofscan.parse.lowering.broadcast_sizes import BroadcastSizes, Names
from roofscan.parse.lowering.subscript_ranges import loop_variables, without_hole
from roofscan.parse.lowering.symbol_table import SymbolTable
from roofscan.parse.lowering.values import Value, View, arrays_in
from roofscan.parse.syntax import Expression
from roofscan.parse.unparse import unparse
from roofscan.symbolic.expr import ONE, Expr, symbol

MAX_NODES = 40_000
NODE_STEPS = 30  # what a node takes to make, in steps of the budget

MAX_NODES_FOR_CASES = 2_000
"""Nodes from which on the cases of a test are no longer kept apart: each case copies what follows it."""
MAX_LOOP_DEPTH = 64


class Unsupported(Exception):
    """The kernel is outside the model; ``line`` and the reason go to the report."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


class Builder(SymbolTable):
    """``body`` is the innermost open body."""

    def __init__(self) -> None:
        super().__init__()
        self.body: list[Node] = []
        self.guards: list[Condition] = []  # open exact conditions
        self.branches: list[Expr] = []  # open data branches
        self.required: dict[Condition, None] = {}  # conditions on sizes, without which a call does no work
        self.loop_names: dict[str, int] = {}
        self.data_names: dict[tuple[str, int], set[str]] = {}  # names that a loop binds by data, and tests beside data
        self.computed: dict[tuple[object, ...], int] = {}  # by operands: integers that depend on data
        self.data_placeholders: set[str] = set()  # what stands for those at the start of an iteration
        self.open_ends: dict[tuple[str, int], set[str]] = {}  # variables of inner loops with data as their ends
        self.tested_beside_data: set[str] = set()  # placeholders in tests with a part on data
        self.arrays: dict[str, Array] = {}
        self.of_modules: dict[tuple[str, str], View] = {}  # by file and name: arrays that no function makes
        self.names: dict[str, str] = {}  # temporaries -> the names that the source gives them
        self.given_names: dict[str, str] = {}  # the reverse
        self.made_by: dict[int, str] = {}  # expressions, by their id -> the temporaries that hold their results
        self.outliving: dict[str, None] = {}  # arrays that live on after the iteration that makes them
        self.row_totals: dict[str, tuple[Expr, str]] = {}  # mean length of a row -> all rows together, over a loop
        self.row_spans: dict[tuple[str, str], tuple[str, Expr, Expr]] = {}  # total, mean -> array, from, to
        self.selected: set[Expr] = set()  # quotients that stand for a choice by a condition
        self.library_call: LibraryCall | None = None  # the innermost that is being lowered
        self.broadcast_sizes = BroadcastSizes()
        self.launch: Launch | None = None
        self.launched: dict[str, Expr] = {}  # the values of its symbols
        self.turns: tuple[tuple[int, int], ...] = ()  # the open iterations: the line of each loop, and its number
        self.turns_of: dict[str, tuple[tuple[int, int], ...]] = {}  # of arrays: the iterations that make them
        self.window_lengths: set[Expr] = set()  # numbers that the ends of slices differ by: x[i : i + 4]
        self.one_is_told = False  # whether facts make an extent 1
        self.turn_ends: dict[int, int] = {}  # by number of an iteration, the last id in it
        self._array_count: dict[str, int] = {}  # how many arrays asked for a name
        self._turn_count = 0
        self._next_id = 0
        self._nodes = 0

    # -- nodes --------------------------------------------------------------------------------
    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def add(self, node: Node) -> None:
        self._nodes += 1
        spend(NODE_STEPS)
        if self._nodes > MAX_NODES:
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
        """Whether the cases of a test are no longer kept apart."""
        return self._nodes > MAX_NODES_FOR_CASES

    def access(self, access: Access) -> int:
        self.add(access)
        return access.id

    def operation(
        self, kind: OperationKind, dtype: DType, line: int, inputs: tuple[int | None, ...], count: Expr = ONE,
        library: str = "", divisor: int | None = None, tested_by: str = "", function: str = "", counts_on: bool = False,
        part_of: LibraryCall | None = None,
    ) -> int:  # fmt: skip
        """Add ``count`` operations for each element of the operands; the id of the result."""
        sizes = self.broadcast_sizes
        names = sizes.sources(inputs)
        if names is None and not self.in_array_expression:
            sizes.mark_scalars(sizes.open_sources(inputs))
        known = tuple(i for i in inputs if i is not None and i > 0)
        each = self.broadcast_size(names, line)
        if names and self.in_array_expression:
            each = each / self.broadcast_size(sizes.common, line)
        at = self.line(line)
        made = (library, divisor, tested_by, function, counts_on, part_of)
        node = Operation(self.new_id(), kind, dtype, at, known, count * each, *made)
        self.add(node)
        if names is not None:
            sizes.of[node.id] = names
        return node.id

    def broadcast_size(self, names: Names | None, line: int) -> Expr:
        """How many elements these parameters broadcast to: a symbol, 1 for scalars."""
        if not names:
            return ONE
        sizes = self.broadcast_sizes
        if names not in sizes.sizes:
            wanted, meaning, extent = sizes.name_of(names)
            size = self.symbol(wanted, "size" if sizes.common else "open", meaning, line, extent=extent)
            sizes.sizes[names] = next(iter(size.symbols))
        return symbol(sizes.sizes[names])

    # -- bodies -------------------------------------------------------------------------------
    @contextmanager
    def inside(self) -> Iterator[list[Node]]:
        """A new body: nodes are added to the list that this yields."""
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
    def in_call(self, name: str) -> Iterator[None]:
        """Nodes that are added inside belong to this call of a library function."""
        outer, self.library_call = self.library_call, LibraryCall(name, self.new_id())
        try:
            yield
        finally:
            self.library_call = outer

    @contextmanager
    def turn(self, line: int) -> Iterator[None]:
        """One iteration of the loop in this line, or of several that a loop stands for."""
        outer, number = self.turns, self._turn_count + 1
        self.turns, self._turn_count = (*outer, (line, number)), number
        try:
            yield
        finally:
            self.turns, self.turn_ends[number] = outer, self._next_id

    @contextmanager
    def when(self, conditions: tuple[Condition, ...], share: Expr, line: int) -> Iterator[None]:
        """Nodes are added under the conditions, and under a data branch of ``share`` if that is not 1."""
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

    def require(self, conditions: tuple[Condition, ...]) -> None:
        """Note that a call does no work where these do not hold: on sizes, and where the test is always reached."""
        if not self.branches and all(guard in self.required for guard in self.guards):
            self.required.update(dict.fromkeys(c for c in conditions if not loop_variables(c.expr)))

    @property
    def in_array_expression(self) -> bool:
        """Whether nodes are added for each element of an array."""
        return bool(self.loops) and self.loops[-1].array_expression

    # -- loops --------------------------------------------------------------------------------
    def loop_variable(self, name: str) -> str:
        """A name for a loop variable that no symbol and no other loop has."""
        self.loop_names[name] = self.loop_names.get(name, 0) + 1
        return numbered_variable(name, self.loop_names[name])

    @property
    def open_variables(self) -> tuple[str, ...]:
        return tuple(loop.var for loop in self.loops)

    def row_total(self, extent: Expr) -> tuple[Expr, str] | None:
        """The total of a row length over the open loop over the rows, where the extent is such a length."""
        name = next(iter(extent.symbols)) if len(extent.symbols) == 1 else ""
        rows = self.row_totals.get(name)
        if rows is None or extent != symbol(name) or rows[1] not in self.open_variables:
            return None
        return rows

    # -- arrays -------------------------------------------------------------------------------
    def array(self, array: Array) -> Array:
        local = self.given_names.pop(array.name, None)  # of a helper: it gives way to the function's own
        name = self.unused_name(array.name) if local is None else array.name
        array = replace(array, name=name, line=self.line(array.line))
        self.arrays[array.name] = array
        self.turns_of[array.name] = self.turns
        if local is not None:
            self.names[local] = self.unused_name(name, taken=self.given_names)
            self.given_names[self.names[local]] = local
        return array

    def describe(self, array: str, expression: Expression) -> None:
        """Note which expression a temporary holds; in its text, temporaries made before stand for theirs."""
        made = self.arrays[array]
        if made.role == "temporary" and not made.text:
            self.arrays[array] = replace(made, text=unparse(expression, self.made_by))
            self.made_by[id(expression)] = array

    def unused_name(self, wanted: str, *, taken: Container[str] = ()) -> str:
        """``wanted``, or ``wanted_2`` …: a name that no array has, and that ``taken`` does not hold."""
        name, count = wanted, self._array_count.get(wanted, 1)
        while name in self.arrays or name in taken or (name == wanted and count > 1):
            count += 1
            name = f"{wanted}_{count}"
        self._array_count[wanted] = count
        return name

    def shown(self, array: str) -> str:
        """The name of an array for messages: the one in the source, if there is one."""
        name = self.names.get(array, array)
        return "a temporary array" if name.startswith("~") else name

    def outlive(self, *values: Value | None) -> None:
        """Note that something holds on to these values when the iteration ends."""
        self.outliving.update(dict.fromkeys(name for value in values for name in arrays_in(value)))

    # -- going back ---------------------------------------------------------------------------
    def snapshot(self) -> tuple[dict[Any, Any], ...]:
        """What :meth:`restore` needs to forget all that is added from here on."""
        return tuple(dict(table) for table in self._tables())

    def restore(self, state: tuple[dict[Any, Any], ...]) -> None:
        for table, saved in zip(self._tables(), state, strict=True):
            table.clear()
            table.update(saved)

    def _tables(self) -> tuple[dict[Any, Any], ...]:
        sizes = self.broadcast_sizes
        return (
            self.arrays, self.symbols, self.reasons, self.assumptions, self.default_scalars, self.loop_names,
            self.shares, self._array_count, self.names, self.given_names, self.outliving, self.equal, self.row_totals,
            self.row_spans, self.required, sizes.sizes, sizes.numbers, sizes.met, self.of_modules,
        )  # fmt: skip


def c_strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Elements per step of each subscript in C order."""
    strides: list[Expr] = []
    step = ONE
    for extent in reversed(shape):
        strides.append(step)
        step = step * extent
    return tuple(reversed(strides))


def f_strides(shape: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The same in Fortran order."""
    return tuple(reversed(c_strides(tuple(reversed(shape)))))
