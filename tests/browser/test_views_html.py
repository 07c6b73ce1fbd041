"""Elements written in Python: what they become, and what they refuse to become."""

from __future__ import annotations

import pytest

from browser.views.driver import Stage


def markup(stage: Stage, expression: str) -> str:
    stage.run(f"made = {expression}")
    found: str = stage.ask("made.outerHTML")
    return found


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("html.div('a', 1, None, False, ['b', [html.b('c')]])", "<div>a1b<b>c</b></div>"),
        ("html.p('<i>x</i> & \\'y\\'')", "<p>&lt;i&gt;x&lt;/i&gt; &amp; 'y'</p>"),
        ("html.div(class_='a b', data_action='go')", '<div class="a b" data-action="go"></div>'),
        ("html.div(hidden=True, title=None, id=False)", '<div hidden=""></div>'),
        ("html.div(aria_expanded=False)", '<div aria-expanded="false"></div>'),
        ("html.label('x', for_='y')", '<label for="y">x</label>'),
        ("html.button('Go')", '<button type="button">Go</button>'),
        ("html.button('Go', type='submit')", '<button type="submit">Go</button>'),
        ("html.a('x', href='/orders?a=1#b')", '<a href="/orders?a=1#b">x</a>'),
        (
            "html.a('x', href='https://example.com/', target='_blank')",
            '<a href="https://example.com/" target="_blank" rel="noopener noreferrer">x</a>',
        ),
        (
            "html.div(style={'color': 'red', '--gap': 2})",
            '<div style="color: red; --gap: 2;"></div>',
        ),
        ("html.element('my-tag', 'x', some_thing=1)", '<my-tag some-thing="1">x</my-tag>'),
        (
            "html.svg(html.svg_element('path', d='M0 0'), viewBox='0 0 2 2')",
            '<svg viewBox="0 0 2 2"><path d="M0 0"></path></svg>',
        ),
    ],
)
def test_what_is_written_becomes_that_element(stage: Stage, expression: str, expected: str) -> None:
    assert markup(stage, expression) == expected


@pytest.mark.parametrize(
    "expression",
    [
        "html.a('x', href='javascript:alert(1)')",
        "html.a('x', href=' \\x01JaVaScRiPt:alert(1)')",
        "html.a('x', href='java\\nscript:alert(1)')",
        "html.a('x', href='java\\tscript:alert(1)')",
        "html.a('x', href='data:text/html,<script>alert(1)</script>')",
        "html.a('x', href='vbscript:x')",
        "html.a('x', href='blob:https://example.com/1')",
        "html.img(src='javascript:alert(1)')",
        "html.img(src='data:image/svg+xml;base64,AAAA')",
        "html.form(action='javascript:alert(1)')",
        "html.button('x', formaction='javascript:alert(1)')",
        "html.svg(html.svg_element('a', xlink_href='x', href='javascript:alert(1)'))",
        "html.a('x', HREF='javascript:alert(1)')",
        "html.img(Src='javascript:alert(1)')",
        "html.button('x', formAction='javascript:alert(1)')",
        "html.svg_element('a', **{'xlink:HREF': 'javascript:alert(1)'})",
        "html.div(ONCLICK='alert(1)')",
        "html.div(onClick='alert(1)')",
        "html.div(onclick='alert(1)')",
        "html.div(on_click='alert(1)')",
        "html.div(innerHTML='<b>x</b>')",
        "html.element('iframe', srcdoc='<script></script>')",
        "html.element('script', 'alert(1)')",
        "html.element('STYLE', 'x')",
        "html.svg_element('script', 'alert(1)')",
        "html.svg_element('foreignObject')",
        "html.element('meta', http_equiv='refresh', content='0;url=x')",
        "html.img(srcset='https://evil.example/x 2x')",
        "html.div(object())",
        "html.div({'a': 1})",
    ],
)
def test_what_could_run_code_or_means_nothing_is_refused(stage: Stage, expression: str) -> None:
    stage.run(
        f"""
from pagehand.errors import PageError
try:
    {expression}
    said = None
except PageError as error:
    said = str(error)
"""
    )
    said = stage.ask("said")
    assert said is not None
    assert len(said) > 20


def test_a_select_and_a_checkbox_take_their_state(stage: Stage) -> None:
    stage.run(
        """
chooser = html.select(html.option("A", value="a"), html.option("B", value="b"), value="b")
box = html.input_(type="checkbox", checked=True)
field = html.textarea(value="one\\ntwo")
"""
    )
    assert stage.ask("[chooser.value, box.checked, field.value]") == ["b", True, "one\ntwo"]


def test_a_scope_frees_its_callbacks(stage: Stage) -> None:
    stage.run(
        """
heard = []
with html.scope() as kept:
    one = html.button("x", on_click=lambda event: heard.append("one"))
    with html.scope() as inner:
        two = html.button("y", on_click=lambda event: heard.append("two"))
    three = html.button("z", on_click=lambda event: heard.append("three"))
inner.close()
one.click()
three.click()
"""
    )
    assert stage.ask("[heard, len(kept), len(inner)]") == [["one", "three"], 2, 0]


def test_an_async_callback_runs(stage: Stage) -> None:
    stage.run(
        """
import asyncio
heard = []
async def clicked(event):
    await asyncio.sleep(0)
    heard.append(event.type)
with html.scope():
    html.button("x", on_click=clicked).click()
"""
    )
    stage.becomes("heard", ["click"])


def test_101_an_async_callback_can_stop_a_link(stage: Stage) -> None:
    stage.run(
        """
import asyncio
heard = []
async def clicked(event):
    event.preventDefault()
    await asyncio.sleep(0)
    heard.append(js.location.hash)
with html.scope():
    link = html.a("x", href="#gone", on_click=clicked)
js.document.body.append(link)
link.click()
link.remove()
"""
    )
    stage.becomes("heard", [""])


def test_98_a_callback_cannot_block_and_says_so(stage: Stage) -> None:
    stage.run(
        """
import asyncio
from pyodide.ffi import run_sync
heard = []
def blocking(event):
    heard.append("before")
    run_sync(asyncio.sleep(0))
    heard.append("after")
async def waiting(event):
    await asyncio.sleep(0)
    heard.append("waited")
with html.scope():
    html.button("x", on_click=blocking).click()
    html.button("y", on_click=waiting).click()
"""
    )
    stage.becomes("heard", ["before", "waited"])
    told = stage.problems.pop()
    assert "RuntimeError: Cannot stack switch" in told
    assert "blocking" in told, "the console names the function"
