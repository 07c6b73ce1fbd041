"""The app's package: what it imports decides what the first archive holds."""

from __future__ import annotations

from pathlib import Path

from scripts.vendoring.app import app_sources, library_imports

ROOT = Path(__file__).resolve().parents[2]
SOURCE = """
from __future__ import annotations
import json, os.path as path
from typing import TYPE_CHECKING
from pydantic import BaseModel
from . import sibling
if TYPE_CHECKING:
    import decimal
else:
    import math
try:
    import csv
except ImportError:
    import io
class A:
    import re
    def method(self):
        import difflib, json
        if self:
            from urllib.parse import quote
async def f():
    import uuid
match 1:
    case 1:
        import copy
"""


def test_imports_are_sorted_by_when_they_happen(tmp_path: Path) -> None:
    folder = tmp_path / "pagehand"
    folder.mkdir()
    (folder / "__init__.py").write_text(SOURCE, encoding="utf-8")

    early, late = library_imports(app_sources(tmp_path))

    assert early == ["copy", "csv", "io", "json", "math", "os.path", "re", "typing"]
    assert late == ["difflib", "urllib.parse", "uuid"]


def test_damaged_source_is_left_to_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "pagehand").mkdir()
    (tmp_path / "pagehand" / "broken.py").write_text("def (", encoding="utf-8")

    assert library_imports(app_sources(tmp_path)) == ([], [])


def test_only_tools_keep_their_docstrings() -> None:
    sources = {source.member: source.optimize for source in app_sources(ROOT / "app")}

    assert sources["pagehand/errors.py"] == 2
    assert sources["pagehand/tools/__init__.py"] == 0


def test_the_testing_kit_is_not_packed_into_the_page() -> None:
    members = [source.member for source in app_sources(ROOT / "app")]

    assert (ROOT / "app" / "pagehand" / "testing").is_dir()
    assert not [member for member in members if "testing" in member]


def test_modules_of_the_app_import_no_heavy_library_at_once() -> None:
    early, _ = library_imports(app_sources(ROOT / "app"))

    heavy = {"email", "http", "urllib", "xml", "logging", "pathlib", "decimal", "datetime"}
    assert {name.split(".")[0] for name in early} & heavy == set()
