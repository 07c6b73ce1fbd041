"""Files stay small (design: look again at 300 lines, never above 400)."""

from __future__ import annotations

from pathlib import Path

import pytest

from repo.sources import ROOT, tracked

LIMIT = 400
TEST_LIMIT = 500


@pytest.mark.parametrize("path", tracked(".py", ".js", ".mjs", ".css"), ids=str)
def test_file_is_small(path: Path) -> None:
    lines = (ROOT / path).read_text(encoding="utf-8").count("\n")
    limit = TEST_LIMIT if path.parts[0] == "tests" else LIMIT
    assert lines <= limit, (
        f"{path} has {lines} lines, the limit is {limit}: give a part its own file"
    )
