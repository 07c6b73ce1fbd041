"""AG-UI's own client, 1.0, against our `/ag-ui`, over HTTP.

The client verifies each stream by the protocol's rules, so that a run ends at all says that
ours keeps them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from backend.agent import ModelAgent
from backend.app import create_app
from backend.approvals import Approvals
from backend.models.port import ModelError
from backend.server_tools import ServerTool, by_name
from backend.settings import Settings
from pagehand.wire.chunks import ReasoningDelta, ReasoningEnd, TextDelta, ToolInputStart
from peers.test_ui_clients import OUTPUTS, SKU, TOOLS, Script, call, say
from peers.ui_clients import Seen, Served, UiClients

pytestmark = pytest.mark.peer


class Stage:
    """One backend around a script, and the client in front of it."""

    def __init__(self, client: UiClients, served: Served) -> None:
        self._client = client
        self._served = served
        self.did: list[str] = []

    def __call__(self, script: Script, **options: Any) -> UiClients:
        def stock(sku: str) -> dict[str, Any]:
            self.did.append(sku)
            return {"sku": sku, "left": 3}

        server_tools = [
            ServerTool("stock", "Counts.", SKU, stock),
            ServerTool("sell", "Sells.", SKU, stock, needs_approval=True),
        ]
        settings = Settings(rate=0, site="", **options.pop("settings", {}))
        agent = ModelAgent(
            script, settings, server_tools=by_name(server_tools), approvals=Approvals()
        )
        self._served.app = create_app(settings, agent=agent)
        options = {"tools": TOOLS, "outputs": OUTPUTS, **options}
        self._client.do("open", url=f"{self._served.url}/ag-ui", **options)
        return self._client


@pytest.fixture(scope="module")
def agui() -> Iterator[UiClients]:
    with UiClients("agui") as process:
        yield process


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = Served()
    yield server
    server.close()


@pytest.fixture
def stage(agui: UiClients, served: Served) -> Stage:
    return Stage(agui, served)


def told(seen: Seen) -> list[tuple[str, str]]:
    """Who said what: role, and content without the spaces around it."""
    return [(m["role"], str(m.get("content", "")).strip()) for m in seen.messages]


def results(seen: Seen) -> list[str]:
    return [content for role, content in told(seen) if role == "tool"]


def test_text_and_reasoning(stage: Stage) -> None:
    signed = {"anthropic": {"signature": "s1"}}
    thought = [ReasoningDelta("r", "let me see"), ReasoningEnd("r", signed)]
    script = Script([*thought, *say("Hello there")], say("Again."))
    client = stage(script)
    seen = client.do("say", text="hi")
    assert (seen.status, seen.error) == ("ready", None)
    assert told(seen) == [
        ("user", "hi"),
        ("reasoning", "let me see"),
        ("assistant", "Hello there"),
    ]
    seen = client.do("say", text="more")
    assert told(seen)[3:] == [("user", "more"), ("assistant", "Again.")]
    # What the provider signed came back to it.
    (shown,) = (p for p in script.seen[1][1]["parts"] if p["type"] == "reasoning")
    assert (shown["text"], shown["providerMetadata"]) == ("let me see", signed)


def test_a_call_of_the_page_and_its_continuation(stage: Stage) -> None:
    script = Script(call(("open", {"url": "https://x"})), say("Opened."))
    seen = stage(script).do("say", text="open it")
    assert (seen.status, seen.error) == ("ready", None)
    assert seen.ran == [{"tool": "open", "input": {"url": "https://x"}}]
    assert [run["pending"] for run in seen.report["runs"]] == [["c1"], []]
    assert told(seen)[-1] == ("assistant", "Opened.")
    assert script.outcomes()[0]["output"] == {"success": True}


def test_parallel_calls_are_answered_in_one_run(stage: Stage) -> None:
    urls = ({"url": "a"}, {"url": "b"}, {"url": "c"})
    script = Script(call(*zip(("open", "mark", "bad"), urls, strict=True)), say("Done."))
    seen = stage(script).do("say", text="all")
    assert len(seen.requests) == 2
    (asking,) = (m for m in seen.messages if m.get("toolCalls"))
    assert [c["id"] for c in asking["toolCalls"]] == ["c1", "c2", "c3"]
    states = [part["state"] for part in script.outcomes()]
    assert states == ["output-available", "output-available", "output-error"]
    assert script.outcomes()[2]["errorText"] == "blocked by the browser"


def test_a_server_tool_and_the_pages_in_one_step(stage: Stage) -> None:
    script = Script(call(("stock", {"sku": "A"}), ("open", {"url": "x"})), say("Both."))
    seen = stage(script).do("say", text="both")
    assert stage.did == ["A"]
    assert [run["tool"] for run in seen.ran] == ["open"]
    assert seen.report["runs"][0]["pending"] == ["c2"]
    assert results(seen) == ['{"sku":"A","left":3}', '{"success":true}']
    assert [p["state"] for p in script.outcomes()] == ["output-available"] * 2
    assert told(seen)[-1] == ("assistant", "Both.")


def test_server_tools_need_no_round_of_the_client(stage: Stage) -> None:
    script = Script([TextDelta("t", "Let me look."), *call(("stock", {"sku": "A"}))], say("3."))
    seen = stage(script).do("say", text="stock")
    assert (len(seen.requests), seen.ran) == (1, [])
    assert told(seen) == [
        ("user", "stock"),
        ("assistant", "Let me look."),
        ("tool", '{"sku":"A","left":3}'),
        ("assistant", "3."),
    ]


def test_arguments_that_cannot_be_used_are_mended(stage: Stage) -> None:
    script = Script(
        call(("open", '{"url": "ht')), call(("open", {"url": "x"}), first=2), say("Opened.")
    )
    seen = stage(script).do("say", text="open")
    assert seen.ran == [{"tool": "open", "input": {"url": "x"}}]
    assert "must be one JSON object" in results(seen)[0]
    assert told(seen)[-1] == ("assistant", "Opened.")


def asks(stage: Stage, tool: str, value: Any) -> tuple[UiClients, Script]:
    script = Script(call((tool, value)), say("So be it."))
    client = stage(script, settings={"approve_tools": ("open",)})
    seen = client.do("say", text="go")
    assert (seen.status, seen.error, seen.ran, stage.did) == ("ready", None, [], [])
    (asked,) = seen.report["asked"]
    assert (asked["reason"], asked["toolCallId"]) == ("tool_call", "c1")
    assert asked["metadata"] == {"pagehand": {"toolName": tool, "args": value}}
    return client, script


def test_an_approved_call_of_the_page_runs_there(stage: Stage) -> None:
    client, script = asks(stage, "open", {"url": "x"})
    seen = client.do("answer", payload={"approved": True})
    assert (seen.status, seen.error, seen.report["asked"]) == ("ready", None, [])
    assert seen.ran == [{"tool": "open", "input": {"url": "x"}}]
    assert script.outcomes()[0]["output"] == {"success": True}
    assert told(seen)[-1] == ("assistant", "So be it.")


def test_an_approved_server_tool_runs_here(stage: Stage) -> None:
    client, script = asks(stage, "sell", {"sku": "A"})
    seen = client.do("answer", payload={"approved": True})
    assert (stage.did, seen.ran) == (["A"], [])
    assert results(seen) == ['{"sku":"A","left":3}']
    assert script.outcomes()[0]["output"] == {"sku": "A", "left": 3}
    assert told(seen)[-1] == ("assistant", "So be it.")


@pytest.mark.parametrize(("tool", "value"), [("open", {"url": "x"}), ("sell", {"sku": "A"})])
@pytest.mark.parametrize(
    "answer", [{"payload": {"approved": False, "reason": "Not today."}}, {"status": "cancelled"}]
)
def test_a_denied_call_runs_nowhere(stage: Stage, tool: str, value: Any, answer: Any) -> None:
    client, script = asks(stage, tool, value)
    seen = client.do("answer", **answer)
    assert (stage.did, seen.ran, seen.error) == ([], [], None)
    assert script.outcomes()[0]["state"] == "output-denied"
    assert told(seen)[-1] == ("assistant", "So be it.")


def test_an_altered_call_runs_nowhere(stage: Stage) -> None:
    client, script = asks(stage, "sell", {"sku": "A"})
    seen = client.do("answer", payload={"approved": True}, input={"sku": "B"})
    assert (stage.did, seen.ran) == ([], [])
    assert "does not fit the call" in script.outcomes()[0]["errorText"]
    assert "does not fit the call" in results(seen)[0]


def test_an_approval_and_a_call_of_the_page_in_one_step(stage: Stage) -> None:
    script = Script(call(("sell", {"sku": "A"}), ("mark", {"url": "x"})), say("Both."))
    client = stage(script)
    seen = client.do("say", text="both")
    assert [run["tool"] for run in seen.ran] == ["mark"]
    seen = client.do("answer", payload={"approved": True})
    assert stage.did == ["A"]
    assert [p["state"] for p in script.outcomes()] == ["output-available"] * 2
    assert told(seen)[-1] == ("assistant", "Both.")


@pytest.mark.parametrize(
    ("error", "words"),
    [(ModelError("The model is busy."), "is busy"), (RuntimeError("secret"), "reference")],
)
def test_an_error_and_another_try(stage: Stage, error: Exception, words: str) -> None:
    client = stage(Script(error, say("Fine.")))
    seen = client.do("say", text="go")
    assert seen.status == "error"
    assert words in str(seen.error)
    assert "secret" not in str(seen.error)
    seen = client.do("say", text="again")
    assert (seen.status, told(seen)[-1]) == ("ready", ("assistant", "Fine."))


def test_a_refusal_reaches_the_person(stage: Stage) -> None:
    tools = {"no name": TOOLS["open"]}
    seen = stage(Script(say("never")), tools=tools).do("say", text="go")
    assert seen.status == "error"
    assert "must begin with a letter" in str(seen.error)


STOPPED = [
    ("Half", [TextDelta("t", "Half")]),
    ("pondering", [ReasoningDelta("r", "pondering")]),
    ("TOOL_CALL_START", [ToolInputStart("c1", "open")]),
]


@pytest.mark.parametrize(("until", "begun"), STOPPED)
def test_stop_and_go_on(stage: Stage, until: str, begun: list[Any]) -> None:
    script = Script(begun, say("Here I am."))
    client = stage(script)
    client.do("start", text="go", until=until)
    client.do("stop")
    script.wait_until_stopped()
    seen = client.do("say", text="and now?")
    assert (seen.status, seen.error) == ("ready", None)
    assert told(seen)[-1] == ("assistant", "Here I am.")


def test_media_and_context_reach_the_model(stage: Stage) -> None:
    script = Script(say("I see."))
    picture = {"type": "data", "value": "aGk=", "mimeType": "image/png"}
    parts = [{"type": "text", "text": "look"}, {"type": "image", "source": picture}]
    seen = stage(script).do("say", parts=parts)
    assert seen.error is None
    assert script.seen[0][-1]["parts"] == [
        {"type": "text", "text": "look"},
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="},
    ]
