"""Another order of the loops of a nest, as source. Loops that hold nothing but each other exchange their heads. What
stands between them moves as the analysis proved that it may: reads go into the innermost loop, a start (``C[i, j] =
0``) and a finish get loops of their own, and a scalar accumulator gives way to the element in which it ends, so that
every element gets the same numbers in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import libcst as cst

from roofscan.cost.transform.nest import loop_records
from roofscan.cost.transform.perfect_nests import Perfect, perfect_nests
from roofscan.fix.bounds import range_ends
from roofscan.fix.decorator import FASTMATH, SUMS, option
from roofscan.fix.from_zero import counted_rows
from roofscan.fix.hazards import is_plain_at, never_raises, raising_at_once, reordering
from roofscan.fix.heads import heads_in
from roofscan.fix.liveness import carries, leaks
from roofscan.fix.model import Fix, Site
from roofscan.fix.premises.type_sources import typed_by
from roofscan.fix.source import (
    New,
    Renaming,
    SourceTree,
    assigned_name,
    block,
    comments,
    loaded_names,
    loop_name,
    only_assignment,
    stored_names,
)
from roofscan.frozen import dataclass
from roofscan.ir.visitor import accesses, leaves

Statements = tuple[cst.BaseStatement, ...]


def interchanged(site: Site) -> Fix | None:
    """The loops in the order that the finding asks for; None where the source does not allow it for certain."""
    perfect = _nest_of(site)
    order = site.finding.transformation.order if site.finding.transformation else ()
    loops = _nested_in_each_other(site.nodes_of(perfect.nest.loops)) if perfect else ()
    if perfect is None or not loops or sorted(order) != sorted(map(loop_name, loops)) or len(set(order)) < len(order):
        return None
    whole = ", ".join(order)
    kept = next(n for n, (name, loop) in enumerate(zip(order, loops, strict=True)) if name != loop_name(loop))
    loops, order = loops[kept:], order[kept:]
    heads = heads_in(loops, order)
    if heads is None or not all(map(never_raises, loops)) or not is_plain_at(site, loops[0]):
        return None
    if site.kernel.decorator.parallel and _is_triangular(heads[-1]):
        return None
    if leaks(site.source, site.function, loops[:1]):
        return None
    if carries(site.source, loops[-1], (perfect.accumulator,)):
        return None
    new = _reordered(site.source, perfect, loops, heads)
    if new is None:
        return None
    what = f"make the loops run in the order {whole}"
    changes: dict[cst.CSTNode, New] = {loops[0]: cst.FlattenSentinel(new)}
    if _makes_a_chain(site, perfect, order[-1]):
        return _added_up(site, changes, what, perfect)
    at_once = raising_at_once(site.kernel, loops)
    made = reordering(site, changes, what, (perfect.top,), _types(site, perfect, loops[-2]), at_once)
    return made and counted_rows(made, heads[-1])


def _makes_a_chain(site: Site, perfect: Perfect, innermost: str) -> bool:
    """Whether the iterations of the innermost loop would add to one element in turn, as those of the loop in its place
    do not."""
    before, [after] = perfect.nest.loops[-1], [loop for loop in perfect.nest.loops if loop.source_name == innermost]
    written = [access for access in accesses(perfect.nest.body) if access.write]
    own = [
        all(not any(e is not None and loop.var in e.symbols for e in a.index) for a in written)
        for loop in (before, after)
    ]
    return bool(written) and own == [False, True] and not site.kernel.decorator.may_reorder


def _added_up(site: Site, changes: Mapping[cst.CSTNode, New], what: str, perfect: Perfect) -> Fix | None:
    """Rows that are added up one by one wait for each addition: the loop is slower where the data fit a cache (0.6 to
    0.9 of the speed for 30 and 127 rows), and 1.7 to 18 times as fast with sums in any order."""
    head = option(site, "fastmath", FASTMATH)
    if head is None or perfect.accumulator:
        return None
    made = reordering(site, {**changes, **head}, f"{what}, with fastmath={FASTMATH}", (perfect.top,))
    if made is None:
        return None
    whys = ", ".join(filter(None, (SUMS, made.why_unsafe)))
    return replace(made, safety="unsafe", why_unsafe=whys, option="fastmath")


def _is_triangular(innermost: cst.For) -> bool:
    """Whether its rows start where another loop stands: in threads these stay scalar code, and a covariance of 90 to
    434 columns took 0.5 to 1.15 of the time where an eighth was promised."""
    ends = range_ends(innermost)
    return ends is not None and bool(ends[0].names)


def _nest_of(site: Site) -> Perfect | None:
    record = site.finding.transformation
    found = (p for p in perfect_nests(site.kernel) if record and loop_records(p.nest.loops) == record.loops)
    return next(found, None)


def _nested_in_each_other(loops: tuple[cst.For, ...]) -> tuple[cst.For, ...]:
    """The loops, outermost first; () unless each is directly in the body of the one before."""
    return loops if all(inner in block(outer) for outer, inner in pairwise(loops)) else ()


def _types(site: Site, perfect: Perfect, around: cst.For) -> Iterator[str]:
    """The types that a scalar accumulator and its element must have, where nothing says it: a sum that starts from 0 is
    one of integers where all that it adds are, and an array like another one has its type."""
    if perfect.element is None:
        return
    start = next(s for s in block(around) if assigned_name(s) == perfect.accumulator)
    first, element = only_assignment(start), site.kernel.array_named[perfect.element.array]
    names = typed_by(site.kernel, site.function, element.name)
    if first is None or not isinstance(first.value, cst.Float):
        names |= {access.array for access in accesses((perfect.top,))}
    for name in (name for name in site.kernel.parameters if name in names):
        yield f"{name} is {site.kernel.array_named.get(name, element).dtype.name}"


def _reordered(
    source: SourceTree, perfect: Perfect, loops: tuple[cst.For, ...], heads: Sequence[cst.For]
) -> Statements | None:
    parts = _taken_apart(source, perfect, loops)
    if parts is None:
        return None
    new: list[cst.BaseStatement] = []
    if parts.start:
        new.append(_nested(loops[: parts.depth + 1], (*parts.reads_for(parts.start), *parts.start)))
    if parts.is_perfect:
        new.append(with_heads(loops, heads))
    else:
        new.append(_moved(loops, heads, (*parts.reads, *parts.body)))
    if parts.finish:
        new.append(_nested(loops[: parts.depth + 1], (*parts.reads_for(parts.finish), *parts.finish)))
    first = new[0]
    assert isinstance(first, cst.For)
    lines = () if first.leading_lines == loops[0].leading_lines else first.leading_lines
    return (first.with_changes(leading_lines=(*loops[0].leading_lines, *lines)), *new[1:])


# -- what stands between the loops ----------------------------------------------------------------------
@dataclass(frozen=True)
class _Parts:
    reads: Statements  # that go into the innermost loop
    start: Statements
    body: Statements
    finish: Statements
    depth: int  # of the loop in whose block start and finish stand
    is_perfect: bool

    def reads_for(self, statements: Statements) -> Statements:
        return tuple(r for r in self.reads if stored_names(r) & loaded_names(*statements))


def _taken_apart(source: SourceTree, perfect: Perfect, loops: tuple[cst.For, ...]) -> _Parts | None:
    reads: list[cst.BaseStatement] = []
    start: list[cst.BaseStatement] = []
    finish: Statements = ()
    depth = len(loops) - 2
    for level, (outer, inner) in enumerate(pairwise(loops)):
        statements = block(outer)
        at = statements.index(inner)
        first, last = statements[:at], statements[at + 1 :]
        own = [s for s in first if perfect.accumulator in stored_names(s) or not stored_names(s)]
        if (own or last) and (start or finish):
            return None
        if own or last:
            start, finish, depth = own, last, level
        reads += [s for s in first if s not in own]
    body = block(loops[-1])
    if (
        not body
        or (bool(start) != bool(perfect.before) and not perfect.accumulator)
        or (perfect.accumulator and depth != len(loops) - 2)
    ):
        return None
    parts = _Parts(tuple(reads), tuple(start), body, finish, depth, not (reads or start or finish))
    if not _are_reads(parts.reads) or _rebinds(parts) or not _may_sink(source, perfect, parts.reads):
        return None
    return _without_accumulator(perfect, parts) if perfect.accumulator else _checked(perfect, parts)


def _are_reads(statements: Statements) -> bool:
    """Whether each gives one name a value."""
    return all(assigned_name(s) for s in statements)


def _may_sink(source: SourceTree, perfect: Perfect, statements: Statements) -> bool:
    """Whether the analysis took all that these statements do into the innermost loop."""
    moved = {node.line for node in leaves(perfect.before)} - {node.line for node in leaves(perfect.nest.body)}
    return all(moved.isdisjoint(source.lines(statement)) for statement in statements)


def _rebinds(parts: _Parts) -> bool:
    """Whether a name in the reads is bound anywhere else in the nest, or read before it is bound."""
    names = [assigned_name(s) for s in parts.reads]
    bound = stored_names(*parts.start, *parts.body, *parts.finish)
    return len(set(names)) < len(names) or bool(bound & {*names, *loaded_names(*parts.reads)})


def _checked(perfect: Perfect, parts: _Parts) -> _Parts | None:
    return parts if bool(parts.finish) == bool(perfect.after) and not _shared_scalars(parts) else None


def _shared_scalars(parts: _Parts) -> bool:
    """Whether start, body and finish pass each other scalars, which loops of their own would part."""
    groups = (parts.start, parts.body, parts.finish)
    return any(
        stored_names(*one) & loaded_names(*other) for one in groups for other in groups if one is not other and one
    )


# -- the accumulator --------------------------------------------------------------------------------
def _without_accumulator(perfect: Perfect, parts: _Parts) -> _Parts | None:
    """The parts with the element in the place of the scalar that ends in it."""
    if not parts.finish or len(parts.start) != 1:
        return None
    store = only_assignment(parts.finish[-1])
    if store is None or len(parts.finish) != 1:
        return None
    element = store.targets[0].target
    if not isinstance(element, cst.Subscript) or assigned_name(parts.start[0]) != perfect.accumulator:
        return None
    if stored_names(*parts.reads, *parts.body) & loaded_names(element):
        return None
    instead = Renaming(perfect.accumulator, element)
    start, body, finish = (tuple(instead.of(s) for s in part) for part in (parts.start, parts.body, parts.finish))
    if _assigns(finish[0], element):
        start, finish = (_with_comments(start[0], parts.finish[0]),), ()
    if _assigns(start[0], element):  # what it holds already
        start = ()
    if bool(start) != bool(perfect.before):
        return None
    made = _Parts(parts.reads, start, body, finish, parts.depth, False)
    return None if _shared_scalars(made) else made


def _assigns(statement: cst.BaseStatement, value: cst.BaseExpression) -> bool:
    found = only_assignment(statement)
    return found is not None and found.value.deep_equals(value)


def _with_comments(statement: cst.BaseStatement, dropped: cst.BaseStatement) -> cst.BaseStatement:
    """The statement below the comments of one that goes."""
    assert isinstance(statement, cst.SimpleStatementLine)
    lines = [cst.EmptyLine(comment=comment.deep_clone()) for comment in comments(dropped)]
    return statement.with_changes(leading_lines=(*statement.leading_lines, *lines))


# -- the loops ------------------------------------------------------------------------------------
def with_heads(loops: Sequence[cst.For], heads: Sequence[cst.For]) -> cst.For:
    """The loops as they are, with each other's targets and ranges, and the comments behind these."""
    made: cst.For | None = None
    for loop, head in reversed(list(zip(loops, heads, strict=True))):
        inner = loop.body.body if made is None else [made]
        body = loop.body.with_changes(body=inner, header=head.body.header)  # type: ignore[attr-defined]
        made = loop.with_changes(target=head.target, iter=head.iter, body=body)
    assert made is not None
    return made


def _nested(heads: Sequence[cst.For], body: Statements) -> cst.For:
    """Loops with these heads around a body, and nothing else in their blocks."""
    inner = tuple(statement.deep_clone() for statement in body)
    for head in reversed(heads):
        made = cst.For(head.target.deep_clone(), head.iter.deep_clone(), cst.IndentedBlock(inner))
        inner = (made,)
    return made


def _moved(loops: Sequence[cst.For], heads: Sequence[cst.For], body: Statements) -> cst.For:
    """The loops in another order, each with its comments."""
    inner = tuple(statement.deep_clone() for statement in body)
    for head in reversed(heads):
        lines = () if head is loops[0] else head.leading_lines
        made = head.with_changes(leading_lines=lines, body=head.body.with_changes(body=inner))
        inner = (made,)
    return made
