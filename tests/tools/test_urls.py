"""Which addresses may be opened: decided on what the parser made of them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from pagehand.tools.urls import UrlPolicy, judge, policy_from

HERE = "https://shop.example"


def parsed(address: str) -> Any:
    """What the browser's URL object would hold, for addresses that are already canonical."""
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if parts.netloc else "null"
    return SimpleNamespace(
        protocol=f"{parts.scheme}:",
        origin=origin,
        username=parts.username or "",
        password=parts.password or "",
        href=address,
    )


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,<script>1</script>",
        "blob:https://shop.example/1",
        "file:///etc/passwd",
        "vbscript:x",
        "about:blank",
        "view-source:https://a.example",
        "chrome://settings",
        "ftp://a.example/",
        "something-new:x",
    ],
)
def test_schemes_that_are_never_opened(address: str) -> None:
    assert judge(parsed(address), HERE, UrlPolicy()).code == "forbidden_scheme"


def test_credentials_are_refused() -> None:
    verdict = judge(parsed("https://good.example@evil.example/"), HERE, UrlPolicy())
    assert verdict.code == "credentials_in_url"


def test_an_address_without_end_is_refused() -> None:
    verdict = judge(parsed(f"https://a.example/?{'x' * 3000}"), HERE, UrlPolicy())
    assert verdict.code == "url_too_long"


def test_ones_own_origin_is_known_and_others_need_a_yes() -> None:
    assert judge(parsed("https://shop.example/a"), HERE, UrlPolicy()).known
    other = judge(parsed("https://a.example/"), HERE, UrlPolicy())
    assert (other.allowed, other.known) == (True, False)


def test_origins_are_compared_whole() -> None:
    policy = policy_from(["https://ok.example"])
    assert judge(parsed("https://ok.example/x"), HERE, policy).allowed
    assert judge(parsed("https://ok.example.evil.test/"), HERE, policy).code == "foreign_origin"
    assert judge(parsed("http://ok.example/"), HERE, policy).code == "foreign_origin"


def test_same_origin_only() -> None:
    policy = policy_from("same-origin")
    assert judge(parsed("https://shop.example/"), HERE, policy).allowed
    assert not judge(parsed("https://a.example/"), HERE, policy).allowed
    assert not judge(parsed("mailto:a@a.example"), HERE, policy).allowed


def test_a_policy_that_is_none_says_what_it_takes() -> None:
    with pytest.raises(TypeError, match="same-origin"):
        policy_from(3)
