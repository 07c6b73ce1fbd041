from __future__ import annotations

from typing import Any

import pytest

from backend.history import INTERRUPTED, NOT_ANSWERED, History, read_history
from backend.refusals import RefusalError
from backend.settings import Settings

USER = {"role": "user", "content": "open it"}


def read(*messages: Any, **body: Any) -> History:
    return read_history({"messages": list(messages), **body}, Settings())


def refused(*messages: Any, **settings: Any) -> str:
    with pytest.raises(RefusalError) as caught:
        read_history({"messages": list(messages)}, Settings(**settings))
    assert caught.value.status == 400
    return caught.value.message


def call(**part: Any) -> dict[str, Any]:
    return {"type": "tool-open", "toolCallId": "c1", "input": {"url": "x"}, **part}


def assistant(*parts: Any, **more: Any) -> dict[str, Any]:
    return {"id": "a1", "role": "assistant", "parts": list(parts), **more}


def only_call(history: History) -> dict[str, Any]:
    (found,) = history.calls()
    return found


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "hello"},
        {"role": "user", "content": [{"type": "text", "text": "hello"}]},
        {"role": "user", "content": ["hello"]},
        {"role": "user", "parts": [{"type": "text", "text": "hello"}]},
        {"role": "user", "parts": [{"type": "text", "text": "hello", "state": "done", "x": 1}]},
        {"role": "user", "parts": [], "content": "hello", "createdAt": "2026-01-01"},
        {"role": "user", "parts": [{"type": "step-start"}, {"type": "text", "text": "hello"}]},
        {"role": "user", "parts": [{"type": "input_text", "text": "hello"}, {"type": "custom"}]},
    ],
)
def test_every_form_of_a_users_text(message: dict[str, Any]) -> None:
    history = read(message)
    assert history.messages == [{"role": "user", "parts": [{"type": "text", "text": "hello"}]}]
    assert not history.continues
    assert history.message_id is None


SEED = [
    USER,
    {
        "role": "assistant",
        "parts": [
            {"type": "tool-call", "toolCallId": "c1", "toolName": "open", "args": {"url": "x"}}
        ],
    },
    {
        "role": "tool",
        "parts": [
            {"type": "tool-result", "toolCallId": "c1", "toolName": "open", "result": {"ok": 1}}
        ],
    },
]


@pytest.mark.parametrize(
    "messages",
    [
        SEED,
        [USER, assistant(call(state="output-available", output={"ok": 1}))],
        [
            USER,
            assistant(
                call(
                    type="dynamic-tool", toolName="open", state="output-available", output={"ok": 1}
                )
            ),
        ],
        [USER, assistant(call(output={"ok": 1}))],
        [USER, assistant(call(state="output-available", output={"ok": 1}, preliminary=True))],
        [
            USER,
            assistant(
                {
                    "type": "tool-call",
                    "toolCallId": "c1",
                    "toolName": "open",
                    "args": {"url": "x"},
                    "argsText": "{}",
                    "result": {"ok": 1},
                }
            ),
        ],
        [
            USER,
            assistant(
                {
                    "type": "tool-invocation",
                    "toolInvocation": {
                        "state": "result",
                        "toolCallId": "c1",
                        "toolName": "open",
                        "args": {"url": "x"},
                        "result": {"ok": 1},
                    },
                }
            ),
        ],
        [
            USER,
            {
                "role": "assistant",
                "content": "",
                "toolInvocations": [
                    {
                        "state": "result",
                        "toolCallId": "c1",
                        "toolName": "open",
                        "args": {"url": "x"},
                        "result": {"ok": 1},
                    }
                ],
            },
        ],
        [
            USER,
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool-call",
                        "toolCallId": "c1",
                        "toolName": "open",
                        "input": {"url": "x"},
                    }
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "open",
                        "output": {"type": "json", "value": {"ok": 1}},
                    }
                ],
            },
        ],
        [
            USER,
            {
                "role": "assistant",
                "content": [
                    {
                        "type": "tool-call",
                        "toolCallId": "c1",
                        "toolName": "open",
                        "args": {"url": "x"},
                    }
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "c1",
                        "toolName": "open",
                        "result": {"ok": 1},
                    }
                ],
            },
        ],
        [
            USER,
            assistant(
                {
                    "type": "tool-call",
                    "toolCallId": "c1",
                    "toolName": "open",
                    "input": '{"url": "x"}',
                },
                {"type": "tool-result", "toolCallId": "c1", "result": {"ok": 1}},
            ),
        ],
    ],
)
def test_every_form_of_a_finished_call(messages: list[Any]) -> None:
    history = read(*messages)
    found = only_call(history)
    assert found["type"] == "tool-open"
    assert found["toolCallId"] == "c1"
    assert found["state"] == "output-available"
    assert found["input"] == {"url": "x"}
    assert found["output"] == {"ok": 1}
    assert history.continues
    assert history.interrupted == []


