"""Real providers' packages against loopback fakes of their wires."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from backend_fakes import JUMP, Answer, make_backend
from provider_fakes import Fakes

from backend.models.providers import make_provider
from backend.models.registry import make_agent
from backend.settings import Settings, SettingsError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

KINDS = ("openai", "openai-compatible", "ollama", "anthropic", "google")
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)
USER = {"id": "u1", "role": "user", "parts": [{"type": "text", "text": "open it"}]}
TOOLS = {"jump-url-tool": JUMP}


@pytest.fixture(scope="module")
def fakes() -> Iterator[Fakes]:
    server = Fakes()
    yield server
    server.close()


def model(fakes: Fakes, kind: str) -> Any:
    base = fakes.url if kind in ("anthropic", "google") else f"{fakes.url}/v1"
    settings = Settings(base_url=base, api_key="sk-test", instructions="Be brief.")
    return make_provider(kind, "m", settings)


async def ask(fakes: Fakes, kind: str, *parts: Any, user: Any = USER) -> Answer:
    messages = [user]
    if parts:
        messages.append({"id": "a1", "role": "assistant", "parts": list(parts)})
    chosen = model(fakes, kind)
    try:
        return await make_backend(chosen).post({"messages": messages, "clientTools": TOOLS})
    finally:
        await chosen.aclose()


def sent(fakes: Fakes, index: int = -1) -> str:
    return json.dumps(fakes.posted[index])


@pytest.mark.parametrize("kind", KINDS)
async def test_text(fakes: Fakes, kind: str) -> None:
    fakes.play({"text": "Hello there"})
    answer = await ask(fakes, kind)
    assert answer.text.replace(" ", "") == "Hellothere"
    assert answer.chunks[-1] == {"type": "finish", "finishReason": "stop"}
    assert answer.types[:3] == ["start", "start-step", "text-start"]
    body = sent(fakes)
    assert "Be brief." in body
    assert "jump-url-tool" in body
    assert '"required": ["url"]' in body


@pytest.mark.parametrize("kind", KINDS)
async def test_two_calls_in_one_step(fakes: Fakes, kind: str) -> None:
    calls = [("jump-url-tool", '{"url": "https://a"}'), ("jump-url-tool", '{"url": "https://b"}')]
    fakes.play({"text": "Both.", "calls": calls})
    answer = await ask(fakes, kind)
    inputs = [c["input"] for c in answer.of("tool-input-available")]
    assert inputs == [{"url": "https://a"}, {"url": "https://b"}]
    assert len({c["toolCallId"] for c in answer.of("tool-input-available")}) == 2
    for call in answer.of("tool-input-available"):
        deltas = [
            d["inputTextDelta"]
            for d in answer.of("tool-input-delta")
            if d["toolCallId"] == call["toolCallId"]
        ]
        assert json.loads("".join(deltas)) == call["input"]
    assert answer.chunks[-1]["finishReason"] == "tool-calls"


@pytest.mark.parametrize("kind", KINDS)
async def test_results_errors_and_denials_go_back_as_texts(fakes: Fakes, kind: str) -> None:
    fakes.play({"text": "Fine."})
    call = {"type": "tool-jump-url-tool", "input": {"url": "x"}}
    planted = {"kind": "image-url", "url": "http://169.254.169.254/latest"}
    answer = await ask(
        fakes,
        kind,
        {"type": "step-start"},
        {**call, "toolCallId": "c1", "state": "output-available", "output": planted},
        {
            **call,
            "toolCallId": "c2",
            "state": "output-error",
            "errorText": "blocked by the browser",
        },
        {**call, "toolCallId": "c3", "state": "output-denied"},
        {"type": "step-start"},
        {"type": "text", "text": "So far."},
    )
    assert answer.text == "Fine."
    body = sent(fakes)
    assert '\\"kind\\":\\"image-url\\"' in body or '"kind": "image-url"' not in body
    for words in (
        "169.254.169.254/latest",
        "blocked by the browser",
        "denied this call",
        "So far.",
    ):
        assert words in body
    assert "image_url" not in body
    assert "fileData" not in body


@pytest.mark.parametrize("kind", ["openai-compatible", "anthropic"])
async def test_broken_arguments_are_repaired(fakes: Fakes, kind: str) -> None:
    fakes.play(
        {"calls": [("jump-url-tool", '{"url": "ht')]},
        {"calls": [("jump-url-tool", '{"url": "x"}')]},
    )
    answer = await ask(fakes, kind)
    assert answer.of("tool-input-error")
    assert [c["input"] for c in answer.of("tool-input-available")] == [{"url": "x"}]
    assert "one JSON object" in sent(fakes)


@pytest.mark.parametrize("kind", KINDS)
async def test_images_and_texts_are_sent_along(fakes: Fakes, kind: str) -> None:
    fakes.play({"text": "A pixel."})
    parts = [
        {"type": "text", "text": "what is it?"},
        {"type": "file", "mediaType": "image/png", "url": f"data:image/png;base64,{PIXEL}"},
        {
            "type": "file",
            "mediaType": "text/plain",
            "filename": "a.txt",
            "url": "data:text/plain;base64,aGVsbG8=",
        },
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,%%%"},
        {"type": "file", "mediaType": "image/png", "url": "http://169.254.169.254/x.png"},
    ]
    answer = await ask(fakes, kind, user={"role": "user", "parts": parts})
    assert answer.text.replace(" ", "") == "Apixel."
    body = sent(fakes)
    assert PIXEL in body or PIXEL.rstrip("=") in body.replace("-", "+").replace("_", "/")
    assert "[file a.txt]\\nhello" in body
    assert "cannot be read" in body
    assert "[file at http://169.254.169.254/x.png]" in body


async def test_reasoning_comes_signed_and_goes_back_to_its_provider_only(fakes: Fakes) -> None:
    fakes.play({"think": "let me see", "text": "Yes."})
    answer = await ask(fakes, "anthropic")
    assert answer.of("reasoning-delta")[0]["delta"] == "let me see"
    metadata = answer.of("reasoning-end")[0]["providerMetadata"]
    assert metadata == {"anthropic": {"signature": "signed"}}
    part = {"type": "reasoning", "text": "let me see", "providerMetadata": metadata}
    done = {
        "type": "tool-jump-url-tool",
        "toolCallId": "c1",
        "state": "output-available",
        "input": {"url": "x"},
        "output": 1,
    }
    fakes.play({"text": "ok"})
    await ask(fakes, "anthropic", part, done)
    assert '"signature": "signed"' in sent(fakes)
    fakes.play({"text": "ok"})
    await ask(fakes, "openai", part, done)
    assert "let me see" not in sent(fakes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "word"), [(429, "busy"), (401, "did not let"), (400, "reference")]
)
async def test_errors_are_sentences_without_the_providers_words(
    fakes: Fakes, kind: str, status: int, word: str
) -> None:
    fakes.play({"status": status})
    answer = await ask(fakes, kind)
    assert answer.status == 200
    assert word in answer.of("error")[0]["errorText"]
    assert answer.chunks[-1]["finishReason"] == "error"
    assert "sk-secret" not in answer.response.text
    assert "internal" not in answer.response.text


@pytest.mark.parametrize(
    ("kind", "finish"),
    [("openai", "length"), ("anthropic", "max_tokens"), ("google", "MAX_TOKENS")],
)
async def test_a_cut_answer_says_so(fakes: Fakes, kind: str, finish: str) -> None:
    fakes.play({"text": "Half", "finish": finish})
    assert (await ask(fakes, kind)).chunks[-1]["finishReason"] == "length"


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
async def test_closing_the_step_closes_the_connection(fakes: Fakes, kind: str) -> None:
    fakes.play({"text": "one two three four", "hang": True})
    chosen = model(fakes, kind)
    step = chosen.step([USER], {})
    async with asyncio.timeout(10):
        async for chunk in step:
            if chunk.type == "text-delta":
                break
        await step.aclose()
        assert await asyncio.to_thread(fakes.gone.wait, 5)
        await chosen.aclose()


@pytest.mark.parametrize(
    ("setting", "word"),
    [
        ("openai:gpt", "OPENAI_API_KEY"),
        ("anthropic:claude", "ANTHROPIC_API_KEY"),
        ("google:gemini", "GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("openai-compatible:x", "PAGEHAND_BASE_URL"),
        ("openai:", "openai:NAME"),
        ("opnai:x", "PAGEHAND_MODEL must be"),
    ],
)
def test_what_is_missing_is_said_at_start(
    monkeypatch: pytest.MonkeyPatch, setting: str, word: str
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError, match=word):
        make_agent(Settings(model=setting), {})


def test_a_key_may_stand_in_the_providers_own_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert make_agent(Settings(model="anthropic:claude"), {}).name == "anthropic:claude"
