"""What a user may choose about an analysis, as plain data. The command, the plugin and the config fill it."""

from __future__ import annotations

from roofscan.config.defaults import KERNEL_STEPS, MAX_BYTES
from roofscan.config.values import KernelChoice
from roofscan.frozen import dataclass


@dataclass(frozen=True)
class Options:
    """Choices of one run. Texts of facts stay texts here, so that this costs no import."""

    machines: tuple[str, ...] = ()  # names or TOML files; none: DEFAULT_MACHINE
    kernels: KernelChoice = "decorated"  # "decorated" (and pragmas), or "all": plain functions too
    bind: str = ""  # facts that win over the source's pragmas, in the words of --bind
    default_bind: str = ""  # facts that hold where neither a pragma nor ``bind`` says otherwise
    caches: tuple[int, ...] = ()  # bytes; instead of a machine
    line: int | None = None  # bytes a cache line; None: the machine's
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # pattern of paths -> codes not reported there
    min_gain: float = 1.0  # the least gain that is reported
    baseline: str = ""  # file of findings that are known and not reported
    exclude: tuple[str, ...] = ()  # glob patterns of paths that a folder's walk leaves out
    max_bytes: int = MAX_BYTES
    steps: int = KERNEL_STEPS  # what the analysis of one kernel may take, see roofscan.budget
    seconds: float | None = None  # CPU time, the same as a last resort; None: no clock
    jobs: int | None = None  # processes; None: as many as cores, where there is enough to do
    executor: str = "processes"  # or "dask:ADDRESS"
    cold: bool = False  # times of a first call, which finds no data in the caches
    nodes: int = 1  # machines that share the work, where the machine file has a network
    threads: int | None = None  # cores that run parallel kernels; None: all of the machine
    layers: bool = False  # work out layer conditions too, as reports show them
    time_pieces: bool = False  # likewise the time in the sizes
    no_cache: bool = False  # analyze everything, and keep nothing on disk
    cache_dir: str = ""  # folder that keeps findings for the next run; none: .roofscan_cache in the current folder


DEFAULTS = Options()
