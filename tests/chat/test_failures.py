from __future__ import annotations

import time
from collections.abc import AsyncIterator
from email.utils import formatdate

import pytest

from pagehand.chat.failures import chat_error, retry_after, status_error, stream_error
from pagehand.chat.transport import Response
from pagehand.errors import AnswerFormatError, NetworkError, NotAStreamError, UnsendableValueError


async def pieces(*data: bytes | Exception) -> AsyncIterator[bytes]:
    for piece in data:
        if isinstance(piece, Exception):
            raise piece
        yield piece


async def sentence(status: int, *body: bytes | Exception) -> str:
    return str(await status_error(Response(status, {}, pieces(*body))))


@pytest.mark.parametrize(
    ("status", "body", "text"),
    [
        (400, b'{"message":"Say what to change"}', "Say what to change"),
        (500, b'{"error":{"message":"inside"}}', "inside"),
        (422, b'{"detail":[{"msg":"field required"}]}', "field required"),
        (400, b"plain words", "plain words"),
        (400, b'{"broken', '{"broken'),
    ],
)
async def test_the_server_s_own_sentence(status: int, body: bytes, text: str) -> None:
    assert await sentence(status, body) == text


@pytest.mark.parametrize(
    ("status", "word"),
    [(401, "sign-in"), (404, "address"), (418, "refused"), (500, "failed"), (413, "too large")],
)
async def test_b068_a_sentence_for_a_body_without_one(status: int, word: str) -> None:
    for body in (b"", b"<html><body>nginx</body></html>", b"{}"):
        text = await sentence(status, body)
        assert word in text
        assert str(status) in text


async def test_a_body_that_breaks_off_still_gives_the_status() -> None:
    assert "500" in await sentence(500, b"", NetworkError("gone"))


async def test_a_huge_body_is_not_read_to_its_end() -> None:
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 10_000

    error = await status_error(Response(500, {}, endless()))
    assert taken < 10
    assert len(str(error)) <= 300


def test_retry_after_in_both_forms() -> None:
    assert retry_after("7") == 7
    assert retry_after("-7") == 0
    assert retry_after(None) is None
    assert retry_after("soon") is None
    found = retry_after(formatdate(time.time() + 60, usegmt=True))
    assert found is not None
    assert 50 < found <= 61


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"message":"boom","stack":"..."}', "boom"),
        ('{"code":1}', '{"code":1}'),
        ("{broken", "{broken"),
        ("plain", "plain"),
        ("", "The server reported an error."),
    ],
)
def test_the_text_of_an_error_chunk(text: str, shown: str) -> None:
    assert str(stream_error(text)) == shown


def test_any_failure_becomes_a_chat_error() -> None:
    network = NetworkError("gone")
    assert chat_error(network) is network
    html = NotAStreamError("html", "a web page")
    assert isinstance(chat_error(html), AnswerFormatError)
    assert chat_error(html).__cause__ is html
    assert chat_error(UnsendableValueError("no", "a.b")).code == "request"
    assert "ValueError" in str(chat_error(ValueError("odd")))
