"""Who imports whom: the layers hold, and a file without kernels loads nothing heavy."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx
import pytest

PACKAGE = Path(__file__).parents[1] / "roofscan"
FILES = sorted(f for f in PACKAGE.rglob("*.py") if f.name != "_version.py")  # which building writes

BASE = {
    "suggestions",
    "budget",
    "errors",
    "frozen",
    "files",
    "finding",
    "measurement",
    "memo",
    "remedy",
    "transformation",
    "units",
}  # small things that every layer may use
ANALYSIS = {"ir", "symbolic", "machine", "cost", "roofline"}
ADAPTERS = {"cli", "lsp", "flake8_plugin", "pytest_plugin", "__main__"}
BELOW_ADAPTERS = {
    *ANALYSIS,
    "measuring",
    "advice",
    "rules",
    "report",
    "parse",
    "pipeline",
    "config",
    "cache",
    "api",
    "counters",
    "fix",
}
MAY_IMPORT = {
    "symbolic": set(),
    "ir": {"symbolic"},
    "parse": {"ir", "symbolic"},
    "machine": {"ir"},
    "counters": set(),
    "measuring": {*ANALYSIS, "report", "config", "api"},
    "cost": {"ir", "symbolic"},
    "roofline": {"cost", "machine", "ir", "symbolic"},
    "advice": ANALYSIS,
    "rules": {*ANALYSIS, "advice"},
    "report": {*ANALYSIS, "advice"},
    "config": {"machine", "parse", "ir"},
    "pipeline": {*ANALYSIS, "parse", "advice", "rules", "report", "config"},
    "api": {*ANALYSIS, "parse", "rules", "report", "config", "pipeline"},
    "cache": {"parse", "rules", "config", "pipeline", "api"},
    "fix": {*ANALYSIS, "parse", "config", "pipeline", "api"},
    "results": {*ANALYSIS, "report", "config", "api"},
    "notebook": {"__init__", "parse", "report", "config", "api", "results"},
    "__init__": {"notebook", "results", "config", "measuring", "report"},
    **{name: set() for name in BASE},
    **dict.fromkeys(ADAPTERS, BELOW_ADAPTERS | ADAPTERS),
}
"""Layer -> the layers that it may import, besides BASE:
adapters -> pipeline -> report | rules -> advice -> roofline -> cost -> symbolic, ir <- parse."""

STARTS_FAST = {
    "__init__.py", "results/report.py", "flake8_plugin.py",
    "cli/__init__.py", "cli/baseline.py", "cli/check_command.py", "cli/diff_command.py",
    "cli/explain_command.py", "cli/fix_command.py", "cli/lsp_command.py", "cli/machine_command.py",
    "cli/measure_command.py", "cli/parallel.py", "cli/report_command.py", "cli/run.py", "cli/run_options.py",
    "cache/lookup.py", "cache/update.py", "parse/reader/convert.py", "parse/reader/outline.py",
    "parse/lowering/lower.py", "cost/memory/models.py", "roofline/pieces.py", "roofline/time/predict.py",
    "pipeline/driver.py", "pipeline/assess.py", "advice/precision_advice.py", "rules/bank_conflict.py",
    "rules/block_shape.py", "rules/few_blocks.py", "rules/lanes.py", "rules/matrix_shapes.py", "rules/shared_tile.py",
}  # fmt: skip
"""The files that may import roofscan inside a function, for the sake of start-up alone: a command loads what it runs,
the plugin and the cache load what analyzes only when there is something to analyze, LibCST is loaded for the first
kernel, and the sixty modules of launches for the first kernel of a GPU. What they import so never imports them: no
function hides a cycle (``test_no_import_cycle``)."""

LIBRARY_HOMES = {
    "libcst": {"parse", "fix"},
    "networkx": {"cost", "report"},
    "sympy": {"symbolic", "report", "results"},
    "rich": {"report", "cli"},
    "matplotlib": {"report", "results", "notebook"},
    "pandas": {"results", "notebook"},
    "IPython": {"notebook"},
    "pyarrow": {"report"},
    "numpy": {"measuring"},
    "numba": {"measuring"},
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
}
HEAVY = ("libcst", "sympy", "networkx", "rich", "numpy", "numba", "matplotlib", "pygls")

KERNEL = "from numba import njit\n\n\n@njit\ndef f(x):\n    for i in range(x.size):\n        x[i] *= 2.0\n"
NO_KERNEL = "def f(x):\n    return [2 * y for y in x]\n"


def layer(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


ImportNode = ast.Import | ast.ImportFrom


@cache
def imports(path: Path) -> tuple[tuple[ImportNode, bool, bool], ...]:
    """The import statements of a file, and whether each stands inside a function, or is for types alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {id(inner) for outer in ast.walk(tree) if _is_for_types(outer) for inner in ast.walk(outer)}
    inside = {id(inner) for outer in ast.walk(tree) if isinstance(outer, ast.FunctionDef) for inner in ast.walk(outer)}
    nodes = (node for node in ast.walk(tree) if isinstance(node, ImportNode))
    return tuple((node, id(node) in inside, id(node) in for_types) for node in nodes)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def imported(path: Path) -> Iterator[tuple[str, bool]]:
    """Every module that a file imports, in full, and whether only inside a function or for types."""
    for node, inside, for_types in imports(path):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else _sources(path, node)
        yield from ((name, inside or for_types) for name in names)


