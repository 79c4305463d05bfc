"""Triton kernels: the programs of a launch are parallel loops around the body of one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from math import prod

from roofscan.ir.dtypes import DType
from roofscan.ir.kernel import Access, Array, Body, Condition, Loop, When
from roofscan.ir.launch import DIRECTIONS, Configuration, Launch, LaunchAxis
from roofscan.ir.visitor import conditions_of, loops_of, walk, walk_with_blocks
from roofscan.parse.lowering.builder import Unsupported
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import has_loop_variable, value_at_large_sizes
from roofscan.parse.lowering.triton.configurations import configurations_of, share_work_out
from roofscan.parse.lowering.triton.functions import TritonProgram
from roofscan.parse.lowering.triton.launch_sites import ProgramsLaunched, program_launches
from roofscan.parse.lowering.triton.order import ProgramNumber
from roofscan.parse.lowering.triton.tile_nodes import Learned, Relearned
from roofscan.parse.lowering.triton.tiles import F4, Item, Outside, TileValue, integer, number
from roofscan.parse.reader.decorators import constant
from roofscan.parse.syntax import Call, Function, Literal, Name, Parameter
from roofscan.parse.syntax_walk import dotted_path
from roofscan.parse.syntax_walk import walk as walk_source
from roofscan.symbolic.expr import ONE, ZERO, Expr, ceil_div, sum_of, symbol

MAX_RUNS = 6
TILES = "sums of tl.dot lie in registers, its operands in shared memory (three iterations, unless num_stages says so)"
SHAPED = frozenset(("arange", "zeros", "full", "range", "cdiv", "make_block_ptr", "make_tensor_descriptor"))
"""Functions whose arguments are extents of tiles, and steps."""
TYPICAL_TILES = (1024, 64)  # of one dimension, and of several
TYPICAL_GROUP = 8  # rows of programs
TYPICAL_PROGRAMS = (16384, 32, 8)  # along each of one, two or three directions


def lower_program(cx: Context, function: Function) -> None:
    """The body once for each program of the launch. It is lowered again where it shows what its parameters are."""
    configurations = configurations_of(cx, function)
    learned, before = Learned(), cx.snapshot()
    try:
        body, numbers = _programs(cx, function, learned, configurations)
        for _ in range(MAX_RUNS):
            if not learned.changed():
                break
            cx.restore(before)
            body, numbers = _programs(cx, function, learned, configurations)
        if any(_contradicts(cx, k, own) for k, own in enumerate(numbers)):
            learned.in_order = True
            cx.restore(before)
            body, numbers = _programs(cx, function, learned, configurations)
    except Outside as stop:
        raise Unsupported(cx.builder.line(stop.line), f"{stop.message}; it is outside the model") from None
    for node in body:
        cx.builder.add(node)
    _settle(cx, body, numbers, program_launches(cx.module, function), configurations)
    assert cx.builder.launch is not None
    first = configurations[0] if configurations else Configuration(())
    held, staged = sum_of(learned.held), sum_of(learned.staged) * first.stages
    if held:
        cx.builder.assume(TILES)
        cx.builder.launch = replace(cx.builder.launch, held=held, shared=staged)
    _give_extents(cx, body)


def _contradicts(cx: Context, axis: int, number: ProgramNumber) -> bool:
    """Whether the grid that the user gives has other programs than the order of its groups."""
    told = cx.facts.integers("grid")
    known = {name: fact.value for name, fact in cx.facts.scalars.items() if isinstance(fact.value, int)}
    there = number.programs.subs({name: Expr.of(value) for name, value in known.items()}).constant
    return told is not None and there is not None and there != (told[axis] if axis < len(told) else 1)


def _programs(
    cx: Context, function: Function, learned: Learned, tried: tuple[Configuration, ...]
) -> tuple[Body, Sequence[ProgramNumber]]:
    names, extents = [p.name for p in function.parameters if not _is_constexpr(p)], _extents(function)
    arrays: dict[str, Array] = {}
    program = TritonProgram(cx, learned, names, arrays)
    configuration = dict(tried[0].constants) if tried else {}
    for parameter in function.parameters:
        program.names[parameter.name] = _value(cx, parameter, learned, configuration, extents)
    line, learned.is_splitting = function.place.line, learned.in_order
    splits = [] if learned.in_order else learned.splits
    learned.held.clear()
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
    cx: Context, parameter: Parameter, learned: Learned, configuration: dict[str, int], extents: frozenset[str]
) -> Item:
    """A parameter: a tile's extent, a flag, an integer or a pointer (whose value nobody knows), or a number."""
    name, fact = parameter.name, cx.facts.scalars.get(parameter.name)
    if fact is not None and isinstance(fact.value, int) and fact.dtype is None and _is_constexpr(parameter):
        return number(fact.value)
    if fact is not None and fact.is_float:
        return TileValue(fact.dtype or F4, weak=fact.dtype is None)
    if name in cx.facts.constants:
        return cx.facts.constants[name]
    default = constant(parameter.default, cx.module) if parameter.default is not None else None
    if isinstance(default, Literal) and name not in cx.facts.names and name not in configuration:
        if isinstance(default.value, (bool, int, float)):
            cx.builder.assume(f"{name} is {default.value} (its default)")
            return number(default.value)
        return None if default.value is None else str(default.value)
    if name in learned.floats - learned.whole:
        cx.builder.assume(f"{name} is float32 (by its use)")
        return TileValue(F4, weak=True)
    if not _is_constexpr(parameter):
        array = cx.facts.arrays.get(name)
        if array is not None and array.shape is None:
            return _typed(array.dtype, name)
        cx.builder.symbol(name, "tile" if "stride" in name else "size", f"the parameter {name}", 0)
        return TileValue(integer(ZERO).dtype, expr=symbol(name))
    cx.builder.symbol(name, "tile" if name in extents else "size", f"the constant {name}", 0)
    if name in configuration:
        cx.builder.guesses[name] = configuration[name]
        cx.builder.assume(f"{name} is that of the first configuration of its autotune")
    return TileValue(integer(ZERO).dtype, expr=symbol(name))


