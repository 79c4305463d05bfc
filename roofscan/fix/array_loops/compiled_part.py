"""Whole-array statements of a plain function, as loops in a function of their own that Numba compiles (RFL301, RFL302):
the function keeps its interface, and NumPy makes the array of the result, since it asks the system for huge pages.
Measured under Numba 0.68 on Zen 4: expressions of two to five operators on 4 to 4,000 rows 1.3 to 10 times as fast,
sums with ``np.where`` 14 to 70 times. Not what calls special functions: NumPy's are vector code, Numba's are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import libcst as cst

from roofscan.fix.array_loops.compiled_function import COMPILED, PLAIN_SUM, SUBSCRIPTS
from roofscan.fix.array_loops.new_results import loop_of_result, loop_of_sum
from roofscan.fix.array_loops.one_loop import ArrayLoop, loop_of_stores
from roofscan.fix.array_loops.stores import Line
from roofscan.fix.decorator import DIVISIONS, FASTMATH, SUMS, numba_name
from roofscan.fix.model import Fix, Site
from roofscan.fix.source import New, Renaming, bindings, fresh_name, loaded_names, nodes

REQUIRED = "the file needs Numba"
TWO_LINES = (cst.EmptyLine(indent=False),) * 2

Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


def compiled_part(site: Site) -> Fix | None:
    """None where the function is compiled, or decorated, or would not certainly be the same."""
    function, place = site.function, _place(site)
    if site.kernel.decorator.compiled or function.decorators or function.asynchronous or place is None:
        return None
    if any(isinstance(node, (cst.Global, cst.Nonlocal, cst.Yield)) for node in nodes(function)):
        return None
    named = numba_name(site.source, "njit", function)
    if named is None and not _may_import(site, place):
        return None
    found = next((loop for loop in _loops(replace(site, outlined=True)) if loop and _is_alike(site, loop)), None)
    return _outlined(site, found, place, named) if found else None


def _loops(site: Site) -> Iterator[ArrayLoop | None]:
    yield loop_of_sum(site)
    yield loop_of_result(site)
    yield loop_of_stores(site)
    yield loop_of_result(site, stored=True)


def _is_alike(site: Site, found: ArrayLoop) -> bool:
    """Whether Numba's code for the loops is faster than NumPy's, which takes one operation in one pass, too, and its
    results are of the same type."""
    saves = found.body.operations + bool(found.total) > 1
    return saves and not found.body.is_special and {a.dtype.code for a in found.body.arrays(site)} == {"f8"}


def _may_import(site: Site, place: int) -> bool:
    """Whether the file has imports, and none of Numba, such as one that may fail."""
    return _behind_imports(site.source.module.body[:place]) > 0 and "numba" not in loaded_names(site.source.module)


def _place(site: Site) -> int | None:
    """The number of the statement of the module before which another function may stand."""
    node: cst.CSTNode = site.function
    while not isinstance(parent := site.source.parents[node], cst.Module):
        if isinstance(parent, cst.FunctionDef):
            return None
        node = parent
    return next(number for number, statement in enumerate(site.source.module.body) if statement is node)


def _outlined(site: Site, found: ArrayLoop, place: int, named: tuple[str, dict[cst.CSTNode, New]] | None) -> Fix:
    """``named``: what the file calls ``njit``; None where it imports nothing of Numba."""
    njit, changes = named or ("njit", {})
    name = fresh_name(f"_{site.function.name.value.strip('_')}_loop", loaded_names(site.source.module))
    given, elsewhere = _given(site, found), found.body.taken([*bindings(*found.making)])
    call = f"{name}({', '.join(elsewhere.get(own, own) for own in given)})"
    called = [] if found.total else [cst.parse_statement(call + "\n")]
    behind = [Renaming(found.total, cst.parse_expression(call)).of(statement) for statement in found.behind]
    module = site.source.replaced({**changes, **replace(found, behind=behind).replaced_by(*called)})
    body = [*module.body]
    body[place : place + 1] = [_helper(found, njit, f"def {name}({', '.join(given)}):"), _apart(body[place])]
    if named is None:
        body.insert(_behind_imports(body[:place]), cst.parse_statement("from numba import njit\n"))
    whys = (
        SUBSCRIPTS, *([DIVISIONS] if found.body.divides else []), *([SUMS] if found.adds else []),
        *([PLAIN_SUM] if found.total else []), *([REQUIRED] if named is None else []), COMPILED,
    )  # fmt: skip
    what = f"compile {found.what(site)}"
    module = module.with_changes(body=body)
    return Fix(site, module, what, "unsafe", ", ".join(whys), found.body.assumed(), moves_others=named is None)


def _helper(found: ArrayLoop, njit: str, head: str) -> cst.FunctionDef:
    options = ['error_model="numpy"'] if found.body.divides else []
    options += [f"fastmath={FASTMATH}"] if found.adds else []
    made = cst.parse_statement(f"@{njit}({', '.join(options)})\n{head}\n    pass\n".replace("()\n", "\n", 1))
    assert isinstance(made, cst.FunctionDef)
    inner = [*found.inner, *([cst.parse_statement(f"return {found.value}\n")] if found.total else [])]
    return made.with_changes(body=cst.IndentedBlock(inner), leading_lines=TWO_LINES)


def _apart(statement: Statement) -> Statement:
    """With two empty lines before it, and its comments."""
    lines = [line for line in statement.leading_lines if line.comment]
    return statement.with_changes(leading_lines=[*TWO_LINES, *lines])


def _behind_imports(body: Sequence[Statement]) -> int:
    """The place behind the last import."""
    kinds = [isinstance(s, Line) and isinstance(s.body[0], (cst.Import, cst.ImportFrom)) for s in body]
    return len(kinds) - kinds[::-1].index(True) if True in kinds else 0


def _given(site: Site, found: ArrayLoop) -> list[str]:
    """What the loops take from around them, in the order of the text, their result last."""
    own, made = {*bindings(*found.inner)}, {*bindings(*found.making)}
    known = {
        *site.kernel.parameters,
        *site.kernel.array_named,
        *bindings(site.function),
        *made,
        *found.body.taken(made),
    }
    names = [n.value for part in found.inner for n in nodes(part) if isinstance(n, cst.Name)]
    return sorted((name for name in dict.fromkeys(names) if name in known and name not in own), key=made.__contains__)
