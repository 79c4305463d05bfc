"""Triton kernels: the programs of a launch are parallel loops around the body of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from roofscan.ir.arrays import Array
from roofscan.ir.assumption import Assumption
from roofscan.ir.dtypes import DType
from roofscan.ir.launch import DIRECTIONS, Configuration, LaunchAxis
from roofscan.ir.tree import Body, Loop
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.triton.configurations import configurations_of
from roofscan.parse.lowering.triton.functions import TritonProgram
from roofscan.parse.lowering.triton.launch_defaults import give_extents, hold, set_launch
from roofscan.parse.lowering.triton.launch_sites import Choice, ProgramsLaunched, program_launches
from roofscan.parse.lowering.triton.order import ProgramNumber
from roofscan.parse.lowering.triton.tile_nodes import Learned, Relearned
from roofscan.parse.lowering.triton.tiles import F4, Arguments, Item, Outside, TileValue, integer, number
from roofscan.parse.reader.decorators import constant
from roofscan.parse.syntax import Call, Conditional, Function, If, Lambda, Literal, Name, Parameter
from roofscan.parse.syntax_walk import dict_items, dotted_path, walk_all
from roofscan.parse.syntax_walk import walk as walk_source
from roofscan.symbolic.expr import ONE, ZERO, Expr, sum_of, symbol

MAX_RUNS = 6
TILES = "sums of tl.dot lie in registers, its operands in shared memory (three iterations, unless num_stages says so)"
SHAPED = frozenset(("arange", "zeros", "full", "range", "cdiv", "make_block_ptr", "make_tensor_descriptor"))
"""Functions whose arguments are extents of tiles, and steps."""


def lower_program(cx: Context, function: Function) -> None:
    """The body once for each program of the launch. It is lowered again where it shows what its parameters are."""
    configurations, sites = configurations_of(cx, function), program_launches(cx.module, function)
    learned, before = Learned(), cx.snapshot()
    for site in reversed(sites):
        learned.types.update((n, (t, f"launched in {site.place}")) for n, t in site.types.items())
    given = _given(function, sites)
    try:
        body, numbers = _programs(cx, function, learned, configurations, given)
        for _ in range(MAX_RUNS):
            if not learned.changed():
                break
            cx.restore(before)
            body, numbers = _programs(cx, function, learned, configurations, given)
        if any(_contradicts(cx, k, own) for k, own in enumerate(numbers)):
            learned.in_order = True
            cx.restore(before)
            body, numbers = _programs(cx, function, learned, configurations, given)
    except Outside as stop:
        raise Unsupported(cx.builder.line(stop.line), f"{stop.message}; it is outside the model") from None
    for node in body:
        cx.builder.add(node)
    set_launch(cx, body, numbers, sites, configurations, learned.strides)
    assert cx.builder.launch is not None
    first = configurations[0] if configurations else Configuration(())
    products, staged = tuple(dict.fromkeys(learned.products)), sum_of(learned.staged) * first.stages
    held = sum_of(m * n for m, n, _, _ in learned.products)
    if held:
        cx.builder.assume(TILES)
        cx.builder.launch = replace(cx.builder.launch, held=held, shared=staged, products=products)
    give_extents(cx, body)


def _contradicts(cx: Context, axis: int, number: ProgramNumber) -> bool:
    """Whether the grid that the user gives has other programs than the order of its groups."""
    told = cx.facts.integers("grid")
    known = {name: fact.value for name, fact in cx.facts.scalars.items() if isinstance(fact.value, int)}
    there = number.programs.subs({name: Expr.of(value) for name, value in known.items()}).constant
    return told is not None and there is not None and there != (told[axis] if axis < len(told) else 1)


def _given(function: Function, sites: Sequence[ProgramsLaunched]) -> dict[str, tuple[Choice, str]]:
    """What all launches pass alike, and where: flags, and other constants that are tested and no extents."""
    tests = [node.test for node in walk_all(function.body) if isinstance(node, (If, Conditional))]
    tested = {node.id for test in tests for node in walk_source(test) if isinstance(node, Name)} - _extents(function)
    found = [{n: v for n, v in {**site.constants, **site.choices}.items() if n in tested} for site in sites]
    return {n: (v, sites[0].place) for n, v in (found or [{}])[0].items() if all((n, v) in f.items() for f in found)}


def _programs(
    cx: Context, function: Function, learned: Learned, tried: tuple[Configuration, ...],
    given: Mapping[str, tuple[Choice, str]],
) -> tuple[Body, Sequence[ProgramNumber]]:  # fmt: skip
    names, extents = [p.name for p in function.parameters if not _is_constexpr(p)], _extents(function)
    arrays: dict[str, Array] = {}
    program = TritonProgram(cx, learned, names, arrays)
    configuration = dict(tried[0].constants) if tried else {}
    for parameter in function.parameters:
        program.names[parameter.name] = _value(cx, parameter, learned, configuration, extents, given)
    _apply_heuristics(program, function)
    line, learned.is_splitting = function.place.line, learned.in_order
    splits = [] if learned.in_order else learned.splits
    learned.products.clear()
    learned.staged.clear()
    for k, asked in enumerate(DIRECTIONS[: _asked(function)]):
        extent = cx.builder.symbol(f"programs_{asked}", "launch", f"programs along {asked}", line)
        number = ProgramNumber.of(cx, k, f"program_{asked}", extent, splits)
        program.numbers.append(number)
        program.names_of_launch["program", asked] = integer(number.number)
        program.names_of_launch["programs", asked] = integer(number.programs)
    digits = [digit for number in program.numbers for digit in reversed(number.digits)]
    made = [
        Loop(digit.var, ZERO, digit.extent, ONE, (), line, parallel=True, source_name=f"program {direction}",
             axis=LaunchAxis("block", direction))
        for digit, direction in zip(digits, DIRECTIONS)
    ]  # fmt: skip
    return _inside(cx, made[::-1], program, function), program.numbers


def _apply_heuristics(program: TritonProgram, function: Function) -> None:
    """``@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})``, as far as it can be worked out."""
    for decorator in function.decorators:
        called = isinstance(decorator, Call) and (dotted_path(decorator.function) or "").endswith("heuristics")
        given = [*decorator.args, *(k.value for k in decorator.keywords)] if isinstance(decorator, Call) else []
        for key, value in dict_items(given[0]) if called and given else ():
            name = key.value if isinstance(key, Literal) else None
            is_bound = name in program.cx.facts.names or name not in program.names
            if isinstance(name, str) and not is_bound and isinstance(value, Lambda) and len(value.parameters) == 1:
                before, own = dict(program.names), value.parameters[0].name
                program.names[own] = Arguments()
                with suppress(Outside):
                    before[name] = program.eval(value.body)
                program.names = before


def _inside(cx: Context, made: list[Loop], program: TritonProgram, function: Function) -> Body:
    if not made:
        conditions = tuple(c for number in program.numbers for c in number.conditions)
        with cx.builder.inside() as body, suppress(Relearned), cx.builder.when(conditions, ONE, function.place.line):
            program.block(function.body)
        return tuple(body)
    with cx.builder.in_loop(made[0]):
        inner = _inside(cx, made[1:], program, function)
    return (replace(made[0], body=inner),)


def _asked(function: Function) -> int:
    """How many directions the program asks for."""
    found = [0]
    for node in walk_source(function.body):
        called = (dotted_path(node.function) or "").rpartition(".")[2] if isinstance(node, Call) else ""
        if isinstance(node, Call) and called in ("program_id", "num_programs"):
            first = node.args[0] if node.args else next((k.value for k in node.keywords if k.name == "axis"), None)
            if isinstance(first, Literal) and first.value in (0, 1, 2):
                found.append(int(str(first.value)) + 1)
    return max(found)


# -- parameters ---------------------------------------------------------------------------------------
def _is_constexpr(parameter: Parameter) -> bool:
    return parameter.annotation is not None and (dotted_path(parameter.annotation) or "").endswith("constexpr")


def _extents(function: Function) -> frozenset[str]:
    """The names that say how long tiles are, or how far a loop steps."""
    calls = (node for node in walk_source(function.body) if isinstance(node, Call))
    of_tiles = [call for call in calls if (dotted_path(call.function) or "").rpartition(".")[2] in SHAPED]
    return frozenset(node.id for call in of_tiles for node in walk_source(call) if isinstance(node, Name))


def _value(
    cx: Context, parameter: Parameter, learned: Learned, configuration: dict[str, int], extents: frozenset[str],
    given: Mapping[str, tuple[Choice, str]],
) -> Item:  # fmt: skip
    """A parameter: a tile's extent, a flag, an integer or a pointer (of unknown value), or a number."""
    name, fact = parameter.name, cx.facts.scalars.get(parameter.name)
    if fact is not None and isinstance(fact.value, int) and fact.dtype is None and _is_constexpr(parameter):
        return number(fact.value)
    if fact is not None and fact.is_float:
        return TileValue(fact.dtype or F4, weak=fact.dtype is None)
    if name in cx.facts.constants:
        return cx.facts.constants[name]
    if name in given and name not in cx.facts.names and name not in configuration:
        cx.builder.assume(Assumption(name, f"{given[name][0]!r} (launched in {given[name][1]})"))
        return _literal(given[name][0])
    default = constant(parameter.default, cx.module) if parameter.default is not None else None
    if isinstance(default, Literal) and name not in cx.facts.names and name not in configuration:
        if isinstance(default.value, (bool, int, float)):
            cx.builder.assume(Assumption(name, f"{default.value} (its default)"))
        return _literal(default.value)
    if name in learned.floats - learned.integers:
        cx.builder.assume(Assumption(name, "float32 (by its use)"))
        return TileValue(F4, weak=True)
    if not _is_constexpr(parameter):
        array = cx.facts.arrays.get(name)
        if array is not None and array.shape is None:
            return _typed(array.dtype, name)
        cx.builder.symbol(name, "tile" if "stride" in name else "size", name, 0)
        return TileValue(integer(ZERO).dtype, expr=symbol(name))
    cx.builder.symbol(name, "tile" if name in extents else "size", name, 0)
    if name in configuration:
        hold(cx, name, configuration[name], "the first configuration of autotune")
    return TileValue(integer(ZERO).dtype, expr=symbol(name))


def _literal(value: object) -> Item:
    return number(value) if isinstance(value, (bool, int, float)) else None if value is None else str(value)


def _typed(dtype: DType, name: str) -> TileValue:
    return TileValue(dtype) if dtype.counts else TileValue(dtype, expr=symbol(name))
