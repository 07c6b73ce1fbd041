"""Answers that go on when their connection breaks, so that another one can take them up.

Such an answer is made by a task of its own and goes onto a tape. The response to the POST
plays the tape, and so does each `GET .../{chat id}/stream`: from the beginning, then live.
What bounds it:

- only clients that ask get one (see `Recordings.wanted`): others know no way to stop it;
- one that nobody reads is stopped after a while, and one that nobody could take up at once;
- a tape keeps so many bytes, all tapes of the process so many more; over that an answer
  still reaches those who read it, but nobody new;
- one that has ended is kept only while nobody has had its end, and not for long.

An answer is found by who asked for it and by the chat's id, never by the id alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from time import monotonic
from typing import Protocol

from starlette.datastructures import Headers

from backend.answer import Answer
from backend.connection import GoneError
from backend.models.port import CutError
from backend.playback import Playback
from backend.settings import Settings
from backend.shared_tapes import SharedTapes
from backend.streams import OpenStreams
from backend.tapes import Tape

_ASKED = "resumable=1"
_SHORTEST_ID = 16
_LONGEST_ID = 200


class Copy(Protocol):
    """What carries a recording to other processes: see `backend.shared_tapes`."""

    read_elsewhere: bool
    """Whether another process plays it now."""

    async def is_current(self) -> bool:
        """Whether it is still the answer of its chat."""
        ...

    def add(self, data: bytes) -> None:
        """Carry bytes."""
        ...

    def end(self, *, whole: bool) -> None:
        """It has ended; `whole` unless it broke off."""
        ...

    def drop(self) -> None:
        """Nobody new may play it."""
        ...


def recording_key(principal: str, chat_id: str) -> str:
    """The name under which an answer is found."""
    return sha256(f"{principal}\0{chat_id}".encode("utf-8", "replace")).hexdigest()[:32]


class Recording:
    """One answer that is made whether or not somebody reads it now.

    Args:
        answer: Not begun yet.
        key: See `recording_key`.
        owner: Where it is found.
    """

    counts = True

    def __init__(self, answer: Answer, key: str, owner: Recordings) -> None:
        self.client = answer.turn.client
        self.key = key
        self.tape = Tape(owner.settings.resume_bytes, owner.count)
        self.copy: Copy | None = None
        self.first: Playback | None = None
        """The response to the POST: it does not count while the answer is made, which does."""
        self.timer: asyncio.TimerHandle | None = None
        """Forgets it when it has ended and nobody comes for it."""
        self._answer: Answer | None = answer
        self._owner = owner
        self._alone_since = monotonic()
        self._task: asyncio.Task[None] | None = None
        answer.put = self._put

    def start(self) -> None:
        """Begin to make the answer."""
        self._owner.streams.add(self)
        if self._answer is not None:
            self._task = asyncio.get_running_loop().create_task(self._make(self._answer))

    def stop(self, why: str) -> None:
        """End the answer."""
        if self._answer is not None:
            self._answer.stop(why)

    def tick(self, now: float) -> None:
        """Keep the limits; stop what nobody reads or will read."""
        answer = self._answer
        if self.tape.ended or answer is None or answer.end:
            return
        answer.tick(now)
        held = answer.take_held()
        self.tape.add(held)
        if self.copy is not None:
            self.copy.add(held)
        if self.tape.readers or (self.copy is not None and self.copy.read_elsewhere):
            self._alone_since = now
        elif now - self._alone_since >= self._patience():
            self.stop("client-closed")

    async def is_current(self) -> bool:
        """Whether it is still the answer of its chat: another process may have a newer one."""
        return self.copy is None or await self.copy.is_current()

    def drop(self) -> None:
        """Nobody new may play it; those who read it go on."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        self.tape.forget()
        if self.copy is not None:
            self.copy.drop()
            self.copy = None

    def _patience(self) -> float:
        findable = self.tape.whole and self._owner.find(self.key) is self
        if not findable or (self._owner.streams.draining and self.copy is None):
            return 0.0
        return self._owner.settings.resume_seconds

    async def _put(self, data: bytes) -> None:
        if self.copy is not None:
            self.copy.add(data)
        await self.tape.append(data)
        if not self.tape.whole:
            self.drop()

    async def _make(self, answer: Answer) -> None:
        whole = False
        try:
            last = await answer.make()
            if self.copy is not None:
                self.copy.add(last)
            self.tape.end(last)
            whole = True
        except (GoneError, CutError):
            pass
        finally:
            if not whole:
                self.tape.break_off()
            if self.copy is not None:
                self.copy.end(whole=whole)
            if self.first is not None:  # it may go on to read, and counts for itself then
                self._owner.streams.count(self.first)
                self.first = None
            self._owner.streams.remove(self)
            self._owner.ended(self)
            answer.finish()
            # Whoever keeps the recording keeps the bytes, not all that was asked.
            self._answer = self._task = None


