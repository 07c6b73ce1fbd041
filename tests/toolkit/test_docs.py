"""Every snippet of docs/tools.md runs, in order, in one namespace."""

import re
import sys
import types
from pathlib import Path

from pagehand.toolkit.tool import DEFAULTS

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def element(*children, **attributes):
    """Stands for an element of the page, which is not here."""
    return (children, attributes)


def test_the_snippets_run(monkeypatch):
    html = types.ModuleType("pagehand.html")
    html.__dict__.update(div=element, p=element, button=element)
    monkeypatch.setitem(sys.modules, "pagehand.html", html)
    text = PAGE.read_text(encoding="utf-8")
    names = {"__name__": "docs"}
    snippets = list(SNIPPET.finditer(text))
    for snippet in snippets:
        line = text.count("\n", 0, snippet.start()) + 1
        exec(compile("\n" * line + snippet.group(1), str(PAGE), "exec"), names)
    assert len(snippets) >= 14
    assert names["toolkit"].get("place-order").schema()["required"] == ["items", "to", "day"]


def test_every_option_is_named():
    text = PAGE.read_text(encoding="utf-8")
    missing = [option for option in DEFAULTS if f"`{option}" not in text]
    assert missing == []
