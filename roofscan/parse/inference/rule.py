"""What inference asks of the rule of a library function: ``np.sum(x, axis=1)`` removes a dimension, ``np.zeros(n)``
takes integers. Here every answer is "not known". The rules stand in ``lowering/numpy``, one object each, which also
lowers the call. Inference is below lowering, so it is handed the table of rules (a ``Library``) and imports none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

from roofscan.frozen import dataclass
from roofscan.parse.inference.operands import called, is_method, keyword, module_of, operand, operands_of, rank_for_axis
from roofscan.parse.inference.type_facts import Layout
from roofscan.parse.syntax import Call, Expression, Literal

RankOf = Callable[[Expression], "int | None"]  # the rank of an expression; None where it is not known
Constraint = tuple[Expression, int]  # an operand and its rank, exact or at least


@dataclass(frozen=True, kw_only=True)
class LibraryRule:
    """The facts that hold for every call of a function, and the answers about one call."""

    is_ufunc: bool = False  # one scalar from one or two scalars
    is_elementwise: bool = False  # a ufunc, or a choice among the elements of its operands
    is_reduction: bool = False
    is_matrix_product: bool = False
    copies: bool = False
    makes_array_of_list: bool = False  # the items of a list become elements
    joins_arrays: bool = False  # the first operand is a list of arrays
    takes_array: bool = False  # it is not called on scalars
    treats_elements_alike: bool = False  # the cost depends on the number of elements alone
    keeps_integers: bool = False  # a reduction of integers gives an integer
    keeps_rank: bool = False  # the result has the rank of the first operand
    between_memories: bool = False  # it makes an array of that rank in the memory of the device, or of the host
    copy_target: tuple[int, str] | None = None  # of such a copy, the argument that it may be given to fill
    makes_on_device: bool = False  # an array of the shape that is its first argument
    rank: int | None = None  # of every result
    least_rank: int = 0  # of the first operand
    full_rank_operands: int = 0  # how many operands have at least the rank of the result
    ranks: tuple[int, ...] = ()  # of the operands; 0 where a call takes any
    usual_ranks: tuple[int, ...] = ()  # the same by convention, where nothing else tells
    overrides_subscripts: bool = False  # operand_ranks hold against what subscripts show
    axis_is_second: bool = False  # np.sum(x, 0)
    axis_position: int | None = None  # of an axis that the first operand must have
    axis_is_new: bool = False  # the axis is one of the result
    extents_position: int | None = None  # of the argument that gives extents or a count
    bounds_may_be_floats: bool = False  # the arguments bound a range, of integers by habit
    extents_follow: bool = False  # all arguments behind the array are extents or counts

    @property
    def makes_real(self) -> bool:
        """Whether the elements of the result are real where those of the operands are complex."""
        return False

    @property
    def makes_mask(self) -> bool:
        """Whether the elements of the result are truth values."""
        return False

    def has_rank_of_operand(self, call: Call) -> bool:
        return self.keeps_rank and bool(operands_of(call))

    def rank_of_first(self, call: Call, result: int) -> int | None:
        """The rank of the first operand, by that of the result."""
        return result if self.has_rank_of_operand(call) else None

    def result_rank(self, call: Call, rank_of: RankOf) -> int | None:
        """The rank of the result, where it is not that of the first operand."""
        return self.rank

    def assumed_ranks(self, call: Call) -> Iterator[Constraint]:
        """The ranks of operands by convention, where nothing else tells."""
        return _of_operands(call, self.usual_ranks)

    def operand_ranks(self, call: Call) -> Iterator[Constraint]:
        return _of_operands(call, self.ranks)

    def constrains_ranks(self, call: Call) -> bool:
        return any(True for _ in chain(self.operand_ranks(call), self.assumed_ranks(call)))

    def rank_bounds_by_axes(self, call: Call) -> Iterator[Constraint]:
        """Lower bounds of operands' ranks, by the axes that the call names."""
        if self.axis_position is not None and not is_method(call):
            needed = rank_for_axis(keyword(call, "axis") or operand(call, self.axis_position))
            if needed and needed > 1:
                yield operands_of(call)[0], needed - self.axis_is_new

    def rank_bound_of_first(self, call: Call) -> int:
        """A lower bound of the first operand's rank, 0 where there is none."""
        return self.least_rank

    def integer_arguments(self, call: Call) -> tuple[Expression, ...]:
        """The arguments that must be integers: extents and counts."""
        if self.extents_follow:
            return call.args[1:] if module_of(call.function) else call.args
        return () if self.extents_position is None else call.args[self.extents_position :][:1]

    def habitual_integers(self, call: Call) -> tuple[Expression, ...]:
        """The arguments that are integers by habit: a float step makes a range of floats."""
        step = operand(call, 2) or keyword(call, "step")
        steps_by_float = step is not None and not (isinstance(step, Literal) and isinstance(step.value, int))
        return call.args if self.bounds_may_be_floats and not steps_by_float else ()

    def layout(self, call: Call) -> Layout | None:
        """The layout of its operands' elements that the call needs; None where it needs their shape."""
        return Layout.ELEMENTS if self.treats_elements_alike else None

    def axis(self, call: Call) -> Expression | None:
        """The axis that a call names; None where it works on the whole array."""
        axis = keyword(call, "axis")
        if axis is None and self.axis_is_second:
            axis = operand(call, 1)
        return None if isinstance(axis, Literal) and axis.value is None else axis


def _of_operands(call: Call, ranks: Sequence[int]) -> Iterator[Constraint]:
    return ((each, rank) for each, rank in zip(operands_of(call), ranks) if rank)


Library = Mapping[str, LibraryRule]  # rules by the last name of a function

UNKNOWN = LibraryRule()


def rule_of(call: Call, library: Library) -> LibraryRule:
    """The rule of the function that is called; one that knows nothing where the library does not have it."""
    return library.get(called(call), UNKNOWN)
