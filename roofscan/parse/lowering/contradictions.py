"""What the user's facts say of parameters that the function cannot use so."""

from __future__ import annotations

from collections.abc import Iterator

from roofscan.ir.dtypes import DType
from roofscan.ir.facts import Facts
from roofscan.parse.inference.type_facts import TypeFacts
from roofscan.parse.lowering.control.parameter_tests import is_asked
from roofscan.parse.syntax import Binary, Function, Name
from roofscan.parse.syntax_walk import walk


def contradictions(function: Function, uses: TypeFacts, facts: Facts) -> Iterator[str]:
    """One line a fact: a parameter that is an index, a size or a bound is an integer, and one with subscripts an array.
    A parameter that the function binds anew is left out: it may have been another thing before."""
    for name in (p.name for p in function.parameters if p.name not in uses.assigned):
        if name in uses.integers and name not in uses.taken_integers and name not in uses.open_subscripts:
            said = "None" if _is_none(facts, name) and not is_asked(function, name) else _not_an_integer(facts, name)
            if said:
                yield f"{name}={said}: {name} is an index, a size or a bound; write an integer, as {name}=1000"
        elif name in facts.scalars and _is_array(function, name, uses):
            extents = ",".join(["1000"] * uses.ranks[name])
            yield f"{name}={_number(facts, name)}: {name} is an array; write {name}=f8[{extents}]"


def _is_array(function: Function, name: str, uses: TypeFacts) -> bool:
    """Whether no number can stand there: one that is only an operand may be one, whatever the other has."""
    if name not in uses.ranks or name in uses.assumed_ranks:
        return False
    nodes = list(walk(function.body))
    sums = (node for node in nodes if isinstance(node, Binary) and node.op != "@")
    operands = sum(isinstance(side, Name) and side.id == name for node in sums for side in (node.left, node.right))
    return operands < sum(isinstance(node, Name) and node.id == name for node in nodes)


def _is_none(facts: Facts, name: str) -> bool:
    return name in facts.constants and facts.constants[name] is None


def _not_an_integer(facts: Facts, name: str) -> str:
    """The type or the number that the facts give it, where that is not an integer; else ""."""
    array, scalar = facts.arrays.get(name), facts.scalars.get(name)
    if array is not None and (array.shape is not None or not _may_be_integer(array.dtype)):
        return f"{array.dtype.code}{array.dimensions}"
    if scalar is not None and not (isinstance(scalar.value, int) and _may_be_integer(scalar.dtype)):
        return _number(facts, name)
    return ""


def _may_be_integer(dtype: DType | None) -> bool:
    return dtype is None or dtype.kind in ("int", "bool")


def _number(facts: Facts, name: str) -> str:
    fact = facts.scalars[name]
    of_type = "" if fact.dtype is None or isinstance(fact.value, complex) else f"{fact.dtype.code}:"
    return of_type + (f"{fact.value}".strip("()") if isinstance(fact.value, complex) else f"{float(fact.value):.15g}")
