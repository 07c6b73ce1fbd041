import pytest

from pagehand.toolkit.context import ToolContext


def test_made_by_hand_it_serves_a_unit_test():
    ctx = ToolContext("c1", "save", [{"role": "user"}])
    ctx.progress({"done": 1})
    assert (ctx.tool_call_id, ctx.tool_name, ctx.aborted) == ("c1", "save", False)
    assert ctx.messages == [{"role": "user"}]


def test_messages_are_asked_for_only_when_read():
    asked = []

    def messages():
        asked.append(1)
        return [{"id": "m"}]

    ctx = ToolContext(messages=messages)
    assert asked == []
    assert ctx.messages == [{"id": "m"}]
    assert asked == [1]


def test_the_turn_is_the_persons_last_message():
    said = [{"id": "u1", "role": "user"}, {"id": "a1", "role": "assistant"}]
    assert ToolContext(messages=said).turn == "u1"
    assert ToolContext().turn == ""
    assert ToolContext(messages=said, turn="u2").turn == "u2"


async def test_made_by_hand_nobody_can_be_asked():
    ctx = ToolContext()
    with pytest.raises(LookupError, match="has no human"):
        await ctx.human({})
    with pytest.raises(LookupError, match="has no confirm"):
        await ctx.confirm("Really?")
    with pytest.raises(LookupError, match="has no abort_signal"):
        _ = ctx.abort_signal
