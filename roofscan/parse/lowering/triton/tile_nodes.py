"""What a Triton program adds to its kernel: operations count the elements of their tiles. Loads and stores are loops
over the elements that their masks let through."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from math import prod

from roofscan.frozen import dataclass
from roofscan.ir.arrays import Array
from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import I8, DType
from roofscan.ir.kinds import OperationKind
from roofscan.ir.launch import Direction, LaunchAxis
from roofscan.ir.symbols import Extent
from roofscan.ir.tree import Access, Body, Branch, Loop, Operation, When
from roofscan.ir.visitor import substitute
from roofscan.parse.lowering.builder import c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.triton.order import MOST_DIGITS, ProgramNumber, Split
from roofscan.parse.lowering.triton.tiles import F4, Item, Outside, TileValue, aligned, place  # fmt: skip
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol


@dataclass
class Learned:
    """What a run of the program shows of its parameters, for the next one."""

    floats: set[str] = field(default_factory=set)  # parameters that meet floating numbers
    integers: set[str] = field(default_factory=set)  # parameters that places, bounds and masks are made of
    types: dict[str, tuple[DType, str]] = field(default_factory=dict)  # arrays by their parameters: type and why
    products: list[tuple[Expr, Expr, Expr, Expr]] = field(default_factory=list)  # of tiles: m, n, k, bytes per element
    staged: list[Expr] = field(default_factory=list)  # bytes of their operands, of one iteration
    strides: dict[str, list[str]] = field(default_factory=dict)  # by array, in the order of the parameters
    splits: list[Split] = field(default_factory=list)  # divisions of the numbers of programs
    is_splitting: bool = False  # in this run
    in_order: bool = False  # whether the numbers of programs are left whole
    seen: tuple[object, ...] = (frozenset(), frozenset(), frozenset(), 0)

    def changed(self) -> bool:
        """Whether it knows other things than it did when this was asked before."""
        before = self.seen
        known = (self.floats - self.integers, self.integers, self.types)
        self.seen = (*map(frozenset, known), len(self.splits))
        return before != self.seen


class Relearned(Exception):
    """The program must be lowered again, with what it has shown."""


class TileNodes:
    """The names of one function of a program, and the nodes that it adds to the kernel."""

    def __init__(
        self, cx: Context, learned: Learned, parameters: Sequence[str], arrays: dict[str, Array], depth: int = 0
    ) -> None:
        self.cx = cx
        self.arrays = arrays
        self.learned = learned
        self.parameters = parameters  # of the kernel
        self.names: dict[str, Item] = {}
        self.names_of_launch: dict[tuple[str, Direction], Item] = {}
        self.numbers: list[ProgramNumber] = []  # of the program, by axis
        self.returned: list[Item] = []
        self.depth = depth

    def operation(
        self, kind: OperationKind, dtype: DType, count: Expr, line: int, *inputs: TileValue, function: str = ""
    ) -> int:
        builder = self.cx.builder
        known = tuple(tile.node for tile in inputs if tile.node is not None)
        node = Operation(builder.new_id(), kind, dtype, builder.line(line), known, count, function=function)
        builder.add(node)
        return node.id

    def access(
        self,
        pointer: TileValue,
        mask: TileValue | None,
        line: int,
        *,
        stored: TileValue | None = None,
        atomic: bool = False,
    ) -> tuple[int, Array]:
        """The loops over a tile of places, and the accesses in them."""
        array, offset = self._array(pointer, line)
        if offset is not None and pointer.shape:
            known = {*self.learned.strides.get(array.name, ()), *offset.symbols}
            self.learned.strides[array.name] = [
                name for name in self.cx.builder.symbols if name in known and "stride" in name.lower()
            ]
        if mask is not None:
            rank = max(len(pointer.shape), len(mask.shape))
            pointer, mask = aligned(pointer, rank), aligned(mask, rank)
        builder = self.cx.builder
        variables = [builder.loop_variable(f"lane{k}") for k in range(len(pointer.shape))]
        places = {place(k): symbol(var) for k, var in enumerate(variables)}
        index = None if offset is None else offset.subs(places)
        why = "" if index is not None else "a place that depends on data"
        steps = pointer.steps if index is None else None
        inputs = (stored.node,) if stored is not None and stored.node is not None else ()
        found = Access(builder.new_id(), array.name, (index,), stored is not None, builder.line(line), 0, inputs, why,
                       atomic=atomic, along=steps and steps.subs(places))  # fmt: skip
        body: Body = self._masked(mask, places, (found,), line)
        for k in reversed(range(len(variables))):
            if pointer.shape[k] != ONE:
                axis = LaunchAxis("lane", "x")
                body = (Loop(variables[k], ZERO, pointer.shape[k], ONE, body, builder.line(line), parallel=True,
                             source_name=f"lane {k}", array_expression=True, axis=axis),)  # fmt: skip
            else:
                body = substitute(body, {variables[k]: ZERO})
        for node in body:
            builder.add(node)
        return found.id, array

    def divided(self, a: Expr, b: Expr) -> tuple[Expr, Expr] | None:
        """The quotient and the remainder of a program's number, in its digits; the next run has those of a new one."""
        known = next((found for number in self.numbers if (found := number.divided(a, b)) is not None), None)
        if known is None and sum(len(number.digits) for number in self.numbers) < MOST_DIGITS:
            for axis, number in enumerate(self.numbers):
                digit = number.to_split(a, b)
                split = None if digit is None else Split(axis, digit, b)
                if split is not None and len(self.learned.splits) < MOST_DIGITS and not self.learned.is_splitting:
                    self.learned.splits.append(split)
                    self.learned.is_splitting = True
        return known

    def bases(self, tile: TileValue) -> frozenset[str]:
        """The parameters that may be the array of a tile of places."""
        expr = tile.expr
        if expr is None:
            return tile.bases
        known = (n for n in self.parameters if n in expr.symbols and expr.is_linear_in([n]))
        return frozenset(n for n in known if expr.coefficient(n) == ONE and n not in self.cx.facts.scalars)

    def _masked(self, mask: TileValue | None, places: Mapping[str, Expr], body: Body, line: int) -> Body:
        if mask is None:
            return body
        if mask.holds is None:
            meaning = f"share of the elements that the mask in line {line} lets through, from 0 to 1"
            share = self.cx.builder.share(("mask", self.cx.frame.dotted, line), meaning, line)
            return (Branch(share, body, self.cx.builder.line(line)),)
        conditions = tuple(replace(c, expr=c.expr.subs(places)) for c in mask.holds)
        kept = tuple(c for c in conditions if c.expr.constant is None or not c.holds(c.expr.constant))
        return (When(kept, body, self.cx.builder.line(line)),) if kept else body

    def _array(self, pointer: TileValue, line: int) -> tuple[Array, Expr | None]:
        """The array of a tile of places, and the element of each."""
        if pointer.is_float:
            self.are_integers(pointer.loaded, I8, "it is used as an index")
        known = [name for name in self.parameters if name in self.bases(pointer)]
        known.sort(key=lambda name: not name.lower().rstrip("s").endswith("ptr"))
        if not known:
            raise Outside(line, "a load or a store of something that is not a pointer")
        name = known[0]
        if name not in self.arrays:
            self._add_array(name, line)
        array = self.arrays[name]
        return array, None if pointer.expr is None else pointer.expr - symbol(name)

    def are_integers(self, arrays: Collection[str], dtype: DType, why: str) -> None:
        """Lowers the program again where it has just shown that arrays hold integers."""
        new = {n: (dtype, why) for n in arrays if n not in self.learned.types and n not in self.cx.facts.arrays}
        if new:
            self.learned.types |= new
            self.learned.floats.clear()
            raise Relearned

    def _add_array(self, name: str, line: int) -> None:
        """The array that a pointer points into: flat, and of as many dimensions as a fact says."""
        builder, fact = self.cx.builder, self.cx.facts.arrays.get(name)
        dtype, why = self.learned.types.get(name, (F4, "default of Triton kernels"))
        if fact is not None:
            dtype = fact.dtype
        else:
            builder.assume(Assumption(name, f"{dtype.name} ({why})"))
        shape = tuple(
            builder.symbol(f"{name}_shape_{d}", "size", f"{name}.shape[{d}]", line, extent=Extent((name,), d))
            for d in range(len((fact and fact.shape) or (None,)))
        )
        builder.extents.update(*(extent.symbols for extent in shape))
        array = builder.array(Array(name, dtype, shape, c_strides(shape), "parameter", line))
        self.arrays[name] = array
        if len(shape) > 1:
            size = prod(shape, start=ONE)
            flat = Array(f"{name}_flat", dtype, (size,), (ONE,), "parameter", line, buffer=array.name)
            self.arrays[name] = builder.array(flat)
