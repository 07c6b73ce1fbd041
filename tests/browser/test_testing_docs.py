"""The example of docs/testing.md, as an integrator's own project runs it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
FILES = re.compile(r"^```python\n# (\w+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_example_runs_in_a_project_of_its_own(vendored: None, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    files = dict(FILES.findall(text))
    assert set(files) == {"my_tools.py", "test_my_tools.py"}
    for name, source in files.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "pagehand.testing", str(tmp_path)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "app"), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_the_installed_plugin_is_found_under_its_modules_name() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ((name, module),) = settings["project"]["entry-points"]["pytest11"].items()
    # Under another name, `pytest_plugins = ["pagehand.testing"]` would register it twice.
    assert name == module
    assert callable(import_module(module).pytest_addoption)
    wanted = settings["project"]["optional-dependencies"]["testing"]
    assert [one.split(">")[0] for one in wanted] == ["pytest", "playwright"]
