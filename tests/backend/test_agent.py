from __future__ import annotations

from typing import Any

import pytest
from backend_fakes import JUMP, Answer, FakeModel, make_backend, text

from backend.server_tools import ServerTool
from pagehand.errors import ToolError
from pagehand.wire.chunks import (
    Chunk,
    Error,
    Finish,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputError,
    ToolInputStart,
)

USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "do it"}]}
CHINESE = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "做一下"}]}
TOOLS = {"open": JUMP, "other": {"description": "d", "inputSchema": {"type": "object"}}}
STOCK = {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}


def call(name: str, arguments: Any, call_id: str = "c1", *, finish: bool = True) -> list[Chunk]:
    chunks: list[Chunk] = [
        ToolInputStart(call_id, name),
        ToolInputDelta(call_id, "{}"),
        ToolInputAvailable(call_id, name, arguments),
    ]
    return [*chunks, Finish("tool-calls")] if finish else chunks


def stock(**options: Any) -> ServerTool:
    async def run(sku: str) -> dict[str, Any]:
        return {"sku": sku, "left": 3}

    return ServerTool("stock", "How many are left.", STOCK, run, **options)


def body(*parts: Any, user: Any = USER) -> dict[str, Any]:
    messages = [user]
    if parts:
        messages.append({"id": "a1", "role": "assistant", "parts": list(parts)})
    return {"messages": messages, "clientTools": TOOLS}


async def ask(model: FakeModel, request: dict[str, Any] | None = None, **options: Any) -> Answer:
    answer = await make_backend(model, **options).post(request or body())
    assert answer.status == 200
    assert answer.types[0] == "start"
    assert answer.types[-1] == "finish"
    return answer


async def test_a_call_of_the_page_ends_the_answer() -> None:
    answer = await ask(FakeModel(call("open", {"url": "https://x"})))
    assert answer.types == [
        "start",
        "start-step",
        "tool-input-start",
        "tool-input-delta",
        "tool-input-available",
        "finish-step",
        "finish",
    ]
    assert answer.chunks[-1]["finishReason"] == "tool-calls"
    assert answer.of("tool-input-available")[0]["input"] == {"url": "https://x"}


async def test_two_calls_in_one_step() -> None:
    two = [*call("open", {"url": "x"}, finish=False), *call("other", {}, "c2")]
    answer = await ask(FakeModel(two))
    assert [c["toolCallId"] for c in answer.of("tool-input-available")] == ["c1", "c2"]


async def test_the_results_reach_the_model() -> None:
    model = FakeModel(text("It is open."))
    part = {
        "type": "tool-open",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {"url": "x"},
        "output": {"type": "image-url", "url": "http://169.254.0.1"},
    }
    answer = await ask(model, body(part))
    assert answer.chunks[0]["messageId"] == "a1"
    assert answer.text == "It is open."
    assert answer.chunks[-1]["finishReason"] == "stop"
    assert model.seen[0][-1]["parts"][0]["output"] == part["output"]


async def test_a_server_tool_runs_here_and_the_model_goes_on() -> None:
    model = FakeModel(call("stock", {"sku": "A"}), text("Three."))
    answer = await ask(model, server_tools=[stock()])
    assert answer.of("tool-output-available")[0]["output"] == {"sku": "A", "left": 3}
    assert answer.types.count("start-step") == 2
    assert answer.types.index("tool-output-available") < answer.types.index("finish-step")
    assert model.seen[1][-1]["parts"][-1]["output"] == {"sku": "A", "left": 3}
    assert answer.text == "Three."


async def test_a_server_tool_beside_a_call_of_the_page() -> None:
    mixed = [*call("stock", {"sku": "A"}, finish=False), *call("open", {"url": "x"}, "c2")]
    answer = await ask(FakeModel(mixed), server_tools=[stock()])
    assert answer.of("tool-output-available")[0]["toolCallId"] == "c1"
    assert answer.chunks[-1]["finishReason"] == "tool-calls"
    assert answer.types.count("start-step") == 1


