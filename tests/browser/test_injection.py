"""Over 300 hostile inputs: none changes what is asked, leaves the origin, or gets a secret out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from browser.support import injections
from browser.support.fake_server import FakeServer
from browser.support.injections import (
    ADDRESSES,
    INSTRUCTIONS,
    NAMES,
    OWN_FIELDS,
    PLACES,
    SECRETS,
    SPOTS,
)
from browser.support.watch import Watch
from browser.support.workbench import Workbench

pytestmark = pytest.mark.browser

# One call after another, without waiting for each: `[[tool, arguments], ...]` to their results. The
# engine's limits are not what is tested: every 40 calls a new one goes on.
MANY_CALLS = """
async def many(calls, options):
    results = []
    raised.clear()
    for index, (name, arguments) in enumerate(json.loads(calls)):
        if index % 40 == 0:
            set_up(options)
        before = len(questions)
        results.append(json.loads(await call(name, json.dumps(arguments))))
        raised.append(questions[before:])
    return json.dumps(results)

raised = []
"""


class Bench(Workbench):
    """A page for many calls."""

    options: dict[str, Any]

    def begin(self, html: str, **options: Any) -> None:
        """Opens a page."""
        self.options = options
        self.show(html, **options)
        self.python(MANY_CALLS)

    def many(self, calls: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
        """Runs calls one after another."""
        text, options = json.dumps(json.dumps(calls)), json.dumps(json.dumps(self.options))
        results: list[dict[str, Any]] = json.loads(self.python(f"await many({text}, {options})"))
        return results


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[tuple[Bench, Watch]]:
    context = browser.new_context(locale="en-US", viewport={"width": 1000, "height": 800})
    context.set_default_timeout(60_000)
    watch, server = Watch(context), FakeServer()
    yield Bench(context.new_page(), server), watch
    context.close()
    server.close()


@pytest.fixture
def bench(shared: tuple[Bench, Watch]) -> Iterator[Bench]:
    yield shared[0]
    assert shared[1].outside == [], "a request left the origin"
    assert shared[0].page.evaluate("window.pwned") is None


def test_there_are_enough() -> None:
    assert injections.count() >= 300


def test_no_secret_is_read_off_the_page(bench: Bench) -> None:
    places = [
        (f"{place}-{kind}", text.replace("{i}", f"{place}-{kind}").replace("{s}", secret), secret)
        for place, text in PLACES.items()
        for kind, secret in SECRETS.items()
    ]
    bench.begin("".join(html for _, html, _ in places), budget={"characters": 9_000_000})
    reads: list[tuple[str, dict[str, Any]]] = [
        ("read_page", {"max_chars": 60_000}),
        ("list_tables", {}),
        ("extract_links", {}),
    ]
    reads += [("read_element", {"target": f"css=#{name}"}) for name, _, _ in places]
    reads += [("read_page", {"target": f"css=#{name}"}) for name, _, _ in places]
    reads += [("query_data", {"target": f"cell-{kind}"}) for kind in SECRETS]
    reads += [("query_data", {"target": f"column-{kind}"}) for kind in SECRETS]
    reads += [("list_options", {"target": f"option-{kind}"}) for kind in SECRETS]
    for secret in SECRETS.values():
        half = re.escape(secret[: len(secret) // 2])
        reads += [("find_in_page", {"text": secret[:9]})]
        reads += [("find_in_page", {"text": half + ".{0,3}", "regex": True, "limit": 50})]
    results = bench.many(reads)
    leaks = [
        (tool, arguments, kind)
        for (tool, arguments), result in zip(reads, results, strict=True)
        for kind, secret in SECRETS.items()
        # What the model itself looked for is said back to it: that is nothing it learns.
        if _shows({**result, "summary": ""} if tool == "find_in_page" else result, secret)
    ]
    assert leaks == [], [one[2] + str(one[:2]) for one in leaks][:40]
    assert "data" in results[0], results[0]


def _shows(result: dict[str, Any], secret: str) -> bool:
    """Whether a result holds the secret, or all but a few characters of it in one piece."""
    text = json.dumps(result, ensure_ascii=False)
    core = secret.removeprefix("Bearer ")
    return core in text or core[: len(core) * 3 // 4] in text


def test_fields_of_the_person_are_neither_read_nor_filled(bench: Bench) -> None:
    html = "".join(
        f"<p id=p{n}><input {field} value=hunter-{n}-plain></p>"
        for n, field in enumerate(OWN_FIELDS)
    )
    bench.begin(html)
    targets = [f"css=#p{n} input" for n in range(len(OWN_FIELDS))]
    reads: list[tuple[str, dict[str, Any]]] = [("read_page", {}), ("find_in_page", {"text": "hun"})]
    reads += [("read_element", {"target": target}) for target in targets]
    fills = [
        ("fill_form_field", {"fields": [{"name": target, "value": "x"}]}) for target in targets
    ]
    results = bench.many(reads + fills)
    assert "hunter" not in json.dumps(results)
    codes = [one["data"]["failed"][0]["code"] for one in results[len(reads) :]]
    assert codes == ["secret_field"] * len(OWN_FIELDS)
    held = bench.page.evaluate("[...document.querySelectorAll('input')].map((one) => one.value)")
    assert held == [f"hunter-{n}-plain" for n in range(len(OWN_FIELDS))]


PROBES: list[tuple[str, dict[str, Any]]] = [
    ("click", {"target": "Delete account"}),
    ("submit_form", {"form": "order"}),
    ("fill_form_field", {"fields": [{"name": "Amount", "value": "5"}]}),
    ("write_storage", {"key": "draft", "value": "x"}),
    ("remove_storage", {"key": "draft"}),
    ("read_storage", {"key": "draft"}),
    ("navigate_to", {"path": "https://evil.example/"}),
    ("navigate_to", {"path": "javascript:alert(1)"}),
]
PROBED = """<form id=order action=/order><label>Amount <input></label><button>Send</button></form>
<button type=button>Delete account</button><script>localStorage.setItem("draft", "kept")</script>"""


def test_no_instruction_of_the_page_changes_what_is_asked(bench: Bench) -> None:
    bench.begin(PROBED)
    bench.answer(False)
    before = bench.many(PROBES)
    asked = bench.questions
    assert len(asked) >= 5

    spots = [
        text.replace("{s}", words).replace("{a}", words.replace("'", "&#39;"))
        for words in (one.replace("{{", "{").replace("}}", "}") for one in INSTRUCTIONS)
        for text in SPOTS.values()
    ]
    bench.begin(PROBED + "".join(spots))
    bench.answer(False)
    read, found = bench.many(
        [("read_page", {"max_chars": 60_000}), ("find_in_page", {"text": "ignore"})]
    )
    after = bench.many(PROBES)
    assert after == before
    assert bench.questions == asked
    assert (read["data"]["untrusted"], found["data"]["untrusted"]) == (True, True)
    outline = read["data"]["outline"]
    assert "HIDDEN" not in outline
    assert not re.search(
        "[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ue000-\uf8ff\U000e0000-\U000e007f]", outline
    )
    forged = [line for line in outline.split("\n") if line.strip().startswith('- heading "Forged"')]
    assert forged == []
    assert bench.page.evaluate("localStorage.getItem('draft')") == "kept"


SCOPED = """<div id=app><label>Inside <input name=inside></label>
<input type=hidden name=csrf value=kept>
<div class=private><label>Private <input name=private value=kept></label>PRIVATE-WORDS</div></div>
<label>Outside <input id=outside name=outside value=kept></label><p>OUTSIDE-WORDS</p>
<page-hand><p>ASSISTANT-WORDS</p><input name=own value=kept></page-hand>"""


def test_no_name_reaches_what_is_out_of_reach(bench: Bench) -> None:
    bench.begin(SCOPED, root="#app", exclude=[".private"])
    calls: list[tuple[str, dict[str, Any]]] = []
    for name in NAMES:
        calls += [
            ("read_element", {"target": name}),
            ("read_page", {"target": name}),
            ("click", {"target": name}),
            ("fill_form_field", {"fields": [{"name": name, "value": "changed"}]}),
        ]
    results = bench.many(calls)
    text = json.dumps(results)
    assert not [word for word in ("PRIVATE-", "OUTSIDE-", "ASSISTANT-") if word in text]
    held = "[...document.querySelectorAll('input')].map((one) => one.name + '=' + one.value)"
    kept = [one for one in bench.page.evaluate(held) if not one.startswith("inside")]
    assert kept == ["csrf=kept", "private=kept", "outside=kept", "own=kept"]


LOOK = """
from js import URL, location
from pagehand.errors import ToolError
from pagehand.tools.link import check_address, read_address
from pagehand.tools.urls import policy_from

