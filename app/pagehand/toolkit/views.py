"""The part of a toolkit that draws: views of Tool UIs, and of data parts of the stream."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from pagehand.errors import ToolDefinitionError
from pagehand.toolkit.definition import place
from pagehand.toolkit.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pagehand.toolkit.tool_ui import Showing, ToolUI, View

_S = TypeVar("_S")
_A = TypeVar("_A")
_D = TypeVar("_D", bound="Callable[[Any], Any]")


class Views:
    """What `Toolkit` knows of drawing. Views of included toolkits count too."""

    def __init__(self) -> None:
        self._views: dict[str, View] = {}
        self._data_views: dict[str, Callable[[Any], Any]] = {}

    def view(
        self, ui: ToolUI[_S, _A]
    ) -> Callable[[Callable[[Showing[_S, _A]], Any]], Callable[[Showing[_S, _A]], Any]]:
        """Decorates the function that draws a Tool UI, wherever its state comes from.

        It gets a `Showing` with the checked `state` and `resolve(answer)`, and is called again
        whenever the state changes.

        Raises:
            ToolDefinitionError: The tag has a view already.
        """
        source = place(sys._getframe(1))

        def decorate(function: Callable[[Showing[_S, _A]], Any]) -> Callable[[Any], Any]:
            from pagehand.toolkit.tool_ui import View

            known = self._views.get(ui.tag)
            if known is not None and known.function is not function:
                raise ToolDefinitionError(
                    f"the Tool UI {ui.tag!r} has two views: in {known.source} and in {source}"
                )
            self._views[ui.tag] = View(ui, function, source)
            return function

        return decorate

    def fulfilled(self, ui: ToolUI[Any, Any], **options: Any) -> Tool:
        """Declares a tool that the person fulfils through the view of its Tool UI.

        Its name is the tag; without `parameters` the model fills in the state itself.
        """
        frame = sys._getframe(1)
        options = {"ui": ui, **options}
        tool = Tool(ui.tag, "human", source=place(frame), **options)
        self.add(tool)
        return tool

    def data(self, name: str) -> Callable[[_D], _D]:
        """Decorates the function that draws the stream's `data-NAME` parts; it gets their data."""

        def decorate(function: _D) -> _D:
            self._data_views[name] = function
            return function

        return decorate

    def view_of(self, tag: str) -> View | None:
        """The view of a Tool UI by its tag."""
        if tag in self._views:
            return self._views[tag]
        found = (part.view_of(tag) for part in self.parts())
        return next((view for view in found if view is not None), None)

    def data_view_of(self, name: str, data: Any) -> Callable[[Any], Any] | None:
        """What draws a data part: its own view, or a card's."""
        own = self._own_data_view(name)
        if own is not None:
            return own
        from pagehand.toolkit.tool_ui import tagged

        found = tagged(data)
        if found is None or name != self.card_part:
            return None
        view = self.view_of(found[0])
        return None if view is None else lambda shown: view.draw(shown, None)

    @property
    def card_part(self) -> str:
        """The name of the data parts that carry cards."""
        from pagehand.toolkit.settings import SETTINGS

        return str(self.setting("card_part") or SETTINGS["card_part"])

    def unseen(self, tools: Iterable[Tool]) -> list[str]:
        """One sentence for each of these tools whose Tool UI nobody draws."""
        from pagehand.toolkit.tool_ui import missing_view

        return [
            missing_view(tool)
            for tool in tools
            if tool.ui is not None and tool.render is None and self.view_of(tool.ui.tag) is None
        ]

    def _own_data_view(self, name: str) -> Callable[[Any], Any] | None:
        if name in self._data_views:
            return self._data_views[name]
        found = (part._own_data_view(name) for part in self.parts())
        return next((view for view in found if view is not None), None)

    if TYPE_CHECKING:

        def add(self, tool: Tool) -> Callable[[], None]:
            """See `Toolkit`."""
            ...

        def setting(self, name: str) -> Any:
            """See `Toolkit`."""

        def parts(self) -> list[Views]:
            """See `Toolkit`."""
            ...
