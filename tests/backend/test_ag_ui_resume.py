"""`/ag-ui`: which call an answer to an interrupt belongs to, and what finding it costs."""

from __future__ import annotations

from time import thread_time
from typing import Any

import pytest
from backend_fakes import FakeModel, make_backend, text

YES = {"status": "resolved", "payload": {"approved": True}}


def run(calls: list[str], answers: list[str]) -> dict[str, Any]:
    function = {"name": "jump", "arguments": ""}
    said = {
        "id": "a1",
        "role": "assistant",
        "toolCalls": [{"id": call, "function": function} for call in calls],
    }
    resume = [{"interruptId": answer, **YES} for answer in answers]
    asked = {"id": "u1", "role": "user", "content": "Hello"}
    return {"threadId": "t1", "runId": "r1", "messages": [asked, said], "resume": resume}


async def test_thousands_of_answers_are_refused_without_a_search_for_each() -> None:
    calls = [f"c{n}" for n in range(4_500)]
    body = run(calls, [f"{call}.9.x" for call in calls])
    backend = make_backend(FakeModel(text("x")), max_body=2_000_000, max_parts=9_000)
    began = thread_time()
    response = await backend.client.post("/ag-ui", json=body)
    assert thread_time() - began < 2
    assert response.status_code == 400
    assert "More than 64 approvals" in response.json()["message"]


async def test_a_long_name_costs_no_more_than_its_length() -> None:
    began = thread_time()
    body = run(["c1"], ["::" * 250_000 + "c2.9.x"])
    response = await make_backend(FakeModel(text("x"))).client.post("/ag-ui", json=body)
    assert thread_time() - began < 2
    assert "a call that is not open" in response.json()["message"]


@pytest.mark.parametrize("subject", ["c1", "run::c1", "a::run::c1", "run::x::y", "x::y"])
async def test_an_answer_finds_its_call_by_the_end_of_its_subject(subject: str) -> None:
    body = run(["c1", "x::y"], [f"{subject}.9.x"])
    response = await make_backend(FakeModel(text("x"))).client.post("/ag-ui", json=body)
    # A forged one, so that the call does not run, but its call was found.
    assert response.status_code == 200
    assert "approval does not" in response.text


async def test_a_call_without_an_id_is_nobodys() -> None:
    response = await make_backend(FakeModel(text("x"))).client.post(
        "/ag-ui", json=run([""], ["c1.9.x"])
    )
    assert "a call that is not open" in response.json()["message"]
