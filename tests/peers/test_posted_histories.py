"""Whatever became of a conversation, what we post next is taken by an AI SDK server."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from peers.histories import SERVER_TOOLS, Deed, answers, deeds, live
from peers.judge import Judge

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"id": "u1", "role": "user", "parts": list(parts)}


def test_the_judge_refuses_what_a_server_refuses(judge: Judge) -> None:
    hello = user({"type": "text", "text": "hello"})
    call = {"type": "tool-weather", "toolCallId": "c1", "state": "input-available", "input": {}}
    dangling = {"id": "a1", "role": "assistant", "parts": [call]}
    assert judge.complaint({"messages": [hello]}) is None
    assert "Type validation" in str(judge.complaint({"messages": [user({"type": "text"})]}))
    refused = judge.complaint({"messages": [hello, dangling, hello]}, "weather")
    assert "Tool result is missing" in str(refused)


def leave_out_open_calls_of_a_paused_server(body: dict[str, Any]) -> None:
    """Mastra pauses a step for one approval and goes on with its other calls by itself.

    They are sent back as they came. An AI SDK server never pauses like that.
    """
    parts = body["messages"][-1]["parts"]
    if any(part.get("state") == "approval-responded" for part in parts):
        parts[:] = [p for p in parts if not _is_open_call_of_the_server(p)]


def _is_open_call_of_the_server(part: dict[str, Any]) -> bool:
    name = part.get("toolName", part["type"].removeprefix("tool-"))
    return name in SERVER_TOOLS and part.get("state") == "input-available"


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(script=answers, deeds=deeds)
def test_every_posted_history_is_accepted(
    judge: Judge, script: list[list[Any]], deeds: list[Deed]
) -> None:
    for body in asyncio.run(live(script, deeds)):
        leave_out_open_calls_of_a_paused_server(body)
        assert judge.complaint(body, *SERVER_TOOLS) is None