def _sources(path: Path, node: ast.ImportFrom) -> list[str]:
    """``from . import a`` and ``from roofscan import a`` import modules; ``from roofscan.a import b`` one."""
    package = ["roofscan", *path.relative_to(PACKAGE).parent.parts]
    above = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
    module = ".".join(part for part in (above, node.module) if part)
    return [f"roofscan.{alias.name}" for alias in node.names] if module == "roofscan" else [module]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_run_one_way(path: Path) -> None:
    ours = {name.split(".")[1] for name, _ in imported(path) if name.startswith("roofscan.")}
    ours &= set(MAY_IMPORT)  # `from roofscan import analyze_file` names no layer
    own = layer(path)
    assert own in MAY_IMPORT, f"{path.name}: a new layer; say in MAY_IMPORT what it may import"
    assert ours - BASE - {own} <= MAY_IMPORT[own]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_libraries_have_their_homes(path: Path) -> None:
    used = {name.split(".")[0] for name, _ in imported(path)}
    for library, homes in LIBRARY_HOMES.items():
        assert library not in used or layer(path) in homes, f"{path.name} imports {library}"


def module_graph(at_start: bool = True) -> networkx.DiGraph[str]:
    """Module -> the modules that it imports; ``at_start``: those that run when it is imported itself, the packages
    around them included.

    A module's own packages are left out: they are always on their way in when it is.
    """
    modules = {_dotted(path) for path in FILES}
    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for path in FILES:
        own = _dotted(path)
        for name in _modules_imported(path, modules, at_start):
            parts = name.split(".")
            around = {".".join(parts[: k + 1]) for k in range(len(parts))} if at_start else {name}
            graph.add_edges_from((own, each) for each in around if not f"{own}.".startswith(f"{each}."))
    return graph


