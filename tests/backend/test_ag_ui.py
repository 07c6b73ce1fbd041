"""`/ag-ui`: what it takes, what it refuses, and the events it writes."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import pytest
from backend_fakes import JUMP, Backend, FakeModel, make_backend, text
from hypothesis import given
from hypothesis import strategies as st
from starlette.applications import Starlette

from backend.ag_ui_writer import AgUiWriter
from backend.app import routes
from backend.server_tools import ServerTool
from backend.settings import Settings
from pagehand.wire.chunks import (
    Abort,
    Chunk,
    Data,
    Error,
    Finish,
    FinishStep,
    MessageMetadata,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    SourceUrl,
    Start,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolApprovalRequest,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolInputStart,
    ToolOutputAvailable,
    ToolOutputDenied,
    ToolOutputError,
)

Event = dict[str, Any]
TOOL = {"name": "jump", "description": JUMP["description"], "parameters": JUMP["inputSchema"]}
USER = {"id": "u1", "role": "user", "content": "Hello"}


def body(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"threadId": "t1", "runId": "r1", "messages": list(messages or (USER,)), **more}


def called(id: str = "c1", args: str = '{"url":"x"}', name: str = "jump") -> dict[str, Any]:
    function = {"name": name, "arguments": args}
    return {"id": id, "type": "function", "function": function}


async def ask(backend: Backend, request: Any, **options: Any) -> Any:
    return await backend.client.post("/ag-ui", json=request, **options)


def events_of(data: str) -> list[Event]:
    lines = [line.removeprefix("data: ") for line in data.split("\n\n") if line.startswith("data")]
    return [json.loads(line) for line in lines]


async def test_a_run() -> None:
    model = FakeModel(text("Hi"))
    response = await ask(make_backend(model), body(tools=[TOOL], state={"a": 1}))
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream"
    assert "x-vercel-ai-ui-message-stream" not in response.headers
    started, opened, words, closed, finished = events_of(response.text)
    assert started == {
        "type": "RUN_STARTED", "threadId": "t1", "runId": "r1", "protocolVersion": "1.0",
    }  # fmt: skip
    message_id = opened["messageId"]
    assert opened == {"type": "TEXT_MESSAGE_START", "messageId": message_id, "role": "assistant"}
    assert words == {"type": "TEXT_MESSAGE_CONTENT", "messageId": message_id, "delta": "Hi"}
    assert closed == {"type": "TEXT_MESSAGE_END", "messageId": message_id}
    assert finished["outcome"] == {"type": "success"}
    assert model.offered == [{"jump": JUMP}]


async def test_the_history_is_put_together() -> None:
    model = FakeModel(text("Hi"))
    thought = {"id": "r1", "role": "reasoning", "content": "hm"}
    asked = {"id": "a1", "role": "assistant", "content": "Let me", "toolCalls": [
        called(), called("c2", "", "other"), called("c3", "{")]}  # fmt: skip
    request = body(
        {"id": "s1", "role": "developer", "content": "Be brief."},
        {**USER, "content": [{"type": "text", "text": "Hello"}]},
        thought,
        asked,
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": '{"ok": true}'},
        {"id": "t2", "role": "tool", "toolCallId": "c2", "content": "no", "error": "No."},
        {"id": "t3", "role": "tool", "toolCallId": "c2", "content": "twice"},
        {"id": "t4", "role": "tool", "toolCallId": "nobody", "content": "x"},
        {"id": "x1", "role": "activity", "activityType": "PLAN", "content": {}},
        {"id": "a2", "role": "assistant", "content": "So."},
        {"id": "u2", "role": "user", "content": "And?"},
        context=[{"description": "Page", "value": "Orders"}],
    )
    response = await ask(make_backend(model), request)
    assert response.status_code == 200
    (seen,) = model.seen
    assert [message["role"] for message in seen] == [
        "system", "system", "user", "assistant", "user",
    ]  # fmt: skip
    assert seen[0]["parts"] == [{"type": "text", "text": "Page: Orders"}]
    first, second, third = (part for part in seen[3]["parts"] if part["type"].startswith("tool-"))
    assert (first["input"], first["output"]) == ({"url": "x"}, {"ok": True})
    assert (second["input"], second["state"], second["errorText"]) == ({}, "output-error", "No.")
    assert third["state"] == "output-error"
    kinds = [part["type"] for part in seen[3]["parts"]]
    assert kinds == [
        "step-start", "reasoning", "text", "tool-jump", "tool-other", "tool-jump", "step-start",
        "text",
    ]  # fmt: skip


async def test_media() -> None:
    model = FakeModel(text("Hi"))
    sources = [
        {"type": "image", "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"}},
        {"type": "audio", "source": {"type": "url", "value": "https://x.example/a"}},
        {"type": "document", "source": {"type": "file", "value": "handle"}},
        {"type": "binary", "mimeType": "image/gif", "data": "aGk=", "filename": "a.gif"},
        {"type": "binary", "mimeType": "image/gif", "url": "https://x.example/b"},
        {"type": "hologram"},
    ]
    await ask(make_backend(model), body({**USER, "content": sources}))
    assert [(part["mediaType"], part["url"]) for part in model.seen[0][0]["parts"]] == [
        ("image/png", "data:image/png;base64,aGk="),
        ("audio/*", "https://x.example/a"),
        ("image/gif", "data:image/gif;base64,aGk="),
        ("image/gif", "https://x.example/b"),
    ]


CALLS: dict[str, Any] = {"id": "a1", "role": "assistant", "toolCalls": [called()]}
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"threadId": 5}, "threadId must be a text"),
    ({"runId": ""}, "runId must be a text"),
    ({"runId": "r" * 201}, "runId must be a text of 1 to 200"),
    ({"messages": {}}, "messages must be a list"),
    ({"messages": None}, "messages must be a list"),
    ({"messages": []}, "at least one message"),
    ({"messages": [USER] * 501}, "more than 500 messages"),
    ({"messages": ["x"]}, r"messages\[0\] must be an object"),
    ({"messages": [{"role": "robot"}]}, r"messages\[0\].role must be"),
    ({"messages": [{"role": "user", "content": 5}]}, r"messages\[0\].content must be"),
    ({"messages": [{"role": "user"}]}, r"messages\[0\].content must be"),
    ({"messages": [{"role": "user", "content": ["x"]}]}, r"Every part of messages\[0\]"),
    ({"messages": [USER, {**CALLS, "toolCalls": {}}]}, r"messages\[1\].toolCalls must be a list"),
    ({"messages": [USER, {**CALLS, "toolCalls": [{}]}]}, r"Every call of messages\[1\]"),
    ({"messages": [{"role": "tool", "content": "x"}]}, r"messages\[0\].toolCallId must be"),
    ({"tools": {}}, "tools must be a list"),
    ({"tools": [TOOL] * 65}, "at most 64"),
    ({"tools": ["x"]}, r"tools\[0\] must be an object with a name"),
    ({"tools": [{**TOOL, "name": 5}]}, r"tools\[0\] must be an object with a name"),
    ({"tools": [TOOL, TOOL]}, r"tools\[1\] has the name of a tool before it"),
    ({"tools": [{**TOOL, "name": "no name"}]}, "must begin with a letter"),
    ({"tools": [{**TOOL, "execute": "x"}]}, "execute"),
    ({"tools": [{**TOOL, "parameters": 5}]}, "must be a JSON Schema object"),
    ({"tools": [{**TOOL, "description": "x" * 4097}]}, "longer than 4,096"),
    ({"context": ["x"]}, r"context\[0\] must be"),
    ({"context": [{"description": "x"}]}, r"context\[0\] must be"),
    ({"resume": 5}, "resume must be a list"),
    ({"resume": ["x"]}, r"resume\[0\] needs"),
    ({"resume": [{"interruptId": "i", "status": "maybe"}]}, r"resume\[0\] needs"),
    ({"resume": [{"interruptId": 5, "status": "resolved"}]}, r"resume\[0\] needs"),
    ({"resume": [{"interruptId": "c1.9.x", "status": "resolved"}]}, "a call that is not open"),
]


@pytest.mark.parametrize(("change", "sentence"), REFUSED)
async def test_refusals(change: dict[str, Any], sentence: str) -> None:
    response = await ask(make_backend(FakeModel(text("never"))), {**body(), **change})
    assert response.status_code == 400
    assert re.search(sentence, response.json()["message"]), response.json()


async def test_a_body_of_the_other_protocol_is_told_where_to_go() -> None:
    backend = make_backend(FakeModel(text("never")))
    part = {"type": "text", "text": "Hi"}
    other = {"id": "c", "messages": [{"id": "u1", "role": "user", "parts": [part]}]}
    refused = await ask(backend, other)
    assert refused.status_code == 400
    assert 'set protocol="ag-ui"' in refused.json()["message"]
    answer = await backend.post(body(tools=[TOOL]))
    assert answer.status == 400
    assert "post it to /ag-ui" in answer.message


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (None, "approved: true or false"),
        ({"approved": "yes"}, "approved: true or false"),
        ({"approved": True, "editedArgs": {}}, "as it is, or not at all"),
    ],
)
async def test_answers_that_are_refused(payload: Any, sentence: str) -> None:
    entry = {"interruptId": "c1.9.x", "status": "resolved", "payload": payload}
    response = await ask(make_backend(FakeModel(text("x"))), body(USER, CALLS, resume=[entry]))
    assert response.status_code == 400
    assert sentence in response.json()["message"]


async def test_the_same_door_as_the_chats() -> None:
    backend = make_backend(FakeModel(text("Hi")), auth_token="secret", max_body=300)
    good = {"authorization": "Bearer secret"}
    assert (await ask(backend, body())).status_code == 401
    assert (await ask(backend, body(), headers=good)).status_code == 200
    foreign = {**good, "origin": "https://evil.example"}
    assert (await ask(backend, body(), headers=foreign)).status_code == 403
    large = body({**USER, "content": "x" * 400})
    assert (await ask(backend, large, headers=good)).status_code == 413
    plain = {**good, "content-type": "text/plain"}
    assert (await backend.client.post("/ag-ui", content="{}", headers=plain)).status_code == 415
    assert (await backend.client.get("/ag-ui", headers=good)).status_code == 405
    twice = '{"threadId":"t","threadId":"u"}'
    kind = {**good, "content-type": "application/json"}
    assert (await backend.client.post("/ag-ui", content=twice, headers=kind)).status_code == 400


async def test_the_rate_is_counted_with_the_chats() -> None:
    backend = make_backend(FakeModel(text("Hi")), rate=60, burst=2)
    assert (await ask(backend, body())).status_code == 200
    assert (await backend.say("Hello")).status == 200
    refused = await ask(backend, body())
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")


async def test_a_preflight_and_an_origin_that_may() -> None:
    backend = make_backend(FakeModel(text("Hi")), allowed_origins=("https://shop.example",))
    origin = {"origin": "https://shop.example"}
    asking = {
        **origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    preflight = await backend.client.options("/ag-ui", headers=asking)
    assert preflight.status_code == 200
    answer = await ask(backend, body(), headers=origin)
    assert answer.headers["access-control-allow-origin"] == "https://shop.example"


async def test_it_is_mounted_where_it_is_wanted() -> None:
    for path, status in (("/agent", 200), ("", 404)):
        app = Starlette(routes=routes(Settings(demo_delay=0, rate=0), ag_ui_path=path))
        response = await Backend(app).client.post(path or "/ag-ui", json=body())
        assert response.status_code == status


async def test_errors_are_masked_and_end_the_run() -> None:
    response = await ask(make_backend(FakeModel(RuntimeError("secret host"))), body())
    started, error = events_of(response.text)
    assert (started["type"], error["type"]) == ("RUN_STARTED", "RUN_ERROR")
    assert "secret" not in response.text
    assert "reference" in error["message"]


async def test_a_suspended_run_is_resumed_with_its_data() -> None:
    class Paused:
        name = "paused"
        turns: list[Any] = []  # noqa: RUF012

        async def run(self, turn: Any) -> Any:
            self.turns.append(turn)
            if turn.resume is None:
                yield ToolInputAvailable("c1", "pick", {"n": 1})
                data = {"runId": "signed.1", "toolCallId": "c1", "suspendPayload": {"ask": "When?"}}
                schema = {"resumeSchema": {"type": "object"}}
                yield Data("tool-call-suspended", {**data, **schema}, "c1")
                yield Finish("tool-calls")
                return
            yield ToolOutputAvailable("c1", turn.resume[1])
            yield Finish("stop")

    from backend.app import create_app

    backend = Backend(create_app(Settings(rate=0, site=""), agent=Paused()))
    events = events_of((await ask(backend, body())).text)
    (asked,) = events[-1]["outcome"]["interrupts"]
    assert asked == {
        "id": "suspended:signed.1",
        "reason": "input_required",
        "toolCallId": "c1",
        "responseSchema": {"type": "object"},
        "metadata": {
            "pagehand": {
                "toolName": "pick", "args": {"n": 1}, "suspendPayload": {"ask": "When?"},
            }
        },
    }  # fmt: skip
    again = body(USER, {**CALLS, "toolCalls": [called(name="pick")]})
    entry = {"interruptId": asked["id"], "status": "resolved", "payload": {"day": 1}}
    events = events_of((await ask(backend, {**again, "resume": [entry]})).text)
    assert Paused.turns[1].resume == ("signed.1", {"day": 1})
    assert events[1]["content"] == '{"day":1}'
    cancelled = {"interruptId": asked["id"], "status": "cancelled"}
    await ask(backend, {**again, "resume": [cancelled]})
    assert Paused.turns[2].resume is None


def written(*chunks: Chunk, **options: Any) -> list[Event]:
    """The events after RUN_STARTED, without what is made up anew each time."""
    writer = AgUiWriter("t", "r", **options)
    data = b"".join(writer.write(chunk) for chunk in chunks).decode()
    events = events_of(data)
    assert events.pop(0)["type"] == "RUN_STARTED"
    return events


def kinds(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def test_each_step_is_a_message_and_words_after_calls_another() -> None:
    events = written(
        StartStep(), TextDelta("t", "a"), ToolInputStart("c1", "f"), ToolInputDelta("c1", "{}"),
        ToolInputAvailable("c1", "f", {}), ToolInputAvailable("c2", "g", {"n": 1}),
        TextDelta("u", "b"), FinishStep(), StartStep(), TextDelta("t", "c"), Finish("stop"),
    )  # fmt: skip
    texts = [event["messageId"] for event in events if event["type"] == "TEXT_MESSAGE_START"]
    parents = {e["parentMessageId"] for e in events if e["type"] == "TOOL_CALL_START"}
    assert len(set(texts)) == 3
    assert parents == {texts[0]}
    args = [(e["toolCallId"], e["delta"]) for e in events if e["type"] == "TOOL_CALL_ARGS"]
    assert args == [("c1", "{}"), ("c2", '{"n":1}')]
    assert events[-1]["outcome"] == {"type": "success", "pendingToolCallIds": ["c1", "c2"]}


def test_reasoning_and_its_signature() -> None:
    signed = {"anthropic": {"signature": "s"}}
    events = written(ReasoningStart("r"), ReasoningDelta("r", "hm"), ReasoningEnd("r", signed))
    assert kinds(events) == [
        "REASONING_START", "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT",
        "REASONING_MESSAGE_END", "REASONING_END", "REASONING_ENCRYPTED_VALUE",
    ]  # fmt: skip
    assert json.loads(events[-1]["encryptedValue"]) == signed
    assert len({event.get("messageId", event.get("entityId")) for event in events}) == 1


def test_outcomes_of_calls() -> None:
    events = written(
        ToolInputError("c1", "f", '{"n', "Bad."), ToolInputAvailable("c2", "f", {}, True),
        ToolOutputAvailable("c2", "text", preliminary=True), ToolOutputAvailable("c2", [1]),
        ToolOutputError("c3", "No."), ToolOutputDenied("c4"), Finish("stop"),
    )  # fmt: skip
    results = [e for e in events if e["type"] == "TOOL_CALL_RESULT"]
    assert [(e["toolCallId"], e["content"]) for e in results] == [
        ("c1", "Bad."), ("c2", "[1]"), ("c3", "No."),
        ("c4", "The person denied this call. It did not run."),
    ]  # fmt: skip
    states = [e.get("metadata", {}).get("pagehand", {}).get("state") for e in results]
    assert states == ["output-error", None, "output-error", "output-denied"]
    assert events[1]["delta"] == '{"n'
    assert events[-1]["outcome"] == {"type": "success"}


def test_a_call_of_before_is_only_named() -> None:
    events = written(ToolInputAvailable("c1", "f", {}), Finish("tool-calls"), known=["c1"])
    assert kinds(events) == ["RUN_FINISHED"]
    assert events[0]["outcome"]["pendingToolCallIds"] == ["c1"]


def test_questions_and_other_endings() -> None:
    asked = [ToolInputAvailable("c1", "f", {}), ToolApprovalRequest("i1", "c1", reason="May it?")]
    (interrupt,) = written(*asked, Finish("tool-calls"))[-1]["outcome"]["interrupts"]
    assert (interrupt["id"], interrupt["message"]) == ("i1", "May it?")
    assert written(Abort(), Finish("stop"))[-1]["outcome"] == {"type": "cancelled"}
    usage = {"input": 3, "output": 4, "other": 5}
    finished = written(Finish("length"), usage=usage)[-1]
    assert finished["usage"] == [{"inputTokens": 3, "outputTokens": 4}]
    assert finished["metadata"] == {"pagehand": {"finishReason": "length"}}


def test_what_ag_ui_has_no_word_for() -> None:
    events = written(
        Start(), MessageMetadata({}), Data("tick", 1), SourceUrl("s1", "https://x.example")
    )
    assert events == [
        {"type": "CUSTOM", "name": "tick", "value": 1},
        {
            "type": "CUSTOM",
            "name": "source-url",
            "value": {"sourceId": "s1", "url": "https://x.example"},
        },
    ]


SOME: list[Chunk] = [
    StartStep(), FinishStep(), TextStart("t"), TextDelta("t", "x"), TextEnd("t"),
    ReasoningStart("t"), ReasoningDelta("t", "x"), ReasoningEnd("t"), ToolInputStart("c", "f"),
    ToolInputDelta("c", "{}"), ToolInputAvailable("c", "f", {}), ToolInputError("c", "f", 1, "e"),
    ToolOutputAvailable("c", 1), ToolOutputError("c", "e"), ToolOutputDenied("c"),
    ToolApprovalRequest("i", "c"), Abort(), Finish("stop"), Error("e"), ToolInputStart("d", "f"),
]  # fmt: skip
OPENS = {
    "TEXT_MESSAGE_START": "messageId", "REASONING_MESSAGE_START": "messageId",
    "TOOL_CALL_START": "toolCallId", "REASONING_START": "messageId",
}  # fmt: skip


@given(st.lists(st.sampled_from(SOME), max_size=14))
def test_whatever_an_agent_does_the_order_holds(chunks: list[Chunk]) -> None:
    """The rules that AG-UI's client verifies: see its `verifyEvents`."""
    writer = AgUiWriter("t", "r")
    data = b"".join(writer.write(chunk) for chunk in chunks) + writer.end()
    events = events_of(data.decode())
    assert events[0]["type"] == "RUN_STARTED"
    assert kinds(events).count("RUN_STARTED") == 1
    assert [k for k in kinds(events) if k in ("RUN_FINISHED", "RUN_ERROR")] == kinds(events)[-1:]
    opened: set[tuple[str, str]] = set()
    for event in events:
        kind = event["type"]
        family = kind.rpartition("_")[0]
        if kind in OPENS:
            assert (family, event[OPENS[kind]]) not in opened
            opened.add((family, event[OPENS[kind]]))
        elif kind.endswith(("_CONTENT", "_ARGS", "_END")):
            key = (family, event.get("toolCallId", event.get("messageId")))
            assert key in opened
            if kind.endswith("_END"):
                opened.remove(key)
    assert not opened


