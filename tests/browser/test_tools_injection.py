"""Hostile addresses through the tools that go, ask and press: nothing leaves this site unasked.

Hostile words in pages: test_injection.py.
"""

from __future__ import annotations

import html
import json

import pytest

from browser.support.floor import Floor

pytestmark = pytest.mark.browser

TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123abc"
SCHEMES = (
    "javascript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "data:text/html,x",
    "blob:https://evil.example/x",
    "file:///etc/passwd",
    "filesystem:https://evil.example/x",
    "vbscript:x",
    "view-source:https://evil.example/",
    "about:blank",
    "chrome://settings",
    "ws://evil.example/",
    "ftp://evil.example/",
    "intent://evil.example/",
)
HOSTS = (
    "https://evil.example/?q=SECRET",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "/\t/evil.example/x",
    "/\\evil.example/x",
    "https:evil.example",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://127.1/",
    "http://[::1]/",
    "https://127.0.0.1@evil.example/",
    "https://127.0.0.1.evil.example/",
    "https://user:pw@127.0.0.1/",
    "http://localhost:1/",
    "https://evil.example:443/",
    "https://ＥＶＩＬ.example/",
    "mailto:a@evil.example?body=SECRET",
    "tel:+123456",
    "sms:+123456?body=SECRET",
    "http://",
)


@pytest.mark.parametrize("tool", ["navigate_to", "http_get", "http_post"])
def test_no_address_leads_off_this_site(floor: Floor, tool: str) -> None:
    floor.show("<p>Shop</p>")
    here = floor.page.evaluate("location.href")
    for address in (*SCHEMES, *HOSTS):
        answer = floor.call(tool, path=address)
        refused = answer.get("success") is False or "failed" in answer
        assert refused, (address, answer)
    assert floor.page.evaluate("location.href") == here
    assert floor.questions == [], "nobody is asked about what cannot be done"
    assert floor.watch.outside == []


def test_no_link_of_a_page_leads_off_it_without_a_yes(floor: Floor) -> None:
    links = [*SCHEMES, *HOSTS]
    body = "".join(
        f"<p><a id=l{n} href='{html.escape(one, quote=True)}'>Link {n}</a></p>"
        for n, one in enumerate(links)
    )
    floor.show(body)
    floor.page.evaluate("window.ran = 0; window.alert = () => { window.ran += 1; }; 0")
    floor.answer(False)
    here = floor.page.evaluate("location.href")
    for number, address in enumerate(links):
        scripted = floor.page.evaluate(f"l{number}.protocol") == "javascript:"
        if scripted:
            continue  # the page's own button in the clothes of a link
        answer = floor.call("click", target=f"css=#l{number}")
        harmless = floor.page.evaluate(f"l{number}.origin === location.origin")
        assert answer.get("success") is False or "failed" in answer or harmless, address
    assert floor.page.evaluate("location.href") == here
    assert floor.page.evaluate("window.ran") == 0
    assert floor.watch.outside == []


def test_cookies_give_no_secret(floor: Floor) -> None:
    floor.show("<p>x</p>", cookies=["note"])
    floor.page.evaluate("token => { document.cookie = `note=${token}`; }", TOKEN)
    assert TOKEN not in json.dumps(floor.call("read_cookie", name="note"))
    assert floor.call("read_cookie", name="other")["code"] == "refused"
