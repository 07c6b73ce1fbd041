"""Tool UIs: what a card shows and what it answers, declared once, drawn by a view in this page.

    @dataclass
    class Pick:
        prompt: str
        candidates: list[str]

    PickAsset = ToolUI("pick_asset", state=Pick, answer=str)

    @toolkit.view(PickAsset)
    def pick(ui: Showing[Pick, str]):
        return [button(name, on_click=lambda event, name=name: ui.resolve(name))
                for name in ui.state.candidates]

Three things carry a state to a view, and the view cannot tell them apart: the arguments of a
tool that the person fulfils (`toolkit.fulfilled`), a suspended run of the server's, and a
`data-*` part of the stream. On the wire a state may be tagged: `{"_tag": "pick_asset",
"state": {...}}`. A Tool UI without `answer` only shows.
"""

from __future__ import annotations

from re import fullmatch
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pagehand.errors import ToolDefinitionError, ToolUIError

if TYPE_CHECKING:
    from collections.abc import Callable

S = TypeVar("S")
A = TypeVar("A")

TAG = "_tag"
STATE = "state"
_TAG_PATTERN = "[A-Za-z_][A-Za-z0-9_.:/-]{0,127}"


class ToolUI(Generic[S, A]):
    """A card's contract.

    Args:
        tag: Its name on the wire; for a tool that the person fulfils, the tool's name.
        state: What the view gets: a pydantic model, dataclass, TypedDict, any other type, or
            a JSON Schema object (the view gets plain JSON then).
        answer: What `resolve` takes, in the same ways; None for a card that only shows.

    Raises:
        ToolDefinitionError: The tag or a type cannot be.
    """

    __slots__ = ("_checks", "answer", "state", "tag")

    def __init__(
        self,
        tag: str,
        *,
        state: type[S] | dict[str, Any],
        answer: type[A] | dict[str, Any] | Any = None,
    ) -> None:
        if not isinstance(tag, str) or not fullmatch(_TAG_PATTERN, tag):
            raise ToolDefinitionError(
                f"ToolUI {tag!r}: a tag begins with a letter or _ and goes on with letters, "
                "digits and _ . : / -"
            )
        self.tag = tag
        self.state = state
        self.answer = answer
        self._checks: dict[str, Callable[[Any], Any]] = {}

    def __repr__(self) -> str:
        return f"<ToolUI {self.tag}>"

    @property
    def answers(self) -> bool:
        """Whether the person answers it."""
        return self.answer is not None

    def read_state(self, value: Any) -> S:
        """The state of a plain or tagged JSON value, checked and converted.

        Raises:
            ToolUIError: It is the state of another Tool UI, or does not fit.
        """
        found = tagged(value)
        if found is not None:
            tag, value = found
            if tag != self.tag:
                raise ToolUIError(f"A state of {tag!r} cannot be shown as {self.tag!r}.")
        state: S = self._check(STATE, self.state, value)
        return state

    def read_answer(self, value: Any) -> Any:
        """The JSON of an answer, checked.

        Raises:
            ToolUIError: It is not what the Tool UI answers with.
            UnsendableValueError: JSON cannot carry it.
        """
        from pagehand.toolkit.result import to_wire

        if not self.answers:
            raise ToolUIError(f"{self.tag!r} only shows; it takes no answer.")
        wire = to_wire(value, "answer")
        self._check("answer", self.answer, wire)
        return wire

    def check(self) -> None:
        """Builds both checks.

        Raises:
            ToolDefinitionError: A type cannot be checked.
        """
        self._checker(STATE, self.state)
        if self.answers:
            self._checker("answer", self.answer)

    def _check(self, what: str, kind: Any, value: Any) -> Any:
        try:
            return self._checker(what, kind)(value)
        except ValueError as error:
            lines = str(error).strip().split("\n")
            raise ToolUIError(f"{self.tag}: the {what} does not fit: {'; '.join(lines)}") from error

    def _checker(self, what: str, kind: Any) -> Callable[[Any], Any]:
        if what not in self._checks:
            make = _schema_check if isinstance(kind, dict) else _type_check
            try:
                self._checks[what] = make(kind)
            except ModuleNotFoundError:
                raise
            except Exception as error:
                raise ToolDefinitionError(
                    f"ToolUI {self.tag!r}: its {what} cannot be checked: {error}"
                ) from error
        return self._checks[what]


