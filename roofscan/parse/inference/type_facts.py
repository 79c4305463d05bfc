"""What is known of a function's names by the way it uses them."""

from __future__ import annotations

from dataclasses import dataclass, field

from roofscan.parse.syntax import Expression


@dataclass
class TypeFacts:
    """Evidence by name or dotted path (``self.u``)."""

    ranks: dict[str, int] = field(default_factory=dict)  # arrays, and how many subscripts they take at least
    unpacked: dict[str, int] = field(default_factory=dict)  # arrays whose shape is taken apart: their dimensions
    whole: set[str] = field(default_factory=set)  # used as an index, a size or a bound
    index_arrays: set[str] = field(default_factory=set)  # arrays whose elements are used as such
    whole_fields: set[tuple[str, str]] = field(default_factory=set)  # (record, field) whose values are used as such
    value_arrays: set[str] = field(default_factory=set)  # arrays whose elements meet in arithmetic
    sizes: dict[tuple[str, int], str] = field(default_factory=dict)  # (array, dimension) -> the source's name
    steps: set[str] = field(default_factory=set)  # names that step a range: tiles
    sweeps: set[str] = field(default_factory=set)  # names that bound a loop whose variable indexes nothing
    bounds: set[str] = field(default_factory=set)  # names in loop bounds and extents
    assumed: dict[str, int] = field(default_factory=dict)  # arrays whose rank is only the usual reading, by line
    places: list[Expression] = field(default_factory=list)  # what helpers take as an index, a size or a bound
    lay: str | None = None  # how elements lie where dimensions do not matter (see any_rank)
    growing: set[str] = field(default_factory=set)  # lists that change their length
    assigned: set[str] = field(default_factory=set)  # names that the function binds beside its parameters
    globals: set[str] = field(default_factory=set)  # names of the module that the function assigns
    outer_names: int = 0  # the line that declares names of the function around it as its own to assign, 0: none
    mapped: set[str] = field(default_factory=set)  # parameters that NumPy's functions of one element are applied to
    open_arrays: tuple[str, ...] = ()  # parameters that may be numbers, all but one
    doubtful: frozenset[str] = frozenset()  # parameters that a function of NumPy alone makes arrays: numbers, perhaps
    numbers: set[str] = field(default_factory=set)  # names that are tested or handed to functions of one number
    whole_parameters: set[str] = field(default_factory=set)  # parameters that are whole: symbols of their own name

    def array(self, path: str, rank: int) -> None:
        self.ranks[path] = self.unpacked.get(path) or max(rank, self.ranks.get(path, 0))
