"""Every snippet of docs/tools.md and docs/human-in-the-loop.md runs, each page in one namespace."""

import re
import sys
import types
from pathlib import Path

import pytest

from pagehand.toolkit.definition import DEFAULTS

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "tools.md"
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def element(*children, **attributes):
    """Stands for an element of the page, which is not here."""
    return (children, attributes)


@pytest.mark.parametrize(("name", "count"), [("tools.md", 14), ("human-in-the-loop.md", 6)])
def test_the_snippets_run(monkeypatch, name, count):
    html = types.ModuleType("pagehand.html")
    html.__dict__.update(div=element, p=element, button=element)
    monkeypatch.setitem(sys.modules, "pagehand.html", html)
    text = (DOCS / name).read_text(encoding="utf-8")
    names = {"__name__": "docs"}
    snippets = list(SNIPPET.finditer(text))
    for snippet in snippets:
        line = text.count("\n", 0, snippet.start()) + 1
        exec(compile("\n" * line + snippet.group(1), name, "exec"), names)
    assert len(snippets) >= count
    toolkit = names["toolkit"]
    if name == "tools.md":
        assert toolkit.get("place-order").schema()["required"] == ["items", "to", "day"]
    else:
        assert {"delete-orders", "book-seat", "pick_asset"} <= set(toolkit.declarations())


def test_every_option_is_named():
    text = PAGE.read_text(encoding="utf-8")
    missing = [option for option in DEFAULTS if f"`{option}" not in text]
    assert missing == []
