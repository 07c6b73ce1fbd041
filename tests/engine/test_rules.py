import pytest

from engine.helpers import Bench
from pagehand.engine.clock import ManualClock
from pagehand.engine.outcome import Output
from pagehand.engine.policy import Policy
from pagehand.engine.rules import Rules
from pagehand.errors import ToolkitError
from pagehand.toolkit.toolkit import Toolkit


def rules(toolkit=None, **stated):
    return Rules(toolkit or Toolkit(), ManualClock(), stated)


def test_what_holds_when_nobody_says_anything():
    found = rules()
    assert (found.timeout, found.confirm_seconds, found.mask_secrets) == (60, 30, True)
    assert found.longest_result == 262_144


def test_the_engines_maker_goes_before_the_toolkit():
    toolkit = Toolkit()
    toolkit.configure(timeout=5, confirm_seconds=10)
    found = rules(toolkit, timeout=None)
    assert (found.timeout, found.confirm_seconds) == (None, 10)


def test_a_toolkit_may_be_configured_later_and_from_within():
    part = Toolkit()
    whole = Toolkit(part)
    found = rules(whole)
    assert found.confirm_seconds == 30
    part.configure(confirm_seconds=5)
    assert found.confirm_seconds == 5
    whole.configure(confirm_seconds=7)
    assert found.confirm_seconds == 7
    whole.exclude(part)
    assert whole.setting("timeout") is None


def test_policy_and_limits_stay_the_same_objects_while_the_setting_stays():
    toolkit = Toolkit()
    toolkit.configure(policy={"tools": {"a": "deny"}}, limits={"per_turn": 3})
    found = rules(toolkit)
    assert found.policy is found.policy
    assert found.policy.tools == {"a": "deny"}
    assert found.limits is found.limits
    before = found.policy
    toolkit.configure(policy={"tools": {}})
    assert found.policy is not before


def test_a_ready_policy_is_taken_as_it_is():
    policy = Policy()
    assert rules(policy=policy).policy is policy


@pytest.mark.parametrize("settings", [{"timeut": 3}, {"timeout": 0}, {"limits": {"a": 1}}])
def test_an_engine_takes_no_setting_that_cannot_be(settings):
    with pytest.raises(ToolkitError, match=next(iter(settings))):
        Bench(**settings)


async def test_an_engine_follows_its_toolkit():
    bench = Bench()
    bench.toolkit.tool("a", category="data")(lambda: {"password": "hunter22"})
    bench.toolkit.configure(mask_secrets=False)
    assert await bench.run("a") == Output({"password": "hunter22"})
    bench.toolkit.configure(policy={"categories": {"data": "deny"}})
    assert "not allowed" in (await bench.run("a")).error_text
