"""What the tools may use in one turn."""

from __future__ import annotations

import pytest

from pagehand.tools.budget import Budget
from pagehand.tools.outcome import TroubleError


def test_calls_and_characters_end_and_a_new_turn_begins_anew() -> None:
    budget = Budget(calls=2, characters=100)
    budget.take("m1")
    budget.spend(60)
    budget.take("m1")
    with pytest.raises(TroubleError, match="2 calls") as caught:
        budget.take("m1")
    assert caught.value.code == "budget"
    budget.take("m2")
    budget.spend(150)
    with pytest.raises(TroubleError, match="100 characters"):
        budget.take("m2")
    budget.take("m3")


@pytest.mark.parametrize("wrong", [{"calls": 0}, {"characters": -1}])
def test_a_budget_of_nothing_is_no_budget(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        Budget(**wrong)
