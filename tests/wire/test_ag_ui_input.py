"""The conversation as `RunAgentInput`."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.wire.ag_ui_input import run_input

Part = dict[str, Any]
STEP: Part = {"type": "step-start"}


def posted(*messages: Part, **options: Any) -> dict[str, Any]:
    return run_input(messages, options.pop("tools", {}), thread_id="t", run_id="r", **options)


def told(*parts: Part, id: str = "m1") -> list[Part]:
    """The AG-UI messages of one answer."""
    found: list[Part] = posted({"id": id, "role": "assistant", "parts": list(parts)})["messages"]
    return found


def words(text: str, **note: str) -> Part:
    part: Part = {"type": "text", "text": text, "state": "done"}
    return {**part, "providerMetadata": {"ag-ui": note}} if note else part


def thought(text: str, **note: str) -> Part:
    return {**words(text, **note), "type": "reasoning"}


def call(id: str = "c1", state: str = "output-available", **more: Any) -> Part:
    part = {"type": "tool-open", "toolCallId": id, "state": state, "input": {"n": 1}}
    if state == "output-available":
        part["output"] = "ok"
    return {**part, **more}


def ids(messages: list[Part]) -> list[tuple[str, str]]:
    return [(message["role"], message["id"]) for message in messages]


def test_the_body() -> None:
    tools = {"open": {"description": "Opens.", "inputSchema": {"type": "object"}}}
    part = {"type": "text", "text": "Hi"}
    body = posted(
        {"id": "s1", "role": "system", "parts": [part, part]},
        {"id": "u1", "role": "user", "parts": [part, part]},
        tools=tools,
        forwarded={"a": 1, "runId": "x", "resumeData": 1},
    )
    assert body == {
        "threadId": "t",
        "runId": "r",
        "protocolVersion": "1.0",
        "state": {},
        "messages": [
            {"id": "s1", "role": "system", "content": "Hi\nHi"},
            {"id": "u1", "role": "user", "content": "Hi\n\nHi"},
        ],
        "tools": [{"name": "open", "description": "Opens.", "parameters": {"type": "object"}}],
        "context": [],
        "forwardedProps": {"a": 1},
    }


def test_the_ids_a_server_gave_come_back() -> None:
    parent = {"ag-ui": {"parentMessageId": "a2"}}
    result = {"ag-ui": {"messageId": "t1"}}
    found = told(
        STEP,
        thought("hm", messageId="r1"),
        words("Let me see", messageId="a1"),
        call(callProviderMetadata=parent, resultProviderMetadata=result),
        call("c2", callProviderMetadata=parent),
        STEP,
        words("Done", messageId="a3"),
    )
    assert ids(found) == [
        ("reasoning", "r1"),
        ("assistant", "a1"),
        ("assistant", "a2"),
        ("tool", "t1"),
        ("tool", "c2-result"),
        ("assistant", "a3"),
    ]
    assert [c["id"] for c in found[2]["toolCalls"]] == ["c1", "c2"]
    assert found[2]["toolCalls"][0] == {
        "id": "c1",
        "type": "function",
        "function": {"name": "open", "arguments": '{"n":1}'},
    }


def test_parts_that_never_had_an_id_get_one_that_stays() -> None:
    parts = [STEP, thought("hm"), words("Hi"), call(), words("more"), STEP, call("c2"), words("x")]
    found = told(*parts)
    assert ids(found) == [
        ("reasoning", "m1-thought-1"),
        ("assistant", "m1"),
        ("tool", "c1-result"),
        ("assistant", "m1-2"),
        ("assistant", "c2"),
        ("tool", "c2-result"),
        ("assistant", "m1-3"),
    ]
    assert told(*parts) == found
    assert (found[1]["content"], found[1]["toolCalls"][0]["id"]) == ("Hi", "c1")


def test_a_message_that_goes_on_after_a_result_has_no_id_twice() -> None:
    found = told(words("a", messageId="a1"), call(), STEP, words("b", messageId="a1"))
    assert ids(found) == [("assistant", "a1"), ("tool", "c1-result"), ("assistant", "a1-1")]


def test_thoughts_stand_ahead_of_what_follows_them() -> None:
    found = told(
        words("a", messageId="a1"), thought("one", messageId="r1"), thought("two", messageId="r2"),
        words("b", messageId="a2"), thought("last"),
    )  # fmt: skip
    assert [role for role, _ in ids(found)] == [
        "assistant", "reasoning", "reasoning", "assistant", "reasoning",
    ]  # fmt: skip
    assert found[3]["id"] == "a2"


def test_what_is_encrypted_comes_back_to_its_entity() -> None:
    def secret(entity: str, value: str) -> Part:
        data = {"entityId": entity, "encryptedValue": value, "subtype": "message"}
        return {"type": "data-ag-ui-encrypted", "id": entity, "data": data}

    found = told(
        thought("hm", messageId="r1"), words("Hi", messageId="a1"), call(), secret("r1", "R"),
        secret("a1", "A"), secret("c1", "C"), secret("r9", "N"),
        {"type": "data-ag-ui-encrypted", "data": 5},
    )  # fmt: skip
    assert found[0]["encryptedValue"] == "R"
    assert found[1] == {"id": "r9", "role": "reasoning", "content": "", "encryptedValue": "N"}
    assert found[2]["encryptedValue"] == "A"
    assert found[2]["toolCalls"][0]["encryptedValue"] == "C"
    assert told(secret("r9", "N")) == []


def test_a_sub_agents_messages_stay_its_own() -> None:
    parent = {"ag-ui": {"parentMessageId": "s2", "subagentRunId": "d"}}
    found = told(
        call(), thought("Looking", messageId="s1", subagentRunId="d", role="assistant"),
        thought("hm", messageId="s3", subagentRunId="d"),
        call("c2", callProviderMetadata=parent), words("Paris", messageId="a1"),
    )  # fmt: skip
    assert [(m["role"], m.get("subagentRunId")) for m in found] == [
        ("assistant", None), ("tool", None), ("assistant", "d"), ("reasoning", "d"),
        ("assistant", "d"), ("tool", "d"), ("assistant", None),
    ]  # fmt: skip
    assert (found[2]["content"], found[2]["id"]) == ("Looking", "s1")


CONTENT = [
    {"type": "text", "text": "x"},
    {"type": "image", "source": {"type": "url", "value": "u"}},
]
OUTPUTS = [
    ("text", "text"), ("", ""), (None, "null"), (False, "false"), (0, "0"), ({"a": 1}, '{"a":1}'),
    ([], "[]"), ([1], "[1]"), (CONTENT, CONTENT), ([{"type": "text"}], '[{"type":"text"}]'),
    ([{"type": "image", "source": 1}], '[{"type":"image","source":1}]'),
]  # fmt: skip


@pytest.mark.parametrize(("output", "content"), OUTPUTS)
def test_results(output: Any, content: Any) -> None:
    message = told(call(output=output))[1]
    assert message == {"id": "c1-result", "role": "tool", "toolCallId": "c1", "content": content}


@pytest.mark.parametrize(
    ("part", "error"),
    [
        (call(state="output-error", errorText="No."), "No."),
        (call(state="output-error"), ""),
        (call(state="output-denied"), "The person denied this call. It did not run."),
        (
            call(state="output-denied", approval={"reason": "Too dear."}),
            "The person denied this call. It did not run. Too dear.",
        ),
    ],
)
def test_a_failure_says_so_in_the_content_too(part: Part, error: str) -> None:
    message = told(part)[1]
    assert (message["content"], message["error"]) == (error, error)


@pytest.mark.parametrize(
    ("value", "text"), [({}, "{}"), ('{"n":', "{}"), (None, "{}"), ([1], "{}")]
)
def test_arguments_are_always_an_object(value: Any, text: str) -> None:
    part = call(input=value, type="dynamic-tool", toolName="open")
    assert told(part)[0]["toolCalls"][0]["function"] == {"name": "open", "arguments": "{}"}


def test_a_persons_media() -> None:
    def file(url: str, kind: str, **more: str) -> Part:
        return {"type": "file", "url": url, "mediaType": kind, **more}

    parts = [
        file("data:image/png;base64,aGk=", "image/png", filename="a.png"),
        file("https://x.example/a.mp3", "audio/mpeg"),
        file("data:text/plain,hi", "text/plain"),
        {"type": "text", "text": "look"},
        {"type": "data-note", "data": 1},
    ]
    (message,) = posted({"id": "u1", "role": "user", "parts": parts})["messages"]
    assert message["content"] == [
        {
            "type": "image",
            "source": {"type": "data", "value": "aGk=", "mimeType": "image/png"},
            "metadata": {"filename": "a.png"},
        },
        {
            "type": "audio",
            "source": {
                "type": "url",
                "value": "https://x.example/a.mp3",
                "mimeType": "audio/mpeg",
            },
        },
        {
            "type": "document",
            "source": {"type": "url", "value": "data:text/plain,hi", "mimeType": "text/plain"},
        },
        {"type": "text", "text": "look"},
    ]


def test_the_last_state_counts() -> None:
    def state(value: Any) -> Part:
        part = {"type": "data-ag-ui-state", "id": "state", "data": value}
        return {"id": "m1", "role": "assistant", "parts": [part]}

    assert posted(state({"a": 1}), state(None))["state"] is None
    assert posted(state({"a": 1}))["state"] == {"a": 1}


def test_other_parts_say_nothing() -> None:
    assert told({"type": "source-url", "url": "x"}, {"type": "text", "text": ""}, STEP) == []
    assert told({**words("x"), "providerMetadata": {"ag-ui": 1}})[0]["id"] == "m1"
