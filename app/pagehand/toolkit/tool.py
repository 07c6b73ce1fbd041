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

from pagehand.errors import ToolDefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pagehand.toolkit.parameters import Parameters
    from pagehand.toolkit.tool_ui import ToolUI

KINDS = ("frontend", "human", "backend", "provider", "external", "stub")
DECLARED_KINDS = frozenset({"frontend", "human", "stub"})
RISKS = ("safe", "moderate", "dangerous")

# Every option a tool takes, with what it is when nobody says anything.
DEFAULTS: dict[str, Any] = {
    "description": None,
    "parameters": None,
    "execute": None,
    "render": None,
    "render_text": None,
    "display": None,
    "title": None,
    "category": "other",
    "risk": "safe",
    "requires_confirmation": False,
    "confirm_text": None,
    "validate": None,
    "timeout": None,
    "concurrency": "auto",
    "eager": False,
    "terminal": False,
    "idempotent": False,
    "limit": None,
    "mask": True,
    "stream_call": None,
    "to_model_output": None,
    "on_validation_error": None,
    "provider_options": None,
    "args": None,
    "ui": None,
    "disabled": False,
    "overwrite": False,
    "priority": 0,
}

# Tools of these categories move the page, so they run one after another.
_PAGE_CATEGORIES = frozenset({"form", "navigation", "ui"})


class Tool:
    """One tool of a toolkit.

    Args:
        name: What the model calls it: `[A-Za-z_][A-Za-z0-9_-]{0,62}`.
        kind: One of `KINDS`.
        source: Where it was defined, as "file.py:12", for error texts.
        namespace: Local names at the place of definition, for annotations that name them.
        options: Any of `DEFAULTS`.

    Raises:
        ToolDefinitionError: When it cannot work as defined.
    """

    __slots__ = (
        *DEFAULTS,
        "_parameters",
        "given",
        "kind",
        "name",
        "namespace",
        "source",
    )

    description: str | None
    parameters: Any
    execute: Callable[..., Any] | None
    render: Callable[..., Any] | None
    render_text: Mapping[str, Any] | None
    display: str
    title: str | None
    category: str
    risk: str | Callable[..., str]
    requires_confirmation: bool | Callable[..., bool]
    confirm_text: str | Callable[..., str] | None
    validate: Callable[..., None] | None
    timeout: float | None
    concurrency: str | None
    eager: bool
    terminal: bool
    idempotent: bool
    limit: tuple[int, float] | None
    mask: bool
    stream_call: Callable[..., Any] | None
    to_model_output: Callable[..., Any] | None
    on_validation_error: Callable[..., Any] | None
    provider_options: Mapping[str, Any] | None
    args: Mapping[str, Any] | None
    ui: ToolUI[Any, Any] | None
    disabled: bool | Callable[[], bool]
    overwrite: bool
    priority: int
    name: str
    kind: str
    source: str
    namespace: dict[str, Any] | None
    given: dict[str, Any]
    _parameters: Parameters | None

    def __init__(
        self,
        name: str,
        kind: str,
        *,
        source: str = "",
        namespace: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.name = name
        self.kind = kind
        self.source = source
        self.namespace = namespace
        self.given = options
        self._parameters = None
        for option, default in DEFAULTS.items():
            setattr(self, option, options.get(option, default))
        if self.ui is not None and self.parameters is None:
            self.parameters = getattr(self.ui, "state", None)
        self.display = options.get("display") or ("standalone" if kind == "human" else "inline")
        if self.concurrency == "auto":
            self.concurrency = "page" if self.category in _PAGE_CATEGORIES else None
        self._check(options)

    def __repr__(self) -> str:
        return f"<Tool {self.name} ({self.kind}) from {self.source or 'an unknown place'}>"

    @property
    def declared(self) -> bool:
        """Whether the model is told about it now."""
        if self.kind not in DECLARED_KINDS:
            return False
        return not (self.disabled() if callable(self.disabled) else self.disabled)

    @property
    def function(self) -> Callable[..., Any] | None:
        """The function that takes the arguments: what runs, or what draws a human tool's card."""
        return self.render if self.kind == "human" else self.execute

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
        """The JSON Schema of the arguments, in the form every provider understands."""
        return self.compiled().schema

    def schema_notes(self) -> list[str]:
        """What the portable form had to change, for the author."""
        return self.compiled().notes

    def declaration(self) -> dict[str, Any]:
        """What the backend is told: JSON and nothing else."""
        entry: dict[str, Any] = {
            "description": self.description_text(),
            "inputSchema": self.schema(),
        }
        if self.provider_options:
            entry["providerOptions"] = dict(self.provider_options)
        return entry

    def description_text(self) -> str:
        """The description as stated, else the docstring up to its first section."""
        if self.description is not None:
            return self.description
        from pagehand.toolkit.docstring import docstring_of

        return docstring_of(self.function).text

    def draw(self, call: Any) -> Any:
        """Calls `render` for a call: the arguments it names are filled in as they are known.

        Returns None where there is nothing to draw yet: no `render`, or an
        argument it cannot do without has not arrived.
        """
        if self.render is None and self.ui is None:
            return None
        from pagehand.toolkit.drawing import draw

        return draw(self, call)

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

    def problem(self, text: str) -> ToolDefinitionError:
        """An error about this tool that names it and its place."""
        place = f" ({self.source})" if self.source else ""
        return ToolDefinitionError(f"tool {self.name!r}{place}: {text}")

    def _check(self, options: dict[str, Any]) -> None:
        from pagehand.toolkit.checks import check_tool

        check_tool(self, options)
        if self.kind in DECLARED_KINDS and "pydantic" in sys.modules:
            from pagehand.toolkit.signature import UnresolvedNameError

            # A name that is defined further down is no mistake yet; the first need will tell.
            with suppress(UnresolvedNameError):
                self.compiled()
