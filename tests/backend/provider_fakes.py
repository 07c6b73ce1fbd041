"""Providers on loopback: the wire of each, with answers set by the test."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

Say = dict[str, Any]
"""What to answer: text, think, calls [(name, json text)], finish, status, hang, cut, failure."""


def sse(*events: Any, named: bool = False) -> bytes:
    out = []
    for event in events:
        data = event if isinstance(event, str) else json.dumps(event)
        name = f"event: {event['type']}\n" if named and isinstance(event, dict) else ""
        out.append(f"{name}data: {data}\n\n")
    return "".join(out).encode()


def openai(say: Say) -> bytes:
    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {
            "id": "x",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [choice],
        }

    events: list[Any] = [chunk({"role": "assistant", "content": ""})]
    if say.get("think"):
        # Two names are about: most compatible servers', and Ollama's.
        events.append(chunk({say.get("key", "reasoning_content"): say["think"]}))
    events += [chunk({"content": word}) for word in say.get("text", "").split(" ") if word]
    for index, (name, text) in enumerate(say.get("calls", [])):
        call = {
            "index": index,
            "id": f"call_{index}",
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        events.append(chunk({"tool_calls": [call]}))
        for start in range(0, len(text), 5):
            piece = {"index": index, "function": {"arguments": text[start : start + 5]}}
            events.append(chunk({"tool_calls": [piece]}))
    events.append(chunk({}, say.get("finish") or ("tool_calls" if say.get("calls") else "stop")))
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    events.append(
        {
            "id": "x",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [],
            "usage": usage,
        }
    )
    return sse(*events, "[DONE]")


def anthropic(say: Say) -> bytes:
    message = {
        "id": "x",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 1},
    }
    events: list[Any] = [{"type": "message_start", "message": message}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
    if say.get("think"):
        blocks.append(
            (
                {"type": "thinking", "thinking": "", "signature": ""},
                [
                    {"type": "thinking_delta", "thinking": say["think"]},
                    {"type": "signature_delta", "signature": "signed"},
                ],
            )
        )
    if say.get("text"):
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": say["text"]}]))
    for index, (name, text) in enumerate(say.get("calls", [])):
        blocks.append(
            (
                {"type": "tool_use", "id": f"toolu_{index}", "name": name, "input": {}},
                [
                    {"type": "input_json_delta", "partial_json": text[s : s + 5]}
                    for s in range(0, len(text), 5)
                ],
            )
        )
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    reason = say.get("finish") or ("tool_use" if say.get("calls") else "end_turn")
    events.append(
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason, "stop_sequence": None},
            "usage": {"output_tokens": 3},
        }
    )
    return sse(*events, {"type": "message_stop"}, named=True)


def google(say: Say) -> bytes:
    def candidate(part: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        content = {"content": {"role": "model", "parts": [part]}, "index": 0}
        if finish:
            content["finishReason"] = finish
        return {
            "candidates": [content],
            "modelVersion": "m",
            "responseId": "r",
            "usageMetadata": {
                "promptTokenCount": 7,
                "candidatesTokenCount": 3,
                "totalTokenCount": 10,
            },
        }

    events = []
    if say.get("think"):
        events.append(candidate({"text": say["think"], "thought": True}))
    events += [candidate({"text": word}) for word in say.get("text", "").split(" ") if word]
    for name, text in say.get("calls", []):
        events.append(candidate({"functionCall": {"name": name, "args": json.loads(text)}}))
    events.append(candidate({"text": ""}, say.get("finish") or "STOP"))
    return sse(*events)


_SECRET = "key sk-secret at host.internal"
FAILURES = {
    openai: sse({"error": {"message": _SECRET, "type": "server_error", "code": 500}}),
    anthropic: sse(
        {"type": "error", "error": {"type": "overloaded_error", "message": _SECRET}}, named=True
    ),
    google: sse({"error": {"code": 503, "message": _SECRET, "status": "UNAVAILABLE"}}),
}
"""How each wire says in the middle of a stream that it failed."""


class Fakes:
    """One server with all wires. `answers` are played one a request, `posted` keeps the bodies."""

    def __init__(self) -> None:
        self.answers: list[Say] = []
        self.posted: list[dict[str, Any]] = []
        self.gone = threading.Event()
        app = Starlette(
            routes=[
                Route("/v1/chat/completions", self._route(openai), methods=["POST"]),
                Route("/v1/messages", self._route(anthropic), methods=["POST"]),
                Route("/v1beta/models/{rest:path}", self._route(google), methods=["POST"]),
            ]
        )
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        config = uvicorn.Config(app, log_level="error", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})
        self._thread.start()
        while not self._server.started:
            time.sleep(0.01)

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()

    def play(self, *answers: Say) -> None:
        self.answers = list(answers)
        self.posted.clear()
        self.gone.clear()

    def _route(self, wire: Any) -> Any:
        async def answer(request: Request) -> Response:
            self.posted.append(await request.json())
            say = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if "status" in say:
                body = {
                    "error": {
                        "type": "x",
                        "message": "key sk-secret at host.internal",
                        "code": say["status"],
                    }
                }
                # The SDKs would try again, after a while.
                return JSONResponse(body, say["status"], {"x-should-retry": "false"})
            data = wire(say)

            async def pieces() -> Any:
                import asyncio

                try:
                    yield data
                    if say.get("cut"):
                        raise ConnectionResetError
                    if say.get("hang"):
                        await asyncio.Event().wait()
                finally:
                    self.gone.set()

            if say.get("hang") or say.get("cut") or say.get("failure"):
                data = data[: data.index(b"\n\n", len(data) // 2) + 2]
            if say.get("failure"):
                data += FAILURES[wire]
            return StreamingResponse(pieces(), media_type="text/event-stream")

        return answer
