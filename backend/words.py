"""What the backend itself says in the conversation, in the user's language."""

from __future__ import annotations

from collections.abc import Iterator

from backend.history import Message
from pagehand.wire.chunks import Chunk, Finish, TextDelta, TextEnd, TextStart

_WORDS = {
    "too-many-rounds": (
        "I stopped here: {count} rounds of tool calls in a row are the limit. "
        "Tell me how to go on.",
        "我先停在这里：连续的工具调用最多 {count} 轮。请告诉我接下来怎么做。",
    ),
    "too-many-steps": (
        "I stopped here: an answer may take {count} steps. Tell me how to go on.",
        "我先停在这里：一次回答最多 {count} 步。请告诉我接下来怎么做。",
    ),
    "repeated": (
        "I stopped here because I was about to repeat the same call once more. "
        "Please tell me what to do differently.",
        "我先停在这里，因为我又要重复同一个调用。请告诉我应该怎样改变。",
    ),
    "not-repaired": (
        "I could not form a call that the tool accepts. Please say it in other words.",
        "我没能给出工具可以接受的参数。请换一种说法。",
    ),
}


def say(key: str, messages: list[Message], **values: object) -> Iterator[Chunk]:
    """The chunks of a whole answer with one of our texts."""
    text = _WORDS[key][_is_chinese(messages)].format(**values)
    yield TextStart("pagehand")
    yield TextDelta("pagehand", text)
    yield TextEnd("pagehand")
    yield Finish("stop")


def _is_chinese(messages: list[Message]) -> bool:
    """Whether the user's last words hold a Chinese character."""
    for message in reversed(messages):
        if message["role"] == "user":
            texts = (str(part.get("text", "")) for part in message["parts"])
            return any("\u4e00" <= character <= "\u9fff" for t in texts for character in t[:2_000])
    return False