def _typed(dtype: DType, name: str) -> TileValue:
    return TileValue(dtype) if dtype.counts else TileValue(dtype, expr=symbol(name))


# -- the launch ---------------------------------------------------------------------------------------
def _settle(
    cx: Context, body: Body, numbers: Sequence[ProgramNumber], sites: Sequence[ProgramsLaunched],
    configurations: tuple[Configuration, ...],
) -> None:  # fmt: skip
    """The number of programs: bound by the user, read from a launch in the file, or what the masks need."""
    told = cx.facts.integers("grid")
    alike = bool(sites) and all(site.grid == sites[0].grid for site in sites)
    of_source = sites[0].grid if alike else None
    if of_source is not None and told is None and None not in of_source:
        cx.builder.assume(f"launched as in {sites[0].place}: grid ({', '.join(map(str, of_source))})")
    for name, value in (sites[0].constants if sites else {}).items():
        if name in cx.builder.symbols and name not in cx.facts.scalars:
            cx.builder.guesses.setdefault(name, value)
    said = set()
    digits = [digit for number in numbers for digit in reversed(number.digits)]
    blocks = [*(digit.extent for digit in digits), ONE, ONE, ONE][:3]
    programs = TYPICAL_PROGRAMS[max(0, len(numbers) - 1)]
    for k, own in enumerate(numbers):
        name = f"programs_{DIRECTIONS[k]}"
        if name not in own.programs.symbols:
            continue
        wanted = None
        if told is not None:
            wanted = Expr.of(told[k] if k < len(told) else 1)
        elif of_source is not None and k < len(of_source) and of_source[k] is not None:
            wanted = of_source[k]
        else:
            needed = _needed(body, own.digits[0].var)
            wanted = needed and needed * prod((digit.extent for digit in own.digits[1:]), start=ONE)
            said.add("as many programs as its masks ask for" if wanted is not None else f"{programs} programs an axis")
        if name not in cx.facts.scalars and wanted is not None:
            cx.builder.launched[name] = wanted
        elif name not in cx.facts.scalars:
            cx.builder.guesses[name] = programs
    if said:
        cx.builder.assume(f"launched with {' and '.join(sorted(said))} (typical; bind grid)")
    for name in {name for own in numbers for name in own.groups} & cx.builder.symbols.keys() - cx.facts.scalars.keys():
        cx.builder.symbols[name] = replace(cx.builder.symbols[name], kind="tile")
        cx.builder.guesses.setdefault(name, TYPICAL_GROUP)
    tiles = [s.name for s in cx.builder.symbols.values() if s.kind == "tile" and "stride" not in s.name]
    for name in tiles:
        if name not in cx.facts.scalars and name not in cx.builder.guesses:
            cx.builder.guesses[name] = TYPICAL_TILES[len(tiles) > 1]
    first = configurations[0] if configurations else Configuration((), sites[0].options if sites else ())
    fixed = told is not None or any(
        name not in cx.builder.launched for size in blocks for name in size.symbols if name.startswith("programs_")
    )
    comparable = configurations if not (fixed and share_work_out(body, configurations)) else ()
    cx.builder.launch = Launch((blocks[0], blocks[1], blocks[2]), first.block, configurations=comparable)


