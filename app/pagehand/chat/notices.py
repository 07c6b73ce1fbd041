"""What the chat has to say beside the conversation: why it paused, and what can be done."""

from __future__ import annotations


class Notice:
    """A remark for the person.

    Attributes:
        code: Stable, for tests and translation: `rounds`, `repeats`, `no-progress`,
            `step-limit`, `length`, `content-filter`, `empty`, `waiting`, `calls-held`.
        text: A sentence in English.
        actions: What may be offered: `continue`, `retry`, `regenerate`, `now`, `stop`.
        values: Facts for a translated sentence.
    """

    __slots__ = ("actions", "code", "text", "values")

    def __init__(
        self, code: str, text: str, actions: tuple[str, ...] = (), **values: object
    ) -> None:
        self.code = code
        self.text = text
        self.actions = actions
        self.values = values

    def __repr__(self) -> str:
        return f"<Notice {self.code}: {self.text}>"


def rounds(limit: int) -> Notice:
    """The cap on automatic requests was reached."""
    text = f"The assistant went on by itself {limit} times in a row, so it was paused."
    return Notice("rounds", text, ("continue",), limit=limit)


def repeats(tool_name: str, limit: int) -> Notice:
    """The model repeats itself."""
    text = f"The assistant asked for the same {tool_name} call more than {limit} times."
    return Notice("repeats", text, ("continue",), tool=tool_name, limit=limit)


def no_progress() -> Notice:
    """An automatic request brought nothing new."""
    text = "The server added nothing after the last step, so the assistant was paused."
    return Notice("no-progress", text, ("continue", "regenerate"))


def step_limit() -> Notice:
    """The server's own loop ended at its limit."""
    text = "The server stopped the assistant at its limit of steps."
    return Notice("step-limit", text, ("continue",))


def cut_short(reason: str) -> Notice:
    """The model did not come to its end."""
    if reason == "length":
        text = "The answer was cut off at its limit of length."
    else:
        text = "The answer was held back by the provider's content filter."
    return Notice(reason, text, ("regenerate",))


def empty() -> Notice:
    """Nothing was answered."""
    return Notice("empty", "The answer was empty.", ("retry",))


def waiting(seconds: float) -> Notice:
    """The server asked for patience."""
    text = f"The server is busy; the request is sent again in {seconds:.0f} s."
    return Notice("waiting", text, ("now", "stop"), seconds=seconds)


def calls_held() -> Notice:
    """Calls of our own beside an approval: their results would be lost on some servers."""
    text = (
        "Calls of this page wait until the approval beside them is answered; "
        "they run only if the assistant asks for them again."
    )
    return Notice("calls-held", text)
