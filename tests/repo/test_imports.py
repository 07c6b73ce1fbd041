"""Imports point one way, and the pure packages know nothing of the page."""

from __future__ import annotations

import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from repo.sources import ROOT, imported_modules, tracked

ORDER = [
    "errors",
    "wire",
    "toolkit",
    "engine",
    "chat",
    "demo",
    "browser",
    "html",
    "tools",
    "ui",
    "testing",
]
MAY_USE = {
    "errors": set(),
    "wire": {"errors"},
    "toolkit": {"errors", "wire"},
    "engine": {"errors", "wire", "toolkit"},
    "chat": {"errors", "wire", "toolkit", "engine"},
    "demo": {"errors", "wire"},
    "browser": {"errors", "wire", "toolkit", "engine", "chat", "demo"},
    "html": {"errors", "browser"},
    "tools": {"errors", "wire", "toolkit", "engine", "browser", "html"},
    "ui": {"errors", "wire", "toolkit", "engine", "chat", "demo", "browser", "html", "tools"},
    "testing": {"errors", "wire"},
}
ENTWINED = ["tools"]  # its modules still need each other: the page and what makes it
OUTSIDE = ["testing"]  # under plain Python only: it drives a page from outside
PURE = ["errors", "wire", "toolkit", "engine", "chat", "demo"]
PAGE_MODULES = ("js", "pyodide", "pyodide_js", "pyscript", "pagehand_shell", "pagehand_markdown")
BACKEND_MAY_USE = {"errors", "wire", "demo"}

APP = Path("app/pagehand")


def _package(path: Path) -> str:
    part = path.relative_to(APP).parts[0]
    return part.removesuffix(".py")


def _app_modules() -> list[Path]:
    return [p for p in tracked(".py") if p.is_relative_to(APP) and p != APP / "__init__.py"]


def _used_packages(path: Path) -> set[str]:
    names = imported_modules(path)
    return {n.split(".")[1] for n in names if n.startswith("pagehand.") and n.count(".") >= 1}


@pytest.mark.parametrize("path", _app_modules(), ids=str)
def test_imports_point_one_way(path: Path) -> None:
    own = _package(path)
    used = _used_packages(path) & set(ORDER)
    assert used - {own} <= MAY_USE[own], f"{path} ({own}) may not use {used - MAY_USE[own] - {own}}"


def _name(path: Path) -> str:
    return ".".join(path.relative_to("app").with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("package", [p for p in ORDER if p not in ENTWINED])
def test_no_modules_need_each_other(package: str) -> None:
    """Imports inside functions and for types only count too: they hide a circle, no more."""
    paths = {_name(path): path for path in _app_modules() if _package(path) == package}
    graph = {name: imported_modules(path) & (set(paths) - {name}) for name, path in paths.items()}
    assert graph
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        pytest.fail(f"{circle}: move what these share into a module below them")


@pytest.mark.parametrize("path", _app_modules(), ids=str)
def test_no_module_imports_the_lazy_front_door(path: Path) -> None:
    names = imported_modules(path)
    assert "pagehand" not in names, f"{path} imports from `pagehand`: name the module itself"


@pytest.mark.parametrize("path", _app_modules(), ids=str)
def test_only_the_edge_knows_the_page(path: Path) -> None:
    if _package(path) not in [*PURE, *OUTSIDE]:
        return
    names = {name.split(".")[0] for name in imported_modules(path)}
    assert not names & set(PAGE_MODULES), (
        f"{path} is no part of the page and may not import {names}"
    )


@pytest.mark.parametrize("path", [p for p in tracked(".py") if p.parts[0] == "backend"], ids=str)
def test_backend_uses_only_what_it_shares_with_the_page(path: Path) -> None:
    assert _used_packages(path) & set(ORDER) <= BACKEND_MAY_USE


@pytest.mark.parametrize("package", PURE)
def test_pure_packages_import_in_a_fresh_interpreter(package: str) -> None:
    modules = [_name(p) for p in _app_modules() if _package(p) == package]
    heavy = [*PAGE_MODULES, "pydantic", "jsonschema", "starlette", "httpx"]
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'app')!r})\n"
        + "".join(f"import {m}\n" for m in modules)
        + f"print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
