from __future__ import annotations

import ast
import re
import string
from pathlib import Path

import pytest

from pagehand.ui.i18n import LANGUAGES
from pagehand.ui.words import WORDS

UI = Path(__file__).parents[2] / "app" / "pagehand" / "ui"


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("key", WORDS)
def test_each_text_exists_in_every_language_with_the_same_gaps(key: str) -> None:
    texts = WORDS[key]
    assert len(texts) == len(LANGUAGES)
    assert all(text.strip() == text and text for text in texts)
    assert len({frozenset(fields(text)) for text in texts}) == 1


@pytest.mark.parametrize("key", WORDS)
def test_chinese_is_chinese(key: str) -> None:
    # Gaps, and names that are the same in every language.
    chinese = re.sub(r"\{.*?\}|JSON|ui-message-stream|ag-ui", "", WORDS[key][1])
    assert not re.search(r"[A-Za-z]{3}", chinese)
    assert chinese == "：" or any("\u4e00" <= letter <= "\u9fff" for letter in chinese)


def keys_in_code() -> set[str]:
    """Every literal key that views pass to the look-up."""
    found = set()
    for file in UI.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            first = node.args[0]
            if name in ("say", "text") and isinstance(first, ast.Constant):
                found.add(first.value)
    return {key for key in found if isinstance(key, str) and "." in key}


def test_no_view_asks_for_a_text_that_is_not_there() -> None:
    asked = keys_in_code()
    assert len(asked) > 40
    assert asked <= set(WORDS)


def test_every_text_is_asked_for_somewhere() -> None:
    app = UI.parent
    sources = [f.read_text(encoding="utf-8") for f in app.rglob("*.py") if "words" not in f.name]
    code = "\n".join(sources)
    # Keys that are put together: `f"tool.{state}"`, `_words("log.step", ...)`.
    made = set(re.findall(r'f"([a-z_]+\.[\w.-]*)\{', code))
    made |= {f"{start}." for start in re.findall(r'_words\("([\w.]+)",', code)}
    assert {"tool.", "log.step."} <= made
    asked = {key for key in WORDS if f'"{key}"' in code or key.startswith(tuple(made))}
    assert set(WORDS) == asked
