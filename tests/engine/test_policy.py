import pytest

from engine.helpers import Bench, turns
from pagehand.engine.outcome import Output
from pagehand.engine.policy import Policy, risk_of
from pagehand.errors import ToolkitError
from pagehand.toolkit.tool import Tool


def tool(**options):
    return Tool("a", "frontend", execute=lambda n=0: n, **options)


def decide(policy, found, **values):
    return policy.decide(found, values, risk_of(found, values))


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, "allow"),
        ({"risk": "moderate"}, "allow"),
        ({"risk": "dangerous"}, "ask"),
        ({"risk": "dangerous", "requires_confirmation": False}, "ask"),
        ({"requires_confirmation": True}, "ask"),
        ({"requires_confirmation": lambda n: n > 5}, "allow"),
        ({"requires_confirmation": lambda n: n < 5}, "ask"),
        ({"requires_confirmation": lambda n: 1 / 0}, "ask"),
        ({"risk": lambda n: "dangerous" if n else "safe"}, "ask"),
        ({"risk": lambda n: "nonsense"}, "ask"),
        ({"risk": lambda n: 1 / 0}, "ask"),
    ],
)
def test_what_a_tool_says_of_itself(options, rule):
    assert decide(Policy(), tool(**options), n=1) == rule


@pytest.mark.parametrize(
    ("policy", "rule"),
    [
        (Policy(tools={"a": "allow"}), "allow"),
        (Policy(tools={"a": "deny"}), "deny"),
        (Policy(categories={"form": "deny"}), "deny"),
        (Policy(tools={"a": "ask"}, categories={"form": "deny"}), "ask"),
        (Policy(tools={"b": "deny"}, categories={"data": "deny"}), "ask"),
        (Policy(risks={"dangerous": "deny"}), "deny"),
        (Policy(risks={"moderate": "ask"}), "ask"),
    ],
)
def test_the_hosts_rules_go_first(policy, rule):
    assert decide(policy, tool(category="form", risk="dangerous")) == rule


def test_moderate_may_ask_too():
    assert decide(Policy(risks={"moderate": "ask"}), tool(risk="moderate")) == "ask"


def test_allowed_for_a_conversation_is_never_stronger_than_deny():
    policy = Policy(tools={"a": "deny"})
    policy.allow_for_conversation("a", "dangerous")
    assert decide(policy, tool()) == "deny"
    policy = Policy()
    policy.allow_for_conversation("a", "dangerous")
    assert decide(policy, tool(risk="dangerous")) == "allow"
    policy.forget()
    assert decide(policy, tool(risk="dangerous")) == "ask"


def test_a_rule_must_be_one_of_three():
    with pytest.raises(ToolkitError, match="allow, ask, deny, not 'maybe'"):
        Policy(tools={"a": "maybe"})


async def test_deny_is_told_to_the_model():
    bench = Bench(policy=Policy(categories={"storage": "deny"}))
    ran = []
    bench.toolkit.tool("read", category="storage")(lambda: ran.append(1))
    assert "'read' is not allowed on this page" in (await bench.run("read")).error_text
    assert ran == []


async def test_the_risk_of_a_call_depends_on_its_arguments():
    bench = Bench()
    bench.engine.subscribe(lambda _: None)

    def risk(url):
        return "safe" if url.startswith("/") else "dangerous"

    bench.toolkit.tool("go", risk=risk)(lambda url: url)
    assert await bench.run("go", {"url": "/a"}) == Output("/a")
    bench.start("go", {"url": "https://elsewhere"})
    await turns()
    (question,) = bench.engine.confirmations
    assert question.risk == "dangerous"
    question.answer(True)
    await turns()
