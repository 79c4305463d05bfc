"""A loop down each column, one column after the other, as loops along the rows (RFL201). The other statements of the
outer loop get loops of their own, and a scalar that the loops share becomes an array with an element for each column:

    for j in range(p):                    mean = np.empty(p)
        mean = 0.0                        for j in range(p):
        for i in range(n):                    mean[j] = 0.0
            mean += x[i, j]               for i in range(n):
        x[0, j] = mean / n                    for j in range(p):
                                                  mean[j] += x[i, j]
                                          for j in range(p):
                                              x[0, j] = mean[j] / n

Every element gets the same numbers in the same order. Measured under Numba 0.68 on Zen 5 for 40, 300
and 1,500 rows and columns: means and variances 2.6, 6.9 and 3.4 times the speed, counts 1.7, 3.9 and 5.9 times, a
summed-area table 0.9, 1.4 and 3.2 times."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import libcst as cst

from roofscan.cost.dependence import dependences, keeps, may_split
from roofscan.cost.transform.nest import Nest
from roofscan.cost.transform.perfect_nests import is_fully_known
from roofscan.cost.transform.perfect_nests import is_plain as is_plain_loop
from roofscan.fix.bounds import Bounds, range_ends
from roofscan.fix.columns.number_types import NumberTypes, Type
from roofscan.fix.columns.real_numbers import MayBeComplex, RealNumbers
from roofscan.fix.elements import listed, types_of
from roofscan.fix.from_zero import counted_rows
from roofscan.fix.hazards import is_plain_at, never_raises, reordering, shares_iterations
from roofscan.fix.linear import linear
from roofscan.fix.liveness import carries, leaks
from roofscan.fix.model import Fix, Site
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import (
    New,
    Renaming,
    block,
    code,
    enclosing_loops,
    fresh_name,
    loaded_names,
    loop_name,
    nodes,
    stored_names,
)
from roofscan.frozen import dataclass
from roofscan.ir.tree import Body, Loop
from roofscan.ir.visitor import accesses, loops

DTYPES = {"float": "", "int": ", {}.int64"}
SWAP = (1, 0)

Statements = tuple[cst.BaseStatement, ...]


@dataclass(frozen=True)
class _Columns:
    """The loop over columns, and its body in parts: loops down a column, and what stands between them."""

    outer: cst.For
    parts: tuple[Statements, ...]

    @property
    def column(self) -> str:
        return loop_name(self.outer)

    @property
    def inner(self) -> list[cst.For]:
        return [part[0] for part in self.parts if isinstance(part[0], cst.For)]


def by_rows(site: Site) -> Fix | None:
    """None where the rows would not certainly give the same."""
    columns = _columns_at(site)
    if columns is None or not site.kernel.decorator.compiled or not _may_move(site, columns):
        return None
    loop = _in_tree(site, columns.outer)
    shared = _shared(site, columns)
    if loop is None or shared is None or not _is_legal(site, columns, loop):
        return None
    numpy, types = module_name(site.source, "numpy"), NumberTypes(site.kernel, site.function)
    kinds = {name: types.of_name(name) for name in shared}
    typed = _types(site, columns, types, kinds)
    if shared and (not numpy or None in kinds.values() or typed is None):
        return None
    names = _names(site, columns, shared)
    made = [
        cst.parse_statement(f"{names[name]} = {numpy}.empty({_length(site, columns)}{DTYPES[kind].format(numpy)})\n")
        for name, kind in kinds.items()
        if kind
    ]
    new = [*made, *_loops(columns, names)]
    new[0] = new[0].with_changes(leading_lines=columns.outer.leading_lines)
    arrays = f", with {listed([*names.values()])} as {'arrays' if len(names) > 1 else 'an array'}" if names else ""
    what = f"make {columns.column} the innermost loop{arrays}"
    changes: dict[cst.CSTNode, New] = {columns.outer: cst.FlattenSentinel(new)}
    fix = reordering(site, changes, what, (loop,), typed or ())
    return fix and counted_rows(fix, columns.outer)


def _types(
    site: Site, columns: _Columns, types: NumberTypes, kinds: Mapping[str, Type | None]
) -> tuple[str, ...] | None:
    """What must be assumed of types, so that the arrays can hold the scalars; None where that is not known."""
    floats, numbers = [n for n in kinds if kinds[n] == "float"], RealNumbers(site.kernel, site.source, site.function)
    loose = (s for part in columns.parts for s in (block(part[0]) if isinstance(part[0], cst.For) else part))
    try:
        real = sorted(numbers.needed(floats, loose) - types.rests_on)
    except MayBeComplex:
        return None
    given = types_of(site.kernel, sorted(types.rests_on)) if types.rests_on else ()
    return (*given, *_floats(types), *([f"{listed(real)} {'are' if real[1:] else 'is'} real"] if real else []))


def _floats(types: NumberTypes) -> Iterator[str]:
    return (f"{name} is a float" for name in sorted(types.taken_for_floats))


def _columns_at(site: Site) -> _Columns | None:
    """The two loops around the finding's line, the inner one directly in the outer one."""
    every = (n for n in nodes(site.function) if isinstance(n, cst.For) and site.finding.line in site.source.lines(n))
    inner = max(every, key=lambda loop: len(enclosing_loops(site.source, loop)), default=None)
    outer = next(iter(enclosing_loops(site.source, inner)), None) if inner is not None else None
    if outer is None or inner not in block(outer) or not loop_name(outer):
        return None
    parts = [tuple(run) for _, run in groupby(block(outer), key=lambda s: id(s) if isinstance(s, cst.For) else 0)]
    return _Columns(outer, tuple(parts))


