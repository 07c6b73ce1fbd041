"""The AI SDK's own tests, numbered 1 to 167 in our notes: each is a test here, or is not ours.

A test that shows behaviour N has `bNNN` in its name.
"""

from __future__ import annotations

import re
from pathlib import Path

NOT_OURS = {
    21: "`dynamic` is no matter of the engine: both kinds run alike (see 22 and 88)",
    52: "data parts have no schemas here",
    69: "plain text as a stream is another transport",
    90: "the decision to go on is synchronous, there is no promise to wait for",
    97: "an old name of add_tool_output",
    105: "a callback per call: the engine does this",
    126: "typing on settles what older messages left open (test_conversation)",
    **dict.fromkeys(range(155, 166), "conversion for a model is the server's"),
    166: "a generator of snapshots: views compare revisions instead",
    167: "there is no job queue: one event loop, plain functions",
}


def test_every_behaviour_is_a_test_or_not_ours() -> None:
    shown: set[int] = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for name in re.findall(r"def (test_b\d{3}\w*)", path.read_text(encoding="utf-8")):
            shown |= {int(number) for number in re.findall(r"(?<=b)\d{3}", name)}
    assert set(range(1, 168)) - shown == set(NOT_OURS)
