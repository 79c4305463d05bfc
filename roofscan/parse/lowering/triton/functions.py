"""The functions of ``triton.language``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from roofscan.ir.dtypes import BY_CODE, I8, DType, lookup
from roofscan.ir.kinds import MATRIX, OperationKind
from roofscan.ir.launch import DIRECTIONS
from roofscan.ir.tree import Barrier
from roofscan.parse.lowering.triton import blocks, shapes
from roofscan.parse.lowering.triton.program import ProgramBody
from roofscan.parse.lowering.triton.shapes import a_tile, constant_integer, optional, tile_shape
from roofscan.parse.lowering.triton.tile_arithmetic import is_tangled
from roofscan.parse.lowering.triton.tiles import (
    F4,
    BlockPointer,
    Item,
    NamedItem,
    Outside,
    Parts,
    TileValue,
    aligned,
    common_shape,
    common_type,
    integer,
    place,
)  # fmt: skip
from roofscan.symbolic.expr import ONE, Expr, symbol
from roofscan.symbolic.extrema import maximum, minimum
from roofscan.symbolic.floors import ceil_div

SPECIAL = frozenset((
    "exp", "exp2", "exp10", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
    "erf", "erfc", "rsqrt", "sigmoid", "pow", "atan2", "expm1", "log1p", "rand", "randn", "fast_expf", "fast_logf",
    "fast_log2f", "fast_powf", "fast_sinf", "fast_cosf", "fast_tanf", "fast_tanhf",
))  # fmt: skip
ONE_EACH: Mapping[str, tuple[OperationKind, ...]] = {
    **dict.fromkeys(SPECIAL, ("special",)),
    **dict.fromkeys(("sqrt", "sqrt_rn"), ("sqrt",)), "fma": ("mul", "add"), "abs": ("abs",),
    **dict.fromkeys(("div_rn", "fdiv", "fast_dividef"), ("div",)),
    **dict.fromkeys(("floor", "ceil", "rint", "round", "trunc"), ("convert",)),
}  # fmt: skip
"""What a function does to each element."""
REDUCTIONS: Mapping[str, OperationKind] = {"sum": "add", "max": "minmax", "min": "minmax", "xor_sum": "compare",
                                           "argmax": "compare", "argmin": "compare"}  # fmt: skip
SOFTMAX: tuple[OperationKind, ...] = ("minmax", "sub", "special", "add", "div")
SCANS: Mapping[str, OperationKind] = {"cumsum": "add", "cumprod": "mul"}
ATOMICS: Mapping[str, OperationKind | None] = {
    "atomic_add": "add", "atomic_max": "minmax", "atomic_min": "minmax", "atomic_xchg": None, "atomic_cas": None,
    "atomic_and": None, "atomic_or": None, "atomic_xor": None,
}  # fmt: skip
PASSED = frozenset(("multiple_of", "max_contiguous", "max_constancy", "constexpr"))
IDLE = frozenset(("static_assert", "static_print", "device_print", "device_assert", "assume", "debug_barrier"))


class TritonProgram(ProgramBody):
    """A program with the functions that it calls."""

    def function(self, dotted: str, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        try:
            return self._function(dotted, args, keywords, line)
        except (IndexError, KeyError):  # an argument is missing, or given by name
            raise Outside(line, f"{dotted.rpartition('.')[2]} with these arguments") from None

    def _function(self, dotted: str, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        name = dotted.rpartition(".")[2]
        builtin = dotted.startswith("builtins.")
        handler = _BUILTINS.get(name) if builtin else _HANDLERS.get(name)
        if handler is not None:
            return handler(self, args, keywords, line)
        if builtin:
            raise Outside(line, f"{name} in a Triton kernel")
        if name in ONE_EACH:
            return self._each(name, args, line)
        if name in REDUCTIONS or name in SCANS:
            return self._reduced(name, args, keywords, line)
        if name in ATOMICS:
            return self._atomic(name, args, keywords, line)
        if name in PASSED and args:
            return args[0]
        if name in IDLE:
            if name == "debug_barrier":
                self.cx.builder.add(Barrier("block", self.cx.builder.line(line)))
            return None
        raise Outside(line, f"{name} of Triton")

    def _each(self, name: str, args: list[Item], line: int) -> TileValue:
        tiles = [arg for arg in args if isinstance(arg, TileValue)]
        if name in ("rand", "randn"):  # the seed is a scalar
            tiles = [replace(tiles[-1], dtype=F4, expr=None)]
        shape = common_shape(tuple(tiles), line)
        dtype = tiles[0].dtype
        for other in tiles[1:]:
            dtype = common_type(TileValue(dtype), other)
        if not dtype.counts:
            if name == "abs":
                return TileValue(dtype, shape)
            dtype = F4
        node: int | None = None
        for kind in ONE_EACH[name]:
            count = TileValue(dtype, shape).size
            node = self.operation(kind, dtype, count, line, *tiles, function=name if kind == "special" else "")
        return TileValue(dtype, shape, node=node)

    def _reduced(self, name: str, args: list[Item], keywords: Mapping[str, Item], line: int) -> Item:
        """One operation an element; the dimension goes, but for a scan."""
        tile = a_tile(args[0], line)
        kind = REDUCTIONS.get(name) or SCANS[name]
        node = self.operation(kind, tile.dtype, tile.size, line, tile) if tile.is_float else None
        if name in SCANS:
            return TileValue(tile.dtype, tile.shape, node=node)
        axis = constant_integer(args[1] if len(args) > 1 else keywords.get("axis"))
        kept, indexed = (bool((o := optional(keywords.get(n))) and o.number) for n in ("keep_dims", "return_indices"))
        goes = range(len(tile.shape)) if axis is None else (axis % max(1, len(tile.shape)),)
        shape = tuple(ONE if k in goes else e for k, e in enumerate(tile.shape) if k not in goes or kept)
        found = TileValue(I8 if name.startswith("arg") else tile.dtype, shape, node=node)
        return Parts((found, TileValue(I8, shape))) if indexed else found

    def _atomic(self, name: str, args: list[Item], keywords: Mapping[str, Item], line: int) -> TileValue:
        pointer, value = a_tile(args[0], line), a_tile(args[-1] if name == "atomic_cas" else args[1], line)
        mask = optional(args[2] if len(args) > 2 and name != "atomic_cas" else keywords.get("mask"))
        if not value.is_float:
            self.are_integers(self.bases(pointer), BY_CODE["i4"], f"{name} gives it integers")
        node, array = self.access(pointer, mask, line, atomic=True)
        kind = ATOMICS[name]
        if kind is not None and array.dtype.counts:
            self.operation(kind, array.dtype, common_size(pointer, value, line), line, value)
        self.access(pointer, mask, line, stored=value, atomic=True)
        return TileValue(array.dtype, pointer.shape, node=node)


def common_size(a: TileValue, b: TileValue, line: int) -> Expr:
    return TileValue(a.dtype, common_shape((aligned(a, max(len(a.shape), len(b.shape))), b), line)).size


def _dtype(value: Item, default: DType = F4) -> DType:
    if isinstance(value, DType):
        return value
    name = value.dotted.rpartition(".")[2] if isinstance(value, NamedItem) else ""
    return lookup({"int1": "bool"}.get(name, name)) or default


Handler = Callable[[ProgramBody, list[Item], dict[str, Item], int], Item]


def _program_id(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    axis = constant_integer(args[0] if args else keywords.get("axis")) or 0
    return program.names_of_launch["program", DIRECTIONS[axis]]


def _num_programs(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    axis = constant_integer(args[0] if args else keywords.get("axis")) or 0
    return program.names_of_launch["programs", DIRECTIONS[axis]]


def _arange(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    first, last = (a_tile(arg, line).expr for arg in args[:2])
    if first is None or last is None:
        raise Outside(line, "an arange of unknown length")
    return TileValue(I8, (last - first,), first + symbol(place(0)))


def _load(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    pointer, mask = _pointed(program, args, keywords, line, 1)
    node, array = program.access(pointer, mask, line)
    owner = array.buffer or array.name
    loaded = frozenset((owner,)) if not array.dtype.counts or array.dtype == F4 else frozenset[str]()
    shape = pointer.shape if mask is None else common_shape((pointer, aligned(mask, len(pointer.shape))), line)
    return TileValue(array.dtype, shape, node=node, loaded=loaded)


def _store(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    value = (
        args[2] if isinstance(args[0], BlockPointer) and len(args) > 2 else blocks.argument(args, keywords, 1, "value")
    )
    pointer, mask = _pointed(program, args, keywords, line, 2)
    program.access(pointer, mask, line, stored=a_tile(value, line))
    return None


def _pointed(
    program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int, position: int
) -> tuple[TileValue, TileValue | None]:
    """The places of an access, and its mask, which stands at ``position``."""
    if isinstance(args[0], BlockPointer) and len(args) > position:
        return blocks.described(program, args, line)
    found = blocks.pointed_at(program, args[0], keywords, line)
    mask = optional(blocks.argument(args, keywords, position, "mask"))
    return found or (a_tile(args[0], line), mask)


def _zeros(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return TileValue(_dtype(args[1] if len(args) > 1 else keywords.get("dtype")), tile_shape(args[0], line))


def _full(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return TileValue(_dtype(args[2] if len(args) > 2 else keywords.get("dtype")), tile_shape(args[0], line))


def _zeros_like(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    like = a_tile(args[0], line)
    return TileValue(like.dtype, like.shape)


def _dot(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """A product of tiles on the tensor cores: in the type of its operands, summed in float32."""
    a, b = a_tile(args[0], line), a_tile(args[1], line)
    if len(a.shape) != 2 or len(b.shape) != 2 or a.shape[1] != b.shape[0]:
        raise Outside(line, "tl.dot of tiles that do not fit")
    count = a.shape[0] * a.shape[1] * b.shape[1]
    dtype = common_type(a, b)
    node = program.operation("mul", dtype, count, line, a, b, function=MATRIX)
    node = program.operation("add", dtype, count, line, TileValue(dtype, node=node), function=MATRIX)
    program.learned.products.append((a.shape[0], b.shape[1], a.shape[1], Expr.of(max(1, dtype.size))))
    program.learned.staged += [t.size * t.dtype.size for t in (a, b) if t.loaded]
    added = len(args) > 2 or "acc" in keywords
    result = _dtype(keywords.get("out_dtype"), F4 if dtype.counts else BY_CODE["i4"])
    shape, loaded = (a.shape[0], b.shape[1]), a.loaded | b.loaded
    return TileValue(result, shape, node=node, product=not added, loaded=loaded)


def _to(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    tile, dtype = a_tile(args[0], line), _dtype(args[1] if len(args) > 1 else keywords.get("dtype"))
    if dtype == tile.dtype or (not tile.is_float and not dtype.counts):
        return replace(tile, dtype=dtype, weak=False)
    node = program.operation("convert", dtype if dtype.counts else tile.dtype, tile.size, line, tile)
    return TileValue(dtype, tile.shape, node=node, loaded=tile.loaded)


def _where(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    test, a, b = (a_tile(arg, line) for arg in args[:3])
    rank = max(len(t.shape) for t in (test, a, b))
    shape = common_shape(tuple(aligned(t, rank) for t in (test, a, b)), line)
    return TileValue(common_type(a, b), shape, node=a.node or b.node)


def _extremum(kind: str) -> Handler:
    def lower(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
        a, b = a_tile(args[0], line), a_tile(args[1], line)
        if a.is_float or b.is_float:
            dtype = common_type(a, b)
            node = program.operation("minmax", dtype, common_size(a, b, line), line, a, b)
            rank = max(len(a.shape), len(b.shape))
            return TileValue(dtype, common_shape((aligned(a, rank), aligned(b, rank)), line), node=node)
        if a.expr is None or b.expr is None or a.shape or b.shape:
            return TileValue(I8, a.shape or b.shape)
        found = (minimum if kind == "min" else maximum)(a.expr, b.expr)
        return TileValue(I8) if is_tangled(found) else integer(found)

    return lower


def _cdiv(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    a, b = (a_tile(arg, line).expr for arg in args[:2])
    return TileValue(I8, expr=None if a is None or b is None else ceil_div(a, b))


def _softmax(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    """The greatest, a difference, an exponential, a sum and a quotient of each element."""
    tile = a_tile(args[0], line)
    for kind in SOFTMAX:
        node = program.operation(kind, tile.dtype, tile.size, line, tile, function="exp" if kind == "special" else "")
        tile = replace(tile, node=node)
    return TileValue(tile.dtype, tile.shape, node=tile.node)


def _float(program: ProgramBody, args: list[Item], keywords: dict[str, Item], line: int) -> Item:
    return args[0] if isinstance(args[0], TileValue) and args[0].is_float else TileValue(F4, number=1.5, weak=True)


_BUILTINS: Mapping[str, Handler] = {"min": _extremum("min"), "max": _extremum("max"), "float": _float}
_HANDLERS: Mapping[str, Handler] = {
    "program_id": _program_id, "num_programs": _num_programs, "arange": _arange, "load": _load, "store": _store,
    "zeros": _zeros, "full": _full, "zeros_like": _zeros_like, "dot": _dot, "to": _to, "cast": _to, "where": _where,
    "maximum": _extremum("max"), "minimum": _extremum("min"), "cdiv": _cdiv, "softmax": _softmax,
    **shapes.HANDLERS, **blocks.HANDLERS,
}  # fmt: skip
