"""The expressions of a Triton program: tiles of numbers, of places and of conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import BY_CODE, I8, DType
from roofscan.ir.kinds import OperationKind
from roofscan.parse import syntax
from roofscan.parse.lowering.subscript_ranges import has_loop_variable
from roofscan.parse.lowering.triton.tile_nodes import TileNodes
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
    aligned,
    common_shape,
    common_type,
    integer,
    moved,
    number,
)  # fmt: skip
from roofscan.parse.reader.module import SELF
from roofscan.parse.syntax_walk import dotted_path
from roofscan.symbolic.bits import common_bits
from roofscan.symbolic.expr import ONE, ZERO, Expr
from roofscan.symbolic.floors import floor_div

ARITHMETIC: Mapping[str, OperationKind] = {"+": "add", "-": "sub", "*": "mul", "/": "div", "//": "div", "%": "div"}
BITS = ("&", "|", "^", "<<", ">>")
MAX_DEPTH = 8


class TileExpressions(TileNodes):
    """The values of expressions. Functions and statements are added by the classes that follow."""

    def tile(self, node: syntax.Expression) -> TileValue:
        value = self.eval(node)
        if isinstance(value, TileValue):
            return value
        raise Outside(node.place.line, "a value that is not a number")

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

    def binary(self, op: str, left: TileValue, right: TileValue, line: int) -> TileValue:
        op, right = _as_division(op, right)
        left, right = self._as_float(left, right), self._as_float(right, left)
        rank = max(len(left.shape), len(right.shape))
        a, b = aligned(left, rank), aligned(right, rank)
        shape = common_shape((a, b), line)
        if op in ("&", "|", "^") and left.dtype == right.dtype == B1:
            return self.both(left, right, line) if op == "&" else TileValue(B1, shape)
        if op in BITS and (left.is_float or right.is_float):
            raise Outside(line, f"the operator {op} of floating tiles")
        dtype = I8 if op in BITS else common_type(left, right)
        if op == "/" and not dtype.counts:
            dtype = F4
        if dtype.counts:
            folded = left.number is not None and right.number is not None
            if op == "**" or op not in ARITHMETIC:
                raise Outside(line, f"the operator {op} of tiles")
            count = replace(a, shape=shape).size
            if op == "+" and (left.product or right.product):  # the products are added up in it
                if not (left.is_float and right.is_float):
                    self.are_integers(left.loaded | right.loaded, BY_CODE["i1"], "its products are summed in integers")
                return TileValue(dtype, shape, node=left.node if left.product else right.node)
            node = None if folded else self.operation(ARITHMETIC[op], dtype, count, line, left, right)
            return TileValue(dtype, shape, node=node, weak=left.weak and right.weak, number=1.5 if folded else None,
                        loaded=left.loaded | right.loaded)  # fmt: skip
        loaded = left.loaded | right.loaded
        self._mark_integers(left, right)
        if a.expr is None or b.expr is None:
            bases = self.bases(a) | (self.bases(b) if op == "+" else frozenset()) if op in "+-" else frozenset[str]()
            return TileValue(I8, shape, loaded=loaded, bases=bases, along=_steps(op, a, b))
        digits = self.divided(a.expr, b.expr) if op in ("//", "%") and not shape else None
        expr = _integer_result(op, a.expr, b.expr) if digits is None else digits[op == "%"]
        if expr is None or is_tangled(expr):
            bases = self.bases(a) if op == "+" else frozenset()
            return TileValue(I8, shape, loaded=loaded, bases=bases, along=_steps(op, a, b))
        return TileValue(I8, shape, expr, weak=left.weak and right.weak, loaded=loaded)

    def _as_float(self, tile: TileValue, other: TileValue) -> TileValue:
        """A parameter of unknown type is a number where it meets one."""
        if not tile.is_float and other.is_float and tile.expr is not None and not tile.shape:
            self.learned.floats |= tile.expr.symbols & set(self.parameters)
        return tile

    def _mark_integers(self, left: TileValue, right: TileValue) -> None:
        """Parameters that meet integers of the program are integers; what two parameters are, they do not tell."""
        for tile, other in ((left, right), (right, left)):
            if other.number is None and tile.expr is not None and not self._is_of_parameters(other):
                self.learned.integers |= tile.expr.symbols & set(self.parameters)

    def _is_of_parameters(self, tile: TileValue) -> bool:
        return tile.expr is not None and tile.expr.symbols <= set(self.parameters)

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
            raise Outside(node.place.line, "a comparison of something that is not a number")
        result: TileValue | None = None
        for op, left, right in zip(node.operators, values, values[1:]):
            assert isinstance(left, TileValue) and isinstance(right, TileValue)
            found = self.comparison(op, left, right, node.place.line)
            result = found if result is None else self.both(result, found, node.place.line)
        assert result is not None
        return result

    def comparison(self, op: str, left: TileValue, right: TileValue, line: int) -> TileValue:
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
        self._mark_integers(left, right)
        d = a.expr - b.expr
        forms = {"<": -d - 1, "<=": -d, ">": d - 1, ">=": d}
        if op in forms:
            return TileValue(B1, shape, holds=(Condition(forms[op], "ge"),))
        if op in ("==", "!="):
            return TileValue(B1, shape, holds=(Condition(d, "eq" if op == "==" else "ne"),))
        return TileValue(B1, shape)

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


def is_tangled(expr: Expr) -> bool:
    """Whether floors and extrema of programs stand inside each other, as where programs are put in another order."""
    nested = (arg for atom in expr.atoms for arg in atom.args if has_loop_variable(arg))
    return any(has_loop_variable(Expr.atom(atom)) for arg in nested for atom in arg.atoms)


def _as_division(op: str, right: TileValue) -> tuple[str, TileValue]:
    """``a >> 3`` is ``a // 8``, and ``a & 7`` is ``a % 8``."""
    number = right.expr.constant if right.expr is not None and not right.shape else None
    if op == ">>" and number is not None and 0 <= number < 63:
        return "//", integer(Expr.of(2 ** int(number)))
    if op == "&" and isinstance(number, int) and number > 0 and not number & number + 1:
        return "%", integer(Expr.of(number + 1))
    return op, right


def _steps(op: str, a: TileValue, b: TileValue) -> Expr | None:
    """What the position adds to a result that is not known. A remainder is taken to wrap in no tile but the last."""
    mine, other = a.steps, b.steps
    if mine is None or other is None:
        return None
    if op in ("+", "-"):
        return mine + other if op == "+" else mine - other
    if not mine and not other:
        return ZERO
    if op == "*" and (b.expr is not None and not other):
        return mine * b.expr
    if op == "*" and (a.expr is not None and not mine):
        return other * a.expr
    return mine if op == "%" and not other else None


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
    width = b.constant
    if op == "<<":
        return a * 2 ** int(width) if width is not None and 0 <= width < 63 else None
    if op in ("&", "|", "^") and (width is not None or a.constant is not None):
        both = common_bits(a, b)
        return {"&": both, "|": a + b - both, "^": a + b - 2 * both}[op]
    return None
