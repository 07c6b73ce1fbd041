"""What each provider's wire carries: results in its own form, reasoning, failures in the middle."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from backend_fakes import JUMP, Answer, make_backend
from provider_fakes import Fakes

from backend.models.providers import make_provider
from backend.settings import Settings

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

KINDS = ("openai", "openai-compatible", "ollama", "anthropic", "google")
OPENAI = ("openai", "openai-compatible", "ollama")
USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "open it"}]}


@pytest.fixture(scope="module")
def fakes() -> Iterator[Fakes]:
    server = Fakes()
    yield server
    server.close()


async def ask(fakes: Fakes, kind: str, *parts: Any, tools: Any = None) -> Answer:
    base = fakes.url if kind in ("anthropic", "google") else f"{fakes.url}/v1"
    model = make_provider(kind, "m", Settings(base_url=base, api_key="sk-test"))
    messages: list[Any] = [USER]
    if parts:
        messages.append({"id": "a1", "role": "assistant", "parts": list(parts)})
    body = {"messages": messages, "clientTools": tools or {"jump-url-tool": JUMP}}
    try:
        return await make_backend(model).post(body)
    finally:
        await model.aclose()


CALL = {"type": "tool-jump-url-tool", "input": {"url": "x"}}
STEP: tuple[dict[str, Any], ...] = (
    {"type": "step-start"},
    {"type": "text", "text": "I open two."},
    {**CALL, "toolCallId": "c1", "state": "output-available", "output": {"ok": True}},
    {**CALL, "toolCallId": "c2", "state": "output-error", "errorText": "blocked"},
)


@pytest.mark.parametrize("kind", OPENAI)
async def test_results_in_openais_form(fakes: Fakes, kind: str) -> None:
    fakes.play({"text": "Fine."})
    await ask(fakes, kind, *STEP)
    user, said, *results = fakes.posted[-1]["messages"]
    assert user == {"role": "user", "content": "open it"}
    assert (said["role"], said["content"]) == ("assistant", "I open two.")
    assert [(c["id"], c["function"]["name"]) for c in said["tool_calls"]] == [
        ("c1", "jump-url-tool"),
        ("c2", "jump-url-tool"),
    ]
    assert [json.loads(c["function"]["arguments"]) for c in said["tool_calls"]] == [
        {"url": "x"}
    ] * 2
    assert [(r["role"], r["tool_call_id"]) for r in results] == [("tool", "c1"), ("tool", "c2")]
    assert json.loads(results[0]["content"]) == {"ok": True}
    assert "blocked" in results[1]["content"]


async def test_results_in_anthropics_form(fakes: Fakes) -> None:
    fakes.play({"text": "Fine."})
    await ask(fakes, "anthropic", *STEP)
    _, said, results = fakes.posted[-1]["messages"]
    kinds = [block["type"] for block in said["content"]]
    assert (said["role"], kinds) == ("assistant", ["text", "tool_use", "tool_use"])
    assert said["content"][1] | {"id": "c1", "input": {"url": "x"}} == said["content"][1]
    assert [(b["type"], b["tool_use_id"]) for b in results["content"]] == [
        ("tool_result", "c1"),
        ("tool_result", "c2"),
    ]
    assert [bool(b.get("is_error")) for b in results["content"]] == [False, True]
    assert "blocked" in json.dumps(results["content"][1])


async def test_results_in_googles_form(fakes: Fakes) -> None:
    fakes.play({"text": "Fine."})
    await ask(fakes, "google", *STEP)
    _, said, results = fakes.posted[-1]["contents"]
    calls = [part["functionCall"] for part in said["parts"] if "functionCall" in part]
    assert [(c["name"], c["args"]) for c in calls] == [("jump-url-tool", {"url": "x"})] * 2
    answers = [part["functionResponse"] for part in results["parts"]]
    assert [answer["name"] for answer in answers] == ["jump-url-tool"] * 2
    assert '{\\"ok\\":true}' in json.dumps(answers[0])
    assert "blocked" in json.dumps(answers[1])


@pytest.mark.parametrize("kind", KINDS)
async def test_a_declaration_goes_out_as_it_came(fakes: Fakes, kind: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"], "description": "Which."},
            "sizes": {"type": "array", "items": {"type": "integer"}},
        },
        "required": ["colour"],
    }
    fakes.play({"text": "ok"})
    await ask(fakes, kind, tools={"pick-one": {"description": "Picks.", "inputSchema": schema}})
    sent = json.dumps(fakes.posted[-1])
    for words in ('"pick-one"', '"Picks."', '"enum": ["red", "blue"]', '"Which."'):
        assert words in sent
    assert '"required": ["colour"]' in sent


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        ("openai-compatible", "reasoning_content"),
        ("openai-compatible", "reasoning"),
        ("ollama", "reasoning"),
        ("anthropic", ""),
        ("google", ""),
    ],
)
async def test_reasoning_comes_as_reasoning(fakes: Fakes, kind: str, key: str) -> None:
    fakes.play({"think": "let me see", "text": "Yes.", "key": key or "reasoning_content"})
    answer = await ask(fakes, kind)
    assert "".join(c["delta"] for c in answer.of("reasoning-delta")) == "let me see"
    assert answer.text == "Yes."
    assert answer.types.index("reasoning-end") < answer.types.index("finish-step")


@pytest.mark.parametrize("kind", KINDS)
async def test_calls_without_ids_get_some(fakes: Fakes, kind: str) -> None:
    done = {**CALL, "toolCallId": "call_0", "state": "output-available", "output": 1}
    again = {**CALL, "toolCallId": "toolu_0", "state": "output-available", "output": 1}
    fakes.play({"calls": [("jump-url-tool", '{"url": "y"}')]})
    answer = await ask(fakes, kind, done, again)
    (call,) = answer.of("tool-input-available")
    assert call["toolCallId"] not in ("", "call_0", "toolu_0")
    assert {c["toolCallId"] for c in answer.of("tool-input-delta")} == {call["toolCallId"]}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "words"), [(500, "failed"), (503, "busy|failed"), (404, "not known|reference")]
)
async def test_a_servers_fault_is_a_sentence(
    fakes: Fakes, kind: str, status: int, words: str
) -> None:
    fakes.play({"status": status})
    answer = await ask(fakes, kind)
    (error,) = answer.of("error")
    assert any(word in error["errorText"] for word in words.split("|")), error
    assert "sk-secret" not in answer.response.text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", ["cut", "failure"])
async def test_a_failure_in_the_middle_keeps_the_text_and_ends_properly(
    fakes: Fakes, kind: str, how: str
) -> None:
    fakes.play({"text": "one two three four five six", how: True})
    answer = await ask(fakes, kind)
    assert answer.text.startswith("one")
    assert answer.types.index("text-end") < answer.types.index("error")
    assert answer.chunks[-1] == {"type": "finish", "finishReason": "error"}
    assert "secret" not in answer.response.text
    assert "internal" not in answer.response.text


@pytest.mark.parametrize("kind", KINDS)
async def test_tokens_are_counted(
    fakes: Fakes, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "pagehand.backend")
    fakes.play({"text": "Fine."})
    await ask(fakes, kind)
    (fields,) = [r.fields for r in caplog.records if r.getMessage() == "answer"]  # type: ignore[attr-defined]
    assert fields["usage"] == {"input": 7, "output": 3}
