"""One tool: what the model is told, what runs here, and what the person sees.

    tool = Tool("greet", "frontend", execute=greet, risk="safe")
    tool.declaration()   # {"description": ..., "inputSchema": ...}: all that ever leaves

A tool is cheap to make. Its schema is built at the first need, because that
may import pydantic, which must not hold up the page; where pydantic is loaded
already, the schema is built at once, so that a mistake shows at its place.

Kinds: `frontend` runs here; `human` is answered by the person through a card;
`stub` is a frontend tool whose function is bound later; `backend`, `provider`
and `external` run elsewhere and are only shown.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pagehand.toolkit.definition import DECLARED_KINDS, Definition

if TYPE_CHECKING:
    from collections.abc import Callable

    from pagehand.toolkit.parameters import Parameters


class Tool(Definition):
    """One tool of a toolkit. Takes what a `Definition` takes.

    Raises:
        ToolDefinitionError: When it cannot work as defined.
    """

    __slots__ = ("_parameters",)

    def __init__(
        self,
        name: str,
        kind: str,
        *,
        source: str = "",
        namespace: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(name, kind, source=source, namespace=namespace, **options)
        self._parameters: Parameters | None = None
        if kind in DECLARED_KINDS and "pydantic" in sys.modules:
            from pagehand.toolkit.signature import UnresolvedNameError

            # A name that is defined further down is no mistake yet; the first need will tell.
            with suppress(UnresolvedNameError):
                self.compiled()

    def __repr__(self) -> str:
        return f"<Tool {self.name} ({self.kind}) from {self.source or 'an unknown place'}>"

    @property
    def declared(self) -> bool:
        """Whether the model is told about it now."""
        if self.kind not in DECLARED_KINDS:
            return False
        return not (self.disabled() if callable(self.disabled) else self.disabled)

    def compiled(self) -> Parameters:
        """The parameters, ready to describe and to check arguments; built once.

        Raises:
            ToolDefinitionError: When the signature or schema cannot travel.
        """
        if self._parameters is None:
            from pagehand.toolkit.parameters import compile_parameters

            self._parameters = compile_parameters(self)
        return self._parameters

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments, in the form every provider understands.

        Raises:
            ToolDefinitionError: As `compiled` does.
        """
        return self.compiled().schema

    def schema_notes(self) -> list[str]:
        """What the portable form had to change, for the author."""
        return self.compiled().notes

    def declaration(self) -> dict[str, Any]:
        """What the backend is told: JSON and nothing else.

        Returns:
            `{"description": str, "inputSchema": JSON Schema}`, and `providerOptions` where the
            tool has some.

        Raises:
            ToolDefinitionError: As `compiled` does.
        """
        entry: dict[str, Any] = {
            "description": self.description_text(),
            "inputSchema": self.schema(),
        }
        if self.provider_options:
            entry["providerOptions"] = dict(self.provider_options)
        return entry

    def draw(self, call: Any) -> Any:
        """Calls `render` for a call: the arguments it names are filled in as they are known.

        Returns None where there is nothing to draw yet: no `render`, or an
        argument it cannot do without has not arrived.
        """
        if self.render is None and self.ui is None:
            return None
        from pagehand.toolkit.drawing import draw

        return draw(self, call, self.compiled)

    def status_text(self, call: Any) -> str | None:
        """The one-line status from `render_text`, or None when it says nothing."""
        table = self.render_text
        if not table:
            return None
        value = table.get("complete" if call.status == "complete" else "running")
        return value(call) if callable(value) else value

    def merged(self, over: Tool) -> Tool:
        """This tool with every field that `over` states itself."""
        options = {**self.given, **over.given}
        kind = over.kind if over.kind != "stub" or self.kind == "stub" else self.kind
        source = over.source if over.source == self.source else f"{over.source} over {self.source}"
        namespace = over.namespace if "parameters" in over.given else self.namespace
        return Tool(
            self.name, kind, source=source, namespace=namespace or over.namespace, **options
        )

    def bound(self, execute: Callable[..., Any] | None) -> Tool:
        """The same tool with (or, for None, without) a function."""
        options = {key: value for key, value in self.given.items() if key != "execute"}
        if execute is not None:
            options["execute"] = execute
        return Tool(self.name, self.kind, source=self.source, namespace=self.namespace, **options)
