"""Masks what the page tools read before it reaches the model; the lists are the engine's.

mask_json({"user": "wei", "accessToken": "abc"})
# {"user": "wei", "accessToken": "[masked accessToken]"}
"""

from __future__ import annotations

import re
from typing import Any

from pagehand.engine.secrets import is_secret_name, mask

# No secret is without one of these: most texts need no closer look.
_HINT = re.compile(r"[\w.+/=-]{8,}|\d{3,}[ -]\d|-----|[Bb]earer|%[0-9A-Fa-f]{2}")

_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def is_secret_key(key: str) -> bool:
    """Whether a name says that its value is a secret."""
    return is_secret_name(key, wide=True)


def mask_text(text: str) -> str:
    """The text with everything that looks like a secret masked."""
    if not _HINT.search(text):
        return text
    masked = str(mask(text, wide=True).value)
    if "%" in masked:
        # In an address a secret may be written in escapes; then the whole is told without them.
        plain = _ESCAPES.sub(_unescaped, masked)
        hidden = str(mask(plain, wide=True).value)
        return masked if hidden == plain else hidden
    return masked


def _unescaped(match: re.Match[str]) -> str:
    return bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace")


def mask_json(value: Any) -> Any:
    """The same JSON value, with secrets masked at every depth."""
    return mask(value, wide=True).value


def mask_texts(value: Any) -> Any:
    """The same JSON value with every text masked by its look; names say nothing here."""
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, list):
        return [mask_texts(one) for one in value]
    if isinstance(value, dict):
        return {mask_text(key): mask_texts(one) for key, one in value.items()}
    return value
