"""Reads a table or list to its end: scrolls it, presses "more" and "next page", and goes back.

Stops at the end, at a limit, when nothing new comes twice, or when the call is stopped; says
which it was. Nothing is pressed that a person would have to be asked about.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from pagehand.tools.effect import Watch
from pagehand.tools.gathering import MOST_ROWS, Gathered, leads_home, leads_on
from pagehand.tools.move import Box
from pagehand.tools.outcome import TroubleError
from pagehand.tools.page import is_nothing, settle, until
from pagehand.tools.pressing import press
from pagehand.tools.weight import check, name_of, weight

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.context import ToolContext
    from pagehand.tools.page import Page

_MOST_STEPS = 1000
_MOST_PAGES = 200
_TIME = 150.0
_NEW_ROWS = 0.6  # seconds a scrolled list may take to draw
_NEW_PAGE = 5.0
_STEP = 0.7  # of a view: windows must overlap
_NEAR = "section, article, main, form, [role=region], [role=tabpanel], dialog"


class Reader:
    """Reads one table on.

    Args:
        page: The page.
        ctx: The call, which may be stopped.
        find: Gives the table's element as it is now.
        read: Gives the JSON of what it shows now.

    Attributes:
        facts: What the first reading told, with all rows in the end.
        ended: "" when everything was read, else why not: limit, time, stopped.
        notes: What the model should know.
    """

    def __init__(
        self, page: Page, ctx: ToolContext, find: Callable[[], Any], read: Callable[[], str]
    ) -> None:
        self.ended = ""
        self.notes: list[str] = []
        self._page = page
        self._ctx = ctx
        self._find = find  # a framework may draw the table anew
        self._read = read
        self._gathered = Gathered()
        self.facts: dict[str, Any] = json.loads(read())
        self._deadline = asyncio.get_running_loop().time() + _TIME

    async def run(self) -> None:
        """Reads to the end; the view is put back to where it was."""
        with Watch(self._page, compares=False):
            await self._scroll_through()
            if not self.ended:
                await self._page_through()
        self.facts["rows"] = self._gathered.rows()

    @property
    def _element(self) -> Any:
        return self._find()

    def _rows(self) -> list[Any]:
        rows: list[Any] = json.loads(self._read())["rows"]
        return rows

    def _stop(self) -> bool:
        if self._ctx.aborted:
            self.ended = "stopped"
        elif len(self._gathered) >= MOST_ROWS:
            self.ended = "size"
        elif asyncio.get_running_loop().time() > self._deadline:
            self.ended = "time"
        return bool(self.ended)

    async def _scroll_through(self) -> None:
        box = Box(self._element)
        start = box.position()
        if box.is_page and not self._grows_with_page(box):
            self._gathered.add(self._rows())
            return
        box.element.scrollTo(top=0, behavior="instant")
        await settle()
        still = 0
        for _ in range(_MOST_STEPS):
            new = self._gathered.add(self._rows())
            at_end = bool(box.where()["at_bottom"])
            still = still + 1 if at_end and not new else 0
            if still >= 2 or self._stop():
                break
            await self._step_down(box, at_end)
        else:
            self.ended = "limit"
        box.element.scrollTo(left=start[0], top=start[1], behavior="instant")
        await settle()

    def _grows_with_page(self, box: Box) -> bool:
        """The page scrolls: read on only where it ends with this list, as endless ones do."""
        declared = self.facts["declared"]
        if declared is not None and (declared < 0 or declared > len(self.facts["rows"])):
            return True
        place = self._element.getBoundingClientRect()
        left = float(box.element.scrollHeight) - box.position()[1] - float(place.bottom)
        endless = self._element.getAttribute("role") == "feed" or self.facts["kind"] == "list"
        return endless and left < 0.5 * box.size()[1] and not self._control(leads_on)

    async def _step_down(self, box: Box, at_end: bool) -> None:
        before = self._read()
        box.element.scrollBy(top=_STEP * box.size()[1], behavior="instant")
        if at_end:
            # Some lists fetch more only when their end comes into view.
            box.element.dispatchEvent(self._scrolled())
        await settle()
        await until(self._shows_other_than(before), _NEW_ROWS if at_end else 0.15)
        await settle(1)

    def _scrolled(self) -> Any:
        return self._element.ownerDocument.defaultView.Event.new("scroll")

    async def _page_through(self) -> None:
        turned = 0
        while turned < _MOST_PAGES and not self._stop():
            control = self._control(leads_on)
            if control is None:
                break
            why = self._reason_not_to(control)
            if why:
                self.notes.append(why)
                self.ended = "paged"
                break
            before = self._read()
            await press(control)
            if not await until(self._shows_other_than(before), _NEW_PAGE):
                break
            await self._rests()
            if not self._gathered.turn(self._rows()):
                break
            turned += 1
        else:
            self.ended = self.ended or "limit"
        if turned:
            await self._go_home()

    def _shows_other_than(self, before: str) -> Callable[[], bool]:
        return lambda: self._read() != before

    async def _rests(self) -> None:
        """A page that is fetched shows a waiting sign first: waits until two looks agree."""
        for _ in range(50):
            before = self._read()
            await asyncio.sleep(0.12)
            if self._read() == before:
                return

    async def _go_home(self) -> None:
        home = self._control(leads_home) or self._control(lambda name: name.strip() == "1")
        if home is None or self._reason_not_to(home):
            self.notes.append("the table was left on its last page")
            return
        await press(home)
        await settle(4)

    def _control(self, fits: Callable[[str], bool]) -> Any:
        """The control near the table that leads on; None at the end."""
        page = self._page
        around = self._element.closest(_NEAR)
        if is_nothing(around):
            around = self._element.parentElement
        if is_nothing(around) or not page.allows(around):
            around = page.root
        for one in page.eyes.select(around, "button, a, [role=button], [role=link]", 300):
            inside = self._element.contains(one)
            if inside or not fits(name_of(page, one)) or not page.eyes.visible(one):
                continue
            facts = page.describe(one)
            off = "disabled" in facts["states"] or "disabled" in str(one.className).split()
            if not off:
                return one
        return None

    def _reason_not_to(self, control: Any) -> str:
        name = name_of(self._page, control)
        href = control.getAttribute("href")
        if href and not str(href).startswith(("#", "javascript:")):
            return f'the next page is another address: navigate_to "{href}"'
        try:
            check(self._page, control)
        except TroubleError as trouble:
            return f'"{name}" could not be pressed: {trouble.en}'
        return f'"{name}" is asked about; use click' if weight(self._page, control) else ""
