"""Kernels built by hand, for tests of the analyses of a kernel's tree.

>>> b = Build()
>>> x = b.array("x", "n"); y = b.array("y", "n")
>>> kernel = b.kernel(b.loop("i", 0, "n", b.write(y, "i", value=b.op("mul", b.read(x, "i"), 0))))

A node that is given as an operand of another is put before it in the body, so that a body is written as
its last nodes only. Everywhere a number, an Expr or text such as ``"2*i + n//3"`` stands for an Expr.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from itertools import count as counter
from typing import Union

from roofscan.ir.arrays import Array
from roofscan.ir.conditions import Condition
from roofscan.ir.dtypes import BY_CODE
from roofscan.ir.kernel import Decorator, Kernel, Reason
from roofscan.ir.symbols import Symbol
from roofscan.ir.tree import Access, Body, Branch, Carried, Loop, Node, Operation, When
from roofscan.symbolic.expr import ONE, Expr, Func, apply
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import ceil_div, floor_div

Text = Union[str, int, Expr]
_FUNCTIONS = {"min": minimum, "max": maximum, "ceil_div": ceil_div}


def expr(text: Text) -> Expr:
    """The Expr of text: ``+ - * // **``, ``min max ceil_div pow2 ilog2``, names and integers."""
    return _convert(ast.parse(text, mode="eval").body) if isinstance(text, str) else Expr.of(text)


