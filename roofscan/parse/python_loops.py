"""Loops of plain Python that call a kernel in each iteration, where Numba could compile all of the loop: over a range,
of numbers and elements of arrays alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from roofscan.ir.kernel import PythonLoop
from roofscan.parse import syntax
from roofscan.parse.reader.decorators import may_compile
from roofscan.parse.reader.find import compiled_by_call
from roofscan.parse.reader.module import SELF, Module, assigned_value
from roofscan.parse.syntax import Call, Expression, For, Function, Literal, Name, Parameter, Statement, Subscript
from roofscan.parse.syntax_walk import assigned_names, blocks, target_names, walk, walk_all

LEAST_TRIPS = 1000  # with fewer, the calls of a loop take no time to speak of

_PARTS = (
    syntax.Assign, syntax.AugAssign, syntax.ExpressionStatement, For, syntax.If, syntax.Simple, Name, Literal,
    syntax.Attribute, Subscript, syntax.Slice, Call, syntax.Binary, syntax.Unary, syntax.Boolean, syntax.Compare,
    syntax.Conditional, syntax.Sequence, syntax.Keyword,
)  # fmt: skip
_NUMBERS = frozenset(f"builtins.{name}" for name in ("range", "len", "abs", "min", "max", "float", "int"))
_FUNCTIONS = _NUMBERS | frozenset(
    f"{module}.{name}" for module in ("math", "numpy")
    for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "arctan2", "atan2", "fabs", "floor", "ceil", "hypot", "pi")
)  # fmt: skip


_MAKERS = frozenset(f"numpy.{name}{like}" for name in ("zeros", "ones", "empty") for like in ("", "_like"))


def python_loop(module: Module, kernel: Function, dotted: str, arrays: Collection[str]) -> PythonLoop | None:
    """The first such loop around calls of a decorated function of the module; None where there is none. Its parameters
    are numbers but for ``arrays``: what the calls hand it must be of these kinds, and differ from call to call."""
    if "." in dotted or not kernel.decorators or module.word_counts[dotted] < 2:
        return None
    for caller in _callers(module, dotted):
        for loop in _loops(caller.function.body):
            calls = caller.calls(loop)
            if calls and _is_hot(loop) and caller.may_be_compiled(loop):
                if all(caller.hands(call, kernel.parameters, arrays, loop) for call in calls):
                    variable = " and ".join(target_names(loop.target))
                    return PythonLoop(variable, caller.function.name, *loop.place[:2], caller.is_compilable)
    return None


def _callers(module: Module, dotted: str) -> Iterator[_Caller]:
    """The functions that name the kernel, that nothing compiles and no decorator changes; only these are read."""
    for paths in module.function_paths.values():
        for path in paths:
            named = any(dotted in text for text in module.lines[path[-1].line : path[-1].end_line])
            if named and not any(part.applied for part in path):
                if not {part.line for part in path}.intersection(line for line, _ in compiled_by_call(module)):
                    yield _Caller(module, module.function_at(path), dotted, len(path) == 1)


class _Caller:
    """A function of plain Python, and what its names mean."""

    def __init__(self, module: Module, function: Function, kernel: str, is_top: bool) -> None:
        self.function = function
        self._is_top = is_top
        self._kernel = SELF + kernel
        self._module = module
        self._parameters = {p.name: p for p in function.parameters}
        self._assigned = frozenset(assigned_names(function.body))

    def calls(self, loop: For) -> list[Call]:
        """Those of the kernel."""
        calls = (node for node in walk_all(loop) if isinstance(node, Call))
        return [call for call in calls if self._origin(call.function) == self._kernel]

    def may_be_compiled(self, *parts: Statement | Expression) -> bool:
        return all(isinstance(node, _PARTS) and self._is_known(node) for part in parts for node in walk_all(part))

    @property
    def is_compilable(self) -> bool:
        """Whether all of it may be, and reads nothing of the module but functions: Numba would take it as it is now."""
        *before, last = (s for s in self.function.body if not _is_text(s))
        ends = (last.value,) if isinstance(last, syntax.Return) and last.value else (last,)
        if not self._is_top or self._assigned & self._parameters.keys() or not self.may_be_compiled(*before, *ends):
            return False
        every = [node for part in (*before, *ends) for node in walk_all(part)]
        called = {id(node.function) for node in every if isinstance(node, Call)}
        roots = {id(node.base) for node in every if isinstance(node, syntax.Attribute)}
        names = (node for node in every if isinstance(node, Name) and id(node) not in called)
        own = self._assigned | self._parameters.keys()
        return all(n.id in own or (id(n) in roots and not self._values(n.id)) for n in names)

    def hands(self, call: Call, parameters: Sequence[Parameter], arrays: Collection[str], loop: For) -> bool:
        """Whether a call hands over numbers and arrays as the kernel takes them, others in each iteration."""
        names = [p.name for p in parameters]
        if call.starred or len(call.args) > len(names) or any(k.name not in names for k in call.keywords):
            return False
        given = [*zip(names, call.args), *((k.name, k.value) for k in call.keywords)]
        used = {node.id for _, e in given for node in walk_all(e) if isinstance(node, Name)}
        if used.isdisjoint(assigned_names((loop,))):
            return False
        return all(name in arrays or self._is_number(e) or self._is_left_open(e) for name, e in given)

    def _is_left_open(self, expression: Expression) -> bool:
        """Whether it is a parameter of which the function says nothing: what the kernel takes for a number is one."""
        parameter = self._parameters.get(expression.id) if isinstance(expression, Name) else None
        if parameter is None or parameter.annotation or parameter.default or parameter.name in self._assigned:
            return False
        parts = (n for n in walk(self.function.body) if isinstance(n, (Subscript, syntax.Attribute)))
        return not any(isinstance(n.base, Name) and n.base.id == parameter.name for n in parts)

    def _origin(self, expression: Expression) -> str:
        """What the module binds a name to; "" for the function's own names."""
        root = expression
        while isinstance(root, syntax.Attribute):
            root = root.base
        own = isinstance(root, Name) and (root.id in self._parameters or root.id in self._assigned)
        return "" if own else self._module.resolve(expression) or ""

    def _is_known(self, node: object) -> bool:
        """Whether one node, apart from its parts, is of numbers and arrays."""
        if isinstance(node, Literal):
            return isinstance(node.value, (int, float))
        if isinstance(node, syntax.Sequence):
            return node.kind == "tuple"
        if isinstance(node, syntax.Simple):
            return node.kind in ("pass", "break", "continue")
        if isinstance(node, syntax.Compare):
            return not any("i" in operator for operator in node.operators)  # is, in
        if isinstance(node, For):
            call = node.iterable
            return isinstance(call, Call) and self._origin(call.function) == "builtins.range" and not node.orelse
        if isinstance(node, syntax.Attribute):
            return node.name in ("shape", "size") or self._origin(node) in _FUNCTIONS | _MAKERS
        if isinstance(node, Subscript):
            return self._is_shape(node) or (isinstance(node.base, Name) and self._is_array(node.base.id))
        if not isinstance(node, Call):
            return True
        origin = self._origin(node.function)
        return self._is_compiled(origin) or (origin in _MAKERS and len(node.args) == 1 and not node.keywords)

    def _is_compiled(self, origin: str) -> bool:
        paths = self._module.function_paths.get(origin.removeprefix(SELF), []) if origin.startswith(SELF) else []
        compiled = [any(may_compile(head, self._module) for head in path[-1].applied) for path in paths]
        return origin in _FUNCTIONS or (bool(paths) and all(compiled))

    def _is_array(self, name: str) -> bool:
        """Whether it may be one: a parameter that is not said to be anything else, or what a function returns that is
        none of Python's own."""
        if name in self._parameters and name not in self._assigned:
            annotation = self._parameters[name].annotation
            words = [node for node in walk_all(annotation) if isinstance(node, (Name, syntax.Attribute))]
            return annotation is None or any(self._origin(word).startswith("numpy") for word in words)
        origins = [self._origin(v.function) if isinstance(v, Call) else "builtins" for v in self._values(name)]
        return bool(origins) and not any(origin.startswith("builtins") for origin in origins)

    def _values(self, name: str) -> list[Expression | None]:
        """All that a name that is no parameter gets; None for what is not known."""
        if name not in self._assigned:
            return list(self._module.assignments(name))
        found: list[Expression | None] = []
        for node in walk(self.function.body):
            if isinstance(node, syntax.Assign) and name in assigned_names((node,)):
                found.append(assigned_value((node,), name))
            elif isinstance(node, (syntax.AugAssign, syntax.Named)) and name in target_names(node.target):
                found.append(node.value)
            elif isinstance(node, For) and name in target_names(node.target):
                found.append(node.iterable)
        return found

    def _is_number(self, expression: Expression | None, seen: frozenset[str] = frozenset()) -> bool:
        """``seen``: names that are numbers if the rest is."""
        if isinstance(expression, Literal):
            return isinstance(expression.value, (int, float))
        if isinstance(expression, syntax.Unary):
            return self._is_number(expression.operand, seen)
        if isinstance(expression, syntax.Binary):
            return self._is_number(expression.left, seen) and self._is_number(expression.right, seen)
        if isinstance(expression, Call):
            origin = self._origin(expression.function)
            return origin in _NUMBERS or (
                (origin in _FUNCTIONS or origin == self._kernel)
                and all(self._is_number(a, seen) for a in expression.args)
            )
        if isinstance(expression, Subscript):
            return self._is_shape(expression) or self._is_element(expression)
        if not isinstance(expression, Name) or expression.id in seen:
            return isinstance(expression, Name)
        parameter = self._parameters.get(expression.id)
        values = self._values(expression.id) if parameter is None or expression.id in self._assigned else []
        if parameter is not None:
            is_said = isinstance(parameter.annotation, Name) and parameter.annotation.id in ("int", "float")
            values = values if is_said else [*values, parameter.default]
            return (is_said and not values) or all(self._is_number(v, seen | {expression.id}) for v in values)
        return bool(values) and all(self._is_number(v, seen | {expression.id}) for v in values)

    def _is_shape(self, subscript: Subscript) -> bool:
        return isinstance(subscript.base, syntax.Attribute) and subscript.base.name == "shape"

    def _is_element(self, subscript: Subscript) -> bool:
        """Whether it has as many subscripts as the array has anywhere in the function, and no slice."""
        if not isinstance(subscript.base, Name) or not self._is_array(subscript.base.id):
            return False
        name, axes = subscript.base.id, len(subscript.items)
        every = (node for node in walk(self.function.body) if isinstance(node, Subscript))
        same = [node.items for node in every if isinstance(node.base, Name) and node.base.id == name]
        return all(len(items) == axes and not any(isinstance(i, syntax.Slice) for i in items) for items in same)


def _is_text(statement: Statement) -> bool:
    value = statement.value if isinstance(statement, syntax.ExpressionStatement) else None
    return isinstance(value, Literal) and isinstance(value.value, str)


def _loops(body: tuple[Statement, ...]) -> Iterator[For]:
    """Outer loops before those in them."""
    for statement in body:
        if isinstance(statement, For):
            yield statement
        for block in blocks(statement):
            yield from _loops(block)


def _is_hot(loop: For) -> bool:
    """Whether it may have many iterations."""
    args = loop.iterable.args if isinstance(loop.iterable, Call) else ()
    numbers = [arg.value for arg in args if isinstance(arg, Literal) and isinstance(arg.value, int)]
    if len(numbers) < len(args) or any(isinstance(node, For) for node in walk_all(loop.body)):
        return True
    start, stop, step = {1: (0, *numbers, 1), 2: (*numbers, 1), 3: (*numbers,)}.get(len(args), (0, 0, 1))
    return step != 0 and (stop - start) // step >= LEAST_TRIPS
