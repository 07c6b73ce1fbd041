"""What the tools may use between two messages of the person: so many calls, so much text.

budget = Budget(calls=200, characters=400_000)
budget.take("m1")        # raises TroubleError when nothing is left
budget.spend(1200)       # characters that went to the model
"""

from __future__ import annotations

from pagehand.tools.outcome import TroubleError


class Budget:
    """Counts one turn.

    Args:
        calls: Calls of page tools in one turn.
        characters: Characters of results in one turn; the call that crosses the line still answers.
    """

    __slots__ = ("_calls", "_characters", "_turn", "_used_calls", "_used_characters")

    def __init__(self, calls: int = 200, characters: int = 400_000) -> None:
        if calls < 1 or characters < 1:
            raise ValueError("a budget is at least 1: page_tools(budget={'calls': 200})")
        self._calls = calls
        self._characters = characters
        self._turn: str | None = None
        self._used_calls = 0
        self._used_characters = 0

    def take(self, turn: str) -> None:
        """Uses one call of a turn; a new turn begins with everything.

        Raises:
            TroubleError: `budget`.
        """
        if turn != self._turn:
            self._turn, self._used_calls, self._used_characters = turn, 0, 0
        spent = (
            f"{self._calls} calls of page tools"
            if self._used_calls >= self._calls
            else f"{self._characters:,} characters of results"
            if self._used_characters >= self._characters
            else ""
        )
        if spent:
            raise TroubleError(
                "budget",
                f"The budget of {spent} for this turn is used up. Tell the person what is done "
                "and what is left; they can ask you to go on.",
                "本轮的页面工具额度已用完；请告诉用户已完成和未完成的部分。",
            )
        self._used_calls += 1

    def spend(self, characters: int) -> None:
        """Counts a result."""
        self._used_characters += characters
