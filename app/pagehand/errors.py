"""Every error pagehand raises on purpose, in one tree; modules add narrower kinds of these.

    PagehandError
    ├── WireError                  what arrived or would leave is not the protocol
    │   ├── BufferLimitError       an event, argument or body outgrew its limit
    │   ├── MalformedEventError    one event is not JSON, or lacks a required field
    │   ├── NotAStreamError        a 200 that is not a UI message stream
    │   ├── DeclarationError       tool declarations that must not be sent or accepted
    │   └── UnsendableValueError   a value that JSON cannot carry (NaN, a function, a cycle)
    ├── ToolkitError               a mistake in the integrator's definitions
    │   ├── ToolDefinitionError    a tool that cannot work as defined
    │   └── DuplicateToolError     one name, two definitions
    ├── CallError                  one call failed; its text goes to the model
    │   ├── ToolError              raised by a tool on purpose
    │   ├── UnknownToolError       no tool of that name here
    │   ├── ArgumentsError         arguments that do not fit the schema
    │   ├── CallRefusedError       policy, limit or the person said no
    │   └── CallCancelledError     stopped before it ended
    ├── ToolUIError                a state or an answer that does not fit its Tool UI
    ├── ChatError                  a request failed; its text goes to the person
    │   ├── NetworkError           nothing came back: offline, blocked, refused, CORS
    │   ├── HttpStatusError        the server answered with an error status
    │   ├── AnswerFormatError      the server answered, but not with a stream
    │   ├── RequestError           the request could not be made: tools or values that cannot travel
    │   ├── AnswerError            an answer that the server's question does not take
    │   ├── ServerStreamError      the stream carried an `error` chunk
    │   ├── InterruptedStreamError the stream ended before it was finished
    │   └── StalledStreamError     the stream went silent
    └── PageError                  the page cannot do this: no such element, blocked storage

`ChatError` carries a stable `code` that the page shows and tests read. A `ToolContext` or a call
that is asked for what it does not have raises Python's own LookupError.
"""

from __future__ import annotations


class PagehandError(Exception):
    """The root: catch this to catch everything pagehand raises on purpose."""


class WireError(PagehandError):
    """What arrived, or was about to leave, breaks the protocol."""


class BufferLimitError(WireError):
    """A buffer outgrew its limit.

    Args:
        what: What was being collected, for the message ("one event").
        limit: The limit in bytes or characters.
    """

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"{what} is larger than the limit of {limit:,}")
        self.what = what
        self.limit = limit


class MalformedEventError(WireError):
    """One event that cannot be read. `head` holds its first characters."""

    def __init__(self, reason: str, head: str = "") -> None:
        super().__init__(f"{reason}: {head!r}" if head else reason)
        self.reason = reason
        self.head = head


class NotAStreamError(WireError):
    """A successful answer that is not a UI message stream.

    `kind` says what it looks like instead: `html`, `json`, `ag-ui`, `mastra-native`, `text`,
    `empty`.
    """

    def __init__(self, kind: str, message: str, *, content_type: str = "", head: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.content_type = content_type
        self.head = head


class DeclarationError(WireError):
    """Tool declarations that must not travel. The text says what to change."""


class UnsendableValueError(WireError):
    """A value that JSON cannot carry. `path` says where it sits, as in `result.rows[3].price`."""

    def __init__(self, reason: str, path: str = "") -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.path = path


class ToolkitError(PagehandError):
    """A mistake in a toolkit's definitions, for its author."""


class ToolDefinitionError(ToolkitError):
    """A tool that cannot work as defined. The text names the tool, the place and the mend."""


class DuplicateToolError(ToolkitError):
    """One name for two tools. The text names both places."""


class CallError(PagehandError):
    """One call failed. The text becomes the call's `errorText`, which the model reads."""


class ToolError(CallError):
    """Raise it in a tool to answer the model with an error it can act on."""


class UnknownToolError(CallError):
    """The model asked for a tool this page does not have."""


class ArgumentsError(CallError):
    """The arguments do not fit the tool's schema."""


class CallRefusedError(CallError):
    """Policy, a limit, or the person in front of the page said no."""


class CallCancelledError(CallError):
    """The call was stopped before it ended."""


class ToolUIError(PagehandError):
    """A state that a view cannot show, or an answer that is not of the declared type."""


class ChatError(PagehandError):
    """A request failed. `code` is stable and machine-readable, the text is for people."""

    code = "chat"


class NetworkError(ChatError):
    """No answer at all: offline, refused, blocked, or a missing CORS header."""

    code = "network"


class HttpStatusError(ChatError):
    """The server answered with an error status.

    `retry_after` is the server's wish in seconds, or None.
    """

    code = "http"

    def __init__(self, message: str, *, status: int, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after = retry_after


class AnswerError(ChatError):
    """An answer to a server's question that it does not take, or that came too late."""

    code = "answer"


class AnswerFormatError(ChatError):
    """The server answered with something else than a stream: a web page, JSON, another protocol."""

    code = "not-a-stream"


class RequestError(ChatError):
    """The request could not be made: declarations or values that cannot travel."""

    code = "request"


class ServerStreamError(ChatError):
    """The stream carried an `error` chunk."""

    code = "server"


class InterruptedStreamError(ChatError):
    """The stream ended without `finish`."""

    code = "interrupted"


class StalledStreamError(ChatError):
    """The stream went silent for too long."""

    code = "stalled"


class PageError(PagehandError):
    """The page cannot do what was asked: no such element, storage blocked, a gesture missing."""
