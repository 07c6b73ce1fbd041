"""The start of Python in a page, through both doors, and all that can go wrong with its files."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, Route

from browser.support.boot_pages import own_page, pyscript_page
from browser.support.fake_server import FakeServer

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
VENDOR = ROOT / "static" / "vendor"
BOOT_FILES = ("manifest", "module", "asm", "wasm", "boot", "app")
LATER_FILES = ("packages", "extension", "library")
SECONDS = 1000

# asyncio's public names, as the tests' own Python and the page's have them.
GONE_IN_3_14 = {
    "AbstractChildWatcher",
    "AbstractEventLoopPolicy",
    "DefaultEventLoopPolicy",
    "FastChildWatcher",
    "MultiLoopChildWatcher",
    "PidfdChildWatcher",
    "SafeChildWatcher",
    "ThreadedChildWatcher",
    "get_child_watcher",
    "open_unix_connection",
    "set_child_watcher",
    "start_unix_server",
}
NEW_SINCE_3_11 = {
    "EventLoop",
    "FrameCallGraphEntry",
    "FutureCallGraph",
    "QueueShutDown",
    "TaskGroup",
    "capture_call_graph",
    "create_eager_task_factory",
    "eager_task_factory",
    "format_call_graph",
    "future_add_to_awaited_by",
    "future_discard_from_awaited_by",
    "print_call_graph",
}

PACKAGES = """
import json, jsonschema, pydantic

class Order(pydantic.BaseModel):
    number: int
    state: str = "open"

validator = jsonschema.Draft202012Validator({"type": "object", "required": ["a"]})
json.dumps({
    "valid": Order.model_validate({"number": "3"}).model_dump(),
    "schema": Order.model_json_schema()["required"],
    "errors": [error.message for error in validator.iter_errors({})],
})
"""


@pytest.fixture
def manifest(vendored: None) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((VENDOR / "manifest.json").read_text(encoding="utf-8"))
    return data


@pytest.fixture
def other_server(vendored: None) -> Iterator[FakeServer]:
    server = FakeServer()
    yield server
    server.close()


def path_of(manifest: dict[str, Any], name: str) -> str:
    return "manifest.js" if name == "manifest" else str(manifest["runtime"][name])


def outcome(page: Page, url: str) -> dict[str, Any]:
    """Opens a page and waits for its start to end, one way or the other."""
    page.goto(url)
    page.wait_for_selector("html[data-ended]", timeout=30 * SECONDS)
    happened: dict[str, Any] = page.evaluate("window.happened")
    return happened


def serve(page: Page, path: str, **answer: Any) -> None:
    """Answers requests for one vendored file in another way."""

    def fulfill(route: Route) -> None:
        route.fulfill(**answer)

    page.route(lambda url: url.split("?")[0].endswith(f"/static/vendor/{path}"), fulfill)


def is_xhr(request: Request) -> bool:
    return request.resource_type == "xhr"


def type_of(path: str) -> str:
    kinds = {".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm"}
    return kinds.get(Path(path).suffix, "application/octet-stream")


def damage(page: Page, path: str, kind: str) -> None:
    body = (VENDOR / path).read_bytes()
    origin = {"access-control-allow-origin": "*"}
    match kind:
        case "missing":
            serve(page, path, status=404, body="not here", headers=origin)
        case "mistyped":
            # What a host does that answers every unknown address with its start page.
            html = b"<!doctype html><title>home</title>"
            serve(page, path, content_type="text/html", body=html, headers=origin)
        case "cut":
            half = body[: len(body) // 2]
            serve(page, path, content_type=type_of(path), body=half, headers=origin)
        case "changed":
            other = body[:-40] + bytes(40) if path.endswith(".zip") else body + b"\n\n"
            serve(page, path, content_type=type_of(path), body=other, headers=origin)
        case "not allowed":
            other = {"access-control-allow-origin": "http://elsewhere.example"}
            serve(page, path, content_type=type_of(path), body=body, headers=other)


CODES = {
    "missing": "missing-file",
    "mistyped": "bad-type",
    "cut": "bad-hash",
    "changed": "bad-hash",
    "not allowed": "blocked",
}


def test_own_door_starts_and_tells_its_progress(page: Page, fake_server: FakeServer) -> None:
    happened = outcome(page, own_page(fake_server))

    assert happened["ended"] == "ready", happened.get("error")
    assert happened["events"] == ["ready"]
    fractions = [told["fraction"] for told in happened["progress"]]
    assert fractions == sorted(fractions)
    assert {told["stage"] for told in happened["progress"]} == {"download", "start"}
    assert page.evaluate("pyodide.runPython('import pagehand; pagehand.__name__')") == "pagehand"


def test_own_door_asks_nobody_but_its_own_origin(page: Page, fake_server: FakeServer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))

    outcome(page, own_page(fake_server, then="await runtime.optionalPackages();"))

    assert len(asked) > 8
    assert [url for url in asked if not url.startswith(fake_server.url)] == []


def test_pydantic_and_jsonschema_validate_in_the_page(page: Page, fake_server: FakeServer) -> None:
    outcome(page, own_page(fake_server, then="await runtime.optionalPackages();"))

    answer = json.loads(page.evaluate("(code) => pyodide.runPython(code)", PACKAGES))

    assert answer == {
        "valid": {"number": 3, "state": "open"},
        "schema": ["number"],
        "errors": ["'a' is a required property"],
    }
    version = "from importlib.metadata import version; version('jsonschema')"
    assert page.evaluate("(code) => pyodide.runPython(code)", version) == "4.26.0"


def test_pyscript_door_gives_the_same_start(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any]
) -> None:
    pyscript = next(path.split("/")[0] for path in manifest["files"] if "pyscript-" in path)
    code = (
        "import js, pagehand\n"
        "await js.runtime.optionalPackages()\n"
        "import pydantic, jsonschema\n"
        "js.happened.number = pydantic.TypeAdapter(int).validate_python('4') + 0.5\n"
        "js.document.documentElement.dataset.ended = 'ready'\n"
    )
    at_once: list[str] = []
    page.on("request", lambda asked: at_once.append(asked.url) if is_xhr(asked) else None)

    happened = outcome(page, pyscript_page(fake_server, pyscript, code))

    assert at_once == [], "something that PyScript imports is missing in the first archive"
    assert happened["number"] == 4.5
    assert happened["events"] == ["ready"]
    same = "async () => (await runtime.startRuntime()) === (await runtime.loadPyodide())"
    assert page.evaluate(same) is True


def test_two_elements_share_one_interpreter(page: Page, fake_server: FakeServer) -> None:
    outcome(page, own_page(fake_server))

    assert page.evaluate("async () => (await boot()) === pyodide") is True


def test_registered_modules_can_be_imported_before_and_after(
    page: Page, fake_server: FakeServer
) -> None:
    head = '<script type="module">const r = await import("/static/runtime.js");'
    head += 'r.registerModule("early", {value: 1});</script>'
    outcome(page, own_page(fake_server, head=head))

    page.evaluate("runtime.registerModule('late', { value: 2 })")

    code = "import early, late; early.value + late.value"
    assert page.evaluate("(code) => pyodide.runPython(code)", code) == 3


def test_rest_of_the_library_comes_when_it_is_imported(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    outcome(page, own_page(fake_server))
    library = path_of(manifest, "library")
    assert not any(url.endswith(library) for url in asked)

    code = "import csv, encodings.cp1252; 'é'.encode('cp1252').hex() + csv.__name__"

    assert page.evaluate("(code) => pyodide.runPython(code)", code) == "e9csv"
    assert sum(url.endswith(library) for url in asked) == 1


def test_rest_of_the_library_is_fetched_ahead_for_a_text_that_needs_it(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any]
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    outcome(page, own_page(fake_server))
    library = path_of(manifest, "library")

    page.evaluate("runtime.prepareFor('import json\\nfrom pagehand import Toolkit\\n')")
    assert not any(url.endswith(library) for url in asked)
    page.evaluate("runtime.prepareFor('def f():\\n    import json, csv\\n')")

    assert sum(url.endswith(library) for url in asked) == 1
    assert page.evaluate("pyodide.runPython('import csv; csv.__name__')") == "csv"
    assert sum(url.endswith(library) for url in asked) == 1


STAND_INS = """
import asyncio, importlib.metadata, json
missing = [name for name in NAMES if not hasattr(asyncio, name)]
queue = asyncio.Queue()
from importlib.metadata import PackageNotFoundError, version
try:
    version("nothing-of-this-name")
