"""What is masked before the model sees it, and what is left alone."""

from __future__ import annotations

import re

import pytest

from pagehand.engine.secrets import mask
from pagehand.tools.secrets import is_secret_key, mask_json, mask_text


@pytest.mark.parametrize(
    "key",
    [
        "accessToken",
        "refresh_token",
        "session",
        "csrf",
        "apiKey",
        "api-key",
        "PASSWORD",
        "authHeader",
        "密码",
    ],
)
def test_keys_that_name_secrets(key: str) -> None:
    assert is_secret_key(key)


@pytest.mark.parametrize("key", ["author", "authors", "theme", "note", "cart", "sidebar", "inside"])
def test_keys_that_do_not(key: str) -> None:
    assert not is_secret_key(key)


@pytest.mark.parametrize(
    "secret",
    [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123",
        "Bearer abcdefghijklmnop",
        "ghp_" + "a1B2" * 8,
        "sk-" + "x9Y8" * 8,
        "-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----",
        "Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MEFCQ0RFRg==",
    ],
)
def test_values_that_look_like_secrets(secret: str) -> None:
    masked = mask_text(f"before {secret} after")
    assert re.fullmatch(r"before \[masked [a-z ]+\] after", masked)


def test_the_engine_finds_nothing_more_to_mask_and_no_mask_is_masked_twice() -> None:
    read = mask_json({"accessToken": "abcdef", "note": "card 4111 1111 1111 1111"})
    assert read == {"accessToken": "[masked accessToken]", "note": "card [masked card]"}
    assert mask(read).value == mask_json(read) == read


@pytest.mark.parametrize(
    "text",
    [
        "an ordinary sentence of some length without anything to hide in it",
        "https://shop.example/orders/2026/03/18?page=2",
        "550e8400-e29b-41d4-a716-446655440000",
        "请在三月十八日之前审核订单",
    ],
)
def test_ordinary_texts_are_left_alone(text: str) -> None:
    assert mask_text(text) == text


def test_json_is_masked_at_every_depth() -> None:
    value = {
        "user": "wei",
        "auth": {"token": "x", "exp": 3},
        "list": [{"password": "p"}],
        "n": None,
    }
    assert mask_json(value) == {
        "user": "wei",
        "auth": {"token": "[masked token]", "exp": 3},
        "list": [{"password": "[masked password]"}],
        "n": None,
    }