def _give_extents(cx: Context, body: Body) -> None:
    """The elements of arrays that nothing else tells: up to the last place of the last program."""
    ends: dict[str, list[Expr | None]] = {}
    for node, around in walk_with_blocks(body):
        if isinstance(node, Access):
            ends.setdefault(node.array, []).append(_last(node.index[0], loops_of(around), conditions_of(around)))
    for name, found in ends.items():
        array = cx.builder.arrays[name]
        [size] = array.shape
        known = [end for end in found if end is not None]
        if cx.facts.arrays.get(name) is None and not array.buffer and len(known) == len(found):
            cx.builder.equal[min(size.symbols)] = max(known, key=value_at_large_sizes) + 1


def _last(index: Expr | None, around: tuple[Loop, ...], masks: tuple[Condition, ...]) -> Expr | None:
    """The greatest place, of places whose steps are sizes: the one that a mask lets through, else the last program's.
    None of other places."""
    if index is None or all(index.coefficient(loop.var).constant is not None for loop in around):
        return None
    limits = [mask.expr + index for mask in masks if mask.relation == "ge"]
    if plain := [limit for limit in limits if not has_loop_variable(limit)]:
        return plain[0]
    for loop in reversed(around):
        if not index.is_linear_in([loop.var]):
            return None
        rises = all(number > 0 for number in index.coefficient(loop.var).terms.values())
        index = index.subs({loop.var: loop.stop - 1 if rises else loop.start})
    return None if has_loop_variable(index) else index


def _needed(body: Body, var: str) -> Expr | None:
    """The programs that conditions ``place + T*program < n`` let through."""
    needs: list[Expr] = []
    for node in walk(body):
        for c in node.conditions if isinstance(node, When) else ():
            slope = c.expr.coefficient(var) if c.expr.is_linear_in([var]) else ZERO
            if not slope or has_loop_variable(slope):
                continue
            rest = c.expr - slope * symbol(var)
            ends = Expr({m: v for m, v in rest.terms.items() if not any("#" in str(a) for a, _ in m)})
            if all(v < 0 for v in slope.terms.values()):
                needs.append(ceil_div(ends + 1, -slope))
    known = [need for need in needs if not has_loop_variable(need)]
    return max(known, key=value_at_large_sizes, default=None)
