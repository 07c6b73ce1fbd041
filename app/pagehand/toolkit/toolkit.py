"""A page's tools, by name.

    toolkit = Toolkit(page_tools())

    @toolkit.tool("greet", risk="safe")
    def greet(name: str) -> str:
        "Greets a person."
        return f"Hello, {name}!"

    toolkit.declarations()   # what the backend is told

Toolkits combine; a name twice is an error that names both places. A scope
holds the tools of a part of the page and takes them along when it closes.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from pagehand.errors import DuplicateToolError, ToolDefinitionError, ToolkitError
from pagehand.toolkit.definition import DECLARED_KINDS, locals_of, place, place_of
from pagehand.toolkit.tool import Tool
from pagehand.toolkit.views import Views

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_F = TypeVar("_F", bound="Callable[..., Any]")


class Toolkit(Views):
    """Tools by name.

    Args:
        others: Toolkits whose tools are also this one's, now and when they change.

    Attributes:
        notes: What the author should know: how an entry was understood, a missing
            description. Shown in the page's console.
    """

    def __init__(self, *others: Toolkit) -> None:
        super().__init__()
        self.notes: list[str] = []
        self._entries: dict[str, list[Tool]] = {}
        self._merged: dict[str, Tool] = {}
        self._followers: list[Toolkit] = []
        self._listeners: list[Callable[[], None]] = []
        self._settings: dict[str, Any] = {}
        self._parts: list[Toolkit] = []
        for other in others:
            self.include(other)

    def tool(self, name: str | None = None, **options: Any) -> Callable[[_F], _F]:
        """Decorates the function that runs a tool; its docstring is the description."""
        return self._decorator(name, "frontend", "execute", options)

    def human(self, name: str | None = None, **options: Any) -> Callable[[_F], _F]:
        """Decorates the function that draws the card through which a person answers.

        It gets the call first, then the arguments, and is called again when the call changes.
        """
        return self._decorator(name, "human", "render", options)

    def backend(self, name: str, **options: Any) -> Tool:
        """Shows a tool that runs on the server (`render`, `render_text`, `display`)."""
        return self._shown(name, "backend", options)

    def provider(self, name: str, **options: Any) -> Tool:
        """Shows a tool that the model's vendor runs, with its `args`."""
        return self._shown(name, "provider", options)

    def external(self, name: str, **options: Any) -> Tool:
        """Shows a tool that is defined somewhere else altogether."""
        return self._shown(name, "external", options)

    def stub(self, name: str, **options: Any) -> Tool:
        """Declares a tool whose function is bound later, with `bind`."""
        return self._shown(name, "stub", options)

    def bind(self, name: str, execute: Callable[..., Any]) -> Callable[[], None]:
        """Gives a stub its function; the returned function takes it away again."""
        stub = next((tool for tool in self._entries.get(name, []) if tool.kind == "stub"), None)
        if stub is None:
            raise ToolkitError(f"there is no stub {name!r} to bind a function to")
        self._replace(stub, stub.bound(execute))

        def unbind() -> None:
            for tool in self._entries.get(name, []):
                if tool.kind == "stub" and tool.execute is execute:
                    self._replace(tool, tool.bound(None))

        return unbind

    def add(self, tool: Tool) -> Callable[[], None]:
        """Adds a tool; the returned function removes it again.

        Raises:
            DuplicateToolError: When the name is taken at the same priority and
                `overwrite` is not set. Nothing changes then.
        """
        self._check_free(tool)
        self._enter(tool)
        return lambda: self._leave(tool)

    def remove(self, name: str) -> None:
        """Removes a tool at every priority; nothing happens when there is none."""
        for tool in list(self._entries.get(name, [])):
            self._leave(tool)

    def include(self, other: Toolkit) -> None:
        """Makes another toolkit's tools this one's too, now and when they change."""
        entering = [tool for tools in other._entries.values() for tool in tools]
        for tool in entering:
            self._check_free(tool)
        for tool in entering:
            self._enter(tool)
        self.notes.extend(note for note in other.notes if note not in self.notes)
        if self not in other._followers:
            other._followers.append(self)
            self._parts.append(other)

    def exclude(self, other: Toolkit) -> None:
        """Undoes `include`: another toolkit's tools leave, and it is not followed any more.

        Nothing happens when it was not included.
        """
        if self not in other._followers:
            return
        other._followers.remove(self)
        self._parts.remove(other)
        for tools in list(other._entries.values()):
            for tool in list(tools):
                self._leave(tool)

    def configure(self, **settings: Any) -> None:
        """Sets how the engine treats this toolkit's page.

        Args:
            settings: `policy`: {"tools": {name: rule}, "categories": {...}, "risks": {...}} with
                the rules "allow", "ask" and "deny". `limits`: {"per_tool": (calls, seconds),
                "overall": (calls, seconds), "tools": {name: (calls, seconds)}, "per_turn": calls}.
                `timeout`: seconds for tools that say nothing. `confirm_seconds`: how long a
                question stands. `mask_secrets`, `longest_result`. `longest_kept`: characters
                of an artifact that are stored with its call. `card_part`: the name of the
                stream's data parts that carry cards. `webmcp`: offer the tools to the browser.

        Raises:
            ToolkitError: For a setting that does not exist, or a value that cannot be.
        """
        from pagehand.toolkit.settings import check_settings

        check_settings(settings)
        self._settings.update(settings)

    def setting(self, name: str) -> Any:
        """A setting of this toolkit or of one it includes; None when nobody set it."""
        if name in self._settings:
            return self._settings[name]
        found = (part.setting(name) for part in self._parts)
        return next((value for value in found if value is not None), None)

    def parts(self) -> list[Views]:
        """The toolkits this one includes."""
        return list(self._parts)

    def scope(self, name: str) -> Scope:
        """A toolkit for a part of the page: its tools are here until it is closed."""
        return Scope(self, name)

    def get(self, name: str) -> Tool | None:
        """The tool of that name, merged over its priorities; None when there is none."""
        tools = self._entries.get(name)
        if not tools:
            return None
        if len(tools) == 1:
            return tools[0]
        if name not in self._merged:
            merged = tools[0]
            for tool in tools[1:]:
                merged = merged.merged(tool)
            self._merged[name] = merged
        return self._merged[name]

    def __iter__(self) -> Iterator[Tool]:
        for name in list(self._entries):
            tool = self.get(name)
            if tool is not None:
                yield tool

    def __len__(self) -> int:
        return len(self._entries)

    def __bool__(self) -> bool:
        """True, also without tools: `toolkit or other` must not lose an empty one."""
        return True

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def declared_names(self) -> list[str]:
        """The names of the tools the model is told about now, sorted."""
        return sorted(tool.name for tool in self if tool.declared)

    def declarations(self) -> dict[str, dict[str, Any]]:
        """What the backend is told, sorted by name so that the bytes stay the same.

        Raises:
            ToolDefinitionError: When a tool cannot be declared; the text lists every one.
        """
        entries = {}
        problems = []
        for tool in self:
            if not tool.declared:
                continue
            try:
                entries[tool.name] = tool.declaration()
            except ToolDefinitionError as error:
                problems.append(str(error))
        problems += self.unseen(tool for tool in self if tool.declared)
        if problems:
            raise ToolDefinitionError("\n".join(problems))
        return {name: entries[name] for name in sorted(entries)}

    def check(self) -> list[str]:
        """Builds every schema and returns the notes; call it in an idle moment.

        Raises:
            ToolDefinitionError: As `declarations` does.
        """
        self.declarations()
        notes = list(self.notes)
        for tool in self:
            if tool.kind in DECLARED_KINDS:
                if not tool.description_text():
                    notes.append(
                        f"{tool.name} has no description: the model must guess from its name"
                    )
                notes.extend(f"{tool.name}: {note}" for note in tool.schema_notes())
        return notes

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Calls `listener` after each change of the tools; returns how to stop it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    def _decorator(
        self, name: str | None, kind: str, field: str, options: dict[str, Any]
    ) -> Callable[[_F], _F]:
        if callable(name):
            raise ToolDefinitionError(
                f"write @toolkit.{'human' if kind == 'human' else 'tool'}(...) with brackets"
            )

        def decorate(function: _F) -> _F:
            frame = sys._getframe(1)
            source = place_of(function) or place(frame)
            called = name or getattr(function, "__name__", "").replace("_", "-")
            names = {field: function, **options}
            self.add(Tool(called, kind, source=source, namespace=locals_of(frame), **names))
            return function

        return decorate

    def _shown(self, name: str, kind: str, options: dict[str, Any]) -> Tool:
        frame = sys._getframe(2)
        tool = Tool(name, kind, source=place(frame), namespace=locals_of(frame), **options)
        self.add(tool)
        return tool

    def _check_free(self, tool: Tool) -> None:
        for known in self._entries.get(tool.name, ()):
            if known is not tool and known.priority == tool.priority and not tool.overwrite:
                raise DuplicateToolError(
                    f"the tool {tool.name!r} is defined twice: in {known.source or 'one toolkit'} "
                    f"and in {tool.source or 'another'}; rename one, or give the second "
                    "`overwrite=True` or another `priority`"
                )
        for follower in self._followers:
            follower._check_free(tool)

    def _enter(self, tool: Tool) -> None:
        tools = self._entries.setdefault(tool.name, [])
        if tool in tools:
            return
        tools[:] = [known for known in tools if known.priority != tool.priority]
        tools.append(tool)
        tools.sort(key=lambda known: known.priority)
        self._changed(tool.name)
        for follower in self._followers:
            follower._enter(tool)

    def _leave(self, tool: Tool) -> None:
        tools = self._entries.get(tool.name, [])
        if tool not in tools:
            return
        tools.remove(tool)
        if not tools:
            del self._entries[tool.name]
        self._changed(tool.name)
        for follower in self._followers:
            follower._leave(tool)

    def _replace(self, old: Tool, new: Tool) -> None:
        tools = self._entries.get(old.name, [])
        if old in tools:
            tools[tools.index(old)] = new
            self._changed(old.name)
        for follower in self._followers:
            follower._replace(old, new)

    def _changed(self, name: str) -> None:
        self._merged.pop(name, None)
        for listener in list(self._listeners):
            listener()


