"""Random lives of a real conversation: what a server may say, and what a person may do.

    posted = asyncio.run(live(answers, deeds))

Nothing here is well-behaved: answers break off anywhere, ids meet again, calls stay open, the
page is loaded anew in the middle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis import strategies as st

from chat.support import FakeEngine, turns
from pagehand.chat.chat import Chat
from pagehand.chat.scripted import Answer, Piece, ScriptedTransport
from pagehand.chat.tool_part import APPROVAL_REQUESTED
from pagehand.engine.clock import ManualClock
from pagehand.engine.outcome import Failure
from pagehand.errors import ChatError, NetworkError
from pagehand.wire import chunks

SERVER_TOOLS = ("weather", "erase")
OURS = ("auto", "fails", "waits", "asks")
Deed = tuple[str, int]

_call_ids = st.sampled_from(["c1", "c2", "c3"])
_text_ids = st.sampled_from(["t1", "t2"])
_words = st.sampled_from(["", "Hi", " 世界", "\ud83d", "\ude00", 'a "b"\n'])
_metadata = st.sampled_from([None, {"vendor": {"key": 1.0}}])
_json = st.sampled_from([None, 0, 1.0, "", "text", [], [1.5, None], {"a": {"b": None}}, False])
_inputs = st.sampled_from([{}, {"n": 2.0}, {"url": "https://a.example", "deep": [{}]}])
_reasons = st.sampled_from([None, "because"])


def _call_events(name: str, call_id: str, value: Any, dynamic: bool | None) -> list[Piece]:
    return [
        chunks.ToolInputStart(call_id, name, dynamic=dynamic),
        chunks.ToolInputDelta(call_id, '{"half": "'),
        chunks.ToolInputAvailable(call_id, name, value, dynamic=dynamic),
    ]


@st.composite
def _our_call(draw: st.DrawFn) -> list[Piece]:
    events = _call_events(draw(st.sampled_from(OURS)), draw(_call_ids), draw(_inputs), None)
    return events[: draw(st.integers(1, 3))] if draw(st.booleans()) else events


@st.composite
def _server_call(draw: st.DrawFn) -> list[Piece]:
    call_id, dynamic = draw(_call_ids), draw(st.sampled_from([None, True]))
    events = _call_events(draw(st.sampled_from(SERVER_TOOLS)), call_id, draw(_inputs), dynamic)
    if draw(st.booleans()):
        approval_id = f"approve-{call_id}"
        events.append(chunks.ToolApprovalRequest(approval_id, call_id, reason=draw(_reasons)))
    outcomes: list[list[Piece]] = [
        [],
        [chunks.ToolOutputAvailable(call_id, draw(_json))],
        [chunks.ToolOutputAvailable(call_id, {"so": "far"}, preliminary=True)],
        [chunks.ToolOutputError(call_id, "It failed.")],
        [chunks.ToolOutputDenied(call_id)],
    ]
    return events + draw(st.sampled_from(outcomes))


@st.composite
def _provider_call(draw: st.DrawFn) -> list[Piece]:
    call_id = draw(_call_ids)
    event = chunks.ToolInputAvailable(call_id, "weather", draw(_inputs), provider_executed=True)
    result = chunks.ToolOutputAvailable(call_id, draw(_json), provider_executed=True)
    return [event, result] if draw(st.booleans()) else [event]


@st.composite
def _prose(draw: st.DrawFn) -> list[Piece]:
    text_id, words, more = draw(_text_ids), draw(_words), draw(_metadata)
    kinds: list[list[Piece]] = [
        [
            chunks.TextStart(text_id),
            chunks.TextDelta(text_id, words, more),
            chunks.TextEnd(text_id, more),
        ],
        [
            chunks.ReasoningStart(text_id, more),
            chunks.ReasoningDelta(text_id, words),
            chunks.ReasoningEnd(text_id),
        ],
        [chunks.TextDelta("never-began", words)],
    ]
    events = draw(st.sampled_from(kinds))
    return events[: draw(st.integers(1, 3))]


_whole: st.SearchStrategy[list[Piece]] = st.sampled_from(
    [
        [chunks.SourceUrl("s1", "https://a.example", title="A")],
        [chunks.SourceDocument("s2", "text/plain", "A paper")],
        [chunks.File("data:text/plain;base64,aGk=", "text/plain")],
        [chunks.File("/files/1", "text/plain")],
        [{"type": "data-note", "data": None}],
        [{"type": "data-note", "id": "d1", "data": {"a": 1.0}}],
        [{"type": "data-gone", "data": 1, "transient": True}],
        [{"type": "custom", "kind": "a.b"}, {"type": "custom"}],
        [{"type": "reasoning-file", "mediaType": "text/plain", "url": "data:,hi"}],
        [{"type": "reasoning-file", "mediaType": "text/plain", "url": "files/1"}],
        [{"type": "never-heard-of", "x": 1}, b": comment\n\n", b"data: {broken\n\n"],
        [{"type": "message-metadata", "messageMetadata": {"model": "m", "cost": 2.0}}],
        [{"type": "tool-input-error", "toolCallId": "c9", "toolName": "auto", "input": "no{",
          "errorText": "not JSON"}],
        [{"type": "tool-output-available", "toolCallId": "c8", "output": 1}],
        [chunks.ResetStep()],
    ]
)  # fmt: skip

_done = b"data: [DONE]\n\n"
_HANG = "hang"
_endings: st.SearchStrategy[list[Any]] = st.sampled_from(
    [
        [chunks.FinishStep(), chunks.Finish("stop"), _done],
        [chunks.FinishStep(), chunks.Finish("tool-calls"), _done],
        [chunks.FinishStep(), chunks.Finish("tool-calls"), _done],
        [chunks.FinishStep(), _done],
        [chunks.FinishStep(), chunks.Finish("length")],
        [chunks.Error("boom"), chunks.FinishStep(), chunks.Finish("error"), _done],
        [chunks.Abort("enough"), _done],
        [NetworkError("cut off")],
        [],
        [_HANG],
    ]
)


_WELL = [chunks.FinishStep(), chunks.Finish("tool-calls"), _done]


@st.composite
def _rough_answer(draw: st.DrawFn) -> list[Any]:
    """Anything, and it may end anywhere."""
    pieces: list[Any] = [chunks.Start(draw(st.sampled_from([None, "m1", "m2"])))]
    for _ in range(draw(st.integers(1, 2))):
        pieces.append(chunks.StartStep())
        kinds = st.one_of(_our_call(), _server_call(), _provider_call(), _prose(), _whole)
        for group in draw(st.lists(kinds, max_size=4)):
            pieces += group
        pieces.append(chunks.FinishStep())
    return pieces[:-1] + draw(_endings)


@st.composite
def _good_answer(draw: st.DrawFn) -> list[Any]:
    """One step that ends as servers end it when calls or approvals are to be answered."""
    pieces: list[Any] = [chunks.Start("m1"), chunks.StartStep()]
    for call_id in draw(st.lists(_call_ids, min_size=1, max_size=3, unique=True)):
        if draw(st.booleans()):
            name = draw(st.sampled_from(OURS))
            pieces += _call_events(name, call_id, draw(_inputs), None)
        else:
            pieces += _call_events("erase", call_id, draw(_inputs), None)
            gate = chunks.ToolApprovalRequest(f"approve-{call_id}", call_id)
            result = chunks.ToolOutputAvailable(call_id, draw(_json))
            pieces.append(draw(st.sampled_from([gate, gate, result])))
    return pieces + draw(st.sampled_from([_WELL, [chunks.FinishStep(), _done]]))


answers = st.lists(st.one_of(_good_answer(), _rough_answer()), min_size=1, max_size=8)

_DEEDS = (
    *("approve", "approve", "approve", "deny", "settle", "settle", "answer", "fail", "say"),
    *("stop", "retry", "regenerate", "reload", "resume", "edit", "continue", "run", "skip"),
)
_PAUSES = st.sampled_from((60, 60, 60, 13, 8, 5, 3, 2, 1, 0))
"""How far things go before the next deed."""

_said = st.tuples(st.just("say"), _PAUSES)
_round = st.tuples(_said, st.lists(st.tuples(st.sampled_from(_DEEDS), _PAUSES), max_size=4))
deeds: st.SearchStrategy[list[Deed]] = st.lists(_round, min_size=1, max_size=4).map(
    lambda rounds: [deed for said, more in rounds for deed in (said, *more)]
)


class Life:
    """One conversation and everything around it."""

    def __init__(self, script: list[list[Any]]) -> None:
        self.transport = ScriptedTransport(*(Answer(*_playable(pieces)) for pieces in script))
        self._numbers = count(1)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._begin()

    def _begin(self) -> None:
        self.engine = FakeEngine(
            auto={"ok": 1.0},
            fails=Failure("It failed."),
            waits=FakeEngine.WAIT,
            asks=FakeEngine.PERSON,
        )
        self.chat = Chat(
            self.transport,
            self.engine,
            chat_id="chat",
            clock=ManualClock(),
            ids=lambda: f"id{next(self._numbers)}",
        )

    def do(self, deed: str) -> None:
        """One deed; one that is not possible now does nothing."""
        step: Callable[[], Any] = getattr(self, f"_{deed}")
        try:
            work = step()
        except ChatError:
            return
        if work is not None:
            task = asyncio.ensure_future(work)
            self._tasks.add(task)

    async def end(self) -> None:
        """Stops everything."""
        self.chat.close()
        for task in self._tasks:
            task.cancel()
        for result in await asyncio.gather(*self._tasks, return_exceptions=True):
            if isinstance(result, Exception) and not isinstance(result, ChatError):
                raise result

    def _say(self) -> Any:
        return self.chat.send("Hello \ud83d")

    def _stop(self) -> Any:
        return self.chat.stop()

    def _retry(self) -> Any:
        return self.chat.retry()

    def _regenerate(self) -> Any:
        return self.chat.regenerate()

    def _resume(self) -> Any:
        return self.chat.resume()

    def _continue(self) -> Any:
        return self.chat.continue_anyway()

    def _run(self) -> Any:
        return self.chat.run_pending()

    def _skip(self) -> None:
        self.chat.skip_pending()

    def _edit(self) -> Any:
        mine = [message.id for message in self.chat.messages if message.role == "user"]
        return self.chat.edit(mine[-1], "Something else") if mine else None

    def _approve(self) -> None:
        for approval_id in self._open_approvals():
            self.chat.add_tool_approval_response(approval_id, True)

    def _deny(self) -> None:
        for approval_id in self._open_approvals()[:1]:
            self.chat.add_tool_approval_response(approval_id, False, "not now")

    def _open_approvals(self) -> list[str]:
        parts = [part for message in self.chat.messages for part in message.tool_parts()]
        return [
            part.approval["id"]
            for part in parts
            if part.state == APPROVAL_REQUESTED and part.approval is not None
        ]

    def _answer(self) -> None:
        call_id = self._open_call()
        if call_id is not None:
            self.chat.add_tool_output(call_id, {"from": "outside", "n": 1.0})

    def _fail(self) -> None:
        call_id = self._open_call()
        if call_id is not None:
            self.chat.add_tool_error(call_id, "no")

    def _open_call(self) -> str | None:
        parts = [part for message in self.chat.messages for part in message.tool_parts()]
        return next((part.tool_call_id for part in reversed(parts) if part.pending), None)

    def _settle(self) -> None:
        """A call that the engine has ends; a late one, perhaps."""
        for started in reversed(self.engine.started):
            self.engine.settle(started.tool_call_id, {"late": True})
            return

    def _reload(self) -> None:
        """The page goes and comes again with what was kept."""
        kept = self.chat.dump()
        self.chat.close()
        self._begin()
        self.chat.load(kept)


def _playable(pieces: list[Any]) -> list[Piece]:
    return [asyncio.Event() if piece is _HANG else piece for piece in pieces]


async def live(script: list[list[Any]], deeds: list[Deed]) -> list[dict[str, Any]]:
    """Plays it; gives the bodies that were posted."""
    life = Life(script)
    for deed, pause in deeds:
        life.do(deed)
        await turns(pause)
    life.do("say")
    await turns(40)
    await life.end()
    return life.transport.bodies
