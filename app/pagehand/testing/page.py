"""A page with the integrator's tools in it, and a model that does as the test says.

page = pagehand_page("my_tools.py")
assert page.call("find-orders", status="pending").output == [...]

asked = page.start("delete-order", order="A1")
asked.confirm()
assert asked.result().output == {"deleted": "A1"}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pagehand.errors import PagehandError

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from pagehand.testing.script import ScriptedModel

_SETTLED = ("output-available", "output-error", "output-denied")
_BOOT_SECONDS = 60.0

_PART = """([selector, id]) => {
  for (const message of document.querySelector(selector).messages) {
    for (const part of message.parts) if (part.toolCallId === id) return part;
  }
  return null;
}"""
_PART_IS_SETTLED = """([selector, id, settled]) => {
  const element = document.querySelector(selector);
  const parts = element.messages.flatMap((message) => message.parts);
  const part = parts.find((part) => part.toolCallId === id);
  return part && settled.includes(part.state) && !part.preliminary;
}"""
_STATUS_IS = """([selector, wanted]) =>
  wanted.includes(document.querySelector(selector)?.status)"""


class TestingError(PagehandError):
    """What a test asked for did not come; the text says what the page shows instead."""

    __test__ = False  # pytest takes names that begin with Test for classes of tests


@dataclass(frozen=True)
class CallResult:
    """How a call ended.

    Attributes:
        state: `output-available`, `output-error` or `output-denied`.
        output: What the model reads; None when the call failed.
        error: The text of the failure that the model reads; None when it did not.
        input: The arguments as they arrived.
        record: The engine's record: each step with its verdict, times, who confirmed.
    """

    state: str
    output: Any = None
    error: str | None = None
    input: Any = None
    record: dict[str, Any] = field(default_factory=dict)


class AssistantPage:
    """One page with one `<page-hand>`.

    Args:
        page: Playwright's page, at the address already.
        model: What answers the page.
        selector: Finds the element.
        timeout: Seconds that anything here may take before it fails.

    Attributes:
        page, model: The same.
        element: Finds the element.
        problems: Errors that nobody caught, in JavaScript or in Python.
    """

    def __init__(
        self, page: Page, model: ScriptedModel, selector: str = "page-hand", timeout: float = 30.0
    ) -> None:
        self.page = page
        self.model = model
        self.element = page.locator(selector)
        self.problems: list[str] = []
        self._selector = selector
        self._milliseconds = timeout * 1000
        page.on("pageerror", lambda error: self.problems.append(str(error)))

    # What the page says of itself

    @property
    def tools(self) -> dict[str, Any]:
        """What the model is told about the tools: name to description and schema."""
        return dict(self._get("tools"))

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation."""
        return list(self._get("messages"))

    @property
    def log(self) -> list[dict[str, Any]]:
        """The engine's records."""
        return list(self._get("log"))

    @property
    def requests(self) -> list[dict[str, Any]]:
        """What the page posted to the model, oldest first."""
        return self.model.requests

    def part(self, name: str) -> Locator:
        """The element's own part of that `data-part`."""
        return self.element.locator(f'[data-part="{name}"]')

    # What a test does

    def say(self, text: str) -> None:
        """Types a message, sends it, and waits until the answer is there."""
        self._send(text)
        self._wait(_STATUS_IS, [self._selector, ["ready", "error"]], "the answer to end")

    def start(self, tool: str, /, **arguments: Any) -> PendingCall:
        """Lets the model ask for one call; the test goes on while it runs."""
        return self.start_raw(tool, arguments)

    def start_raw(self, tool: str, arguments: Any) -> PendingCall:
        """As `start`, with arguments of any shape: a text is sent as it is, JSON or not."""
        (tool_call_id,) = self.model.calls((tool, arguments))
        self._send(f"Call {tool}.")
        return PendingCall(self, tool_call_id, tool)

    def call(self, tool: str, /, **arguments: Any) -> CallResult:
        """Lets the model ask for one call, and waits for its result.

        Raises:
            TestingError: It did not end: it may be waiting for a person (see `start`).
        """
        return self.start(tool, **arguments).result()

    def call_all(self, *calls: tuple[str, Any]) -> list[CallResult]:
        """Lets the model ask for several calls in one step, and waits for all of them."""
        ids = self.model.calls(*calls)
        self._send(f"Call {len(calls)} tools.")
        names = [name for name, _ in calls]
        pending = [PendingCall(self, *pair) for pair in zip(ids, names, strict=True)]
        return [call.result() for call in pending]

    def start_approval(self, tool: str, /, **arguments: Any) -> PendingCall:
        """Lets the server ask for the person's approval of a call of its own tool."""
        tool_call_id = self.model.asks_approval(tool, arguments)
        self._send(f"Call {tool}.")
        return PendingCall(self, tool_call_id, tool)

    def wait_ready(self) -> None:
        """Waits for the start.

        Raises:
            TestingError: It failed, or the toolkit file did; the text is the element's own.
        """
        wanted = [self._selector, ["ready", "error"]]
        self._wait(_STATUS_IS, wanted, "the assistant to start", _BOOT_SECONDS * 1000)
        error = self._get("error")
        if error is not None:
            details = self.part("boot-error").locator("pre").all_text_contents()
            told = "\n".join([f"the assistant did not start: {error['message']}", *details])
            raise TestingError(told)

    # Inside

    def _get(self, name: str) -> Any:
        return self.element.evaluate("(element, name) => element[name]", name)

    def _send(self, text: str) -> None:
        self._wait(_STATUS_IS, [self._selector, ["ready"]], "the assistant to be ready")
        field_ = self.element.locator('[data-part="composer"] textarea')
        field_.fill(text)
        field_.press("Enter")

    def _wait(
        self, condition: str, argument: Any, what: str, milliseconds: float | None = None
    ) -> None:
        from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

        limit = milliseconds or self._milliseconds
        try:
            self.page.wait_for_function(condition, arg=argument, timeout=limit)
        except PlaywrightTimeoutError:
            raise TestingError(f"waited {limit / 1000:g} s for {what}. {self._seen()}") from None

    def _seen(self) -> str:
        """What a person would see now."""
        if not self.element.count():
            return f"There is no {self._selector} in the page."
        open_calls = [
            f"{record['tool_name']} ({record['tool_call_id']})"
            for record in self.log
            if record["state"] == "running"
        ]
        told = [f"The element's status is {self._get('status')!r}."]
        if open_calls:
            told.append(f"Running: {', '.join(open_calls)}.")
        if self.part("confirmation").count():
            told.append("A confirmation is open: answer it with confirm() or decline().")
        told += [f"Uncaught: {problem}" for problem in self.problems]
        return " ".join(told)