async def test_a_server_tool_hides_the_pages_of_the_same_name() -> None:
    model = FakeModel(call("open", {"sku": "A"}), text("ok"))
    tool = ServerTool("open", "Ours.", STOCK, lambda sku: sku)
    answer = await ask(model, server_tools=[tool])
    assert answer.of("tool-output-available")[0]["output"] == "A"
    assert model.offered[0]["open"]["description"] == "Ours."


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ToolError("Sold out."), "Sold out."),
        (RuntimeError("secret"), "reference"),
        (None, "reference"),
    ],
)
async def test_what_goes_wrong_in_a_server_tool(error: Exception | None, expected: str) -> None:
    def run(sku: str) -> Any:
        if error is not None:
            raise error
        return object()

    model = FakeModel(call("stock", {"sku": "A"}), text("ok"))
    answer = await ask(model, server_tools=[ServerTool("stock", "d", STOCK, run)])
    (failed,) = answer.of("tool-output-error")
    assert "secret" not in answer.response.text
    assert expected in failed["errorText"]
    assert answer.text == "ok"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ('{"url": "htt', "JSON object"),
        ([1], "JSON object"),
        (7, "JSON object"),
        ({}, "url is missing"),
        ({"url": 7}, "url must be of type string"),
    ],
)
async def test_arguments_that_cannot_be_used_are_repaired(arguments: Any, word: str) -> None:
    model = FakeModel(call("open", arguments), call("open", {"url": "x"}, "c2"))
    answer = await ask(model)
    (fault,) = answer.of("tool-input-error")
    assert word in fault["errorText"]
    assert fault["input"] == arguments
    assert [c["toolCallId"] for c in answer.of("tool-input-available")] == ["c2"]
    seen = model.seen[1][-1]["parts"][-1]
    assert (seen["state"], word in seen["errorText"]) == ("output-error", True)


async def test_arguments_as_text_are_parsed() -> None:
    answer = await ask(FakeModel(call("open", '{"url": "x"}')))
    assert answer.of("tool-input-available")[0]["input"] == {"url": "x"}


async def test_a_model_that_reports_bad_arguments_itself() -> None:
    broken: list[Chunk] = [
        ToolInputStart("c1", "open"),
        ToolInputError("c1", "open", '{"u', "cut off"),
        Finish("tool-calls"),
    ]
    answer = await ask(FakeModel(broken, text("sorry")))
    assert answer.of("tool-input-error")[0]["errorText"] == "cut off"
    assert answer.text == "sorry"


async def test_repairs_are_bounded_and_end_in_words() -> None:
    model = FakeModel(call("open", {}))
    answer = await ask(model, body(user=CHINESE), max_repairs=2)
    assert len(model.seen) == 3
    assert "换一种说法" in answer.text
    assert answer.chunks[-1]["finishReason"] == "stop"


async def test_an_unknown_tool_is_named_an_error_with_what_there_is() -> None:
    model = FakeModel(call("opne", {"url": "x"}), text("ok"))
    answer = await ask(model)
    assert "open, other" in answer.of("tool-input-error")[0]["errorText"]


async def test_ids_are_unique_in_the_conversation() -> None:
    part = {
        "type": "tool-open",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {},
        "output": 1,
    }
    twice = [
        *call("other", {"a": 1}, "c1", finish=False),
        *call("other", {"a": 2}, "c1", finish=False),
        *call("other", {"a": 3}, ""),
    ]
    answer = await ask(FakeModel(twice), body(part))
    starts = [c["toolCallId"] for c in answer.of("tool-input-start")]
    deltas = [c["toolCallId"] for c in answer.of("tool-input-delta")]
    ids = [c["toolCallId"] for c in answer.of("tool-input-available")]
    assert starts == deltas == ids
    assert len({"c1", *ids}) == 4


