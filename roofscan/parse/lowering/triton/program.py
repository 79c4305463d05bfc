"""One program of a Triton kernel, statement by statement: operations count the elements of their tiles, loads and
stores are loops over the elements that their masks let through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from roofscan.ir.dtypes import I8, DType
from roofscan.ir.kernel import Access, Array, Body, Branch, Condition, Loop, Operation, ParameterTest, When
from roofscan.ir.kinds import OperationKind
from roofscan.ir.launch import Direction, LaunchAxis
from roofscan.ir.visitor import substitute
from roofscan.parse import syntax
from roofscan.parse.lowering.builder import c_strides
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.triton.tiles import (
    B1,
    F4,
    Item,
    Method,
    NamedItem,
    Outside,
    Parts,
    TileValue,
    aligned,
    common_shape,
    common_type,
    integer,
    moved,
    number,
    place,
)  # fmt: skip
from roofscan.parse.reader.module import SELF
from roofscan.parse.syntax_walk import dotted_path, is_read_first
from roofscan.symbolic.expr import ONE, ZERO, Expr, ceil_div, floor_div, maximum, symbol

ARITHMETIC: Mapping[str, OperationKind] = {"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "div", "%": "div"}
MAX_DEPTH = 8


@dataclass
class Learned:
    """What a run of the program shows of its parameters, for the next one."""

    floats: set[str] = field(default_factory=set)  # parameters that meet floating numbers
    whole: set[str] = field(default_factory=set)  # parameters that places, bounds and masks are made of
    integers: set[str] = field(default_factory=set)  # arrays of integers, by their parameters
    seen: tuple[frozenset[str], ...] = (frozenset(), frozenset(), frozenset())

    def changed(self) -> bool:
        """Whether it knows other things than it did when this was asked before."""
        before = self.seen
        self.seen = (frozenset(self.floats - self.whole), frozenset(self.whole), frozenset(self.integers))
        return before != self.seen


class Relearned(Exception):
    """The program must be lowered again, with what it has shown."""


class ProgramBody:
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
        self.returned: list[Item] = []
        self.depth = depth

    # -- nodes ------------------------------------------------------------------------------------
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
        if mask is not None:
            rank = max(len(pointer.shape), len(mask.shape))
            pointer, mask = aligned(pointer, rank), aligned(mask, rank)
        builder = self.cx.builder
        variables = [builder.loop_variable(f"lane{k}") for k in range(len(pointer.shape))]
        places = {place(k): symbol(var) for k, var in enumerate(variables)}
        index = None if offset is None else offset.subs(places)
        why = "" if index is not None else "a place that depends on data"
        inputs = (stored.node,) if stored is not None and stored.node is not None else ()
        found = Access(builder.new_id(), array.name, (index,), stored is not None, builder.line(line), 0, inputs, why,
                       atomic=atomic)  # fmt: skip
        body: Body = self._masked(mask, places, (found,), line)
        for k in reversed(range(len(variables))):
            if pointer.shape[k] != ONE:
                axis = LaunchAxis("lane", "x")
                body = (Loop(variables[k], ZERO, pointer.shape[k], ONE, body, builder.line(line), parallel=True,
                             source_name=f"lane {k}", array_expression=True, axis=axis),)  # fmt: skip
            else:
                body = _fixed(body, variables[k])
        for node in body:
            builder.add(node)
        return found.id, array

    def _bases(self, tile: TileValue) -> frozenset[str]:
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
        if pointer.is_float and not pointer.loaded <= self.learned.integers:
            self.learned.integers |= pointer.loaded
            self.learned.floats.clear()
            raise Relearned
        known = [name for name in self.parameters if name in self._bases(pointer)]
        known.sort(key=lambda name: not name.lower().rstrip("s").endswith("ptr"))
        if not known:
            raise Outside(line, "a load or a store of something that is no pointer")
        name = known[0]
        if name not in self.arrays:
            self._add_array(name, line)
        array = self.arrays[name]
        return array, None if pointer.expr is None else pointer.expr - symbol(name)

    def _add_array(self, name: str, line: int) -> None:
        """The array that a pointer points into: flat, and of as many dimensions as a fact says."""
        builder, fact = self.cx.builder, self.cx.facts.arrays.get(name)
        dtype = fact.dtype if fact else I8 if name in self.learned.integers else F4
        if fact is None:
            why = "it is used as an index" if dtype == I8 else "default of Triton kernels"
            builder.assume(f"{name} is {dtype.name} ({why})")
        shape = tuple(
            builder.symbol(f"{name}_shape_{d}", "size", f"{name}.shape[{d}]", line)
            for d in range(len((fact and fact.shape) or (None,)))
        )
        builder.extents.update(*(extent.symbols for extent in shape))
        array = builder.array(Array(name, dtype, shape, c_strides(shape), "parameter", line))
        self.arrays[name] = array
        if len(shape) > 1:
            size = prod(shape, start=ONE)
            flat = Array(f"{name}_flat", dtype, (size,), (ONE,), "parameter", line, buffer=array.name)
            self.arrays[name] = builder.array(flat)

    # -- statements -------------------------------------------------------------------------------
    def block(self, body: Sequence[syntax.Statement]) -> bool:
        """Whether it returned."""
        for statement in body:
            if self.statement(statement):
                return True
        return False

    def statement(self, node: syntax.Statement) -> bool:
        line = node.place.line
        if isinstance(node, syntax.Assign) and node.value is not None:
            value = self.eval(node.value)
            for target in node.targets:
                self._store(target, value, line)
        elif isinstance(node, syntax.AugAssign):
            self._store(node.target, self.binary(node.op, self.tile(node.target), self.tile(node.value), line), line)
        elif isinstance(node, syntax.ExpressionStatement):
            if not isinstance(node.value, syntax.Literal):
                self.eval(node.value)
        elif isinstance(node, syntax.Return):
            self.returned.append(None if node.value is None else self.eval(node.value))
            return True
        elif isinstance(node, syntax.If):
            return self._if(node)
        elif isinstance(node, syntax.For):
            self._for(node)
        elif not (isinstance(node, syntax.Assign) or (isinstance(node, syntax.Simple) and node.kind == "pass")):
            kind = node.kind if isinstance(node, (syntax.Other, syntax.Simple)) else type(node).__name__.lower()
            raise Outside(line, f"a {kind} statement in a Triton kernel")
        return False

    def _store(self, target: syntax.Expression, value: Item, line: int) -> None:
        if isinstance(target, syntax.Name):
            self.names[target.id] = value
        elif isinstance(target, syntax.Sequence) and isinstance(value, Parts) and len(value.items) == len(target.items):
            for item, part in zip(target.items, value.items):
                self._store(item, part, line)
        else:
            raise Outside(line, "an assignment to something that is no name")

    def _if(self, node: syntax.If) -> bool:
        """Tests on parameters and places; of a test on data nothing is known."""
        line, test = node.place.line, self.test(node.test)
        if isinstance(test, bool):
            return self.block(node.body if test else node.orelse)
        before = dict(self.names)
        arms: list[tuple[tuple[Condition, ...], Expr, tuple[syntax.Statement, ...]]]
        if isinstance(test, Expr):
            arms = [((), test, node.body), ((), ONE - test, node.orelse)]
        else:
            if len(test) != 1:
                raise Outside(line, "a test of several conditions")
            no = Condition(-test[0].expr - 1, "ge") if test[0].relation == "ge" else replace(test[0], relation="ne")
            arms = [(test, ONE, node.body), ((no,), ONE, node.orelse)]
        after, left = dict(before), []
        for conditions, share, body in arms:
            self.names = dict(before)
            with self.cx.builder.when(conditions, share, line):
                left.append(self.block(body))
            if not left[-1]:
                after = {**self.names, **{n: v for n, v in after.items() if v != before.get(n)}}
        self.names = after
        if any(left):
            raise Outside(line, "a return under a test of sizes")
        return False

    def test(self, node: syntax.Expression) -> bool | Expr | tuple[Condition, ...]:
        """A test: decided, a flag, or conditions."""
        if isinstance(node, syntax.Unary) and node.op == "not":
            inner = self.test(node.operand)
            if isinstance(inner, tuple):
                raise Outside(node.place.line, "a test that is denied")
            return ONE - inner if isinstance(inner, Expr) else not inner
        value = self.eval(node)
        if value is None or isinstance(value, str):
            return bool(value)
        if isinstance(value, TileValue) and value.number is not None:
            return bool(value.number)
        if isinstance(value, TileValue) and value.holds is not None and not value.shape:
            left = tuple(c for c in value.holds if c.expr.constant is None)
            if not left:
                return all(c.holds(c.expr.constant or 0) for c in value.holds)
            return left
        if isinstance(node, syntax.Name) and isinstance(value, TileValue) and value.expr == symbol(node.id):
            test = ParameterTest(node.id, (node.id,))
            return self.cx.builder.share(("flag", node.id), f"1 where {node.id} holds, else 0", node.place.line, test)
        raise Outside(node.place.line, "a test that depends on data")

    # -- loops ------------------------------------------------------------------------------------
    def _for(self, node: syntax.For) -> None:
        line = node.place.line
        start, stop, step = self._range(node)
        if not isinstance(node.target, syntax.Name) or (step.constant is None and not step.symbols):
            raise Outside(line, "a loop over something that is no range")
        builder = self.cx.builder
        var = builder.loop_variable(node.target.id)
        turn = (symbol(var) - start) / step
        before = dict(self.names)
        changes = self._changes(node, var, before)
        for name, change in changes.items():
            old = before[name]
            assert isinstance(old, TileValue) and old.expr is not None
            self.names[name] = replace(old, expr=old.expr + change * turn, number=None, weak=False)
        self.names[node.target.id] = integer(symbol(var))
        loop = Loop(
            var, start, stop, step, (), builder.line(line), source_name=node.target.id, end_line=node.place.end_line
        )
        with builder.in_loop(loop) as body:
            self.block(node.body)
        builder.add(replace(loop, body=tuple(body)))
        trips = maximum(0, ceil_div(stop - start, step))
        for name, change in changes.items():
            old = before[name]
            assert isinstance(old, TileValue) and old.expr is not None
            self.names[name] = replace(old, expr=old.expr + change * trips, number=None, weak=False)

    def _range(self, node: syntax.For) -> tuple[Expr, Expr, Expr]:
        call = node.iterable
        called = self.eval(call.function) if isinstance(call, syntax.Call) else None
        dotted = called.dotted if isinstance(called, NamedItem) else ""
        if not isinstance(call, syntax.Call) or dotted.rpartition(".")[2] not in ("range", "static_range"):
            raise Outside(node.place.line, "a loop over something that is no range")
        ends = [self.tile(arg).expr for arg in call.args]
        known = [end for end in ends if end is not None]
        self.learned.whole.update(n for n in self.parameters for end in known if n in end.symbols)
        if len(known) < len(ends) or not known:
            raise Outside(node.place.line, "a loop whose trips depend on data")
        start, stop = (ZERO, known[0]) if len(known) == 1 else (known[0], known[1])
        return start, stop, known[2] if len(known) > 2 else ONE

    def _changes(self, node: syntax.For, var: str, before: Mapping[str, Item]) -> dict[str, Expr]:
        """By how much each place and integer changes in an iteration, found by running one aside."""
        state, names, arrays = self.cx.snapshot(), dict(self.names), dict(self.arrays)
        assert isinstance(node.target, syntax.Name)
        self.names[node.target.id] = integer(symbol(var))
        with self.cx.builder.inside():
            self.block(node.body)
        after, self.names = self.names, names
        self.cx.restore(state)
        self.arrays.clear()
        self.arrays.update(arrays)
        found: dict[str, Expr] = {}
        passed = [name for name in before if name != node.target.id and is_read_first(name, node.body)]
        for name in passed:
            old, new = before[name], after.get(name)
            if not isinstance(old, TileValue) or not isinstance(new, TileValue) or old.expr is None or new == old:
                continue
            change = None if new.expr is None else new.expr - old.expr
            if change is None or any("#" in s or s.startswith("@") for s in change.symbols):
                if old.is_float or new.is_float:
                    self.names[name] = replace(new, expr=None, number=None)
                    continue
                raise Outside(node.place.line, f"{name} changes in a way that is not followed")
            found[name] = change
        for name in passed:  # accumulators: of their type after an iteration
            old, new = before[name], after.get(name)
            if isinstance(old, TileValue) and isinstance(new, TileValue) and old.expr is None and new != old:
                self.names[name] = replace(new, number=None, holds=None)
        return found

    # -- expressions ------------------------------------------------------------------------------
    def tile(self, node: syntax.Expression) -> TileValue:
        value = self.eval(node)
        if isinstance(value, TileValue):
            return value
        raise Outside(node.place.line, "a value that is no number")

    def eval(self, node: syntax.Expression) -> Item:
        line = node.place.line
        if isinstance(node, syntax.Literal):
            value = node.value
            return (
                number(value)
                if isinstance(value, (bool, int, float))
                else str(value)
                if isinstance(value, str)
                else None
            )
        if isinstance(node, syntax.Name):
            return self.names[node.id] if node.id in self.names else self._from_file(node)
        if isinstance(node, syntax.Attribute):
            return self._attribute(node)
        if isinstance(node, syntax.Sequence):
            return Parts(tuple(self.eval(item) for item in node.items))
        if isinstance(node, syntax.Binary):
            return self.binary(node.op, self.tile(node.left), self.tile(node.right), line)
        if isinstance(node, syntax.Unary):
            return self._unary(node)
        if isinstance(node, syntax.Compare):
            return self._compare(node)
        if isinstance(node, syntax.Boolean):
            return self.both(self.tile(node.left), self.tile(node.right), line) if node.op == "and" else TileValue(B1)
        if isinstance(node, syntax.Conditional):
            test = self.test(node.test)
            if isinstance(test, bool):
                return self.eval(node.then if test else node.orelse)
        if isinstance(node, syntax.Subscript):
            return self._subscript(node)
        if isinstance(node, syntax.Call):
            return self._call(node)
        raise Outside(line, f"a {type(node).__name__.lower()} in a Triton kernel")

    def _from_file(self, node: syntax.Name) -> Item:
        dotted = self.cx.module.resolve(node)
        if dotted is not None:
            return NamedItem(dotted)
        constant = self.cx.module.constants.get(node.id)
        if constant is not None:
            return self.eval(constant)
        raise Outside(node.place.line, f"{node.id} is not known")

    def _attribute(self, node: syntax.Attribute) -> Item:
        dotted = dotted_path(node)
        if dotted is not None and dotted.partition(".")[0] not in self.names:
            return NamedItem(self.cx.module.resolve_name(dotted) or dotted)
        owner = self.eval(node.base)
        if isinstance(owner, NamedItem):
            return NamedItem(f"{owner.dotted}.{node.name}")
        if isinstance(owner, DType):
            return owner  # the element type of a pointer's
        if isinstance(owner, TileValue) and node.name in ("dtype", "type", "value"):
            return owner if node.name == "value" else self._element_type(owner)
        if isinstance(owner, TileValue) and node.name == "shape":
            return Parts(tuple(integer(extent) for extent in owner.shape))
        if isinstance(owner, TileValue) and node.name == "T":
            return moved(owner, {0: 1, 1: 0}, owner.shape[::-1])
        if isinstance(owner, TileValue):
            return Method(owner, node.name)
        raise Outside(node.place.line, f".{node.name} of a value that is not known")

    def _element_type(self, tile: TileValue) -> DType:
        """Of a pointer, that of its array."""
        names = [name for name in self.parameters if tile.expr is not None and tile.expr.coefficient(name) == ONE]
        if not names:
            return tile.dtype
        fact = self.cx.facts.arrays.get(names[0])
        return fact.dtype if fact else I8 if names[0] in self.learned.integers else F4

    def binary(self, op: str, left: TileValue, right: TileValue, line: int) -> TileValue:
        left, right = self._as_float(left, right), self._as_float(right, left)
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        shape = common_shape((a, b), line)
        if op in ("&", "|", "^", "<<", ">>"):
            if op == "&" and left.dtype == right.dtype == B1:
                return self.both(left, right, line)
            return TileValue(B1 if left.dtype == right.dtype == B1 else I8, shape, loaded=left.loaded | right.loaded)
        dtype = common_type(left, right)
        if op == "/" and not dtype.counts:
            dtype = F4
        if dtype.counts:
            folded = left.number is not None and right.number is not None
            if op == "**" or op not in ARITHMETIC:
                raise Outside(line, f"the operator {op} of tiles")
            count = replace(a, shape=shape).size
            if op == "+" and (left.product or right.product):  # the products are added up in it
                return TileValue(dtype, shape, node=left.node if left.product else right.node)
            node = None if folded else self.operation(ARITHMETIC[op], dtype, count, line, left, right)
            return TileValue(dtype, shape, node=node, weak=left.weak and right.weak, number=1.5 if folded else None,
                        loaded=left.loaded | right.loaded)  # fmt: skip
        loaded = left.loaded | right.loaded
        self._is_whole(left, right)
        if a.expr is None or b.expr is None:
            bases = self._bases(a) | (self._bases(b) if op == "+" else frozenset()) if op in "+-" else frozenset[str]()
            return TileValue(I8, shape, loaded=loaded, bases=bases)
        expr = _integer_result(op, a.expr, b.expr)
        if expr is None or is_tangled(expr):
            return TileValue(I8, shape, loaded=loaded, bases=self._bases(a) if op == "+" else frozenset())
        return TileValue(I8, shape, expr, weak=left.weak and right.weak, loaded=loaded)

    def _as_float(self, tile: TileValue, other: TileValue) -> TileValue:
        """A parameter of unknown type is a number where it meets one."""
        if not tile.is_float and other.is_float and tile.expr is not None and not tile.shape:
            self.learned.floats |= {n for n in tile.expr.symbols if n in self.parameters and tile.expr == symbol(n)}
        return tile

    def _is_whole(self, left: TileValue, right: TileValue) -> None:
        """Parameters that meet integers of the program are integers."""
        for tile, other in ((left, right), (right, left)):
            if other.number is None and tile.expr is not None:
                self.learned.whole |= {n for n in self.parameters if tile.expr == symbol(n)}

    def both(self, left: TileValue, right: TileValue, line: int) -> TileValue:
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        holds = None if a.holds is None or b.holds is None else (*a.holds, *b.holds)
        return TileValue(B1, common_shape((a, b), line), holds=holds)

    def _unary(self, node: syntax.Unary) -> TileValue:
        value = self.tile(node.operand)
        if node.op == "-" and value.is_float:
            if value.number is not None:
                return value
            return replace(value, node=self.operation("neg", value.dtype, value.size, node.place.line, value))
        if node.op == "-":
            return replace(
                value, expr=value.expr and -value.expr, number=None if value.number is None else -value.number
            )
        if node.op == "not" and value.number is not None:
            return number(not value.number)
        return TileValue(B1 if node.op in ("not", "~") else value.dtype, value.shape)

    def _compare(self, node: syntax.Compare) -> TileValue:
        values = [self.eval(operand) for operand in node.operands]
        if any(not isinstance(value, TileValue) for value in values):
            if len(values) == 2 and node.operators[0] in ("==", "is", "!=", "is not"):
                same = values[0] == values[1]
                return number(same == (node.operators[0] in ("==", "is")))
            raise Outside(node.place.line, "a comparison of something that is no number")
        result: TileValue | None = None
        for op, left, right in zip(node.operators, values, values[1:]):
            assert isinstance(left, TileValue) and isinstance(right, TileValue)
            found = self._comparison(op, left, right, node.place.line)
            result = found if result is None else self.both(result, found, node.place.line)
        assert result is not None
        return result

    def _comparison(self, op: str, left: TileValue, right: TileValue, line: int) -> TileValue:
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        shape = common_shape((a, b), line)
        if left.is_float or right.is_float:
            self._as_float(left, right)
            self._as_float(right, left)
            dtype = common_type(left, right)
            count = replace(a, shape=shape).size
            return TileValue(B1, shape, node=self.operation("compare", dtype, count, line, left, right))
        if a.expr is None or b.expr is None:
            return TileValue(B1, shape)
        self._is_whole(left, right)
        d = a.expr - b.expr
        forms = {"<": -d - 1, "<=": -d, ">": d - 1, ">=": d}
        if op in forms:
            return TileValue(B1, shape, holds=(Condition(forms[op], "ge"),))
        if op in ("==", "!="):
            return TileValue(B1, shape, holds=(Condition(d, "eq" if op == "==" else "ne"),))
        return TileValue(B1, shape)

    def _subscript(self, node: syntax.Subscript) -> Item:
        base = self.eval(node.base)
        if isinstance(base, Parts):
            position = self.tile(node.items[0]).number
            if isinstance(position, int):
                return base.items[position]
        if not isinstance(base, TileValue):
            raise Outside(node.place.line, "a subscript of something that is no tile")
        shape: list[Expr] = []
        places: dict[int, int] = {}
        for item in node.items:
            if isinstance(item, syntax.Slice):
                places[len(places)] = len(shape)
                shape.append(base.shape[len(places) - 1])
            elif isinstance(item, syntax.Literal) and item.value is None:
                shape.append(ONE)
            else:
                raise Outside(node.place.line, "a subscript of a tile that is neither : nor None")
        return moved(base, places, tuple(shape))

    def _call(self, node: syntax.Call) -> Item:
        function = self.eval(node.function)
        args = [self.eval(arg) for arg in node.args]
        keywords = {k.name: self.eval(k.value) for k in node.keywords if k.name}
        if isinstance(function, Method):
            return self.function(function.name, [function.owner, *args], keywords, node.place.line)
        if isinstance(function, NamedItem) and function.dotted.startswith(SELF):
            return self._inline(function.dotted.removeprefix(SELF), args, keywords, node.place.line)
        if isinstance(function, NamedItem):
            return self.function(function.dotted, args, keywords, node.place.line)
        raise Outside(node.place.line, "a call of something that is not known")

    def function(self, dotted: str, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        raise NotImplementedError

    def _inline(self, name: str, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        called = self.cx.module.function(name)
        if called is None or self.depth >= MAX_DEPTH:
            raise Outside(line, f"{name} is not known")
        inner = type(self)(self.cx, self.learned, self.parameters, self.arrays, self.depth + 1)
        given = {**dict(zip((p.name for p in called.parameters), args)), **keywords}
        for parameter in called.parameters:
            if parameter.name not in given and parameter.default is not None:
                given[parameter.name] = inner.eval(parameter.default)
        inner.names.update(given)
        inner.names_of_launch = self.names_of_launch
        inner.block(called.body)
        return inner.returned[-1] if inner.returned else None


def is_tangled(expr: Expr) -> bool:
    """Whether floors and extrema of programs stand inside each other, as where programs are put in another order."""
    nested = (arg for atom in expr.atoms for arg in atom.args if any("#" in name for name in arg.symbols))
    return any("#" in name for arg in nested for atom in arg.atoms for name in Expr.atom(atom).symbols)


def _integer_result(op: str, a: Expr, b: Expr) -> Expr | None:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op in ("//", "%"):
        quotient = floor_div(a, b)
        return quotient if op == "//" else a - b * quotient
    return None


def _fixed(body: Body, var: str) -> Body:
    return substitute(body, {var: ZERO})
