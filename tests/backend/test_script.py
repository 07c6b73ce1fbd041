from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from backend_fakes import Answer, Backend

from backend.app import create_app
from backend.models.script import ScriptAgent
from backend.settings import Settings, SettingsError

EXAMPLE = Path(__file__).parents[2] / "docs" / "script-model.md"


def scripted(tmp_path: Path, rules: Any) -> Backend:
    file = tmp_path / "script.json"
    file.write_text(json.dumps(rules), "utf-8")
    return Backend(create_app(Settings(model=f"script:{file}", rate=0)))


async def ask(backend: Backend, words: str, *parts: Any, chat_id: str = "c") -> Answer:
    messages: list[Any] = [{"role": "user", "content": words}]
    if parts:
        messages.append({"id": "a", "role": "assistant", "parts": list(parts)})
    return await backend.post({"id": chat_id, "messages": messages})


async def test_the_documented_example_does_what_it_says(tmp_path: Path) -> None:
    block = re.search(r"```json\n(.*?)```", EXAMPLE.read_text("utf-8"), re.DOTALL)
    assert block is not None
    backend = scripted(tmp_path, json.loads(block[1]))
    first = await ask(backend, "please OPEN it")
    assert first.text == "Let me see."
    assert first.of("tool-input-available")[0]["input"] == {"url": "https://example.com"}
    assert first.chunks[-1]["finishReason"] == "tool-calls"
    done = {
        "type": "tool-jump-url-tool",
        "toolCallId": "x",
        "state": "output-available",
        "input": {},
        "output": 1,
    }
    assert (await ask(backend, "open it", done)).text == "It is open."
    two = await ask(backend, "two")
    assert [c["toolCallId"] for c in two.of("tool-input-available")] == ["a", "b"]
    fail = await ask(backend, "fail")
    assert fail.of("error")[0]["errorText"] == "The model is on strike."
    assert fail.chunks[-1]["finishReason"] == "error"
    busy = await ask(backend, "busy")
    assert (busy.status, busy.message, busy.headers["retry-after"]) == (
        429,
        "Too many requests.",
        "3",
    )
    assert (await ask(backend, "anything")).text == "Hello."


async def test_raw_bytes_unknown_chunks_and_broken_arguments(tmp_path: Path) -> None:
    backend = scripted(
        tmp_path,
        [
            {
                "bare": True,
                "do": [
                    {"chunk": {"type": "from-the-future", "x": [1]}},
                    {"call": {"id": "c", "name": "t", "text": '{"a": ', "available": False}},
                    {"raw": ": a comment\n\ndata: not json\n\n"},
                    {"step": "finish"},
                    {"finish": "length"},
                ],
            }
        ],
    )
    response = await backend.client.post(
        "/chat", json={"messages": [{"role": "user", "content": "x"}]}
    )
    assert ": a comment\n\ndata: not json\n\n" in response.text
    assert '{"type":"from-the-future","x":[1]}' in response.text
    assert '"finishReason":"length"' in response.text
    assert "tool-input-available" not in response.text


async def test_rules_by_request_are_counted_for_each_chat(tmp_path: Path) -> None:
    rules = [{"request": 0, "do": [{"text": "first"}]}, {"request": 1, "do": [{"text": "second"}]}]
    backend = scripted(tmp_path, rules)
    assert [(await ask(backend, "x")).text for _ in range(2)] == ["first", "second"]
    assert (await ask(backend, "x", chat_id="other")).text == "first"
    third = await ask(backend, "x")
    assert "no rule" in third.of("error")[0]["errorText"]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("[", "not JSON"),
        ("7", "list of rules"),
        ("[7]", "rule 0 must be an object"),
        ('[{"do": [{"txet": "x"}]}]', "needs one of"),
    ],
)
def test_a_wrong_script_is_refused_at_start(tmp_path: Path, content: str, word: str) -> None:
    file = tmp_path / "s.json"
    file.write_text(content)
    with pytest.raises(SettingsError, match=word):
        ScriptAgent.from_file(str(file))
    with pytest.raises(SettingsError, match="cannot be read"):
        ScriptAgent.from_file(str(tmp_path / "none.json"))