async def test_the_same_call_again_and_again_is_stopped() -> None:
    done = [
        {
            "type": "tool-open",
            "toolCallId": f"c{n}",
            "state": "output-available",
            "input": {"url": "x"},
            "output": n,
        }
        for n in range(3)
    ]
    model = FakeModel(call("open", {"url": "x"}, "c9"))
    answer = await ask(model, body(*done))
    assert "3 times" in answer.of("tool-input-error")[0]["errorText"]
    assert answer.of("tool-input-available") == []
    assert "repeat the same call" in answer.text
    assert len(model.seen) == 1
    other = await ask(FakeModel(call("open", {"url": "y"}, "c9")), body(*done))
    assert other.of("tool-input-available")


async def test_too_many_rounds_end_in_words_without_asking_the_model() -> None:
    parts: list[Any] = []
    for n in range(4):
        parts += [
            {"type": "step-start"},
            {
                "type": "tool-other",
                "toolCallId": f"c{n}",
                "state": "output-available",
                "input": {"n": n},
                "output": n,
            },
        ]
    model = FakeModel(text("never"))
    answer = await ask(model, body(*parts), max_continuations=3)
    assert model.seen == []
    assert "3 rounds" in answer.text
    assert answer.chunks[-1]["finishReason"] == "stop"


async def test_too_many_steps_of_the_server_end_in_words() -> None:
    steps = [call("stock", {"sku": str(n)}, f"c{n}") for n in range(9)]
    answer = await ask(FakeModel(*steps), server_tools=[stock()], max_steps=3)
    assert len(answer.of("tool-output-available")) == 3
    assert "3 steps" in answer.text
    assert answer.types[-3:] == ["text-end", "finish-step", "finish"]


async def test_an_error_of_the_model_is_masked_and_the_stream_ends_properly() -> None:
    answer = await ask(FakeModel(RuntimeError("key sk-123 at host.internal")))
    assert "sk-123" not in answer.response.text
    assert "reference" in answer.of("error")[0]["errorText"]
    assert answer.types[-2:] == ["finish-step", "finish"]
    assert answer.chunks[-1]["finishReason"] == "error"
    assert answer.events[-1] == "[DONE]"


async def test_text_is_closed_before_an_error() -> None:
    broken: list[Chunk] = [*text("so far")[:2], Error("The model is busy.")]
    answer = await ask(FakeModel(broken))
    assert answer.types[-5:] == ["text-delta", "text-end", "error", "finish-step", "finish"]
    assert answer.of("error")[0]["errorText"] == "The model is busy."


async def test_reasoning_is_kept_for_the_next_step_with_its_signature() -> None:
    thinking: list[Chunk] = [
        ReasoningStart("r"),
        ReasoningDelta("r", "hm"),
        ReasoningEnd("r", {"anthropic": {"signature": "s"}}),
        *call("stock", {"sku": "A"}),
    ]
    model = FakeModel(thinking, text("ok"))
    await ask(model, server_tools=[stock()])
    kept = model.seen[1][-1]["parts"][1]
    assert kept == {
        "type": "reasoning",
        "text": "hm",
        "providerMetadata": {"anthropic": {"signature": "s"}},
    }


async def test_an_answer_may_follow_an_answer() -> None:
    # B8: a history that ends with a finished text of the assistant.
    model = FakeModel(text("more"))
    answer = await ask(model, body({"type": "text", "text": "before", "state": "done"}))
    assert answer.text == "more"
    assert len(model.seen) == 1


async def test_a_message_stopped_before_its_first_word_is_continued() -> None:
    model = FakeModel(text("hi"))
    request = body()
    request["messages"].append({"id": "a1", "role": "assistant", "parts": []})
    answer = await ask(model, request)
    assert answer.chunks[0]["messageId"] == "a1"
    assert [m["role"] for m in model.seen[0]] == ["user"]


def approval_part(answer: Answer, *, approved: bool = True, **changes: Any) -> dict[str, Any]:
    """The part a client keeps of a call with an answered approval."""
    available = answer.of("tool-input-available")[0]
    request = answer.of("tool-approval-request")[0]
    return {
        "type": f"tool-{available['toolName']}",
        "toolCallId": available["toolCallId"],
        "state": "approval-responded",
        "input": available["input"],
        "approval": {"id": request["approvalId"], "approved": approved},
        **changes,
    }


