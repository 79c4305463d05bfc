"""What a Triton kernel leaves open: how many programs are launched, how long its tiles are, and the strides and the
extents of its arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from roofscan.ir.assumption import Assumption
from roofscan.ir.conditions import Condition
from roofscan.ir.launch import Configuration, Launch
from roofscan.ir.tree import Access, Body, Loop, When
from roofscan.ir.visitor import conditions_of, loops_of, walk, walk_with_blocks
from roofscan.parse.lowering.context import Context
from roofscan.parse.lowering.subscript_ranges import has_loop_variable, value_at_large_sizes
from roofscan.parse.lowering.triton.configurations import share_work_out
from roofscan.parse.lowering.triton.launch_sites import ProgramsLaunched
from roofscan.parse.lowering.triton.order import ProgramNumber
from roofscan.symbolic.expr import ONE, ZERO, Expr, symbol
from roofscan.symbolic.floors import ceil_div

TYPICAL_TILES = (1024, 64)  # of one dimension, and of several
TYPICAL_GROUP = 8  # rows of programs
TYPICAL_PROGRAMS = (16384, 32, 8)  # along each of one, two or three directions


def is_stride(name: str) -> bool:
    return "stride" in name.lower()


def hold(cx: Context, name: str, value: int, why: str) -> None:
    """The value of a free size in verdicts, unless it has one."""
    if name in cx.builder.symbols and name not in cx.facts.scalars and name not in cx.builder.guesses:
        cx.builder.guesses[name] = value
        cx.builder.assume(Assumption(name, f"{value} in verdicts ({why})"))


def set_launch(
    cx: Context, body: Body, numbers: Sequence[ProgramNumber], sites: Sequence[ProgramsLaunched],
    configurations: tuple[Configuration, ...], strides: Mapping[str, Sequence[str]],
) -> None:  # fmt: skip
    """The number of programs: bound by the user, read from a launch in the file, or what the masks need."""
    told, grid = cx.facts.integers("grid"), _grid_of(sites)
    if grid and told is None and None not in grid:
        cx.builder.assume(f"launched as in {sites[0].place}: grid ({', '.join(map(str, grid))})")
    for name, value in (sites[0].constants if sites else {}).items():
        hold(cx, name, value, f"launched in {sites[0].place}")
    _give_strides(cx, sites, strides)
    _give_programs(cx, body, numbers, told, grid)
    _hold_tiles(cx, numbers)
    digits = [digit for number in numbers for digit in reversed(number.digits)]
    x, y, z = [*(digit.extent for digit in digits), ONE, ONE, ONE][:3]
    first = configurations[0] if configurations else Configuration((), sites[0].options if sites else ())
    counts = {own.launched for own in numbers}
    fixed = told is not None or any(counts & size.symbols - cx.builder.launched.keys() for size in (x, y, z))
    comparable = configurations if not (fixed and share_work_out(body, configurations)) else ()
    cx.builder.launch = Launch((x, y, z), first.block, configurations=comparable)


def _give_programs(
    cx: Context, body: Body, numbers: Sequence[ProgramNumber], told: Sequence[int] | None,
    grid: Sequence[Expr | None],
) -> None:  # fmt: skip
    said, typical = set(), TYPICAL_PROGRAMS[max(0, len(numbers) - 1)]
    for k, own in enumerate(numbers):
        name = own.launched
        if name not in own.programs.symbols:
            continue
        if told is not None:
            wanted: Expr | None = Expr.of(told[k] if k < len(told) else 1)
        elif (wanted := grid[k] if k < len(grid) else None) is None:
            needed = _needed(body, own.digits[0].var)
            wanted = needed and needed * prod((digit.extent for digit in own.digits[1:]), start=ONE)
            said.add("as many programs as its masks ask for" if wanted is not None else f"{typical} programs per axis")
        if name not in cx.facts.scalars and wanted is not None:
            cx.builder.launched[name] = wanted
        elif name not in cx.facts.scalars:
            cx.builder.guesses[name] = typical
    if said:
        cx.builder.assume(f"launched with {' and '.join(sorted(said))} (typical; bind grid)")


def _grid_of(sites: Sequence[ProgramsLaunched]) -> tuple[Expr | None, ...]:
    """That of all launches in the file; empty where they differ."""
    return (sites[0].grid or ()) if sites and all(site.grid == sites[0].grid for site in sites) else ()


def _hold_tiles(cx: Context, numbers: Sequence[ProgramNumber]) -> None:
    symbols = cx.builder.symbols
    for name in {name for own in numbers for name in own.groups} & symbols.keys() - cx.facts.scalars.keys():
        symbols[name] = replace(symbols[name], kind="tile")
        hold(cx, name, TYPICAL_GROUP, "typical of a group")
    tiles = [s.name for s in symbols.values() if s.kind == "tile" and not is_stride(s.name)]
    for name in tiles:
        hold(cx, name, TYPICAL_TILES[len(tiles) > 1], "typical of a tile")


def _give_strides(cx: Context, sites: Sequence[ProgramsLaunched], strides: Mapping[str, Sequence[str]]) -> None:
    """Those that a launch asks a tensor for are as if it had no gaps. Else the last stride of an array is 1."""
    free = {s.name for s in cx.builder.symbols.values()} - cx.facts.scalars.keys()
    told = {name: expr for name, expr in (sites[0].strides if sites else {}).items() if name in free}
    cx.builder.launched.update(told)
    if told:
        cx.builder.assume(f"{', '.join(told)}: strides of tensors without gaps (launched in {sites[0].place})")
    for array, names in strides.items():
        if len(names) > 1 and names[-1] not in told:
            hold(cx, names[-1], 1, f"the last stride of {array}")


def give_extents(cx: Context, body: Body) -> None:
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
    index = None if index is None else _at_their_greatest(index)
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


def _at_their_greatest(index: Expr) -> Expr:
    """A place with ``q - 1`` for each remainder ``p % q``, which is ``p - q*(p // q)``."""
    for atom in index.atoms:
        if atom.name == "floor":
            p, q = atom.args
            slope = ZERO - Expr(
                {tuple(f for f in m if f[0] != atom): v for m, v in index.terms.items() if (atom, 1) in m}
            )
            rest = index - slope / q * (p - q * Expr.atom(atom))
            index = index if atom in rest.atoms else rest + slope / q * (q - 1)
    return index


def _needed(body: Body, var: str) -> Expr | None:
    """The programs that conditions ``place + T*program < n`` let through."""
    needs: list[Expr] = []
    for node in walk(body):
        for c in node.conditions if isinstance(node, When) else ():
            slope = c.expr.coefficient(var) if c.expr.is_linear_in([var]) else ZERO
            if not slope or has_loop_variable(slope):
                continue
            rest = c.expr - slope * symbol(var)
            ends = Expr({m: v for m, v in rest.terms.items() if not has_loop_variable(Expr({m: v}))})
            if all(v < 0 for v in slope.terms.values()):
                needs.append(ceil_div(ends + 1, -slope))
    known = [need for need in needs if not has_loop_variable(need)]
    return max(known, key=value_at_large_sizes, default=None)
