"""Rich editors of real libraries: what the tools write is what the editor's own model holds."""

from __future__ import annotations

import pytest

from browser.support.gallery import Gallery

pytestmark = pytest.mark.browser

EDITORS = ["quill", "prosemirror", "codemirror", "slate", "draft", "lexical"]


@pytest.mark.parametrize("name", EDITORS)
@pytest.mark.parametrize("text", ["Grüße, 张三", "first line\nsecond line"], ids=["line", "lines"])
def test_a_text_replaces_the_old_one_in_the_model(gallery: Gallery, name: str, text: str) -> None:
    gallery.draw(name)
    assert gallery.state() == "old text"
    result = gallery.fill(("css=[contenteditable=true]", text))
    assert result["success"], result
    assert gallery.state() == text
    assert result["data"]["filled"][0]["before"] == "old text"

    again = gallery.fill(("css=[contenteditable=true]", text))
    assert len(again["data"]["unchanged"]) == 1
    assert gallery.call("undo_fill")["success"]
    assert gallery.state() == "old text"


@pytest.mark.parametrize("name", EDITORS)
def test_emptying_an_editor(gallery: Gallery, name: str) -> None:
    gallery.draw(name)
    result = gallery.fill(("css=[contenteditable=true]", ""))
    assert result["success"], result
    assert gallery.state() == ""
