"""The page the tools act on: its root, its eyes, its language, and what they may not touch."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import js
from pyodide.ffi import JsException

from pagehand.browser.tongue import spoken
from pagehand.tools.budget import Budget
from pagehand.tools.outcome import TroubleError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.browser.leaving import Leaving
    from pagehand.tools import Settings

OWN_TAG = "page-hand"
_LOOK_EVERY = 0.05


class Question(NamedTuple):
    """What the person is asked, and the fingerprints of what the call would touch."""

    text: str
    targets: tuple[str, ...]


class Page:
    """What all tools of one toolkit share.

    Attributes:
        settings: The integrator's choices.
        eyes: What reads the page (static/eyes.js), kept to the integrator's parts; after `prepare`.
        undo: Values that the last fill replaced: (element, value) pairs.
        seen: The lines of the last outline, by scope.
        asked: The questions that calls raised, by tool and arguments, until the tool runs.
        granted: Those of them that the person really saw and granted.
        trail: Fingerprints of the targets resolved for a question, while one is made.
        read: Whether the model has read text of the page since the person last granted a call.
        leaving: The note that the running call left in case the page goes away.
        budget: What the calls of one turn may use.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.eyes: Any = None
        self.undo: list[tuple[Any, Any]] = []
        self.seen: dict[str, list[str]] = {}
        self.asked: dict[str, Question] = {}
        self.granted: set[str] = set()
        self.trail: list[str] | None = None
        self.read = False
        self.leaving: Leaving | None = None
        self.budget = Budget(**settings.budget)

    async def prepare(self) -> None:
        """Loads the eyes; called before every tool, at once after the first time."""
        if self.eyes is None:
            import pagehand_shell

            eyes = await pagehand_shell.load("eyes.js")
            chosen = self.settings
            self.eyes = eyes.scoped(
                chosen.root or "", ", ".join(chosen.include), ", ".join(chosen.exclude)
            )

    @property
    def root(self) -> Any:
        """The element the tools may see: the integrator's root, or the whole body.

        Raises:
            TroubleError: When the root is not on this page.
        """
        selector = self.settings.root
        if not selector:
            return js.document.body
        found = js.document.querySelector(selector)
        if is_nothing(found):
            raise TroubleError(
                "no_root",
                f'The part of the page that tools may use ("{selector}") is not here.',
                f"当前页面没有允许工具操作的区域（“{selector}”）。",
            )
        return found

    @property
    def title(self) -> str | None:
        """The document's title; None where only regions of the page may be told."""
        return None if self.settings.include else str(js.document.title)

    @property
    def language(self) -> str:
        """The language of the assistant that runs the tool, else the document's."""
        return spoken() or str(js.document.documentElement.lang or "en")

    def say(self, en: str, zh: str) -> str:
        """The text in the assistant's language."""
        return zh if self.language.startswith("zh") else en

    def describe(self, element: Any) -> dict[str, Any]:
        """Facts about an element: ref, role, name, states, value (never a secret's)."""
        facts: dict[str, Any] = json.loads(self.eyes.describe(element))
        return facts

    def allows(self, element: Any) -> bool:
        """Whether tools may touch it: in the root and a region, not excluded, no assistant."""
        return bool(self.eyes.reachable(element, self.root))


def is_nothing(value: Any) -> bool:
    """Whether a value from JS is null or undefined."""
    return value is None or type(value).__name__ == "JsNull"


def prop(element: Any, name: str) -> Any:
    """A property that this kind of element may not have; "" for none."""
    value = getattr(element, name, None)
    return "" if is_nothing(value) else value


async def settle(frames: int = 2) -> None:
    """Lets the page react: one task and some frames (or a timer where no frames come)."""
    import asyncio

    await asyncio.sleep(0)
    for _ in range(frames):
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        await _frame(done)


async def until(condition: Callable[[], bool], seconds: float) -> bool:
    """Waits until something holds; returns whether it did in this time."""
    import asyncio

    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not condition():
        left = deadline - loop.time()
        if left <= 0:
            return False
        await asyncio.sleep(min(_LOOK_EVERY, left))
    return True


async def _frame(done: Any) -> None:
    import asyncio

    from pyodide.ffi import create_once_callable

    if js.document.hidden:
        await asyncio.sleep(0.02)
        return

    def fired(_time: float) -> None:
        if not done.done():
            done.set_result(None)

    js.requestAnimationFrame(create_once_callable(fired))
    try:
        await asyncio.wait_for(done, 0.2)
    except TimeoutError:
        return


def js_message(error: JsException) -> str:
    """What a JS error says."""
    return str(getattr(error, "message", "") or error)