def _may_move(site: Site, columns: _Columns) -> bool:
    """Whether the loops may be taken apart as far as the source tells."""
    outer, inner = columns.outer, columns.inner
    bound, ends = stored_names(*block(outer)) | {columns.column}, range_ends(outer)
    if columns.column in stored_names(*block(outer)) or ends is None:
        return False
    if not all(map(block, inner)):  # on one line
        return False
    start = Bounds(site.kernel, site.function, enclosing_loops(site.source, outer)).least(ends[0])
    if start is None or start < 0 or any(range_ends(loop) is None for loop in inner):
        return False
    loose = [s for part in columns.parts if not isinstance(part[0], cst.For) for s in part]
    nested = [node for s in (*loose, *(s for loop in inner for s in block(loop))) for node in nodes(s)]
    if (
        any(isinstance(node, cst.For) for node in nested)
        or not is_plain_at(site, outer)
        or not all(map(loop_name, inner))
    ):
        return False
    if not bound.isdisjoint(loaded_names(*(loop.iter for loop in (outer, *inner)))):
        return False
    if not all(map(never_raises, (outer, *inner))) or shares_iterations(site.kernel, outer):
        return False
    return not leaks(site.source, site.function, (outer,)) and not carries(site.source, outer)


def _in_tree(site: Site, outer: cst.For) -> Loop | None:
    """The loop in the kernel's tree, where it is there once."""
    place = site.source.line(outer), loop_name(outer)
    found = [loop for loop in loops(site.kernel.body) if (loop.line, loop.source_name) == place]
    return found[0] if len(found) == 1 and not found[0].is_elsewhere else None


# -- what the parts share -----------------------------------------------------------------------------
def _shared(site: Site, columns: _Columns) -> list[str] | None:
    """The scalars that outlive an iteration of a part, in the order of the text; None where a loop's variable does."""
    bound = [n.value for s in block(columns.outer) for n in nodes(s) if isinstance(n, cst.Name)]
    names = dict.fromkeys(name for name in bound if name in stored_names(*block(columns.outer)))
    kept = {name for name in names if _is_of_one_part(site, columns, name)}
    shared = [name for name in names if name not in kept]
    return None if {loop_name(loop) for loop in columns.inner} & {*shared} else shared


def _is_of_one_part(site: Site, columns: _Columns, name: str) -> bool:
    inner = {loop_name(loop) for loop in columns.inner}
    if name in inner:  # each of its loops begins it anew
        others = [s for part in columns.parts for s in part if not isinstance(s, cst.For) or loop_name(s) != name]
        own = [s for loop in columns.inner if loop_name(loop) == name for s in block(loop)]
        return name not in loaded_names(*others) and name not in stored_names(*own)
    parts = [part for part in columns.parts if name in loaded_names(*part)]
    if len(parts) > 1:
        return False
    [first, *_] = parts[0]
    rest = stored_names(*block(columns.outer)) - {name}
    return not isinstance(first, cst.For) or not carries(site.source, first, rest)


