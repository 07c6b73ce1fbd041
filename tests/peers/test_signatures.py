"""200 generated signatures, declared here, and what the model behind a real server sees of them."""

from __future__ import annotations

from typing import Any

import pytest

from pagehand.toolkit.toolkit import Toolkit
from pagehand.wire.declarations import to_wire
from peers.peer import Peer
from peers.reading import user
from toolkit.generated import Made, lost, made

pytestmark = pytest.mark.peer

MADE = made(200)
AT_ONCE = 50  # tools of one request: servers take 64 at most


def declared(some: list[Made]) -> dict[str, dict[str, Any]]:
    toolkit = Toolkit()
    for one in some:
        toolkit.tool(f"made_{one.number}")(one.function)
    return toolkit.declarations()


def seen_by_model(peer: Peer, tools: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What the server's model is told of these tools."""
    body = {"id": "c", "trigger": "submit-message", "messages": [user("say ok")], **to_wire(tools)}
    with peer.chat(body) as response:
        assert response.status_code == 200, response.read()
        response.read()
    told = {tool["name"]: tool for tool in peer.model()["seen"][-1]["tools"]}
    return {name: told[name] for name in tools}


@pytest.fixture(params=["aisdk", "mastra"])
def peer(request: pytest.FixtureRequest) -> Peer:
    found: Peer = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("first", range(0, len(MADE), AT_ONCE))
def test_the_model_sees_every_property_type_required_and_description(
    peer: Peer, first: int
) -> None:
    some = MADE[first : first + AT_ONCE]
    tools = declared(some)
    told = seen_by_model(peer, tools)
    gone = []
    for one in some:
        name = f"made_{one.number}"
        assert told[name]["description"] == tools[name]["description"] != ""
        schema = told[name]["inputSchema"]
        assert list(schema.get("properties", {})) == list(one.types)
        assert sorted(schema.get("required", [])) == sorted(one.required)
        gone += lost(tools[name]["inputSchema"], schema, name)
    assert gone == []


def test_the_ai_sdk_passes_schemas_on_as_they_are(aisdk: Peer) -> None:
    tools = declared(MADE[:AT_ONCE])
    told = seen_by_model(aisdk, tools)
    for name, tool in tools.items():
        schema = {
            key: value for key, value in told[name]["inputSchema"].items() if key != "$schema"
        }
        assert schema == tool["inputSchema"]


def test_mastra_closes_open_objects_and_the_author_is_told(mastra: Peer) -> None:
    toolkit = Toolkit()

    @toolkit.tool("count")
    def count(pieces: dict[str, int]) -> int:
        """Counts."""
        return sum(pieces.values())

    told = seen_by_model(mastra, toolkit.declarations())
    assert told["count"]["inputSchema"]["properties"]["pieces"]["additionalProperties"] is False
    assert any("pieces: takes any key" in note for note in toolkit.check())


def test_the_comparison_finds_what_is_lost() -> None:
    sent = {
        "type": "object",
        "properties": {
            "a": {"type": "string", "description": "words"},
            "b": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "c": {"type": "array", "items": {"type": "object", "properties": {}, "required": []}},
        },
        "required": ["a"],
    }
    assert lost(sent, sent) == []
    for change in (
        {"required": []},
        {"type": "string"},
        {"properties": {**sent["properties"], "a": {"type": "string"}}},  # type: ignore[dict-item]
        {"properties": {**sent["properties"], "b": {"type": "integer"}}},  # type: ignore[dict-item]
        {"properties": {**sent["properties"], "c": {"type": "array"}}},  # type: ignore[dict-item]
        {"properties": {}},
    ):
        assert lost(sent, {**sent, **change}), change
