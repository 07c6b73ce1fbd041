"""A model without a network: decides by words, always the same way, in English and Chinese.

It reads the last thing the person said, cuts it into clauses, and for each clause looks for
the offered tool whose name and description share most with it; the arguments come from the
clause and the tool's schema. Several clauses make several calls in one step. When results
are there, it tells what they say. It knows no tool by heart, so it also calls what an
integrator adds.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from pagehand.demo.choose import Catalogue, Choice
from pagehand.demo.fill import fill
from pagehand.demo.replies import ask_for, asks_back, from_results, small_talk
from pagehand.demo.request import Clause, clauses
from pagehand.demo.retry import second_try
from pagehand.demo.words import is_chinese
from pagehand.wire.chunks import (
    Chunk,
    Finish,
    TextDelta,
    TextEnd,
    TextStart,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
)
from pagehand.wire.jsontext import dumps

_MOST_CALLS = 5
_TOLD = 100
"""Results that are told at most, the last ones: nobody reads more."""

Message = dict[str, Any]
Tools = dict[str, dict[str, Any]]


async def answer(
    messages: list[Message], tools: Tools, *, delay: float = 0.0
) -> AsyncGenerator[Chunk]:
    """Yield the chunks of one step.

    Args:
        messages: UIMessages in wire form, oldest first.
        tools: The offered tools: name to `{"description", "inputSchema"}`.
        delay: Seconds between the pieces.
    """
    for chunk in _step(messages, tools):
        yield chunk
        if delay and isinstance(chunk, TextDelta | ToolInputDelta):
            await asyncio.sleep(delay)


def _step(messages: list[Message], tools: Tools) -> Iterator[Chunk]:
    said = _user_texts(messages)
    last = said[-1] if said else ""
    chinese = is_chinese(last)
    results = _last_results(messages)
    if results:
        again = second_try(results, messages, tools)
        if again is not None:
            yield from _calls([again])
        else:
            yield from _text(from_results(results, chinese))
        return
    chosen = _choose(said, messages, tools)
    ready = [(choice.name, choice.arguments) for choice in chosen if not choice.missing]
    if ready:
        yield from _calls(ready)
        return
    if chosen:
        first = chosen[0]
        yield from _text(ask_for(first.name, tools[first.name], first.missing, chinese))
        return
    yield from _text(small_talk(last, tools, chinese))


def _choose(said: list[str], messages: list[Message], tools: Tools) -> list[Choice]:
    """The calls that the person asks for, in order."""
    if not said or not tools:
        return []
    catalogue = Catalogue(tools)
    found = _choose_for(said[-1], catalogue)
    if (not found or found[0].missing) and len(said) > 1 and _was_asked(messages):
        # The last answer asked for an argument; these words are most likely it.
        before = _choose_for(said[-2], catalogue)
        if before and before[0].missing:
            return [_completed(before[0], said[-1], tools) or before[0]]
    return found


def _choose_for(text: str, catalogue: Catalogue) -> list[Choice]:
    found: list[Choice] = []
    for clause in clauses(text, catalogue.starts_something):
        choice = catalogue.choose(clause)
        if choice is None:
            continue
        same = next((one for one in found if one.name == choice.name), None)
        if same is not None and same.arguments == choice.arguments:
            continue
        if same is None or not _merge(same, choice):
            found.append(choice)
    return found[:_MOST_CALLS]


def _merge(one: Choice, other: Choice) -> bool:
    """Put two calls of one tool together when each only adds to a list."""
    if one.missing or other.missing or one.arguments.keys() != other.arguments.keys():
        return False
    if not all(isinstance(value, list) for value in other.arguments.values()):
        return False
    for key, value in other.arguments.items():
        one.arguments[key] = [*one.arguments[key], *value]
    return bool(other.arguments)


def _completed(choice: Choice, text: str, tools: Tools) -> Choice | None:
    """The call with what the person has now said for the missing arguments."""
    clause = next(iter(clauses(text, lambda _: False)), None) or Clause(text, [])
    filling = fill(choice.name, tools[choice.name], clause)
    for key in choice.missing:
        if key in filling.arguments:
            choice.arguments[key] = filling.arguments[key]
    choice.missing = [key for key in choice.missing if key not in choice.arguments]
    return None if choice.missing else choice


def _was_asked(messages: list[Message]) -> bool:
    """Whether the assistant's last message only asked back."""
    for message in reversed(messages[:-1]):
        if message["role"] == "assistant":
            parts = message["parts"]
            texts = [part.get("text", "") for part in parts if part.get("type") == "text"]
            calls = any(str(part.get("type")).startswith("tool-") for part in parts)
            return not calls and bool(texts) and asks_back(texts[-1])
    return False


def _user_texts(messages: list[Message]) -> list[str]:
    return [
        " ".join(part["text"] for part in message["parts"] if part.get("type") == "text")
        for message in messages
        if message["role"] == "user"
    ]


def _last_results(messages: list[Message]) -> list[dict[str, Any]]:
    """The calls of the last step, if nobody has spoken since."""
    if not messages or messages[-1]["role"] != "assistant":
        return []
    found: list[dict[str, Any]] = []
    for part in messages[-1]["parts"]:
        kind = str(part.get("type"))
        if kind == "step-start":
            found = []
        elif kind.startswith("tool-"):
            found.append(part)
    return found[-_TOLD:]


def _calls(calls: list[tuple[str, dict[str, Any]]]) -> Iterator[Chunk]:
    """The chunks of calls; their ids are new, however often a conversation is told again."""
    for name, arguments in calls:
        call_id = f"call_{os.urandom(8).hex()}"
        yield ToolInputStart(call_id, name)
        text = dumps(arguments)
        for start in range(0, len(text), 12):
            yield ToolInputDelta(call_id, text[start : start + 12])
        yield ToolInputAvailable(call_id, name, arguments)
    yield Finish("tool-calls")


def _text(text: str) -> Iterator[Chunk]:
    yield TextStart("text")
    for piece in re.findall(r"\s*[^\s\u3000-\u9fff]+|\s*[\u3000-\u9fff]{1,3}|\s+", text):
        yield TextDelta("text", piece)
    yield TextEnd("text")
    yield Finish("stop")