def _names(site: Site, columns: _Columns, shared: Sequence[str]) -> Mapping[str, str]:
    """What the arrays are called: as the scalars, where these have no other use."""
    inside = {id(node) for node in nodes(columns.outer)}
    elsewhere = {n.value for n in nodes(site.function) if isinstance(n, cst.Name) and id(n) not in inside}
    taken, found = loaded_names(site.source.module), dict[str, str]()
    for name in shared:
        found[name] = fresh_name(f"{name}_row", taken) if name in elsewhere else name
        taken.add(found[name])
    return found


def _length(site: Site, columns: _Columns) -> str:
    ends = range_ends(columns.outer)
    assert ends is not None
    stop, text = linear(ends[1], lengths=True), code(ends[1])
    bounds = Bounds(site.kernel, site.function, enclosing_loops(site.source, columns.outer))
    least = None if stop is None else bounds.least(stop)
    is_length = stop is not None and not stop.constant and all(not name.isidentifier() for name in stop.names)
    return text if is_length or (least is not None and least >= 0) else f"max({text}, 0)"


# -- whether it is legal ------------------------------------------------------------------------------
def _is_legal(site: Site, columns: _Columns, loop: Loop) -> bool:
    """Whether each element of an array is still read and written in the order of the source."""
    kernel, parts = site.kernel, [*_tree_parts(loop.body)]
    inner = [part[0] for part in parts if isinstance(part[0], Loop)]
    if not all(map(is_plain_loop, (loop, *inner))) or not is_fully_known(kernel, loop):
        return False
    if len(inner) != len(columns.inner) or not _runs_along(site, loop, inner) or _makes_a_chain(loop, inner):
        return False
    nest = Nest((loop,), loop.body)
    for number in range(1, len(parts)):
        first, rest = (tuple(node for part in half for node in part) for half in (parts[:number], parts[number:]))
        if not may_split(kernel, nest, first, rest):
            return False
    return all(keeps(SWAP, dependences(kernel, Nest((loop, down), down.body))) for down in inner)


def _runs_along(site: Site, loop: Loop, inner: Sequence[Loop]) -> bool:
    """Whether the loop over columns goes along the rows of the finding's array."""
    arrays = {
        name: site.kernel.array_named[name] for name in site.finding.subject.names if name in site.kernel.array_named
    }
    places = [
        (index, step)
        for access in accesses(tuple(inner))
        if access.line == site.finding.line and access.array in arrays
        for index, step in zip(access.index, arrays[access.array].strides, strict=False)
    ]
    return any(index is not None and step == 1 and index.coefficient(loop.var) == 1 for index, step in places)


def _makes_a_chain(loop: Loop, inner: Sequence[Loop]) -> bool:
    """Whether all columns would update one element in turn, each waiting for the one before: the elements of a row that
    fits a cache take longer so."""
    written = (access for access in accesses(tuple(inner)) if access.write)
    return any(not any(e is not None and loop.var in e.symbols for e in access.index) for access in written)


def _tree_parts(body: Body) -> Iterator[Body]:
    return (tuple(run) for _, run in groupby(body, key=lambda node: node.var if isinstance(node, Loop) else ""))


# -- the loops ----------------------------------------------------------------------------------------
def _loops(columns: _Columns, names: Mapping[str, str]) -> Iterator[cst.BaseStatement]:
    for part in columns.parts:
        [first, *_] = part
        if isinstance(first, cst.For):
            along = _over(columns.outer, _with_elements(block(first), columns.column, names))
            yield first.with_changes(body=first.body.with_changes(body=[along]))
        else:
            yield _over(columns.outer, _with_elements(part, columns.column, names))


def _over(outer: cst.For, body: Statements) -> cst.For:
    return cst.For(outer.target.deep_clone(), outer.iter.deep_clone(), cst.IndentedBlock(body))


def _with_elements(statements: Statements, column: str, names: Mapping[str, str]) -> Statements:
    for name, array in names.items():
        instead = Renaming(name, cst.parse_expression(f"{array}[{column}]"))
        statements = tuple(instead.of(statement) for statement in statements)
    return statements
