"""The split of the standard library, and the names that lead to late archives."""

from __future__ import annotations

import zipfile
from pathlib import Path

from scripts.vendoring.layout import STDLIB_LEFT_OUT
from scripts.vendoring.pyc import is_skipped, sources_of
from scripts.vendoring.stdlib import Trial, _sorted_files, module_names


def test_each_file_goes_to_the_first_stage_that_imports_it(tmp_path: Path) -> None:
    stdlib = tmp_path / "stdlib.zip"
    with zipfile.ZipFile(stdlib, "w") as archive:
        for name in ("io.pyc", "json/__init__.pyc", "uuid.pyc", "csv.pyc", "sitecustomize.pyc"):
            archive.writestr(name, name)
    found = {"start": ["io.pyc"], "boot": ["json/__init__.pyc"], "packages": ["uuid.pyc", "io.pyc"]}

    library = _sorted_files(stdlib, found)

    assert module_names(library.boot) == ["io", "json", "sitecustomize"]
    assert module_names(library.packages) == ["uuid"]
    assert module_names(library.rest) == ["csv"]


def test_trial_imports_what_the_app_names_in_its_stage() -> None:
    groups = Trial(["math"], ["uuid"], ["pydantic.types"], []).groups()

    assert "import math\n" in groups["boot"]
    assert "import uuid\n" not in groups["boot"]
    assert "import uuid\nimport pydantic.types\n" in groups["packages"]


def test_files_that_no_page_can_use_are_left_out() -> None:
    assert is_skipped("tkinter/__init__.py", STDLIB_LEFT_OUT)
    assert not is_skipped("test.py", STDLIB_LEFT_OUT)


def test_sources_have_their_place_and_their_name_in_tracebacks(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.py").touch()
    (tmp_path / "c.py").touch()
    (tmp_path / "d.txt").touch()

    found = sources_of(tmp_path, prefix="top/", filename="app/", optimize=2, skip=("top/c.py",))

    assert [(s.member, s.filename, s.optimize) for s in found] == [
        ("top/a/b.py", "app/top/a/b.py", 2)
    ]
