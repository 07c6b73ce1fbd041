from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagehand.errors import NotAStreamError
from pagehand.wire.sniff import HEAD_LIMIT, check_event, check_response, error_message

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize(
    "head",
    [
        b'data: {"type":"start"}\n\n',
        b"data:",
        b": stream-open\n\n",
        b"\xef\xbb\xbf\n\nevent: x\n",
        b"id\ndata: 1\n\n",
        b"retry: 1000\r\n",
    ],
)
def test_a_stream(head: bytes) -> None:
    assert check_response(200, "text/event-stream", head) is True
    assert check_response(200, "text/html", head, complete=True) is True


@pytest.mark.parametrize("head", [b"", b"\n", b"\xef\xbb", b"d", b"dat", b"even", b'{"mess', b"["])
def test_too_little_to_tell(head: bytes) -> None:
    assert check_response(200, "text/event-stream", head) is False


@pytest.mark.parametrize(
    ("content_type", "body", "kind", "text"),
    [
        ("text/html", b"<!doctype html><p>Sign in", "html", "with a web page"),
        ("text/event-stream", b"  <html>", "html", "with a web page"),
        ("TEXT/HTML", b"Sign in", "html", "with a web page"),
        ("text/plain", b"Not here\n", "text", "with plain text instead of a stream: Not here"),
        ("", b"", "empty", "with an empty body"),
        ("text/event-stream", b" \r\n", "empty", "with an empty body"),
        ("application/json", b'{"message":"Sign in first"}', "json", "of a stream: Sign in first"),
        ("application/json", b'{"error":{"message":"No"}}', "json", "stream: No"),
        ("application/json", b'{"a":1}', "json", r"of a stream\."),
        ("application/json", b'{"a":', "json", r"of a stream\."),
        ("text/plain", b'{"type":"start"}\n{"type":"finish"}\n', "json", r"of a stream\."),
        ("text/plain", b'{"type":"RUN_STARTED"}\n{"type"', "ag-ui", r"\(ag-ui\)"),
    ],
)
def test_something_else(content_type: str, body: bytes, kind: str, text: str) -> None:
    with pytest.raises(NotAStreamError, match=text) as caught:
        check_response(200, content_type, body, complete=True)
    assert caught.value.kind == kind
    assert caught.value.content_type == content_type
    assert str(caught.value).startswith("The server answered 200, but with ")


def test_records_of_mastras_older_route() -> None:
    body = (DATA / "mastra-native/u_stream_vnext_separator.response.json").read_bytes()
    with pytest.raises(NotAStreamError) as caught:
        check_response(200, "text/plain", body, complete=True)
    assert caught.value.kind == "mastra-native"


def test_a_web_page_is_seen_at_once() -> None:
    with pytest.raises(NotAStreamError):
        check_response(200, "text/html", b"<")


def test_a_line_that_is_no_field_is_seen_at_once() -> None:
    with pytest.raises(NotAStreamError):
        check_response(200, "", b"datax")


def test_the_head_is_short_and_printable() -> None:
    with pytest.raises(NotAStreamError) as caught:
        check_response(200, "text/plain", b"\x00\xff" * 500, complete=True)
    assert len(caught.value.head) == 200
    assert set(caught.value.head) == {"\ufffd"}


def test_waiting_for_a_message_has_a_limit() -> None:
    body = b'{"message": "' + b"x" * HEAD_LIMIT
    with pytest.raises(NotAStreamError) as caught:
        check_response(200, "application/json", body)
    assert caught.value.kind == "json"


@pytest.mark.parametrize(
    ("event", "kind"),
    [
        ({"type": "RUN_STARTED", "threadId": "t"}, "ag-ui"),
        ({"type": "start", "runId": "r", "from": "AGENT", "payload": {}}, "mastra-native"),
    ],
)
def test_an_event_of_another_protocol(event: dict[str, object], kind: str) -> None:
    with pytest.raises(NotAStreamError) as caught:
        check_event(event)
    assert caught.value.kind == kind


@pytest.mark.parametrize("event", [{"type": "start"}, {"type": None}, {}, [1], "x"])
def test_an_event_of_ours_or_of_nobodys(event: object) -> None:
    assert check_event(event) is None  # type: ignore[func-returns-value]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("plain", "plain"),
        ({"detail": [{"msg": "field required"}]}, "field required"),
        ({"message": "", "error": {"message": "m"}}, "m"),
        ({"error": {"error": {"error": {"error": "too deep"}}}}, ""),
        ([], ""),
        ({"title": "t"}, "t"),
        (7, ""),
        (None, ""),
        ({"message": "x" * 9_000}, "x" * 500),
    ],
)
def test_the_sentence_in_an_error(body: object, text: str) -> None:
    assert error_message(body) == text


def test_recorded_refusals() -> None:
    paths = sorted(DATA.glob("mastra/i*.response.json"))
    assert paths
    for path in paths:
        assert error_message(json.loads(path.read_text(encoding="utf-8")))
