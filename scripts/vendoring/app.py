"""The app's own package: its sources, and what they import from the standard library."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace
from pathlib import Path

from .pyc import Source, sources_of

# Fetched only when a page falls back to the built-in model.
DEMO = "pagehand/demo/"

# For an integrator's own tests, under plain Python: no page imports it.
TESTING = "pagehand/testing/"

# Docstrings of tools are what a model reads of them; those of the rest only cost bytes.
_WITH_DOCSTRINGS = "pagehand/tools/"


def app_sources(app: Path) -> list[Source]:
    """The sources of `pagehand`."""
    sources = sources_of(app / "pagehand", prefix="pagehand/", filename="app/", optimize=2)
    return [
        replace(source, optimize=0) if source.member.startswith(_WITH_DOCSTRINGS) else source
        for source in sources
        if not source.member.startswith(TESTING)
    ]


def library_imports(sources: list[Source]) -> tuple[list[str], list[str]]:
    """The standard modules that the sources import: with a module, and inside functions.

    Imports for type checkers alone are left out. Damaged sources count as importing nothing: the
    compiler reports them better.
    """
    early: set[str] = set()
    late: set[str] = set()
    for source in sources:
        try:
            tree = ast.parse(source.path.read_bytes())
        except SyntaxError:
            continue
        _collect(tree.body, early, late)
    return _of_library(early), _of_library(late - early)


def _of_library(names: set[str]) -> list[str]:
    known = sys.stdlib_module_names | {"pyodide", "_pyodide"}
    return sorted(name for name in names if name.split(".")[0] in known and name != "__future__")


def _collect(body: list[ast.stmt], early: set[str], late: set[str]) -> None:
    for node in body:
        if isinstance(node, ast.Import):
            early.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            early.add(node.module)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            _collect(node.orelse, early, late)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            _collect(node.body, late, late)
        else:
            for child in _blocks(node):
                _collect(child, early, late)


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    blocks = [getattr(node, field, []) for field in ("body", "orelse", "finalbody")]
    inner = [*getattr(node, "handlers", []), *getattr(node, "cases", [])]
    return blocks + [child.body for child in inner]
