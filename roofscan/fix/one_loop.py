"""Whole-array expressions and their temporaries as one loop over the elements, under Numba (RFL301, RFL302, RFL504):
statements of a compiled function that store into arrays, or the whole of a plain function, which is then compiled."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile

import libcst as cst

from roofscan.fix.decorator import numba_name, option
from roofscan.fix.elements import (
    Element,
    Elements,
    NotElementwise,
    Stretch,
    is_fresh,
    known_arrays,
    listed,
    types_of,
    walks_of,
)
from roofscan.fix.hazards import divides, overlapping
from roofscan.fix.model import Fix, Site
from roofscan.fix.numbers import Numbers, is_alike
from roofscan.fix.source import (
    New,
    block,
    code,
    comments,
    fresh_name,
    loaded_names,
    nodes,
    siblings,
    simple_lines,
    stored_names,
)

NAMES = ("i", "j", "k", "l")
SHAPES = "shapes are not compared"
SUBSCRIPTS = "shapes and subscripts are not checked"
DIVISIONS = "1/0 gives inf instead of an error"
COMPILED = "Numba rounds in its own way, and takes arrays and numbers of 64 bits alone"
IN_PLACE = ("=", "+=", "-=", "*=", "/=")  # others differ between arrays and numbers where they meet 0

Line = cst.SimpleStatementLine
Stretches = Sequence[Stretch | cst.BaseExpression]


def one_loop(site: Site) -> Fix | None:
    """The statements of the finding, or its plain function, as one loop; None where that is not certainly the same."""
    try:
        return _of_statements(site) if site.kernel.decorator.compiled else _of_function(site)
    except NotElementwise:
        return None


# -- statements of a compiled function ------------------------------------------------------------------
def _of_statements(site: Site) -> Fix | None:
    """The first statement of the finding that stores, with its neighbours of the same shape."""
    lines = {site.finding.line, *site.finding.lines}
    stores = (s for s in simple_lines(site.function) if not lines.isdisjoint(site.source.lines(s)) and _store(site, s))
    statement = next(stores, None)
    if statement is None or site.kernel.decorator.parallel:
        return None
    statements, body = _longest(site, statement)
    first, *rest = body.loops()
    changes: dict[cst.CSTNode, New] = dict.fromkeys(statements, cst.RemoveFromParent())
    changes[statements[0]] = cst.FlattenSentinel([first.with_changes(leading_lines=_comments(statements)), *rest])
    why = SHAPES
    if body.divides and site.kernel.decorator.error_model != "numpy":
        changes.update(option(site, "error_model", '"numpy"') or {})
        why = f"{SHAPES}, {DIVISIONS}"
        if len(changes) <= len(statements):
            return None
    numbers = [str(site.source.line(s)) for s in statements]
    what = f"write line {numbers[0]} as a loop" if len(numbers) < 2 else f"write lines {listed(numbers)} as one loop"
    return Fix(site, site.source.replaced(changes), what, "unsafe", why, body.assumed())


def _longest(site: Site, statement: Line) -> tuple[list[Line], _Body]:
    """The longest run of statements around one that may be one loop, those before it first."""
    run, body = [statement], _body(site, [statement])
    around = [*siblings(site.source, statement)]
    place = around.index(statement) if statement in around else 0
    for more, is_before in ((around[:place][::-1], True), (around[place + 1 :], False)):
        wider = run
        for node in more:
            if not isinstance(node, Line):
                break
            wider = [node, *wider] if is_before else [*wider, node]
            with suppress(NotElementwise):
                run, body = wider, _body(site, wider)
    return run, body


def _body(site: Site, statements: Sequence[Line]) -> _Body:
    """NotElementwise where they make arrays that something else reads, or store into arrays of several shapes."""
    stores = [store for s in statements if (store := _store(site, s))]
    body = _Body(site, *_target(site, stores[-1]))
    for statement in statements:
        body.add(statement)
    body.loops()
    shapes = {site.kernel.array_named[code(store.value)].shape for store in stores}
    inside = {id(node) for s in statements for node in nodes(s)}
    read = {node.value for node in nodes(site.function) if isinstance(node, cst.Name) and id(node) not in inside}
    made = [name for s in statements if not _store(site, s) for name in stored_names(s)]
    used = loaded_names(*(s.body[0].value for s in statements if isinstance(s.body[0], (cst.Assign, cst.AugAssign))))
    if len(shapes) > 1 or not read.isdisjoint(made) or not used.issuperset(made):
        raise NotElementwise
    return body


def _comments(statements: Sequence[Line]) -> list[cst.EmptyLine]:
    """What stands above and behind statements, above them all."""
    found: list[cst.EmptyLine] = []
    for statement in statements:
        behind = statement.trailing_whitespace.comment
        found += [*statement.leading_lines, *([cst.EmptyLine(comment=behind)] if behind else [])]
    return found


def _store(site: Site, statement: Line) -> cst.Subscript | None:
    """The subscript of an array that a statement stores into: of ``v += 1`` for an argument, ``v[...]``."""
    small = statement.body[0] if len(statement.body) == 1 else None
    target: cst.CSTNode | None = small.target if isinstance(small, cst.AugAssign) else None
    if isinstance(target, cst.Name) and target.value in {*site.kernel.parameters} & site.kernel.array_named.keys():
        return cst.Subscript(target, [cst.SubscriptElement(cst.Index(cst.Ellipsis()))])
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    return target if isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name) else None


def _target(site: Site, store: cst.Subscript) -> tuple[str, Stretches]:
    """The array, and what the subscript says of its axes."""
    array = site.kernel.array_named.get(code(store.value))
    if array is None:
        raise NotElementwise
    return array.name, walks_of(store.slice, len(array.shape))


# -- a plain function ---------------------------------------------------------------------------------
def _of_function(site: Site) -> Fix | None:
    """Only where it stores into its arguments: the first touch of fresh memory under Numba takes what the loop gains,
    and NumPy's special functions are vector code, Numba's are not (measured: 0.13 to 1.15 of NumPy's speed)."""
    function, named = site.function, numba_name(site.source, "njit")
    own = [s for s in block(function) if not _is_docstring(s)]
    statements = [s for s in own if isinstance(s, Line)]
    if named is None or function.decorators or function.asynchronous or len(statements) < max(1, len(own)):
        return None
    if not isinstance(site.source.parents[function], cst.Module) or comments(function.body) or _has_stars(function):
        return None
    stores = [store for s in statements if (store := _store(site, s))]
    types = {array.dtype.code for array in site.kernel.arrays}
    if not stores or types not in ({"f8"}, {"c16"}):
        return None
    body = _Body(site, *_target(site, stores[-1]))
    before = [*takewhile(body.is_of_numbers, statements)]
    global_ = any(array.role == "global" for array in site.kernel.arrays)  # to Numba a constant
    if global_ or not all(is_alike(part) for s in before for part in nodes(s)):
        return None
    last = [s for s in statements[-1:] if _returns_argument(site, s)]
    for statement in statements[len(before) : len(statements) - len(last)]:
        body.add(statement)
    may_divide = body.divides or any(divides(part) for s in before for part in nodes(s))
    if body.is_special or (may_divide and "c16" in types):  # complex divisions by 0 raise in any error model
        return None
    whole = [*block(function)[: len(block(function)) - len(own)], *before, *body.loops(), *last]
    name, imported = named
    options = '(error_model="numpy")' if may_divide else ""
    head = cst.Decorator(cst.parse_expression(f"{name}{options}"))
    new = function.with_changes(decorators=[head], body=function.body.with_changes(body=whole))
    what = f"compile {site.kernel.name} with njit, as one loop over the elements"
    changes: dict[cst.CSTNode, New] = {**imported, function: new}
    why = ", ".join((SUBSCRIPTS, *([DIVISIONS] if may_divide else []), COMPILED))
    return Fix(site, site.source.replaced(changes), what, "unsafe", why, body.assumed())


def _is_docstring(statement: cst.BaseStatement) -> bool:
    small = statement.body[0] if isinstance(statement, Line) else None
    return isinstance(small, cst.Expr) and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))


