from __future__ import annotations

from typing import Any

import pytest

from backend.approvals import ApprovalError, Approvals
from backend.step import call_key
from pagehand.wire.chunks import ToolOutputDenied

SECRET, OLD = "a secret of all replicas", "the secret before it"


def part(approval_id: str, arguments: Any = None, call_id: str = "c.1") -> dict[str, Any]:
    return {
        "toolCallId": call_id,
        "input": arguments or {"a": 1, "b": [2]},
        "approval": {"id": approval_id},
    }


def issued(approvals: Approvals, principal: str = "ann") -> str:
    return approvals.issue("c.1", "pay", {"b": [2], "a": 1}, principal)


def test_another_replica_accepts_it_whatever_the_order_of_keys() -> None:
    approval_id = issued(Approvals(SECRET))
    assert approval_id.startswith("c.1.")
    assert Approvals(SECRET).refusal(part(approval_id), "pay", "ann") is None


def test_the_secret_before_the_change_still_counts() -> None:
    approval_id = issued(Approvals(OLD))
    assert Approvals(SECRET, OLD).refusal(part(approval_id), "pay", "ann") is None
    assert Approvals(SECRET).refusal(part(approval_id), "pay", "ann")


def test_without_a_secret_only_the_same_process_accepts_it() -> None:
    approvals = Approvals()
    approval_id = issued(approvals)
    assert Approvals().refusal(part(approval_id), "pay", "ann")
    assert approvals.refusal(part(approval_id), "pay", "ann") is None


@pytest.mark.parametrize(
    ("arguments", "tool", "principal", "call_id"),
    [
        ({"a": 2, "b": [2]}, "pay", "ann", "c.1"),
        ({"a": 1, "b": [2], "c": 3}, "pay", "ann", "c.1"),
        ({"a": 1, "b": [2]}, "give", "ann", "c.1"),
        ({"a": 1, "b": [2]}, "pay", "bob", "c.1"),
        ({"a": 1, "b": [2]}, "pay", "ann", "c.2"),
    ],
)
def test_anything_altered_is_refused(
    arguments: Any, tool: str, principal: str, call_id: str
) -> None:
    approvals = Approvals(SECRET)
    approval_id = issued(approvals)
    assert approvals.refusal(part(approval_id, arguments, call_id), tool, principal)


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "c.1",
        "c.1.",
        "c.1..",
        "c.1.9999999999.",
        "c.1.x.AAAA",
        "c.1.99999999999999999999.AAAA",
        "c.1.9999999999.\ud800",
    ],
)
def test_forged_ids_are_refused(forged: str) -> None:
    assert Approvals(SECRET).refusal(part(forged), "pay", "ann")


def test_it_ends_when_its_time_is_over() -> None:
    now = [1_000.0]
    approvals = Approvals(SECRET, seconds=60, clock=lambda: now[0])
    approval_id = issued(approvals)
    now[0] = 1_061.0
    assert "too late" in str(approvals.refusal(part(approval_id), "pay", "ann"))
    now[0] = 1_060.0
    assert approvals.refusal(part(approval_id), "pay", "ann") is None


def test_a_later_expiry_cannot_be_written_in() -> None:
    approvals = Approvals(SECRET)
    head, expiry, mac = issued(approvals).rsplit(".", 2)
    assert approvals.refusal(part(f"{head}.{int(expiry) + 1}.{mac}"), "pay", "ann")


AS_JAVASCRIPT_RETURNS_THEM = [
    (2.0, 2),
    (-0.0, 0),
    (1e16, 10**16),
    (float(2**60), 1152921504606847000),  # JavaScript writes the shortest digits, then noughts
    (10**21, 1e21),
    (0.1, 0.1),
    ("a\ud800", "a\ufffd"),
    ("\ud83d\ude00", "\U0001f600"),
    ({"n": [1.0]}, {"n": [1]}),
    ({"\ud800": 3.0}, {"\ufffd": 3}),
]


@pytest.mark.parametrize(("asked", "returned"), AS_JAVASCRIPT_RETURNS_THEM)
def test_a_client_may_write_a_value_its_own_way(asked: Any, returned: Any) -> None:
    approvals = Approvals(SECRET)
    approval_id = approvals.issue("c.1", "pay", {"v": asked}, "ann")
    assert approvals.refusal(part(approval_id, {"v": returned}), "pay", "ann") is None
    assert call_key("pay", {"v": asked}) == call_key("pay", {"v": returned})


@pytest.mark.parametrize(
    ("asked", "returned"),
    [
        (2.0, 2.5),
        (1, True),
        (0, None),
        ("1", 1),
        (12345678901234567890, 12345678901234567891),
        (12345678901234567890, 12345678901234567000),
        (10**400, 10**400 + 1),
        ("a", "b"),
    ],
)
def test_another_value_stays_another(asked: Any, returned: Any) -> None:
    approvals = Approvals(SECRET)
    approval_id = approvals.issue("c.1", "pay", {"v": asked}, "ann")
    assert approvals.refusal(part(approval_id, {"v": returned}), "pay", "ann")
    assert call_key("pay", {"v": asked}) != call_key("pay", {"v": returned})


def test_it_works_once() -> None:
    approvals = Approvals(SECRET)
    approval_id = issued(approvals)
    assert approvals.refusal(part(approval_id), "pay", "ann") is None
    assert "used before" in str(approvals.refusal(part(approval_id), "pay", "ann"))


def test_what_was_denied_cannot_be_approved_afterwards() -> None:
    approvals = Approvals(SECRET)
    call = {**part(issued(approvals)), "type": "tool-pay"}
    call["approval"]["approved"] = False
    assert isinstance(approvals.settle(call, "ann"), ToolOutputDenied)
    assert call["state"] == "output-denied"
    assert isinstance(approvals.settle(call, "ann"), ToolOutputDenied)
    call["approval"]["approved"] = True
    assert "used before" in str(approvals.refusal(call, "pay", "ann"))


def test_a_check_uses_nothing_up() -> None:
    approvals = Approvals(SECRET)
    approval_id = issued(approvals)
    arguments = {"a": 1, "b": [2]}
    assert approvals.check(approval_id, "pay", arguments, "ann") == "c.1"
    with pytest.raises(ApprovalError, match="used before"):
        approvals.redeem(approval_id, "pay", arguments, "ann", used={approval_id})
    assert approvals.redeem(approval_id, "pay", arguments, "ann") == "c.1"
