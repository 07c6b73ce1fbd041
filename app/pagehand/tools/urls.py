"""Which addresses may be opened. Decided on what the URL parser made of them, never on their text.

    verdict = judge(parsed, here="https://shop.example", policy=UrlPolicy())
    verdict.allowed, verdict.same_origin, verdict.code

The parser is the browser's own `URL`; `parsed` is any object with its fields.
"""

from __future__ import annotations

from typing import Any, NamedTuple

FORBIDDEN = frozenset(
    {
        "javascript:",
        "data:",
        "blob:",
        "file:",
        "filesystem:",
        "vbscript:",
        "about:",
        "view-source:",
        "chrome:",
        "chrome-extension:",
        "edge:",
        "moz-extension:",
        "resource:",
        "ws:",
        "wss:",
        "ftp:",
        "intent:",
    }
)
PERSONAL = frozenset({"mailto:", "tel:", "sms:"})
_MAX_LENGTH = 2048


class UrlPolicy(NamedTuple):
    """What the integrator allows.

    Attributes:
        origins: Other origins that need no question, as "https://example.com".
        foreign: Whether other origins may be opened at all, after the person's yes.
    """

    origins: tuple[str, ...] = ()
    foreign: bool = True


class Verdict(NamedTuple):
    """Whether, and if not why not. `code` is stable; `known` means no question is needed."""

    allowed: bool
    code: str
    same_origin: bool = False
    known: bool = False


def policy_from(value: Any) -> UrlPolicy:
    """Reads the `urls` argument of `page_tools`.

    None: any http(s) address after a question. "same-origin": only this site's.
    A list: this site's and these origins without a question, no others.

    Raises:
        TypeError: For anything else.
    """
    if value is None:
        return UrlPolicy()
    if value == "same-origin":
        return UrlPolicy(foreign=False)
    if isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value):
        return UrlPolicy(tuple(one.rstrip("/").lower() for one in value), foreign=False)
    raise TypeError(f"urls is None, 'same-origin' or a list of origins, not {value!r}")


def judge(parsed: Any, here: str, policy: UrlPolicy) -> Verdict:
    """Judges a parsed address.

    Args:
        parsed: An object with `protocol`, `origin`, `username`, `password`, `href`.
        here: The page's own origin.
        policy: What the integrator allows.
    """
    if parsed.protocol in FORBIDDEN:
        return Verdict(False, "forbidden_scheme")
    if parsed.username or parsed.password:
        return Verdict(False, "credentials_in_url")
    if len(parsed.href) > _MAX_LENGTH:
        return Verdict(False, "url_too_long")
    if parsed.protocol in PERSONAL:
        return Verdict(policy.foreign, "" if policy.foreign else "foreign_origin")
    if parsed.protocol not in ("http:", "https:"):
        return Verdict(False, "forbidden_scheme")
    if parsed.origin == here:
        return Verdict(True, "", same_origin=True, known=True)
    if parsed.origin.lower() in policy.origins:
        return Verdict(True, "", known=True)
    return Verdict(policy.foreign, "" if policy.foreign else "foreign_origin")