def test_openais_form_of_a_call() -> None:
    history = read(
        USER,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "open", "arguments": '{"url": "x"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "it is open"},
    )
    found = only_call(history)
    assert (found["input"], found["output"]) == ({"url": "x"}, "it is open")


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"output": {"type": "error-text", "value": "no"}}, ("output-error", "no")),
        ({"output": {"type": "error-json", "value": {"a": 1}}}, ("output-error", '{"a": 1}')),
        ({"result": "no", "isError": True}, ("output-error", "no")),
        ({"output": {"type": "execution-denied", "reason": "x"}}, ("output-denied", None)),
        (
            {"output": {"type": "image-url", "url": "http://169.254.169.254/"}},
            ("output-available", None),
        ),
        ({"result": {"type": "text", "value": "kept whole"}}, ("output-available", None)),
    ],
)
def test_results_in_the_content_form(result: Any, expected: tuple[str, str | None]) -> None:
    content = [{"type": "tool-result", "toolCallId": "c1", "toolName": "open", **result}]
    found = only_call(read(*SEED[:2], {"role": "tool", "content": content}))
    assert found["state"] == expected[0]
    assert found.get("errorText") == expected[1]
    if expected[0] == "output-available":
        assert found["output"] == next(iter(result.values()))


def test_a_result_without_its_call_still_counts() -> None:
    content = [{"type": "tool-result", "toolCallId": "zz", "toolName": "open", "result": None}]
    found = only_call(read(USER, {"role": "tool", "content": content}))
    assert (found["type"], found["input"], found["output"]) == ("tool-open", {}, None)


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_empty_looking_outputs_are_outputs(value: Any) -> None:
    found = only_call(read(USER, assistant(call(state="output-available", output=value))))
    assert found["output"] == value
    assert type(found["output"]) is type(value)


@pytest.mark.parametrize(
    "part",
    [
        call(state="input-streaming", input=None, rawInput='{"url": "htt'),
        call(state="input-streaming"),
        call(state="input-available"),
        call(state="from-the-future"),
        {
            "type": "dynamic-tool",
            "toolName": "open",
            "toolCallId": "c1",
            "state": "input-available",
        },
        {"type": "tool-open", "toolCallId": "c1"},
        {
            "type": "tool-invocation",
            "toolInvocation": {"state": "partial-call", "toolCallId": "c1", "toolName": "open"},
        },
    ],
)
def test_calls_left_open_are_interrupted_and_named(part: dict[str, Any]) -> None:
    history = read(USER, assistant(part), {"role": "user", "content": "and now?"})
    assert history.interrupted == ["c1"]
    assert only_call(history)["state"] == "output-error"
    assert only_call(history)["errorText"] == INTERRUPTED


@pytest.mark.parametrize("value", [[1], 7, "text", True])
def test_arguments_that_are_no_object_are_wrapped(value: Any) -> None:
    found = only_call(read(USER, assistant(call(input=value, state="output-error", errorText="e"))))
    assert isinstance(found["input"], dict)
    assert value in found["input"].values()


def test_an_error_without_input_keeps_the_raw_text() -> None:
    part = {
        "type": "dynamic-tool",
        "toolName": "x",
        "toolCallId": "c",
        "state": "output-error",
        "rawInput": '{"a"',
        "errorText": "bad",
    }
    assert only_call(read(USER, assistant(part)))["input"] == {"text": '{"a"'}


def test_unknown_keys_and_parts_do_not_matter() -> None:
    future = [
        {"type": "custom", "kind": "openai.x"},
        {"type": "reasoning-file", "url": "data:,", "mediaType": "x/y"},
        {"type": "source-url", "sourceId": "1", "url": "https://x"},
        {"type": "data-weather", "data": {"t": 1}},
        {"type": "tool", "x": 1},
        {"type": None},
        {"text": "no type"},
        {"type": "text", "text": "kept", "citations": [], "providerMetadata": {"a": {}}},
        call(
            state="output-available",
            output=1,
            toolMetadata={},
            resultProviderMetadata={},
            inputEncoding="json",
            dynamic=False,
            approval={"id": "x", "isAutomatic": True, "signature": "s", "approved": True},
        ),
    ]
    history = read(USER, assistant(*future))
    kinds = [part["type"] for part in history.messages[1]["parts"]]
    assert kinds == ["text", "tool-open"]


def test_steering_words_become_a_users_message() -> None:
    steering = {
        "type": "steering-message",
        "id": "s",
        "parts": [{"type": "text", "text": "faster"}],
    }
    history = read(
        USER, assistant({"type": "text", "text": "a"}, steering, {"type": "text", "text": "b"})
    )
    assert [m["role"] for m in history.messages] == ["user", "assistant", "user", "assistant"]
    assert history.messages[2]["parts"][0]["text"] == "faster"


