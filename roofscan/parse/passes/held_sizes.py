"""Sizes that users hold while their data grow: filters, windows, bins, neighbours, dimensions of space, steps.

Structure tells first: a loop that slides over another array, a loop that only repeats. A name tells what the size is
of, and alone it tells only where it is unmistakable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from roofscan.frozen import dataclass
from roofscan.ir.asked_sizes import asked_sizes
from roofscan.ir.assumption import Assumption
from roofscan.ir.kernel import Kernel
from roofscan.ir.symbols import is_constant_where_sizes_are_equal
from roofscan.ir.tree import Access, Loop
from roofscan.ir.visitor import accesses, loops, loops_of, walk_with_blocks
from roofscan.symbolic.expr import Expr, symbol


@dataclass(frozen=True)
class Held:
    """What is held at a typical value. ``hints`` need a structure beside them, ``names`` do not."""

    what: str
    value: int
    names: str
    hints: str = ""
    never_grows: bool = False  # not even where no other size does


TYPICAL = (
    Held("a filter", 5, "kh kw kd ksize ksizes kernel_size filter_size fh fw", "kx ky kz ks k"),
    Held("a radius", 3, "radius halo", "r rad"),
    Held("a window", 32, "window win window_size win_size winsize window_length timeperiod time_period lookback",
         "w width wl"),
    Held("taps", 64, "taps ntaps n_taps num_taps"),
    Held("lags", 64, "lags nlags n_lags maxlag max_lag"),
    Held("bins", 256, "bins nbins n_bins num_bins nbin"),
    Held("neighbours", 32, "neighbors neighbours n_neighbors n_neighbours max_neighbors nneigh knn k_neighbors"),
    Held("dimensions of space", 3, "dim dims ndim ndims n_dim n_dims dimension dimensions n_dimensions",
         never_grows=True),
    Held("channels", 3, "channels nchannels n_channels num_channels nch", "c ch chan chans"),
    Held("an order", 4, "order degree deg"),
    Held("levels", 8, "levels nlevels n_levels num_levels"),
    Held("clusters", 16, "clusters n_clusters nclusters num_clusters n_centroids"),
    Held("classes", 16, "classes n_classes nclasses num_classes n_labels n_species n_components"),
    Held("steps", 100, "steps nsteps n_steps num_steps nt niter niters n_iter n_iters num_iter iters iterations"
         " n_iterations num_iterations max_iter maxiter max_iterations nsweeps n_sweeps epochs timesteps"),
)  # fmt: skip
TABLES = (Held("bins", 256, "hist histogram histo"), Held("a lookup table", 256, "lut palette colormap cmap"))
"""By the name of an array: its first extent."""
FILTER = TYPICAL[0]
RADIUS, CHANNELS = (next(held for held in TYPICAL if held.what == what) for what in ("a radius", "channels"))
HEIGHTS, WIDTHS = "h height rows nrows n_rows ny".split(), "w width cols ncols n_cols columns nx".split()
REPETITIONS = Held("a number of repetitions", 64, "")
SLIDING = Held("a filter or window", 16, "")
LARGE = 1 << 12  # a size beside which constants are small
FEW = range(3, 17)  # elements of a vector that a source takes one by one
THREAD_STEP = Held("a step from thread to thread", 8, "")


def with_held_sizes(kernel: Kernel, bound: Collection[str], rows: Mapping[str, int]) -> Kernel:
    """The kernel with a guess for each free size that users hold: its default argument, else a typical value. Where no
    other size grows, only those are held that never do: a matrix of dimensions of space, not a vector of features.
    ``rows``: the elements of those that callers hand it, by parameter."""
    sizes = {s.name for s in kernel.symbols if s.kind == "size" and s.name not in bound}
    steps = _steps(kernel) & {s.name for s in kernel.symbols if s.kind in ("size", "int") and s.name not in bound}
    every = (*_typical(kernel, sizes - steps), *((name, THREAD_STEP) for name in sorted(steps)))
    typical = {name: held for name, held in every if name not in kernel.guesses}
    if typical.keys() | kernel.guesses.keys() >= sizes:
        planes = _of_planes(kernel)
        typical = {name: held for name, held in typical.items() if held.never_grows and name in planes}
    few = {name: Held("a vector whose elements are taken one by one", count, "") for name, count in _of_few(kernel)}
    few |= {name: Held("the rows that its callers hand it", count, "") for name, count in _of_rows(kernel, rows)}
    typical |= {name: held for name, held in few.items() if name in sizes and name not in kernel.guesses}
    tiles = {s.name for s in kernel.symbols if s.kind == "tile" and s.name not in bound}
    asked = _asked(kernel, sizes)
    typical = {name: held for name, held in typical.items() if name not in asked}
    of_source = {} if kernel.decorator.kind == "triton" else kernel.guesses  # Triton says where it has its own from
    defaults = {name: value for name, value in of_source.items() if name in sizes | tiles}
    said = [Assumption(name, f"{value} in verdicts (its default)") for name, value in defaults.items()]
    said += [Assumption(name, f"{held.value} in verdicts (typical of {held.what})") for name, held in typical.items()]
    said += [
        Assumption(name, f"{value} in verdicts (a test requires it, and no loop runs without it)")
        for name, value in asked.items()
    ]
    guesses = {**kernel.guesses, **{name: held.value for name, held in typical.items()}, **asked}
    return replace(kernel, guesses=guesses, assumptions=(*kernel.assumptions, *said))


def _asked(kernel: Kernel, sizes: set[str]) -> dict[str, int]:
    """The sizes that a test of the source wants to be a number."""
    asked = ((name, e.constant) for name, e in asked_sizes(kernel, sizes).items())
    return {name: value for name, value in asked if isinstance(value, int) and value > 0}


def _typical(kernel: Kernel, sizes: set[str]) -> Iterator[tuple[str, Held]]:
    sliding = (_sliding(kernel) | _left_off(kernel)) & sizes
    repeating = _repeating(kernel) & sizes
    planes = _of_planes(kernel)
    for name in sorted(sizes):
        found = next((held for held in TYPICAL if name.lower() in held.names.split()), None)
        if name in sliding | repeating and found is None:
            usual = REPETITIONS if name not in sliding else FILTER if name in planes else SLIDING
            found = next((held for held in TYPICAL if name.lower() in held.hints.split()), usual)
        if found is not None:
            yield name, found
    yield from ((name, RADIUS) for name in sorted(_around_a_place(kernel)) if name in sizes)
    yield from ((name, CHANNELS) for name in sorted(_of_pixels(kernel)) if name in sizes)
    for array in kernel.arrays:
        table = next((held for held in TABLES if array.name.lower() in held.names.split()), None)
        if table is not None and array.shape and (named := sizes & array.shape[0].symbols):
            yield from ((name, table) for name in named if array.shape[0] == symbol(name))


def _of_few(kernel: Kernel) -> Iterator[tuple[str, int]]:
    """The extents along which the source itself takes the elements 0, 1, 2 … one by one, ``x[0]`` or ``x[i]`` for i in
    range(3), and otherwise only whole arrays: vectors of so many elements."""
    taken: dict[str, set[int]] = {}
    walked, every = set[str](), {loop.var: loop for loop in loops(kernel.body)}
    for access in accesses(kernel.body):
        for subscript, extent in zip(access.index, kernel.array(access.array).shape, strict=False):
            name = next(iter(extent.symbols), "") if extent.is_linear_in(extent.symbols) else ""
            if not name or extent != symbol(name):
                continue
            loop = every.get(next(iter(subscript.symbols), "")) if subscript is not None else None
            if loop is not None and loop.array_expression and loop.stop == extent and subscript == symbol(loop.var):
                continue
            places = _places(subscript, loop)
            taken.setdefault(name, set()).update(places)
            if not places:
                walked.add(name)
    for name in sorted(taken.keys() - walked):
        if len(taken[name]) in FEW and taken[name] == set(range(len(taken[name]))):
            yield name, len(taken[name])


def _of_rows(kernel: Kernel, rows: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    """The sizes of vectors that callers hand it."""
    for array in kernel.arrays:
        size = next(iter(array.shape[0].symbols), "") if array.name in rows and len(array.shape) == 1 else ""
        if size and array.role == "parameter" and array.shape[0] == symbol(size):
            yield size, rows[array.name]


def _places(subscript: Expr | None, loop: Loop | None) -> Collection[int]:
    """The elements that a subscript takes, where the source says which: a number, or the variable of a loop over a few
    numbers."""
    if subscript is None:
        return ()
    if isinstance(subscript.constant, int):
        return (subscript.constant,)
    if loop is None or subscript != symbol(loop.var) or loop.array_expression or loop.step != 1:
        return ()
    first, last = loop.start.constant, loop.stop.constant
    few = isinstance(first, int) and isinstance(last, int) and last - first <= FEW.stop
    return range(first, last) if few and isinstance(first, int) and isinstance(last, int) else ()


def _of_planes(kernel: Kernel) -> set[str]:
    """The sizes of arrays with several axes."""
    return {name for array in kernel.arrays if len(array.shape) > 1 for e in array.shape for name in e.symbols}


def _around_a_place(kernel: Kernel) -> set[str]:
    """Parameters that are of no array that is passed in, of which a loop inside others runs from minus one to one:
    ``range(-r, r + 1)`` around each place."""
    extents = {name for a in kernel.arrays if a.role == "parameter" for extent in a.shape for name in extent.symbols}
    inner = (loop for top in loops(kernel.body) for loop in loops(top.body))
    radii = {name for loop in inner for name in [_only_size(loop)] if name and loop.start == -symbol(name)}
    return radii & set(kernel.parameters) - extents


def _of_pixels(kernel: Kernel) -> set[str]:
    """The last extents of arrays of three axes whose first two the source calls height and width, as in ``h, w, c =
    image.shape``, and whose last it does not name, as in ``h, w = image.shape[:2]``, or as one of channels."""
    found: set[str] = set()
    for array in kernel.arrays:
        names = [next(iter(e.symbols)) if len(e.symbols) == 1 else "" for e in array.shape]
        if len(names) == 3 and names[0].lower() in HEIGHTS and names[1].lower() in WIDTHS:
            found |= {names[2]} & {f"{array.name}_shape_2", *CHANNELS.hints.split()}
    return found


def _steps(kernel: Kernel) -> set[str]:
    """Parameters that are nothing but how far apart neighbouring threads of a launch are: ``x[i * stride]``."""
    threads = {loop.var for loop in loops(kernel.body) if loop.axis is not None} if kernel.on_gpu else set()
    subscripts = [e for access in accesses(kernel.body) for e in access.index if e is not None and threads & e.symbols]
    steps = {n for e in subscripts for v in threads if e.is_linear_in([v]) for n in e.coefficient(v).symbols}
    extents = {name for array in kernel.arrays for extent in array.shape for name in extent.symbols}
    return steps & set(kernel.parameters) - extents - {n for loop in loops(kernel.body) for n in loop.stop.symbols}


def _sliding(kernel: Kernel) -> set[str]:
    """Sizes of loops that slide over an array of other sizes: ``x[i + k]`` for k below w, where i is below the array's
    own size, or else places what is written and k an element of another array. Two sizes of one matrix do not slide
    over each other."""
    subscripts = [(a, e) for a in accesses(kernel.body) for e in a.index if e is not None]
    written = {e for access, e in subscripts if access.write}
    extents = {name for array in kernel.arrays for extent in array.shape for name in extent.symbols}
    found: set[str] = set()
    for access, around in walk_with_blocks(kernel.body):
        if not isinstance(access, Access) or access.write:
            continue
        array = kernel.array(access.array)
        own = {name for extent in array.shape for name in extent.symbols if len(extent.symbols) == 1}
        every = {loop.var: loop for loop in loops_of(around)}
        for subscript, extent in zip(access.index, array.shape, strict=False):
            for one, other in _pairs(subscript, every):
                size = _only_size(every[one])
                limits = every[other].start.symbols | every[other].stop.symbols
                placed = symbol(other) in written and symbol(one) not in written and size in extents
                beside = any(symbol(size or one) in a.shape and extent in a.shape for a in kernel.arrays)
                inside = limits & extent.symbols and size not in extent.symbols
                if size and size not in own and not beside and (inside or placed):
                    found.add(size)
    return found


def _left_off(kernel: Kernel) -> set[str]:
    """Sizes that a loop leaves off another: were they equal, ``range(n - w + 1)`` would have one trip."""
    together = [{name for extent in array.shape for name in extent.symbols} for array in kernel.arrays]
    found: set[str] = set()
    variables = {loop.var for loop in loops(kernel.body)}
    for loop in loops(kernel.body):
        span = (loop.stop - loop.start) * (-1 if (loop.step.constant or 1) < 0 else 1)
        names = span.symbols
        if names & variables or not is_constant_where_sizes_are_equal(span):
            continue
        if not any(names <= each for each in together):
            found |= {name for name in names if _shortens(name, span)}
    return found


def _shortens(name: str, span: Expr) -> bool:
    """Whether a loop over ``span`` is shorter where this size is larger than the others: both of ``max(p, q)``."""
    alike = dict.fromkeys(span.symbols, LARGE)
    return bool(span.evaluate({**alike, name: 2 * LARGE}) < span.evaluate(alike))


def _pairs(subscript: Expr | None, around: Mapping[str, Loop]) -> tuple[tuple[str, str], ...]:
    """The two loop variables whose sum or difference a subscript is, but for a constant, in both orders."""
    names = sorted(subscript.symbols & around.keys()) if subscript is not None else []
    if subscript is None or len(names) != 2 or not subscript.is_linear_in(names):
        return ()
    unit = all(subscript.coefficient(name) in (1, -1) for name in names)
    return ((names[0], names[1]), (names[1], names[0])) if unit else ()


def _only_size(loop: Loop) -> str:
    """The one size that a loop's range is of: ``range(w)``, ``range(1, w - 1)``, ``range(-w, w + 1)``."""
    names = loop.start.symbols | loop.stop.symbols
    return next(iter(names)) if len(names) == 1 else ""


def _repeating(kernel: Kernel) -> set[str]:
    """Parameters that are in no extent, beside arrays, and bound loops whose variables place nothing by themselves."""
    extents = {name for array in kernel.arrays for extent in array.shape for name in extent.symbols}
    if not any(extents & loop.stop.symbols for loop in loops(kernel.body)):
        return set()
    subscripts = [e for access in accesses(kernel.body) for e in access.index if e is not None]
    scalars = set(kernel.parameters) - extents - {name for e in subscripts for name in e.symbols}
    every = tuple(loops(kernel.body))
    of_launch = {loop.var for loop in every if loop.axis is not None}
    serial = {loop.var for loop in every} - of_launch
    placing = {name for e in subscripts if len(e.symbols) == 1 for name in e.symbols} | of_launch
    placing |= {
        name
        for e in subscripts
        if of_launch & e.symbols and len(serial & e.symbols) == 1
        for name in serial & e.symbols
    }
    used = {name for loop in every if loop.var in placing for name in (loop.stop - loop.start).symbols}
    return {name for loop in every for name in [_only_size(loop)] if name in scalars} - used