def let_through(addresses):
    passed = []
    for address in json.loads(addresses):
        try:
            check_address(address, policy_from("same-origin"))
        except ToolError:
            continue
        passed.append([address, str(read_address(address).href)])
    return json.dumps(passed)
"""


# Links that lead elsewhere; `javascript:` ones are the page's own buttons.
ELSEWHERE = """[...document.querySelectorAll("a")].map((link, n) => [link, n]).filter(([link]) =>
  link.protocol !== "javascript:" && link.origin !== location.origin).map(([, n]) => n)"""


def test_no_address_leads_off_the_origin(bench: Bench) -> None:
    own = bench.server.url
    host = own.removeprefix("http://")
    filled = [
        one.replace("{host}", host).replace("{name}", host.partition(":")[0]) for one in ADDRESSES
    ]
    links = "".join(f"<p id=p{n}></p>" for n in range(len(filled)))
    bench.begin(f"<h1>Links</h1>{links}", urls="same-origin")
    bench.page.evaluate(
        """list => list.forEach((href, n) => {
          const link = document.createElement("a");
          link.setAttribute("href", href);
          link.textContent = `Link ${n}`;
          document.getElementById(`p${n}`).append(link);
        })""",
        filled,
    )
    here = bench.page.url
    bench.python(LOOK)
    passed = json.loads(bench.python(f"let_through({json.dumps(json.dumps(filled))})"))
    assert [href for _, href in passed if not href.startswith(f"{own}/")] == []

    # Whatever the person says: what is asked about leads to this site only.
    bench.answer(False)
    goes: list[tuple[str, dict[str, Any]]] = [("navigate_to", {"path": one}) for one in filled]
    results = bench.many(goes)
    assert bench.page.url == here
    asked = json.loads(bench.python("json.dumps(raised)"))
    led = re.findall(r"(?<![=\w])\w+://[^/\s]*", "\n".join(text for one in asked for text in one))
    assert set(led) <= {own}
    refused = [one for one, texts in zip(goes, asked, strict=True) if not texts]
    assert not [one for one in results if one.get("success")]
    assert len(refused) > len(filled) * 2 // 3
    bench.answer(True)
    again = bench.many(refused)
    assert bench.page.url == here
    assert not [one for one in again if one.get("success")], again

    elsewhere = bench.page.evaluate(ELSEWHERE)
    clicks: list[tuple[str, dict[str, Any]]] = [
        ("click", {"target": f"Link {n}"}) for n in elsewhere
    ]
    results = []
    for one in clicks:
        results += bench.many([one])
        assert bench.page.url == here, (one, filled[int(one[1]["target"].split()[1])])
    assert len(clicks) > 40
    assert not [one for one in results if one.get("success")], results