class Showing(Generic[S, A]):
    """What a view gets: the state, and how to answer.

    Attributes:
        state: Checked and converted.
        tag: The Tool UI's tag.
        busy: Whether an answer has been given and its effect is awaited: controls are off.
        answer: The JSON of the answer once there is one, else None.
        call: The live call, or None for a card of the stream.
    """

    __slots__ = ("_resolve", "_ui", "answer", "busy", "call", "state")

    def __init__(
        self,
        ui: ToolUI[S, A],
        state: S,
        resolve: Callable[[Any], bool] | None = None,
        *,
        busy: bool = False,
        answer: Any = None,
        call: Any = None,
    ) -> None:
        self._ui = ui
        self._resolve = resolve
        self.state = state
        self.busy = busy
        self.answer = answer
        self.call = call

    @property
    def tag(self) -> str:
        """The Tool UI's tag."""
        return self._ui.tag

    @property
    def waits(self) -> bool:
        """Whether `resolve` is taken now."""
        return self._resolve is not None and not self.busy

    def resolve(self, answer: A) -> bool:
        """Answers; the first answer counts.

        Returns:
            Whether it was taken.

        Raises:
            ToolUIError: The answer is not of the declared type; the card stays open.
        """
        if self._resolve is None or self.busy:
            return False
        return self._resolve(self._ui.read_answer(answer))


class View:
    """A view with the Tool UI it draws, and where it stands in the source."""

    __slots__ = ("function", "source", "ui")

    def __init__(self, ui: ToolUI[Any, Any], function: Callable[..., Any], source: str) -> None:
        self.ui = ui
        self.function = function
        self.source = source

    def draw(self, value: Any, resolve: Callable[[Any], bool] | None, **more: Any) -> Any:
        """Calls the view for a state as it came."""
        state = self.ui.read_state(value)
        return self.function(Showing(self.ui, state, resolve, **more))


def tagged(value: Any) -> tuple[str, Any] | None:
    """The tag and the state of `{_tag, state}`; None for anything else."""
    if isinstance(value, dict) and isinstance(value.get(TAG), str) and STATE in value:
        return value[TAG], value[STATE]
    return None


def _type_check(kind: Any) -> Callable[[Any], Any]:
    from pydantic import TypeAdapter, ValidationError

    adapter: TypeAdapter[Any] = TypeAdapter(kind)

    def check(value: Any) -> Any:
        try:
            return adapter.validate_python(value)
        except ValidationError as error:
            raise ValueError(
                "\n".join(_line(item) for item in error.errors(include_url=False))
            ) from error

    return check


def _line(item: Any) -> str:
    where = ".".join(str(step) for step in item["loc"])
    return f"{where}: {item['msg']}" if where else str(item["msg"])


def _schema_check(schema: dict[str, Any]) -> Callable[[Any], Any]:
    from pagehand.toolkit.json_schema import validator_of

    validator = validator_of(schema)

    def check(value: Any) -> Any:
        problems = [str(error.message) for error in validator.iter_errors(value)]
        if problems:
            raise ValueError("\n".join(problems))
        return value

    return check


def missing_view(tool: Any) -> str:
    """The sentence about a tool that nobody draws."""
    return str(
        tool.problem(
            f"its Tool UI {tool.ui.tag!r} has no view on this page; add `@toolkit.view(...)` "
            "for it, or leave the tool out"
        )
    )
