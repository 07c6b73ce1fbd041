"""The app's own package: its sources, and what they import from the standard library."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from .pyc import Source, sources_of


def app_sources(app: Path) -> list[Source]:
    """The sources of `pagehand`, with their docstrings: tools' descriptions come from there."""
    return [
        source
        for source in sources_of(app, filename="app/", optimize=0)
        if source.member.startswith("pagehand/")
    ]


def library_imports(sources: list[Source]) -> list[str]:
    """The standard modules that the sources import anywhere, also inside functions.

    Imports for type checkers alone are left out. Damaged sources count as importing nothing: the
    compiler reports them better.
    """
    names: set[str] = set()
    for source in sources:
        try:
            tree = ast.parse(source.path.read_bytes())
        except SyntaxError:
            continue
        names.update(_imports(tree.body))
    known = sys.stdlib_module_names | {"pyodide", "_pyodide"}
    return sorted(
        name
        for name in names
        if name.split(".")[0] in known and name not in {"__future__", "pyodide.ffi.wrappers"}
    )


def _imports(body: list[ast.stmt]) -> set[str]:
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            names |= _imports(node.orelse)
        else:
            for field in ("body", "orelse", "finalbody", "handlers", "cases"):
                for child in getattr(node, field, []):
                    names |= _imports([child] if isinstance(child, ast.stmt) else child.body)
    return names