def _convert(node: ast.expr) -> Expr:
    if isinstance(node, ast.Name):
        return Expr.of(node.id)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Expr.of(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_convert(node.operand)
    if isinstance(node, ast.BinOp):
        return _binary(node.op, _convert(node.left), _convert(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        args = [_convert(a) for a in node.args]
        if node.func.id in _FUNCTIONS:
            return _FUNCTIONS[node.func.id](*args)
        return apply(node.func.id, args)
    raise ValueError(f"no expression: {ast.dump(node)}")


def _binary(op: ast.operator, left: Expr, right: Expr) -> Expr:
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult):
        return left * right
    if isinstance(op, ast.Div):
        return left / right
    if isinstance(op, ast.FloorDiv):
        return floor_div(left, right)
    if isinstance(op, ast.Pow):
        return left ** int(right.constant or 0)
    raise ValueError(f"no operator: {op}")


class Build:
    """Makes the nodes of one kernel: numbers them, lines them up, remembers arrays and operands."""

    def __init__(self) -> None:
        self._ids = counter(1)
        self._lines = counter(2)
        self._arrays: list[Array] = []
        self._symbols: dict[str, Symbol] = {}
        self._before: dict[int, Body] = {}  # id -> the nodes that compute its operands, not yet in a body

    # -- declarations ---------------------------------------------------------------------------
    def array(
        self,
        name: str,
        *shape: Text,
        dtype: str = "f8",
        strides: Iterable[Text] | None = None,
        **more: object,
    ) -> str:
        """Declares an array (C order unless ``strides`` is given) and returns its name."""
        dims = tuple(expr(s) for s in shape)
        steps = [ONE]
        for extent in reversed(dims[1:]):
            steps.insert(0, steps[0] * extent)
        given = tuple(expr(s) for s in strides) if strides is not None else tuple(steps[: len(dims)])
        made = Array(name, BY_CODE[dtype], dims, given, "parameter", 1)
        self._arrays.append(replace(made, **more))  # type: ignore[arg-type]
        return name

    def symbol(self, name: str, kind: str = "size", meaning: str = "", *, mean: bool = False) -> str:
        self._symbols[name] = Symbol(name, kind, meaning or name, 1, mean=mean)
        return name

    # -- leaves ---------------------------------------------------------------------------------
    def fresh(self) -> int:
        """An id for a value that no node makes (a scalar's value at the start of an iteration)."""
        return next(self._ids)

    def read(self, array: str, *index: Text | None, inputs: tuple[int, ...] = ()) -> Access:
        places = tuple(None if x is None else expr(x) for x in index)
        return Access(next(self._ids), array, places, False, next(self._lines), inputs=inputs)

    def write(self, array: str, *index: Text | None, value: Access | Operation | int | None = None) -> Access:
        places = tuple(None if x is None else expr(x) for x in index)
        inputs = self._operands([value] if value is not None else [])
        node = Access(next(self._ids), array, places, True, next(self._lines), inputs=inputs[0])
        self._before[node.id] = inputs[1]
        return node

    def op(
        self,
        kind: str,
        *operands: Access | Operation | int,
        dtype: str = "f8",
        count: Text = 1,
        library: str = "",
    ) -> Operation:
        """An operation; an ``int`` operand is the id of a value made elsewhere (0: a constant)."""
        inputs, nodes = self._operands(operands)
        made = Operation(next(self._ids), kind, BY_CODE[dtype], next(self._lines), inputs, expr(count), library)
        self._before[made.id] = nodes
        return made

    def _operands(self, operands: Iterable[Access | Operation | int]) -> tuple[tuple[int, ...], Body]:
        ids: list[int] = []
        nodes: list[Node] = []
        for operand in operands:
            if isinstance(operand, int):
                ids += [operand] if operand else []
            else:
                ids.append(operand.id)
                nodes += [*self._before.pop(operand.id, ()), operand]
        return tuple(ids), tuple(nodes)

    # -- bodies ---------------------------------------------------------------------------------
    def body(self, *nodes: Node) -> Body:
        """The nodes, each after those that compute its operands (each node once)."""
        flat: list[Node] = []
        for node in nodes:
            before = self._before.pop(node.id, ()) if isinstance(node, (Access, Operation)) else ()
            flat += [n for n in (*before, node) if n not in flat]
        return tuple(flat)

    def loop(
        self, var: str, start: Text, stop: Text, *nodes: Node, step: Text = 1, total: Text | None = None,
        total_over: str = "", carried: tuple[Carried, ...] = (), **flags: bool,
    ) -> Loop:  # fmt: skip
        return Loop(
            var, expr(start), expr(stop), expr(step), self.body(*nodes), next(self._lines), carried=carried,
            total=None if total is None else expr(total), total_over=total_over, source_name=var, **flags,
        )  # fmt: skip

    def when(self, conditions: Iterable[tuple[Text, str] | tuple[Text, str, int]], *nodes: Node) -> When:
        """``conditions`` are (expr, relation) or (expr, relation, modulus)."""
        made = tuple(Condition(expr(c[0]), c[1], *c[2:]) for c in conditions)
        return When(made, self.body(*nodes), next(self._lines))

    def branch(self, share: Text, *nodes: Node) -> Branch:
        return Branch(expr(share), self.body(*nodes), next(self._lines))

    def kernel(
        self,
        *nodes: Node,
        kind: str = "njit",
        fastmath: bool = False,
        parallel: bool = False,
        reasons: tuple[Reason, ...] = (),
        values: dict[str, Expr] | None = None,
    ) -> Kernel:
        body = self.body(*nodes)
        return Kernel(
            name="kernel", path="kernel.py", line=1, end_line=99,
            decorator=Decorator(kind, parallel, fastmath),
            parameters=tuple(a.name for a in self._arrays),
            arrays=tuple(self._arrays),
            symbols=self._all_symbols(body),
            body=body,
            reasons=reasons,
            values=values or {},
        )  # fmt: skip

    def _all_symbols(self, body: Body) -> tuple[Symbol, ...]:
        """Declared symbols, and every other free name as a size."""
        names = {s for a in self._arrays for x in (*a.shape, *a.strides) for s in x.symbols}
        names |= _names(body) - _variables(body)
        made = {n: Symbol(n, "size", n, 1) for n in sorted(names)}
        return tuple({**made, **self._symbols}.values())


def _names(body: Body) -> set[str]:
    found: set[str] = set()
    for node in body:
        if isinstance(node, Loop):
            parts = [node.start, node.stop, node.step] + ([node.total] if node.total is not None else [])
        elif isinstance(node, When):
            parts = [c.expr for c in node.conditions]
        elif isinstance(node, Branch):
            parts = [node.share]
        elif isinstance(node, Operation):
            parts = [node.count]
        else:
            parts = [x for x in node.index if x is not None]
        found |= {s for part in parts for s in part.symbols}
        found |= _names(node.body) if isinstance(node, (Loop, When, Branch)) else set()
    return found


def _variables(body: Body) -> set[str]:
    found = {n.var for n in body if isinstance(n, Loop)}
    for node in body:
        found |= _variables(node.body) if isinstance(node, (Loop, When, Branch)) else set()
    return found


def atom(name: str, *args: Text) -> Expr:
    """A function atom as it stands, not folded."""
    return Expr.atom(Func(name, tuple(expr(a) for a in args)))
