"""What a call leaves for its card and not for the model: the artifact, the value behind a text.

It is stored with the conversation, so that the card looks the same after a reload. It never
decides how a call ends, for what the call did is done: an artifact that is not JSON is left out,
what is too long to be stored is shown now and not kept, and somebody is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.errors import UnsendableValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    Tell: TypeAlias = Callable[[str, str], None]


def artifact_of(artifact: Any, tell: Tell) -> Any:
    """The artifact as plain JSON; None without one, and for one that is not JSON.

    Args:
        artifact: As the tool gave it.
        tell: Told the name of what is left out, and why.
    """
    if artifact is None:
        return None
    from pagehand.toolkit.result import to_wire

    try:
        return to_wire(artifact, "artifact")
    except (UnsendableValueError, TypeError, ValueError) as error:
        tell("artifact", f"left out: {error}")
        return None


def kept_of(values: Mapping[str, Any], most: int, tell: Tell) -> dict[str, Any]:
    """Those of the card's values, JSON all of them, that are short enough to be stored.

    Args:
        values: By name: `artifact`, `result`.
        most: How many characters of JSON each may have.
        tell: Told the name of what is not kept, and why.
    """
    return {name: value for name, value in values.items() if _fits(name, value, most, tell)}


def _fits(name: str, value: Any, most: int, tell: Tell) -> bool:
    from pagehand.engine.records import excess

    size = excess(value, most)
    if size:
        tell(
            name,
            f"not kept: it has {size} characters, more than the {most} that are stored with a "
            "call (longest_kept). After a reload the card draws without it.",
        )
    return not size
