"""Lowering: one function of a file, from syntax to the kernel tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import C16, F8, I8
from roofscan.ir.facts import Facts
from roofscan.ir.kernel import Kernel
from roofscan.parse.inference.call_constraints import Helpers
from roofscan.parse.inference.collect import type_facts_of
from roofscan.parse.lowering.builder import Builder, Unsupported
from roofscan.parse.lowering.calls.arguments import type_named
from roofscan.parse.lowering.calls.element_functions import lower_stencil, lower_vectorize
from roofscan.parse.lowering.context import Context, Dispatcher, Frame, RankShown
from roofscan.parse.lowering.control.parameter_tests import as_given, constant_argument, may_be_left_out
from roofscan.parse.lowering.cuda.gufuncs import lower_gufunc
from roofscan.parse.lowering.cuda.launch_sites import launched_types
from roofscan.parse.lowering.cuda.launches import stated_launch
from roofscan.parse.lowering.cuda.threads import lower_threads
from roofscan.parse.lowering.expressions import evaluate
from roofscan.parse.lowering.names import constant_value
from roofscan.parse.lowering.numpy.library_calls import TABLE
from roofscan.parse.lowering.parameters import describe, describe_default
from roofscan.parse.lowering.statements import lower_block
from roofscan.parse.lowering.values import DTypeValue, FunctionRef, Scalar, TupleValue, Unknown, Value, View
from roofscan.parse.passes.finalize import finalize
from roofscan.parse.reader.decorators import constant
from roofscan.parse.reader.find import Candidate
from roofscan.parse.reader.module import Module
from roofscan.parse.reader.module_arrays import module_array
from roofscan.parse.reader.type_expressions import UNKNOWN, ParameterType
from roofscan.parse.reader.types import known_facts, parameter_types
from roofscan.parse.syntax import Assign, Attribute, Call, Function, Literal, Name, Parameter
from roofscan.parse.unparse import unparse

DISPATCHER = Dispatcher(evaluate, lower_block, TABLE)
FUSED = "cupy.fuse makes one launch of these operations: each is counted as one of its own"


def lower(module: Module, candidate: Candidate, facts: Facts | None = None) -> Kernel:
    """The kernel of one function. What is outside the model becomes a reason, never an exception."""
    facts, _ = known_facts((candidate.pragma or Facts()).merged(facts or Facts()), module)
    ranks: dict[str, int] = {}
    while True:
        try:
            return _lower_as(module, candidate, facts, ranks)
        except RankShown as shown:
            ranks[shown.path] = shown.rank


def _lower_as(module: Module, candidate: Candidate, facts: Facts, ranks: Mapping[str, int]) -> Kernel:
    builder = Builder()
    try:
        return _lower(module, candidate, facts, ranks, builder)
    except Unsupported as stop:
        builder.reason(stop.line, stop.message, "unsupported")
    except RecursionError:
        line = candidate.function.place.line
        builder.reason(line, "an expression or a chain of calls is nested too deeply; split it", "unsupported")
    return _empty(module, candidate, builder)


def _lower(module: Module, candidate: Candidate, facts: Facts, ranks: Mapping[str, int], builder: Builder) -> Kernel:
    function = candidate.function
    compiled = candidate.decorator.compiled
    type_facts = type_facts_of(function, TABLE, module, Helpers(module))
    if candidate.decorator.kind == "cuda":
        type_facts.take_scalars()
    for path, rank in ranks.items():
        type_facts.require_rank(path, rank)
    frame = Frame(
        candidate.name, type_facts, parameter_types(candidate, module), parallel=candidate.decorator.parallel,
        tests_divisors=candidate.name if candidate.decorator.tests_divisors else "", body=function.body,
    )  # fmt: skip
    builder.broadcast_sizes.common = frozenset(type_facts.scalars_or_arrays)
    cx = Context(DISPATCHER, builder, module, facts, compiled, [frame], ranks)
    frame.closure = _closure(candidate.enclosing)
    _assume_signature(cx, candidate)
    if candidate.decorator.kind == "vectorize":
        lower_vectorize(cx, function, candidate.options.signatures)
    elif candidate.decorator.kind == "triton":
        from roofscan.parse.lowering.triton.launch import lower_program  # fifteen modules that few files need

        lower_program(cx, function)
    elif candidate.decorator.kind == "stencil":
        lower_stencil(cx, function)
    else:
        frame.types = {**frame.types, **_launched(cx, candidate)}
        for parameter in function.parameters:
            frame.names[parameter.name] = _parameter(cx, function, parameter.name)
        if candidate.decorator.kind == "cuda" and not candidate.options.device:
            lower_threads(cx, function, stated_launch(cx, function))
        elif candidate.decorator.kind == "guvectorize" and candidate.options.target == "cuda":
            lower_gufunc(cx, function, stated_launch(cx, function))
        else:
            cx.block(function.body)
    for decorator in function.decorators:
        if module.resolve(decorator.function if isinstance(decorator, Call) else decorator) == "cupy.fuse":
            cx.builder.reason(decorator.place.line, FUSED, "traffic")
    return finalize(cx, candidate, facts)


def _assume_signature(cx: Context, candidate: Candidate) -> None:
    """Which of several signatures is taken."""
    written = candidate.options.signatures
    untold = {p.name for p in candidate.function.parameters}.difference(cx.facts.names)
    if len(written) > 1 and untold:
        first = written[0].value if isinstance(written[0], Literal) else unparse(written[0])
        cx.builder.assume(f"the types are those of {first}, the first of {len(written)} signatures")


def _launched(cx: Context, candidate: Candidate) -> dict[str, ParameterType]:
    """The types that the launches of a CUDA kernel tell, of parameters of which nothing else does."""
    if candidate.decorator.kind != "cuda" or candidate.options.device:
        return {}
    types = cx.frame.types
    open_names = {name for name, kind in types.items() if kind == UNKNOWN}.difference(cx.facts.names)
    told = launched_types(cx, candidate.function) if open_names else {}
    found = {name: each for name, each in told.items() if name in open_names and each[0].dtype != F8}
    for name, (kind, place) in found.items():
        if kind.dtype is not None:
            cx.builder.assume(Assumption(name, f"{kind.dtype.name} (as {place} launches it)"))
    return {name: kind for name, (kind, _) in found.items()}


def _parameter(cx: Context, function: Function, name: str) -> Value:
    parameter = next(p for p in function.parameters if p.name == name)
    if parameter.star:
        return Unknown(f"the arguments {parameter.star}{name}")
    argument = constant_argument(cx, function, parameter)
    if argument is not None:
        return argument
    if (numbers := _tuple_by_default(cx, parameter)) is not None:
        return numbers
    value = describe(cx, name, function.place.line, told=_type_of_default(cx, parameter))
    if isinstance(value, Scalar) and value.expr is not None and parameter.default is not None:
        cx.builder.assume(Assumption(name, f"{value.dtype.name} (its default)"))
        _left_out(cx, name)
    declared = cx.frame.types.get(name)
    known = name in cx.facts.arrays or name in cx.facts.scalars or (declared is not None and declared.kind != "unknown")
    if isinstance(value, Scalar) and not known and name in cx.frame.type_facts.open_subscripts:
        cx.builder.assume_scalar(name)
    if isinstance(value, Scalar) and value.expr is None and not known:
        type_facts = cx.frame.type_facts
        if parameter.default is None:
            cx.builder.assume(Assumption(name, f"{value.dtype.name} (default)"))
            if name not in type_facts.scalars:
                cx.builder.assume_scalar(name)
                if (not cx.compiled or type_facts.ranks) and not type_facts.of_one_thread:
                    value = replace(value, node=cx.builder.broadcast_sizes.open(name))
        value = describe_default(parameter.default) or _type_by_default(cx, parameter) or value
        if name in cx.builder.defaults and isinstance(value, Scalar) and value.dtype == F8:
            cx.builder.assume(Assumption(name, "float64 (its default)"))
    if isinstance(value, View):
        return replace(value, or_none=may_be_left_out(cx, function, name))
    return as_given(cx, value, name)


def _left_out(cx: Context, name: str) -> None:
    """Facts describe a call: a parameter that they leave out has its default."""
    default = cx.builder.defaults.get(name)
    if not isinstance(default, Scalar) or not isinstance(default.number, int):
        return
    if cx.facts.names and name not in cx.facts.names and name in cx.builder.symbols:
        cx.builder.values[name] = default.number
        cx.builder.assume(Assumption(name, f"{default.number} (its default)"))


def _type_of_default(cx: Context, parameter: Parameter) -> ParameterType:
    """The type of a number that nothing but its default tells: an integer makes an integer. Facts that leave out
    a parameter leave it the module's array that is its default."""
    if isinstance(parameter.default, Name) and cx.facts.names and parameter.name not in cx.facts.names:
        told = module_array(cx.module, parameter.default.id)
        if told != UNKNOWN:
            return told
    default = None if parameter.default is None else constant_value(constant(parameter.default, cx.module))
    by_habit = parameter.name in cx.frame.type_facts.taken_integers
    if not isinstance(default, Scalar) or default.dtype not in ((I8, C16, F8) if by_habit else (I8, C16)):
        return UNKNOWN
    if isinstance(default.number, int) and default.number > 0:
        cx.builder.guesses[parameter.name] = default.number
    return UNKNOWN if parameter.name in cx.frame.type_facts.ranks else ParameterType("scalar", default.dtype, 0)


