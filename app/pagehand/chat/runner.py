"""Carrying out one request at a time for a conversation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from pagehand.chat import notices
from pagehand.chat.conversation import Conversation
from pagehand.chat.exchange import NOTHING, STOPPED, End, Exchange
from pagehand.chat.hygiene import history_to_post
from pagehand.chat.messages import Message
from pagehand.chat.request import (
    RESUME,
    RequestSettings,
    TurnOptions,
    build_request,
    build_resume,
)
from pagehand.chat.state import ResponseState
from pagehand.engine.abort import Abort
from pagehand.errors import ChatError

if TYPE_CHECKING:
    from pagehand.chat.transport import ChatRequest, Transport
    from pagehand.engine.clock import Clock
    from pagehand.wire.stream import Codec


_FAREWELL = 5.0
"""Seconds that the server gets to hear that nobody wants its answer any more."""


class Plan:
    """A request to make.

    Attributes:
        trigger: `submit-message`, `regenerate-message`, or `resume-stream` for a GET.
        options: What the turn carries.
        message: The message the answer continues; None for a new one.
        message_id: What to say as `messageId`; None says nothing.
        cut: Messages taken away for this request, to be put back if nothing comes of it.
        delay: Seconds the server asked to wait before.
        answer: After a failure: the message that the answer went into.
        base: Where the answer begins in that message: after a failure, and for `resume-stream`.
    """

    __slots__ = (
        "answer",
        "base",
        "cut",
        "delay",
        "message",
        "message_id",
        "options",
        "trigger",
    )

    def __init__(
        self,
        trigger: str,
        options: TurnOptions,
        *,
        message: Message | None = None,
        message_id: str | None = None,
        cut: list[Message] | None = None,
    ) -> None:
        self.trigger = trigger
        self.options = options
        self.message = message
        self.message_id = message_id
        self.cut = cut or []
        self.delay = 0.0
        self.answer: Message | None = None
        self.base = 0


class Runner:
    """Runs plans, one at a time; a new one ends the one before.

    Args:
        conversation: Where answers go.
        transport: Where requests go.
        settings: What every request carries.
        clock: Time.
        on_batch: Called after each network read that brought something.
        on_end: Called once for every plan, with how it ended; may raise what a hook raised.
        stall_after: Seconds of silence until a stream counts as dead.
        codec: Reads the events; None for the UI message stream.
    """

    def __init__(
        self,
        conversation: Conversation,
        transport: Transport,
        settings: RequestSettings,
        clock: Clock,
        *,
        on_batch: Callable[[ResponseState], None],
        on_end: Callable[[Plan, ResponseState, End], None],
        stall_after: float,
        codec: Codec | None,
    ) -> None:
        self._conversation = conversation
        self._transport = transport
        self._settings = settings
        self._clock = clock
        self._on_batch = on_batch
        self._on_end = on_end
        self._stall_after = stall_after
        self._codec = codec
        self._exchange: Exchange | None = None
        self._plan: Plan | None = None
        self._task: asyncio.Task[None] | None = None
        self._resumable = False
        self._farewell: asyncio.Task[None] | None = None

    @property
    def status(self) -> str | None:
        """`submitted` or `streaming` while a request is on its way; None otherwise.

        A look for a running answer counts only when there is one.
        """
        exchange = self._exchange
        if exchange is None or self._plan is None:
            return None
        if self._plan.trigger == RESUME and not exchange.answered:
            return None
        return "streaming" if exchange.state.started else "submitted"

    @property
    def task(self) -> asyncio.Task[None] | None:
        """The running request, to wait for."""
        return self._task if self._task is not None and not self._task.done() else None

    def start(self, plan: Plan) -> asyncio.Task[None]:
        """Make the request; what is posted is the conversation of this moment."""
        self.stop(there=plan.trigger != RESUME)
        state = self._state(plan)
        posted = [] if plan.trigger == RESUME else history_to_post(self._conversation.messages)

        async def build() -> ChatRequest | None:
            if self._farewell is not None:
                # Arriving after this request it would end the wrong answer.
                await asyncio.wait([self._farewell])
            if plan.delay:
                await exchange.wait(plan.delay)
            if plan.trigger == RESUME:
                return await build_resume(
                    self._settings, chat_id=self._conversation.id, options=plan.options
                )
            return await build_request(
                self._settings,
                chat_id=self._conversation.id,
                messages=posted,
                trigger=plan.trigger,
                message_id=plan.message_id,
                options=plan.options,
            )

        exchange = self._exchange_for(build, state)
        self._exchange, self._plan = exchange, plan
        self._task = asyncio.ensure_future(self._run(exchange, plan))
        return self._task

    def hurry(self) -> None:
        """Do not wait any longer although the server asked for it."""
        if self._exchange is not None and self._exchange.hurry():
            self._conversation.drop_notices("waiting")

    def stop(self, *, there: bool = True) -> asyncio.Task[None] | None:
        """End what runs, at once; gives the task that winds it up, or None.

        Args:
            there: Whether a server that goes on by itself is told as well.
        """
        exchange, plan = self._exchange, self._plan
        if exchange is None or plan is None:
            return None
        quiet = self.status is None
        self._exchange = self._plan = None
        self._conversation.drop_notices("waiting")
        end = End(NOTHING if quiet else STOPPED)
        if there and not quiet and (exchange.resumable or self._resumable):
            farewell = self._end_there(exchange, plan, self._conversation.id)
            self._farewell = asyncio.ensure_future(farewell)
        exchange.stop(end)
        self._on_end(plan, exchange.state, end)
        return self._task

    async def _end_there(self, exchange: Exchange, plan: Plan, chat_id: str) -> None:
        """Tell the server that nobody wants its answer any more."""
        asked = exchange.request
        if asked is None:
            return  # it never left
        abort = Abort()
        timer = self._clock.call_later(_FAREWELL, abort.abort)
        try:
            request = await build_resume(
                self._settings, chat_id=chat_id, options=plan.options, method="DELETE"
            )
            if request is None:
                return
            request.endpoint = asked.endpoint
            await self._transport.open(request, abort)
        except ChatError:
            pass  # it was stopped here all the same
        finally:
            timer.cancel()
            abort.abort("over")

    def _exchange_for(
        self, build: Callable[[], Awaitable[ChatRequest | None]], state: ResponseState
    ) -> Exchange:
        def on_batch() -> None:
            if self._exchange is exchange:
                self._batch(state)

        exchange = Exchange(
            self._transport,
            build,
            state,
            self._clock,
            on_batch=on_batch,
            on_wait=lambda seconds: self._conversation.note(notices.waiting(seconds)),
            stall_after=self._stall_after,
            codec=self._codec,
        )
        return exchange

    async def _run(self, exchange: Exchange, plan: Plan) -> None:
        end = await exchange.run()
        self._resumable = self._resumable or end.resumable
        if self._exchange is exchange:
            self._exchange = self._plan = None
            self._conversation.drop_notices("waiting")
            self._on_end(plan, exchange.state, end)

    def _batch(self, state: ResponseState) -> None:
        self._conversation.drop_notices("waiting")
        if state.started:
            self._conversation.publish(state)
        self._on_batch(state)

    def _state(self, plan: Plan) -> ResponseState:
        message = plan.message
        if message is None:
            message = Message(self._conversation.ids(), "assistant")
            return ResponseState(message, resumed=plan.trigger == RESUME)
        if plan.trigger == RESUME:
            return ResponseState(message, id_fixed=True, resumed=True, base=plan.base)
        return ResponseState(message, id_fixed=True)
