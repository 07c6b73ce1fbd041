"""What goes into the engine and what comes out of it.

    engine.start([Call("call_1", "greet", {"name": "Ada"})], sink)
    # sink.settled("call_1", Output("Hello, Ada!"))

Written by hand instead of as dataclasses: these are on the way to first paint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    class CallSink(Protocol):
        """Where outcomes go: into the assistant message the calls came in."""

        def settled(self, tool_call_id: str, outcome: Outcome) -> None:
            """Called once per call, in whatever order calls end."""
            ...

        def progress(self, tool_call_id: str, value: Any) -> None:
            """Called for every preliminary result, a JSON value."""
            ...

        # A sink may also have `asked(tool_call_id, note)`: what `ctx.human` asked and was
        # answered so far, to be stored and given back as `Call(asked=...)` after a reload.


_SAME: Any = object()
_NO_WORDS = "The call failed without saying why."


class Call:
    """One use of a tool, as the model asked for it.

    Args:
        tool_call_id: The id on the wire.
        tool_name: The tool's name.
        input: The arguments as parsed, or None when there is only text.
        args_text: The arguments as the text that streamed in.
        message_id: The assistant message that holds the call.
        step: The number of the step within that message.
        asked: What an earlier run, cut off by a reload, asked the person: see `CallSink`.
        outside: It is of no conversation: what the person allowed for one does not cover it.
        turn: The id of the person's last message, which names the turn; None to look for it.
    """

    __slots__ = (
        "args_text",
        "asked",
        "input",
        "message_id",
        "outside",
        "step",
        "tool_call_id",
        "tool_name",
        "turn",
    )

    def __init__(
        self,
        tool_call_id: str,
        tool_name: str,
        input: Any = None,
        args_text: str = "",
        message_id: str = "",
        step: int = 0,
        asked: dict[str, Any] | None = None,
        *,
        outside: bool = False,
        turn: str | None = None,
    ) -> None:
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self.input = input
        self.args_text = args_text
        self.message_id = message_id
        self.step = step
        self.asked = asked
        self.outside = outside
        self.turn = turn

    def __repr__(self) -> str:
        return f"Call({self.tool_call_id!r}, {self.tool_name!r}, {self.input!r})"


class Output:
    """A call that ended well.

    Attributes:
        value: The JSON value for the wire: what the model reads.
        raw: What the tool returned, as JSON; differs from `value` with `to_model_output`.
        artifact: Something for the view only, or None.
        kept: What of `raw` and `artifact` is stored beside the value for the card, by the
            names `result` and `artifact`, or None.
    """

    __slots__ = ("artifact", "kept", "raw", "value")
    __match_args__ = ("value",)

    def __init__(
        self,
        value: Any,
        *,
        raw: Any = _SAME,
        artifact: Any = None,
        kept: dict[str, Any] | None = None,
    ) -> None:
        self.value = value
        self.raw = value if raw is _SAME else raw
        self.artifact = artifact
        self.kept = kept

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Output) and self.value == other.value

    def __hash__(self) -> int:
        return hash(repr(self.value))

    def __repr__(self) -> str:
        return f"Output({self.value!r})"


class Failure:
    """A call that failed.

    Attributes:
        error_text: The sentence the model reads.
        cancelled: Whether it was stopped, not tried in vain.
    """

    __slots__ = ("cancelled", "error_text")
    __match_args__ = ("error_text",)

    def __init__(self, error_text: str, *, cancelled: bool = False) -> None:
        # An empty text tells the model nothing, and some providers refuse it.
        self.error_text = error_text if error_text.strip() else _NO_WORDS
        self.cancelled = cancelled

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Failure) and self.error_text == other.error_text

    def __hash__(self) -> int:
        return hash(self.error_text)

    def __repr__(self) -> str:
        return f"Failure({self.error_text!r})"


Outcome: TypeAlias = Output | Failure