except PackageNotFoundError as error:
    named = error.name
import logging, traceback
asyncio.log.logger.setLevel("ERROR")
level = logging.getLogger("asyncio").level
import _colorize
coloured = _colorize.get_theme(force_color=True).traceback.type
try:
    1 / 0
except ZeroDivisionError:
    told = traceback.format_exc()
json.dumps([missing, sorted(set(asyncio.__all__) - set(NAMES)), named, level, coloured, told])
"""


def test_late_parts_of_the_library_are_complete(page: Page, fake_server: FakeServer) -> None:
    outcome(page, own_page(fake_server))
    names = [name for name in asyncio.__all__ if not name.startswith("_")]
    known = [name for name in names if name not in GONE_IN_3_14]

    code = f"NAMES = {known!r}\n{STAND_INS}"
    missing, new, named, level, coloured, told = json.loads(
        page.evaluate("(code) => pyodide.runPython(code)", code)
    )

    assert missing == []
    assert named == "nothing-of-this-name"
    assert level == 40
    assert "\x1b[" in coloured
    assert told.startswith("Traceback (most recent call last):\n  File ")
    assert told.endswith("ZeroDivisionError: division by zero\n")
    assert {name for name in new if not name.startswith("_")} <= NEW_SINCE_3_11


def test_archives_can_still_be_unpacked(page: Page, fake_server: FakeServer) -> None:
    outcome(page, own_page(fake_server))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("inside.txt", "unpacked")

    text = page.evaluate(
        """(bytes) => {
          pyodide.unpackArchive(new Uint8Array(bytes), "zip", { extractDir: "/tmp/x" });
          return pyodide.FS.readFile("/tmp/x/inside.txt", { encoding: "utf8" });
        }""",
        list(packed.getvalue()),
    )

    assert text == "unpacked"


def test_unknown_module_is_an_ordinary_import_error(page: Page, fake_server: FakeServer) -> None:
    outcome(page, own_page(fake_server))

    code = "try:\n    import nowhere.at_all\nexcept ModuleNotFoundError as e:\n    r = str(e)\nr"

    assert page.evaluate("(code) => pyodide.runPython(code)", code) == "No module named 'nowhere'"


# The manifest holds the hashes, so nothing holds its own; the .wasm is compiled while it comes, so
# the compiler finds it cut, and no hash is asked.
DAMAGES = [
    (name, kind)
    for name in BOOT_FILES
    for kind in ("missing", "mistyped", "cut", "changed")
    if (name, kind) not in {("manifest", "changed"), ("wasm", "changed")}
]


@pytest.mark.parametrize(("name", "kind"), DAMAGES)
def test_damaged_file_of_the_start_is_named(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any], name: str, kind: str
) -> None:
    path = path_of(manifest, name)
    damage(page, path, kind)

    happened = outcome(page, own_page(fake_server))

    assert happened["ended"] == "failed"
    error = happened["error"]
    assert error["file"] == path
    assert path in error["text"]
    assert error["type"] == "StartError"
    expected = "blocked" if (name, kind) == ("manifest", "cut") else CODES[kind]
    assert error["code"] == expected, error
    assert happened["events"] == ["failed"]


@pytest.mark.parametrize("name", BOOT_FILES)
def test_file_that_another_origin_does_not_allow_is_named(
    page: Page,
    fake_server: FakeServer,
    other_server: FakeServer,
    manifest: dict[str, Any],
    name: str,
) -> None:
    path = path_of(manifest, name)
    damage(page, path, "not allowed")

    happened = outcome(page, own_page(fake_server, origin=other_server.url))

    assert happened["ended"] == "failed"
    assert happened["error"]["file"] == path
    assert happened["error"]["code"] == "blocked"


def test_everything_works_from_another_origin_that_allows_it(
    page: Page, fake_server: FakeServer, other_server: FakeServer
) -> None:
    then = "await runtime.optionalPackages();"

    happened = outcome(page, own_page(fake_server, origin=other_server.url, then=then))

    assert happened["ended"] == "ready", happened.get("error")
    assert page.evaluate("pyodide.runPython('import pydantic; pydantic.__name__')") == "pydantic"


@pytest.mark.parametrize("kind", ["missing", "mistyped", "cut"])
@pytest.mark.parametrize("name", LATER_FILES)
def test_damaged_later_file_is_named_and_can_be_tried_again(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any], name: str, kind: str
) -> None:
    path = path_of(manifest, name)
    damage(page, path, kind)
    call = "runtime.optionalPackages()"
    if name == "library":
        call = "runtime.prepareFor('import csv')"
    assert outcome(page, own_page(fake_server))["ended"] == "ready"

    error = page.evaluate(f"{call}.then(() => null, told)")

    assert error["file"] == path
    assert error["code"] == CODES[kind]
    page.unroute_all()
    assert page.evaluate(f"{call}.then(() => 'placed', told)") == "placed"


@pytest.mark.parametrize("name", BOOT_FILES)
def test_start_can_be_tried_again(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any], name: str
) -> None:
    damage(page, path_of(manifest, name), "missing")
    assert outcome(page, own_page(fake_server))["ended"] == "failed"

    page.unroute_all()

    assert page.evaluate("async () => (await boot()).runPython('6 * 7')") == 42


def test_policy_without_webassembly_is_told_at_once(page: Page, fake_server: FakeServer) -> None:
    policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; connect-src 'self'"
    head = f'<meta http-equiv="content-security-policy" content="{policy}">'

    happened = outcome(page, own_page(fake_server, head=head))

    assert happened["error"]["code"] == "no-wasm"
    assert "wasm-unsafe-eval" in happened["error"]["text"]


def test_strict_policy_with_webassembly_is_enough(page: Page, fake_server: FakeServer) -> None:
    policy = (
        "default-src 'none'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; "
        "connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    head = f'<meta http-equiv="content-security-policy" content="{policy}">'

    happened = outcome(page, own_page(fake_server, head=head))

    assert happened["ended"] == "ready", happened.get("error")


@pytest.mark.parametrize("name", ["asm", "wasm", "boot", "app"])
def test_failure_at_pyscripts_door_is_told_too(
    page: Page, fake_server: FakeServer, manifest: dict[str, Any], name: str
) -> None:
    pyscript = next(path.split("/")[0] for path in manifest["files"] if "pyscript-" in path)
    path = path_of(manifest, name)
    damage(page, path, "missing")

    page.goto(pyscript_page(fake_server, pyscript, "pass"))
    page.wait_for_selector("html[data-ended]", timeout=30 * SECONDS)

    assert page.evaluate("happened.error") == {"code": "missing-file", "file": path}
