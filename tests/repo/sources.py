"""What the repository's own tests look at: the files that git knows, and their imports."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def tracked(*suffixes: str) -> tuple[Path, ...]:
    """Files in git or about to be, by ending; paths relative to the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found = (Path(line) for line in listed.splitlines())
    return tuple(p for p in found if (ROOT / p).is_file() and p.name.endswith(suffixes))


def imported_modules(path: Path, *, top_level_only: bool = False) -> set[str]:
    """Dotted names a module imports; `from a import b` gives both `a` and `a.b`.

    With `top_level_only`, imports inside functions and under TYPE_CHECKING are left out.
    """
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in _nodes(tree, top_level_only=top_level_only):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def _nodes(tree: ast.Module, *, top_level_only: bool) -> list[ast.AST]:
    if not top_level_only:
        return list(ast.walk(tree))
    found: list[ast.AST] = []
    queue: list[ast.AST] = list(tree.body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        found.append(node)
        queue.extend(ast.iter_child_nodes(node))
    return found