async def test_no_body_is_a_fault() -> None:
    """Whole requests with values of the wrong kind anywhere: answered or refused, never 5xx."""
    backend = make_backend()
    good = body(
        USER, {**CALLS, "content": "x"},
        {"id": "t1", "role": "tool", "toolCallId": "c1", "content": "{}"},
        tools=[TOOL], context=[{"description": "d", "value": "v"}], forwardedProps={}, state={},
        resume=[{"interruptId": "suspended:x", "status": "resolved", "payload": {}}],
    )  # fmt: skip
    dice = random.Random(7)
    for _ in range(1_000):
        broken = json.loads(json.dumps(good))
        for _ in range(dice.choice((1, 1, 2, 3))):
            broken = _break(broken, dice)
        kind = {"content-type": "application/json"}
        response = await backend.client.post("/ag-ui", content=json.dumps(broken), headers=kind)
        assert response.status_code in (200, 400), broken


def _break(value: Any, dice: random.Random) -> Any:
    junk = [None, 5, "", "x", [], {}, True, [None], {"type": "text"}, "suspended:", "\u0000"]
    if isinstance(value, dict) and value and dice.random() < 0.85:
        key = dice.choice(list(value))
        value[key] = _break(value[key], dice)
        return value
    if isinstance(value, list) and value and dice.random() < 0.85:
        index = dice.randrange(len(value))
        value[index] = _break(value[index], dice)
        return value
    return dice.choice(junk)


async def test_a_server_tool_hides_the_pages_of_its_name() -> None:
    ran: list[str] = []

    def jump(url: str) -> None:
        ran.append(url)

    tool = ServerTool("jump", "Here.", JUMP["inputSchema"], jump)  # type: ignore[arg-type]
    model = FakeModel(
        [ToolInputAvailable("c1", "jump", {"url": "x"}), Finish("tool-calls")], text("Done")
    )
    events = events_of(
        (await ask(make_backend(model, server_tools=[tool]), body(tools=[TOOL]))).text
    )
    assert ran == ["x"]
    assert "TOOL_CALL_RESULT" in kinds(events)
