"""Whole-array expressions and their temporaries as one loop over the elements (RFL301, RFL302, RFL504): statements of a
compiled function that store into arrays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import libcst as cst

from roofscan.fix.array_loops.element_loop import ElementLoop
from roofscan.fix.array_loops.stores import Line, assignment_of, store_of, stored_into
from roofscan.fix.array_loops.walks import NotElementwise
from roofscan.fix.decorator import DIVISIONS, option
from roofscan.fix.elements import listed
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import New, code, loaded_names, nodes, siblings, simple_lines, stored_names
from roofscan.frozen import dataclass

SHAPES = "shapes that do not match raise no error"


@dataclass(frozen=True)
class ArrayLoop:
    """Statements on whole arrays, and the loops that do the same: after what makes their result, or sets a sum to 0,
    and before what is done with it."""

    statements: Sequence[Line]
    body: ElementLoop
    making: Sequence[cst.BaseStatement] = ()
    total: str = ""  # the name of a sum, which is 0.0 before the loops
    behind: Sequence[cst.BaseStatement] = ()
    value: str = ""  # what becomes of the sum: itself, or a mean

    @property
    def adds(self) -> bool:
        return bool(self.total) or self.body.sums

    @property
    def inner(self) -> tuple[cst.BaseStatement, ...]:
        return *([starting_at(self.total)] if self.total else []), *self.body.loops()

    def replaced_by(self, *inner: cst.BaseStatement) -> dict[cst.CSTNode, New]:
        """The nodes that replace the statements, with their comments; ``inner`` runs the loops."""
        first, *rest = *self.making, *inner, *self.behind
        changes: dict[cst.CSTNode, New] = dict.fromkeys(self.statements, cst.RemoveFromParent())
        first = first.with_changes(leading_lines=_comments(self.statements))
        return {**changes, self.statements[0]: cst.FlattenSentinel([first, *rest])}

    def what(self, site: Site) -> str:
        numbers = [str(site.source.line(s)) for s in self.statements]
        return f"line {numbers[0]} as a loop" if len(numbers) < 2 else f"lines {listed(numbers)} as one loop"


def one_loop(site: Site) -> Fix | None:
    """The statements of the finding as one loop; None where that is not certainly the same."""
    return in_place_of(site, loop_of_stores(site)) if site.kernel.decorator.compiled else None


def loop_of_stores(site: Site) -> ArrayLoop | None:
    """The first statement of the finding that stores, with its neighbours of the same shape."""
    statement = next((s for s in statements_named(site) if store_of(site, s)), None)
    if statement is None or site.kernel.decorator.parallel:
        return None
    with suppress(NotElementwise):
        return ArrayLoop(*_longest(site, statement))
    return None


def starting_at(name: str) -> cst.BaseStatement:
    """The statement that sets a sum to 0."""
    made = cst.parse_statement(f"{name} = 0.0\n")
    assert isinstance(made, cst.SimpleStatementLine)
    return made


def statements_named(site: Site) -> list[Line]:
    """The statements of the finding."""
    lines = {site.finding.line, *site.finding.lines}
    return [s for s in simple_lines(site.function) if not lines.isdisjoint(site.source.lines(s))]


def in_place_of(site: Site, found: ArrayLoop | None, *whys: str) -> Fix | None:
    """The fix that writes statements of a compiled function anew."""
    if found is None:
        return None
    changes, whys = found.replaced_by(*found.inner), (SHAPES, *whys)
    if found.body.divides and site.kernel.decorator.error_model != "numpy":
        head = option(site, "error_model", '"numpy"')
        if not head:
            return None
        changes, whys = {**changes, **head}, (*whys, DIVISIONS)
    what = f"write {found.what(site)}"
    return Fix(site, site.source.replaced(changes), what, "unsafe", ", ".join(whys), found.body.assumed())


def _longest(site: Site, statement: Line) -> tuple[list[Line], ElementLoop]:
    """The longest run of statements around one that may be one loop, those before it first."""
    run, body, found = [statement], None, NotElementwise()
    try:
        body = _body(site, run)
    except NotElementwise as error:  # it may read what the statements before it make
        found = error
    around = [*siblings(site.source, statement)]
    place = around.index(statement) if statement in around else 0
    for more, is_before in ((around[:place][::-1], True), (around[place + 1 :], False)):
        wider = run
        for node in more:
            if not isinstance(node, Line):
                break
            wider = [node, *wider] if is_before else [*wider, node]
            with suppress(NotElementwise):
                body = _body(site, wider)
                run = wider
    if body is None:
        raise found
    return run, body


def _body(site: Site, statements: Sequence[Line]) -> ElementLoop:
    """NotElementwise where they make arrays that something else reads, or store into arrays of several shapes."""
    stores = [store for s in statements if (store := store_of(site, s))]
    body = ElementLoop(site, stored_into(site, stores[-1]))
    for statement in statements:
        body.add(statement)
    body.loops()
    shapes = {site.kernel.array_named[code(store.value)].shape for store in stores}
    inside = {id(node) for s in statements for node in nodes(s)}
    read = {node.value for node in nodes(site.function) if isinstance(node, cst.Name) and id(node) not in inside}
    made = [name for s in statements if not store_of(site, s) for name in stored_names(s)]
    used = loaded_names(*(found.value for s in statements if (found := assignment_of(s))))
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