def _tuple_by_default(cx: Context, parameter: Parameter) -> Value | None:
    """The tuple of constants that a parameter is where facts do not name it: ``origin=(0.0, 0.0)``."""
    if parameter.default is None or parameter.name in cx.facts.names:
        return None
    value = constant_value(parameter.default)
    if not isinstance(value, TupleValue) or value.kind != "tuple":
        return None
    cx.builder.assume(Assumption(parameter.name, f"{unparse(parameter.default)} (its default)"))
    return value


def _type_by_default(cx: Context, parameter: Parameter) -> DTypeValue | None:
    """The element type that is the default of a parameter: ``dtype=np.complex128``."""
    default = parameter.default
    dtype = type_named(cx.eval(default)) if isinstance(default, (Name, Attribute)) else None
    if dtype is None:
        return None
    cx.builder.assume(Assumption(parameter.name, f"{dtype.name} (its default)"))
    return DTypeValue(dtype)


def _closure(enclosing: tuple[Function, ...]) -> dict[str, Value]:
    """Helpers and plain constants that the functions around this one bind; other names are described when used."""
    bound: dict[str, Value] = {}
    for function in enclosing:
        for statement in function.body:
            if isinstance(statement, Function):
                bound[statement.name] = FunctionRef(statement, f"{function.name}.{statement.name}", bound)
            elif isinstance(statement, Assign) and statement.value is not None and len(statement.targets) == 1:
                [target] = statement.targets
                constant = constant_value(statement.value)
                if isinstance(target, Name) and constant is not None:
                    bound[target.id] = constant
    return bound


def _empty(module: Module, candidate: Candidate, builder: Builder) -> Kernel:
    function = candidate.function
    return Kernel(
        candidate.name, module.path, function.place.line, function.place.end_line, candidate.decorator,
        tuple(p.name for p in function.parameters), (), (), (), tuple(builder.reasons.values()), (), {},
        function.place.column, first_line=function.first_line,
    )  # fmt: skip
