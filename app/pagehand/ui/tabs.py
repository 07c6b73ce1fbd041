"""One conversation in several tabs or elements: one leads it, the others follow live.

The leader owns the name (`ui.keeper`), runs the calls and talks to the server. A follower
shows what the leader shows. Whoever sends something in a follower, or says "use it here", gets
the lead as soon as nothing goes on over there; when the leader goes, the next one takes over.

What is said between tabs, each a JSON object with a `type`:

| type | who | meaning |
| --- | --- | --- |
| `hello` | follower | tell me everything |
| `state` | leader | the messages from number `start` on, status, error, and what waits to be sent |
| `bye` | follower | I am going |
| `please` | follower | let me lead |
| `stop` | follower | the person wants it stopped |
| `lead` | leader | I lead now |
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from pagehand.browser.channel import Channel
from pagehand.browser.dom import Listeners, window
from pagehand.chat.conversation import new_id
from pagehand.chat.following import told_error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pagehand.ui.keeper import Keeper

TELL_EVERY = 0.15
"""Seconds between two tellings while an answer streams in."""

_SHARE = 8
"""A telling that takes long is followed by a pause so many times as long."""

_BUSY = ("submitted", "streaming")

Said = dict[str, Any]


class Tabs:
    """This element's part in it.

    Args:
        chat: The conversation.
        keeper: Knows whether this element leads.
        changed: Called when this element begins or ends to follow.
        led: Awaited after this element took the lead over from somebody else.
    """

    def __init__(
        self,
        chat: Any,
        keeper: Keeper,
        changed: Callable[[bool], None],
        led: Callable[[], Awaitable[None]],
    ) -> None:
        self._chat = chat
        self._keeper = keeper
        self._changed = changed
        self._led = led
        self._me = new_id()
        self._channel: Channel | None = None
        self._followers: set[str] = set()
        self._told: list[tuple[str, int]] = []
        self._took = 0.0
        self._heard: Said | None = None
        self._wanted = False
        self._taking: asyncio.Future[None] | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._telling: asyncio.Task[None] | None = None
        self._unsubscribe = chat.subscribe(self._chat_changed)
        self._listeners = Listeners()
        # A page that goes may come back as it was.
        self._listeners.on(window, "pagehide", lambda event: self._say_following("bye"))
        self._listeners.on(window, "pageshow", lambda event: self._say_following("hello"))

    @property
    def following(self) -> bool:
        """True while somebody else leads."""
        return self._channel is not None and not self._keeper.owns

    async def begin(self) -> None:
        """Take part, under the keeper's name of now; ends the part under an earlier name."""
        self.leave()
        if not self._keeper.name:
            self._changed(False)
            return
        channel = self._channel = Channel(self._keeper.name, self._hear)
        await channel.open()
        if channel is not self._channel:
            return
        self._changed(self.following)
        if self._keeper.owns:
            channel.say("lead")
        else:
            self._follow()

    async def lead(self) -> None:
        """Get the lead, however long that takes; at once where this element has it."""
        if not self.following:
            return
        if self._taking is None:
            self._taking = asyncio.get_event_loop().create_future()
        self.please()
        await self._taking

    def please(self) -> None:
        """Ask for the lead; nothing happens where this element has it."""
        if self.following:
            self._wanted = True
            self._say("please")

    def stop(self) -> None:
        """Have the leader stop what goes on."""
        self._say("stop")

    def close(self) -> None:
        """Take no part any more."""
        self._unsubscribe()
        self._listeners.close()
        self.leave()
        for task in list(self._tasks):
            task.cancel()

    def leave(self) -> None:
        """End the part under the name so far; `begin` takes part again."""
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.say("bye", me=self._me)
            channel.close()
        self._followers.clear()
        self._heard, self._wanted = None, False
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _say(self, kind: str, **values: Any) -> None:
        if self._channel is not None:
            self._channel.say(kind, me=self._me, **values)

    def _say_following(self, kind: str) -> None:
        if self.following:
            self._say(kind)

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task = asyncio.get_event_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # What is heard

    def _hear(self, said: Said) -> None:
        kind, who = said["type"], str(said.get("me", ""))
        if kind == "bye":
            self._followers.discard(who)
        elif self._keeper.owns:
            self._hear_as_leader(kind, who)
        elif kind == "state":
            self._take_state(said)
        elif kind == "lead":
            self._say("hello")
            if self._wanted:
                self._say("please")

    def _hear_as_leader(self, kind: str, who: str) -> None:
        if kind == "hello":
            self._followers.add(who)
            self._told = []
            self._tell()
        elif kind == "please":
            self._followers.add(who)
            if self._chat.status in _BUSY or self._chat.queued:
                self._tell()  # it asks again when it hears that all is quiet
            else:
                self._spawn(self._give(self._channel))
        elif kind == "stop":
            self._spawn(self._chat.stop())

    async def _give(self, asked: Channel | None) -> None:
        async with self._keeper.moving() as ours:
            if not ours or asked is not self._channel:
                return
            self._tell()
            if self._chat.status in _BUSY or self._chat.queued:
                return  # it asks again, as above
            await self._keeper.hand_over()
            self._heard = None
            self._changed(True)
            self._follow()

    # Leading

    def _chat_changed(self, change: Any) -> None:
        seen = change.kind in ("list", "message", "status")
        waits = self._telling is not None and not self._telling.done()
        if seen and self._followers and self._keeper.owns and not waits:
            self._telling = self._spawn(self._tell_soon())

    async def _tell_soon(self) -> None:
        await asyncio.sleep(max(TELL_EVERY, _SHARE * self._took))
        if self._keeper.owns:
            began = time.monotonic()
            self._tell()
            self._took = time.monotonic() - began

    def _tell(self) -> None:
        """Tell what is new: from the first message on that is another than when last told."""
        messages = self._chat.messages
        now = [(message.id, message.revision) for message in messages]
        pairs = zip(now, self._told, strict=False)
        start = next((n for n, (new, old) in enumerate(pairs) if new != old), None)
        start = min(len(now), len(self._told)) if start is None else start
        self._told = now
        self._say(
            "state",
            id=self._chat.id,
            at=time.time(),
            status=self._chat.status,
            error=told_error(self._chat.error),
            start=start,
            after=messages[start - 1].id if start else "",
            messages=[message.to_wire() for message in messages[start:]],
            waiting=[message.to_wire() for message in self._chat.queued],
        )

    # Following

    def _follow(self) -> None:
        self._keeper.wait(self._free)
        self._say("hello")

    def _take_state(self, said: Said) -> None:
        if not self._fits(said):
            self._say("hello")
            return
        before = self._heard["messages"][: said["start"]] if self._heard else []
        self._heard = {**said, "messages": [*before, *said["messages"]]}
        self._heard["unfinished"] = said["status"] != "ready"
        error = said.get("error")
        status = said["status"] if said["status"] in _BUSY else "error" if error else "ready"
        self._chat.follow(said["messages"], start=said["start"], status=status, error=error)
        if self._wanted and status not in _BUSY:
            self._say("please")

    def _fits(self, said: Said) -> bool:
        """Whether the messages that were not told again are those we have."""
        start = said.get("start")
        if not isinstance(start, int) or not isinstance(said.get("messages"), list):
            return False
        known = self._heard["messages"] if self._heard is not None else []
        return start == 0 or (
            start <= len(known) and known[start - 1].get("id") == said.get("after")
        )

    def _free(self) -> None:
        self._spawn(self._take_over())

    async def _take_over(self) -> None:
        heard, self._heard, self._wanted = self._heard, None, False
        await self._keeper.take_over(heard)
        if not self._keeper.owns:
            return
        self._told = []
        self._followers.clear()
        self._changed(False)
        self._say("lead")
        await self._led()
        if self._taking is not None:
            self._taking.set_result(None)
            self._taking = None
