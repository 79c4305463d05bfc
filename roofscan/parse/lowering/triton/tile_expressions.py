"""The expressions of a Triton program: tiles of numbers, of places and of conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from roofscan.ir.dtypes import DType
from roofscan.parse import syntax
from roofscan.parse.lowering.triton.tile_arithmetic import TileArithmetic
from roofscan.parse.lowering.triton.tiles import (
    B1,
    F4,
    Arguments,
    BlockPointer,
    Item,
    Method,
    NamedItem,
    Outside,
    Parts,
    TileValue,
    integer,
    moved,
    number,
)  # fmt: skip
from roofscan.parse.reader.module import SELF
from roofscan.parse.syntax_walk import dotted_path
from roofscan.symbolic.expr import ONE, Expr

MAX_DEPTH = 8


class TileExpressions(TileArithmetic):
    """The values of expressions. Functions and statements are added by the classes that follow."""

    def tile(self, node: syntax.Expression) -> TileValue:
        value = self.eval(node)
        if isinstance(value, TileValue):
            return value
        raise Outside(node.place.line, "a value that is not a number")

    def eval(self, node: syntax.Expression) -> Item:
        line = node.place.line
        if isinstance(node, syntax.Literal):
            if isinstance(node.value, (bool, int, float)):
                return number(node.value)
            return node.value if isinstance(node.value, str) else None
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
            return self.conditional(node)
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
        if isinstance(owner, BlockPointer):
            is_type = node.name in ("dtype", "type")
            return self._element_type(owner.base) if is_type else Method(owner, node.name)
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
        return fact.dtype if fact else self.learned.types.get(names[0], (F4, ""))[0]

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
            raise Outside(node.place.line, "a comparison of something that is not a number")
        result: TileValue | None = None
        for op, left, right in zip(node.operators, values, values[1:]):
            assert isinstance(left, TileValue) and isinstance(right, TileValue)
            found = self.comparison(op, left, right, node.place.line)
            result = found if result is None else self.both(result, found, node.place.line)
        assert result is not None
        return result

    def _subscript(self, node: syntax.Subscript) -> Item:
        base = self.eval(node.base)
        first = node.items[0]
        if isinstance(base, Arguments) and isinstance(first, syntax.Literal) and first.value in self.names:
            return self.names[str(first.value)]
        if isinstance(base, Parts):
            position = self.tile(node.items[0]).number
            if isinstance(position, int):
                return base.items[position]
        if not isinstance(base, TileValue):
            raise Outside(node.place.line, "a subscript of something that is not a tile")
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
            return self.inline(function.dotted.removeprefix(SELF), args, keywords, node.place.line)
        if isinstance(function, NamedItem):
            return self.function(function.dotted, args, keywords, node.place.line)
        raise Outside(node.place.line, "a call of something that is not known")

    def conditional(self, node: syntax.Conditional) -> Item:
        raise NotImplementedError

    def function(self, dotted: str, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        raise NotImplementedError

    def block(self, body: Sequence[syntax.Statement]) -> bool:
        raise NotImplementedError

    def inline(self, name: str, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        called = self.cx.module.function(name)
        if called is None or self.depth >= MAX_DEPTH:
            raise Outside(line, f"{name} is not known")
        inner = type(self)(self.cx, self.learned, self.parameters, self.arrays, self.depth + 1)
        given = {**dict(zip((p.name for p in called.parameters), args)), **keywords}
        for parameter in called.parameters:
            if parameter.name not in given and parameter.default is not None:
                given[parameter.name] = inner.eval(parameter.default)
        inner.names.update(given)
        inner.names_of_launch, inner.numbers = self.names_of_launch, self.numbers
        inner.block(called.body)
        return inner.returned[-1] if inner.returned else None
