"""Answers from a file, for tests: exactly these chunks, delays, faults and cuts.

The file is JSON: a list of rules, or `{"rules": [...]}`. For each request the first rule
whose conditions all hold is played; a rule without conditions always holds. A request that
no rule fits is answered with an error that says so. The whole form is in
docs/script-model.md.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any, TypeAlias

from backend.history import is_call
from backend.models.port import CutError, ModelError, Raw, Turn
from backend.refusals import RefusalError
from backend.settings import SettingsError
from pagehand.errors import WireError
from pagehand.wire.chunks import (
    Chunk,
    Error,
    Finish,
    FinishStep,
    ReasoningDelta,
    ReasoningEnd,
    ReasoningStart,
    StartStep,
    TextDelta,
    TextEnd,
    TextStart,
    ToolInputAvailable,
    ToolInputDelta,
    ToolInputStart,
)
from pagehand.wire.codec import decode_chunk

Rule: TypeAlias = dict[str, Any]
_ACTIONS = frozenset(
    ("text", "reasoning", "call", "chunk", "raw", "delay", "error", "cut", "step", "finish")
)


class ScriptAgent:
    """Plays a script.

    Args:
        rules: The rules, checked.
    """

    name = "script"

    def __init__(self, rules: list[Rule]) -> None:
        self._rules = rules
        self._requests: dict[str, int] = {}

    @classmethod
    def from_file(cls, path: str) -> ScriptAgent:
        """Read and check a script.

        Raises:
            SettingsError: The file cannot be read, is not JSON, or has an unknown action.
        """
        try:
            script = json.loads(Path(path).read_text("utf-8"))
        except OSError as error:
            raise SettingsError(f"PAGEHAND_MODEL: the script {path} cannot be read.") from error
        except ValueError as error:
            raise SettingsError(f"PAGEHAND_MODEL: {path} is not JSON: {error}.") from error
        rules = script.get("rules") if isinstance(script, dict) else script
        if not isinstance(rules, list):
            raise SettingsError(f"PAGEHAND_MODEL: {path} must hold a list of rules.")
        for index, rule in enumerate(rules):
            _check_rule(f"{path}, rule {index}", rule)
        return cls(rules)

    def refuse(self, turn: Turn) -> None:
        """Answer with a status instead of a stream, if the rule says so.

        Raises:
            RefusalError: As the rule's `status` and `message` say.
        """
        rule = self._rule(turn)
        if rule is not None and "status" in rule:
            self._count(turn)
            raise RefusalError(
                int(rule["status"]), str(rule.get("message", "")), rule.get("headers")
            )

    async def run(self, turn: Turn) -> AsyncGenerator[Chunk | Raw]:
        """Play the rule that fits."""
        rule = self._rule(turn)
        if rule is None:
            raise ModelError("The script has no rule for this request.")
        self._count(turn)
        called = False
        finished = False
        for action in rule["do"]:
            for chunk in _chunks(action):
                called = called or isinstance(chunk, ToolInputAvailable)
                finished = finished or isinstance(chunk, Finish)
                yield chunk
            if "delay" in action:
                await asyncio.sleep(float(action["delay"]))
            if action.get("cut"):
                raise CutError
        if not finished and not rule.get("bare"):
            yield Finish("tool-calls" if called else "stop")

    def _count(self, turn: Turn) -> None:
        self._requests[turn.chat_id] = self._requests.get(turn.chat_id, 0) + 1

    def _rule(self, turn: Turn) -> Rule | None:
        request = self._requests.get(turn.chat_id, 0)
        return next((rule for rule in self._rules if _fits(rule, turn, request)), None)


def _check_rule(where: str, rule: object) -> None:
    if not isinstance(rule, dict):
        raise SettingsError(f"PAGEHAND_MODEL: {where} must be an object.")
    if "status" in rule:
        return
    actions = rule.setdefault("do", [])
    for action in actions if isinstance(actions, list) else [actions]:
        keys = set(action) if isinstance(action, dict) else set()
        if not keys or not keys & _ACTIONS:
            known = ", ".join(sorted(_ACTIONS))
            raise SettingsError(f"PAGEHAND_MODEL: {where}: each action needs one of {known}.")


def _fits(rule: Rule, turn: Turn, request: int) -> bool:
    """Whether all conditions of a rule hold."""
    if "when" in rule and str(rule["when"]).lower() not in _last_user_text(turn).lower():
        return False
    if "request" in rule and rule["request"] != request:
        return False
    if "step" in rule and rule["step"] != turn.history.rounds():
        return False
    last = turn.history.messages[-1]
    calls = [p for p in last["parts"] if is_call(p)] if last["role"] == "assistant" else []
    if "tool" in rule and not any(p["type"] == f"tool-{rule['tool']}" for p in calls):
        return False
    return "state" not in rule or bool(calls and calls[-1]["state"] == rule["state"])


def _last_user_text(turn: Turn) -> str:
    for message in reversed(turn.history.messages):
        if message["role"] == "user":
            return " ".join(part.get("text", "") for part in message["parts"])
    return ""


def _chunks(action: Rule) -> list[Chunk | Raw]:
    """The chunks of one action."""
    out: list[Chunk | Raw] = []
    if "step" in action:
        out.append(StartStep() if action["step"] == "start" else FinishStep())
    if "text" in action:
        out += _text(action)
    if "reasoning" in action:
        key = secrets.token_hex(4)
        out += [ReasoningStart(key), ReasoningDelta(key, action["reasoning"]), ReasoningEnd(key)]
    if "call" in action:
        out += _call(action["call"])
    if "chunk" in action:
        try:
            out.append(decode_chunk(action["chunk"]))
        except WireError as error:
            raise ModelError(f"The script holds a chunk that cannot be read: {error}") from error
    if "raw" in action:
        out.append(Raw(action["raw"].encode("utf-8", "surrogatepass")))
    if "error" in action:
        out.append(Error(action["error"]))
    if "finish" in action:
        out.append(Finish(action["finish"]))
    return out


def _text(action: Rule) -> list[Chunk]:
    pieces = action["text"] if isinstance(action["text"], list) else [action["text"]]
    key = str(action.get("id") or secrets.token_hex(4))
    return [TextStart(key), *(TextDelta(key, piece) for piece in pieces), TextEnd(key)]


def _call(call: Rule) -> list[Chunk]:
    """A whole call; `text` sends the arguments' text as given, even if it is not JSON."""
    call_id = str(call.get("id") or f"call_{secrets.token_hex(6)}")
    name = call["name"]
    arguments = call.get("input", {})
    text = call.get("text") or json.dumps(arguments, ensure_ascii=False)
    size = int(call.get("piece", 8))
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    chunks: list[Chunk] = [ToolInputStart(call_id, name)]
    chunks += [ToolInputDelta(call_id, piece) for piece in pieces]
    if call.get("available", True):
        chunks.append(ToolInputAvailable(call_id, name, arguments))
    return chunks