async def test_a_server_tool_runs_after_the_approval() -> None:
    model = FakeModel(call("stock", {"sku": "A"}), text("Three."))
    backend = make_backend(model, server_tools=[stock(needs_approval=True)])
    asked = await backend.post(body())
    assert asked.types[-4:] == [
        "tool-input-available",
        "tool-approval-request",
        "finish-step",
        "finish",
    ]
    assert asked.chunks[-1]["finishReason"] == "tool-calls"
    assert asked.of("tool-output-available") == []
    answer = await backend.post(body(approval_part(asked)))
    assert answer.types[:3] == ["start", "tool-output-available", "start-step"]
    assert answer.text == "Three."


async def test_a_call_of_the_page_is_sent_again_after_the_approval() -> None:
    model = FakeModel(call("open", {"url": "x"}), text("done"))
    backend = make_backend(model, approve_tools=("open",))
    asked = await backend.post(body())
    assert asked.of("tool-approval-request")
    answer = await backend.post(body(approval_part(asked)))
    assert answer.types == ["start", "tool-input-available", "finish"]
    assert answer.chunks[-1]["finishReason"] == "tool-calls"
    assert len(model.seen) == 1


async def test_a_denial_reaches_the_model() -> None:
    model = FakeModel(call("stock", {"sku": "A"}), text("all right"))
    backend = make_backend(
        model, server_tools=[stock(needs_approval=lambda arguments: arguments["sku"] == "A")]
    )
    asked = await backend.post(body())
    answer = await backend.post(body(approval_part(asked, approved=False)))
    assert answer.types[:3] == ["start", "tool-output-denied", "start-step"]
    assert answer.text == "all right"
    assert model.seen[1][-1]["parts"][0]["state"] == "output-denied"


@pytest.mark.parametrize(
    "changes",
    [
        {"input": {"sku": "B"}},
        {"toolCallId": "c2"},
        {"approval": {"id": "forged", "approved": True}},
        {"approval": {"id": "c1.99999999999.AAAA", "approved": True}},
        {"approval": {"approved": True}},
        {"type": "tool-other"},
    ],
)
async def test_altered_approvals_run_nothing(changes: dict[str, Any]) -> None:
    ran: list[str] = []

    def run(sku: str) -> None:
        ran.append(sku)

    tool = ServerTool("stock", "d", STOCK, run, needs_approval=True)
    backend = make_backend(FakeModel(call("stock", {"sku": "A"}), text("ok")), server_tools=[tool])
    part = approval_part(await backend.post(body()), **changes)
    answer = await backend.post(body(part))
    assert answer.types[:2] == ["start", "tool-output-error"]
    assert ran == []


async def test_an_approval_works_once_and_only_as_the_last_word() -> None:
    ran: list[str] = []

    def run(sku: str) -> None:
        ran.append(sku)

    tool = ServerTool("stock", "d", STOCK, run, needs_approval=True)
    model = FakeModel(call("stock", {"sku": "A"}), text("ok"))
    backend = make_backend(model, server_tools=[tool])
    part = approval_part(await backend.post(body()))
    old = body(part)
    old["messages"].append(USER)
    await backend.post(old)
    assert ran == []
    await backend.post(body(part))
    again = await backend.post(body(part))
    assert ran == ["A"]
    assert "used before" in again.of("tool-output-error")[0]["errorText"]


async def test_a_pages_tool_that_left_is_not_sent_again() -> None:
    backend = make_backend(
        FakeModel(call("open", {"url": "x"}), text("ok")), approve_tools=("open",)
    )
    part = approval_part(await backend.post(body()))
    answer = await backend.post({**body(part), "clientTools": {}})
    assert "no longer offers" in answer.of("tool-output-error")[0]["errorText"]
