"""Calls of known functions: their bodies are lowered in place, with the arguments for the parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import PurePath

from roofscan.ir.loop_names import is_loop_variable
from roofscan.ir.tree import Access, Branch, Loop, Node, Operation, When
from roofscan.parse.inference.collect import type_facts_in
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.calls.mirrored import without_second_call
from roofscan.parse.lowering.calls.signatures import converted, take_signature
from roofscan.parse.lowering.containers import list_as_bound
from roofscan.parse.lowering.context import Context, Frame
from roofscan.parse.lowering.control.join import join
from roofscan.parse.lowering.subscript_ranges import loop_variables
from roofscan.parse.lowering.values import (
    NONE,
    STARRED,
    FunctionRef,
    Keywords,
    NoneValue,
    ObjectValue,
    Scalar,
    TupleValue,
    Unknown,
    Value,
    View,
    named,
)
from roofscan.parse.reader.decorators import UFUNCS, Compiler, compiler_of, decorator_of, options_of
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.type_expressions import UNKNOWN
from roofscan.parse.syntax import Conditional, Expression, Function, If, Lambda, Name, Parameter, Return, Statement
from roofscan.parse.syntax_walk import always_raises, has_exit
from roofscan.symbolic.expr import ONE, Expr

MAX_DEPTH = 12
MAX_INLINED = 92
"""Operations, loads and stores of a compiled function up to which LLVM inlines it into the loop that calls it. Measured
under Numba 0.68: 78 to 88 operations in a chain, with 2 to 8 parameters, a branch or a square root besides."""
LEFT = "a value that a loop returns"


def inline(cx: Context, called: FunctionRef, args: list[Value], keywords: Keywords, line: int) -> Value:
    """The value that a call of a known function returns; its work is added where the call stands."""
    if called.others:
        return _selected(cx, called, args, keywords, line)
    if called.cached:
        cx.builder.reason(line, f"{called.dotted} caches its results: a call may do no work", "upper")
    if any(frame.dotted == called.dotted and frame.module is called.module for frame in cx.frames):
        return _recursive(cx, called, args, keywords, line)
    if len(cx.frames) > MAX_DEPTH:
        cx.builder.reason(line, f"calls more than {MAX_DEPTH} deep are not followed", "lower")
        return Unknown(f"a result of {called.dotted}")
    if called.receiver is not None:
        args = [called.receiver, *args]
    frame = frame_of_call(cx, called, args, keywords, line)
    module, kind = called.module or cx.module, UNKNOWN
    compiler = compiler_used(called.function, module)
    if compiler is not None and (written := options_of(compiler, module).signatures):
        kind = take_signature(cx, called.function, written, frame.names, line, module, compiler.kind in UFUNCS)
    lower_body(cx, called, frame, line)
    if called.receiver is not None:
        cx.frame.names.update(_fields(frame.names, called.receiver.path))
    return converted(cx, result_of(cx, frame.returns, line), kind, line)


def _recursive(cx: Context, called: FunctionRef, args: list[Value], keywords: Keywords, line: int) -> Value:
    function = called.function
    once = without_second_call(function) if isinstance(function, Function) else None
    if once is not None:
        return inline(cx, replace(called, function=once, dotted=f"{called.dotted} again"), args, keywords, line)
    cx.builder.reason(line, f"{called.dotted} calls itself: the work of the inner calls is not counted", "lower")
    return Unknown(f"a recursive result of {called.dotted}")


def frame_of_call(cx: Context, called: FunctionRef, args: list[Value], keywords: Keywords, line: int) -> Frame:
    """The names of a function that is called, with the arguments for the parameters."""
    frame = _new_frame(cx, called, line)
    if called.receiver is not None:
        _share_fields(cx.frame, frame, called.receiver.path)
    frame.names.update(_bind(cx, called, frame, args, keywords))
    return frame


def _new_frame(cx: Context, called: FunctionRef, line: int) -> Frame:
    type_facts = type_facts_in(cx.module, called.function, cx.dispatcher.library)
    type_facts = type_facts if called.receiver is None else deepcopy(type_facts)
    if type_facts.nonlocal_line:
        message = "a nested function assigns names of its enclosing function"
        raise Unsupported(cx.builder.line(type_facts.nonlocal_line), message)
    compiler = compiler_used(called.function, called.module or cx.module)
    parallel, tests = cx.frame.parallel, cx.frame.tests_divisors if called.scope else called.dotted
    if compiler is not None:
        decorator = decorator_of(compiler, called.module or cx.module)
        parallel = decorator.parallel
        if not decorator.inlined:
            tests = called.dotted if decorator.tests_divisors else ""
        elif not called.scope:
            tests = cx.frame.tests_divisors
    frame = Frame(
        called.dotted, type_facts, {}, closure=called.scope, module=called.module, parallel=parallel,
        tests_divisors=tests, body=called.function.body if isinstance(called.function, Function) else (),
    )  # fmt: skip
    if any(each.type_facts.assigned_globals for each in (*cx.frames, frame)):
        raise Unsupported(cx.builder.line(line), "a function assigns global names that another may read")
    return frame


def lower_body(
    cx: Context, called: FunctionRef, frame: Frame, line: int, lower: Callable[[], object] | None = None
) -> None:
    """Adds the work of a call, as ``lower`` does; None: statement by statement."""
    function, builder = called.function, cx.builder
    plain = function.body if isinstance(function, Function) else (Return(function.body.place, function.body),)
    body = with_one_return(plain)
    before = len(builder.body)
    cx.frames.append(frame)
    try:
        for name in frame.type_facts.resized_lists & frame.names.keys():
            frame.names[name] = list_as_bound(cx, name, frame.names[name], line)
        with builder.lines_of(PurePath(called.module.path).name if called.module else None, line):
            lower() if lower is not None else cx.block(body)
    finally:
        cx.frames.pop()
    compiler = compiler_used(function, called.module or cx.module)
    decorator = decorator_of(compiler, called.module or cx.module) if compiler is not None else None
    if decorator is not None:
        call = f"{called.dotted}:{builder.line(line)}"
        builder.body[before:] = [_of_callee(node, call, decorator.fastmath) for node in builder.body[before:]]
        if not cx.compiled:
            builder.body[before:] = [_compiled(node, builder.line(line)) for node in builder.body[before:]]
    if not (called.scope or (decorator and decorator.inlined)) and _size(builder.body[before:]) > MAX_INLINED:
        builder.body[before:] = [_as_not_inlined(node) for node in builder.body[before:]]


def compiler_used(function: Function | Lambda, module: Module) -> Compiler | None:
    decorators = function.decorators if isinstance(function, Function) else ()
    return next((found for d in decorators if (found := compiler_of(d, module)) is not None), None)


def _of_callee(node: Node, call: str, fastmath: bool) -> Node:
    """A node of a compiled callee, whose loops know the call, and keep the options of the callee."""
    if isinstance(node, Loop):
        body = tuple(_of_callee(n, call, fastmath) for n in node.body)
        return replace(node, body=body, callee=call, fastmath=node.fastmath or fastmath)
    if isinstance(node, (When, Branch)):
        return replace(node, body=tuple(_of_callee(n, call, fastmath) for n in node.body))
    return node


def _size(body: Sequence[Node]) -> int:
    """Its operations and accesses outside of loops."""
    blocks = (node for node in body if isinstance(node, (When, Branch)))
    return sum(isinstance(node, (Access, Operation)) for node in body) + sum(_size(node.body) for node in blocks)


def _as_not_inlined(node: Node) -> Node:
    """A node of a callee that is not inlined."""
    if isinstance(node, (When, Branch)):
        return replace(node, body=tuple(map(_as_not_inlined, node.body)))
    return replace(node, not_inlined=True) if isinstance(node, Operation) else node


def _compiled(node: Node, line: int) -> Node:
    """A node of a compiled callee: its loops get the line of the call, and run compiled."""
    if isinstance(node, Loop):
        return replace(node, body=tuple(_compiled(n, n.line) for n in node.body), line=line, compiled=True)
    if isinstance(node, (When, Branch)):
        return replace(node, body=tuple(_compiled(n, line) for n in node.body))
    return node


def _selected(cx: Context, called: FunctionRef, args: list[Value], keywords: Keywords, line: int) -> Value:
    """A call of a function with several definitions under conditions: a symbol selects the first one."""
    place = called.function.place.line
    text = f"the definition of {called.dotted} in line {place} holds"
    share = cx.builder.share(("definition", called.dotted, place), f"1 if {text}, else 0", line)
    cx.builder.reason(line, f"whether {text} depends on conditions of the module", "parametric")
    with cx.builder.when((), share, line):
        one = inline(cx, replace(called, others=()), args, keywords, line)
    with cx.builder.when((), ONE - share, line):
        other = inline(cx, called.others[0], args, keywords, line)
    return join(cx, one, other, line) or NONE


def nested_function(cx: Context, function: Function | Lambda, dotted: str) -> FunctionRef:
    """A nested function: it looks up the names around it when it runs; its defaults are evaluated now."""
    defaults = {p.name: named(cx.eval(p.default)) for p in function.parameters if p.default is not None}
    return FunctionRef(function, dotted, cx.frame.scope, cx.frame.module, defaults=defaults)


def own_method(cx: Context, receiver: ObjectValue, name: str, line: int) -> Value | None:
    """The method (or the value of the property) of that name of the class whose method is being lowered."""
    parts = cx.frame.dotted.split(".")[1 if cx.frame.module else 0 :]
    dotted = ".".join((*parts[:-1], name))
    function = cx.here.function(dotted) if len(parts) > 1 else None
    if function is None or not function.parameters or function.parameters[0].name != receiver.path:
        return None
    label = ".".join((*cx.frame.dotted.split(".")[:-1], name))
    method = FunctionRef(function, label, module=cx.frame.module, receiver=receiver)
    is_property = any(isinstance(d, Name) and d.id == "property" for d in function.decorators)
    return inline(cx, method, [], {}, line) if is_property else method


def _share_fields(caller: Frame, frame: Frame, path: str) -> None:
    """A method of the same object sees the fields of the caller."""
    frame.types, frame.globals_seen = caller.types, caller.globals_seen
    frame.names.update(_fields(caller.names, path))
    frame.type_facts.integers |= {name for name in caller.type_facts.integers if name.startswith(f"{path}.")}
    for name, rank in caller.type_facts.ranks.items():
        if name.startswith(f"{path}."):
            frame.type_facts.require_rank(name, rank)


def _fields(names: dict[str, Value], path: str) -> dict[str, Value]:
    return {name: value for name, value in names.items() if name.startswith(f"{path}.")}


def _bind(cx: Context, called: FunctionRef, frame: Frame, args: list[Value], keywords: Keywords) -> dict[str, Value]:
    """The parameters' values: positional, by keyword, by default."""
    bound: dict[str, Value] = {}
    position = 0
    for parameter in called.function.parameters:
        if parameter.star == "*":
            bound[parameter.name] = TupleValue(tuple(args[position:]))
            position = len(args)
        elif parameter.star == "**":
            bound[parameter.name] = Unknown("keyword arguments")
        elif position < len(args):
            bound[parameter.name] = _argument(args[position])
            position += 1
        else:
            given = keywords.get(parameter.name) or (STARRED if STARRED in args else None)
            bound[parameter.name] = _argument(given or _default(cx, called, frame, parameter))
    return bound


