"""What of an address is masked, and what makes it lead somewhere and stays."""

from __future__ import annotations

import pytest

from pagehand.engine.addresses import looks_random
from pagehand.engine.secrets import mask

MIXED = "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms"
UUID = "550e8400-e29b-41d4-a716-446655440000"
SHA = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123"


@pytest.mark.parametrize(
    "address",
    [
        f"https://docs.example/document/d/{MIXED}/edit#gid=0",
        f"/d/{MIXED}",
        f"./d/{MIXED}",
        f"/open?id={MIXED}",
        "https://video.example/watch?v=dQw4w9WgXcQ&list=PLrAXtmErZgOeiKm4sgNOknGvNjby9efdf",
        f"/orders/{UUID}",
        f"/orders/{UUID.upper()}?tab=items",
        f"/items?key={UUID}",
        "/orders/HP-2026-000123456789",
        "/orders?no=20260131000421234567",
        "/Products/Category-12/Blue-Shirt-XL-Summer-Collection-2026",
        "https://shop.example/Help/How-To-Configure-2-Factor-Sign-In-In-2026",
        "/blog/GettingStartedWithTablesInVersion42OfTheProduct",
        f"https://code.example/repo/commit/{SHA}",
        f"https://code.example/repo/blob/{SHA}/src/main.py#L10-L20",
        f"/downloads/{SHA}.tar.gz",
        "/assets/index-BxYz12Qw9.js",
        "/files/sha256/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "#skip-to-main-content",
        "#pk-values-and-what-they-mean",
        "/sk-slovakia-travel-guide-2026",
        "/skills-and-experience-required-2026",
        "/npm-install-something-else-entirely",
        "/search?q=token+bucket+algorithm&page=2&sort=price_desc",
        "/search?q=Bearer%20instruments",
        "/promo?code=SUMMER2026",
        "/countries?code=DE",
        "/list?key=title&order=asc",
        "/list?key=my-article-title-2026-part-1",
        "/authors?author=Ada",
        "/map?state=North-Rhine-Westphalia",
        "/settings?refresh=true&session=all",
        "/token-economy/introduction-to-the-basics-2026",
        "/reset/filters",
        "/verify/email",
        "mailto:ada@shop.example?subject=Order%2012",
        "https://ada@shop.example/x",
        "https://[2001:db8::1]:8443/a/b",
    ],
)
def test_what_leads_somewhere_stays(address: str) -> None:
    for text in (address, f'- link "Go" [ref=e3] "{address}"', f"See {address} for more"):
        assert mask(text, wide=True).value == text
        assert mask(text).value == text


@pytest.mark.parametrize(
    ("address", "masked"),
    [
        ("/cb?token=abc", "/cb?token=[masked token]"),
        ("/x?page=2&access_token=a1b2&tab=3", "/x?page=2&access_token=[masked access_token]&tab=3"),
        ("/cb#id_token=abcdef&state=x", "/cb#id_token=[masked id_token]&state=x"),
        ("/x?api_key=12345", "/x?api_key=[masked api_key]"),
        ("/x?apiKey=abcdefgh", "/x?apiKey=[masked apiKey]"),
        ("/login?password=hunter2", "/login?password=[masked password]"),
        ("/a;sid=77aa", "/a;sid=[masked sid]"),
        ("?csrf=0a1b2c3d", "?csrf=[masked csrf]"),
        ("/f?sig=aGVsbG8gd29ybGQ", "/f?sig=[masked sig]"),
        ("/f?X-Amz-Signature=0123456789abcdef", "/f?X-Amz-Signature=[masked X-Amz-Signature]"),
        (f"/cb?code={SHA[:20]}&x=1", "/cb?code=[masked code]&x=1"),
        (f"/cb?state={MIXED}", "/cb?state=[masked state]"),
        (f"/x?key={SHA[:32]}", "/x?key=[masked key]"),
        ("https://ada:hunter2@shop.example/x", "https://ada:[masked password]@shop.example/x"),
        ("redis://:pw1@db.example:6379/0", "redis://:[masked password]@db.example:6379/0"),
        (f"/reset/{MIXED}", "/reset/[masked token]"),
        (f"/reset-password/{SHA}?lang=de", "/reset-password/[masked token]?lang=de"),
        (f"/account/magic-link/{UUID}", "/account/magic-link/[masked token]"),
        (f"/go?next={JWT}", "/go?next=[masked jwt]"),
        (f"/go/{JWT}/x", "/go/[masked jwt]/x"),
        ("/go?x=ghp_" + "a1B2" * 8, "/go?x=[masked api key]"),
        ("/go/sk-" + "x9Y8" * 8, "/go/[masked api key]"),
        ("/go?k=AKIAIOSFODNN7EXAMPLE", "/go?k=[masked api key]"),
        ("/go?x=xoxb-123456789012-abcdef", "/go?x=[masked api key]"),
        ("/pay/4111111111111111", "/pay/[masked card]"),
        ("/go?state=4111 1111 1111 1111", "/go?state=[masked card]"),
    ],
)
def test_what_is_secret_in_an_address_is_masked(address: str, masked: str) -> None:
    for before, after in (("", ""), ("See ", " for more"), ('"', '"')):
        found = mask(f"{before}{address}{after}", wide=True)
        assert found.value == f"{before}{masked}{after}"
        assert found.count == 1
        assert mask(found.value, wide=True).count == 0, "a mask is not masked again"


@pytest.mark.parametrize(
    "text",
    [
        "Skip to main content: skip-to-main-content",
        "the bearer certificates of 1987",
        "Guides/Getting-Started/Section-2/Working-With-Tables",
        "How-To-Configure-2-Factor-Authentication-In-2026",
        "pkcs-standards-overview-part-one",
    ],
)
def test_words_joined_by_marks_stay(text: str) -> None:
    assert mask(text, wide=True).value == text


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (MIXED, "[masked long token]"),
        (f"key {MIXED} here", "key [masked long token] here"),
        (
            f"many/plain/words/stand/before/it/{MIXED}",
            "many/plain/words/stand/before/it/[masked long token]",
        ),
        ("/9j" + MIXED + "+/aB3d==", "[masked long token]"),
        ("hf_" + "aB3d" * 6, "[masked key]"),
        ("sk-ant-api03-" + "aB3d" * 10, "[masked api key]"),
        ("pk_live_" + "4eC39HqLyjWDarjtT1zdp7dc", "[masked api key]"),
    ],
)
def test_keys_outside_of_addresses_are_masked(text: str, masked: str) -> None:
    assert mask(text, wide=True).value == masked


def test_random_is_not_mixed() -> None:
    assert looks_random(MIXED)
    assert not looks_random("GettingStartedWithTablesInVersion42OfTheProduct")
    assert not looks_random(SHA)