def test_files_in_every_form() -> None:
    history = read(
        {
            "role": "user",
            "parts": [
                {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA=="},
                {"type": "file", "mimeType": "text/plain", "data": "aGk=", "filename": "a.txt"},
                {"type": "image", "image": "https://x/y.png"},
                {"type": "image_url", "image_url": {"url": "data:image/gif;base64,AA=="}},
                {"type": "file", "providerReference": {"x": "y"}},
            ],
        }
    )
    assert history.messages[0]["parts"] == [
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,AA=="},
        {
            "type": "file",
            "mediaType": "text/plain",
            "url": "data:text/plain;base64,aGk=",
            "filename": "a.txt",
        },
        {"type": "file", "mediaType": "image/png", "url": "https://x/y.png"},
        {"type": "file", "mediaType": "image/gif", "url": "data:image/gif;base64,AA=="},
    ]


def test_results_come_once_and_the_first_stays() -> None:
    done = call(state="output-available", output=1)
    history = read(
        USER, assistant(done), {**assistant(call(state="output-available", output=2)), "id": "a2"}
    )
    assert only_call(history)["output"] == 1


def test_names_are_bent_to_what_providers_take() -> None:
    history = read(
        USER,
        assistant(
            call(type="tool-page.open/now", state="output-available", output=1),
            call(type="dynamic-tool", toolName=None, toolCallId="c2", output=1),
        ),
    )
    assert [part["type"] for part in history.calls()] == ["tool-page_open_now", "tool-_"]


def test_a_continuation_keeps_the_id_of_the_message() -> None:
    history = read(USER, assistant(call(output=1)))
    assert (history.continues, history.message_id) == (True, "a1")
    history = read(*SEED)
    assert (history.continues, history.message_id) == (True, None)


def test_regenerating_drops_the_old_answer_and_keeps_its_id() -> None:
    history = read(USER, assistant({"type": "text", "text": "old"}), trigger="regenerate-message")
    assert [m["role"] for m in history.messages] == ["user"]
    assert (history.continues, history.message_id) == (False, "a1")


def test_an_answered_approval_counts_only_in_the_last_step() -> None:
    answered = call(state="approval-responded", approval={"id": "x", "approved": True})
    assert [p["toolCallId"] for p in read(USER, assistant(answered)).answers] == ["c1"]
    later = read(USER, assistant(answered), {"role": "user", "content": "no"})
    assert (later.answers, later.interrupted) == ([], ["c1"])
    stepped = read(USER, assistant(answered, {"type": "step-start"}, {"type": "text", "text": "b"}))
    assert stepped.answers == []


def test_more_answers_than_a_step_can_hold_are_refused() -> None:
    answered = {"state": "approval-responded", "approval": {"id": "x", "approved": True}}
    calls = [{**call(**answered), "toolCallId": f"c{number}"} for number in range(65)]
    assert len(read(USER, assistant(*calls[:64])).answers) == 64
    assert "approvals" in refused(USER, assistant(*calls))


def test_an_unanswered_approval_did_not_run() -> None:
    asked = call(state="approval-requested", approval={"id": "x"})
    history = read(USER, assistant(asked), {"role": "user", "content": "well"})
    assert only_call(history)["errorText"] == NOT_ANSWERED


def test_an_answer_without_its_approval_is_a_no() -> None:
    answered = read(USER, assistant(call(state="approval-responded"))).answers
    assert answered[0]["approval"] == {"id": "", "approved": False, "reason": ""}


@pytest.mark.parametrize("answer", ["yes", 1, "true", None, {}])
def test_only_true_is_a_yes(answer: Any) -> None:
    part = call(state="approval-responded", approval={"id": "x", "approved": answer})
    assert read(USER, assistant(part)).answers[0]["approval"]["approved"] is False


@pytest.mark.parametrize(
    ("messages", "word"),
    [
        ([], "at least one"),
        ([7], "messages[0]"),
        ([USER, {"role": "robot", "content": "x"}], "messages[1].role"),
        ([{"role": ["user"], "content": "x"}], "messages[0].role"),
        ([{"role": "user", "content": 7}], "messages[0] needs"),
        ([{"role": "user", "parts": [7]}], "part of messages[0]"),
        ([{"role": "user", "parts": []}], "empty"),
        ([{"role": "assistant", "parts": []}], "empty"),
    ],
)
def test_first_fault_is_named_by_its_place(messages: list[Any], word: str) -> None:
    assert word in refused(*messages)


def test_limits_have_sentences() -> None:
    assert "more than 2 messages" in refused(*[USER] * 3, max_messages=2)
    parts = [{"type": "text", "text": "x"}] * 3
    assert "more than 2 parts" in refused({"role": "user", "parts": parts}, max_parts=2)
    big = call(state="output-available", output={"rows": ["x" * 100] * 20})
    assert "larger than 1,000 bytes" in refused(USER, assistant(big), max_result=1_000)
    wide = call(state="output-available", output="中" * 400)
    assert "larger than 1,000 bytes" in refused(USER, assistant(wide), max_result=1_000)


def test_rounds_are_counted_since_the_user_spoke() -> None:
    step = {"type": "step-start"}
    done = [call(toolCallId=f"c{n}", output=n) for n in range(3)]
    history = read(
        USER, assistant(step, done[0], step, done[1], done[2], step, {"type": "text", "text": "x"})
    )
    assert history.rounds() == 2
    assert read(*SEED).rounds() == 1
    assert read(USER, assistant(done[0]), USER).rounds() == 0