def _argument(value: Value) -> Value:
    """An argument inside the callee: a literal has a name there, and an array belongs to the caller."""
    return replace(value, temporary=False) if isinstance(value, View) else named(value)


def _default(cx: Context, called: FunctionRef, frame: Frame, parameter: Parameter) -> Value:
    """The value of a default: its names are those of the file of the callee."""
    if parameter.default is None:
        return NONE
    if parameter.name in called.defaults:
        return called.defaults[parameter.name]
    cx.frames.append(frame)
    try:
        return cx.eval(parameter.default)
    finally:
        cx.frames.pop()


def result_of(cx: Context, returns: list[Value], line: int) -> Value:
    kept = [_outside_loops(cx, r) for r in returns if not isinstance(r, NoneValue)]
    if not kept:
        return NONE
    result: Value | None = kept[0]
    for other in kept[1:]:
        result = join(cx, result, other, line)
    if len(kept) > 1 and isinstance(result, Scalar) and result.literal:
        result = replace(result, literal=False, number=None)
    return named(result) if result is not None else NONE


def _outside_loops(cx: Context, value: Value) -> Value:
    """A returned value in the caller: which iteration of the callee's loops returns it depends on data."""
    if isinstance(value, Scalar) and value.expr is not None and _leaves_loops(cx, value.expr):
        return replace(value, expr=None, why_unknown=value.why_unknown or LEFT)
    if isinstance(value, View):
        places = (e for e in (*value.shape, *(a.offset for a in value.axes)) if e is not None)
        return Unknown(LEFT) if any(_leaves_loops(cx, e) for e in places) else value
    if isinstance(value, TupleValue):
        return replace(value, items=tuple(_outside_loops(cx, item) for item in value.items))
    return value


def _leaves_loops(cx: Context, expr: Expr) -> bool:
    return any(map(is_loop_variable, loop_variables(expr) - set(cx.builder.open_variables)))


# -- the returns of a function, as one --------------------------------------------------------------
def with_one_return(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """``if i < 0: return 0`` and ``return i`` as ``return 0 if i < 0 else i``."""
    for position, statement in enumerate(body):
        if isinstance(statement, If) and has_exit((statement,)) and not always_raises(statement.body):
            value = _value(body[position:])
            return body if value is None else (*body[:position], Return(statement.place, value))
    return body


def _value(body: tuple[Statement, ...]) -> Expression | None:
    """What a body of tests and returns gives; None for another body."""
    first = body[0] if body else None
    if isinstance(first, Return):
        return first.value
    if not isinstance(first, If):
        return None
    then, orelse = _value((*first.body, *body[1:])), _value((*first.orelse, *body[1:]))
    return None if then is None or orelse is None else Conditional(first.place, first.test, then, orelse)
