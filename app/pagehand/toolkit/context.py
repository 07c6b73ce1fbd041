"""What a running tool knows about its call, and can ask of the person.

    @toolkit.tool("delete-order", risk="dangerous")
    async def delete_order(order: str, ctx: ToolContext) -> dict:
        if not await ctx.confirm(f"Delete {order}?"):
            raise ToolError("The person kept the order.")

A parameter annotated `ToolContext` is filled in by the engine and is not part
of the schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Protocol

    class ContextPorts(Protocol):
        """What the engine lends to one running call."""

        @property
        def aborted(self) -> bool:
            """Whether the call was stopped."""
            ...

        def abort_signal(self) -> Any:
            """An object that tells others of the stop; in a page, an AbortSignal."""
            ...

        async def human(self, payload: Any) -> Any:
            """Shows the payload on the call's card and waits for `resume`."""
            ...

        async def confirm(self, text: str) -> bool:
            """Asks the person."""
            ...

        def progress(self, value: Any) -> None:
            """Shows a preliminary result."""
            ...


class ToolContext:
    """One call, as seen by the tool that runs it.

    Made by the engine. In a tool's own unit test it can be made by hand; then
    nobody is there to be asked, and asking raises LookupError.

    Attributes:
        tool_call_id: The call's id on the wire.
        tool_name: The tool's name.
    """

    __slots__ = ("_messages", "_ports", "_turn", "tool_call_id", "tool_name")

    def __init__(
        self,
        tool_call_id: str = "call",
        tool_name: str = "",
        messages: Sequence[dict[str, Any]] | Callable[[], Sequence[dict[str, Any]]] = (),
        ports: ContextPorts | None = None,
        *,
        turn: str | None = None,
    ) -> None:
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self._messages = messages
        self._ports = ports
        self._turn = turn

    def attach(self, ports: ContextPorts) -> None:
        """Connects it to a running call; for the engine."""
        self._ports = ports

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far, as UIMessages (plain JSON)."""
        return list(self._messages() if callable(self._messages) else self._messages)

    @property
    def turn(self) -> str:
        """What names the current turn: the id of the person's last message, "" without one."""
        if self._turn is None:
            said = (m.get("id", "") for m in reversed(self.messages) if m.get("role") == "user")
            self._turn = str(next(said, ""))
        return self._turn

    @property
    def aborted(self) -> bool:
        """Whether the call was stopped; long loops should look at it."""
        return self._ports is not None and self._ports.aborted

    @property
    def abort_signal(self) -> Any:
        """Pass it to `fetch`, so that stopping the call stops the request too."""
        return self._need("abort_signal").abort_signal()

    async def human(self, payload: Any) -> Any:
        """Waits until the card answers with `call.resume(value)`, and returns that value.

        The card finds the payload in `call.interrupt`. A timeout of the tool
        stands still meanwhile. Asking again gives up the earlier question.
        """
        return await self._need("human").human(payload)

    async def confirm(self, text: str) -> bool:
        """Asks the person in the page's own dialog; True only for a yes."""
        return await self._need("confirm").confirm(text)

    def progress(self, value: Any) -> None:
        """Shows a preliminary result; the call stays open. Any JSON value."""
        if self._ports is not None:
            self._ports.progress(value)

    def _need(self, what: str) -> ContextPorts:
        if self._ports is None:
            raise LookupError(f"this ToolContext was made by hand and has no {what}")
        return self._ports
