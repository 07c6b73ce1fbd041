"""Masks secrets in what leaves the page: passwords, tokens, keys, card numbers.

    mask({"user": "ada", "access_token": "abc123"}).value
    # {"user": "ada", "access_token": "[masked access_token]"}

Only texts are masked, whole values by the name they stand under, and pieces of
texts by their look. Everything else passes unchanged.

What a tool read off the page or its storage is masked `wide`: there, tokens lie about under any
name, and a long mix of letters and digits is more likely a key than a text. Not so in addresses:
there such a mix is what makes a link lead somewhere (`addresses.py` says what is secret in one).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from pagehand.engine.addresses import ADDRESS, looks_random, mask_address

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
# Read off a page, these names hold secrets wherever they stand in a longer one.
_WIDE_NAMES = re.compile(
    r"token|secret|auth(?!or)|session|jwt|csrf|xsrf|api[-_ ]?key|passw|refresh|credential|cookie"
    r"|\bsid\b|oauth|saml|firebase|supabase|msal|okta|cognito|密码|口令|令牌",
    re.IGNORECASE,
)
_SHORTEST_LOOK = 8  # no text that is shorter looks like a key
_SHORTEST_LONG = 24  # nor one that has no known look
_SHORTEST = 4  # shorter texts under such a name are states ("yes", "on"), not secrets


class Masked:
    """A masked value and how many secrets were masked in it."""

    __slots__ = ("count", "value")

    def __init__(self, value: Any, count: int) -> None:
        self.value = value
        self.count = count


def mask(value: Any, *, wide: bool = False) -> Masked:
    """Masks a JSON value; the given one is not changed, and is returned when nothing was found."""
    counter = [0]
    masked = _mask(value, "", counter, wide)
    return Masked(masked if counter[0] else value, counter[0])


def _mask(value: Any, name: str, counter: list[int], wide: bool) -> Any:
    if isinstance(value, str):  # nearly always
        secret = name and len(value) >= (1 if wide else _SHORTEST)
        if not (secret and is_secret_name(name, wide=wide)):
            return value if len(value) < _SHORTEST_LOOK else _mask_text(value, counter, wide)
    elif isinstance(value, dict):
        return {key: _mask(item, key, counter, wide) for key, item in value.items()}
    elif isinstance(value, list):
        return [_mask(item, name, counter, wide) for item in value]
    elif not (wide and name and _is_number(value) and is_secret_name(name, wide=wide)):
        return value
    counter[0] += 1
    return f"[masked {name}]"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


@cache
def is_secret_name(name: str, *, wide: bool = False) -> bool:
    """Whether a text under this name is a secret: `csrfToken`, `api-key`, but not `token_count`."""
    if wide and _WIDE_NAMES.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name)):
        return True
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    words = re.split(r"[^a-z0-9]+", spaced.lower())
    words = [word for word in words if word]
    if not words:
        return False
    return words[-1] in _NAMES or tuple(words[-2:]) in _PAIRS or "".join(words) in _NAMES


def _mask_text(text: str, counter: list[int], wide: bool) -> str:
    def replace(match: re.Match[str]) -> str:
        kind, found = match.lastgroup or "secret", match.group()
        if kind == "card":
            return _without_cards(found, counter)
        if kind == "address":
            return _in_address(found, counter, wide)
        if kind == "long_token" and not looks_random(found):
            return _in_pieces(found, counter)
        counter[0] += 1
        return f"[masked {kind.replace('_', ' ')}]"

    return _pattern(_WIDE if wide else _NARROW, text).sub(replace, text)


def _in_address(text: str, counter: list[int], wide: bool) -> str:
    if text.startswith("/") and (text.endswith("=") or "+" in text) and looks_random(text):
        counter[0] += 1
        return "[masked long token]"  # no address: half of a key may begin so

    def known(part: str) -> str:
        return part if len(part) < _SHORTEST_LOOK else _known_looks(part, counter)

    def names_secret(name: str) -> int:
        return 2 if is_secret_name(name) else int(wide and is_secret_name(name, wide=True))

    masked, found = mask_address(text, known, names_secret)
    counter[0] += found
    return masked


def _in_pieces(text: str, counter: list[int]) -> str:
    """Words joined by dashes and slashes stay; a key between slashes does not."""
    pieces = []
    for piece in text.split("/"):
        is_key = len(piece) >= _SHORTEST_LONG and looks_random(piece)
        counter[0] += is_key
        pieces.append("[masked long token]" if is_key else _known_looks(piece, counter))
    return "/".join(pieces)


def _known_looks(text: str, counter: list[int]) -> str:
    """Masks what is a secret by its look alone, wherever it stands."""

    def replace(match: re.Match[str]) -> str:
        if match.lastgroup == "card":
            return _without_cards(match.group(), counter)
        counter[0] += 1
        return f"[masked {(match.lastgroup or 'secret').replace('_', ' ')}]"

    return _pattern(_KNOWN, text).sub(replace, text)


# Looks of secrets that no text has by chance.
_LOOKS = {
    "private_key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|\Z)",
    "jwt": r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    "bearer_token": r"(?<=[Bb]earer )(?=[A-Za-z0-9._~+/=-]*\d)[A-Za-z0-9._~+/=-]{12,}"
    r"|(?<=Bearer )[A-Za-z0-9._~+/=-]{16,}",
    # After "sk-" a key is one long piece with a figure in it; words ("sk-travel-guide") are not.
    "api_key": r"\b(?:sk|pk|rk)[-_](?=[\w-]*?(?=[A-Za-z]*\d)[A-Za-z0-9]{16})[A-Za-z0-9_-]{16,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}"
    r"|\bgithub_pat_[A-Za-z0-9_]{20,}|\bxox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|\bA[KS]IA[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}|\bglpat-[A-Za-z0-9_-]{16,}",
    "card": r"(?<![\w.-])\d(?:[ -]?\d){11,60}(?![\w-])",
}
# More of them, for what was read off a page.
_MORE = {
    "key_block": r"-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|\Z)",
    "web_token": r"\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*",
    "bearer": r"[Bb]earer\s+(?=[\w.~+/=-]*\d)[\w.~+/=-]{8,}|Bearer\s+[\w.~+/=-]{16,}",
    "key": r"\b(?:hf|npm)_(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}",
}


_LONG_TOKEN = (
    r"\b(?=[A-Za-z0-9+/_-]{32})(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])"
    r"[A-Za-z0-9+/_-]{32,}={0,2}"
)

_KNOWN = {**_LOOKS, **_MORE}
_NARROW = {"address": ADDRESS, **_LOOKS}
_WIDE = {"address": ADDRESS, **_MORE, **_LOOKS, "long_token": _LONG_TOKEN}

# What stands in every text that has such a look: to search for it takes far less than to match.
_HINTS = {
    "address": ("/", "?", "#"),
    "private_key": ("-----BEGIN",),
    "key_block": ("-----BEGIN",),
    "jwt": ("eyJ",),
    "web_token": ("eyJ",),
    "bearer_token": ("earer ",),
    "bearer": ("earer",),
    "api_key": ("k-", "k_", "gh", "xox", "AKIA", "ASIA", "AIza", "glpat-"),
    "key": ("hf_", "npm_"),
}


def _pattern(looks: dict[str, str], text: str) -> re.Pattern[str]:
    """The looks that the text may hold, in one expression: one pass, so no mask cuts another's."""
    return _joined(
        tuple(
            (name, look)
            for name, look in looks.items()
            if name not in _HINTS or any(hint in text for hint in _HINTS[name])
        )
    )


@cache
def _joined(looks: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{look})" for name, look in looks) or r"(?!)")


def _without_cards(text: str, counter: list[int]) -> str:
    """A run of figures with the card numbers in it masked: other figures may stand beside them."""
    groups = re.split(r"([ -])", text)
    out: list[str] = []
    at = 0
    while at < len(groups):
        # Groups stand at even places, what separates them at odd ones.
        ends = range(min(len(groups), at + 13) if at % 2 == 0 else at, at, -1)
        end = next((e for e in ends if (e - at) % 2 and _is_card("".join(groups[at:e]))), None)
        counter[0] += end is not None
        out.append(groups[at] if end is None else "[masked card]")
        at = at + 1 if end is None else end
    return "".join(out)


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
