"""The settings of an engine: what its maker said, else what the toolkit says.

    rules = Rules(toolkit, clock, {"timeout": 30})
    rules.timeout, rules.policy, rules.limits, rules.confirm_seconds, rules.mask_secrets

A toolkit's `configure` may come after the engine was made, so it is read at each use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pagehand.engine.limits import RateLimits
from pagehand.engine.policy import Policy
from pagehand.toolkit.settings import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pagehand.engine.clock import Clock
    from pagehand.toolkit.toolkit import Toolkit


class Rules:
    """Settings with the toolkit's own behind them."""

    def __init__(self, toolkit: Toolkit, clock: Clock, stated: Mapping[str, Any]) -> None:
        self._toolkit = toolkit
        self._clock = clock
        self._stated = dict(stated)
        self._policy: tuple[Any, Policy] | None = None
        self._limits: tuple[Any, RateLimits] | None = None

    @property
    def timeout(self) -> float | None:
        """Seconds a tool may run that says nothing itself; None for no end."""
        seconds: float | None = self._get("timeout")
        return seconds

    @property
    def confirm_seconds(self) -> float:
        """Seconds a question stands before it declines."""
        return float(self._get("confirm_seconds"))

    @property
    def mask_secrets(self) -> bool:
        """Whether secrets in results are masked before they leave."""
        return bool(self._get("mask_secrets"))

    @property
    def longest_result(self) -> int:
        """Characters of JSON that a result may have."""
        return int(self._get("longest_result"))

    @property
    def longest_kept(self) -> int:
        """Characters of JSON that are stored with a call for its card only."""
        return int(self._get("longest_kept"))

    @property
    def policy(self) -> Policy:
        """Allow, ask, deny. What was allowed for a conversation lasts as long as the setting."""
        given = self._get("policy")
        if self._policy is None or self._policy[0] is not given:
            self._policy = (given, given if isinstance(given, Policy) else Policy(**(given or {})))
        return self._policy[1]

    @property
    def limits(self) -> RateLimits:
        """The rate limits."""
        given = self._get("limits")
        if self._limits is None or self._limits[0] is not given:
            self._limits = (given, RateLimits(self._clock, **(given or {})))
        return self._limits[1]

    def _get(self, name: str) -> Any:
        if name in self._stated:
            return self._stated[name]
        found = self._toolkit.setting(name)
        return SETTINGS[name] if found is None else found
