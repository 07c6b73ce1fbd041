"""A conversation: what was said, what is being said, and what the person can do with it.

chat = Chat(transport, engine)
chat.subscribe(lambda change: print(change.kind))
await chat.send("Open example.com")
await chat.idle()
chat.messages
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pagehand.chat import closing, history
from pagehand.chat.continuation import MAX_REPEATS, MAX_ROUNDS, Continuation
from pagehand.chat.conversation import Change, Conversation, Queued, new_id
from pagehand.chat.exchange import STALL_AFTER
from pagehand.chat.following import Following
from pagehand.chat.hooks import Finished, Hooks
from pagehand.chat.messages import Message, user_message
from pagehand.chat.parts import FilePart, Part, TextPart
from pagehand.chat.questions import OpenQuestions
from pagehand.chat.request import (
    REGENERATE,
    SUBMIT,
    UI_STREAM,
    PrepareRequest,
    Provider,
    RequestSettings,
    TurnOptions,
    Values,
    checked_field,
    checked_protocol,
)
from pagehand.chat.runner import Plan
from pagehand.chat.turns import Turns
from pagehand.engine.clock import Clock
from pagehand.errors import ChatError

if TYPE_CHECKING:
    from pagehand.chat.calls import CallEngine
    from pagehand.chat.notices import Notice
    from pagehand.chat.transport import Transport
    from pagehand.wire.chunks import Data, JsonObject
    from pagehand.wire.stream import Codec


class Chat(OpenQuestions, Following):
    """One conversation with one endpoint.

    Args:
        transport: Sends requests.
        engine: Runs the calls that are ours.
        chat_id: Its id on the wire; made up when None.
        messages: What was said before, in wire form.
        protocol: What the endpoint speaks: `ui-message-stream` or `ag-ui`.
        tools_field: The body's key for the declarations: `clientTools` or `tools`.
        clock: Time; None for the real one.
        ids: Makes ids for messages.
        headers: A mapping, or a function (sync or async) that gives one, for every request.
        body: The same for keys of the body.
        credentials: The `fetch` option.
        prepare_request: Sees each request before it leaves and may change it.
        on_data: Called with each `data-*` chunk, transient ones too.
        on_finish: Called with a `Finished` after each response, before it goes on by itself.
        on_error: Called with each `ChatError`.
        on_warning: Called with a sentence for the developer about each kind of thing that a stream
            held and that was passed over.
        max_rounds: Cap on automatic requests for one user message.
        max_repeats: Cap on runs of one call with equal arguments for one user message.
        stall_after: Seconds without a byte until a stream counts as dead.
        codec: Reads the stream's events; None for the UI message stream.
    """

    def __init__(  # noqa: PLR0913 -- everything a chat can be given, each with a default
        self,
        transport: Transport,
        engine: CallEngine,
        *,
        chat_id: str | None = None,
        messages: Sequence[JsonObject] = (),
        protocol: str = UI_STREAM,
        tools_field: str = "clientTools",
        clock: Clock | None = None,
        ids: Callable[[], str] = new_id,
        headers: Provider = None,
        body: Provider = None,
        credentials: str | None = None,
        prepare_request: PrepareRequest | None = None,
        on_data: Callable[[Data], object] | None = None,
        on_finish: Callable[[Finished], object] | None = None,
        on_error: Callable[[ChatError], object] | None = None,
        on_warning: Callable[[str], object] | None = None,
        max_rounds: int = MAX_ROUNDS,
        max_repeats: int = MAX_REPEATS,
        stall_after: float = STALL_AFTER,
        codec: Codec | None = None,
    ) -> None:
        self._clock = clock or Clock()
        self._conversation = Conversation(chat_id or ids(), ids)
        self._settings = RequestSettings(
            engine.declarations,
            protocol=protocol,
            tools_field=tools_field,
            headers=headers,
            body=body,
            credentials=credentials,
            prepare=prepare_request,
        )
        self._turns = Turns(
            self._conversation,
            transport,
            engine,
            self._settings,
            self._clock,
            hooks=Hooks(on_data, on_finish, on_error, on_warning),
            continuation=Continuation(
                max_rounds=max_rounds,
                max_repeats=max_repeats,
                is_terminal=getattr(engine, "is_terminal", lambda name: False),
            ),
            stall_after=stall_after,
            codec=codec,
        )
        if messages:
            self.load(messages)

    # What is to be seen

    @property
    def id(self) -> str:
        """The conversation's id on the wire."""
        return self._conversation.id

    @property
    def status(self) -> str:
        """`ready`, `submitted`, `streaming` or `error`.

        While calls run that wait for no person it stays `streaming`: the turn is not over.
        """
        return self._turns.status

    @property
    def protocol(self) -> str:
        """What the endpoint speaks; setting it counts from the next request on."""
        return self._settings.protocol

    @protocol.setter
    def protocol(self, value: str) -> None:
        self._settings.protocol = checked_protocol(value)

    @property
    def tools_field(self) -> str:
        """The body's key for the declarations; setting it counts from the next request on."""
        return self._settings.tools_field

    @tools_field.setter
    def tools_field(self, value: str) -> None:
        self._settings.tools_field = checked_field(value)

    @property
    def messages(self) -> list[Message]:
        """The messages; not to be changed from outside."""
        return self._conversation.messages

    @property
    def error(self) -> ChatError | None:
        """Why the last request failed, until the next one."""
        return self._conversation.error

    @property
    def notices(self) -> list[Notice]:
        """What there is to say beside the conversation."""
        return self._conversation.notices

    @property
    def queued(self) -> list[Message]:
        """Messages that wait for their turn."""
        return [entry.message for entry in self._conversation.queue]

    def subscribe(self, fn: Callable[[Change], object]) -> Callable[[], None]:
        """Be told of changes, once for each network read; gives the function that ends it."""
        return self._conversation.subscribe(fn)

    def dump(self) -> list[JsonObject]:
        """The messages in wire form, to be kept."""
        return [message.to_wire() for message in self.messages]

    async def idle(self) -> None:
        """Wait until nothing goes on by itself any more: done, failed, or a person is asked."""
        await self._turns.idle()

    def close(self) -> None:
        """End everything; the chat is of no use any more."""
        self._turns.close()

    # What the person does

    async def send(
        self,
        text: str = "",
        files: Sequence[Any] = (),
        *,
        headers: Values | None = None,
        body: Values | None = None,
        metadata: Any = None,
    ) -> None:
        """Say something; returns when the server has answered, or at once when it is queued.

        Args:
            text: Words; without words and files nothing happens.
            files: `FilePart` objects or file parts in wire form.
            headers: Go with this turn's requests, continuations too.
            body: Keys that do the same.
            metadata: Becomes the message's metadata.
        """
        if not text.strip() and not files:
            return
        conversation, turns = self._conversation, self._turns
        message = user_message(conversation.ids(), text, files, metadata)
        conversation.queue.append(Queued(message, TurnOptions(headers, body, metadata)))
        if turns.busy:
            conversation.changed("list")
            return
        await turns.wait_for(turns.send_next())

    def unqueue(self, message_id: str) -> bool:
        """Take a waiting message back; True when it was there."""
        return self._conversation.unqueue(message_id)

    async def edit(self, message_id: str, text: str, files: Sequence[Any] | None = None) -> None:
        """Say something else in place of an earlier message; what followed it is cut.

        Raises:
            ChatError: There is no such message of the person's.
        """
        self._check_led()
        index = history.index_of(self.messages, message_id)
        message = self.messages[index]
        if message.role != "user":
            raise ChatError("Only the person's own messages can be edited.")
        self._turns.halt(closing.CANCELLED_BY_MESSAGE)
        kept: list[Part] = [part for part in message.parts if isinstance(part, FilePart)]
        if files is not None:
            kept = user_message("", "", files).parts[: len(files)]
        message.parts = [*kept, TextPart(text)]
        message.touch()
        self._conversation.touched(message)
        del self.messages[index + 1 :]
        await self._begin(Plan(SUBMIT, self._turns.options, message_id=message_id))

    async def regenerate(self, message_id: str | None = None) -> None:
        """Have an answer made anew; what followed it is cut.

        Args:
            message_id: An assistant's message, or the person's message it answers; None for
                the last answer.

        Raises:
            ChatError: There is nothing to answer.
        """
        self._check_led()
        keep = history.kept_by_regenerate(self.messages, message_id)
        self._turns.halt(closing.CANCELLED_BY_MESSAGE)
        cut = self.messages[keep:]
        del self.messages[keep:]
        plan = Plan(REGENERATE, self._turns.options, message_id=message_id, cut=cut)
        await self._begin(plan)

    async def retry(self) -> None:
        """Make the failed request again; without one, have the last answer made anew."""
        turns = self._turns
        if turns.busy or not self.messages:
            return
        plan = turns.retry_plan()
        if plan is not None:
            await turns.wait_for(turns.request(plan))
        elif self.messages[-1].role == "user":
            await self._begin(Plan(SUBMIT, turns.options))
        else:
            await self.regenerate()

    async def continue_anyway(self) -> None:
        """Go on although a limit said to stop."""
        turns, message = self._turns, history.last_assistant(self.messages)
        if turns.busy or message is None:
            return
        turns.continuation.go_on()
        self._conversation.drop_notices()
        if turns.desk.held:
            turns.desk.run_held(message)
            turns.refresh()
        else:
            await turns.wait_for(turns.go_on(message))

    async def resume(self) -> bool:
        """Take up an answer that the server is still giving; False when there is none.

        What it sends again is merged with what is there: approvals and results stay.
        """
        return await self._turns.recovery.resume()

    async def recover(self) -> bool:
        """Take up an answer that broke off, trying again for a while; for pages back online."""
        return await self._turns.recovery.run()

    async def take_up(self, *, unfinished: bool = False) -> bool:
        """Go on with an answer that was cut off when the page was left; False without one.

        Where the server gives it no more, `error` says that it was cut off, and `retry` asks anew.

        Args:
            unfinished: What was loaded was kept while an answer came in.
        """
        last = self.messages[-1] if self.messages else None
        if last is None or not (unfinished or last.role == "user" or last.interrupted):
            return False
        if await self.resume():
            return True
        if unfinished or last.interrupted:
            self._turns.recovery.miss()
        return False

    def send_now(self) -> None:
        """Do not wait any longer although the server asked for patience."""
        self._turns.runner.hurry()

    async def stop(self) -> None:
        """Stop everything that goes on: the answer and the calls. Always comes back.

        What calls still give is recorded in their messages and sent with the next one only.
        """
        if self.following:
            return
        task = self._turns.halt(closing.CANCELLED_BY_STOP)
        self._turns.refresh()
        self._turns.drain()
        if task is not None:
            await asyncio.wait([task])

    def clear(self) -> None:
        """Forget the conversation and begin another one."""
        self.load((), chat_id=self._conversation.ids())

    def load(self, messages: Sequence[JsonObject], *, chat_id: str | None = None) -> None:
        """Put another conversation in place of this one; nothing runs by itself.

        Args:
            messages: In wire form, as `dump` gave them.
            chat_id: Its id; None keeps the present one.
        """
        conversation = self._conversation
        self._turns.followed = None
        self._turns.leave()
        if chat_id is not None:
            conversation.id = chat_id
        known = {message.id for message in conversation.messages}
        conversation.replace(messages)
        last = history.last_assistant(conversation.messages)
        if last is not None:
            self._turns.desk.offer(last)
        self._turns.questions.watch()
        conversation.changed("list", loaded=True)
        for message in conversation.messages:
            if message.id in known:
                conversation.changed("message", message.id, loaded=True)
        self._turns.refresh()

    def lead(self, messages: Sequence[JsonObject], *, chat_id: str | None = None) -> None:
        """Go on with the conversation that was followed; what waits is sent by `send_waiting`.

        Args:
            messages: What it holds, in wire form.
            chat_id: Its id.
        """
        waiting = list(self._conversation.queue)
        self.load(messages, chat_id=chat_id)
        self._conversation.queue.extend(waiting)
        self._conversation.changed("list")

    async def _begin(self, plan: Plan) -> None:
        """A turn that begins with the messages as they are."""
        turns = self._turns
        turns.begin(turns.options)
        self._conversation.changed("list")
        await turns.wait_for(turns.request(plan))
