from __future__ import annotations

import gzip
from pathlib import Path

import httpx
import pytest

from backend.app import create_app
from backend.settings import Settings

FILES = {
    "index.html": "<!doctype html><title>page</title>",
    "pyscript.toml": "files = []",
    "app/main.py": "print('hello')",
    "app/.secret": "no",
    "static/pagehand.js": "export {};" * 200,
    "static/vendor/pyodide-314.0.7/pyodide.asm.wasm": "wasm " * 300,
    "static/vendor/pyodide-314.0.7/pyodide.asm.wasm.br": "packed",
    "static/vendor/pyodide-314.0.7/pyodide.mjs": "export {};",
    "static/vendor/python/pagehand-0123456789ab.zip": "zip",
    "static/vendor/manifest.json": "{}",
    "examples/embed/index.html": "<p>embed</p>",
    "backend/app.py": "no",
    "tests/test_x.py": "no",
    "pyproject.toml": "no",
    ".git/config": "no",
    ".venv/pyvenv.cfg": "no",
}


@pytest.fixture
def site(tmp_path: Path) -> httpx.AsyncClient:
    for name, text in FILES.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "outside.txt").write_text("no")
    (tmp_path / "root" / "static" / "link.txt").symlink_to(tmp_path / "outside.txt")
    app = create_app(
        Settings(site=str(tmp_path / "root"), connect_origins=("https://api.example",))
    )
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://site.test")


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/index.html", "text/html; charset=utf-8"),
        ("/pyscript.toml", "application/toml; charset=utf-8"),
        ("/app/main.py", "text/x-python; charset=utf-8"),
        ("/static/pagehand.js", "text/javascript; charset=utf-8"),
        ("/static/vendor/pyodide-314.0.7/pyodide.mjs", "text/javascript; charset=utf-8"),
        ("/static/vendor/pyodide-314.0.7/pyodide.asm.wasm", "application/wasm"),
        ("/static/vendor/python/pagehand-0123456789ab.zip", "application/zip"),
        ("/static/vendor/manifest.json", "application/json"),
        ("/examples/embed/", "text/html; charset=utf-8"),
    ],
)
async def test_what_belongs_to_the_page_has_its_type(
    site: httpx.AsyncClient, path: str, content_type: str
) -> None:
    response = await site.get(path)
    assert response.status_code == 200
    assert response.headers["content-type"] == content_type
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize(
    "path",
    [
        "/backend/app.py",
        "/tests/test_x.py",
        "/pyproject.toml",
        "/.git/config",
        "/.venv/pyvenv.cfg",
        "/app/.secret",
        "/app",
        "/app/",
        "/static/link.txt",
        "/app/../pyproject.toml",
        "/app/%2e%2e/pyproject.toml",
        "/app/..%2fpyproject.toml",
        "/app/%2e%2e%2f%2e%2e/outside.txt",
        "/static/..%5c..%5coutside.txt",
        "/app//..//pyproject.toml",
        "/static/%00",
        "/index.html/x",
        "//etc/passwd",
        "/static/" + "x" * 5_000,
    ],
)
async def test_nothing_else_is_found(site: httpx.AsyncClient, path: str) -> None:
    request = site.build_request("GET", "/")
    request.url = request.url.copy_with(raw_path=path.encode())
    response = await site.send(request)
    assert response.status_code == 404
    assert response.text == "Not found."


async def test_only_get_and_head(site: httpx.AsyncClient) -> None:
    assert (await site.post("/")).status_code == 405
    head = await site.head("/static/pagehand.js", headers={"accept-encoding": "identity"})
    assert (head.status_code, head.content) == (200, b"")
    assert int(head.headers["content-length"]) == 2_000


async def test_a_packed_sibling_is_sent_to_who_takes_it(site: httpx.AsyncClient) -> None:
    path = "/static/vendor/pyodide-314.0.7/pyodide.asm.wasm"
    plain = await site.get(path, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers
    request = site.build_request("HEAD", path, headers={"accept-encoding": "gzip, br"})
    packed = await site.send(request)
    assert packed.headers["content-encoding"] == "br"
    assert packed.headers["content-length"] == "6"
    assert packed.headers["content-type"] == "application/wasm"
    assert packed.headers["vary"] == "accept-encoding"
    assert packed.headers["etag"] != plain.headers["etag"]


async def test_small_texts_are_compressed(site: httpx.AsyncClient) -> None:
    async with site.stream("GET", "/static/pagehand.js", headers={"accept-encoding": "gzip"}) as r:
        raw = b"".join([piece async for piece in r.aiter_raw()])
    assert r.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw).decode() == FILES["static/pagehand.js"]
    assert len(raw) < 200


async def test_versioned_files_are_kept_and_others_asked_about(site: httpx.AsyncClient) -> None:
    for path, kept in (
        ("/static/vendor/pyodide-314.0.7/pyodide.mjs", True),
        ("/static/vendor/python/pagehand-0123456789ab.zip", True),
        ("/static/vendor/manifest.json", False),
        ("/static/pagehand.js", False),
        ("/", False),
    ):
        response = await site.get(path)
        assert ("immutable" in response.headers["cache-control"]) is kept, path
        again = await site.get(path, headers={"if-none-match": response.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == response.headers["cache-control"]
    assert (await site.get("/", headers={"if-none-match": '"other"'})).status_code == 200


async def test_a_changed_file_has_another_tag(site: httpx.AsyncClient, tmp_path: Path) -> None:
    before = await site.get("/")
    (tmp_path / "root" / "index.html").write_text("<!doctype html><title>changed</title>")
    after = await site.get("/", headers={"if-none-match": before.headers["etag"]})
    assert after.status_code == 200
    assert "changed" in after.text


async def test_pages_carry_a_policy_without_inline_scripts(site: httpx.AsyncClient) -> None:
    page = await site.get("/")
    policy = page.headers["content-security-policy"]
    assert "'unsafe-inline'" not in policy
    assert "default-src 'none'" in policy
    assert "'wasm-unsafe-eval'" in policy
    assert "connect-src 'self' https://api.example" in policy
    script = await site.get("/static/pagehand.js")
    assert "content-security-policy" not in script.headers


async def test_without_a_site_only_the_api_is_there() -> None:
    app = create_app(Settings(site=""))
    client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://x")
    assert (await client.get("/")).status_code == 404
    assert (await client.get("/healthz")).json() == {"status": "ok"}
