"""The page's own Python mounts into an element, and attributes change while it runs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from browser.support.element import Assistant
from browser.support.fake_server import FakeServer, said, stream

pytestmark = pytest.mark.browser

RUN = """async (source) => {
  const { startRuntime } = await import("/static/runtime.js");
  const pyodide = await startRuntime({});
  try {
    return await pyodide.runPythonAsync(source);
  } catch (error) {
    return String(error.message).trim().split("\\n").pop();
  }
}"""

TOOLKIT = """
from pagehand import Toolkit, mount

toolkit = Toolkit()

@toolkit.tool("greet")
def greet(name: str) -> str:
    "Greets a person."
    return f"Hello, {name}!"
"""


def put_toolkit(server: FakeServer, name: str) -> None:
    """A toolkit file of this name with a tool of this name."""
    server.file(
        f"{name}.py",
        f'from pagehand import Toolkit\ntoolkit = Toolkit()\n@toolkit.tool("{name}")\n'
        f'def run() -> int:\n    """Runs."""\n    return 1\n',
    )


@pytest.mark.parametrize(
    "body",
    [
        '<page-hand id="assistant" runtime="page" thread=""></page-hand>',
        '<div id="assistant"></div><script type="module" src="/static/pagehand.js"></script>',
    ],
    ids=["element", "any element"],
)
def test_mount_with_a_toolkit(page: Page, fake_server: FakeServer, body: str) -> None:
    fake_server.answer(stream(said("Hello")))
    page.goto(fake_server.page(body))
    told = page.evaluate(
        RUN, TOOLKIT + "mount('#assistant', toolkit, endpoint='/own/chat', thread='')\n"
    )
    assistant = Assistant(page)
    assistant.wait_ready()
    assert set(assistant.get("tools")) == {"greet"}, told
    with page.expect_request("**/own/chat"):
        assistant.say("Hi")
    expect(assistant.answers).to_have_text("Hello")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("mount('#nobody', toolkit)", "nothing in the page matches '#nobody'"),
        (
            "mount('#assistant', toolkit); mount('#assistant', toolkit)",
            "something is mounted into this <page-hand> already",
        ),
    ],
)
def test_mount_that_cannot_work_says_why(
    page: Page, fake_server: FakeServer, code: str, words: str
) -> None:
    page.goto(fake_server.page('<page-hand id="assistant" runtime="page"></page-hand>'))
    assert words in page.evaluate(RUN, TOOLKIT + code)


def test_python_that_is_quicker_than_the_shell_waits_for_it(
    page: Page, fake_server: FakeServer
) -> None:
    shell = fake_server.hold("/shell.js")
    page.goto(fake_server.page('<page-hand id="assistant" runtime="page" thread=""></page-hand>'))
    page.evaluate(
        """async ([run, source]) => {
          const { progress } = await import("/static/runtime.js");
          const started = new Promise((done) => progress.addEventListener("ready", done));
          eval(run)(source);
          await started;
        }""",
        [RUN, TOOLKIT + "mount('#assistant', toolkit, thread='')\n"],
    )
    shell.set()
    assistant = Assistant(page)
    assistant.wait_ready()
    assert set(assistant.get("tools")) == {"greet"}


def test_page_that_ends_without_mounting_is_told(page: Page, fake_server: FakeServer) -> None:
    page.goto(fake_server.page('<page-hand runtime="page"></page-hand>'))
    assistant = Assistant(page)
    expect(assistant.part("send")).to_be_visible()  # the shell, which listens
    page.evaluate("import('/static/runtime.js')")
    page.evaluate("dispatchEvent(new CustomEvent('py:done'))")
    expect(assistant.part("boot-error")).to_contain_text("ended without mounting")


def test_thread_can_change_while_it_runs(page: Page, fake_server: FakeServer) -> None:
    fake_server.answer(stream(said("In A", message_id="a1")), stream(said("In B", message_id="b1")))
    page.goto(fake_server.page('<page-hand thread="a"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assistant.say("to a")
    expect(assistant.answers).to_have_text("In A")
    assistant.wait_status("ready")
    assistant.element.evaluate("element => element.setAttribute('thread', 'b')")
    expect(assistant.answers).to_have_count(0)
    assistant.say("to b")
    expect(assistant.answers).to_have_text("In B")
    assert len(fake_server.requests[1]["messages"]) == 1
    assistant.wait_status("ready")
    assistant.element.evaluate("element => element.setAttribute('thread', 'a')")
    expect(assistant.answers).to_have_text("In A")


def test_what_changes_between_mounting_and_ready_counts(
    page: Page, fake_server: FakeServer
) -> None:
    for name in ("one", "two"):
        put_toolkit(fake_server, name)
    page.goto(fake_server.page('<page-hand thread="b"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    fake_server.answer(stream(said("In B", message_id="b1")))
    assistant.say("to b")
    expect(assistant.answers).to_have_text("In B")
    assistant.wait_status("ready")
    held = fake_server.hold("/one.py")
    page.goto(fake_server.page('<page-hand thread="a" toolkit="/made/one.py"></page-hand>'))
    expect(assistant.part("status")).to_have_count(1)  # the views stand: it is mounted
    page.evaluate(
        """for (const [name, value] of [["thread", "b"], ["toolkit", "/made/two.py"]])
          document.querySelector("page-hand").setAttribute(name, value)"""
    )
    assistant.say("early")
    fake_server.answer(stream(said("Also in B", message_id="b2")))
    held.set()
    assistant.wait_ready()
    expect(assistant.answers).to_have_text(["In B", "Also in B"])
    assert set(assistant.get("tools")) == {"two"}
    assistant.wait_status("ready")
    assistant.element.evaluate("element => element.setAttribute('thread', 'a')")
    expect(assistant.questions).to_have_count(0)


def test_toolkit_can_change_while_it_runs(page: Page, fake_server: FakeServer) -> None:
    for name in ("one", "two"):
        put_toolkit(fake_server, name)
    page.goto(fake_server.page('<page-hand toolkit="/made/one.py"></page-hand>'))
    assistant = Assistant(page)
    assistant.wait_ready()
    assert set(assistant.get("tools")) == {"one"}
    assistant.element.evaluate("element => element.setAttribute('toolkit', '/made/two.py')")
    page.wait_for_function("'two' in document.querySelector('page-hand').tools")
    assert set(assistant.get("tools")) == {"two"}


def test_kept_conversation_returns_without_a_flash_of_the_welcome(
    page: Page, fake_server: FakeServer
) -> None:
    fake_server.answer(stream(said("Kept")))
    page.goto(fake_server.page("<page-hand></page-hand>"))
    assistant = Assistant(page)
    assistant.wait_ready()
    expect(assistant.part("welcome")).to_be_visible()
    assistant.say("Keep this")
    expect(assistant.answers).to_have_text("Kept")
    assistant.wait_status("ready")
    fake_server.hold(".wasm")
    page.reload()
    expect(assistant.textarea).to_be_visible()
    expect(assistant.part("welcome")).to_be_hidden()
    fake_server.holds[".wasm"].set()
    expect(assistant.answers).to_have_text("Kept", timeout=60_000)
