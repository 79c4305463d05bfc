"""New arrays that a loop stores again are made with ``np.empty`` (RFL304): the loop stores the number of the fill where
it stored nothing, or slices give it to the border that the loop leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from roofscan.cost.transform.drop_fill import DropFill, dropped_fills
from roofscan.fix.elements import listed
from roofscan.fix.model import Fix, Site
from roofscan.fix.once.scratch import FACTS, is_bound_once
from roofscan.fix.single_precision import module_name
from roofscan.fix.source import (
    New,
    assigned_name,
    block,
    code,
    loaded_names,
    loop_name,
    nodes,
    only_assignment,
    siblings,
    simple_lines,
    stored_names,
)

VALUES = {"zeros": "0", "ones": "1", "full": "", "zeros_like": "0", "ones_like": "1", "full_like": ""}
LEAVING = (cst.Continue, cst.Break, cst.Return, cst.Yield)
CATCHING = (cst.Try, cst.TryStar)
"""In a function with one of these, something may see an array before the loop has stored it."""

Changes = dict[cst.CSTNode, New]


def unfilled(site: Site) -> Fix | None:
    """All arrays of the finding that the source allows; None where it allows none."""
    names, numpy = site.finding.subject.names, module_name(site.source, "numpy")
    if not numpy or any(isinstance(node, CATCHING) for node in nodes(site.function)):
        return None
    changes: Changes = {}
    done: list[str] = []
    for dropped in dropped_fills(site.kernel):
        name = dropped.array.name
        made = _OneFill(site, dropped, numpy).changes() if name in names else None
        if made and changes.keys().isdisjoint(made):
            changes |= made
            done.append(name)
    if not done:
        return None
    sizes = (text.rpartition(" (line")[0] for text in site.kernel.assumptions if " equals " in text)
    what = f"make {listed(done)} with {numpy}.empty"
    return Fix(site, site.source.replaced(changes), what, assumptions=tuple(sizes))


class _OneFill:
    """One array, its fill and the loop that stores it, in the source."""

    def __init__(self, site: Site, dropped: DropFill, numpy: str) -> None:
        self._site, self._dropped, self._numpy = site, dropped, numpy
        self._name = dropped.array.name

    def changes(self) -> Changes | None:
        """What replaces what; None where the source does not allow it for certain."""
        fill = next((s for s in simple_lines(self._site.function) if self._is_fill(s)), None)
        found = self._site.nodes_of((self._dropped.stores,))
        if fill is None or not found or not is_bound_once(self._site, self._name):
            return None
        loop, around = found[0], siblings(self._site.source, fill)
        if loop not in around or not self._is_unseen(around[around.index(fill) + 1 : around.index(loop) + 1]):
            return None
        made = self._made(fill)
        if made is None:
            return None
        new, value = made
        lines = [] if new is None else [fill.with_changes(body=[new])]
        if self._dropped.left == "nothing":
            return {fill: lines[0] if lines else cst.RemoveFromParent()}
        if not self._is_fixed(value, loop):
            return None
        if self._dropped.left == "border":
            stores = [_line(f"{self._name}[{place}] = {value}") for place in _places(self._dropped)]
            return {fill: cst.FlattenSentinel([*lines, *stores])}
        filled = _Otherwise(self._name, value, loop).loop()
        gone = lines[0] if lines else cst.RemoveFromParent()
        return None if filled is None else {fill: gone, loop: filled}

    def _is_fill(self, statement: cst.SimpleStatementLine) -> bool:
        return self._dropped.fill.line in self._site.source.lines(statement) and len(statement.body) == 1

    def _is_unseen(self, statements: Sequence[cst.CSTNode]) -> bool:
        """Whether the statements use nothing of the array but elements and its shape."""
        uses = (n for s in statements for n in nodes(s) if isinstance(n, cst.Name) and n.value == self._name)
        return all(self._is_element_or_shape(use) for use in uses)

    def _is_element_or_shape(self, use: cst.Name) -> bool:
        parent = self._site.source.parents[use]
        if isinstance(parent, cst.Attribute):
            return parent.value is use and parent.attr.value in FACTS
        if isinstance(parent, cst.Arg):
            call = self._site.source.parents[parent]
            return isinstance(call, cst.Call) and code(call.func) == "len"
        return isinstance(parent, cst.Subscript) and parent.value is use

    def _made(self, fill: cst.SimpleStatementLine) -> tuple[cst.BaseSmallStatement | None, str] | None:
        """The statement that makes the array without its numbers (None where another makes it), and the number."""
        assignment = only_assignment(fill)
        if assignment is None:
            return None
        if assigned_name(fill) == self._name and isinstance(assignment.value, cst.Call):
            return self._without_numbers(assignment, assignment.value)
        target = assignment.targets[0].target
        whole = isinstance(target, cst.Subscript) and code(target.value) == self._name and _is_whole(target)
        return (None, code(assignment.value)) if whole else None

    def _without_numbers(self, made: cst.Assign, call: cst.Call) -> tuple[cst.BaseSmallStatement, str] | None:
        function = code(call.func).removeprefix(f"{self._numpy}.")
        if function not in VALUES or any(arg.star for arg in call.args) or not call.args or call.args[0].keyword:
            return None
        value, args = VALUES[function], list(call.args)
        if not value:
            if len(args) < 2 or args[1].keyword or (len(args) == 2 and not _is_float(args[1].value, function)):
                return None
            value = code(args.pop(1).value)
        elif self._dropped.array.dtype.kind == "float":
            value += ".0"
        empty = cst.Attribute(cst.Name(self._numpy), cst.Name("empty_like" if function.endswith("_like") else "empty"))
        args[-1] = args[-1].with_changes(comma=call.args[-1].comma)
        return made.with_changes(value=call.with_changes(func=empty, args=args)), value

    def _is_fixed(self, value: str, loop: cst.For) -> bool:
        """Whether it is a number that the loop does not change."""
        node = cst.parse_expression(value)
        plain = all(isinstance(n, (cst.Name, cst.Attribute, cst.Integer, cst.Float, cst.Minus, cst.UnaryOperation))
                    for n in nodes(node) if isinstance(n, cst.BaseExpression))  # fmt: skip
        return plain and not loaded_names(node) & stored_names(loop)


class _Otherwise:
    """A loop that also stores a number where it stored nothing."""

    def __init__(self, name: str, value: str, loop: cst.For) -> None:
        self._name, self._value, self._loop = name, value, loop
        self._targets = [
            t.target for n in nodes(loop) if isinstance(n, cst.Assign) for t in n.targets if self._is_element(t.target)
        ]

    def loop(self) -> cst.For | None:
        """None where an iteration may end before the tests, or updates elements."""
        inside = nodes(self._loop.body)
        updates = (node.target for node in inside if isinstance(node, cst.AugAssign))
        if any(isinstance(node, LEAVING) for node in inside) or any(map(self._is_element, updates)):
            return None
        if len({code(target) for target in self._targets}) != 1:
            return None
        loops = {loop_name(n) for n in (self._loop, *inside) if isinstance(n, cst.For)}
        if loaded_names(self._targets[0]) & (stored_names(*block(self._loop)) - loops):
            return None
        body = self._completed(block(self._loop))
        return None if body is None else self._loop.with_changes(body=self._loop.body.with_changes(body=body))

    def _is_element(self, target: cst.BaseAssignTargetExpression) -> bool:
        return isinstance(target, cst.Subscript) and code(target.value) == self._name

    def _completed(self, body: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement] | None:
        """The statements, of which one stores; it stores in any case then."""
        storing = [s for s in body if self._stores(s)]
        if not storing:
            return [*body, _line(f"{code(self._targets[0])} = {self._value}")]
        made = self._complete(storing[0]) if len(storing) == 1 else None
        return None if made is None else [made if s is storing[0] else s for s in body]

    def _complete(self, statement: cst.BaseStatement) -> cst.BaseStatement | None:
        if isinstance(statement, cst.SimpleStatementLine):
            return statement
        if not isinstance(statement, (cst.For, cst.If)) or not block(statement):
            return None
        body = self._completed(block(statement))
        if body is None or (isinstance(statement, cst.For) and statement.orelse):
            return None
        made = statement.with_changes(body=statement.body.with_changes(body=body))
        return self._with_else(made, statement.orelse) if isinstance(made, cst.If) else made

    def _with_else(self, made: cst.If, orelse: cst.If | cst.Else | None) -> cst.If | None:
        other: cst.BaseStatement | cst.Else | None = None
        if isinstance(orelse, cst.If):
            other = self._complete(orelse)
        else:
            kept = orelse or cst.Else(cst.IndentedBlock([]))
            body = self._completed(kept.body.body) if isinstance(kept.body, cst.IndentedBlock) else None
            other = None if body is None else kept.with_changes(body=kept.body.with_changes(body=body))
        return None if other is None else made.with_changes(orelse=other)

    def _stores(self, statement: cst.BaseStatement) -> bool:
        return any(target in self._targets for target in nodes(statement))


def _line(text: str) -> cst.SimpleStatementLine:
    return cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)


def _places(dropped: DropFill) -> Iterator[str]:
    """Slices of what a loop leaves at the ends of axes: ``:1``, ``-1:``, ``:, :1``, ``:, -1:``."""
    for axis, (first, last) in enumerate(dropped.border):
        if first:
            yield f"{':, ' * axis}:{first}"
        if last:
            yield f"{':, ' * axis}-{last}:"


def _is_whole(target: cst.Subscript) -> bool:
    slices = (element.slice for element in target.slice)
    return all(isinstance(s, cst.Slice) and not (s.lower or s.upper or s.step) for s in slices)


def _is_float(value: cst.BaseExpression, function: str) -> bool:
    """Whether ``np.full`` takes the type that ``np.empty`` has by default from this number."""
    if function == "full_like":
        return True
    number = value.expression if isinstance(value, cst.UnaryOperation) else value
    return isinstance(number, cst.Float) or code(number) in ("np.nan", "np.inf", "numpy.nan", "numpy.inf")
