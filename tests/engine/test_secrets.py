import pytest

from pagehand.engine.secrets import is_secret_name, mask

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\nAAAA\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "Password",
        "user_password",
        "access_token",
        "accessToken",
        "csrf-token",
        "api_key",
        "apiKey",
        "X-API-Key",
        "clientSecret",
        "Authorization",
        "sessionId",
        "sid",
        "private_key",
        "aws_secret_access_key",
        "JWT",
        "set-cookie",
        "refreshToken",
        "cvv",
    ],
)
def test_names_of_secrets(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "tokens_used",
        "token_count",
        "passwordless",
        "keyboard",
        "secretary",
        "monkey",
        "key",
        "session",
        "author",
        "cookies_accepted",
        "max_tokens",
        "title",
        "令牌",
        "order_id",
    ],
)
def test_names_that_only_look_alike(name):
    assert not is_secret_name(name)


def test_values_under_secret_names_are_masked_everywhere():
    found = mask(
        {"rows": [{"user": "ada", "password": "hunter22", "tokens": ["x"]}], "apiKey": "abcd"}
    )
    assert found.value == {
        "rows": [{"user": "ada", "password": "[masked password]", "tokens": ["x"]}],
        "apiKey": "[masked apiKey]",
    }
    assert found.count == 2


def test_a_list_under_a_secret_name():
    assert mask({"token": ["first-one", "second-one"]}).value == {"token": ["[masked token]"] * 2}


@pytest.mark.parametrize("value", [None, True, 5, 1.5, "", "on", "yes", {"count": 3}])
def test_states_under_secret_names_stay(value):
    assert mask({"password": value}).value == {"password": value}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"got {JWT} back", "got [masked jwt] back"),
        (KEY, "[masked private key]"),
        ("Authorization: Bearer abcdef123456.xyz", "Authorization: Bearer [masked bearer token]"),
        ("use sk-abcdefghijklmnop1234", "use [masked api key]"),
        ("ghp_" + "a" * 36, "[masked api key]"),
        ("AKIAIOSFODNN7EXAMPLE", "[masked api key]"),
        ("xoxb-123456789012-abcdef", "[masked api key]"),
        ("card 4111 1111 1111 1111 ok", "card [masked card] ok"),
        ("4111-1111-1111-1111", "[masked card]"),
        ("5555555555554444", "[masked card]"),
        ("378282246310005", "[masked card]"),
        ("6221260000000000", "[masked card]"),
        ("a 4111111111111111, b 5555555555554444", "a [masked card], b [masked card]"),
    ],
)
def test_looks_of_secrets_inside_texts(text, masked):
    found = mask({"note": text})
    assert found.value == {"note": masked}
    assert found.count >= 1


@pytest.mark.parametrize(
    "text",
    [
        "4111111111111112",  # fails the check digit
        "1700000000000",  # a time in milliseconds
        "9780306406157",  # a book
        "order 2026013100042",
        "+49 170 1234567",
        "3.14159265358979323846",
        "https://example.com/a?sku=12345",
        "the bearer of this letter",
        "skating-rink-opening-hours",
        "5f3c9e7a-1b2d-4c3e-8f4a-5b6c7d8e9f0a",
        "帮我打开 https://example.com",
        "eyJ is how a token begins",
    ],
)
def test_ordinary_texts_stay(text):
    found = mask([text])
    assert (found.value, found.count) == ([text], 0)


def test_nothing_found_gives_the_same_object():
    value = {"a": [1, "text"]}
    assert mask(value).value is value


def test_the_given_value_is_not_changed():
    value = {"password": "hunter22"}
    mask(value)
    assert value == {"password": "hunter22"}


def test_numbers_are_never_touched():
    assert mask({"card": 4111111111111111}).value == {"card": 4111111111111111}


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("No 4111 1111 1111 1111 1 x", "No [masked card] 1 x"),
        ("3456 4111 1111 1111 1111 22", "3456 [masked card] 22"),
        ("12 5500000000000004", "12 [masked card]"),
        ("order 1234567890123456 and 42", "order 1234567890123456 and 42"),
    ],
)
def test_a_card_number_beside_other_figures(text: str, masked: str) -> None:
    assert mask({"note": text}).value == {"note": masked}
