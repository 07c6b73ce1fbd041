"""Behaviours 59 to 68, 93, 104, 106, 111: what leaves."""

from __future__ import annotations

import pytest

from chat.support import FakeEngine, World, asked, said, wants
from pagehand.chat.request import Draft, RequestSettings, merge_headers
from pagehand.chat.scripted import answer
from pagehand.errors import RequestError


async def test_b059_b060_headers_and_body_as_values() -> None:
    world = World(answer(*said("Hi")), headers={"X-Key": "1", "Gone": None}, body={"lang": "zh"})
    await world.say()
    request = world.transport.requests[0]
    assert request.headers == {"content-type": "application/json", "x-key": "1"}
    assert next(iter(world.bodies[0])) == "lang"
    assert len(request.messages) == 1
    assert request.url("/chat") == "/chat"


async def test_b061_b062_b106_headers_and_body_as_functions_are_asked_each_time() -> None:
    tokens = iter("ab")

    async def headers() -> dict[str, str]:
        return {"authorization": next(tokens)}

    world = World(
        wants(asked("open")),
        answer(*said("Done"), message_id="m1"),
        engine=FakeEngine(open="ok"),
        headers=headers,
        body=lambda: {"n": 1},
    )
    await world.say()
    sent = [request.headers["authorization"] for request in world.transport.requests]
    assert sent == ["a", "b"]
    assert [body["n"] for body in world.bodies] == [1, 1]


async def test_b111_the_order_of_the_keys_and_who_wins() -> None:
    world = World(answer(*said("Hi")), body={"a": 1, "b": 1, "id": "evil", "trigger": "evil"})
    await world.chat.send("Hello", body={"b": 2, "c": 3, "messages": [], "messageId": "evil"})
    body = world.bodies[0]
    assert list(body) == ["a", "b", "c", "id", "messages", "trigger", "clientTools"]
    assert (body["b"], body["id"], body["trigger"]) == (2, "chat", "submit-message")
    assert len(body["messages"]) == 1


@pytest.mark.parametrize("field", ["tools", "clientTools"])
async def test_declarations_come_from_the_toolkit_alone(field: str) -> None:
    evil = {"tools": {"x": 1}, "clientTools": {"x": 1}}
    world = World(answer(*said("Hi")), body=evil, tools_field=field)
    await world.say()
    assert {"tools", "clientTools"} & set(world.bodies[0]) == {field}
    assert world.bodies[0][field] == {}


def test_another_field_for_declarations_is_refused() -> None:
    with pytest.raises(RequestError, match="tools_field"):
        RequestSettings(dict, tools_field="functions")


def test_b067_later_headers_replace_earlier_ones_whatever_their_case() -> None:
    assert merge_headers({"A": "1", "b": 2}, {"a": "3"}) == {"a": "3", "b": "2"}


async def test_b067_the_content_type_can_be_replaced() -> None:
    world = World(answer(*said("Hi")), headers={"Content-Type": "application/x"})
    await world.say()
    assert world.transport.requests[0].headers == {"content-type": "application/x"}


async def test_b104_the_request_can_be_prepared() -> None:
    seen: list[Draft] = []

    async def prepare(draft: Draft) -> dict[str, object]:
        seen.append(draft)
        return {
            "body": {"last": draft.messages[-1]},
            "headers": {"X-Mine": "1"},
            "api": "https://example.com/other",
            "credentials": "include",
        }

    world = World(answer(*said("Hi")), headers={"x-old": "1"}, prepare_request=prepare)
    await world.chat.send("Hello", metadata={"k": 1})
    request = world.transport.requests[0]
    assert list(world.bodies[0]) == ["last"]
    assert request.headers == {"content-type": "application/json", "x-mine": "1"}
    assert request.url("/chat") == "https://example.com/other"
    assert request.credentials == "include"
    draft = seen[0]
    assert (draft.id, draft.trigger, draft.message_id) == ("chat", "submit-message", None)
    assert draft.metadata == {"k": 1}


async def test_b104_the_draft_can_be_changed_in_place() -> None:
    def prepare(draft: Draft) -> None:
        draft.body["extra"] = draft.trigger
        draft.headers["x"] = "1"

    world = World(answer(*said("Hi")), prepare_request=prepare, credentials="omit")
    await world.say()
    assert world.bodies[0]["extra"] == "submit-message"
    assert world.transport.requests[0].headers["x"] == "1"
    assert world.transport.requests[0].credentials == "omit"
