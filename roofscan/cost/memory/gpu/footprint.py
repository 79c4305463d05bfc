"""How much is touched: bytes of distinct granules that references touch over a box of indices. References that differ
by an offset only are one group: the box is swept once for each combination of rows that the same of them touch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import prod
from operator import and_

from roofscan.cost.memory.gpu.decisions import Decision, given, least, most
from roofscan.cost.memory.gpu.residues import residues
from roofscan.cost.memory.lru.tree.sampled_expr import Num, SampledExpr, ceil_to, magnitude, total, value_of
from roofscan.cost.memory.spans import merged_spans
from roofscan.frozen import dataclass

MAX_ROWS = 4096  # that are looked at one by one
MOST_PLACED = 64  # references that are united


@dataclass(frozen=True)
class Dim:
    """``extent`` indices, ``stride`` bytes apart."""

    stride: Num
    extent: Num


@dataclass(frozen=True)
class ReferenceGroup:
    """References of ``size`` bytes to one array that differ by their offsets alone. They are seen at all indices of
    ``dims``; their alignment is averaged over ``around``."""

    size: int
    offsets: tuple[int, ...]
    dims: tuple[Dim, ...]
    around: tuple[Dim, ...] = ()
    origins: tuple[Num, ...] = field(default=(), compare=False)  # the offsets in the sizes where these are free

    @property
    def places(self) -> Mapping[int, Num]:
        """Each offset once, with what it is in the sizes."""
        return dict(zip(self.offsets, self.origins or self.offsets))


@dataclass(frozen=True)
class _Placed:
    """Rows of a reference: it begins at ``row`` of each dimension, takes so many of them, and ``start`` bytes in."""

    row: tuple[int, ...]
    start: Num
    length: Num
    extents: tuple[Num, ...]


def footprint(groups: Iterable[ReferenceGroup], granule: int, limit: Num | None = None) -> Num:
    """Bytes of distinct granules of one array, of which ``limit`` bytes exist. Groups that are no rows of common
    dimensions are taken as apart."""
    groups = list(groups)
    found = _of_groups(groups, granule) if len(groups) > 1 else None
    if found is None:
        found = total(_of_group(group, granule) for group in groups)
    return found if limit is None else least(found, ceil_to(limit, granule))


@dataclass(frozen=True)
class _Rows:
    """Runs of ``length`` contiguous bytes, at all indices of ``dims``, which are farther apart; ``shift`` is the
    distance of the lowest byte from the offset, where strides are negative."""

    length: Num
    dims: tuple[Dim, ...]
    shift: Num


def _of_group(group: ReferenceGroup, granule: int) -> Num:
    rows = _rows(group, granule)
    first = group.offsets[0]
    extents = tuple(dim.extent for dim in rows.dims)
    placed = [
        _Placed(*_placed(offset - first, rows.dims, origin + rows.shift), rows.length, extents)
        for offset, origin in group.places.items()
    ]
    if len(placed) == 1:
        [one] = placed
        base = sum(at * _whole(dim.stride) for at, dim in zip(one.row, rows.dims))
        return _over_rows([(one.start, one.start + rows.length)], rows.dims, group.around, base, granule)
    return total(_cells(rows.dims, _cuts(rows.dims, placed)[0], placed, group.around, granule))


def _of_groups(groups: Sequence[ReferenceGroup], granule: int) -> Num | None:
    """Of groups whose rows lie at indices of common dimensions; None where they do not."""
    every = [(group, _rows(group, granule)) for group in groups]
    dims: dict[int, Dim] = {}
    for _, rows in every:
        for dim in rows.dims:
            known = dims.setdefault(_whole(dim.stride), dim)
            if value_of(dim.extent) > value_of(known.extent):
                dims[_whole(dim.stride)] = dim
    common, longest = [*dims.values()], max(value_of(rows.length) for _, rows in every)
    if not _nested(longest, common) or len({group.around for group in groups}) > 1:
        return None
    first, placed = groups[0].offsets[0], {}
    for group, rows in every:
        extents = {_whole(dim.stride): dim.extent for dim in rows.dims}
        box = tuple(extents.get(_whole(dim.stride), 1) for dim in common)
        for offset, origin in group.places.items():
            row, start = _placed(offset - first + _whole(rows.shift), common, origin + rows.shift)
            key = row, value_of(start), value_of(rows.length), tuple(map(value_of, box))
            placed[key] = _Placed(row, start, rows.length, box)
    if len(placed) > MOST_PLACED:
        return None
    cuts, decisions = _cuts(common, [*placed.values()])
    return given(total(_cells(common, cuts, [*placed.values()], groups[0].around, granule)), *decisions)


def _nested(length: float, dims: Sequence[Dim]) -> bool:
    """Whether all rows of a dimension lie between two indices of the next."""
    for dim in sorted(dims, key=lambda dim: value_of(dim.stride)):
        if value_of(dim.stride) < length:
            return False
        length = value_of(dim.stride) * value_of(dim.extent)
    return True


def _rows(group: ReferenceGroup, granule: int) -> _Rows:
    """A dimension whose steps reach no farther than what is contiguous, or than a granule, makes it longer."""
    length: Num = group.size
    outer: list[Dim] = []
    shift: Num = 0
    dims = [dim for dim in group.dims if value_of(dim.stride) and value_of(dim.extent) > 1]
    for dim in sorted(dims, key=lambda dim: abs(value_of(dim.stride))):
        stride = magnitude(dim.stride)
        if dim.stride < 0:
            shift = shift + dim.stride * (dim.extent - 1)
        reach = most(length, granule)
        if not outer and stride <= reach:
            length = given(length + stride * (dim.extent - 1), Decision(reach - stride))
        else:
            length = length if outer else given(length, Decision(stride - reach))
            outer = _joined(outer, Dim(stride, dim.extent))
    return _Rows(_plain(length), tuple(outer), _plain(shift))


def _joined(outer: list[Dim], dim: Dim) -> list[Dim]:
    """The same rows with one dimension more: rows that another dimension has too are there once."""
    for place, other in enumerate(outer):
        steps, rest = divmod(round(value_of(dim.stride)), round(value_of(other.stride)))
        if not rest and steps <= value_of(other.extent):
            in_sizes = isinstance(dim.stride, SampledExpr) or isinstance(other.stride, SampledExpr)
            ratio = dim.stride / other.stride if in_sizes else steps
            longer = Dim(other.stride, other.extent + given((dim.extent - 1) * ratio, Decision(other.extent - ratio)))
            return [*outer[:place], longer, *outer[place + 1 :]]
    return [*outer, dim]


def _placed(offset: int, dims: Sequence[Dim], origin: Num) -> tuple[tuple[int, ...], Num]:
    """An offset from the first one as whole rows of each dimension, and where it begins in its row: ``origin`` is the
    offset from the start of the array."""
    rows: dict[Dim, int] = {}
    for dim in sorted(dims, key=lambda dim: -value_of(dim.stride)):
        stride = round(value_of(dim.stride))
        rows[dim] = (2 * offset + stride) // (2 * stride)
        offset -= rows[dim] * stride
        origin = origin - dim.stride * rows[dim] if rows[dim] else origin
    return tuple(rows[dim] for dim in dims), _plain(origin)


def _cuts(dims: Sequence[Dim], placed: Sequence[_Placed]) -> tuple[list[list[Num]], list[Decision]]:
    """Where a reference begins or ends along each dimension, in order, and for what sizes that is the order."""
    cuts: list[list[Num]] = []
    decisions: list[Decision] = []
    for axis in range(len(dims)):
        ends = [end for one in placed for end in (one.row[axis], one.row[axis] + one.extents[axis])]
        along: list[Num] = [*{value_of(end): end for end in sorted(ends, key=value_of)}.values()]
        decisions += [Decision(high - low) for low, high in pairwise(along) if value_of(high) > value_of(low)]
        cuts.append(along)
    return cuts, decisions


def _cells(
    dims: Sequence[Dim], cuts: Sequence[Sequence[Num]], placed: Sequence[_Placed], around: Sequence[Dim], granule: int
) -> Iterable[Num]:
    """The bytes of each combination of rows between which no reference begins or ends."""
    axes = [_along(axis, cut, placed) for axis, cut in enumerate(cuts)]
    united: dict[int, list[tuple[Num, Num]]] = {}
    for cell in product(*axes):
        there = reduce(and_, (mask for _, _, mask in cell), (1 << len(placed)) - 1)
        if there:
            if there not in united:
                united[there] = _united(_runs([one for i, one in enumerate(placed) if there >> i & 1]))
            inside = [Dim(dim.stride, high - low) for dim, (low, high, _) in zip(dims, cell)]
            base = sum(_whole(dim.stride) * _whole(low) for dim, (low, _, _) in zip(dims, cell))
            yield _over_rows(united[there], inside, around, base, granule)


def _along(axis: int, cut: Sequence[Num], placed: Sequence[_Placed]) -> list[tuple[Num, Num, int]]:
    """The parts of a dimension, and of each the references that cover it, as bits."""
    begins = [one.row[axis] for one in placed]
    ends = [value_of(one.row[axis] + one.extents[axis]) for one in placed]
    covered = [[begin <= low < end for begin, end in zip(begins, ends)] for low in map(value_of, cut[:-1])]
    masks = [sum(1 << i for i, is_there in enumerate(each) if is_there) for each in covered]
    return [(low, high, mask) for (low, high), mask in zip(pairwise(cut), masks)]


def _runs(placed: Iterable[_Placed]) -> list[tuple[Num, Num]]:
    """Where references begin in their rows, and how long they are, in order and each once."""
    runs = {(value_of(one.start), value_of(one.length)): (one.start, one.length) for one in placed}
    return [run for _, run in sorted(runs.items(), key=_begin)]


def _begin(run: tuple[tuple[float, float], object]) -> tuple[float, float]:
    return run[0]


def _united(runs: Sequence[tuple[Num, Num]]) -> list[tuple[Num, Num]]:
    """The bytes [start, start + length) of all, as intervals that do not touch."""
    found: list[tuple[Num, Num]] = []
    for start, length in runs:
        if found and start <= found[-1][1]:
            low, high = found[-1]
            found[-1] = (low, given(most(high, start + length), Decision(high - start)))
        else:
            found.append((start, start + length))
    return found


def _over_rows(
    runs: Sequence[tuple[Num, Num]], dims: Sequence[Dim], around: Sequence[Dim], base: int, granule: int
) -> Num:
    """The bytes of the granules of all rows, in the mean over their alignments. Rows whose ends are in one granule
    have it in common."""
    if _tangled(runs, dims, granule):
        return _one_by_one(runs, dims, residues(_numbers(around), base, granule), granule)
    aligned = residues(_numbers((*dims, *around)), base, granule)
    weight, many = sum(aligned.values()), _product(dim.extent for dim in dims)
    found = total(_at(runs, residue, granule) * Fraction(count, weight) for residue, count in aligned.items()) * many
    gap = value_of(dims[0].stride) - value_of(runs[-1][1]) + value_of(runs[0][0]) if dims else granule
    if gap >= granule or value_of(dims[0].extent) < 2:
        return found
    pairs = (Dim(dims[0].stride, dims[0].extent - 1), *dims[1:])
    first = residues(_numbers((*pairs, *around)), base, granule)
    start, end, step = _whole(runs[0][0]), _whole(runs[-1][1]) - 1, _whole(dims[0].stride)
    common = sum(count for r, count in first.items() if (r + end) // granule == (r + start + step) // granule)
    return found - _product(dim.extent for dim in pairs) * (Fraction(common, sum(first.values())) * granule)


def _at(runs: Sequence[tuple[Num, Num]], residue: int, granule: int) -> Num:
    """Granules of one run that also hold the end of the one before count once."""
    parts: list[Num] = []
    end: int | None = None
    for low, high in runs:
        start = round(value_of(low)) + residue
        first = start // granule * granule
        parts.append(ceil_to(high - low + (start - first), granule))
        if end is not None and first < end:
            parts[-1] = parts[-1] - (end - first)
        end = round(value_of(ceil_to(high + residue, granule)))
    return total(parts)


def _tangled(runs: Sequence[tuple[Num, Num]], dims: Sequence[Dim], granule: int) -> bool:
    """Whether rows of one dimension lie between those of another, or end where they begin, and are few enough to look
    at."""
    reach, found = value_of(runs[-1][1]) - value_of(runs[0][0]), False
    for dim in sorted(dims, key=lambda dim: value_of(dim.stride)):
        near = reach + (granule if dim is not dims[0] else 0)
        found |= value_of(dim.extent) > 1 and value_of(dim.stride) < near
        reach += value_of(dim.stride) * (value_of(dim.extent) - 1)
    return found and prod(max(1, _whole(dim.extent)) for dim in dims) <= MAX_ROWS


def _one_by_one(
    runs: Sequence[tuple[Num, Num]], dims: Sequence[Dim], around: Mapping[int, int], granule: int
) -> Fraction:
    places = [0]
    for stride, extent in _numbers(dims):
        places = [place + stride * index for place in places for index in range(extent)]
    spans = merged_spans((at + _whole(low), at + _whole(high)) for at in places for low, high in runs)
    touched = sum(count * _granules(spans, residue, granule) for residue, count in around.items())
    return Fraction(touched * granule, sum(around.values()))


def _granules(spans: Iterable[tuple[int, int]], residue: int, granule: int) -> int:
    """How many granules spans in order touch that begin ``residue`` bytes after where they say."""
    many, end = 0, None
    for low, high in spans:
        first, after = (low + residue) // granule, (high + residue - 1) // granule + 1
        many += after - (first if end is None else max(first, end))
        end = after
    return many


def _plain(number: Num) -> Num:
    """A whole fraction as an integer, which is faster."""
    return int(number) if isinstance(number, Fraction) and number.denominator == 1 else number


def _whole(number: Num) -> int:
    return round(value_of(number))


def _numbers(dims: Iterable[Dim]) -> list[tuple[int, int]]:
    return [(_whole(dim.stride), max(1, _whole(dim.extent))) for dim in dims]


def _product(extents: Iterable[Num]) -> Num:
    return prod(extents, start=1)
