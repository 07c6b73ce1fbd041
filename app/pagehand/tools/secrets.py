"""Masks what the page tools read before it reaches the model; the lists are the engine's.

mask_json({"user": "wei", "accessToken": "abc"})
# {"user": "wei", "accessToken": "[masked accessToken]"}
"""

from __future__ import annotations

from typing import Any

from pagehand.engine.secrets import is_secret_name, mask


def is_secret_key(key: str) -> bool:
    """Whether a name says that its value is a secret."""
    return is_secret_name(key, wide=True)


def mask_text(text: str) -> str:
    """The text with everything that looks like a secret masked."""
    return str(mask(text, wide=True).value)


def mask_json(value: Any) -> Any:
    """The same JSON value, with secrets masked at every depth."""
    return mask(value, wide=True).value
