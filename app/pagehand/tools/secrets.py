"""Masks what must not reach the model: by the key's name, by the value's shape.

mask_json({"user": "wei", "accessToken": "abc"})
# {"user": "wei", "accessToken": "•••"}
"""

from __future__ import annotations

import re
from typing import Any

MASK = "•••"

_KEY = re.compile(
    r"token|secret|auth(?!or)|session|jwt|csrf|xsrf|api[-_ ]?key|passw|refresh|credential|cookie"
    r"|\bsid\b|oauth|saml|firebase|supabase|msal|okta|cognito|密码|口令|令牌",
    re.IGNORECASE,
)
# One pattern for all shapes, so that one pass masks the longest first and no mask is masked again.
_SHAPE = re.compile(
    r"-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)"
    r"|\beyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*"
    r"|\b[Bb]earer\s+[\w.~+/=-]{8,}"
    r"|\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abprs]|AKIA|ASIA|AIza|hf|npm)[-_]?[A-Za-z0-9_-]{16,}"
    r"|\b(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[A-Za-z0-9+/_-]{32,}={0,2}",
    re.DOTALL,
)


def is_secret_key(key: str) -> bool:
    """Whether a name says that its value is a secret."""
    return _KEY.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", key)) is not None


def mask_text(text: str) -> str:
    """The text with everything that looks like a secret masked."""
    return _SHAPE.sub(MASK, text)


def mask_json(value: Any, key: str = "") -> Any:
    """The same JSON value, with secrets masked at every depth."""
    if isinstance(value, dict):
        return {name: mask_json(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [mask_json(inner, key) for inner in value]
    if value is None or isinstance(value, bool) or value == "":
        return value
    if key and is_secret_key(key):
        return MASK
    return mask_text(value) if isinstance(value, str) else value
