"""A call's arguments on their way to the function: checked, or what is wrong with them.

What `parameters` and the checkers pass to each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pagehand.errors import ArgumentsError

if TYPE_CHECKING:
    from pagehand.toolkit.signature import Signature


class Problem:
    """One thing wrong with the arguments.

    Attributes:
        path: The steps to the argument, as in ("fields", 0, "name"); empty for the whole.
        reason: What is wrong, in the validator's words.
        came: What was there; None when nothing was.
        kind: `missing`, `unexpected` or `value`.
        telling: Whether the reason says more than "expected this, got that".
    """

    __slots__ = ("came", "kind", "path", "reason", "telling")

    def __init__(
        self,
        path: tuple[str | int, ...],
        reason: str,
        came: Any,
        kind: str,
        telling: bool = False,
    ) -> None:
        self.telling = telling
        self.path = path
        self.reason = reason
        self.came = came
        self.kind = kind


class InvalidArgumentsError(ArgumentsError):
    """Arguments that do not fit; carries every problem found."""

    def __init__(self, text: str, problems: list[Problem]) -> None:
        super().__init__(text)
        self.problems = problems


class Checker(Protocol):
    """Describes arguments and checks them; one per way of declaring parameters."""

    @property
    def signature(self) -> Signature | None:
        """The signature that declares them, or None where a type or a schema does."""
        ...

    def raw_schema(self) -> dict[str, Any]:
        """The JSON Schema as the library makes it."""
        ...

    def check(self, arguments: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Checks, and returns the values by name and the whole.

        Raises:
            InvalidArgumentsError: With its problems filled in.
        """
        ...


class Prepared:
    """Checked arguments.

    Attributes:
        values: Converted values by argument name.
        whole: The same as one object (a model instance, or the dict).
        raw: The JSON arguments after repair.
        repairs: What was repaired on the way, in words.
    """

    __slots__ = ("raw", "repairs", "values", "whole")

    def __init__(
        self, values: dict[str, Any], whole: Any, raw: dict[str, Any], repairs: list[str]
    ) -> None:
        self.values = values
        self.whole = whole
        self.raw = raw
        self.repairs = repairs