class Scope(Toolkit):
    """The tools of one part of a page; closing it removes them from the toolkit.

    with toolkit.scope("editor") as editor:
        editor.add(tool)
    """

    def __init__(self, parent: Toolkit, name: str) -> None:
        super().__init__()
        self.name = name
        self._parent = parent
        self._followers.append(parent)
        parent._parts.append(self)

    def close(self) -> None:
        """Removes the scope's tools; running calls end as they will."""
        for name in list(self._entries):
            self.remove(name)
        if self._parent in self._followers:
            self._followers.remove(self._parent)
            self._parent._parts.remove(self)

    def __enter__(self) -> Scope:
        return self

    def __exit__(self, *details: object) -> None:
        self.close()


def define_toolkit(entries: Mapping[str, Mapping[str, Any] | Tool]) -> Toolkit:
    """Makes a toolkit from a mapping of names to entries.

    Args:
        entries: Name to `{"type", "description", "parameters", "execute", "render", ...}`;
            option names in Python's or in JavaScript's spelling. Without `type` the
            kind is inferred, and `toolkit.notes` says what an unusual entry was taken for.

    Raises:
        ToolDefinitionError: For an entry that cannot work, naming it and the place.
    """
    from pagehand.toolkit.mapping import read_entries

    frame = sys._getframe(1)
    toolkit = Toolkit()
    tools, notes = read_entries(entries, place(frame), locals_of(frame))
    for tool in tools:
        toolkit.add(tool)
    toolkit.notes.extend(notes)
    return toolkit
