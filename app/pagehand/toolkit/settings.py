"""The settings that `Toolkit.configure` and `Engine` take, and the mistakes in them.

check_settings({"timeout": 30, "policy": {"tools": {"delete-page": "deny"}}})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pagehand.errors import ToolkitError
from pagehand.toolkit.definition import is_time

if TYPE_CHECKING:
    from collections.abc import Callable

# Every setting, with what holds when nobody says anything.
SETTINGS: dict[str, Any] = {
    "policy": None,
    "limits": None,
    "timeout": 60.0,
    "confirm_seconds": 30.0,
    "mask_secrets": True,
    "longest_result": 262_144,  # the backend takes no longer one
    "longest_kept": 100_000,  # a conversation is stored whole, at each of its changes
    "card_part": "mastra-effect-block",
    "webmcp": True,
}

RULES = ("allow", "ask", "deny")

_POLICY = ("tools", "categories", "risks")
_LIMITS = ("per_tool", "overall", "tools", "per_turn")


def check_settings(settings: Mapping[str, Any]) -> None:
    """Checks settings; None says that the setting is not stated.

    Raises:
        ToolkitError: For the first setting that does not exist or cannot be, saying what it is.
    """
    for name, value in settings.items():
        if name not in SETTINGS:
            raise ToolkitError(f"there is no setting {name!r}; known are: {', '.join(SETTINGS)}")
        if value is not None:
            _CHECKS[name](name, value)


def check_policy(policy: Mapping[str, Any]) -> None:
    """Checks the rules of a policy.

    Raises:
        ToolkitError: For the first rule that cannot be.
    """
    for part, rules in policy.items():
        if part not in _POLICY:
            raise ToolkitError(f"a policy has `tools`, `categories` and `risks`, not {part!r}")
        if not isinstance(rules, Mapping):
            raise ToolkitError(f"a policy's `{part}` maps names to rules; it is {rules!r}")
        for whose, rule in rules.items():
            if rule not in RULES:
                raise ToolkitError(
                    f"policy for {whose!r}: a rule is one of {', '.join(RULES)}, not {rule!r}"
                )


def _policy(name: str, value: Any) -> None:
    if isinstance(value, Mapping):
        check_policy(value)
    elif not hasattr(value, "decide"):  # a ready one
        raise ToolkitError(f"a policy maps `tools`, `categories` and `risks`; it is {value!r}")


def _limits(name: str, value: Any) -> None:
    if not isinstance(value, Mapping) or not set(value) <= set(_LIMITS):
        known = ", ".join(f"`{limit}`" for limit in _LIMITS)
        raise ToolkitError(f"limits map {known}; they are {value!r}")
    for limit, stated in value.items():
        if limit == "per_turn":
            _count("limits `per_turn`", stated, may_be_absent=True)
        elif limit == "tools":
            if not isinstance(stated, Mapping):
                raise ToolkitError(f"limits `tools` map names to (calls, seconds), not {stated!r}")
            for tool, pair in stated.items():
                _pair(f"the limit of {tool!r}", pair)
        elif stated is not None:
            _pair(f"limits `{limit}`", stated)


def _pair(what: str, value: Any) -> None:
    pair = isinstance(value, (tuple, list)) and len(value) == 2
    if not pair or not (is_time(value[0]) and is_time(value[1])):
        raise ToolkitError(f"{what} is (calls, seconds), both above 0, not {value!r}")


def _time(name: str, value: Any) -> None:
    if not is_time(value):
        raise ToolkitError(f"{name} is a number of seconds above 0, not {value!r}")


def _count(name: str, value: Any, *, may_be_absent: bool = False) -> None:
    whole = isinstance(value, int) and not isinstance(value, bool) and value > 0
    if not whole and not (may_be_absent and value is None):
        raise ToolkitError(f"{name} is a whole number above 0, not {value!r}")


def _switch(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ToolkitError(f"{name} is True or False, not {value!r}")


def _text(name: str, value: Any) -> None:
    if not isinstance(value, str) or not value:
        raise ToolkitError(f"{name} is a name, not {value!r}")


_CHECKS: dict[str, Callable[[str, Any], None]] = {
    "policy": _policy,
    "limits": _limits,
    "timeout": _time,
    "confirm_seconds": _time,
    "mask_secrets": _switch,
    "longest_result": _count,
    "longest_kept": _count,
    "card_part": _text,
    "webmcp": _switch,
}
