"""Masks secrets in what leaves the page: passwords, tokens, keys, card numbers.

    mask({"user": "ada", "access_token": "abc123"}).value
    # {"user": "ada", "access_token": "[masked access_token]"}

Only texts are masked, whole values by the name they stand under, and pieces of
texts by their look. Everything else passes unchanged.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

# Names whose texts are secret. Compared word by word: "tokens_used" is no token.
_NAMES = frozenset(
    {
        "password",
        "passwords",
        "passwd",
        "passphrase",
        "pwd",
        "secret",
        "secrets",
        "token",
        "apikey",
        "authorization",
        "cookie",
        "credential",
        "credentials",
        "jwt",
        "csrf",
        "xsrf",
        "cvv",
        "cvc",
        "otp",
        "privatekey",
        "sessionid",
        "sid",
    }
)
_PAIRS = frozenset(
    {("api", "key"), ("private", "key"), ("secret", "key"), ("access", "key"), ("session", "id")}
)
_SHORTEST = 4  # shorter texts under such a name are states ("yes", "on"), not secrets


class Masked:
    """A masked value and how many secrets were masked in it."""

    __slots__ = ("count", "value")

    def __init__(self, value: Any, count: int) -> None:
        self.value = value
        self.count = count


def mask(value: Any) -> Masked:
    """Masks a JSON value; the given one is not changed, and is returned when nothing was found."""
    counter = [0]
    masked = _mask(value, "", counter)
    return Masked(masked if counter[0] else value, counter[0])


def _mask(value: Any, name: str, counter: list[int]) -> Any:
    if isinstance(value, str):
        if name and len(value) >= _SHORTEST and is_secret_name(name):
            counter[0] += 1
            return f"[masked {name}]"
        return _mask_text(value, counter)
    if isinstance(value, dict):
        return {key: _mask(item, key, counter) for key, item in value.items()}
    if isinstance(value, list):
        return [_mask(item, name, counter) for item in value]
    return value


@cache
def is_secret_name(name: str) -> bool:
    """Whether a text under this name is a secret: `csrfToken`, `api-key`, but not `token_count`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    words = re.split(r"[^a-z0-9]+", spaced.lower())
    words = [word for word in words if word]
    if not words:
        return False
    return words[-1] in _NAMES or tuple(words[-2:]) in _PAIRS or "".join(words) in _NAMES


def _mask_text(text: str, counter: list[int]) -> str:
    if len(text) < 8:
        return text

    def replace(match: re.Match[str]) -> str:
        kind = match.lastgroup or "secret"
        if kind == "card" and not _is_card(match.group()):
            return match.group()
        counter[0] += 1
        return f"[masked {kind.replace('_', ' ')}]"

    return _patterns().sub(replace, text)


@cache
def _patterns() -> re.Pattern[str]:
    """All looks of secrets in one expression: one pass, so no mask cuts another's text."""
    looks = {
        "private_key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|\Z)",
        "jwt": r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        "bearer_token": r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{12,}",
        "api_key": r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}"
        r"|\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}"
        r"|\bA[KS]IA[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bglpat-[A-Za-z0-9_-]{16,}",
        "card": r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d){8,15}(?![\w-])",
    }
    return re.compile("|".join(f"(?P<{name}>{look})" for name, look in looks.items()))


# First digits and lengths of the networks' card numbers.
_CARDS = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d)\d{12}"
    r"|62\d{14,17}|35\d{14}|3(?:0[0-5]|[68]\d)\d{11}"
)


def _is_card(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    if not _CARDS.fullmatch(digits):
        return False
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if index % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0
