"""Decides whether a call may run: allow, ask the person, or deny.

    policy = Policy(tools={"read-storage": "deny"}, categories={"form": "ask"})
    policy.decide(tool, values, "safe")   # "allow", "ask" or "deny"

A rule for the tool goes before a rule for its category, and both before what
the tool says of itself. Nothing said: `requires_confirmation` or risk
`dangerous` asks, everything else is allowed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.toolkit.settings import check_policy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagehand.toolkit.tool import Tool


_WEIGHT = {"safe": 0, "moderate": 1, "dangerous": 2}


class Policy:
    """The host's rules, and what the person allowed for this conversation.

    Args:
        tools: Rule by tool name.
        categories: Rule by category.
        risks: Rule by risk, for hosts that want `moderate` to ask too.

    Raises:
        ToolkitError: For a rule that is none of "allow", "ask" and "deny".
    """

    def __init__(
        self,
        tools: Mapping[str, str] | None = None,
        categories: Mapping[str, str] | None = None,
        risks: Mapping[str, str] | None = None,
    ) -> None:
        self.tools = dict(tools or {})
        self.categories = dict(categories or {})
        self.risks = dict(risks or {})
        self._allowed: dict[str, str] = {}
        check_policy({"tools": self.tools, "categories": self.categories, "risks": self.risks})

    def allow_for_conversation(self, name: str, risk: str) -> None:
        """Stops asking for a tool until `forget`; a `deny` rule still denies.

        Args:
            name: The tool.
            risk: Of the call that the person saw: calls of a higher one are still asked about.
        """
        self._allowed[name] = risk

    def forget(self) -> None:
        """Forgets what was allowed for a conversation: a new one begins."""
        self._allowed.clear()

    def denies(self, tool: Tool, risk: str) -> bool:
        """Whether a rule of the host forbids the call, whatever the tool says."""
        return self._stated(tool, risk) == "deny"

    def decide(
        self, tool: Tool, values: dict[str, Any], risk: str, *, outside: bool = False
    ) -> str:
        """The rule for one call with its checked arguments.

        Args:
            tool: What is called.
            values: Its arguments, checked.
            risk: Of this call.
            outside: The call is of no conversation: what was allowed for one does not count.
        """
        rule = self._stated(tool, risk)
        if rule is None:
            rule = "ask" if _asks(tool, values, risk) else "allow"
        seen = None if outside else self._allowed.get(tool.name)
        # A call that weighs more than the one that was seen is asked about.
        allowed = seen is not None and _WEIGHT[risk] <= _WEIGHT[seen]
        return "allow" if rule == "ask" and allowed else rule

    def _stated(self, tool: Tool, risk: str) -> str | None:
        by_name = self.tools.get(tool.name) or self.categories.get(tool.category)
        return by_name or self.risks.get(risk)


def risk_of(tool: Tool, values: dict[str, Any]) -> str:
    """The risk of one call: a tool may compute it from the arguments.

    A risk function that fails or says nonsense makes the call dangerous: when
    in doubt, ask.
    """
    if not callable(tool.risk):
        return tool.risk
    from pagehand.toolkit.definition import RISKS

    try:
        risk = tool.risk(**values)
    except Exception:  # noqa: BLE001 -- an author's function; in doubt, ask
        return "dangerous"
    return risk if risk in RISKS else "dangerous"


def _asks(tool: Tool, values: dict[str, Any], risk: str) -> bool:
    if risk == "dangerous":
        return True
    if not callable(tool.requires_confirmation):
        return bool(tool.requires_confirmation)
    try:
        return bool(tool.requires_confirmation(**values))
    except Exception:  # noqa: BLE001 -- an author's function; in doubt, ask
        return True