class Recordings:
    """The recorded answers of this process.

    Args:
        settings: For the limits.
        streams: Looks after what is open.
        shared: The tapes that replicas share.
    """

    def __init__(
        self, settings: Settings, streams: OpenStreams, shared: SharedTapes | None = None
    ) -> None:
        self.settings = settings
        self.streams = streams
        self._shared = shared
        self._found: dict[str, Recording] = {}
        self._kept = 0

    def wanted(self, headers: Headers, chat_id: str) -> bool:
        """Whether the answer to this request can be taken up again.

        A client asks with `accept: text/event-stream;resumable=1`: it promises to send
        DELETE when the person stops the answer, as closing the connection no longer does.
        The chat's id must be long enough that nobody guesses it.
        """
        how = self.settings.resume
        asked = _ASKED in headers.get("accept", "").replace(" ", "")
        known = _SHORTEST_ID <= len(chat_id) < _LONGEST_ID
        return known and (how == "always" or (how == "asked" and asked))

    async def record(self, answer: Answer, chat_id: str, headers: Mapping[str, str]) -> Playback:
        """Begin an answer that can be taken up; gives the response that plays it first.

        A former one of that chat no longer can be.
        """
        turn = answer.turn
        key = recording_key(turn.principal, chat_id)
        recording = Recording(answer, key, self)
        # Before anything is waited for, so that of two at once the same is the newer everywhere.
        former = self._take(key)
        self._found[key] = recording
        if self._shared is not None:
            await self._carry(recording, self._shared)
        if former is not None:
            former.drop()
        recording.start()
        recording.first = self.play(recording, turn.client, headers, counts=False)
        return recording.first

    async def _carry(self, recording: Recording, shared: SharedTapes) -> None:
        try:
            copy = await shared.begin(
                recording.key,
                stopped=partial(self._stop_here, recording),
                replaced=partial(self.forget, recording),
            )
        except BaseException:
            self.forget(recording)
            raise
        if self.find(recording.key) is recording:
            recording.copy = copy
        elif copy is not None:
            copy.drop()  # stopped, or another has taken its place

    def play(
        self, recording: Recording, client: str, headers: Mapping[str, str], *, counts: bool = True
    ) -> Playback:
        """The response that plays a recording of this process."""
        return Playback(
            recording.tape.play,
            self.streams,
            client,
            headers,
            counts=counts,
            heard_out=partial(self.forget, recording),
        )

    def find(self, key: str) -> Recording | None:
        """The recording of that name that this process has."""
        return self._found.get(key)

    async def take_up(self, key: str, client: str, headers: Mapping[str, str]) -> Playback | None:
        """The response that plays the answer of that name; None when there is none.

        Raises:
            RefusalError: Too many streams are open.
        """
        recording = self.find(key)
        if recording is not None and recording.tape.whole and await recording.is_current():
            await self.streams.admit(client)
            return self.play(recording, client, headers)
        far = await self._shared.find(key) if self._shared is not None else None
        if far is None:
            return None
        await self.streams.admit(client)
        return Playback(
            far.play, self.streams, client, headers, elsewhere=True, heard_out=far.heard_out
        )

    async def stop(self, key: str) -> None:
        """The person stops the answer, wherever it is made."""
        recording = self.find(key)
        if recording is not None:
            self._stop_here(recording)
        if self._shared is not None:
            await self._shared.stop(key)

    def _stop_here(self, recording: Recording) -> None:
        if self.find(recording.key) is recording:
            self._take(recording.key)
            recording.stop("stopped")  # it is dropped when it has told its readers

    def ended(self, recording: Recording) -> None:
        """Keep what has ended for those who missed the end, for a while."""
        if recording.tape.whole and self.find(recording.key) is recording:
            loop = asyncio.get_running_loop()
            seconds = self.settings.resume_seconds
            recording.timer = loop.call_later(seconds, self.forget, recording)
        else:
            self.forget(recording)

    def forget(self, recording: Recording) -> None:
        """Somebody has had it all, or nobody came for it, or there is no room."""
        if self.find(recording.key) is recording:
            self._take(recording.key)
        recording.drop()

    def count(self, change: int) -> None:
        """So many more bytes are kept, or fewer; makes room when they are too many.

        What has ended goes first, then what is oldest.
        """
        self._kept += change
        if self._kept <= self.settings.resume_total:
            return
        for ended in (True, False):
            for recording in list(self._found.values()):
                if self._kept <= self.settings.resume_total:
                    return
                if recording.tape.ended is ended:
                    self.forget(recording)

    def _take(self, key: str) -> Recording | None:
        recording = self._found.pop(key, None)
        if recording is not None:
            self._kept -= recording.tape.kept
            recording.tape.count = lambda change: None
        return recording
