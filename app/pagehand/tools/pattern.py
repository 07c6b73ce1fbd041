"""Says whether a model's regular expression could keep the browser busy for ever.

The page's own thread does the matching and nothing can interrupt it, so what may take
exponential or high polynomial time is refused before it starts. The eyes do the rest: they try
one place after the other, look ahead a short way only, and stop when their time is up.
"""

from __future__ import annotations

import re

LONGEST = 200  # characters of a pattern
REACH = 128  # characters that one match can be long (eyes.js)
# Two to the power of this is about how many ways may be tried at one place.
_MOST_BITS = 28
_TOKEN = re.compile(
    r"\\.|\[(?:\\.|[^\]\\])*\]|(?P<open>\((?:\?(?:[:=!]|<[=!]|<\w+>))?)|(?P<close>\))|(?P<or>\|)"
    r"|(?P<loop>[*+?]|\{(?P<low>\d+)(?P<comma>,)?(?P<high>\d*)\})\??|.",
    re.DOTALL,
)


class _Group:
    """One open bracket: its alternatives, and how many bits its choices take."""

    __slots__ = ("alternatives", "bits")

    def __init__(self) -> None:
        self.alternatives = 1
        self.bits = 0

    def closed(self) -> int:
        return self.bits + (self.alternatives - 1).bit_length()


def complaint(pattern: str) -> str:
    """What to change about the pattern so that it can be run, or ""."""
    if len(pattern) > LONGEST:
        return f"a pattern has at most {LONGEST} characters, this one {len(pattern)}"
    groups = [_Group()]
    inside = 0  # the choices within what was read last
    for token in _TOKEN.finditer(pattern):
        if token["open"]:
            groups.append(_Group())
        elif token["or"]:
            groups[-1].alternatives += 1
        elif token["close"] and len(groups) > 1:
            inside = groups.pop().closed()
            groups[-1].bits += inside
            continue
        elif token["loop"]:
            bits, repeats = _choices(token)
            if inside and repeats:
                return "a repeated group may not hold *, +, ?, {n,m} or | itself"
            groups[-1].bits += bits
        inside = 0
    if sum(group.closed() for group in groups) > _MOST_BITS:
        return "it has too many *, +, ?, {n,m} and |; use fewer, or search for plain text"
    return ""


def _choices(token: re.Match[str]) -> tuple[int, bool]:
    """The bits of a repetition, and whether it is one: `?` only leaves out."""
    sign = token["loop"]
    if sign == "?":
        return 1, False
    if sign in "*+":
        return REACH.bit_length() - 1, True
    low = int(token["low"])
    high = int(token["high"]) if token["high"] else (REACH if token["comma"] else low)
    spread = min(max(high - low, 0), REACH - 1)
    return spread.bit_length(), high > 1
