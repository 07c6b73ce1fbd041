"""Where an element's tools come from: the page's Python, a toolkit file, the page's JavaScript.

All of them end up in one toolkit of the element's own, and leave it again with the element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import js
import pagehand_shell

from pagehand.browser.modules import ToolkitFileError, load_toolkit
from pagehand.errors import PagehandError, ToolDefinitionError

if TYPE_CHECKING:
    from pagehand.browser.element import Shell
    from pagehand.toolkit.toolkit import Toolkit
    from pagehand.ui.remarks import Remarks


class ToolSources:
    """Brings tools into a toolkit.

    Args:
        shell: The frame in the page.
        toolkit: The element's own.
        given: The toolkit `mount` was given; None for the file in the element's `toolkit`
            attribute, and without that the built-in page tools.
        remarks: Where mistakes are shown.

    Attributes:
        error: Why the toolkit file could not be used, or None.
    """

    def __init__(
        self, shell: Shell, toolkit: Toolkit, given: Toolkit | None, remarks: Remarks
    ) -> None:
        self._shell = shell
        self._toolkit = toolkit
        self._given = given
        self._remarks = remarks
        self._included: Toolkit | None = None
        self._host_tools: Any = None
        self.error: ToolkitFileError | None = None

    async def load(self) -> None:
        """Brings in what the page's Python or its file defines. A mistake there is only shown."""
        if self._included is not None:
            return
        toolkit = self._given
        if toolkit is None:
            toolkit = await self._fetched()
        if toolkit is not None:
            self._toolkit.include(toolkit)
            self._included = toolkit

    async def reload(self) -> None:
        """Puts what another file defines in place of the one before; running calls go on."""
        self.error = None
        self._remarks.drop("toolkit")
        if self._included is not None:
            self._toolkit.exclude(self._included)
            self._included = None
        await self.load()

    def take_host_tools(self) -> None:
        """Brings in what the page's JavaScript registered before Python was there."""
        for entry in self._shell.host_tools():
            try:
                self.register(entry)
            except PagehandError as error:
                self._remarks.add("toolkit", text=str(error))

    def register(self, entry: Any) -> None:
        """Adds a tool of the page's JavaScript.

        Raises:
            ToolDefinitionError: It cannot work as given.
            DuplicateToolError: Its name is taken.
        """
        if self._host_tools is None:
            from pagehand.browser.js_tools import HostTools

            self._host_tools = HostTools(self._toolkit)
        self._host_tools.add(entry)

    def unregister(self, name: str) -> None:
        """Takes a tool of the page's JavaScript away."""
        if self._host_tools is not None:
            self._host_tools.remove(name)

    def check(self) -> None:
        """Builds every schema; shows what cannot be declared, notes the rest on the console."""
        try:
            notes = self._toolkit.check()
        except ToolDefinitionError as error:
            self._remarks.add("toolkit", text=str(error))
            return
        for note in notes:
            js.console.info(f"pagehand: {note}")

    def close(self) -> None:
        """Takes everything out again."""
        if self._host_tools is not None:
            self._host_tools.close()
        if self._included is not None:
            self._toolkit.exclude(self._included)

    async def _fetched(self) -> Toolkit | None:
        promise = self._shell.toolkit_file
        if promise is None:
            from pagehand.tools import page_tools

            return page_tools()
        fetched = await promise
        try:
            return await _run(str(fetched.url), fetched)
        except ToolkitFileError as failure:
            self.error = failure
            self._remarks.add("toolkit", text=str(failure))
            if failure.details:
                js.console.error(failure.details)
            self._shell.emit("pagehand:error", {"code": "toolkit", "message": str(failure)})
            return None


async def _run(url: str, fetched: Any) -> Toolkit:
    error = getattr(fetched, "error", None)
    if error is not None:
        raise ToolkitFileError(f"The toolkit {url} could not be loaded: {error}")
    source = str(fetched.text)
    await pagehand_shell.prepareFor(source)
    toolkit: Toolkit = await load_toolkit(url, source)
    return toolkit