def _returns_argument(site: Site, statement: Line) -> bool:
    small = statement.body[0]
    return isinstance(small, cst.Return) and (small.value is None or code(small.value) in site.kernel.parameters)


def _has_stars(function: cst.FunctionDef) -> bool:
    given = function.params
    return bool(given.star_kwarg or given.kwonly_params or isinstance(given.star_arg, cst.Param))


# -- the loops ------------------------------------------------------------------------------------------
class _Body:
    """What loops over the axes that a subscript of an array slices do in an iteration."""

    def __init__(self, site: Site, array: str, walks: Stretches) -> None:
        self._site, self._array = site, array
        self._taken = loaded_names(site.function)
        self._numbers = Numbers(site.kernel, site.function)
        axes = [(axis, walk.trimmed) for axis, walk in enumerate(walks) if isinstance(walk, Stretch)]
        if not 0 < len(axes) <= len(NAMES):
            raise NotElementwise
        self._axes = [(self._fresh(name), *place) for name, place in zip(NAMES, axes, strict=False)]
        indices, trimmed = [name for name, _, _ in self._axes], [cut for _, _, cut in self._axes]
        self._elements = Elements(known_arrays(site), self._numbers.names, indices, trimmed)
        self._stored: set[str] = set()
        self._lines: list[Line] = []
        self._added: list[cst.BaseExpression] = []

    @property
    def divides(self) -> bool:
        return self._elements.divides

    @property
    def is_special(self) -> bool:
        return self._elements.is_special

    def _fresh(self, wanted: str) -> str:
        name = fresh_name(wanted, self._taken)
        self._taken.add(name)
        return name

    def add(self, statement: Line) -> None:
        small = statement.body[0] if len(statement.body) == 1 else None
        if not isinstance(small, (cst.Assign, cst.AugAssign)):
            raise NotElementwise
        value, store = self._elements.of(small.value), _store(self._site, statement)
        target = small.target if isinstance(small, cst.AugAssign) else small.targets[0].target
        operator = code(small.operator).strip() if isinstance(small, cst.AugAssign) else "="
        if operator not in IN_PLACE:
            raise NotElementwise
        self._elements.divides |= divides(small)
        self._added.append(small.value)
        self._append(self._stored_in(store) if store else self._kept(target, small, value), operator, value)

    def _append(self, target: str, operator: str, value: Element) -> None:
        made = cst.parse_statement(f"{target} {operator} {value.text}\n")
        assert isinstance(made, Line)
        self._lines.append(made)

    def _stored_in(self, store: cst.Subscript) -> str:
        name = code(store.value)
        found = self._elements.element(name, store.slice)
        if found.rank < len(self._axes):
            raise NotElementwise
        self._stored.add(name)
        return found.text

    def _kept(self, target: cst.BaseExpression, small: cst.Assign | cst.AugAssign, value: Element) -> str:
        """A name that becomes a number in each iteration: that of a new array."""
        name = target.value if isinstance(target, cst.Name) else ""
        if not name or name in self._site.kernel.parameters:
            raise NotElementwise
        if isinstance(small, cst.AugAssign):
            if not self._elements.is_kept(name):
                raise NotElementwise
        elif len(small.targets) > 1 or not is_fresh(small.value):
            raise NotElementwise
        else:
            self._elements.keep(name, value.rank)
        return name

    def is_of_numbers(self, statement: Line) -> bool:
        """Whether a statement gives names numbers that are theirs for good."""
        names = stored_names(statement)
        small = statement.body[0]
        once = not names & {*self._site.kernel.parameters} and names <= self._numbers.names
        return isinstance(small, cst.Assign) and len(statement.body) == 1 and bool(names) and once

    def loops(self) -> tuple[cst.BaseStatement, ...]:
        self._check()
        made: tuple[cst.BaseStatement, ...] = tuple(self._lines)
        rank = len(self._site.kernel.array_named[self._array].shape)
        for name, axis, cut in reversed(self._axes):
            extent = f"len({self._array})" if rank == 1 else f"{self._array}.shape[{axis}]"
            over = cst.parse_expression(f"range({extent}{f' - {cut}' if cut else ''})")
            made = (cst.For(cst.Name(name), over, cst.IndentedBlock(made)),)
        return made

    def _check(self) -> None:
        """No iteration may read what another one stores."""
        touched, arrays = self._elements.touched, self._site.kernel.array_named
        owners = {arrays[name].owner for name in self._stored}
        shared = [name for name in touched if arrays[name].owner in owners]
        if len(shared) > len(owners) or any(len(touched[name]) > 1 for name in self._stored) or not touched:
            raise NotElementwise

    def assumed(self) -> tuple[str, ...]:
        names = sorted(self._elements.touched)
        same = (f"{listed(names)} match in shape",) if len(names) > 1 else ()
        apart = overlapping(self._site.kernel, {name: name in self._stored for name in names})
        numbers = (f"{name} is a number" for name in self._numbers.given(*self._added))
        return (*apart, *same, *types_of(self._site.kernel, names), *numbers)
