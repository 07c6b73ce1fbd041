from __future__ import annotations

from types import SimpleNamespace

import pytest

from pagehand.chat.tool_part import ToolPart
from pagehand.ui.call_state import look_of
from pagehand.ui.words import WORDS


def part(state: str, **more: object) -> ToolPart:
    made = ToolPart("greet", "c1", state, dynamic=False)
    for name, value in more.items():
        setattr(made, name, value)
    return made


WAITS = SimpleNamespace(status="requires-action")
RUNS = SimpleNamespace(status="running")


@pytest.mark.parametrize(
    ("call", "handle", "kind", "look"),
    [
        (part("input-streaming"), None, "frontend", "preparing"),
        (part("input-available"), RUNS, "frontend", "running"),
        (part("input-available"), WAITS, "frontend", "waiting"),
        (part("input-available"), None, "human", "waiting"),
        (part("input-available"), RUNS, "backend", "running"),
        (part("input-available"), RUNS, None, "running"),
        (part("approval-requested", approval={"id": "p"}), None, "backend", "approval"),
        (
            part("approval-responded", approval={"id": "p", "approved": True}),
            None,
            None,
            "running",
        ),
        (
            part("approval-responded", approval={"id": "p", "approved": False}),
            None,
            None,
            "denied",
        ),
        (part("output-available"), None, "frontend", "done"),
        (part("output-available", preliminary=True), None, "frontend", "progress"),
        (part("output-error", error_text="no"), None, "frontend", "failed"),
        (part("output-error", cancelled=True), None, "frontend", "cancelled"),
        (part("output-denied"), None, "backend", "denied"),
    ],
)
def test_the_look_of_a_call(call: ToolPart, handle: object, kind: str | None, look: str) -> None:
    shown, phrase = look_of(call, handle, kind)
    assert shown == look
    assert phrase in WORDS


def test_calls_of_the_server_say_so() -> None:
    assert look_of(part("input-available"), RUNS, "backend")[1] == "tool.elsewhere"
    assert look_of(part("input-available", provider_executed=True), RUNS, "frontend")[1] == (
        "tool.elsewhere"
    )