def _dotted(path: Path) -> str:
    return ".".join(("roofscan", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


def _modules_imported(path: Path, modules: set[str], at_start: bool) -> Iterator[str]:
    for node, inside, for_types in imports(path):
        if for_types or (inside and at_start):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        else:
            for source in _sources(path, node):
                inner = {f"{source}.{alias.name}" for alias in node.names} & modules
                yield from inner or ({source} & modules)


@pytest.mark.parametrize("at_start", [True, False], ids=["when imported", "inside functions too"])
def test_no_import_cycle(at_start: bool) -> None:
    graph = module_graph(at_start)
    cycles = [sorted(each) for each in networkx.strongly_connected_components(graph) if len(each) > 1]
    assert cycles == []


def test_the_module_graph_can_see() -> None:
    graph = module_graph()
    assert networkx.has_path(graph, "roofscan.parse.lowering.lower", "roofscan.symbolic.expr")
    assert not networkx.has_path(graph, "roofscan.symbolic.expr", "roofscan.parse.lowering.lower")


def imports_late(path: Path) -> bool:
    """Whether a file imports roofscan inside a function."""
    late = [node for node, inside, _ in imports(path) if inside]
    names = [alias.name for node in late if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in late if isinstance(node, ast.ImportFrom)]
    return any(name.startswith("roofscan") for name in names)


def test_imports_stand_at_the_top() -> None:
    late = {str(path.relative_to(PACKAGE)) for path in FILES if imports_late(path)}
    assert late == STARTS_FAST


def test_the_layering_test_can_see() -> None:
    """The two tests above would pass without a check if no imports were found."""
    seen = {name for path in FILES for name, _ in imported(path)}
    assert {"libcst", "roofscan.symbolic.expr", "roofscan.config.options"} <= seen
    assert any(not lazy for path in FILES for name, lazy in imported(path) if name == "roofscan.symbolic.expr")


def loaded_by(program: str, text: str, folder: Path) -> set[str]:
    """The heavy libraries and roofscan's modules that a fresh interpreter holds after ``program``."""
    (folder / "a.py").write_text(text)
    show = "import sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{show}"], cwd=folder, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


RUN_FLAKE8 = "from flake8.main.cli import main\nmain(['a.py'])"
RUN_CHECK = "from roofscan.cli import main\nmain(['check', 'a.py'])"
RUN_PLUGIN = """
import ast
from roofscan.flake8_plugin import RoofscanPlugin
text = open("a.py").read()
list(RoofscanPlugin(ast.parse(text), "a.py", text.splitlines(keepends=True)).run())
"""


@pytest.mark.parametrize("program", [RUN_FLAKE8, RUN_PLUGIN], ids=["flake8", "the plugin alone"])
def test_a_file_without_kernels_loads_nothing_heavy(tmp_path: Path, program: str) -> None:
    modules = loaded_by(program, NO_KERNEL, tmp_path)
    assert "roofscan.flake8_plugin" in modules
    assert not modules & {*HEAVY, "dataclasses", "tomllib", "tomli", "roofscan.api", "roofscan.config.pyproject"}


@pytest.mark.parametrize("program", [RUN_FLAKE8, RUN_PLUGIN], ids=["flake8", "the plugin alone"])
def test_a_kernel_needs_nothing_heavy_but_libcst(tmp_path: Path, program: str) -> None:
    modules = loaded_by(program, KERNEL, tmp_path)
    assert {"roofscan.cost.analyze", "libcst"} <= modules
    assert not modules & ({*HEAVY} - {"libcst"})
    assert not {m for m in modules if m.startswith("roofscan.roofline.gpu.")} - {"roofscan.roofline.gpu.device"}
    assert {m for m in modules if m.startswith("roofscan.cost.memory.gpu.")} <= {"roofscan.cost.memory.gpu.device"}


def test_a_file_that_only_mentions_numba_does_not_load_libcst(tmp_path: Path) -> None:
    modules = loaded_by(RUN_CHECK, f"import numba\n\n\n{NO_KERNEL}", tmp_path)
    assert "roofscan.parse.reader.module" in modules
    assert "libcst" not in modules


@pytest.mark.parametrize("program", [RUN_FLAKE8, RUN_CHECK], ids=["flake8", "check"])
def test_a_known_kernel_needs_nothing_that_analyzes(tmp_path: Path, program: str) -> None:
    loaded_by(program, KERNEL, tmp_path)
    modules = loaded_by(program, KERNEL, tmp_path)
    assert "roofscan.cache.lookup" in modules
    assert not modules & {*HEAVY, "roofscan.api", "roofscan.parse.reader.outline"}
    assert not [name for name in modules if name.startswith(("roofscan.cost", "roofscan.roofline"))]


@pytest.mark.parametrize("module", ["roofscan", "roofscan.api", "roofscan.cli"])
def test_importing_the_public_modules_loads_nothing_heavy(tmp_path: Path, module: str) -> None:
    assert not loaded_by(f"import {module}", "", tmp_path) & set(HEAVY)
