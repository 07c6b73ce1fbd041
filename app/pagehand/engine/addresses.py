"""What is secret in an address: parts that are named as secrets, never the ids that make it lead.

    mask_address("/reset?token=abc&page=2", plain)
    # ("/reset?token=[masked token]&page=2", 1)

A link is useless to a model without its ids, slugs and hashes, so these stay, however mixed they
look. What is masked: values under a secret's name, what stands after a step such as `reset`, the
password before an `@`, and what the given function knows by its look anywhere.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# An address in a text: with a scheme, or beginning where a word may begin.
ADDRESS = (
    r"(?:\b[A-Za-z][A-Za-z0-9+.-]{1,20}://|(?<![^\s\"'(<=])(?:\.{0,2}/(?=[^\s/])|[?#](?=[\w.-]+=)))"
    r"[^\s\"'<>]*(?:(?<=\d)(?: \d{2,})+)?"  # figures in groups may be a card's number
)
_SIGNED = re.compile(r"(?:^|[-_.])(?:sig|signature|hmac)$", re.IGNORECASE)
# Names that hold secrets as well as plain words: there the value decides.
_UNSURE = re.compile(
    r"(?:^|[-_.])(?:code|key|state|nonce|ticket|assertion|verifier|challenge|otp|hash_?key)$",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"^(?:reset|verify|verification|activate|activation|magic|recover|token|password)"
    r"(?:[-_]?(?:link|login|password|email|account|token))?$",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_KEY = re.compile(r"(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{16,}")
_SHORTEST_SIGNED = 8


def looks_random(text: str) -> bool:
    """Letters of both cases and figures in no order, as no words and no file names have them."""
    kinds = [0 if c.isdecimal() else 1 if c.islower() else 2 for c in text if c.isalnum()]
    changes = sum(a != b for a, b in pairwise(kinds))
    return len(set(kinds)) == 3 and changes >= 0.4 * (len(kinds) - 1)


def _is_key(value: str) -> bool:
    """Whether a value is more likely a key than words or an id."""
    if len(value) < 16 or _UUID.fullmatch(value):
        return False
    return bool(_KEY.search(value)) or looks_random(value)


def mask_address(
    text: str, known: Callable[[str], str], names_secret: Callable[[str], int]
) -> tuple[str, int]:
    """The address without its secrets, and how many there were.

    Args:
        text: The address.
        known: Masks what is known by its look.
        names_secret: 2 for a name that is surely a secret's, 1 for one that may be, else 0.
    """
    pieces = re.split(r"([?&#;])", text)
    found = 0
    out = []
    for index, piece in enumerate(pieces):
        name, equals, value = piece.partition("=")
        if index % 2 or not piece:
            out.append(piece)
            continue
        if index and equals:
            masked = _value(name, value, names_secret)
        else:
            masked, count = _path(piece)
            found += count
            out.append(known(masked))
            continue
        found += masked is not None
        out.append(f"{name}={known(value) if masked is None else masked}")
    return "".join(out), found


def _value(name: str, value: str, names_secret: Callable[[str], int]) -> str | None:
    """The mask of one value, or None where it may be told."""
    if value.startswith("[masked"):
        return None  # masked before
    sure = names_secret(name)
    secret = value and (
        sure == 2
        or (sure == 1 and len(value) >= _SHORTEST_SIGNED and any(c.isdecimal() for c in value))
        or (_SIGNED.search(name) and len(value) >= _SHORTEST_SIGNED)
        or (_UNSURE.search(name) and _is_key(value))
    )
    return f"[masked {name}]" if secret else None


def _path(path: str) -> tuple[str, int]:
    """The path without a password before its host, and without what resets one."""
    path, found = re.subn(r"(?<=//)([^/\s:@]*):[^/\s@]+@", r"\1:[masked password]@", path)
    steps = path.split("/")
    for index in range(1, len(steps)):
        one = steps[index]
        if _STEPS.match(steps[index - 1]) and (_is_key(one) or _UUID.fullmatch(one)):
            steps[index] = "[masked token]"
            found += 1
    return "/".join(steps), found
