"""Type facts of a function: what the uses of its names (dotted paths, such as ``self.u``) show of their ranks and
element types. ``A[i, j]`` makes ``A`` an array of rank 2 at least and ``i`` and ``j`` integers. Where nothing shows the
rank of an array (``x * np.tanh(x)``), a layout groups the dimensions: ``x.size`` is the only extent that matters."""

from __future__ import annotations

from dataclasses import field
from enum import Enum, auto

from roofscan.frozen import dataclass
from roofscan.parse.inference.record_uses import RecordUse, RecordUses
from roofscan.parse.syntax import Expression


class Layout(Enum):
    """Into which extents the elements of an array of any rank are grouped."""

    ELEMENTS = auto()  # all elements in one extent
    FIRST_AXIS = auto()  # the first axis, and the rest
    LAST_AXIS = auto()  # the last axis, and the rest
    SLICES = auto()  # as FIRST_AXIS, shown by slices alone: the rest may be a single element


def extents(path: str, layout: Layout) -> tuple[tuple[str, str, int | None], ...]:
    """The symbols that stand for the extents of an array of any rank, what they mean in Python, and their dimension."""
    name = path.replace(".", "_")
    if layout is Layout.ELEMENTS:
        return ((f"{name}_size", f"{path}.size", None),)
    if layout is Layout.LAST_AXIS:
        return (f"{name}_rows", f"{path}.size//{path}.shape[-1]", None), (f"{name}_row_size", f"{path}.shape[-1]", -1)
    return (f"{name}_shape_0", f"{path}.shape[0]", 0), (f"{name}_row_size", f"{path}.size//{path}.shape[0]", None)


@dataclass
class TypeFacts:
    """The facts about all names of one function, by name or dotted path."""

    ranks: dict[str, int] = field(default_factory=dict)  # arrays, with lower bounds of their ranks
    unpacked_ranks: dict[str, int] = field(default_factory=dict)  # exact ranks: ``n, m = A.shape``
    assumed_ranks: dict[str, int] = field(default_factory=dict)  # arrays whose rank is a convention -> line
    layout: Layout | None = None  # the element layout that suffices where ranks do not matter
    integers: set[str] = field(default_factory=set)  # names used as an index, a size or a bound
    taken_integers: dict[str, int] = field(default_factory=dict)  # integers only by what they are compared with -> line
    habitual_integers: list[Expression] = field(default_factory=list)  # arguments that helpers take for integers
    open_subscripts: set[str] = field(default_factory=set)  # integers that may be arrays of indices
    integer_parameters: set[str] = field(default_factory=set)  # parameters that become symbols of their own name
    index_arrays: set[str] = field(default_factory=set)  # arrays whose elements are used as indices or sizes
    integer_fields: set[tuple[str, str]] = field(default_factory=set)  # (record array, field) used as such
    record_uses: RecordUses = field(default_factory=dict)  # names that have fields
    record_arguments: list[tuple[Expression, set[RecordUse]]] = field(default_factory=list)  # that helpers use so
    complex_arrays: set[str] = field(default_factory=set)  # arrays that complex values are stored in
    value_arrays: set[str] = field(default_factory=set)  # arrays whose elements are operands of arithmetic
    index_arguments: list[Expression] = field(default_factory=list)  # arguments that helpers use as integers
    size_names: dict[tuple[str, int], str] = field(default_factory=dict)  # (array, dimension) -> name in the source
    steps: set[str] = field(default_factory=set)  # names that step a range (tile sizes)
    sweeps: set[str] = field(default_factory=set)  # names that bound a loop whose variable indexes nothing
    loop_bounds: set[str] = field(default_factory=set)  # names in loop bounds and extents
    resized_lists: set[str] = field(default_factory=set)  # lists that change their length
    assigned: set[str] = field(default_factory=set)  # names that the function binds, parameters aside
    assigned_globals: set[str] = field(default_factory=set)  # module names that the function assigns
    nonlocal_line: int = 0  # line of the first ``nonlocal`` statement, 0 where there is none
    random_states: set[str] = field(default_factory=set)  # arrays of records that numba.cuda.random draws from
    scalars: set[str] = field(default_factory=set)  # names that are compared or passed to functions of scalars
    scalars_or_arrays: tuple[str, ...] = ()  # parameters of which all but one may be scalars
    possible_scalars: frozenset[str] = frozenset()  # parameters that only a ufunc makes arrays: perhaps scalars
    made_arrays: set[str] = field(default_factory=set)  # parameters that the function itself makes arrays of
    of_one_thread: bool = False  # whether it is what a thread of a GPU does

    def require_rank(self, path: str | None, rank: int) -> None:
        """Record an array of at least ``rank`` dimensions; None for ``path`` is not a name."""
        if path is not None:
            self.ranks[path] = self.unpacked_ranks.get(path) or max(rank, self.ranks.get(path, 0))

    def take_scalars(self) -> None:
        """Parameters that may be scalars are: a thread of a GPU has no array expressions."""
        self.of_one_thread = True
        for name in {*self.scalars_or_arrays, *self.possible_scalars}:
            del self.ranks[name]
            self.assumed_ranks.pop(name, None)
        self.scalars_or_arrays, self.possible_scalars = (), frozenset()

    def assume_rank(self, path: str | None, rank: int, line: int) -> None:
        """The same, an assumption where no subscript shows the rank."""
        if path is not None and path not in self.ranks:
            self.assumed_ranks.setdefault(path, line)
        self.require_rank(path, rank)