class PendingCall:
    """A call that the model asked for.

    Attributes:
        tool_call_id, tool_name: Which.
    """

    def __init__(self, page: AssistantPage, tool_call_id: str, tool_name: str) -> None:
        self.tool_call_id = tool_call_id
        self.tool_name = tool_name
        self._page = page

    @property
    def card(self) -> Locator:
        """The call in the conversation, with the card its tool draws."""
        return self._page.element.locator(f'[data-tool-call-id="{self.tool_call_id}"]')

    @property
    def state(self) -> str | None:
        """The call's state on the wire; None before it is there."""
        part = self._part()
        return None if part is None else str(part["state"])

    def press(self, action: str) -> PendingCall:
        """Presses the card's button with that `data-action`."""
        return self._click(self.card, action, f"a button {action!r} in the card")

    def fill(self, name: str, value: str) -> PendingCall:
        """Types into the card's field of that `name`."""
        self.card.locator(f'[name="{name}"]').fill(value)
        return self

    def confirm(self) -> PendingCall:
        """Says yes to the question before the call."""
        return self._answer("confirm")

    def decline(self) -> PendingCall:
        """Says no to it."""
        return self._answer("cancel")

    def approve(self) -> PendingCall:
        """Approves the server's gate."""
        return self._click(self.card.locator('[data-part="approval"]'), "approve", "the gate")

    def deny(self) -> PendingCall:
        """Denies it."""
        return self._click(self.card.locator('[data-part="approval"]'), "deny", "the gate")

    def result(self) -> CallResult:
        """Waits until the call has ended, and the model has read of it."""
        page, selector = self._page, self._page._selector
        wanted = [selector, self.tool_call_id, list(_SETTLED)]
        page._wait(_PART_IS_SETTLED, wanted, f"{self.tool_name} to end")
        page._wait(_STATUS_IS, [selector, ["ready", "error"]], "the answer to end")
        part = self._part() or {}
        records = [r for r in page.log if r["tool_call_id"] == self.tool_call_id]
        return CallResult(
            state=part.get("state", ""),
            output=part.get("output"),
            error=part.get("errorText"),
            input=part.get("input"),
            record=records[-1] if records else {},
        )

    def _part(self) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._page.page.evaluate(
            _PART, [self._page._selector, self.tool_call_id]
        )
        return found

    def _answer(self, action: str) -> PendingCall:
        dialog = self._page.part("confirmation")
        of_tool = dialog.and_(self._page.page.locator(f'[data-tool-name="{self.tool_name}"]'))
        return self._click(of_tool, action, f"the confirmation of {self.tool_name}")

    def _click(self, inside: Locator, action: str, what: str) -> PendingCall:
        # A question takes no answer in its first moment.
        button = inside.locator(f'[data-action="{action}"]:not([aria-disabled="true"])')
        self._page_does(button.click, f"{what} to take {action!r}")
        return self

    def _page_does(self, act: Callable[..., Any], what: str) -> None:
        from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

        limit = self._page._milliseconds
        try:
            act(timeout=limit)
        except PlaywrightTimeoutError:
            raise TestingError(
                f"waited {limit / 1000:g} s for {what}. {self._page._seen()}"
            ) from None
