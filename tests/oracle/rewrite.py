"""Source in, source out: every operator, subscript and call becomes a call of the recorder.

``C[i, j] += A[i, k] * 2.0`` becomes a call that reads C, then evaluates ``A[i, k] * 2.0`` (itself two
calls), adds, and writes C: Python's own order. Operations between literals are left alone; they are free.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

RECORDER = "__recorder__"
_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_UNTOUCHED = {"range", "isinstance", "print", "slice"}


def rewrite(source: str, filename: str) -> ast.Module:
    tree: ast.Module = Rewriter().visit(ast.parse(source, filename))
    return ast.fix_missing_locations(tree)


def is_literal(node: ast.expr) -> bool:
    """Whether a node is made of numbers that the source spells out, and of nothing else."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (int, float, complex))
    if isinstance(node, ast.UnaryOp):
        return is_literal(node.operand)
    return isinstance(node, ast.BinOp) and is_literal(node.left) and is_literal(node.right)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _record(method: str, at: ast.expr | ast.stmt, *args: ast.expr) -> ast.Call:
    """A call of the recorder; the line comes last."""
    function = ast.Attribute(_load(RECORDER), method, ast.Load())
    call = ast.Call(function, [*args, ast.Constant(at.lineno)], [])
    return ast.copy_location(call, at)


def _lambda(body: ast.expr) -> ast.Lambda:
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(empty, body)


def carried(loop: ast.For | ast.While) -> set[str]:
    """The names that one iteration passes to the next: bound in the loop, and read before each iteration has bound
    them."""
    test = _read(loop.test) if isinstance(loop, ast.While) else set()
    read, _ = _read_unbound(loop.body, frozenset())
    return (test | read) & _bound(loop.body)


def _read_unbound(statements: Iterable[ast.stmt], bound: frozenset[str]) -> tuple[set[str], frozenset[str]]:
    """The names that statements read where only ``bound`` are bound for sure; those bound for sure after them."""
    read: set[str] = set()
    for statement in statements:
        if isinstance(statement, ast.Assign):
            read |= _read(statement.value, *statement.targets) - bound
            bound |= _bound([statement])
        elif isinstance(statement, ast.If):
            arms = [_read_unbound(body, bound) for body in (statement.body, statement.orelse)]
            read |= (_read(statement.test) - bound).union(*(names for names, _ in arms))
            bound = arms[0][1] & arms[1][1]
        elif isinstance(statement, (ast.For, ast.While)):
            head = [statement.iter] if isinstance(statement, ast.For) else [statement.test]
            own = _bound([ast.Expr(statement.target)]) if isinstance(statement, ast.For) else set()
            read |= (_read(*head) - bound) | _read_unbound(statement.body, bound | own)[0]
        else:
            updated = _bound([statement]) if isinstance(statement, ast.AugAssign) else set()
            read |= (_read(statement) | updated) - bound
    return read, bound


