from __future__ import annotations

import pytest

from pagehand.chat.transport import ChatRequest, resume_url
from pagehand.errors import ChatError


@pytest.mark.parametrize(
    ("endpoint", "chat_id", "url"),
    [
        ("/chat", "a1", "/chat/a1/stream"),
        ("/chat/", "a1", "/chat/a1/stream"),
        ("/chat?x=1", "a/b?c#d", "/chat/a%2Fb%3Fc%23d/stream?x=1"),
        ("/chat#top?x", "a", "/chat/a/stream#top?x"),
        (
            "https://example.com/chat/?q=/#h",
            "会",
            "https://example.com/chat/%E4%BC%9A/stream?q=/#h",
        ),
    ],
)
def test_b064_b065_b066_the_address_of_a_running_answer(
    endpoint: str, chat_id: str, url: str
) -> None:
    assert resume_url(endpoint, chat_id) == url
    assert ChatRequest(None, {}, method="GET", chat_id=chat_id).url(endpoint) == url


@pytest.mark.parametrize("chat_id", [".", ".."])
def test_b064_an_id_may_not_climb(chat_id: str) -> None:
    with pytest.raises(ChatError):
        resume_url("/chat", chat_id)