def _read(*nodes: ast.AST) -> set[str]:
    every = (node for root in nodes for node in ast.walk(root))
    return {node.id for node in every if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def unified(function: ast.FunctionDef) -> set[str]:
    """The names to which compiled code gives one type: those that a loop carries, or that both arms of a test bind."""
    nodes = list(ast.walk(function))
    names = {name for node in nodes if isinstance(node, (ast.For, ast.While)) for name in carried(node)}
    for node in (node for node in nodes if isinstance(node, ast.If)):
        names |= _bound(node.body) & _bound(node.orelse)
    return names


def _bound(statements: Iterable[ast.stmt]) -> set[str]:
    nodes = (node for statement in statements for node in ast.walk(statement))
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


class Rewriter(ast.NodeTransformer):
    def __init__(self) -> None:
        self._temporaries = 0
        self._unified: set[str] = set()
        self._function = 0  # the line of the function that is rewritten
        self._loop = 0  # the line of the last loop

    # -- expressions ----------------------------------------------------------------------------
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        if is_literal(node):
            return node
        literal = ast.Constant(is_literal(node.right))
        operator = ast.Constant(_BINARY[type(node.op)])
        return _record("binary", node, operator, self.visit(node.left), self.visit(node.right), literal)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.USub) and not is_literal(node.operand):
            return _record("negate", node, operand)
        if isinstance(node.op, ast.Invert):
            return _record("invert", node, operand)
        return ast.copy_location(ast.UnaryOp(node.op, operand), node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        parts = [self.visit(part) for part in (node.left, *node.comparators)]
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and len(parts) == 2:
            found = _record("contains", node, *parts)
            return found if isinstance(node.ops[0], ast.In) else ast.copy_location(ast.UnaryOp(ast.Not(), found), node)
        if not all(type(op) in _COMPARE for op in node.ops):
            return ast.copy_location(ast.Compare(parts[0], node.ops, parts[1:]), node)
        names: list[ast.expr] = [ast.Constant(_COMPARE[type(op)]) for op in node.ops]
        if len(names) == 1:
            return _record("compare", node, names[0], *parts)
        return _record(
            "compare_chain",
            node,
            ast.List(names, ast.Load()),
            ast.List([_lambda(p) for p in parts], ast.Load()),
        )

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        return _record("load", node, self.visit(node.value), self._index(node.slice))

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        ends = (node.lower, node.upper, node.step)
        return ast.Call(_load("slice"), [self.visit(e) if e else ast.Constant(None) for e in ends], [])

    def visit_Call(self, node: ast.Call) -> ast.expr:
        args = [self.visit(arg) for arg in node.args]
        keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
        if isinstance(node.func, ast.Name) and node.func.id in _UNTOUCHED:
            return ast.copy_location(ast.Call(node.func, args, keywords), node)
        record = ast.Attribute(_load(RECORDER), "call", ast.Load())
        literal = ast.Tuple([ast.Constant(is_literal(arg)) for arg in node.args], ast.Load())
        if any(isinstance(arg, ast.Starred) for arg in node.args):
            literal = ast.Tuple([], ast.Load())
        first: list[ast.expr] = [ast.Constant(node.lineno), literal, self.visit(node.func)]
        return ast.copy_location(ast.Call(record, first + args, keywords), node)

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        return _record("listed", node, node) if isinstance(node.ctx, ast.Load) else node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self._comprehension(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self._comprehension(node)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
        """Its items are counted on the line on which it begins, unless a loop is counted there."""
        self.generic_visit(node)
        loop = node.generators[0]
        if node.lineno != self._loop:
            loop.iter = _record("comprehend", node, loop.iter)
        loop.ifs = [_record("branch", test, test) for test in loop.ifs]
        return node

    def _index(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Tuple):
            return ast.Tuple([self.visit(part) for part in node.elts], ast.Load())
        visited: ast.expr = self.visit(node)
        return visited

    # -- statements -----------------------------------------------------------------------------
    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return self._assign(node, node.targets, self.visit(node.value))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        if node.value is None:  # of a class, it may be a field
            return [ast.copy_location(ast.Pass(), node) if self._function else node]
        return self._assign(node, [node.target], self.visit(node.value))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        operator = ast.Constant(_BINARY[type(node.op)])
        value, literal = self.visit(node.value), ast.Constant(is_literal(node.value))
        if isinstance(node.target, ast.Subscript):
            base, index = self.visit(node.target.value), self._index(node.target.slice)
            call = _record("augment_item", node, operator, base, index, _lambda(value), literal)
            return ast.copy_location(ast.Expr(call), node)
        if isinstance(node.target, ast.Attribute):
            owner, name = self.visit(node.target.value), ast.Constant(node.target.attr)
            call = _record("augment_attribute", node, operator, owner, name, _lambda(value), literal)
            return ast.copy_location(ast.Expr(call), node)
        if isinstance(node.target, ast.Name):
            call = _record("augment", node, operator, _load(node.target.id), value, literal)
            return ast.copy_location(ast.Assign([node.target], self._named(node, node.target.id, call)), node)
        raise SyntaxError(f"line {node.lineno}: an augmented {type(node.target).__name__}")

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        targets: list[ast.stmt] = []
        target: ast.expr = node.target
        if not isinstance(target, ast.Name):
            target = ast.Name(self._temporary(), ast.Store())
            targets = self._store(node, node.target, _load(target.id))
        self._loop = node.lineno
        iterable = _record("iterate", node.iter, self.visit(node.iter))
        body = [self._turn(node), *targets, *self._body(node.body)]
        return self._passed(node, ast.copy_location(ast.For(target, iterable, body, self._body(node.orelse)), node))

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        depth = self._temporary()
        enter = ast.Assign([ast.Name(depth, ast.Store())], _record("enter", node))
        again, leave = (ast.Expr(_record(method, node, _load(depth))) for method in ("again", "leave"))
        test = self.visit(node.test)
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            test.values[-1] = _record("last_test", node, test.values[-1])
        loop = ast.While(test, [again, *self._body(node.body)], self._body(node.orelse))
        return [ast.copy_location(statement, node) for statement in (enter, *self._passed(node, loop), leave)]

    def _passed(self, node: ast.For | ast.While, loop: ast.For | ast.While) -> list[ast.stmt]:
        """The loop, with a record of the ends after which the statements behind it run, or those of its ``else``."""
        passed = ast.copy_location(ast.Expr(_record("passed", node)), node)
        body = [part for statement in node.body for part in ast.walk(statement)]
        if any(isinstance(part, ast.Return) for part in body) or _leaves(node.orelse):
            return [loop, passed]
        if node.orelse:
            loop.orelse = [passed, *loop.orelse]
        return [loop]

    def visit_If(self, node: ast.If) -> ast.stmt:
        test = self._tested(node)
        return ast.copy_location(ast.If(test, self._body(node.body), self._body(node.orelse)), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test = self._tested(node)
        chosen = ast.IfExp(test, self.visit(node.body), self.visit(node.orelse))
        return _record("chosen", node, ast.Constant(f"if {node.col_offset}"), ast.Constant(self._function), chosen)

    def _tested(self, node: ast.If | ast.IfExp) -> ast.expr:
        """The test, recorded; of ``not x`` what it denies, as a share is of what holds."""
        if isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            return ast.UnaryOp(ast.Not(), _record("branch", node, self.visit(node.test.operand)))
        return _record("branch", node, self.visit(node.test))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        for arg in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]:
            arg.annotation = None
        node.returns = None
        node.args.defaults = [self.visit(default) for default in node.args.defaults]
        outside, self._unified, self._function = (self._unified, self._function), unified(node), node.lineno
        node.body = self._body(node.body)
        self._unified, self._function = outside
        return node

    def _body(self, statements: Iterable[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            done.extend(new if isinstance(new, list) else [new])
        return done

    def _assign(self, at: ast.stmt, targets: list[ast.expr], value: ast.expr) -> list[ast.stmt]:
        if len(targets) == 1 and not isinstance(targets[0], (ast.Tuple, ast.List)):
            return self._store(at, targets[0], value)
        name = self._temporary()
        statements: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], value)]
        for target in targets:
            statements += self._store(at, target, _load(name))
        return [ast.copy_location(statement, at) for statement in statements]

    def _store(self, at: ast.stmt, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        """The statements that put ``value`` into ``target``."""
        if isinstance(target, ast.Subscript):
            call = _record("store", at, value, self.visit(target.value), self._index(target.slice))
            return [ast.copy_location(ast.Expr(call), at)]
        if isinstance(target, ast.Attribute):
            owner, name = self.visit(target.value), ast.Constant(target.attr)
            return [ast.copy_location(ast.Expr(_record("set_attribute", at, value, owner, name)), at)]
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [self._temporary() for _ in target.elts]
            unpacked = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
            statements: list[ast.stmt] = [ast.copy_location(ast.Assign([unpacked], value), at)]
            for name, part in zip(names, target.elts, strict=True):
                statements += self._store(at, part, _load(name))
            return statements
        if isinstance(target, ast.Name):
            value = self._named(at, target.id, value)
        return [ast.copy_location(ast.Assign([target], value), at)]

    def _named(self, at: ast.stmt, name: str, value: ast.expr) -> ast.expr:
        function = self._function if name in self._unified else 0
        return _record("named", at, ast.Constant(name), ast.Constant(function), value)

    def _turn(self, loop: ast.stmt) -> ast.stmt:
        return ast.copy_location(ast.Expr(_record("iteration", loop)), loop)

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"__value_{self._temporaries}__"


def _leaves(body: list[ast.stmt]) -> bool:
    """Whether a block has a statement that leaves what is around it."""
    return any(
        isinstance(part, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for node in body for part in ast.walk(node)
    )
